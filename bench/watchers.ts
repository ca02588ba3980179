// Measures the live push to many open dashboards of one site: the bytes that they receive, the time from the 202 of an event to each
// dashboard that counts it, and the server's CPU time. Each event has a new visitor, so the k-th is seen once current visitors are k or more.
// node bench/watchers.ts [dashboards] [events per second] [seconds]
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { sendArrivals } from './arrivals.ts';
import { openDashboard } from './dashboards.ts';
import { makeSite, OWNER, print, startServer, usageOf } from './server.ts';

const [dashboards = 2000, rate = 100, seconds = 15] = process.argv.slice(2).map(Number);
/** Every so many dashboards one is timed, so that the client's own work stays small. */
const TIMED = 20;

type Seen = [at: number, visitors: number];

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const cookie = await signIn(server.url, OWNER);

let [bytes, messages] = [0, 0];

/** Resolves once the dashboard watches the site. */
const watch = (seen: Seen[] | undefined) =>
  openDashboard({ url: server.url, cookie, siteId: site.id }, (text) => {
    const length = Buffer.byteLength(text);
    bytes += length + (length < 126 ? 2 : 4);
    messages += 1;
    const visitors = seen && /^42\["live",\d+,(\d+)/.exec(text)?.[1];
    if (visitors !== undefined) seen?.push([Date.now(), Number(visitors)]);
  });

const timed: Seen[][] = [];
const sockets: WebSocket[] = [];
for (let opened = 0; opened < dashboards; opened += 10)
  sockets.push(
    ...(await Promise.all(
      Array.from({ length: Math.min(10, dashboards - opened) }, (_, index) => {
        if ((opened + index) % TIMED > 0) return watch(undefined);
        const seen: Seen[] = [];
        timed.push(seen);
        return watch(seen);
      }),
    )),
  );

[bytes, messages] = [0, 0];
const before = await usageOf(server.pid);
const acceptedAt = await sendArrivals({ url: server.url, domain: site.domain }, rate, seconds);
const after = await usageOf(server.pid);
const sent = { bytes, messages };
await new Promise((resolve) => setTimeout(resolve, 2000)); // the last push
for (const socket of sockets) socket.close();
await server.stop('SIGKILL');

const delays = timed.flatMap((seen) => {
  let next = 0;
  return acceptedAt.flatMap((at, index) => {
    while (next < seen.length && (seen[next]?.[1] ?? 0) < index + 1) next += 1;
    const seenAt = seen[next]?.[0];
    return seenAt === undefined ? [] : [Math.max(0, seenAt - at)];
  });
});
delays.sort((a, b) => a - b);
const quantile = (share: number) => delays[Math.floor((delays.length - 1) * share)];
print({
  dashboards,
  rate,
  accepted: acceptedAt.length,
  seen_share: Number((delays.length / (acceptedAt.length * timed.length)).toFixed(3)),
  mb_per_second: Number((sent.bytes / 1e6 / seconds).toFixed(2)),
  messages_per_second: Math.round(sent.messages / seconds),
  event_to_dashboard_ms: { p50: quantile(0.5), p99: quantile(0.99) },
  server_cpu_share: Number(((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)),
  server_memory_mb: Math.round(after.memoryMb),
});
