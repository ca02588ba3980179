// What an import brings from another product, whichever its format: hits one by one, or the sums of days. Read in the browser, for the preview, and on
// the server, for `manage import`.
import type { Device } from '../event.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { type Trouble, wordsOf } from './troubles.ts';

/** One view of a page, or one event, as the other product recorded it. Texts are '' where it does not say. */
export type ImportedHit = {
  /** Milliseconds since the epoch, UTC. */
  time: number;
  /** What tells the visitors of a day apart in the file, such as a session id. It is hashed at the door, and never stored. */
  visitor: string;
  /** `pageview`, or the name of an event. */
  name: string;
  hostname: string;
  /** With its query string, from which campaigns are read. */
  path: string;
  /** Address or host. */
  referrer: string;
  /** ISO 3166-1 alpha-2, ISO 3166-2 such as `DE-BY`, and a city's name. */
  country: string;
  region: string;
  city: string;
  browser: string;
  browser_version: string;
  os: string;
  os_version: string;
  device: Device;
  /** Such as `de` or `pt-BR`. */
  language: string;
  /** Width of the screen in pixels; 0 where it is not known. */
  screen_width: number;
  /** A request of an access log. Bots, AI agents, places and devices are told from it, and visitors apart: no text above says that. */
  request?: LoggedRequest | undefined;
};

/** What a web server logged of a request besides its page. Address and user agent are read at the door, and written nowhere. */
type LoggedRequest = { address: string; user_agent: string; status: number };

/** The numbers of one value of a dimension on one day. Several rows of the same value and day add up. Null: the other product does not tell. */
export type ImportedSum = {
  /** YYYY-MM-DD */
  day: string;
  /** '' for the totals of the day. */
  dimension: '' | Dimension;
  label: string;
  visitors: number;
  visits: number | null;
  pageviews: number | null;
  events: number;
  bounces: number | null;
  /** Summed over all visits, in seconds. */
  visit_seconds: number | null;
};

/** Why a row is not taken. */
export const REJECT_REASONS = [
  'no_date',
  'bad_number',
  'short_row',
  'unreadable',
  'no_page',
  'bot',
  'too_long',
  'other_site',
  'method',
  'not_a_page',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];
export type Rejected = { file: string; line: number; reason: RejectReason };

/** A part of what a file holds, in its order. `rows` counts those that were read for it, the rejected ones too. */
export type ImportBatch = { rows: number; hits: ImportedHit[]; sums: ImportedSum[]; rejected: Rejected[] };

export type ImportFile = { name: string; blob: Blob };

/** Thrown for files that cannot be imported. The message is a sentence for the person who chose them, in their language where they are told it. */
export class ImportError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble, options?: ErrorOptions) {
    super(undefined, options);
    this.trouble = trouble;
    Object.defineProperty(this, 'message', { get: () => wordsOf(trouble) });
  }
}

/** A CSV whose columns no format knows: they may be mapped by hand. */
export class UnmappedError extends ImportError {
  readonly columns: readonly string[];

  constructor(trouble: Trouble, columns: readonly string[]) {
    super(trouble);
    this.columns = columns;
  }
}
