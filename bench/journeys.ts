// Measures journeys of five steps over millions of events, alternating with the bare engine, which only groups the same rows into
// visits.
// node bench/journeys.ts [visits per day, 10500 for 5 million events] [folder to keep the events in]
import type { SiteId } from '../server/event.ts';
import { writeSeed } from '../server/seed/demo.ts';
import type { JourneyFrom } from '../server/stats/journey.ts';
import { openStats } from '../server/stats/run.ts';
import { openStore } from '../server/store/open.ts';
import { DAY_MS, startOfDay } from '../server/vocabulary/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { print } from './server.ts';

const [visits = '10500', kept] = process.argv.slice(2);
await using temporary = await tempFolder();
const store = await openStore({ url: undefined, path: `${kept ?? temporary.path}/events` });
const siteId = 'site_bench' as SiteId;
const now = Date.now();
const DAYS = 91;

const count = async () =>
  Number((await store.query<{ rows: number }>('SELECT count() AS rows FROM events', {}))[0]?.rows);
if ((await count()) === 0)
  await writeSeed(
    store,
    { siteId, domain: 'example.com', days: DAYS, visitsPerDay: Number(visits), now, seed: 1 },
    { onProgress: () => undefined, signal: new AbortController().signal },
  );
print({ events: await count() });

const stats = openStats(store, () => undefined); // nothing is cached
const STARTS: Record<string, { from: JourneyFrom; direction: 'forwards' | 'backwards' }> = {
  from_a_page: { from: { kind: 'page', name: '/' }, direction: 'forwards' },
  before_an_event: { from: { kind: 'event', name: 'signup' }, direction: 'backwards' },
  before_a_goal: {
    from: { kind: 'goal', name: 'Pricing', goal: { id: 'goal_bench', kind: 'page', page: '/pricing' } },
    direction: 'backwards',
  },
};
const site = { currency: null, proposed_currency: null, max_amount: 100_000, timezone: null };
const start = { kind: 'page' as const, value: '/' }; // the API adds `from` to the query

const journey = (asked: (typeof STARTS)[string], period: '30d' | '12mo') =>
  stats.journey(
    { site_id: siteId, period, compare: 'none', filters: [], start, steps: 5, regroup: undefined, ...asked },
    site,
    now,
  );
const bare = (days: number) =>
  store.query(
    `SELECT count() AS visits, max(length(rows)) AS most FROM (SELECT groupArray((time, page)) AS rows FROM events
      WHERE site_id = {site_id:String} AND visit_id != 0 AND name != 'engagement' AND time >= fromUnixTimestamp64Milli({from:Int64})
      AND time < fromUnixTimestamp64Milli({to:Int64}) GROUP BY visit_id)`,
    { site_id: siteId, from: startOfDay(now) - days * DAY_MS, to: startOfDay(now) },
  );

type Cost = { ms: number; cpu_ms: number };
async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - startedAt, cpu_ms: (user + system) / 1000 };
}
const median = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

for (const [period, days] of [
  ['30d', 30],
  ['12mo', 365],
] as const)
  for (const [name, asked] of Object.entries(STARTS)) {
    const [own, engine]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < 5; round += 1) {
      engine.push(await cost(() => bare(days)));
      own.push(await cost(() => journey(asked, period)));
    }
    const of = (costs: Cost[], part: keyof Cost) => median(costs.map((one) => one[part]));
    print({
      ...{ period, journey: name, ms: of(own, 'ms'), cpu_ms: of(own, 'cpu_ms') },
      ...{ bare_ms: of(engine, 'ms'), bare_cpu_ms: of(engine, 'cpu_ms') },
      cpu_ratio: Number((of(own, 'cpu_ms') / of(engine, 'cpu_ms')).toFixed(2)),
    });
  }
await store.close();
