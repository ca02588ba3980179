// Watches the memory of a server for hours, at a steady rate of events from visitors who come again and again: it has to stay flat. Prints a line a minute.
// node bench/soak.ts [minutes] [events a second] [visitors]
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { dashboardApi } from './dashboard-api.ts';
import { openDashboard } from './dashboards.ts';
import { load } from './load.ts';
import { makeSite, OWNER, print, startServer, usageOf } from './server.ts';

const [minutes = 360, rate = 150, visitors = 40_000] = process.argv.slice(2).map(Number);
const PERIODS = ['today', '7d', '30d'] as const;

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path);
const cookie = await signIn(server.url, OWNER);
const api = dashboardApi(server.url, cookie);
await openDashboard({ url: server.url, cookie, siteId: site.id });
let accepted = 0;
for (let minute = 1; minute <= minutes; minute += 1) {
  const foot = await load(server.url, { domain: site.domain, seconds: 60, rate, visitors });
  accepted += foot.accepted;
  const period = PERIODS[minute % PERIODS.length] ?? 'today';
  await api.stats.breakdown.query({ site_id: site.id, filters: [], period, dimension: 'page', metrics: ['pageviews'] });
  const { memoryMb, ownMb } = await usageOf(server.pid);
  print({ minute, accepted, foot_p99_ms: foot.p99, memory_mb: Math.round(memoryMb), own_memory_mb: Math.round(ownMb) });
}
await server.stop();
process.exit(); // the dashboard's socket is open
