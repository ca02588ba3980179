// The draft that the steps work on: the hit, its site, and the event that it becomes.
import type { KeyObject } from 'node:crypto';
import { AUTOMATIC, type AiVisit, BLANK_EVENT, type Event, type PageError, type Vitals } from '../vocabulary/event.ts';
import type { AddressHash } from '../process/http/address-hash.ts';
import type { Flood } from '../live/flood.ts';
import type { Windows } from '../live/windows.ts';
import type { SecurityLog } from '../process/security-log.ts';
import type { Site } from '../sites/sites.ts';
import { dayIn } from '../vocabulary/time/zones.ts';
import type { Geo } from './places/geo.ts';
import type { HmacKey } from './hmac.ts';
import { eventId, SPEAKS_FOR_SITE, type Hit } from './hit.ts';
import { pageOf } from '../sites/paths.ts';

/** `ai` is set for a visit of an AI agent, `vitals` for measurements, `error` for an error. `sender` is the hash of a rate-limited address. */
export type Draft = {
  hit: Hit;
  site: Site;
  event: Event;
  ai?: AiVisit;
  vitals?: Vitals;
  error?: PageError;
  sender?: string;
};
/** The part of a draft that steps with a SharedContext read. */
export type SharedDraft = Pick<Draft, 'event' | 'error' | 'sender'> & { hit: Pick<Hit, 'time'> };

/** The lookups and limits that steps use in any process. */
export type OwnContext = {
  geo: Geo;
  /** Returns the site's salt for its day at `time`. */
  saltOf(site: Pick<Site, 'id' | 'timezone'>, time: number): HmacKey | Promise<HmacKey>;
  /** See order.ts. Missing for imports of access logs, which have no orders. */
  orderKey?: KeyObject;
  /** Limits for live hits. Missing for imports of past events. */
  limits?: { isOverQuota(site: Site): boolean; addresses: AddressHash };
};

/** Shared by all hits of a server, whichever of its processes takes them. */
export type SharedContext = {
  windows: Pick<Windows, 'isRepeat'>;
  /** Missing for imports of past events. */
  floods?: {
    flood: Pick<Flood, 'takeEvent' | 'takeVisitor' | 'takeError'>;
    security: Pick<SecurityLog, 'limited'>;
  };
};

export type Context = OwnContext & SharedContext;

export function draftOf(hit: Hit, site: Site): Draft {
  const event: Event = {
    ...BLANK_EVENT,
    site_id: site.id,
    event_id: eventId(hit, site.id),
    time: hit.time,
    day: site.timezone === null ? '' : dayIn(site.timezone, hit.time),
    name: hit.name,
    hostname: hit.page.hostname,
    page: pageOf(hit.page, site.settings),
    props: hit.props,
    amount: hit.revenue?.amount ?? '',
    currency: hit.revenue?.currency ?? '',
    confirmed: SPEAKS_FOR_SITE.includes(hit.door),
    interactive: hit.interactive && !AUTOMATIC.has(hit.name),
    engaged_ms: Math.round(hit.engagedMs),
    scroll: Math.round(hit.scroll),
  };
  return { hit, site, event };
}
