// Sliding windows of a site's current visitors, with two implementations (memory of one process, Redis).
import type { Event, EventId, SiteId } from '../event.ts';

/** A visitor is current for five minutes after their last event. */
export const CURRENT_MS = 5 * 60_000;
/** The per-minute counts go back this many minutes. */
export const MINUTES = 30;
/** Rows in each list of a snapshot. */
export const TOP = 10;
/** Two page views of one visitor on one path within this time count once: some client-side routers fire twice. */
export const REPEAT_MS = 500;

export type Snapshot = {
  /** Distinct visitors with an event in the last five minutes. */
  current_visitors: number;
  /** Distinct visitors in each of the last 30 minutes, oldest first; the last one is the current minute. */
  minutes: number[];
  /**
   * Current visitors by the page and country of their last event, and by the source of their visit's first event. Most visitors first, ties
   * by name.
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
   * Resolves to the source of the visit that the sighting belongs to. A late sighting (older than the visitor's last one) never moves the
   * visitor back to an earlier page, but the earliest sighting of a visit determines its source. Sightings without a visitor are ignored,
   * and so is engagement after the end of its visit.
   */
  record(sighting: Sighting): Promise<string>;
  snapshot(siteId: SiteId, now: number): Promise<Snapshot>;
  /** `current_visitors` of several sites. */
  currentVisitors(siteIds: SiteId[], now: number): Promise<Map<SiteId, number>>;
  /**
   * Returns true if the same visitor viewed the same path less than REPEAT_MS ago; otherwise remembers this view. The same event id sent
   * again is not a repeat: it may be a retry of an event that could not be queued, and the queue recognises the ids that it has. Returns a
   * promise only if the views are in Redis.
   */
  isRepeat(view: Repeatable): boolean | Promise<boolean>;
  /** Forgets visitors, until they are seen again. */
  forgetVisitors(siteId: SiteId, visitorIds: readonly string[], now: number): Promise<void>;
  /** Forgets everything about a site. */
  forget(siteId: SiteId): Promise<void>;
  /** Throws Unavailable if the windows do not answer. Resolves to `partly` if only those of some sites do. */
  ping(): Promise<'partly' | undefined>;
  close(): Promise<void>;
};
