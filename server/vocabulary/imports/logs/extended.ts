// The extended format of the W3C, as IIS and CloudFront write it: a line of names, `#Fields:`, says what the lines after it hold. IIS separates with
// spaces, and writes + for a space in a value. CloudFront separates with tabs, and percent-encodes values, the percent signs in them too.
import { readInstant } from '../values/dates.ts';
import { hostOf, type LogLine, statusOf } from './line.ts';

type Told = { fields: Map<string, number>; date: string };

const NEEDED = ['time', 'c-ip', 'cs-method', 'cs-uri-stem', 'sc-status', 'cs(user-agent)'];
/** Of the host that was asked for; those of CloudFront itself say nothing. */
const HOSTS = ['x-host-header', 'cs-host', 'cs(host)'];

/** Reads lines after they were told what these hold. `tell` takes a line that begins with #. */
export function openExtended(): { tell(line: string): void; read(line: string): LogLine | undefined } {
  let told: Told = { fields: new Map(), date: '' };
  return {
    tell(line) {
      const [, name = '', value = ''] = /^#(Fields|Date):\s{0,5}(.*)$/i.exec(line) ?? [];
      if (name.toLowerCase() === 'date') told = { ...told, date: value.slice(0, 10) };
      if (name.toLowerCase() !== 'fields') return;
      const names = value.toLowerCase().trim().split(/\s+/).slice(0, 200);
      told = { ...told, fields: new Map(names.map((field, index) => [field, index])) };
    },
    read: (line) => (NEEDED.every((name) => told.fields.has(name)) ? readLine(line, told) : undefined),
  };
}

function readLine(line: string, { fields, date }: Told): LogLine | undefined {
  const isTabbed = line.includes('\t');
  const cells = line.split(isTabbed ? '\t' : ' ');
  if (cells.length < fields.size) return undefined;
  const cell = (name: string): string => {
    const text = cells[fields.get(name) ?? -1] ?? '';
    return text === '-' ? '' : text;
  };
  const time = readInstant(`${cell('date') || date} ${cell('time')}`);
  const status = statusOf(cell('sc-status') || '-');
  const stem = cell('cs-uri-stem');
  if (time === undefined || status === undefined || stem === '') return undefined;
  const query = cell('cs-uri-query');
  const decode = isTabbed ? decoded : (text: string) => decoded(text.replaceAll('+', ' '));
  const host = HOSTS.map((name) => hostOf(cell(name))).find((name) => name !== '' && !name.endsWith('.cloudfront.net'));
  return {
    address: cell('c-ip'),
    time,
    method: cell('cs-method'),
    target: encodedOnce(query === '' ? stem : `${stem}?${query}`),
    status,
    bytes: cell('sc-bytes'),
    referrer: encodedOnce(cell('cs(referer)')),
    userAgent: decode(decode(cell('cs(user-agent)'))), // CloudFront encoded them twice until 2019
    host: host ?? '',
  };
}

/** An address whose percent signs were encoded once more. */
const encodedOnce = (text: string): string => text.replace(/%25(?=[0-9A-Fa-f]{2})/g, '%');

const decoded = (text: string): string => text.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodedRun);

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run; // not UTF-8
  }
}
