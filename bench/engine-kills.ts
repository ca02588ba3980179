// Kills the engine's process again and again while events arrive: how long `POST /foot` takes meanwhile, how long after each kill a question is answered,
// and whether every accepted event is stored exactly once.
// node bench/engine-kills.ts [kills] [events a second]
import { join } from 'node:path';
import { openStore } from '../server/store/open.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { engineOf } from '../tests/setup/processes/engine.ts';
import { dashboardApi } from './dashboard-api.ts';
import { load } from './load.ts';
import { makeSite, OWNER, print, startServer } from './server.ts';

const [kills = 100, rate = 200] = process.argv.slice(2).map(Number);
/** Between kills, besides what it takes until a question is answered. They differ, so that kills hit starts, inserts and questions. */
const pauseMs = (kill: number) => 300 + (kill % 20) * 60;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const api = dashboardApi(server.url, await signIn(server.url, OWNER));
/** Other values for each kill, so that no cache answers. */
const ask = (kill: number) => {
  const filter = { dimension: 'page' as const, operator: 'is_not' as const, values: [`/${kill}`] };
  return api.stats.summary.query({ site_id: site.id, period: 'today', filters: [filter] });
};
let accepted = 0;
async function send(seconds: number): Promise<{ p99: number; max: number }> {
  const sent = await load(server.url, { domain: site.domain, seconds, rate });
  accepted += sent.accepted;
  if (sent.otherAnswers > 0 || sent.errors > 0) throw new Error(`Not all were accepted: ${JSON.stringify(sent)}`);
  return sent;
}
await send(5); // compiles what is run often
const undisturbed = await send(20);

let isKilling = true;
const parts: { p99: number; max: number }[] = [];
const sending = (async () => {
  while (isKilling) parts.push(await send(20));
})();
const answeredAfter: number[] = [];
for (let kill = 0; kill < kills; kill += 1) {
  await pause(pauseMs(kill));
  process.kill(await engineOf(join(folder.path, 'events')), 'SIGKILL');
  const killedAt = performance.now();
  while (!(await ask(kill).catch(() => undefined))) await pause(10);
  answeredAfter.push(performance.now() - killedAt);
}
isKilling = false;
await sending;
await server.stop();

const store = await openStore({ url: undefined, path: join(folder.path, 'events') });
const [stored] = await store.query<{ rows: number; ids: number }>(
  'SELECT count() AS rows, uniqExact(event_id) AS ids FROM events',
  {},
);
await store.close();
const sorted = answeredAfter.toSorted((one, other) => one - other);
const [rows, ids] = [Number(stored?.rows), Number(stored?.ids)];
print({
  kills,
  foot_p99_ms: { undisturbed: undisturbed.p99, killing: parts.map(({ p99 }) => p99) },
  foot_max_ms: Math.max(...parts.map(({ max }) => max)),
  answered_after_ms: {
    median: Math.round(sorted[sorted.length >> 1] ?? NaN),
    longest: Math.round(sorted.at(-1) ?? NaN),
  },
  accepted,
  lost: Math.max(0, accepted - ids), // what was accepted after the load had ended is stored, too
  stored_twice: rows - ids,
});
