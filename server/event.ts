// The Event: what one accepted request becomes. Anonymous from birth: no address, no user agent, no cookie.
// Field names are the column names of the store and the public names of the dimensions. Imports nothing of ours.

export type SiteId = string & { readonly __brand: 'SiteId' };
/** 64 bits as 16 hex digits; '' for events that a server sent, which have no visitor. */
export type VisitorId = string & { readonly __brand: 'VisitorId' };
/** 64 bits as 16 hex digits: the same id within 24 hours is counted once. */
export type EventId = string & { readonly __brand: 'EventId' };

export const PAGEVIEW = 'pageview';
/** Sent when a page is hidden: extends the visit's duration, and is neither interactive nor a custom event. */
export const ENGAGEMENT = 'engagement';
/** What the script counts by itself. None of it ends a bounce, but a second page view. */
export const AUTOMATIC: ReadonlySet<string> = new Set([
  PAGEVIEW,
  ENGAGEMENT,
  'outbound_link',
  'file_download',
  'email_link',
  'phone_link',
  'form_submit',
  'not_found',
]);

/** A visit ends after this time without an event. Visitor ids end at UTC midnight, and visits with them. */
export const VISIT_MS = 30 * 60_000;
/** Longer than a visit may pause: engagement can span more than VISIT_MS of reading. */
export const VISIT_KEPT_MS = 2 * VISIT_MS;

export type Device = 'mobile' | 'tablet' | 'desktop' | 'tv' | 'console' | 'wearable' | 'car' | 'other';

export const AI_PURPOSES = ['crawler', 'search', 'user'] as const;
export type AiPurpose = (typeof AI_PURPOSES)[number];

/** Where a visit came from; '' where nothing is known. */
export type Attribution = {
  channel: string;
  source: string;
  /** Host and path of the referring page, without scheme, query and fragment. */
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_content: string;
  utm_term: string;
};

/** ISO 3166-1 alpha-2, ISO 3166-2, and a city's name; '' where unknown. */
export type Place = { country: string; region: string; city: string };

export type Client = {
  browser: string;
  browser_version: string;
  os: string;
  os_version: string;
  device: Device;
};

export type Event = Attribution &
  Place &
  Client & {
    kind: 'event';
    site_id: SiteId;
    event_id: EventId;
    /** Milliseconds since the epoch, UTC. */
    time: number;
    visitor_id: VisitorId;
    name: string;
    hostname: string;
    /** Path of the page, '/' at least, without query and fragment. */
    page: string;
    /** Width class of the window: see `collect/screen.ts`. */
    screen: string;
    /** Primary language subtag and region, as `de` or `pt-BR`. */
    language: string;
    props: Record<string, string>;
    /** Revenue in units of `currency`, as a decimal string with at most 4 digits after the point; both '' for none. */
    amount: string;
    currency: string;
    /** A server of the site said so. Otherwise a browser claims it, as anybody can. */
    confirmed: boolean;
    /** False for what must not end a bounce: engagement, outbound links, downloads. */
    interactive: boolean;
    /** Engagement only: visible milliseconds since the last such event, and how far down the page, 0 to 100. */
    engaged_ms: number;
    scroll: number;
  };

export type AiVisit = {
  kind: 'ai_visit';
  site_id: SiteId;
  event_id: EventId;
  time: number;
  ai_provider: string;
  ai_agent: string;
  ai_purpose: AiPurpose;
  hostname: string;
  ai_page: string;
  /** HTTP status that the agent got; 0 where it is not known. */
  status: number;
};

/** What the queue carries. */
export type Recorded = Event | AiVisit;

/** Whether an event of the same visitor belongs to the visit. Late events (a retry after an outage) belong to the visit they fall into. */
export function continuesVisit(
  visit: { startedAt: number; lastAt: number },
  event: Pick<Event, 'time' | 'engaged_ms'>,
): boolean {
  const idleMs = event.time - event.engaged_ms - visit.lastAt;
  return idleMs < VISIT_MS && event.time > visit.startedAt - VISIT_MS;
}
