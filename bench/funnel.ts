// Measures funnels of five steps over millions of events, within a visit and a day and in each order. The baseline is a bare query of
// the engine that only groups the same rows by visit. Both alternate, so that a busy machine slows both.
// node bench/funnel.ts [visits per day, 10500 for 5 million events] [folder to keep the events in]
import { writeSeed } from '../server/seed/demo.ts';
import { openStats } from '../server/stats/run.ts';
import { openStore } from '../server/store/open.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES, type GoalDefinition } from '../server/vocabulary/goals.ts';
import { DAY_MS, dayOf, startOfDay } from '../server/vocabulary/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { print } from './server.ts';

const [visits = '10500', kept] = process.argv.slice(2);
await using temporary = await tempFolder();
const siteId = 'site_bench';
const store = await openStore({ url: undefined, path: `${kept ?? temporary.path}/events` });
const [have] = await store.query<{ rows: number }>('SELECT count() AS rows FROM events', {});
if (Number(have?.rows) === 0) {
  const options = {
    ...{ siteId: siteId as never, domain: 'example.com', days: 91, seed: 1 },
    ...{ visitsPerDay: Number(visits), now: Date.now() },
  };
  await writeSeed(store, options, { onProgress: () => undefined, signal: new AbortController().signal });
}

const STEPS: GoalDefinition[] = [
  { kind: 'page', page: '/' },
  { kind: 'page', page: '/pricing' },
  { kind: 'event', event: 'signup', props: {} },
  { kind: 'page', page: '/docs/**' },
  { kind: 'event', event: 'demo_started', props: {} },
];
const BARE = `SELECT count() AS visits, sum(rows) AS rows FROM (SELECT visit_id, count() AS rows FROM events
  WHERE site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
  GROUP BY visit_id)`;

// nothing is cached, so that each round queries the engine
const stats = openStats(store, () => undefined);
const now = Date.now();
const site = { currency: null, proposed_currency: null, max_amount: 100_000, timezone: null };
const ROUNDS = 5;

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
async function time(into: number[], work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  into.push(performance.now() - startedAt);
}

for (const days of [30, 365]) {
  const to = startOfDay(now);
  const from = to - days * DAY_MS;
  const bound = { site_id: siteId, from, to };
  const [counted] = await store.query<{ rows: string }>(BARE, bound);
  const question = {
    ...{ site_id: siteId, period: 'custom' as const, compare: 'none' as const, filters: [] },
    ...{ date_from: dayOf(from), date_to: dayOf(to - 1) },
  };
  for (const within of FUNNEL_SCOPES)
    for (const order of FUNNEL_ORDERS) {
      const funnel = { steps: STEPS, within, order };
      const [bare, steps, left]: [number[], number[], number[]] = [[], [], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        await time(bare, () => store.query(BARE, bound));
        await time(steps, () => stats.funnel(question, funnel, { site, now }));
        await time(left, () => stats.left(question, funnel, { site, now }));
      }
      print({
        ...{ days, events: Number(counted?.rows), within, order },
        ...{ bare_ms: Math.round(median(bare)), steps_ms: Math.round(median(steps)) },
        left_ms: Math.round(median(left)),
        steps_to_bare: Number((median(steps) / median(bare)).toFixed(2)),
      });
    }
}
await store.close();
