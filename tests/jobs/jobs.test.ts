// Background jobs: which process runs one, for which period, and what a kill, a failure or a clock jump does.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openDirectory } from '../../server/directory/open.ts';
import { LEASE_MS, openDirectoryLease } from '../../server/jobs/lease.ts';
import { type Job, openJobs, TURN_MS } from '../../server/jobs/run.ts';
import type { Log } from '../../server/process/log.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, elsewhere, FORMS, type Place, type TestDirectory, testDirectory } from '../setup/directory.ts';
import { eventually } from '../setup/eventually.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';

type SharedJob = Extract<Job, { where: 'one process' }>;
type Turn = Parameters<SharedJob['run']>[0];

/** Midnight: 12 hours before the tests begin. */
const MIDNIGHT = NOON - DAY_MS / 2;
const DAILY = { name: 'daily', where: 'one process', when: { daily: '00:00' } } as const;

const dayFrom = (day: number) => [day, day + 1];

/** A process with its own jobs: all processes share the directory and the clock. */
function openProcess(directory: TestDirectory, clock: { now: number; isAsleep?: boolean }, ...jobs: Job[]) {
  const warnings: unknown[] = [];
  const now = () => clock.now;
  const log = { warn: (details: unknown) => void warnings.push(details) } as unknown as Log;
  return {
    ...openJobs(jobs, {
      directory,
      store: { isAsleep: () => clock.isAsleep === true },
      lease: openDirectoryLease(directory, { name: 'jobs', now }),
      now,
      log,
    }),
    warnings,
  };
}

/** A daily job that records each run. */
function recordingJob(options: Partial<SharedJob> = {}) {
  const turns: Turn[] = [];
  const job: SharedJob = { ...DAILY, ...options, run: (turn) => Promise.resolve(void turns.push(turn)) };
  const days = () => turns.map(({ period }) => [period.from, period.to].map((time) => (time - MIDNIGHT) / DAY_MS));
  return { job, days };
}

describe.each(FORMS)('jobs over a directory in %s', (form) => {
  test('run once at the end of each period, starting with the current one', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const { job, days } = recordingJob();
    const server = openProcess(directory, clock, job);
    await server.turn();
    clock.now = MIDNIGHT + DAY_MS - 1;
    await server.turn();
    expect(days()).toEqual([]);
    clock.now += 1;
    await server.turn();
    await server.turn();
    expect(days()).toEqual([[0, 1]]);
  });

  test('that rest with the event store run when it wakes, or wake it after a quarter of an hour, and cover the time since', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: MIDNIGHT, isAsleep: true };
    const each: [string, number][] = [];
    const recorder = (name: string, options: Partial<SharedJob>): SharedJob => ({
      name,
      where: 'one process',
      when: { everyMs: MINUTE_MS },
      run: ({ period }) => Promise.resolve(void each.push([name, (period.to - period.from) / MINUTE_MS])),
      ...options,
    });
    const server = openProcess(
      directory,
      clock,
      recorder('restless', {}),
      recorder('resting', { restsWithStore: true }),
    );
    const pass = async (minutes: number) => {
      each.length = 0;
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.now += MINUTE_MS;
        await server.turn();
      }
      return each.filter(([name]) => name === 'resting');
    };
    await server.turn();
    expect(await pass(14)).toEqual([]);
    expect(each.length).toBe(14);
    expect(await pass(2)).toEqual([['resting', 15]]);
    clock.isAsleep = false;
    expect(await pass(1)).toEqual([['resting', 2]]);
  });

  test('run in one of two processes, and in the other once the first has stopped', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const [first, second] = [recordingJob(), recordingJob()];
    const [one, other] = [openProcess(directory, clock, first.job), openProcess(directory, clock, second.job)];
    for (let day = 1; day <= 3; day += 1) {
      await one.turn();
      await other.turn();
      clock.now += DAY_MS;
      await Promise.all([one.turn(), other.turn()]);
    }
    const both = [...first.days(), ...second.days()].sort(([a = 0], [b = 0]) => a - b);
    expect(both).toEqual([0, 1, 2].map(dayFrom));
    await one.stop();
    clock.now += DAY_MS;
    await other.turn();
    expect(second.days().at(-1)).toEqual([3, 4]);
    await other.stop();
    expect(await directory.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  test('are taken over from a process that has died, after its lease and not before', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: MIDNIGHT + DAY_MS - 2 * LEASE_MS };
    const { job, days } = recordingJob();
    const dead = openProcess(directory, clock, recordingJob().job);
    await dead.turn();
    clock.now = MIDNIGHT + DAY_MS - TURN_MS;
    await dead.turn(); // its last renewal
    const other = openProcess(directory, clock, job);
    clock.now += LEASE_MS - 1;
    await other.turn();
    expect(days()).toEqual([]);
    clock.now += 1;
    await other.turn();
    expect(days()).toEqual([[0, 1]]);
  });

  test('catch up after a week without a process, in one run or in one for each day, oldest first', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const [together, single] = [recordingJob(), recordingJob({ name: 'single', missed: 'one by one' })];
    const server = openProcess(directory, clock, together.job, single.job);
    await server.turn();
    clock.now += 7 * DAY_MS;
    await server.turn();
    await server.turn();
    expect(together.days()).toEqual([[0, 7]]);
    expect(single.days()).toEqual([0, 1, 2, 3, 4, 5, 6].map(dayFrom));
  });

  test('continue after the clock was a week ahead: those that run for each period wait, others do not', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const [together, single] = [recordingJob(), recordingJob({ name: 'single', missed: 'one by one' })];
    const jobs = [together.job, single.job];
    const server = openProcess(directory, clock, ...jobs);
    await server.turn();
    clock.now += 7 * DAY_MS;
    await server.turn();
    clock.now -= 6 * DAY_MS;
    const restarted = openProcess(directory, clock, ...jobs); // although the lease is valid for a week
    await restarted.turn();
    clock.now += DAY_MS;
    await restarted.turn();
    expect(together.days()).toEqual([[0, 7], dayFrom(1)]);
    expect(single.days()).toHaveLength(7);
    clock.now += 6 * DAY_MS;
    await restarted.turn();
    expect(single.days().at(-1)).toEqual([7, 8]);
  });

  test.each(['first', 'with its work'] as const)('that fail are logged and retried: recorded %s', async (noted) => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const { job, days } = recordingJob({ noted });
    let fails = true;
    const server = openProcess(directory, clock, {
      ...job,
      run: async (turn) => {
        if (fails) throw new Error('the mail server is away');
        await job.run(turn);
      },
    });
    await server.turn();
    clock.now += DAY_MS;
    await server.turn();
    expect([days(), server.warnings]).toEqual([[], [{ job: 'daily', error: new Error('the mail server is away') }]]);
    fails = false;
    await server.turn();
    await server.turn();
    expect(days()).toEqual([[0, 1]]);
  });

  test('that record their period with their work write both or neither', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    let fails = true;
    const run = async ({ db }: Turn) => {
      await db
        .insertInto('released_domains')
        .values({ domain: 'a.example', account_id: 'a', released_at: 1 })
        .execute();
      if (fails) throw new Error('killed');
    };
    const server = openProcess(directory, clock, { ...DAILY, noted: 'with its work', run });
    const written = async () => (await directory.db.selectFrom('released_domains').selectAll().execute()).length;
    await server.turn();
    clock.now += DAY_MS;
    await server.turn();
    expect(await written()).toBe(0);
    fails = false;
    await server.turn();
    await server.turn();
    expect(await written()).toBe(1);
  });

  test('finish before a stop, which starts no more and lets another process take over', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const ended = Promise.withResolvers<true>();
    const began = Promise.withResolvers<true>();
    const periods: number[] = [];
    const server = openProcess(directory, clock, {
      ...DAILY,
      missed: 'one by one',
      run: async ({ period }) => {
        periods.push((period.to - MIDNIGHT) / DAY_MS);
        began.resolve(true);
        await ended.promise;
      },
    });
    await server.turn();
    clock.now += 3 * DAY_MS;
    const turn = server.turn();
    await began.promise;
    let hasStopped = false;
    const stop = server.stop().then(() => (hasStopped = true));
    await sleep(50);
    expect(hasStopped).toBe(false);
    ended.resolve(true);
    await Promise.all([stop, turn]);
    await server.turn();
    expect(periods).toEqual([1]);
    const { job, days } = recordingJob({ missed: 'one by one' });
    await openProcess(directory, clock, job).turn();
    expect(days()).toEqual([1, 2].map(dayFrom));
  });

  test('never overlap themselves, however long they take', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: NOON };
    const ended = Promise.withResolvers<true>();
    let runs = 0;
    const run = async () => {
      runs += 1;
      await ended.promise;
    };
    const server = openProcess(directory, clock, { ...DAILY, run });
    await server.turn();
    clock.now += DAY_MS;
    const long = server.turn();
    await eventually(() => expect(runs).toBe(1));
    clock.now += DAY_MS;
    await server.turn();
    expect(runs).toBe(1);
    ended.resolve(true);
    await long;
    await server.turn();
    expect(runs).toBe(2);
  });

  /** Another process whose clock is a day ahead, and whose daily job does `work`. */
  const runElsewhere = (place: Place, options: Partial<SharedJob>, work: string) =>
    elsewhere(
      place,
      `
      const { openDirectory } = await import(server + 'directory/open.ts');
      const { openDirectoryLease } = await import(server + 'jobs/lease.ts');
      const { openJobs } = await import(server + 'jobs/run.ts');
      const directory = await openDirectory(place);
      const now = () => ${NOON + DAY_MS};
      const run = async ({ db, period }) => { ${work} };
      const job = { ...${JSON.stringify({ ...DAILY, ...options })}, run };
      const lease = { hold: () => Promise.resolve(true), release: () => Promise.resolve() }; // each believes that it is the holder
      const store = { isAsleep: () => false };
      await openJobs([job], { directory, store, lease, now, log: { warn: (error) => console.log(error) } }).turn();
      await directory.close();`,
    );

  async function dayOld(place: Place) {
    const directory = await openDirectory(place);
    const clock = { now: NOON };
    await openProcess(directory as TestDirectory, clock, recordingJob().job).turn();
    clock.now += DAY_MS + LEASE_MS;
    return { directory: directory as TestDirectory, clock };
  }

  test.each(['first', 'with its work'] as const)(
    'run once in four processes that all hold a lease: recorded %s',
    async (noted) => {
      await using place = await directoryPlace(form);
      const { directory } = await dayOld(place);
      const outputs = await Promise.all([1, 2, 3, 4].map(() => runElsewhere(place, { noted }, `console.log('ran');`)));
      await directory.close();
      expect(outputs.join('')).toBe('ran\n');
    },
  );

  test.each(['first', 'with its work'] as const)('killed in the middle of a run: recorded %s', async (noted) => {
    await using place = await directoryPlace(form);
    const { directory, clock } = await dayOld(place);
    const killed = `
      await db.insertInto('released_domains').values({ domain: 'a.example', account_id: 'a', released_at: 1 }).execute();
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => undefined);`;
    await expect(runElsewhere(place, { noted }, killed)).rejects.toMatchObject({ signal: 'SIGKILL' });
    const { job, days } = recordingJob({ noted });
    // PostgreSQL soon notices the lost connection, and ends its transaction.
    const server = openProcess(directory, clock, job);
    await server.turn();
    const left = await directory.db.selectFrom('released_domains').select('domain').execute();
    await directory.close();
    if (noted === 'first') expect([days(), left.length]).toEqual([[], 1]);
    else expect([days(), left.length]).toEqual([[[0, 1]], 0]);
  });
});

describe('the jobs of the server', () => {
  test('are run by one of two apps on the same directory, and by the other when that one stops', async () => {
    await using postgres = await startPostgres();
    await using redis = await startRedis();
    await using clickhouse = await startClickHouse();
    const env = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, CLICKHOUSE_URL: clickhouse.url };
    const first = await testApp({ env, start: true });
    await using second = await testApp({ env, start: true });
    const { db } = second.app.services.directory;
    const holder = async () => (await db.selectFrom('leases').select('holder').executeTakeFirst())?.holder;
    const patience = { everyMs: 100 };

    await eventually(async () => expect(await holder()).toBeDefined(), patience);
    const before = await holder();
    await sleep(TURN_MS + 1_000);
    expect(await holder()).toBe(before);
    await first[Symbol.asyncDispose]();
    await eventually(async () => expect(await holder()).toBeDefined(), patience);

    const known = db.selectFrom('jobs').select('name').orderBy('name');
    await eventually(async () => expect((await known.execute()).map(({ name }) => name)).toEqual(SHARED), patience);
  });

  test('are checked as often as the most frequent one is due, and three times within a lease', () => {
    expect(3 * TURN_MS).toBeLessThanOrEqual(LEASE_MS);
  });
});

const SHARED = [
  'check-release',
  'count-alerts',
  'destroy-salts',
  'drop-search-terms',
  'erase-accounts',
  'erase-deleted',
  'feed-demo',
  'finish-deletions',
  'finish-purges',
  'forget-account-log',
  'forget-billing-events',
  'forget-imports',
  'forget-incidents',
  'forget-invitations',
  'forget-mail',
  'forget-released',
  'forget-sessions',
  'forget-webhooks',
  'mail-plan-notices',
  'make-exports',
  'notice-errors',
  'notice-mentions',
  'read-search-terms',
  'read-subscriptions',
  'report-buried',
  'search-mentions',
  'send-mail',
  'send-reports',
  'send-webhooks',
  'sum-days',
  'sweep-exports',
  'sweep-imports',
  'tell-alerts',
  'tidy-imports',
  'watch-limits',
  'watch-traffic',
  'withdraw-grants',
];
