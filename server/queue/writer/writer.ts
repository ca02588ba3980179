// Moves batches from the queue to the store: assigns visits, inserts, then acknowledges. After any failure in between, the batch is
// delivered again with the same token. The store accepts each token once, and a redelivered batch is compared with the stored events.
import { Unavailable } from '../../errors.ts';
import {
  type AiVisit,
  type Event,
  EVENT_NAMES,
  type PageError,
  type Recorded,
  type VisitedError,
  type VisitedEvent,
  type VisitedVitals,
  type Vitals,
} from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import { knownIds } from '../../store/existing-events.ts';
import { RowsRefused } from '../../store/errors.ts';
import type { EventStore } from '../../store/open.ts';
import type { Lease } from '../lease.ts';
import { UNREADABLE } from '../entries.ts';
import { settleOrders } from './orders.ts';
import { pause } from '../pause.ts';
import type { Batch, Partition, Queue, Unreadable } from '../queue.ts';
import { openMutex } from '../../process/mutex.ts';
import { openRoom, type Room } from './room.ts';
import type { Visits } from './visits.ts';

/** Rows in one insert. Beyond a few thousand, larger inserts are hardly faster per row, and take more memory. */
export const MAX_BATCH = 10_000;
/** How long to collect events before an insert. Each insert creates a part on disk that is merged later, but dashboards wait this long. */
const GATHER_MS = 150;
/** The same when many events arrive: fewer, larger inserts cost less per row, and updating a dashboard twice a second is enough. */
const BUSY_GATHER_MS = 450;
const BUSY_ROWS = 300;
const IDLE_MS = 5_000;
const FIRST_PAUSE_MS = 100;
/** The partitions of a process gather longer together than one does alone, so that they insert no more often, but at most this long. */
const LONGEST_GATHER_MS = 1_000;
/** How often to look for partitions that another process has left. */
const LOOK_MS = 300;
/** Half of the ten seconds within which writing must work again once a store is back. */
const LONGEST_PAUSE_MS = 5_000;
/** Rows that a server was about to commit appear within this time. */
const APPEARS_MS = 1_000;

export type Writer = {
  /** Writes one batch, if there is one and this process holds the lease. Returns the number of acknowledged events. */
  writeOnce(): Promise<number>;
  /** Runs `work` between two batches: this process stores nothing until it ends. */
  between<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Writes the events that wait now. */
  drain(): Promise<void>;
  start(): void;
  /** Finishes the current batch, then drains the queue unless the store fails. */
  stop(): Promise<void>;
};

type Options = {
  queue: Partition & Pick<Queue, 'bury'>;
  store: EventStore;
  visits: Pick<Visits, 'assign' | 'place' | 'restore' | 'restoreFor'>;
  lease: Lease;
  /** Shared by the writers of a process. */
  room?: Room;
  now(): number;
  log: Log;
  /** Called after each insert: new queries include these events. */
  onStored(entries: Recorded[]): void;
};

type Rows = { events: VisitedEvent[]; ai_visits: AiVisit[]; vitals: VisitedVitals[]; errors: VisitedError[] };

export function openWriter(options: Options): Writer {
  const { queue, store, visits, lease, now, log, onStored, room = openRoom(1) } = options;
  let held = false;
  const stopping = new AbortController();
  const { write, writeAgain } = openBatches(options, stopping.signal);
  let running: Promise<void> | undefined;

  /** Returns undefined if another process has the lease. */
  const writeNext = async (): Promise<number | undefined> => {
    if (await lease.hold()) return room.enter(writeHeld);
    held = false;
    return undefined;
  };

  const writeHeld = async (): Promise<number> => {
    const isNew = !held; // another process, or this one before a failure, may have stored the batch
    if (isNew) {
      await store.settle();
      await visits.restore(now());
    }
    const batch = await queue.read(MAX_BATCH);
    held = true; // only now: after a failed read, the next one may still deliver what is stored
    if (!batch) return 0;
    const { unreadable = [] } = batch;
    if (batch.mayBeStored && !isNew) await store.settle();
    try {
      await (isNew || batch.mayBeStored ? writeAgain(batch) : write(batch, batch.entries));
      await setAside(unreadable);
      await queue.acknowledge(batch);
    } catch (error) {
      held = false; // forces a restore, so that visits of events that were not stored are not continued
      throw error;
    }
    onStored(batch.entries);
    return batch.entries.length + unreadable.length;
  };

  const setAside = async (unreadable: Unreadable[]) => {
    if (unreadable.length === 0) return;
    await queue.bury(unreadable, UNREADABLE, now());
    log.error({ entries: unreadable.length }, 'entries of the queue cannot be read: they were set aside');
  };

  /** Runs one at a time: two concurrent calls would get the same batch and count its visits twice. */
  const exclusively = openMutex();
  const writeOnce = async () => (await exclusively(writeNext)) ?? 0;

  /** Events that arrive meanwhile are not waited for: on a busy queue, there would always be one more. */
  const drain = async () => {
    let left = await queue.waiting();
    let written: number;
    do {
      written = await writeOnce();
      left -= written;
    } while (written > 0 && left > 0);
  };

  return {
    writeOnce,
    between: exclusively,
    drain,
    start: () => {
      running ??= keepWriting(() => exclusively(writeNext), { queue, room, stopping: stopping.signal, log });
    },
    stop: async () => {
      stopping.abort();
      await running;
      // Events that are not written now stay in the queue, which is durable.
      await drain().catch((error: unknown) => log.warn({ error }, 'events wait in the queue for the next start'));
      await lease.release();
    },
  };
}

/** Stores the events of batches, with their visits and orders. */
function openBatches({ queue, store, visits, now, log }: Options, stopping: AbortSignal) {
  const insert = openInsert({ queue, store, now, log });

  /** Stores `fresh`, those entries of the batch that are not stored yet. */
  const write = async ({ entries, token }: Batch, fresh: Recorded[]): Promise<Rows> => {
    const time = now();
    // Sorted by time: a visit takes its attributes from its first event, in whatever order its events were queued.
    const events = fresh.filter(isEvent).sort((a, b) => a.time - b.time);
    await visits.restoreFor(events, time);
    const visited = events.flatMap((event) => visits.assign(event, time) ?? []);
    const settled = await settleOrders(store, visited, entries.filter(isEvent));
    const rows = {
      events: settled.events,
      ai_visits: fresh.filter((entry) => entry.kind === 'ai_visit'),
      // after the events: their page view may be in the same batch
      vitals: fresh.filter((entry) => entry.kind === 'vitals').map(visits.place),
      errors: fresh.filter((entry) => entry.kind === 'error').map(visits.place),
    };
    await insert(rows, token);
    await store.supersede(settled.superseded);
    return rows;
  };

  /**
   * TRICKY: the store records a token a moment before the rows appear. If it is killed in between, it would take the batch for stored and
   * drop it on every delivery. Rows that are still missing are therefore inserted with another token.
   */
  const writeAgain = async ({ entries, token }: Batch) => {
    const rows = await write({ entries, token }, await missing(store, entries));
    let lost = await missing(store, allOf(rows));
    if (lost.length === 0) return;
    await pause(APPEARS_MS, stopping);
    lost = await missing(store, lost);
    if (lost.length === 0) return;
    log.warn(
      { token, events: lost.length },
      'the store knew the token of a batch but not its rows: the batch is stored again',
    );
    const ids = new Set(lost.map(({ event_id }) => event_id));
    const isLost = ({ event_id }: Recorded) => ids.has(event_id);
    await insert(
      {
        events: rows.events.filter(isLost),
        ai_visits: rows.ai_visits.filter(isLost),
        vitals: rows.vitals.filter(isLost),
        errors: rows.errors.filter(isLost),
      },
      `${token}.${now()}`,
    );
  };

  return { write, writeAgain };
}

function openInsert({ queue, store, now, log }: Pick<Options, 'queue' | 'store' | 'now' | 'log'>) {
  /**
   * Halves a refused insert until the bad rows are found. Those are buried, and all others are stored. TRICKY: the tables apart keep the token,
   * by which the store knows what the first of them have taken already.
   */
  const insert = async (rows: Rows, token: string): Promise<void> => {
    const size = allOf(rows).length;
    if (size === 0) return;
    try {
      await store.insert(rows, token);
    } catch (error) {
      if (!(error instanceof RowsRefused)) throw error;
      if (size === 1) {
        const placed = [...rows.vitals, ...rows.errors];
        const refused = [...rows.events.map(withoutVisit), ...rows.ai_visits, ...placed.map(withoutPlace)];
        await queue.bury(refused, error.message, now());
        log.error({ error, token }, 'the store refused an event: it was set aside');
        return;
      }
      const tables = tablesOf(rows);
      if (tables.length > 1) for (const one of tables) await insert(one, token);
      else for (const [index, half] of halves(rows).entries()) await insert(half, `${token}.${index}`);
    }
  };
  return insert;
}

/** How long to collect events after a batch. `busy`: partitions of this process that had events last. */
export const gatherMs = (written: number, busy: number): number =>
  Math.min((written > BUSY_ROWS ? BUSY_GATHER_MS : GATHER_MS) * Math.max(1, busy), LONGEST_GATHER_MS);

/** Writes batch after batch until it is stopped. Retries a failed batch after longer and longer pauses. */
async function keepWriting(
  writeNext: () => Promise<number | undefined>,
  { queue, room, stopping, log }: Pick<Options, 'queue' | 'log'> & { room: Room; stopping: AbortSignal },
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  const busy = room.seat();
  while (!stopping.aborted) {
    try {
      const written = await writeNext();
      pauseMs = FIRST_PAUSE_MS;
      busy.set((written ?? 0) > 0);
      if (written === undefined) await pause(LOOK_MS, stopping);
      else {
        if (written === 0) await queue.wait(IDLE_MS, stopping);
        // A full batch is seldom waiting already. It gets time to gather, because each insert creates some forty files.
        const isBehind = (await queue.waiting()) >= MAX_BATCH;
        if (!isBehind) await pause(gatherMs(written, room.busy()), stopping);
      }
    } catch (error) {
      if (stopping.aborted) return;
      const level = error instanceof Unavailable ? 'warn' : 'error';
      log[level]({ error, pause_ms: pauseMs }, 'writing a batch failed: trying again');
      await pause(pauseMs, stopping);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** Returns the entries that the store does not have. */
async function missing<Entry extends Recorded>(store: EventStore, entries: Entry[]): Promise<Entry[]> {
  const known = await knownIds(store, entries);
  return entries.filter(({ event_id }) => !known.has(event_id));
}

const allOf = (rows: Rows): Recorded[] => [...rows.events, ...rows.ai_visits, ...rows.vitals, ...rows.errors];
const filledIn = (rows: Rows) => (Object.keys(rows) as (keyof Rows)[]).filter((table) => rows[table].length > 0);
const NO_ROWS: Readonly<Rows> = { events: [], ai_visits: [], vitals: [], errors: [] };

/** The rows of each table that has any. */
const tablesOf = (rows: Rows): Rows[] => filledIn(rows).map((table) => ({ ...NO_ROWS, [table]: rows[table] }));

/** Rows of one table, cut in two. */
function halves(rows: Rows): Rows[] {
  const [table] = filledIn(rows);
  if (!table) return [];
  const half = Math.ceil(rows[table].length / 2);
  return [
    { ...NO_ROWS, [table]: rows[table].slice(0, half) },
    { ...NO_ROWS, [table]: rows[table].slice(half) },
  ];
}

const isEvent = (entry: Recorded): entry is Event => entry.kind === 'event';

function withoutVisit(row: VisitedEvent): Event {
  return Object.fromEntries(['kind' as const, ...EVENT_NAMES].map((name) => [name, row[name]])) as Event;
}

function withoutPlace(row: VisitedVitals | VisitedError): Vitals | PageError {
  const { visit_id: _, entry_page: __, import_id: ___, ...rest } = row;
  return rest;
}
