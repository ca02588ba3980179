// Takes batches from the queue to the store: assigns visits, inserts, then acknowledges. Whatever happens in between, the
// batch comes again under the same token, and the store takes each token once.
import { Unavailable } from '../errors.ts';
import type { AiVisit, Event, Recorded } from '../event.ts';
import type { Log } from '../log.ts';
import { type EventStore, RowsRefused } from '../store/open.ts';
import type { VisitedEvent } from '../store/rows.ts';
import type { Lease } from './lease.ts';
import type { Batch, Queue } from './queue.ts';
import type { Visits } from './visits.ts';

/** Rows of one insert: past some thousand, larger inserts are hardly faster a row, and hold more memory. */
const MAX_BATCH = 10_000;
/** How long events gather before an insert: a part on disk for each, merged later. The dashboard waits for this. */
const GATHER_MS = 150;
/** And where many arrive: fewer, larger inserts cost less a row, and a dashboard that moves twice a second is as alive. */
const BUSY_GATHER_MS = 450;
const BUSY_ROWS = 300;
const IDLE_MS = 5_000;
const FIRST_PAUSE_MS = 100;
/** Half of the ten seconds within which all is to be well again once a store is back. */
const LONGEST_PAUSE_MS = 5_000;

export type Writer = {
  /** Writes one batch, if there is one and this process may. Returns how many events it acknowledged. */
  writeOnce(): Promise<number>;
  /** Writes whatever waits now. */
  drain(): Promise<void>;
  start(): void;
  /** Finishes the batch under way, then drains what waits, as far as the store takes it. */
  stop(): Promise<void>;
};

type Options = {
  queue: Queue;
  store: EventStore;
  visits: Visits;
  lease: Lease;
  now(): number;
  log: Log;
  /** Told after each insert: totals asked for from now on include these events. */
  onStored(entries: Recorded[]): void;
};

type Rows = { events: VisitedEvent[]; ai_visits: AiVisit[] };

export function openWriter({ queue, store, visits, lease, now, log, onStored }: Options): Writer {
  let held = false;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** One batch at a time: two would be given the same one, and count its visits twice. */
  let busy: Promise<unknown> = Promise.resolve();
  const writeOnce = () => {
    const turn = busy.then(writeNext, writeNext);
    busy = turn;
    return turn;
  };

  const writeNext = async () => {
    if (!(await lease.hold())) {
      held = false;
      return 0;
    }
    if (!held) await visits.restore(now()); // another process may have written since
    held = true;
    const batch = await queue.read(MAX_BATCH);
    if (!batch) return 0;
    try {
      await write(batch);
    } catch (error) {
      held = false; // what was assigned and not stored must not be built upon
      throw error;
    }
    await queue.acknowledge(batch);
    onStored(batch.entries);
    return batch.entries.length;
  };

  const write = async (batch: Batch) => {
    const time = now();
    const events = batch.entries.filter((entry): entry is Event => entry.kind === 'event');
    await visits.restoreFor(events, time);
    await insert(
      {
        events: events.flatMap((event) => visits.assign(event, time) ?? []),
        ai_visits: batch.entries.filter((entry): entry is AiVisit => entry.kind === 'ai_visit'),
      },
      batch.token,
    );
  };

  /** Halves what the store refuses until the rows at fault are found; those are put aside, the others stored. */
  const insert = async (rows: Rows, token: string): Promise<void> => {
    const size = rows.events.length + rows.ai_visits.length;
    if (size === 0) return;
    try {
      await store.insert(rows, token);
    } catch (error) {
      if (!(error instanceof RowsRefused)) throw error;
      if (size === 1) {
        const refused = [...rows.events.map(withoutVisit), ...rows.ai_visits];
        await queue.bury(refused, error.message, now());
        log.error({ error, token }, 'the store refused an event: it was put aside');
        return;
      }
      for (const [index, half] of halves(rows).entries()) await insert(half, `${token}.${index}`);
    }
  };

  const run = async () => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!stopping.signal.aborted) {
      try {
        const written = await writeOnce();
        pauseMs = FIRST_PAUSE_MS;
        if (written === 0) await queue.wait(IDLE_MS, stopping.signal);
        if (written < MAX_BATCH) await pause(written > BUSY_ROWS ? BUSY_GATHER_MS : GATHER_MS, stopping.signal);
      } catch (error) {
        if (stopping.signal.aborted) return;
        const level = error instanceof Unavailable ? 'warn' : 'error';
        log[level]({ error, pause_ms: pauseMs }, 'a batch was not written: trying again');
        await pause(pauseMs, stopping.signal);
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  };

  const drain = async () => {
    while ((await writeOnce()) > 0);
  };

  return {
    writeOnce,
    drain,
    start: () => {
      running ??= run();
    },
    stop: async () => {
      stopping.abort();
      await running;
      // What is not written now waits in the queue, which is durable.
      await drain().catch((error: unknown) => log.warn({ error }, 'events wait in the queue for the next start'));
      await lease.release();
    },
  };
}

function halves({ events, ai_visits }: Rows): [Rows, Rows] {
  if (events.length > 0 && ai_visits.length > 0)
    return [
      { events, ai_visits: [] },
      { events: [], ai_visits },
    ];
  const half = (rows: number) => Math.ceil(rows / 2);
  return [
    { events: events.slice(0, half(events.length)), ai_visits: ai_visits.slice(0, half(ai_visits.length)) },
    { events: events.slice(half(events.length)), ai_visits: ai_visits.slice(half(ai_visits.length)) },
  ];
}

function withoutVisit(row: VisitedEvent): Recorded {
  const {
    visit_id: _id,
    visit_started: _started,
    bounces: _bounces,
    visit_ms: _ms,
    entry_page: _entry,
    ...event
  } = row;
  return event;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
