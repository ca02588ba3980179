// Measures how long a dashboard over millions of events takes through a share link, in turns with the same dashboard of a member: without filters,
// with one of each kind, and of today.
// node bench/shared-dashboard.ts [visits per day] [folder] [times] [quarters]: see traffic.ts
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
await sumClosedDays(store);
await traffic.close();

const server = await startServer(folder);
const transformer = { serialize: stringify, deserialize: parse };
const clientOf = (headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url: `${server.url}/trpc`, transformer, headers })] });
const cookie = await signIn(server.url, OWNER);
const member = clientOf({ cookie, origin: server.url });
const { token } = await member.shares.create.mutate({ site_id: site.id, name: 'bench' });
const viewer = clientOf({ 'x-share-token': token });
type Api = typeof member;

const is = (dimension: string, values: string[], operator = 'is') => ({ dimension, operator, values }) as never;
const FILTERS: Record<string, never[]> = {
  whole: [],
  source: [is('source', ['Google'])],
  page: [is('page', ['/pricing'])],
  event: [is('event', ['signup'])],
  country: [is('country', ['DE', 'FR'])],
  'not a country': [is('country', ['DE'], 'is_not')],
};
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** Each round asks for other days, so that no cache answers. */
const daysOf = (round: number) => ({
  period: 'custom' as const,
  date_from: dayBefore(30 + (round % 60)),
  date_to: dayBefore(1 + (round % 60)),
});

async function dashboard(api: Api, filters: never[], round: number): Promise<number> {
  const asked = { site_id: site.id, filters, ...daysOf(round) };
  const panel = (dimension: 'source', metric: 'unique_visitors' | 'pageviews' | 'events') =>
    api.stats.breakdown.query({ ...asked, dimension, metrics: [metric], per_page: 9 });
  for (;;) {
    const startedAt = performance.now();
    try {
      await Promise.all([
        api.stats.summary.query(asked),
        api.stats.timeseries.query({ ...asked, metric: 'unique_visitors' }),
        panel('source', 'unique_visitors'),
        panel('page' as 'source', 'pageviews'),
        panel('country' as 'source', 'unique_visitors'),
        panel('browser' as 'source', 'unique_visitors'),
        panel('event' as 'source', 'events'),
      ]);
      return performance.now() - startedAt;
    } catch (error) {
      if (!(error instanceof TRPCClientError)) throw error;
      await setTimeout(200); // a limit of the viewer
    }
  }
}

const ROUNDS = 9;
let round = 0;
for (let warm = 0; warm < 6; warm += 1) for (const api of [member, viewer]) await dashboard(api, [], (round += 1));
for (const [name, filters] of Object.entries(FILTERS)) {
  const times = { member: [] as number[], viewer: [] as number[] };
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    times.member.push(await dashboard(member, filters, (round += 1)));
    times.viewer.push(await dashboard(viewer, filters, (round += 1)));
  }
  print({ filter: name, member_ms: median(times.member), viewer_ms: median(times.viewer) });
}
await server.stop();
