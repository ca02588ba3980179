// Measures how long a browser waits for the data of a 30-day dashboard over millions of events: for the whole dashboard and for each
// panel alone, without filters and with three. For other numbers of days: for the whole dashboard without filters.
// node bench/dashboard.ts [visits per day] [folder] [times] [quarters]: see traffic.ts [days, such as 30,91; 30 by default]
import { TRPCClientError, createTRPCClient, httpBatchStreamLink } from '@trpc/client';
import { setTimeout } from 'node:timers/promises';
import { parse, stringify } from 'devalue';
import type { AppRouter } from '../server/api/dashboard/router.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { OWNER, print, startServer } from './server.ts';
import { openTraffic, sumClosedDays } from './traffic.ts';
import { median } from './interleaved.ts';

await using traffic = await openTraffic();
const { folder, site, store } = traffic;
const [size] = await store.query<{ rows: number; bytes: number; parts: number }>(
  "SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND table = 'events'",
  {},
);
await sumClosedDays(store);
const [closed] = await store.query<{ rows: number; bytes: number }>(
  "SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table IN ('day_sums', 'day_visits', 'day_goals')",
  {},
);
print({ rows_of_closed_days: Number(closed?.rows), bytes_of_closed_days: Number(closed?.bytes) });
await traffic.close();
const bytesAnEvent = (bytes: number) => Number((bytes / Number(size?.rows)).toFixed(1));
print({
  bytes_an_event: bytesAnEvent(Number(size?.bytes)),
  with_closed_days: bytesAnEvent(Number(size?.bytes) + Number(closed?.bytes)),
  parts: size?.parts,
});

const server = await startServer(folder);
const cookie = await signIn(server.url, OWNER);
const transformer = { serialize: stringify, deserialize: parse };
const api = createTRPCClient<AppRouter>({
  links: [httpBatchStreamLink({ url: `${server.url}/trpc`, transformer, headers: { cookie } })],
});

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const FILTERS = {
  whole: [],
  source: [{ dimension: 'source', operator: 'is', values: ['Google'] }],
  page: [{ dimension: 'page', operator: 'is', values: ['/pricing'] }],
  event: [{ dimension: 'event', operator: 'is', values: ['signup'] }],
} as const;
let filters: { dimension: 'page'; operator: 'is'; values: string[] }[] = [];
let days = 30;
/** Each round asks for other days, so that no cache answers. */
const asked = (round: number) => ({
  filters,
  site_id: site.id,
  period: 'custom' as const,
  date_from: dayBefore(days + (round % 60)),
  date_to: dayBefore(1 + (round % 60)),
});
const panel = (dimension: string, metric: 'unique_visitors' | 'pageviews' | 'events') => (round: number) =>
  api.stats.breakdown.query({ ...asked(round), dimension: dimension as 'page', metrics: [metric], per_page: 9 });
const QUESTIONS: Record<string, (round: number) => Promise<unknown>> = {
  tiles: (round) => api.stats.summary.query(asked(round)),
  chart: (round) => api.stats.timeseries.query({ ...asked(round), metric: 'unique_visitors' }),
  sources: panel('source', 'unique_visitors'),
  pages: panel('page', 'pageviews'),
  places: panel('country', 'unique_visitors'),
  devices: panel('browser', 'unique_visitors'),
  events: panel('event', 'events'),
};

/** Dashboards before it is measured: in a server that has just started, no code is compiled and no file is open. */
const WARM = 10;

let round = 0;
const time = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
const all = (of: number) => Promise.all(Object.values(QUESTIONS).map((ask) => ask(of)));
async function measureWhole(): Promise<Record<'first_ms' | 'whole_ms' | 'again_ms', number>> {
  const whole: number[] = [];
  for (let index = 0; index < WARM + 7; index += 1) {
    round += 1;
    whole.push(await time(() => all(round)));
  }
  const again_ms = Math.round(await time(() => all(round)));
  return { first_ms: Math.round(whole[0] ?? NaN), whole_ms: median(whole.slice(WARM)), again_ms };
}
async function measure(): Promise<Record<string, number>> {
  const figures: Record<string, number> = await measureWhole();
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const each: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      round += 1;
      // As on a page where somebody opens a tab: the tiles are loaded, and their totals are cached for the panel's percentages.
      if (name !== 'tiles') await QUESTIONS['tiles']?.(round);
      each.push(await time(() => ask(round)));
    }
    figures[`${name}_ms`] = median(each);
  }
  return figures;
}

const daysAsked = process.argv[6] ?? '30';
try {
  // The first questions about payments have them counted for the next ones: in a new folder, the days of a year take a minute.
  const ranges = daysAsked.split(',').map(Number);
  days = Math.max(90, ...ranges);
  await QUESTIONS['tiles']?.(0);
  await setTimeout(days > 91 ? 60_000 : 10_000);
  for (const some of ranges) {
    days = some;
    for (const [name, chosen] of Object.entries(FILTERS)) {
      filters = chosen as unknown as typeof filters;
      round = 0;
      if (some === 30 && daysAsked === '30') print({ filter: name, ...(await measure()) });
      else if (name === 'whole') print({ filter: name, days, ...(await measureWhole()) });
    }
  }
} catch (error) {
  if (error instanceof TRPCClientError) print({ error: error.message });
  throw error;
}
await server.stop();
