// The calls of a worker to the process that owns the stores.
import type { Judged, Outcome } from '../collector.ts';
import type { Unavailable } from '../../errors.ts';
import type { ZoneDay } from '../../sites/salts.ts';
import type { Site } from '../../sites/sites.ts';

/** The first word of a worker's connection. */
export const SPEAKS_HITS = 'hits';

/** The calls by name: [input, output]. */
export type Calls = {
  /** `orderSecret` in hex. */
  start: [null, { orderSecret: string }];
  site: [{ domain: string }, { site: Site; isOverQuota: boolean } | null];
  /** The salt of a day, in hex. */
  salt: [ZoneDay, string];
  /** The hits of one turn of the worker's event loop. Answered when their events are durable. */
  admit: [Judged[], Outcome[]];
  /** See `Peers`. */
  untrustedProxy: [null, null];
};
export type CallName = keyof Calls;

export type Request = { id: number; name: CallName; input: unknown };
export type Failure = { unavailable: Unavailable['store'] } | { failed: string };
/** `forgetSalts`: the salts of days that were over at this time are destroyed. It answers no call. */
export type Message = { id: number; output: unknown } | { id: number; failure: Failure } | { forgetSalts: number };
