/** @module-tag fault */
// The engine's process under load, in the faults that a process can have: the server goes on collecting, and counts each accepted event once.
import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { openStore } from '../../server/store/open.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { engineOf } from '../setup/processes/engine.ts';
import { makeSites } from '../setup/processes/sites.ts';
import { showsSurvived, sized } from '../setup/run/harness.ts';
import { startServer } from '../setup/server.ts';

const run = promisify(execFile);
const DOMAIN = 'own.example';
const SENDERS = 8;

/** What is done to an engine that runs, and `mend`, which ends what the server cannot. */
const FAULTS = {
  'engine killed': (pid: number) => process.kill(pid, 'SIGKILL'),
  'engine stopped': (pid: number) => process.kill(pid, 'SIGSTOP'),
  'engine crashing': (pid: number) => process.kill(pid, 'SIGSEGV'),
  'engine without memory': (pid: number) => run('prlimit', ['--pid', String(pid), '--as=1000000:1000000']),
  'engine without its socket': (_pid: number, events: string) => rm(join(events, 'sock')),
  'engine without its folder': async (pid: number, events: string) => {
    await rename(events, `${events}.away`);
    process.kill(pid, 'SIGKILL');
    return () => rename(`${events}.away`, events);
  },
};

test('an engine that fails in every way is replaced, and nothing is lost or counted twice', async () => {
  for (const fault of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) showsSurvived(fault);
  await using folder = await tempFolder();
  await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
  const events = join(folder.path, 'events');
  const accepted = new Set<string>();
  const waits: number[] = [];
  const away: number[] = [];
  {
    await using server = await startServer({ DATA_DIR: folder.path });
    const isReady = async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await eventually(isReady);
    let isOver = false;
    let sent = 0;
    const sender = async () => {
      while (!isOver) {
        const page = `/e/${(sent += 1)}`;
        const startedAt = performance.now();
        const answer = await fetch(`${server.url}/foot`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'user-agent': CHROME },
          body: JSON.stringify({ site: DOMAIN, name: 'pageview', url: `https://${DOMAIN}${page}`, id: page }),
        });
        waits.push(performance.now() - startedAt);
        if (answer.status === 202) accepted.add(page);
      }
    };
    const senders = Array.from({ length: SENDERS }, sender);
    const more = (count: number) => {
      const enough = accepted.size + count;
      return eventually(() => expect(accepted.size).toBeGreaterThanOrEqual(enough));
    };
    for (let round = 0; round < sized({ short: 1, long: 20 }); round += 1)
      for (const harm of Object.values(FAULTS)) {
        await more(60 + 7 * round); // so that each hits another moment of the writer
        const mend = await harm(await engineOf(events), events);
        const brokenAt = performance.now();
        await more(40); // it is collecting meanwhile
        if (typeof mend === 'function') await mend();
        await eventually(isReady);
        away.push(performance.now() - brokenAt);
      }
    isOver = true;
    await Promise.all(senders);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  }
  if (process.env['HARNESS'] !== undefined) {
    const p99 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
    console.log(
      `/foot p99 ${p99.toFixed(1)} ms; questions worked again after at most ${Math.max(...away).toFixed(0)} ms`,
    );
  }
  const store = await openStore({ path: events });
  const rows = await store.query<{ page: string; copies: string }>(
    'SELECT page, count() AS copies FROM events GROUP BY page LIMIT 190000',
    {},
  );
  await store.close();
  const copies = new Map(rows.map(({ page, copies }) => [page, Number(copies)]));
  expect([...accepted].filter((page) => copies.get(page) !== 1)).toEqual([]);
});
