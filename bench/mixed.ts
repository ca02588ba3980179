// Measures a busy hour on one machine: events at a steady rate, questions of dashboards and open dashboards, all at the same time, on a site
// with millions of events. Prints the waiting times of each, and the server's processor time and memory.
// node bench/mixed.ts [visits per day] [folder] [seconds]: see traffic.ts. The folder is copied, and stays as it is.
import { cp } from 'node:fs/promises';
import { openVersions } from '../server/stats/answer-cache.ts';
import { openSumming } from '../server/stats/days/sum-days.ts';
import { DAY_MS, dayOf } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { dashboardApi } from './dashboard-api.ts';
import { openDashboard } from './dashboards.ts';
import { load } from './load.ts';
import { OWNER, print, startServer, usageOf } from './server.ts';
import { openTraffic } from './traffic.ts';

const seconds = Number(process.argv[4] ?? 20);
const EVENTS_PER_SECOND = 1000;
const QUESTIONS_PER_SECOND = 10;
const DASHBOARDS = 20;
/** Before it is measured: a busy hour is not the first second of a process, in which no code is compiled and no file is open. */
const WARM_SECONDS = 10;

await using traffic = await openTraffic();
const { site } = traffic;
const sumDays = openSumming({
  store: traffic.store,
  versions: openVersions(),
  onFailed: (error) => {
    throw error;
  },
});
while ((await sumDays({ now: Date.now() })) > 0); // as the job of a server that has run for some days
await traffic.close();
await using copy = await tempFolder();
await cp(traffic.folder, copy.path, { recursive: true });

const server = await startServer(copy.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const cookie = await signIn(server.url, OWNER);
const api = dashboardApi(server.url, cookie);
const panel = (dimension: 'source' | 'page' | 'country', metric: 'unique_visitors' | 'pageviews') => (range: object) =>
  api.stats.breakdown.query({ ...asked, ...range, dimension, metrics: [metric], per_page: 9 });
const asked = { site_id: site.id, period: 'custom' as const, filters: [] };
const QUESTIONS: ((range: object) => Promise<unknown>)[] = [
  (range) => api.stats.summary.query({ ...asked, ...range }),
  (range) => api.stats.timeseries.query({ ...asked, ...range, metric: 'unique_visitors' }),
  panel('source', 'unique_visitors'),
  panel('page', 'pageviews'),
  panel('country', 'unique_visitors'),
];

for (let opened = 0; opened < DASHBOARDS; opened += 1)
  await openDashboard({ url: server.url, cookie, siteId: site.id });
await work({ seconds: WARM_SECONDS, from: 0 });
const before = await usageOf(server.pid);
const [foot, waits] = await work({ seconds, from: WARM_SECONDS * QUESTIONS_PER_SECOND });
const after = await usageOf(server.pid);
await server.stop('SIGKILL');

waits.sort((a, b) => a - b);
const quantile = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
print({
  events_per_second: foot.perSecond,
  foot_ms: { p50: foot.p50, p99: foot.p99, max: foot.max },
  other_answers: foot.otherAnswers + foot.errors,
  questions: waits.length,
  questions_ms: { p50: quantile(0.5), p95: quantile(0.95), max: quantile(1) },
  server_cpu_share: Number(((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)),
  server_memory_mb: Math.round(after.memoryMb),
  server_own_memory_mb: Math.round(after.ownMb),
});
process.exit(); // the dashboards' sockets are open

/** `from`: the number of the first question. */
function work({ seconds, from }: { seconds: number; from: number }) {
  return Promise.all([
    load(server.url, { domain: site.domain, seconds, rate: EVENTS_PER_SECOND }),
    askSteadily({ from, to: from + seconds * QUESTIONS_PER_SECOND }),
  ]);
}

/** Every fifth question is about the last 30 days with today; the others are about other days each time, so that no cache answers. */
async function askSteadily({ from, to }: { from: number; to: number }): Promise<number[]> {
  const [startedAt, waits] = [performance.now(), [] as number[]];
  const asking: Promise<void>[] = [];
  for (let number = from; number < to; number += 1) {
    const due = startedAt + ((number - from) * 1000) / QUESTIONS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const back = number % 5 === 0 ? 0 : 1 + (number % 60);
    const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
    const range = { date_from: dayBefore(29 + back), date_to: dayBefore(back) };
    const ask = QUESTIONS[Math.floor(number / 5) % QUESTIONS.length];
    asking.push(
      (async () => {
        await ask?.(range);
        waits.push(performance.now() - due);
      })(),
    );
  }
  await Promise.all(asking);
  return waits;
}
