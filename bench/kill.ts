// Kills the server (kill -9) under load, again and again on one folder. Checks that every event that got a 202 is counted exactly once.
// node bench/kill.ts [kills] [workers]
import { openStore } from '../server/store/open.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { makeSite, print, startServer } from './server.ts';
import { CHROME } from '../tests/setup/browser/user-agent.ts';

/** Each delay of a kill comes once in as many. They vary, so that kills hit every stage of the writer: an insert, an acknowledgement, and between. */
const DELAYS = 20;
/** The pages are read in parts, because an answer of the store has a most of rows. */
const SLICES = 16;

const [kills = 20, workers = 1] = process.argv.slice(2).map(Number);
const env = { WORKERS: String(workers) };
await using folder = await tempFolder();
const site = makeSite(folder.path);
const acknowledged = new Set<string>();
let sent = 0;

for (let round = 0; round < kills; round += 1) {
  const server = await startServer(folder.path, 'build/server/main.js', env);
  let alive = true;
  const sender = async () => {
    while (alive) {
      sent += 1;
      const page = `/k/${sent}`;
      const answer = await fetch(`${server.url}/foot`, {
        method: 'POST',
        headers: {
          'content-type': 'text/plain',
          'user-agent': CHROME,
          'x-forwarded-for': `31.${sent & 255}.${(sent >> 8) & 255}.7`,
        },
        body: JSON.stringify({ site: site.domain, name: 'pageview', url: `https://${site.domain}${page}`, id: page }),
      }).catch(() => undefined);
      if (answer?.status === 202) acknowledged.add(page);
    }
  };
  const senders = Array.from({ length: 50 }, sender);
  await new Promise((resolve) => setTimeout(resolve, 700 + (round % DELAYS) * 37));
  await server.stop('SIGKILL');
  alive = false;
  await Promise.all(senders);
}

const last = await startServer(folder.path);
await last.stop(); // stores what the last kill left in the queue
const store = await openStore({ url: undefined, path: `${folder.path}/events` });
const stored = new Map<string, number>();
for (let slice = 0; slice < SLICES; slice += 1) {
  const rows = await store.query<{ page: string; copies: number }>(
    `SELECT page, count() AS copies FROM events WHERE cityHash64(page) % ${SLICES} = ${slice} GROUP BY page`,
    {},
  );
  for (const { page, copies } of rows) stored.set(page, Number(copies));
}
await store.close();
print({
  kills,
  sent,
  acknowledged: acknowledged.size,
  stored: stored.size,
  lost: [...acknowledged].filter((page) => !stored.has(page)).length,
  doubled: [...stored.values()].filter((copies) => copies > 1).length,
});
