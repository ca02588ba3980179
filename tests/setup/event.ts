// The only factory of events: tests and benchmarks set only what matters to them.
import type { ImportedHit } from '../../server/vocabulary/imports/import.ts';
import {
  type AiVisit,
  BLANK_EVENT,
  blankOf,
  errorOfView,
  type Event,
  type EventId,
  type PageError,
  type SiteId,
  VISIT_COLUMNS,
  type VisitedEvent,
  type VisitorId,
  type Vitals,
  vitalsOfView,
} from '../../server/vocabulary/event.ts';
import { NOON } from './clock.ts';

export const SITE = 'site_TESTTESTTESTTEST' as SiteId;
const TIME = Date.UTC(2026, 10, 20, 12);
let serial = 0;

/** 16 hex digits, different for each number and spread like random ones. */
export function hexId(number: number): string {
  return ((BigInt(number) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn).toString(16).padStart(16, '0');
}

const eventIdOf = (id: string) => Buffer.from(id.padStart(8, '0').slice(-8)).toString('hex') as EventId;
/** A server's events have no visitor. */
const visitorIdOf = (visitor: string) =>
  (visitor === '' ? '' : Buffer.from(visitor.padStart(8, 'v')).toString('hex').slice(-16)) as VisitorId;

/** A page view of the given visitor on `/`, with an id of its own. */
export function makeEvent(given: Partial<Event> & { visitor?: string; id?: string } = {}): Event {
  const { visitor = '1', id = String((serial += 1)), ...rest } = given;
  return {
    ...BLANK_EVENT,
    site_id: SITE,
    event_id: rest.event_id ?? eventIdOf(id),
    time: TIME,
    visitor_id: rest.visitor_id ?? visitorIdOf(visitor),
    name: 'pageview',
    hostname: 'example.com',
    page: '/',
    screen: 'LG',
    language: 'en',
    interactive: true,
    channel: 'Direct',
    country: 'DE',
    region: 'DE-BE',
    browser: 'Firefox',
    browser_version: '140',
    os: 'Linux',
    device: 'desktop',
    ...rest,
  };
}

/** The measurements of a page view of the given visitor on `/`. */
export function makeVitals(given: Partial<Vitals> & { visitor?: string } = {}): Vitals {
  const { visitor = '1', ...rest } = given;
  return { ...vitalsOfView(makeEvent({ visitor })), lcp: 2000, inp: 100, cls: 0.05, fcp: 1000, ttfb: 300, ...rest };
}

/** An error on a page view of the given visitor on `/`. */
export function makeError(given: Partial<PageError> & { visitor?: string } = {}): PageError {
  const { visitor = '1', ...rest } = given;
  return {
    ...errorOfView(makeEvent({ visitor })),
    error_shape: '0123456789ab',
    error_kind: 'rejection',
    error_message: 'TypeError: x is not a function',
    error_file: '/app.js',
    error_line: 12,
    occurrences: 1,
    ...rest,
  };
}

/** Every column that most page views fill, with values of typical length. */
const TYPICAL: Partial<Event> = {
  screen: 'large',
  language: 'en-GB',
  props: { plan: 'pro', author: 'Ada' },
  channel: 'Organic Search',
  source: 'Google',
  referrer: 'google.com/',
  country: 'GB',
  region: 'GB-LND',
  city: 'London',
  browser: 'Chrome',
  os: 'Windows',
  os_version: '11',
};

/** The page view with this number: always the same one, of its own visitor, on one of a thousand pages. */
export function sampleEvent(number: number, changes: Partial<Event> = {}): Event {
  return makeEvent({
    event_id: hexId(number) as EventId,
    visitor_id: hexId(number + 1_000_000_007) as VisitorId,
    time: NOON + number,
    page: `/articles/${number % 1000}/how-we-count-visitors`,
    ...TYPICAL,
    ...changes,
  });
}

/** The event as the store takes it: the only one of its visit. */
export function visitedEvent(event: Event): VisitedEvent {
  return { ...event, ...blankOf(VISIT_COLUMNS), visit_id: 1n, visit_started: 1, bounces: 1, entry_page: event.page };
}

/** A crawler's visit, with an id of its own. */
export function makeAiVisit(given: Partial<AiVisit> = {}): AiVisit {
  return {
    kind: 'ai_visit',
    site_id: SITE,
    event_id: given.event_id ?? eventIdOf(`a${(serial += 1)}`),
    time: TIME,
    day: '',
    ai_provider: 'OpenAI',
    ai_agent: 'GPTBot',
    ai_purpose: 'crawler',
    hostname: 'example.com',
    ai_page: '/',
    status: 200,
    import_id: '',
    ...given,
  };
}

/** A shop whose owner has chosen its currency, in the form that stats expect. */
export const EURO_SHOP = { currency: 'EUR', proposed_currency: null, max_amount: 100_000, timezone: null };

/** A page view without a visitor, as another product recorded it. */
export const IMPORTED_HIT: ImportedHit = {
  time: 0,
  visitor: '',
  name: 'pageview',
  hostname: '',
  path: '/',
  referrer: '',
  country: '',
  region: '',
  city: '',
  browser: 'Firefox',
  browser_version: '',
  os: '',
  os_version: '',
  device: 'desktop',
  language: '',
  screen_width: 0,
};
