// Sliding windows of who is on a site now: one interface, two forms (memory of one process, Redis).
import type { Event, EventId, SiteId } from '../event.ts';

/** A visitor is current for five minutes after their last event. */
export const CURRENT_MS = 5 * 60_000;
/** How far back the per-minute counts go. */
export const MINUTES = 30;
/** Rows of each list of a snapshot. */
export const TOP = 10;
/** Two page views of one visitor on one path within this time are one: routers that fire twice. */
export const REPEAT_MS = 500;

export type Snapshot = {
  /** Different visitors with an event in the last five minutes. */
  current_visitors: number;
  /** Different visitors in each of the last 30 minutes, oldest first; the last one is the running minute. */
  minutes: number[];
  /**
   * Where the current visitors are by their last event, and the source of their visit, which is that of its first event. Most
   * visitors first, ties by name.
   */
  pages: { page: string; visitors: number }[];
  sources: { source: string; visitors: number }[];
  countries: { country: string; visitors: number }[];
};

/** The part of an event that the windows keep. */
export type Sighting = Pick<
  Event,
  'site_id' | 'visitor_id' | 'time' | 'name' | 'engaged_ms' | 'page' | 'source' | 'country'
>;

export type Repeatable = Pick<Event, 'site_id' | 'visitor_id' | 'page' | 'time'> & { event_id?: EventId };

export type Windows = {
  /**
   * Resolves to the source of the sighting's visit. Late sightings (older than what is known) never move a visitor back, but the
   * earliest one of a visit says where it came from. Sightings without a visitor, and engagement whose visit is over, are ignored.
   */
  record(sighting: Sighting): Promise<string>;
  snapshot(siteId: SiteId, now: number): Promise<Snapshot>;
  /** `current_visitors` of several sites at once. */
  currentVisitors(siteIds: SiteId[], now: number): Promise<Map<SiteId, number>>;
  /**
   * True when this page view repeats one of the same visitor and path less than REPEAT_MS before; remembers it otherwise. The same event
   * sent again is none: it may be the retry of one that could not be queued, and the queue knows which were.
   */
  isRepeat(view: Repeatable): Promise<boolean>;
  /** Lets go of all that is known of a site. */
  forget(siteId: SiteId): Promise<void>;
  /** Throws Unavailable when the windows do not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
