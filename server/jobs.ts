// All background work, as a table.
import type { Log } from './log.ts';
import { RESERVED_MS } from './sites/released-domains.ts';
import { DAY_MS, dayOf, MINUTE_MS } from './vocabulary/time.ts';

export type Job = { name: string; everyMs: number; run(now: number): Promise<void> };

type Works = {
  flushDrops(): Promise<void>;
  touchSites(now: number): Promise<void>;
  refreshQuota(now: number): Promise<void>;
  destroySalts(before: string): Promise<unknown>;
  forgetImports(before: number): Promise<void>;
  forgetSessions(before: number): Promise<unknown>;
  eraseDeleted(): Promise<void>;
  finishDeletions(before: number): Promise<void>;
  forgetReleased(before: number): Promise<void>;
  oldestWaiting(): Promise<number | undefined>;
  reportBuried(): Promise<void>;
};

export function jobsOf(works: Works): Job[] {
  return [
    { name: 'flush-drops', everyMs: 5_000, run: () => works.flushDrops() },
    { name: 'touch-sites', everyMs: 5_000, run: (now) => works.touchSites(now) },
    { name: 'refresh-quota', everyMs: MINUTE_MS, run: (now) => works.refreshQuota(now) },
    {
      name: 'destroy-salts',
      everyMs: MINUTE_MS,
      // Not while the queue holds an event of that day: its visitors must stay who they are until it is stored.
      run: async (now) => void (await works.destroySalts(dayOf(Math.min(now, (await works.oldestWaiting()) ?? now)))),
    },
    // Within the minute no file holds a deleted site's rows: this, the rewriting, and the store letting go of the old files.
    { name: 'erase-deleted', everyMs: 5_000, run: () => works.eraseDeleted() },
    // By then what was on its way when a site was deleted has arrived; also finishes what a killed process left.
    { name: 'finish-deletions', everyMs: MINUTE_MS, run: (now) => works.finishDeletions(now - 5 * MINUTE_MS) },
    // What the event store refused is in no report: nobody would miss it.
    { name: 'report-buried', everyMs: MINUTE_MS, run: () => works.reportBuried() },
    { name: 'forget-sessions', everyMs: 60 * MINUTE_MS, run: async (now) => void (await works.forgetSessions(now)) },
    { name: 'forget-released', everyMs: 60 * MINUTE_MS, run: (now) => works.forgetReleased(now - RESERVED_MS) },
    { name: 'forget-imports', everyMs: 60 * MINUTE_MS, run: (now) => works.forgetImports(now - DAY_MS) },
  ];
}

/** Runs each job at its pace, never twice at once. The returned function stops them and waits for what is under way. */
export function startJobs(jobs: Job[], { now, log }: { now(): number; log: Log }): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const timers = jobs.map((job) => {
    let busy = false;
    return setInterval(() => {
      if (busy) return;
      busy = true;
      const work: Promise<void> = job
        .run(now())
        .catch((error: unknown) => log.warn({ error, job: job.name }, 'a job failed: it runs again'))
        .finally(() => {
          busy = false;
          running.delete(work);
        });
      running.add(work);
    }, job.everyMs);
  });
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(running);
  };
}
