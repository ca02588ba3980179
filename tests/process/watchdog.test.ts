// The thread that ends a process whose event loop hangs: what it decides, and that it does so in real processes. Crashes need no thread.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createJudge, PATIENCE } from '../../server/process/watchdog.ts';
import { FATAL_SIGNALS } from '../../server/store/engine/signals.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { engineOf } from '../setup/processes/engine.ts';
import { startServer } from '../setup/server.ts';

type Phase = Parameters<ReturnType<typeof createJudge>>[0];

describe('the watchdog', () => {
  /** The number of checks (looks) after which it ends a process whose event loop has run `beatsAt(look)` times. */
  const looksUntilEnd = (phaseAt: (look: number) => Phase, beatsAt: (look: number) => number, most = 10_000) => {
    const judge = createJudge(PATIENCE);
    for (let look = 1; look <= most; look += 1) if (judge(phaseAt(look), beatsAt(look)) !== undefined) return look;
    return undefined;
  };

  test('ends a process that is silent for 9 seconds once it runs, and for 60 while it starts', () => {
    expect(
      (looksUntilEnd(
        () => 'running',
        () => 7,
      ) ?? 0) * PATIENCE.tickMs,
    ).toBe(9_500);
    expect(
      (looksUntilEnd(
        () => 'starting',
        () => 7,
      ) ?? 0) * PATIENCE.tickMs,
    ).toBe(60_500);
  });

  test('tolerates an event loop that runs once in eight seconds, for any length of time', () => {
    expect(
      looksUntilEnd(
        () => 'running',
        (look) => Math.floor(look / 16),
      ),
    ).toBeUndefined();
  });

  test('ends a stop after 30 seconds, although the loop runs', () => {
    const phaseAt = (look: number): Phase => (look <= 100 ? 'running' : 'stopping');
    expect(((looksUntilEnd(phaseAt, (look) => look) ?? 0) - 100) * PATIENCE.tickMs).toBe(30_000);
  });
});

async function startWatched(kind: string, args: string[] = []) {
  const script = new URL('../setup/processes/watchdog-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...args, script, kind], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  while (!output.includes('\n')) await once(child.stdout, 'data');
  return {
    child,
    url: `http://127.0.0.1:${Number.parseInt(output, 10)}`,
    /** The signal that ended it. */
    ended: async () => (await exited)[1],
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

describe('a process under the watchdog', () => {
  test('whose event loop is blocked is ended, with a log line that says why', async () => {
    await using watched = await startWatched('does not turn');
    expect(await watched.ended()).toBe('SIGKILL');
    expect(watched.output()).toContain('"msg":"the event loop was blocked for 2 s: the process is killed"');
  });

  test('whose stop does not finish is ended, although it still answers', async () => {
    await using watched = await startWatched('does not finish its stop');
    expect(await (await fetch(watched.url)).text()).toBe('turns');
    watched.child.kill('SIGTERM');
    expect(await watched.ended()).toBe('SIGKILL');
    expect(watched.output()).toContain('the stop did not finish within 1 s');
  });

  test('that was suspended for longer than the watchdog waits is not ended, as when a laptop wakes up', async () => {
    await using watched = await startWatched('turns and turns');
    watched.child.kill('SIGSTOP');
    await pause(4_000); // twice the permitted silence
    watched.child.kill('SIGCONT');
    await pause(500); // ten checks
    expect(await (await fetch(watched.url)).text()).toBe('turns');
  });
});

test('a server that hangs is ended, with a log line that says why', async () => {
  await using folder = await tempFolder();
  const NODE_OPTIONS = `--import=${new URL('../setup/processes/hang-on-signal.ts', import.meta.url).href}`;
  await using server = await startServer({ DATA_DIR: folder.path, NODE_OPTIONS });
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(await server.end('SIGUSR2')).toEqual({ code: null, signal: 'SIGKILL' });
  expect(server.output()).toContain('the event loop was blocked for 9 s');
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});

describe('a crash ends the process at once', () => {
  test('when its memory is used up', async () => {
    await using watched = await startWatched('has no memory left', ['--max-old-space-size=64']);
    expect(await watched.ended()).toBe('SIGABRT');
  });

  test('on every fatal signal in the engine, and a core dump of neither process holds memory', async () => {
    await using folder = await tempFolder();
    await using server = await startServer({ DATA_DIR: folder.path });
    await eventually(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200));
    const engine = await engineOf(join(folder.path, 'events'));
    for (const pid of [server.pid, engine]) {
      expect(Number.parseInt(await readFile(`/proc/${pid}/coredump_filter`, 'utf8'), 16)).toBe(0);
    }
    // A bit for each signal that has a handler.
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(await readFile(`/proc/${engine}/status`, 'utf8'))?.[1];
    const isCaught = (signal: NodeJS.Signals) => (BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n;
    expect(FATAL_SIGNALS.filter(isCaught)).toEqual([]);
    expect(isCaught('SIGTERM')).toBe(1n); // of Node: the mask was read
  });

  // Right after the start the main thread compiles code, and may hold a lock of V8 that other threads need.
  test.each([0, 40])('on SIGABRT, after %i requests', async (requests) => {
    await using folder = await tempFolder();
    await using server = await startServer({ DATA_DIR: folder.path });
    const answers = Array.from({ length: requests }, () => fetch(`${server.url}/healthz`));
    await answers[0];
    const ended = server.end('SIGABRT');
    await Promise.allSettled(answers);
    expect(await ended).toEqual({ code: null, signal: 'SIGABRT' });
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });
});
