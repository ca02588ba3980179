/** @module-tag fault */
// The server as a process, killed under load and out of file descriptors: what got a 202 is counted once, and the server recovers by
// itself.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { openStore } from '../../server/store/open.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { showsSurvived, sized } from '../setup/run/harness.ts';
import { startServer } from '../setup/server.ts';
import { makeSites } from '../setup/processes/sites.ts';

const run = promisify(execFile);
const DOMAIN = 'own.example';

function send(url: string, page: string): Promise<number> {
  const sent = fetch(`${url}/foot`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'user-agent': CHROME },
    body: JSON.stringify({ site: DOMAIN, name: 'pageview', url: `https://${DOMAIN}${page}`, id: page }),
  });
  return sent.then(
    (answer) => answer.status,
    () => 0,
  );
}

async function storedPages(folder: string): Promise<Map<string, number>> {
  const store = await openStore({ url: undefined, path: join(folder, 'events') });
  const rows = await store.query<{ page: string; copies: string }>(
    'SELECT page, count() AS copies FROM events GROUP BY page LIMIT 190000',
    {},
  );
  await store.close();
  return new Map(rows.map(({ page, copies }) => [page, Number(copies)]));
}

test('a server that is killed again and again under load counts each accepted event once', async () => {
  showsSurvived('kill -9 of the server under load');
  await using folder = await tempFolder();
  await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
  const accepted = new Set<string>();
  const kills = sized({ short: 2, long: 20 });
  let sent = 0;
  for (let round = 0; round < kills; round += 1) {
    await using server = await startServer({ DATA_DIR: folder.path });
    const enough = accepted.size + 150 + 37 * round; // so that each kill hits another moment of the writer's cycle
    let isAlive = true;
    const sender = async () => {
      while (isAlive) {
        const page = `/k/${(sent += 1)}`;
        if ((await send(server.url, page)) === 202) accepted.add(page);
      }
    };
    const senders = Array.from({ length: 20 }, sender);
    await eventually(() => expect(accepted.size).toBeGreaterThanOrEqual(enough));
    await server.end('SIGKILL');
    isAlive = false;
    await Promise.all(senders);
  }
  await using last = await startServer({ DATA_DIR: folder.path });
  expect(await last.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const stored = await storedPages(folder.path);
  expect([...accepted].filter((page) => !stored.has(page))).toEqual([]);
  expect([...stored].filter(([, copies]) => copies > 1)).toEqual([]);
});

test('a server that has run out of descriptors accepts events again when they are free', async () => {
  showsSurvived('file descriptors used up, then free');
  await using folder = await tempFolder();
  await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
  await using server = await startServer({ DATA_DIR: folder.path });
  expect(await send(server.url, '/before')).toBe(202);
  const { hostname, port } = new URL(server.url);
  const open = (await run('ls', [`/proc/${server.pid}/fd`])).stdout.split('\n').length;
  await run('prlimit', ['--pid', String(server.pid), `--nofile=${open + 40}:${open + 40}`]);
  const sockets: Socket[] = [];
  for (let n = 0; n < 120; n += 1) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect'); // the kernel accepts them, the server cannot
    sockets.push(socket);
  }
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect(await send(server.url, '/after')).toBe(202));
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  // The limit may leave the engine too few descriptors to store: then the queue keeps the events for the next start.
  await using next = await startServer({ DATA_DIR: folder.path });
  expect(await next.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect([...(await storedPages(folder.path))].sort()).toEqual([
    ['/after', 1],
    ['/before', 1],
  ]);
});
