// Compares POST /foot with one process and with workers (WORKERS=n), in turns. Says what an event costs the process with the stores, which
// limits how many workers are of use, and what it costs a worker.
// node bench/workers.ts [seconds] [rounds] [numbers of workers …]
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../server/store/open.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { load } from './load.ts';
import { makeSite, print, startServer, usageOf, workersOf } from './server.ts';

const [seconds = 6, rounds = 3, ...counts] = process.argv.slice(2).map(Number);
const forms = [1, ...(counts.length > 0 ? counts : [2, 3])];

await using disposed = new AsyncDisposableStack();
const servers = await Promise.all(
  forms.map(async (workers) => {
    const folder = disposed.use(await tempFolder());
    const { domain } = makeSite(folder.path);
    const server = await startServer(folder.path, 'build/server/main.js', { WORKERS: String(workers) });
    return { workers, domain, server, accepted: 0, ratios: [] as number[] };
  }),
);
await pause(5_000);

for (let round = 0; round < rounds; round += 1) {
  let alone = 0;
  for (const form of servers) {
    const { server, domain, workers } = form;
    const before = await usages(server.pid);
    const done = await load(server.url, { domain, seconds });
    const after = await usages(server.pid);
    form.accepted += done.accepted;
    if (workers === 1) alone = done.perSecond;
    form.ratios.push(done.perSecond / alone);
    const costs = after.map(({ cpuSeconds }, index) =>
      Math.round(((cpuSeconds - (before[index]?.cpuSeconds ?? 0)) * 1e6) / done.requests),
    );
    const [ofStores = 0, ...ofWorkers] = costs;
    print({
      round,
      workers,
      foot: done,
      to_one_process: Number((done.perSecond / alone).toFixed(3)),
      cpu_us_of_the_stores: ofStores,
      cpu_us_of_workers: ofWorkers.reduce((sum, one) => sum + one, 0),
      memory_mb: after.map(({ memoryMb }) => Math.round(memoryMb)),
    });
  }
}
for (const { server, workers, accepted, ratios } of servers) {
  await server.stop();
  const store = await openStore({ url: undefined, path: `${server.folder}/events` });
  const sql = 'SELECT count() AS rows, uniqExact(event_id) AS ids FROM events';
  const [stored] = await store.query<{ rows: number; ids: number }>(sql, {});
  await store.close();
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)];
  print({ workers, ratio_median: Number(median?.toFixed(3)), accepted, stored: stored?.rows, different: stored?.ids });
}

/** The usage of a server, and then of its workers. */
async function usages(pid: number) {
  return Promise.all([pid, ...(await workersOf(pid))].map(usageOf));
}
