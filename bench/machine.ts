// How fast this machine is in three kinds of work that no change of Footfall makes faster or slower. `npm run bench` judges times by them, because
// machines of the same kind differ by half.
// node bench/machine.ts [loop_ms|scan_ms|bare_request_us …]: all of them, or those that are named.
import { openStore } from '../server/store/open.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import type { REFERENCE } from './figures.ts';
import { load } from './load.ts';
import { print, startServer } from './server.ts';

const ROUNDS = 3;
const STEPS = 100_000_000;
const SCAN = 'SELECT count() FROM numbers(10000000) WHERE sipHash64(number) % 2 = 0';
const LOAD_SECONDS = 2;

const WORKS = {
  loop_ms: () => fastest(() => Promise.resolve(loop())),
  scan_ms: async () => {
    await using folder = await tempFolder();
    const store = await openStore({ url: undefined, path: folder.path });
    const ms = await fastest(() => store.query(SCAN, {}));
    await store.close();
    return ms;
  },
  bare_request_us: async () => {
    await using folder = await tempFolder();
    const bare = await startServer(folder.path, 'bench/bare-server.ts');
    const requests = { domain: 'example.com', seconds: LOAD_SECONDS };
    let perSecond = 0;
    for (let round = 0; round < ROUNDS; round += 1)
      perSecond = Math.max(perSecond, (await load(bare.url, requests)).perSecond);
    await bare.stop();
    return 1e6 / perSecond;
  },
} satisfies Record<keyof typeof REFERENCE, () => Promise<number>>;

const asked = process.argv.slice(2);
for (const [name, work] of Object.entries(WORKS))
  if (asked.length === 0 || asked.includes(name)) print({ [name]: await work() });

/** Integers and memory, as V8 runs them. */
function loop(): number {
  const seen = new Uint32Array(1 << 16);
  let hash = 1;
  for (let step = 0; step < STEPS; step += 1) {
    hash = Math.imul(hash ^ step, 0x9e3779b1);
    seen[hash >>> 16] = (seen[hash >>> 16] ?? 0) + 1;
  }
  return seen[0] ?? 0;
}

/** The time of the fastest round, in milliseconds: what else the machine does only makes it slower. */
async function fastest(work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}
