// Purges: visits that an owner takes out of all numbers, for the server and the dashboard.

/** For as long a purge can be taken back. Then its rows are gone. */
export const PURGE_KEPT_DAYS = 30;
/** Purges of a site that can still be taken back. */
export const MAX_PURGES = 100;

/**
 * `choosing`: its rows are being copied, and still count. `taking`: they are being taken out. `taken`: they count nowhere. `returned`: they
 * were put back.
 */
export type PurgeState = 'choosing' | 'taking' | 'taken' | 'returning' | 'returned';

/** What a purge took. `visits`: those with any of its rows. `events`: without page views and engagement. */
export type PurgedCounts = { visits: number; pageviews: number; events: number; ai_visits: number };
export const NOTHING_PURGED: PurgedCounts = { visits: 0, pageviews: 0, events: 0, ai_visits: 0 };
