// The queue of accepted events that are not in the store yet. Events are durable before `append` resolves. It has two implementations.
import type { EventId, Recorded, SiteId } from '../vocabulary/event.ts';

/** How long the queue recognises an appended id. On SQLite, memory limits their number: 7 million with V8's default of 4 GB. */
export const SEEN_MS = 24 * 60 * 60_000;

/** Size of a batch as JSON, enough for 10,000 typical events. Parsed entries and rows take several times as much memory. */
export const MAX_BATCH_BYTES = 8 * 1024 * 1024;

/** A text in the queue that is no entry. `site_id` and `time` are empty where it does not show them. */
export type Unreadable = { kind: 'unreadable'; event_id: EventId; site_id: SiteId; time: number; text: string };

/**
 * Until a batch is acknowledged, each delivery has the same events and the same token. `mayBeStored` is set if some of them may have been
 * stored under another token. `unreadable` belongs to the batch, too: it must be set aside before the batch is acknowledged.
 */
export type Batch = { token: string; entries: Recorded[]; unreadable?: Unreadable[]; mayBeStored?: true };

/** An event that the store refused, or that cannot be read, with the reason and the time. */
export type Buried = { entry: Recorded | Unreadable; reason: string; at: number };

/** A part of the queue that one process at a time reads: all of it in SQLite, and the events of some sites in Redis. */
export type Partition = {
  /**
   * Returns the oldest events: at most `limit`, and at most MAX_BATCH_BYTES but always one. While much waits, events of a busy site may
   * come after newer ones of other sites. Returns undefined if the partition is empty. A batch that was read but not acknowledged is
   * returned again first, with the same events.
   */
  read(limit: number): Promise<Batch | undefined>;
  /** Resolves when there may be something to read, after `timeoutMs`, or when `signal` aborts. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  acknowledge(batch: Batch): Promise<void>;
  /** The number of events that are not acknowledged yet. */
  waiting(): Promise<number>;
  /** The event time of the oldest of them. */
  oldestAt(): Promise<number | undefined>;
};

export type Queue = {
  /**
   * Makes either all of a site's events durable, or none. Returns true for each new event. Returns false for an id that was appended within the
   * last 24 hours, in this call or before: that event is not queued again. Throws Unavailable if nothing can be stored.
   */
  append(recorded: Recorded[], now: number): Promise<boolean[]>;
  /** Sets aside events that the store will never accept, with the reason. They stay there until an operator replays them. */
  bury(entries: Buried['entry'][], reason: string, now: number): Promise<void>;
  /** Appends the buried events again, and returns their number. */
  replay(now: number): Promise<number>;
  /**
   * Reads all waiting and buried events in parts, for a backup, each site's in order. It removes nothing. In SQLite, its waiting events are
   * those of the moment at which the first part was read; in Redis, of each partition, those of the moment at which its last part was read.
   */
  contents(): AsyncIterable<{ waiting: Recorded[]; buried: Buried[] }>;
  /** Drops a site's buried events. Its waiting events still reach the store through the writer. */
  forget(siteId: SiteId): Promise<void>;
  /** Removes acknowledged and forgotten events from the queue's files. */
  erase(): Promise<void>;
  /** Returns the number of events not acknowledged yet, the event time of the oldest, and the number of buried events. */
  status(): Promise<{ waiting: number; oldestAt: number | undefined; buried: number }>;
  /** Throws Unavailable if the queue does not answer. Resolves to `partly` if only some sites' events can be queued. */
  ping(): Promise<'partly' | undefined>;
  /** Finishes pending appends first. */
  close(): Promise<void>;
};
