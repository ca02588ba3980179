/** @module-tag attack */
// Everything that strangers can fill is limited in bytes, in each memory and in a whole server with a small heap, also after its restart.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bytesFor, bytesOfText, createBoundedMap, MEMORIES } from '../../server/process/bounded-memory.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { DIRECTORY_FILE, openDirectory } from '../../server/directory/open.ts';
import { createSite } from '../../server/sites/sites.ts';
import { PASSWORD } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { NODE_FLAGS, startServer } from '../setup/server.ts';
import { sendStrangers } from '../setup/processes/visitor-flood.ts';
import { showsRefused } from '../setup/run/harness.ts';

const MB = 1024 * 1024;

describe('a bounded map', () => {
  test('drops the least recently used half at once, and stays within its bytes', () => {
    const map = createBoundedMap<number>(10_000);
    for (let n = 0; n < 1_000; n += 1) {
      map.set(`key ${n}`, n);
      expect(map.get('key 0')).toBe(0);
      expect(map.bytes).toBeLessThanOrEqual(10_000);
    }
    expect(map.get('key 999')).toBe(999);
    expect(map.get('key 900')).toBeUndefined();
  });

  test('counts its bytes correctly when entries are replaced, deleted and rotated', () => {
    const map = createBoundedMap<string>(100_000, bytesOfText);
    map.set('a', 'x'.repeat(100));
    const one = map.bytes;
    map.set('a', 'x'.repeat(200));
    expect(map.bytes).toBe(one + 200);
    map.turn();
    map.set('a', 'x'.repeat(100));
    expect(map.bytes).toBe(one);
    map.delete('a');
    expect([map.bytes, map.get('a')]).toEqual([0, undefined]);
    map.set('too large', 'x'.repeat(60_000));
    expect([map.bytes, map.get('too large')]).toEqual([0, undefined]);
  });
});

test('all memories together take less than a third of the heap', () => {
  const together = MEMORIES.reduce((sum, memory) => sum + bytesFor(memory) / bytesFor('visits') / 16, 0);
  expect(together).toBeLessThan(1 / 3);
});

test('the flags for V8 change neither what the memories may hold nor the limits of threads', async () => {
  const script = `import { Worker } from 'node:worker_threads';
    import { bytesFor } from './server/process/bounded-memory.ts';
    import { keepHeapLimitsOfThreads } from './server/process/v8-heap.ts';
    keepHeapLimitsOfThreads();
    const code = "import { parentPort } from 'node:worker_threads'; import v8 from 'node:v8'; parentPort.postMessage(v8.getHeapStatistics().heap_size_limit)";
    new Worker(code, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 6 } }).on(
      'message',
      (limit) => console.log(JSON.stringify([bytesFor('visits'), limit])),
    );`;
  const flags = ['--max-old-space-size=256'];
  expect(await runScript(script, [...flags, ...NODE_FLAGS])).toEqual([16 * MB, 262 * MB]);
  expect(await runScript(script, flags)).toEqual([16 * MB, 262 * MB]);
});

test('MEMORY decides what memories may hold, and how many questions are answered at a time', async () => {
  const script = `import { bytesFor, memoryOfMachine } from './server/process/bounded-memory.ts';
    import { READERS } from './server/store/open.ts';
    console.log(JSON.stringify([memoryOfMachine(), bytesFor('visits'), READERS]));`;
  const flags = ['--max-old-space-size=256'];
  expect(await runScript(script, flags, { MEMORY: '512m' })).toEqual([512 * MB, 8 * MB, 2]);
  expect((await runScript(script, flags, { MEMORY: '1g' }))[0]).toBeLessThanOrEqual(1024 * MB);
});

/** Runs a module in a process of its own, and reads the numbers that it prints. */
async function runScript(script: string, flags: readonly string[], env: Record<string, string> = {}) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '-e', script], {
    cwd: new URL('../..', import.meta.url).pathname,
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as number[];
}

test.each(MEMORIES)(
  'the memory of %s stays within its bytes, however long the texts and the headers that they are cut from',
  async (memory) => {
    const script = new URL('../setup/processes/fill-memory.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '--max-old-space-size=256',
      ...NODE_FLAGS,
      script,
      memory,
    ]);
    const { grewBy, may } = JSON.parse(stdout) as { grewBy: number; may: number };
    expect(may).toBeLessThanOrEqual(16 * MB);
    expect(grewBy).toBeLessThan(may + MB);
  },
);

test('a stranger with 16,000 visitors and long tags cannot end a server with a small heap, nor its restart', async () => {
  showsRefused('memory filled by a stranger', 16_000);
  await using folder = await tempFolder();
  const directory = await openDirectory({ path: `${folder.path}/${DIRECTORY_FILE}` });
  const who = { email: 'owner@example.com', password: PASSWORD, status: 'active' as const };
  const { account } = await createAccount(directory, who, Date.now());
  const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, Date.now());
  await directory.close();
  const env = { DATA_DIR: folder.path, NODE_OPTIONS: '--max-old-space-size=128' };
  {
    await using server = await startServer(env);
    expect(await sendStrangers(server.url, site.domain, { from: 0, to: 16_000 })).toBe(16_000);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  } // killed, so that the restart has a queue and an hour of visits to read
  await using server = await startServer({ ...env, MEMORY: '512m' });
  expect(server.output()).toContain('there is little memory');
  expect(await sendStrangers(server.url, site.domain, { from: 16_000, to: 17_000 })).toBe(1_000);
  await eventually(async () => expect((await fetch(`${server.url}/healthz`)).status).toBe(200));
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
});
