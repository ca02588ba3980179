// Runs the jobs of the table on their calendars, in each process or in one of them, and never twice for the same period.
import type { Kysely } from 'kysely';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import type { Log } from '../process/log.ts';
import type { Lease } from '../queue/lease.ts';
import { type Calendar, lastEnd, nextEnd, type Period } from './calendar.ts';
import type { EventStore } from '../store/open.ts';
import { MAX_SKEW_MS } from './lease.ts';
import { doneUntil, advanceJob } from './progress.ts';

type Turn = {
  now: number;
  /** The period that this run covers. The periods of consecutive runs follow each other without a gap. */
  period: Period;
  /** The directory. For a job with `noted: 'with its work'`, this is the transaction that records the period. */
  db: Kysely<Tables>;
  /** Aborted when the process stops: a long run then ends early, and its next run goes on. */
  signal: AbortSignal;
};

type Work = { name: string; run(turn: Turn): Promise<void> };

/** A job on state of one process, such as its memory or its counts. Its progress is not stored. */
type OwnJob = Work & { where: 'each process'; when: { everyMs: number } };

/** A job on state that all processes share. Only one process at a time runs it, and the directory stores its progress. */
type SharedJob = Work & {
  where: 'one process';
  when: Calendar;
  /** After downtime: one run over all of the missed time (the default), or one run per period, oldest first. */
  missed?: 'in one run' | 'one by one';
  /**
   * When the period is recorded as run.
   * - `first`, the default: before the work begins. If the process is killed meanwhile, the work stays undone and is not repeated. This
   *   suits jobs whose next run makes up for it.
   * - `with its work`: in the same transaction as what the run writes through `turn.db`. A kill undoes both, and the period runs again.
   *   This suits work that must be neither lost nor done twice. The run must be brief and use only `turn.db`, since SQLite has a single
   *   connection.
   */
  noted?: 'first' | 'with its work';
  /** While the event store sleeps, nothing new is there for this job: it then runs less often, and covers the time since. */
  restsWithStore?: true;
};

export type Job = OwnJob | SharedJob;

type Jobs = {
  start(): void;
  /** Runs the shared jobs that are due, if this process holds the lease. Resolves once they have ended. */
  turn(): Promise<void>;
  /** Runs one job now, regardless of its calendar and of who holds the lease. */
  run(name: string): Promise<void>;
  /** Starts no more jobs, waits for the running ones, and releases the lease. */
  stop(): Promise<void>;
};

/** How often to check for due jobs; no shared job can run more often. The lease expires only after three missed turns. */
export const TURN_MS = 5_000;
/** The store is woken for a job that is due for so long. */
const RESTING_MS = 15 * 60_000;

type Options = {
  directory: Directory;
  store: Pick<EventStore, 'isAsleep'>;
  lease: Lease;
  now(): number;
  log: Log;
};

export function openJobs(jobs: Job[], { directory, store, lease, now, log }: Options): Jobs {
  const { db } = directory;
  const own = jobs.filter((job) => job.where === 'each process');
  const shared = jobs.filter((job) => job.where === 'one process');
  const timers: NodeJS.Timeout[] = [];
  const running = new Map<string, Promise<void>>();
  let lastTurn = Promise.resolve();
  const stopping = new AbortController();
  const { signal } = stopping;

  /** A job never overlaps itself. A failed job is retried at its next turn. */
  const begin = (job: Job, work: () => Promise<void>): Promise<void> => {
    if (signal.aborted || running.has(job.name)) return Promise.resolve();
    const ended = work()
      .catch((error: unknown) => log.warn({ error, job: job.name }, 'a job failed: it will run again'))
      .finally(() => running.delete(job.name));
    running.set(job.name, ended);
    return ended;
  };

  const isResting = ({ restsWithStore }: SharedJob, { from, to }: Period): boolean =>
    restsWithStore === true && to - from < RESTING_MS && store.isAsleep();

  const catchUp = async (job: SharedJob): Promise<void> => {
    for (;;) {
      const period = await duePeriod(db, job, now());
      if (!period || isResting(job, period)) return;
      if (!(await runPeriod(db, job, { now: now(), period, signal }))) return;
      if (job.missed !== 'one by one' || signal.aborted || !(await lease.hold())) return;
    }
  };

  const takeTurn = async (): Promise<Promise<void>[]> => {
    if (shared.length === 0 || signal.aborted || !(await lease.hold())) return [];
    return shared.map((job) => begin(job, () => catchUp(job)));
  };
  const turn = async () => {
    const begun = takeTurn();
    lastTurn = begun.then(() => undefined);
    await Promise.all(await begun);
  };
  const runOwn = ({ when, run }: OwnJob) => {
    const to = now();
    return run({ now: to, period: { from: to - when.everyMs, to }, db, signal });
  };

  return {
    start() {
      for (const job of own) timers.push(setInterval(() => void begin(job, () => runOwn(job)), job.when.everyMs));
      if (shared.length > 0) timers.push(setInterval(() => void turn(), TURN_MS));
      void turn(); // catches up on the downtime at once
    },
    turn,
    async run(name) {
      const job = jobs.find((one) => one.name === name);
      const time = now();
      await job?.run({ now: time, period: { from: lastEnd(job.when, time), to: time }, db, signal });
    },
    async stop() {
      stopping.abort();
      for (const timer of timers) clearInterval(timer);
      await lastTurn;
      await Promise.all(running.values());
      await lease.release();
    },
  };
}

/** Returns the time span that a job has still to cover, up to the last end of a period. */
async function duePeriod(db: Kysely<Tables>, job: SharedJob, time: number): Promise<Period | undefined> {
  const end = lastEnd(job.when, time);
  const from = await doneUntil(db, job.name, end); // a new job starts with the current period
  if (from > time + MAX_SKEW_MS && job.missed !== 'one by one') {
    // The clock was ahead and has been set back: otherwise the job would not run until that time comes again.
    await advanceJob(db, job.name, { from, to: end });
    return undefined;
  }
  if (end <= from) return undefined;
  return { from, to: job.missed === 'one by one' ? nextEnd(job.when, from) : end };
}

/** Returns false if another process has taken the period. */
async function runPeriod(db: Kysely<Tables>, job: SharedJob, turn: Omit<Turn, 'db'>): Promise<boolean> {
  const { from, to } = turn.period;
  if (job.noted === 'with its work')
    return db.transaction().execute(async (trx) => {
      const isOurs = await advanceJob(trx, job.name, { from, to });
      if (isOurs) await job.run({ ...turn, db: trx });
      return isOurs;
    });
  if (!(await advanceJob(db, job.name, { from, to }))) return false;
  try {
    await job.run({ ...turn, db });
  } catch (error) {
    // The run failed in this process, so the period may be retried. If the directory is unavailable too, the effect is the same as after a
    // kill.
    await advanceJob(db, job.name, { from: to, to: from }).catch(() => undefined);
    throw error;
  }
  return true;
}
