// Measures many viewers of one share link who follow the questions of its dashboard while events arrive: how often answers are computed for all of
// them, and how long the owner's questions over HTTP take without and with them, in turns of one run.
// node bench/guests.ts [visits per day] [folder] [times] [quarters] [seconds of a turn] [guests]: see traffic.ts. The folder is copied.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { DAY_MS, dayOf } from '../server/vocabulary/time/time.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { sendArrivals } from './arrivals.ts';
import type { Order, Report } from './crowd.ts';
import { dashboardApi } from './dashboard-api.ts';
import { manage, OWNER, print, startServer, usageOf } from './server.ts';
import { openTraffic, sumClosedDays } from './traffic.ts';

const seconds = Number(process.argv[6] ?? 30);
const guests = Number(process.argv[7] ?? 10_000);
const EVENTS_PER_SECOND = 20;
const QUESTIONS_PER_SECOND = 10;
const ROUNDS = 4;
/** After ten thousand have come, memory is tidied for some seconds. */
const SETTLING_SECONDS = 15;
const METRICS_TOKEN = 'a token of the benchmarks, for metrics'.replaceAll(' ', '-');

await using traffic = await openTraffic();
const { site } = traffic;
await sumClosedDays(traffic.store);
await traffic.close();
await using copy = await tempFolder();
await cp(traffic.folder, copy.path, { recursive: true });
const shared = manage(copy.path, 'share', 'create', '--site', site.domain, '--name', 'guests') as { url: string };
const token = shared.url.split('/').at(-1) ?? '';
const server = await startServer(copy.path, 'build/server/main.js', {
  FLOOD_ADDRESS_PER_SECOND: '100000',
  METRICS_TOKEN,
  SOCKETS: String(Math.max(5_000, 2 * guests)),
});
const api = dashboardApi(server.url, await signIn(server.url, OWNER));

const today = { site_id: site.id, period: 'today', compare: 'previous' };
const FOLLOWED = [
  ['stats.summary', today],
  ['stats.timeseries', { ...today, metric: 'unique_visitors' }],
  ['stats.breakdown', { ...today, dimension: 'page', metrics: ['pageviews'], per_page: 9 }],
];

/** The guests' own work would slow down the server on the same machine, so they have what is left of it. */
const crowd = fork(new URL('crowd.ts', import.meta.url));
setPriority(crowd.pid ?? 0, constants.priority.PRIORITY_LOW);
async function order(what: Order): Promise<Report> {
  crowd.send(what);
  const [report] = (await once(crowd, 'message')) as [Report];
  return report;
}
const open = (count: number) => order({ open: count, url: server.url, siteId: site.id, token, questions: FOLLOWED });

/** Statements that the store has run for viewers of links. */
async function statements(): Promise<number> {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const found = /^footfall_question_seconds_count\{asker="viewer"\} (\d+)$/m.exec(await answer.text());
  return Number(found?.[1]);
}

let asked = 0;
/** Each question is about other days, so that no cache answers. Resolves to their waiting times. */
async function askSteadily(count: number): Promise<number[]> {
  const [startedAt, waits] = [performance.now(), [] as number[]];
  const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
  const asking = Array.from({ length: count }, async (_, index) => {
    const due = startedAt + (index * 1000) / QUESTIONS_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const back = 1 + ((asked += 1) % 60);
    const range = { date_from: dayBefore(29 + back), date_to: dayBefore(back) };
    const question = { site_id: site.id, period: 'custom' as const, filters: [], ...range };
    await (index % 2 === 0
      ? api.stats.summary.query(question)
      : api.stats.breakdown.query({ ...question, dimension: 'page', metrics: ['pageviews'], per_page: 9 }));
    waits.push(performance.now() - due);
  });
  await Promise.all(asking);
  return waits;
}

const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0);

async function turn(count: number, forSeconds = seconds) {
  const opened = await open(count);
  await sendArrivals({ url: server.url, domain: site.domain }, EVENTS_PER_SECOND, SETTLING_SECONDS); // the first answers are whole
  await order('count');
  const [before, already] = [await usageOf(server.pid), await statements()];
  const [waits] = await Promise.all([
    askSteadily(forSeconds * QUESTIONS_PER_SECOND),
    sendArrivals({ url: server.url, domain: site.domain }, EVENTS_PER_SECOND, forSeconds),
  ]);
  const [after, run, heard] = [await usageOf(server.pid), await statements(), await order('count')];
  const { guests: seated } = await order('close');
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return { opened, seated, waits, heard, statements: run - already, before, after };
}

for (const count of [0, 1]) await turn(count, 15); // in the first seconds, code is compiled and files are opened
const waits: Record<'alone' | 'one' | 'all', number[]> = { alone: [], one: [], all: [] };
const ran: Record<keyof typeof waits, number> = { alone: 0, one: 0, all: 0 };
/** The slowest of a hundred waits in each round. Their median leaves out a round in which the machine was busy with something else. */
const slowest: Record<keyof typeof waits, number[]> = { alone: [], one: [], all: [] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const [who, count] of [
    ['alone', 0],
    ['one', 1],
    ['all', guests],
  ] as const) {
    const done = await turn(count);
    waits[who].push(...done.waits);
    slowest[who].push(quantile(done.waits, 0.99));
    const { changes, bytes, messages } = done.heard;
    ran[who] += done.statements;
    print({
      round,
      guests: done.opened.guests,
      refused: done.opened.refused,
      changes,
      statements: done.statements,
      messages_per_second: Math.round(messages / seconds),
      mb_per_second: Number((bytes / 1e6 / seconds).toFixed(2)),
      owner_ms: { p50: quantile(done.waits, 0.5), p99: quantile(done.waits, 0.99) },
      server_cpu_share: Number(((done.after.cpuSeconds - done.before.cpuSeconds) / seconds).toFixed(2)),
      server_memory_mb: Math.round(done.after.memoryMb),
      server_own_memory_mb: Math.round(done.after.ownMb),
    });
  }
crowd.kill();
await server.stop('SIGKILL');
const median = (values: readonly number[]) => quantile(values, 0.5);
print({
  guests,
  owner_p99_ms: { alone: median(slowest.alone), one: median(slowest.one), all: median(slowest.all) },
  owner_p50_ms: { alone: median(waits.alone), all: median(waits.all) },
  p99_to_alone: Number((median(slowest.all) / median(slowest.alone)).toFixed(2)),
  statements_to_one: Number((ran.all / ran.one).toFixed(2)),
});
