// The queue: accepted events that are not in the store yet. Durable before `append` resolves; one interface, two forms.
import type { Recorded, SiteId } from '../event.ts';

/** For how long an id that was appended is recognised. */
export const SEEN_MS = 24 * 60 * 60_000;

/** Of one batch, as JSON: 10,000 usual events. Parsed, and as rows, it takes several times as much. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** The same events under the same token each time it is delivered, until it is acknowledged. */
export type Batch = { token: string; entries: Recorded[] };

/** What the store refused, with the reason and when. */
export type Buried = { entry: Recorded; reason: string; at: number };

export type Queue = {
  /**
   * Makes events durable, all or none, and says of each whether it is new: false for an id that was appended within the
   * last 24 hours (in this call or before), which is not queued again. Throws Unavailable when nothing can be kept.
   */
  append(recorded: Recorded[], now: number): Promise<boolean[]>;
  /** The oldest events, at most `limit` of them and MAX_BATCH_BYTES (but always one); undefined when there is nothing. What was read and not acknowledged comes first, as the same batch. */
  read(limit: number): Promise<Batch | undefined>;
  /** Resolves when there may be something to read, after `timeoutMs`, or when `signal` aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  acknowledge(batch: Batch): Promise<void>;
  /** Puts events that the store refuses for good aside, with the reason; they stay until an operator replays them. */
  bury(entries: Recorded[], reason: string, now: number): Promise<void>;
  /** Appends what was buried once more, and returns how many. */
  replay(now: number): Promise<number>;
  /** All that waits or is buried, in parts and without taking it: what a backup holds. */
  contents(): AsyncIterable<{ waiting: Recorded[]; buried: Buried[] }>;
  /** Drops what is buried of a site; what waits of it is the writer's to take to the store. */
  forget(siteId: SiteId): Promise<void>;
  /** Leaves nothing in its files of what was acknowledged or forgotten. */
  erase(): Promise<void>;
  /** Events not acknowledged yet, the event time of the oldest one, and how many are buried. */
  status(): Promise<{ waiting: number; oldestAt: number | undefined; buried: number }>;
  /** Throws Unavailable when the queue does not answer. */
  ping(): Promise<void>;
  /** Finishes what is under way. */
  close(): Promise<void>;
};
