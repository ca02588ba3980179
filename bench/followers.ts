// Measures what open dashboards of today cost while events arrive: `asked`, each asks for its figures, its chart and six panels over HTTP
// whenever events are stored; `followed`, it follows them over its socket; `none`, nobody looks. In turns, on one server.
// node bench/followers.ts [visits per day] [folder] [seconds of a turn] [dashboards]: see traffic.ts. The folder is copied, and stays as it is.
import { stringify } from 'devalue';
import { cp } from 'node:fs/promises';
import type { Json } from '../server/live/answer-differences.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { sendArrivals } from './arrivals.ts';
import { openDashboard } from './dashboards.ts';
import { OWNER, print, startServer, usageOf } from './server.ts';
import { openTraffic } from './traffic.ts';
import { median } from './interleaved.ts';

const seconds = Number(process.argv[4] ?? 15);
const dashboards = Number(process.argv[5] ?? 20);
const EVENTS_PER_SECOND = 100;
const ROUNDS = 2;
/** As the dashboard paces itself. */
const REST_MS = 300;

await using traffic = await openTraffic();
const { site } = traffic;
await traffic.close();
await using copy = await tempFolder();
await cp(traffic.folder, copy.path, { recursive: true });
const server = await startServer(copy.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const cookie = await signIn(server.url, OWNER);

const today = { site_id: site.id, period: 'today', compare: 'previous' };
const panel = (dimension: string, metric: string): [string, Json] => [
  'stats.breakdown',
  { ...today, dimension, metrics: [metric], per_page: 9 },
];
const QUESTIONS: [path: string, input: Json][] = [
  ['stats.summary', today],
  ['stats.timeseries', { ...today, metric: 'unique_visitors' }],
  panel('source', 'unique_visitors'),
  panel('page', 'pageviews'),
  panel('country', 'unique_visitors'),
  panel('browser', 'unique_visitors'),
  panel('event', 'events'),
  panel('entry_page', 'visits'),
];
const inputs = Object.fromEntries(QUESTIONS.map(([, input], index) => [index, stringify(input)]));
const address = `/trpc/${QUESTIONS.map(([path]) => path).join()}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;

const spent = { bytes: 0, answers: 0, announcements: 0 };

/** Asks again as the dashboard does: never twice at a time, and not sooner than 1.5 times as long as the last answer took. */
function openAsking() {
  let [isAsking, isDue, restsUntil] = [false, false, 0];
  const ask = async () => {
    [isAsking, isDue] = [true, false];
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, restsUntil - performance.now())));
    const startedAt = performance.now();
    const answer = await fetch(server.url + address, { headers: { cookie, 'trpc-accept': 'application/jsonl' } });
    const { byteLength } = await answer.arrayBuffer();
    spent.bytes += byteLength;
    spent.answers += QUESTIONS.length;
    restsUntil = startedAt + Math.max(REST_MS, 1.5 * (performance.now() - startedAt));
    isAsking = false;
    if (isDue) void ask();
  };
  return () => {
    isDue = true;
    if (!isAsking) void ask();
  };
}

async function open(way: 'asked' | 'followed'): Promise<WebSocket> {
  const ask = openAsking();
  const socket = await openDashboard({ url: server.url, cookie, siteId: site.id }, (text) => {
    if (text.startsWith('42["stored"')) {
      spent.announcements += 1 / dashboards;
      if (way === 'asked') ask();
    }
    if (!/^42\["(answer|moved)"/.test(text)) return;
    spent.bytes += Buffer.byteLength(text);
    spent.answers += 1;
  });
  if (way === 'followed') socket.send(`421${JSON.stringify(['follow', QUESTIONS])}`);
  return socket;
}

async function turn(way: 'none' | 'asked' | 'followed') {
  const sockets = way === 'none' ? [] : await Promise.all(Array.from({ length: dashboards }, () => open(way)));
  await sendArrivals({ url: server.url, domain: site.domain }, EVENTS_PER_SECOND, 2); // the first answers are whole
  Object.assign(spent, { bytes: 0, answers: 0, announcements: 0 });
  const before = await usageOf(server.pid);
  const accepted = await sendArrivals({ url: server.url, domain: site.domain }, EVENTS_PER_SECOND, seconds);
  const after = await usageOf(server.pid);
  const { bytes, answers, announcements } = spent;
  for (const socket of sockets) socket.close();
  await new Promise((resolve) => setTimeout(resolve, 2000)); // the last questions
  return {
    cpu_share: Number(((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(3)),
    announcements: Math.round(announcements),
    kb_an_announcement: Math.round(bytes / 1000 / announcements) || 0,
    answers_an_announcement: Math.round(answers / announcements) || 0,
    accepted: accepted.length,
  };
}

await sendArrivals({ url: server.url, domain: site.domain }, EVENTS_PER_SECOND, 3);
let idle = 0;
const costs: Record<'asked' | 'followed', number[]> = { asked: [], followed: [] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const way of ['none', 'asked', 'followed'] as const) {
    const cost = await turn(way);
    print({ round, way, dashboards, ...cost });
    if (way === 'none') idle = cost.cpu_share;
    else costs[way].push((1000 * seconds * (cost.cpu_share - idle)) / cost.announcements);
  }
print({ cpu_ms_an_announcement: { asked: median(costs.asked), followed: median(costs.followed) } });
await server.stop('SIGKILL');
process.exit();
