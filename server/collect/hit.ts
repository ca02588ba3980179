// A hit: one request to count something. Each door parses its own format into a hit, and the steps see only hits.
import { hash, randomBytes } from 'node:crypto';
import { type EventId, PAGEVIEW, type SiteId, type Vitals } from '../vocabulary/event.ts';
import type { ImportedHit } from '../vocabulary/imports/import.ts';
import type { Page } from '../vocabulary/texts/url.ts';
import type { SentError } from './errors/read.ts';

/**
 * The doors through which hits arrive: the browser script, its measurements of a page view and the errors on it, the image, reports by the site's server, access logs,
 * POST /v1/events, and imports of what another product recorded.
 */
export const DOORS = ['script', 'vitals', 'errors', 'image', 'report', 'log', 'api', 'import'] as const;
export type Door = (typeof DOORS)[number];

/** Doors that need no key or token. Their hits are unproven claims, and each address is rate-limited. */
export const FROM_ANYBODY: readonly Door[] = ['script', 'vitals', 'errors', 'image'];

/** Doors whose revenue is `confirmed`. A log is not one of them: visitors choose the URLs that they request. */
export const SPEAKS_FOR_SITE: readonly Door[] = ['report', 'api'];

/** The measurements of a page view; null for what was not measured. */
type Measurements = Pick<
  Vitals,
  'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb' | 'lcp_element' | 'inp_element' | 'navigation' | 'connection'
>;

export type Hit = {
  door: Door;
  name: string;
  page: Page;
  /** Path and query of the request to the site's server; '' at other doors. */
  target: string;
  time: number;
  /** The sender's id, which identifies repeats; undefined if the sender gives none. */
  id: string | undefined;
  /** URL of the page that linked here; '' for none. */
  referrer: string;
  /** URL that a single-page app counted before this one; '' for none. */
  previousUrl: string;
  props: Record<string, string>;
  revenue: { amount: string; currency: string } | undefined;
  /** The site's own order number; '' for none. */
  order: string;
  interactive: boolean;
  /** Engagement: visible milliseconds, and scroll depth in per cent. */
  engagedMs: number;
  scroll: number;
  /** Width of the window in CSS pixels. */
  width: number | undefined;
  /** `navigator.maxTouchPoints` */
  touchPoints: number | undefined;
  /** `navigator.webdriver` */
  webdriver: boolean;
  address: string;
  userAgent: string;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** HTTP status of the response; 0 when unknown. */
  status: number;
  /** What the browser has measured, at the door `vitals`. */
  vitals?: Measurements;
  /** What went wrong, at the door `errors`. */
  error?: SentError;
  /** The hit as the other product recorded it, at the door `import`. */
  imported?: ImportedHit;
};

/** A page view without details: doors add those that their format has. */
export const PLAIN_VIEW: Readonly<Omit<Hit, 'door' | 'page' | 'time'>> = {
  name: PAGEVIEW,
  target: '',
  id: undefined,
  referrer: '',
  previousUrl: '',
  props: {},
  revenue: undefined,
  order: '',
  interactive: true,
  engagedMs: 0,
  scroll: 0,
  width: undefined,
  touchPoints: undefined,
  webdriver: false,
  address: '',
  userAgent: '',
  headers: {},
  status: 0,
};

/**
 * The text whose hash becomes an event's id. Ids from browsers cannot contain NUL, so a page cannot take the id of a server's event, even
 * if it guesses that id.
 */
const ID_TEXT: Record<Door, (siteId: SiteId, id: string) => string> = {
  script: (siteId, id) => `${siteId}\0${id}`,
  vitals: (siteId, id) => `${siteId}\0vitals\0${id}`,
  errors: (siteId, id) => `${siteId}\0errors\0${id}`,
  image: (siteId, id) => `${siteId}\0${id}`,
  report: (siteId, id) => `${siteId}\0server\0${id}`,
  log: (siteId, id) => `import\0${siteId}\0${id}`,
  api: (siteId, id) => `${siteId}\0api\0${id}`,
  import: (siteId, id) => `${siteId}\0import\0${id}`,
};

/** Returns 64 bits: a hash of the sender's id on this site, or random bits if there is no id. */
export function eventId({ door, id }: Pick<Hit, 'door' | 'id'>, siteId: SiteId): EventId {
  if (id === undefined) return randomBytes(8).toString('hex') as EventId;
  return hash('sha256', ID_TEXT[door](siteId, id), 'hex').slice(0, 16) as EventId;
}
