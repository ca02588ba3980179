// Measures how long a browser waits for the data of a 30-day dashboard over millions of events: for the whole dashboard and for each
// panel alone, without filters and with three.
// node bench/dashboard.ts [visits per day, 10500 for 5 million events] [folder to keep the events in]
import { TRPCClientError, createTRPCClient, httpBatchStreamLink } from '@trpc/client';
import { parse, stringify } from 'devalue';
import type { AppRouter } from '../server/api/router.ts';
import { writeSeed } from '../server/seed/demo.ts';
import { openStore } from '../server/store/open.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { signIn } from '../tests/setup/sign-in.ts';
import { makeSite, manage, OWNER, print, startServer } from './server.ts';

const [visits = '10500', kept] = process.argv.slice(2);
await using temporary = await tempFolder();
const folder = kept ?? temporary.path;
const site = siteOf(folder);

const store = await openStore({ url: undefined, path: `${folder}/events` });
const [have] = await store.query<{ rows: number }>('SELECT count() AS rows FROM events', {});
if (Number(have?.rows) === 0) {
  const startedAt = performance.now();
  const options = {
    siteId: site.id as never,
    domain: site.domain,
    days: 91,
    visitsPerDay: Number(visits),
    now: Date.now(),
    seed: 1,
  };
  await writeSeed(store, options, { onProgress: () => undefined, signal: new AbortController().signal });
  print({ filled_in_s: Math.round((performance.now() - startedAt) / 1000) });
}
const [size] = await store.query<{ rows: number; bytes: number; parts: number }>(
  "SELECT sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts WHERE active AND table = 'events'",
  {},
);
await store.close();
print({
  events: size?.rows,
  bytes_an_event: Number((Number(size?.bytes) / Number(size?.rows)).toFixed(1)),
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
/** Each round asks for a different 30 days, so that no cache answers. */
const asked = (round: number) => ({
  filters,
  site_id: site.id,
  period: 'custom' as const,
  date_from: dayBefore(30 + (round % 60)),
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

let round = 0;
const time = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};
const all = (of: number) => Promise.all(Object.values(QUESTIONS).map((ask) => ask(of)));
const median = (values: number[]) => Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);

async function measure(): Promise<Record<string, number>> {
  const whole: number[] = [];
  for (let index = 0; index < 7; index += 1) {
    round += 1;
    whole.push(await time(() => all(round)));
  }
  const figures: Record<string, number> = {
    whole_ms: median(whole.slice(1)),
    again_ms: Math.round(await time(() => all(round))),
  };
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

try {
  for (const [name, chosen] of Object.entries(FILTERS)) {
    filters = chosen as unknown as typeof filters;
    round = 0;
    print({ filter: name, ...(await measure()) });
  }
} catch (error) {
  if (error instanceof TRPCClientError) print({ error: error.message });
  throw error;
}
await server.stop();

function siteOf(path: string): { id: string; domain: string } {
  const { accounts } = manage(path, 'list') as { accounts: { sites: { id: string; domain: string }[] }[] };
  return accounts[0]?.sites[0] ?? makeSite(path);
}
