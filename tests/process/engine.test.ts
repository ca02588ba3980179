/** @module-tag fault */
// The engine's process under load, in the faults that a process can have: the server goes on collecting, and counts each accepted event once.
import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { engineOf } from '../setup/processes/engine.ts';
import { compare, DOMAIN, underLoad } from '../setup/processes/load.ts';
import { makeSites } from '../setup/processes/sites.ts';
import { showsSurvived, sized } from '../setup/run/harness.ts';
import { startServer } from '../setup/server.ts';

const run = promisify(execFile);
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
  const away: number[] = [];
  await using server = await startServer({ DATA_DIR: folder.path });
  const isReady = async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await eventually(isReady);
  // A higher number is a lower priority: what the engine does never keeps POST /foot waiting.
  expect(getPriority(await engineOf(events))).toBeGreaterThan(getPriority());
  const load = underLoad(() => server.url, SENDERS);
  for (let round = 0; round < sized({ short: 1, long: 20 }); round += 1)
    for (const harm of Object.values(FAULTS)) {
      await load.more(60 + 7 * round); // so that each hits another moment of the writer
      // The last one may be on its way to be replaced.
      const mend = await harm(await eventually(() => engineOf(events)), events);
      const brokenAt = performance.now();
      await load.more(40); // it is collecting meanwhile
      if (typeof mend === 'function') await mend();
      await eventually(isReady);
      away.push(performance.now() - brokenAt);
    }
  await load.stop();
  expect(load.others).toEqual({});
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  if (process.env['HARNESS'] !== undefined) {
    const p99 = load.waits.sort((a, b) => a - b)[Math.floor(load.waits.length * 0.99)] ?? 0;
    console.log(
      `/foot p99 ${p99.toFixed(1)} ms; questions worked again after at most ${Math.max(...away).toFixed(0)} ms`,
    );
  }
  expect(await compare(folder.path, load.accepted)).toEqual({ lost: [], doubled: [] });
});
