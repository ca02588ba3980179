/** @module-tag fault */
// The server with workers, as processes: killed under load, stopped, and unable to start. What got a 202 is counted once.
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { io as connect } from 'socket.io-client';
import { expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { failToStart, startServer, type ServerProcess } from '../setup/server.ts';
import { signIn } from '../setup/accounts/sign-in.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { engineOf } from '../setup/processes/engine.ts';
import { compare, DOMAIN, underLoad } from '../setup/processes/load.ts';
import { makeSites } from '../setup/processes/sites.ts';

const EMAIL = `owner@${DOMAIN}`;
const WORKERS = '2';

async function workersOf({ pid }: ServerProcess, folder: string): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')));
  const engine = await engineOf(join(folder, 'events')).catch(() => 0);
  return lists.flatMap((list) => list.split(' ').flatMap((text) => Number(text) || [])).filter((pid) => pid !== engine);
}

const isAlive = (pid: number) =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !/\) Z /.test(stat),
    () => false,
  );

test('workers that are killed are replaced, and nothing is lost or doubled; a stop of all processes at once is clean', async () => {
  showsSurvived('kill -9 of the server under load');
  await using folder = await tempFolder();
  const [site] = await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
  await using server = await startServer({ DATA_DIR: folder.path, WORKERS });
  const load = underLoad(() => server.url);
  await load.more(100);
  const seen = new Set<number>();
  for (const killed of [1, 1, 2]) {
    const workers = await eventually(async () => {
      const found = await workersOf(server, folder.path);
      expect([found.length, found.filter((pid) => seen.has(pid))]).toEqual([2, []]);
      return found;
    });
    await load.more(100);
    for (const pid of workers.slice(0, killed)) {
      process.kill(pid, 'SIGKILL');
      seen.add(pid);
    }
    for (const pid of workers.slice(0, killed)) await eventually(async () => expect(await isAlive(pid)).toBe(false));
  }
  await load.more(100);

  // The dashboard and its socket reach the process with the stores through a worker.
  const cookie = await signIn(server.url, { email: EMAIL, password: PASSWORD });
  const browser = connect(server.url, { transports: ['websocket'], reconnection: false, extraHeaders: { cookie } });
  const live = new Promise((resolve) => browser.once('live', (_number, visitors) => resolve(visitors)));
  await new Promise((resolve) => browser.on('connect', () => browser.emit('watch', site.id, resolve)));
  expect(await live).toBe(1);

  const workers = await eventually(async () => {
    const found = await workersOf(server, folder.path);
    expect(found.length).toBe(2);
    return found;
  });
  // as systemd and terminals do
  for (const pid of [...workers, await engineOf(join(folder.path, 'events'))]) process.kill(pid, 'SIGTERM');
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await load.stop();
  for (const pid of workers) expect(await isAlive(pid)).toBe(false);
  expect(Object.keys(load.others).filter((outcome) => !['none', '503'].includes(outcome))).toEqual([]);
  expect(await compare(folder.path, load.accepted)).toEqual({ lost: [], doubled: [] });
});

test('workers end with the process that has the stores, and the next start counts everything once', async () => {
  showsSurvived('kill -9 of the server under load');
  await using folder = await tempFolder();
  await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
  let url = '';
  const load = underLoad(() => url);
  for (let round = 0; round < 2; round += 1) {
    await using server = await startServer({ DATA_DIR: folder.path, WORKERS });
    url = server.url;
    await load.more(150 + 37 * round);
    const workers = await workersOf(server, folder.path);
    expect(workers.length).toBe(2);
    await server.end('SIGKILL');
    for (const pid of workers) await eventually(async () => expect(await isAlive(pid)).toBe(false));
  }
  await using last = await startServer({ DATA_DIR: folder.path, WORKERS });
  url = last.url;
  await load.more(100);
  await load.stop();
  const sockets = (await readdir(folder.path)).filter((name) => name.startsWith('w-'));
  expect(sockets.length).toBe(1); // those of the killed ones are gone
  expect(await last.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await compare(folder.path, load.accepted)).toEqual({ lost: [], doubled: [] });
});

test('a port that is taken is named, and no process stays', async () => {
  await using folder = await tempFolder();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, said } = await failToStart({ DATA_DIR: folder.path, WORKERS, PORT: String(port) });
  expect([code, said.trim()]).toEqual([
    1,
    `Footfall did not start. Port ${port} is in use: stop the program that uses it, or set PORT to another port.`,
  ]);
  other.close();
});

test('limits per address and the counts of /metrics are those of one server', async () => {
  const METRICS_TOKEN = 'm'.repeat(32);
  const env = { TRUST_PROXY: 'loopback', FLOOD_EVENTS: '20', FLOOD_VISITORS: '7', METRICS_TOKEN };
  await using server = await testApp({ workers: 3, env });
  const site = await server.addSite();
  const send = (name: string, address: string, number: number) => {
    const headers = { 'x-forwarded-for': address, 'user-agent': CHROME.replace('142', String(100 + number)) };
    return server.foot({ site: site.domain, name, url: `https://${site.domain}/${number}` }, headers);
  };
  await Promise.all(Array.from({ length: 60 }, () => send('click', '203.0.113.1', 0)));
  await Promise.all(Array.from({ length: 20 }, (_, number) => send('pageview', '203.0.113.2', number)));
  await server.settle();
  const rows = await server.app.store.query<{ name: string; events: string }>(
    'SELECT name, toString(count()) AS events FROM events GROUP BY name ORDER BY name',
    {},
  );
  expect(rows).toEqual([
    { name: 'click', events: '20' },
    { name: 'pageview', events: '7' },
  ]);
  const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const lines = (await metrics.text()).split('\n');
  expect(lines).toContain('footfall_events_accepted_total 27');
  expect(lines).toContain('footfall_events_dropped_total{reason="flood"} 53');
});

test('workers start in a folder with a path as long as the operator’s socket allows', async () => {
  await using folder = await tempFolder();
  const longest = 107 - Buffer.byteLength('/control.sock');
  const DATA_DIR = join(folder.path, 'x'.repeat(longest - Buffer.byteLength(folder.path) - 1));
  await using server = await startServer({ DATA_DIR, WORKERS });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  const { said } = await failToStart({ DATA_DIR: `${DATA_DIR}xxxxxxxxxxxxxxxxxxxx`, WORKERS });
  expect(said).toMatch(
    /^Footfall did not start\. DATA_DIR: the path of its socket is too long: \S+ Choose a shorter one\.\n$/,
  );
});
