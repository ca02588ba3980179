// A hit: one request to count something. Each door parses its own format into this, and the steps see nothing else.
import { hash, randomBytes } from 'node:crypto';
import { type EventId, PAGEVIEW, type SiteId } from '../event.ts';
import type { Page } from './url.ts';

/** Where a hit comes in: the browser script, the image, a report of the site's server, an access log, POST /v1/events. */
export const DOORS = ['script', 'image', 'report', 'log', 'api'] as const;
export type Door = (typeof DOORS)[number];

/** Doors that ask for no key or token. Each address has a budget there, and what comes in is only claimed. */
export const FROM_ANYBODY: readonly Door[] = ['script', 'image'];

/** Doors whose word on money is `confirmed`. A log line is not: visitors choose what they ask for. */
export const SPEAKS_FOR_SITE: readonly Door[] = ['report', 'api'];

export type Hit = {
  door: Door;
  name: string;
  page: Page;
  /** Path and query as a server was asked for them; '' at other doors. */
  target: string;
  time: number;
  /** The sender's own id, which makes a repeat recognisable; undefined where the sender gives none. */
  id: string | undefined;
  /** Address of the page that linked here; '' where there is none. */
  referrer: string;
  /** Address that a single-page app counted before this one; '' where there is none. */
  previousUrl: string;
  props: Record<string, string>;
  revenue: { amount: string; currency: string } | undefined;
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
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  /** HTTP status of the answer; 0 where it is not known. */
  status: number;
};

/** A page view about which nothing is known: doors replace what their format tells. */
export const PLAIN_VIEW: Readonly<Omit<Hit, 'door' | 'page' | 'time'>> = {
  name: PAGEVIEW,
  target: '',
  id: undefined,
  referrer: '',
  previousUrl: '',
  props: {},
  revenue: undefined,
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
 * The text that is hashed into an event's id. The ids that browsers send hold no NUL, so nobody who guesses the id of a server's
 * event can use it up from a page.
 */
const ID_TEXT: Record<Door, (siteId: SiteId, id: string) => string> = {
  script: (siteId, id) => `${siteId}\0${id}`,
  image: (siteId, id) => `${siteId}\0${id}`,
  report: (siteId, id) => `${siteId}\0server\0${id}`,
  log: (siteId, id) => `import\0${siteId}\0${id}`,
  api: (siteId, id) => `${siteId}\0api\0${id}`,
};

/** 64 bits: a hash of the sender's id on this site, or random where the sender gives none. */
export function eventId({ door, id }: Pick<Hit, 'door' | 'id'>, siteId: SiteId): EventId {
  if (id === undefined) return randomBytes(8).toString('hex') as EventId;
  return hash('sha256', ID_TEXT[door](siteId, id), 'hex').slice(0, 16) as EventId;
}
