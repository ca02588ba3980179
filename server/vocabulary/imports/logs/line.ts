// A request as a web server logged it, and what the formats of lines have in common. Apache escapes quotes as `\"`, nginx as `\x22`. Both write
// unprintable bytes as `\xHH`.
import { readDay } from '../../time/time.ts';
import { withBytesEncoded } from '../reading/text.ts';
import { remember } from '../values/memo.ts';

export type LogLine = {
  address: string;
  /** Milliseconds since the epoch, from the web server's clock and time zone. */
  time: number;
  method: string;
  /** Path and query, or a whole URL. */
  target: string;
  /** 0 if the client left before there was one. */
  status: number;
  /** As in the log: a number, or `-`; '' where the format has none. */
  bytes: string;
  /** '' for none. */
  referrer: string;
  userAgent: string;
  /** The host that was asked for, in lower case; '' if the line does not say. */
  host: string;
};

/** More than a web server accepts with its default limits (8 KiB each for request line and headers). */
export const MAX_LINE_BYTES = 32 * 1024;

/** A text in quotes, with backslashes before those in it. */
export const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
/** The time of the common log format, within brackets. */
export const CLOCK = String.raw`(\d\d/[A-Z][a-z]{2}/\d{4}):(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})? ([+-]\d{4})`;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number: number) => String(number).padStart(2, '0');
/** Midnight of a day such as `10/Oct/2025`, in UTC; undefined if there is no such day. */
const midnightOf = remember((date: string): number | undefined =>
  readDay(`${date.slice(7)}-${two(MONTHS.indexOf(date.slice(3, 6)) + 1)}-${date.slice(0, 2)}`),
);

/** What CLOCK found: the day, hour, minute and second, and the zone such as `-0700`. */
export function clockTime(found: readonly (string | undefined)[]): number | undefined {
  const [date = '', hour, minute, second, zone = '+0000'] = found;
  const midnight = midnightOf(date);
  if (midnight === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const zoneMinutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  const minutes = Number(hour) * 60 + Number(minute) - (zone.startsWith('-') ? -zoneMinutes : zoneMinutes);
  return midnight + (minutes * 60 + Number(second)) * 1000;
}

/** HTTP/0.9 requests have no version. A target with a space is invalid, but servers still answer it. */
const REQUEST = /^([A-Z]{3,20}) (\S.*?)(?: HTTP\/\d(?:\.\d)?)?$/;

/** Reads a request line; undefined for something else, such as a TLS handshake that was sent to the plain port. */
export function readRequest(text: string): { method: string; target: string } | undefined {
  const [, method, target] = REQUEST.exec(text) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/** A quoted value; '' for none. */
export const valueOf = (quoted: string): string => (quoted === '-' ? '' : unescape(quoted));

const ESCAPED = /(?:\\x[0-9A-Fa-f]{2})+|\\./g;
const CONTROLS: Record<string, string> = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\b': '\b', '\\v': '\v' };
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** The bytes of a run such as `\xC3\xA9`. Those that are no UTF-8 stay, percent-encoded, as when they are not escaped. */
export function readBytes(run: string): string {
  const bytes = Uint8Array.from(run.slice(2).split('\\x'), (byte) => Number.parseInt(byte, 16));
  try {
    return UTF_8.decode(bytes);
  } catch {
    return withBytesEncoded(bytes);
  }
}

export function unescape(quoted: string): string {
  if (!quoted.includes('\\')) return quoted;
  return quoted.replace(ESCAPED, (run) => {
    if (!run.startsWith('\\x') || run.length === 2) return CONTROLS[run] ?? run.slice(1);
    return readBytes(run);
  });
}

/** The status of an answer: three digits, or none. Undefined for anything else. */
export function statusOf(text: string): number | undefined {
  if (text === '-' || text === '0') return 0;
  return /^\d{3}$/.test(text) ? Number(text) : undefined;
}

const HOST = /^(?:[a-z0-9][a-z0-9._-]{0,252}|\[[0-9a-f:.]{2,45}\])$/;

/** A host without its port; '' for what is none, such as the `_` of a server without a name. */
export const hostOf = remember((text: string): string => {
  const host = text
    .slice(0, 300)
    .toLowerCase()
    .replace(/:\d{1,5}$/, '');
  return HOST.test(host) ? host : '';
});

/** An address without its port: `203.0.113.7:51234` and `[2001:db8::1]:51234`. */
export function withoutPort(address: string): string {
  const [, bracketed] = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(address) ?? [];
  return bracketed ?? (/^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address);
}
