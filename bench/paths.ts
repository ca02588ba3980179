// Measures the panels of a site with very many different pages, beside the same traffic on a site with few, and the server's memory.
// node bench/paths.ts [pages] [events]
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { openVersions } from '../server/stats/answer-cache.ts';
import { openSumming } from '../server/stats/days/sum-days.ts';
import { openStore } from '../server/store/open.ts';
import { DAY_MS, dayOf, startOfDay } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { dashboardApi } from './dashboard-api.ts';
import { makeSite, manage, OWNER, print, startServer, usageOf } from './server.ts';
import { median } from './turns.ts';

const [pages = 200_000, events = 1_000_000] = process.argv.slice(2).map(Number);
const DAYS = 40;
const FEW = 100;
const ROUNDS = 7;
const today = startOfDay(Date.now());

await using folder = await tempFolder();
const many = makeSite(folder.path, 'many.example');
const few = manage(folder.path, 'site', 'create', '--account', OWNER.email, '--domain', 'few.example') as typeof many;

const store = await openStore({ url: undefined, path: `${folder.path}/events` });
for (const [site, count] of [
  [many, pages],
  [few, FEW],
] as const)
  await store.derive({
    sql: `INSERT INTO events (site_id, time, event_id, name, visitor_id, visit_id, visit_started, bounces, page, entry_page, hostname,
        channel, source, day)
      WITH fromUnixTimestamp64Milli(toInt64({to:Int64} - 1 - (number * 7919) % ({days:Int64} * 86400000)), 'UTC') AS at,
        concat('/page/', toString(cityHash64(number) % {pages:UInt64})) AS path
      SELECT {site:String}, at, cityHash64(number, {site:String}), 'pageview', cityHash64(number, 'visitor'), number + 1, 1, 1, path, path,
        'example.com', 'Direct', '', toDate(at)
      FROM numbers({rows:UInt64})`,
    bound: { site: site.id, to: today, days: DAYS, pages: count, rows: events },
  });
const onFailed = (error: unknown) => {
  throw error;
};
const sumDays = openSumming({ store, versions: openVersions(), onFailed });
while ((await sumDays({ now: Date.now() })) > 0);
await store.close();

const server = await startServer(folder.path);
const api = dashboardApi(server.url, await signIn(server.url, OWNER));
/** Each round asks for other days, so that no cache answers. */
const asked = (site: typeof many, round: number) => ({
  site_id: site.id,
  period: 'custom' as const,
  filters: [],
  date_from: dayOf(today - (30 + (round % 10)) * DAY_MS),
  date_to: dayOf(today - (1 + (round % 10)) * DAY_MS),
});
const PANELS = {
  tiles: (site, round) => api.stats.summary.query(asked(site, round)),
  pages: (site, round) =>
    api.stats.breakdown.query({ ...asked(site, round), dimension: 'page', metrics: ['pageviews'], per_page: 9 }),
  entry_pages: (site, round) =>
    api.stats.breakdown.query({ ...asked(site, round), dimension: 'entry_page', metrics: ['visits'], per_page: 9 }),
  sources: (site, round) =>
    api.stats.breakdown.query({
      ...asked(site, round),
      dimension: 'source',
      metrics: ['unique_visitors'],
      per_page: 9,
    }),
} satisfies Record<string, (site: typeof many, round: number) => Promise<unknown>>;

let round = 0;
for (const [panel, ask] of Object.entries(PANELS)) {
  const times = { many: [] as number[], few: [] as number[] };
  for (let index = 0; index < ROUNDS; index += 1) {
    round += 1;
    for (const [name, site] of [
      ['many', many],
      ['few', few],
    ] as const) {
      const startedAt = performance.now();
      await ask(site, round);
      times[name].push(performance.now() - startedAt);
    }
  }
  print({ panel, pages, events, many_ms: median(times.many), few_ms: median(times.few) });
}
print({ server_memory_mb: Math.round((await usageOf(server.pid)).memoryMb) });
await server.stop();
