// The engine's process: when it runs, when it ends, and what the store says meanwhile. tests/process/engine.test.ts has its faults under load.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../server/store/open.ts';
import { makeAiVisit } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { engineOf } from '../setup/processes/engine.ts';

const COUNT = 'SELECT toString(count()) AS rows FROM ai_visits';
const isGone = (events: string) => expect(engineOf(events)).rejects.toThrow('does not run');

describe('the process of the engine', () => {
  test('is not started before it is needed, ends when it was not asked for a while, and is started again', async () => {
    await using folder = await tempFolder();
    const faults: string[] = [];
    const store = await openStore({ path: folder.path, quietMs: 100, onFault: (fault) => faults.push(fault) });
    expect(store.isNew).toBe(true);
    await isGone(folder.path);
    await store.insert({ events: [], ai_visits: [makeAiVisit({})] }, 'a');
    await engineOf(folder.path);
    await eventually(() => isGone(folder.path));
    await store.ping(); // who only checks does not wake it
    await isGone(folder.path);
    expect(await store.query(COUNT, {})).toEqual([{ rows: '1' }]);
    await store.close();
    await isGone(folder.path);
    expect(faults).toEqual([]);
  });

  test('is not waited for when a folder of this version is opened', async () => {
    await using folder = await tempFolder();
    const first = await openStore({ path: folder.path });
    await first.insert({ events: [], ai_visits: [makeAiVisit({})] }, 'a');
    await first.close();
    const second = await openStore({ path: folder.path });
    expect(second.isNew).toBe(false);
    await isGone(folder.path);
    expect(await second.query(COUNT, {})).toEqual([{ rows: '1' }]);
    await second.close();
  });

  test('is in a folder that no second one opens', async () => {
    await using folder = await tempFolder();
    const first = await openStore({ path: folder.path });
    await first.ping();
    const faults: string[] = [];
    const second = await openStore({ path: folder.path, waitMs: 0, onFault: (fault) => faults.push(fault) });
    await expect(second.ping()).rejects.toThrow('The events store does not answer.');
    await eventually(() => expect(faults[0]).toMatch(/^the events in .* cannot be opened: /));
    expect(await first.query(COUNT, {})).toEqual([{ rows: '0' }]);
    await second.close();
    await first.close();
  });

  test('is told of when it cannot open its folder, makes no empty one in its place, and opens it once it is back', async () => {
    await using folder = await tempFolder();
    const path = join(folder.path, 'events');
    await mkdir(path);
    const faults: string[] = [];
    const store = await openStore({ path, waitMs: 0, onFault: (fault) => faults.push(fault) });
    await eventually(() => store.insert({ events: [], ai_visits: [makeAiVisit({})] }, 'a'));
    await rename(path, `${path}.away`);
    process.kill(await engineOf(path), 'SIGKILL');
    await eventually(() => isGone(path));
    await expect(store.query(COUNT, {})).rejects.toThrow('The events store does not answer.');
    const missing = `the events in ${path} cannot be opened: there is no such folder`;
    await eventually(() => expect(faults.at(-1)).toBe(missing));
    expect(await readdir(folder.path)).toEqual(['events.away']);
    await rename(`${path}.away`, path);
    await eventually(async () => expect(await store.query(COUNT, {})).toEqual([{ rows: '1' }]));
    await store.close();
  });

  test('is replaced when it meets a file that a full disk has left empty: the rows beside it are found again', async () => {
    await using folder = await tempFolder();
    const faults: string[] = [];
    const store = await openStore({ path: folder.path, onFault: (fault) => faults.push(fault) });
    for (const token of ['a', 'b']) await store.insert({ events: [], ai_visits: [makeAiVisit({})] }, token);
    const [part] = await store.query<{ path: string }>(
      "SELECT path FROM system.parts WHERE table = 'ai_visits' AND active ORDER BY name DESC",
      {},
    );
    for (const name of await readdir(part?.path ?? ''))
      if (name.startsWith('data.')) await truncate(join(part?.path ?? '', name));
    expect(await store.query('SELECT event_id FROM ai_visits', {})).toHaveLength(1);
    expect(faults).toEqual(['the engine ended with a damaged file: it is started again']);
    await store.insert({ events: [], ai_visits: [makeAiVisit({})] }, 'c');
    expect(await store.query('SELECT event_id FROM ai_visits', {})).toHaveLength(2);
    await store.close();
  });

  test('ends with its server, also if that is killed', async () => {
    await using folder = await tempFolder();
    const store = new URL('../../server/store/open.ts', import.meta.url).href;
    const script = `const { openStore } = await import('${store}');
      await (await openStore({ path: process.argv[1] })).ping();
      process.stdout.write('open');
      setInterval(() => undefined, 1000); // the engine alone does not keep its server running`;
    const server = spawn(process.execPath, ['--input-type=module', '-e', script, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(server.stdout, 'data');
    await engineOf(folder.path);
    server.kill('SIGKILL');
    await eventually(() => isGone(folder.path));
  });
});
