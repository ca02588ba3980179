// Compares POST /foot on embedded stores with a bare server, in alternating rounds. Then checks that no event was lost or duplicated.
// node bench/foot.ts [seconds] [rounds]
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../server/store/open.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { load } from './load.ts';
import { makeSite, print, startServer, usageOf } from './server.ts';

const [seconds = 10, rounds = 3] = process.argv.slice(2).map(Number);
await using folder = await tempFolder();
const site = makeSite(folder.path);
const bare = await startServer(folder.path, 'bench/bare-server.ts');
const server = await startServer(folder.path);
await pause(12_000); // V8 gives the memory of the start back within ten seconds
const idle = await usageOf(server.pid);

let accepted = 0;
const ratios: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  const cpuBefore = await usageOf(server.pid);
  const ours = await load(server.url, { domain: site.domain, seconds });
  const cpuAfter = await usageOf(server.pid);
  const bareCpuBefore = await usageOf(bare.pid);
  const theirs = await load(bare.url, { domain: site.domain, seconds });
  const bareCpuAfter = await usageOf(bare.pid);
  accepted += ours.accepted;
  ratios.push(ours.perSecond / theirs.perSecond);
  print({
    round,
    foot: ours,
    bare: theirs,
    ratio: Number((ours.perSecond / theirs.perSecond).toFixed(3)),
    cpu_us_per_request: Math.round(((cpuAfter.cpuSeconds - cpuBefore.cpuSeconds) * 1e6) / ours.requests),
    bare_cpu_us_per_request: Math.round(((bareCpuAfter.cpuSeconds - bareCpuBefore.cpuSeconds) * 1e6) / theirs.requests),
  });
}
const busy = await usageOf(server.pid);
const stoppedAt = performance.now();
await server.stop();
const stopMs = Math.round(performance.now() - stoppedAt);
await bare.stop();

const store = await openStore({ url: undefined, path: `${folder.path}/events` });
const [stored] = await store.query<{ rows: number; ids: number }>(
  'SELECT count() AS rows, uniqExact(event_id) AS ids FROM events',
  {},
);
await store.close();
print({
  ratio_median: ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)],
  accepted,
  stored: stored?.rows,
  different: stored?.ids,
  start_ms: Math.round(server.startedInMs),
  stop_ms: stopMs,
  idle_mb: Math.round(idle.memoryMb),
  busy_mb: Math.round(busy.memoryMb),
});
