// Runs the server with its engine in a control group with little memory, as on a small machine: 50 events/s, three dashboards, and questions on the
// demo site. Prints the most memory of the group, how often the system ended a process in it, and whether all was counted. Needs root and cgroups.
// node bench/small.ts [megabytes] [seconds]
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { dashboardApi } from './dashboard-api.ts';
import { openDashboard } from './dashboards.ts';
import { load } from './load.ts';
import { manage, OWNER, print, startServer, usageOf } from './server.ts';

const [megabytes = 512, seconds = 60] = process.argv.slice(2).map(Number);
const EVENTS_PER_SECOND = 50;
const DASHBOARDS = 3;
const PERIODS = ['today', '7d', '30d', '91d'] as const;

/** Version 1 of control groups, or version 2. */
const isFirst = existsSync('/sys/fs/cgroup/memory');
const group = join('/sys/fs/cgroup', isFirst ? 'memory' : '', 'footfall-bench');
mkdirSync(group);
const read = (name: string) => readFileSync(join(group, name), 'utf8');
writeFileSync(join(group, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(megabytes * 1024 * 1024));

await using folder = await tempFolder();
manage(folder.path, 'account', 'create', '--email', OWNER.email, '--password', OWNER.password, '--plan', 'pro');
manage(folder.path, 'seed', '--account', OWNER.email, '--domain', 'demo.example');
const busy = manage(folder.path, 'site', 'create', '--account', OWNER.email, '--domain', 'busy.example') as {
  id: string;
  domain: string;
};
const server = await startServer(
  folder.path,
  'build/server/main.js',
  { MEMORY: `${megabytes}m` },
  join(group, 'cgroup.procs'),
);
const cookie = await signIn(server.url, OWNER);
const api = dashboardApi(server.url, cookie);
const demo = (await api.sites.list.query()).find(({ id }) => id !== busy.id);
if (!demo) throw new Error('The seed made no site.');
const asked = { site_id: demo.id, filters: [] };
for (let opened = 0; opened < DASHBOARDS; opened += 1)
  await openDashboard({ url: server.url, cookie, siteId: busy.id });

const failed: string[] = [];
const ask = async (n: number) => {
  const period = PERIODS[n % PERIODS.length] ?? 'today';
  const panel = { ...asked, period, dimension: n % 2 ? ('source' as const) : ('page' as const), per_page: 9 };
  await Promise.all([
    api.stats.timeseries.query({ ...asked, period, metric: 'unique_visitors' }),
    api.stats.breakdown.query({ ...panel, metrics: ['unique_visitors'] }),
  ]).catch((error: unknown) => failed.push(String(error)));
};
let asking = 0;
const timer = setInterval(() => void ask((asking += 1)), 1000);
const foot = await load(server.url, { domain: busy.domain, seconds, rate: EVENTS_PER_SECOND });
clearInterval(timer);
let counted = 0;
for (const giveUpAt = Date.now() + 30_000; counted < foot.accepted && Date.now() < giveUpAt;) {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { metrics } = await api.stats.summary.query({ site_id: busy.id, filters: [], period: 'today' });
  counted = metrics.find(({ name }) => name === 'pageviews')?.value ?? 0;
}
const usage = await usageOf(server.pid);
const kills = /oom_kill (\d+)/.exec(read(isFirst ? 'memory.oom_control' : 'memory.events'))?.[1];
const most = Number(read(isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak'));
await server.stop();
rmdirSync(group);
print({
  megabytes,
  accepted: foot.accepted,
  other_answers: foot.otherAnswers + foot.errors,
  lost: Math.max(0, foot.accepted - counted), // answers that came after the load's end are counted, and not accepted
  foot_p99_ms: foot.p99,
  questions: 2 * asking,
  failed: failed.length,
  first_failure: failed[0] ?? null,
  ended_by_the_system: Number(kills ?? 0),
  most_mb: Math.round(most / 1024 / 1024),
  own_memory_mb: Math.round(usage.ownMb),
});
process.exit(); // the dashboards' sockets are open
