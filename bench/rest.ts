// Measures the API: events compared with /foot, stats of 5 million events with and without the cache, a burst, hostile input, and the
// CSV export of a year.
// node bench/rest.ts [visits per day] [folder] [seconds of each load]: see traffic.ts
import { Agent, request } from 'node:http';
import autocannon from 'autocannon';
import { DAY_MS, dayOf } from '../server/vocabulary/time/time.ts';
import { fuzzRest } from '../tests/setup/api/rest-fuzz.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { load } from './load.ts';
import { manage, OWNER, print, startServer, usageOf } from './server.ts';
import { openTraffic } from './traffic.ts';

const seconds = process.argv[4] ?? '8';
await using traffic = await openTraffic();
await traffic.close();
const { folder, site } = traffic;
const { key } = manage(folder, 'key', 'create', '--account', OWNER.email, '--name', `bench ${Date.now()}`) as {
  key: string;
};
const headers = { authorization: `Bearer ${key}` };

const open = { RATE_LIMIT_PER_MINUTE: '10000000', RATE_LIMIT_PER_SECOND: '10000000' };
let server = await startServer(folder, 'build/server/main.js', open);

// Stats. Each range of 30 days starts a day earlier, so that no cache answers.
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const uncached: number[] = [];
for (let back = 1; back <= 60; back += 1) {
  const from = dayOf(today - (29 + back) * DAY_MS);
  uncached.push(await time(`period=custom&date_from=${from}&date_to=${dayOf(today - back * DAY_MS)}`));
}
await time('period=30d');
const cached: number[] = [];
for (let n = 0; n < 500; n += 1) cached.push(await time('period=30d'));
print({ stats_30d_uncached_ms: spread(uncached), stats_30d_cached_ms: spread(cached) });

const exportedAt = performance.now();
const cookie = await signIn(server.url, OWNER);
const before = await usageOf(server.pid);
const range = `date_from=${dayOf(today - 364 * DAY_MS)}&date_to=${dayOf(today)}`;
const file = await fetch(`${server.url}/export/${site.id}.csv?${range}`, { headers: { cookie } });
const bytes = (await file.arrayBuffer()).byteLength;
const grownMb = Math.round((await usageOf(server.pid)).memoryMb - before.memoryMb);
print({ csv_year_ms: Math.round(performance.now() - exportedAt), csv_bytes: bytes, grown_mb: grownMb });

// Events and hits, in alternating rounds on the same server.
const ratios: number[] = [];
for (let round = 0; round < 3; round += 1) {
  const foot = await load(server.url, { domain: site.domain, seconds: Number(seconds) });
  const events = await loadEvents(Number(seconds));
  ratios.push(events.perSecond / foot.perSecond);
  print({ round, foot, events, ratio: Number((events.perSecond / foot.perSecond).toFixed(3)) });
}
print({ events_to_foot: ratios.toSorted((a, b) => a - b)[1] });

const { statuses, wrong, slowestMs } = await fuzzRest(
  { url: server.url, key, siteId: site.id },
  { requests: 20_000, seed: Date.now() },
);
print({ fuzz: statuses, wrong, slowest_ms: Math.round(slowestMs) });
await server.stop();

// A burst, with the default rate limits.
server = await startServer(folder);
const agent = new Agent({ keepAlive: true, maxSockets: 2000 });
const answers = await Promise.all(Array.from({ length: 2000 }, () => statusOf(`${server.url}/v1/sites`, agent)));
agent.destroy();
print({ burst: Object.fromEntries([...Map.groupBy(answers, String)].map(([status, of]) => [status, of.length])) });
await server.stop();

function statusOf(url: string, through: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: through }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

async function time(question: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${server.url}/v1/stats?site_id=${site.id}&${question}`, { headers });
  await answer.text();
  if (answer.status !== 200) throw new Error(`${question}: ${answer.status}`);
  return performance.now() - startedAt;
}

function spread(values: number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => Number((sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1));
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

async function loadEvents(duration: number) {
  let serial = 0;
  const result = await autocannon({
    url: `${server.url}/v1/events`,
    connections: 50,
    duration,
    requests: [
      {
        method: 'POST',
        setupRequest: (sent) => {
          serial += 1;
          const url = `https://${site.domain}/page/${serial % 997}`;
          return {
            ...sent,
            headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': `${Date.now()}-${serial}` },
            body: JSON.stringify({ site_id: site.id, name: 'plan_upgraded', url, props: { plan: 'pro', seats: 3 } }),
          };
        },
      },
    ],
  });
  return {
    requests: result.requests.total,
    accepted: result.statusCodeStats?.['202']?.count ?? 0,
    perSecond: Math.round(result.requests.average),
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
