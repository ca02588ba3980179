// One process of the engine: started, watched while it has work, and ended.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import type { Answer, Order, Work } from './messages.ts';

/** A running query holds one or two of libuv's threads. */
const THREADS = 24;
/** Answers pass through the process outside of V8's heap. */
const FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=1'];
/** How often a process with work is asked whether it answers. */
const TICK_MS = 500;
/** It is killed if it does not answer for so long: the largest insert takes less than a second of its event loop. */
const SILENT_TICKS = 16;
/** Opening the folder of a large store takes seconds. */
const OPENING_MS = 60_000;
/** Running statements may take so long when it is to end. */
const ENDING_MS = 10_000;
/** If the machine has no memory left, the system ends this process, and not the server. */
const OUT_OF_MEMORY_SCORE = '800';

export type Child = {
  /** How it ended. */
  readonly ended: Promise<string>;
  /** Watches it until the returned function is called, once. */
  begin(): () => void;
  end(): Promise<void>;
  kill(): void;
};

/** Throws if the process cannot open its folder. */
export async function startChild(work: Work): Promise<Child> {
  const child = fork(new URL('./process.ts', import.meta.url), [work.path], {
    // the path is for those who read lists of processes
    execArgv: FLAGS,
    env: { UV_THREADPOOL_SIZE: String(THREADS), TZ: 'UTC', NODE_COMPILE_CACHE: getCompileCacheDir() }, // no secrets
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'], // the engine prints reasons to stderr that its errors do not contain
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `code ${code}`));
    // It could not be started; or a message came too late, and its end follows.
    child.on('error', (error) => child.pid === undefined && resolve(error.message));
  });
  child.send(work);
  endFirst(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), OPENING_MS);
  const answer = await Promise.race([new Promise<Answer>((resolve) => child.once('message', resolve)), ended]);
  clearTimeout(timer);
  if (answer !== 'open') {
    await ended;
    throw new Error(typeof answer === 'string' ? `the engine ended with ${answer}` : answer.cannotOpen);
  }
  // A program that has nothing else to do ends, and this process with it.
  child.unref();
  child.channel?.unref();
  return {
    ended,
    begin: watched(child),
    kill: () => void child.kill('SIGKILL'),
    end: async () => {
      child.ref();
      const timer = setTimeout(() => child.kill('SIGKILL'), ENDING_MS);
      if (child.connected) child.send('end' satisfies Order);
      await ended;
      clearTimeout(timer);
    },
  };
}

function watched(child: ChildProcess): Child['begin'] {
  let busy = 0;
  let silent = 0;
  let timer: NodeJS.Timeout | undefined;
  child.on('message', (answer: Answer) => {
    if (answer === 'pong') silent = 0;
  });
  // Ticks are counted, and no clock is read: while this process is stopped, too, nothing answers.
  const tick = () => {
    if (silent >= SILENT_TICKS || (silent > 0 && isStopped(child))) child.kill('SIGKILL');
    silent += 1;
    if (child.connected) child.send('ping' satisfies Order);
  };
  return () => {
    if (busy === 0) {
      silent = 0;
      timer = setInterval(tick, TICK_MS).unref();
    }
    busy += 1;
    return () => {
      busy -= 1;
      if (busy === 0) clearInterval(timer);
    };
  };
}

/** Whether it was stopped (SIGSTOP): it would answer only when somebody continues it. Only Linux says so. */
function isStopped({ pid }: ChildProcess): boolean {
  try {
    return /^\d+ \(.*\) T/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function endFirst({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OUT_OF_MEMORY_SCORE);
  } catch {
    // Only Linux has this file.
  }
}
