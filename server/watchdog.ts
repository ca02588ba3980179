// Ends a process whose event loop no longer turns, and one whose stop does not finish. A thread of its own watches, since nothing
// else still runs then: chDB catches SIGABRT and the like, and was seen to hold a process that was out of memory for 305 seconds.
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';

/** What the process does, and how long its thread may do nothing but that. */
export const PHASES = ['starting', 'running', 'stopping'] as const;
export type Phase = (typeof PHASES)[number];

export type Patience = {
  /** How often the loop says that it turns, and the thread looks. */
  tickMs: number;
  /** Silence after which the process is ended, while it starts: an engine opens its files on this thread. */
  startingMs: number;
  /** The same once it runs: whoever asks from outside knows within 10 s. Far above any work of ours: the largest batch holds the loop for less than a second. */
  runningMs: number;
  /** A stop is ended after this, silent or not. What was accepted waits in the queue, which is durable. */
  stoppingMs: number;
};
export const PATIENCE: Patience = { tickMs: 500, startingMs: 60_000, runningMs: 9_000, stoppingMs: 30_000 };

export type Watchdog = { enter(phase: Exclude<Phase, 'starting'>): void };

/** `beats` counts the turns of the loop, `phase` is an index of PHASES: both are read by the thread without asking. */
export type Shared = { beats: Int32Array; phase: Int32Array };
export type WatchdogData = Shared & { patience: Patience; logLevel: string };

/** Not under a debugger, where whoever stands at a breakpoint would lose the process. */
export function startWatchdog(options: { log: Log; logLevel: string; patience?: Patience }): Watchdog {
  if (debuggerUrl() !== undefined) return { enter: () => undefined };
  const { log, logLevel, patience = PATIENCE } = options;
  const shared: Shared = {
    beats: new Int32Array(new SharedArrayBuffer(4)),
    phase: new Int32Array(new SharedArrayBuffer(4)),
  };
  setInterval(() => Atomics.add(shared.beats, 0, 1), patience.tickMs).unref();
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData: { ...shared, patience, logLevel } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  thread.on('error', (error) => log.error({ error }, 'the watchdog ended: nobody watches this process any more'));
  thread.unref();
  return { enter: (phase) => void Atomics.store(shared.phase, 0, PHASES.indexOf(phase)) };
}

/**
 * Says why the process has to end, if it has to, each time that the thread looks. It counts looks and no clock: while a laptop
 * sleeps or the process is stopped (SIGSTOP) the thread looks no more often than the loop turns, and a busy machine slows both.
 */
export function createJudge({ tickMs, startingMs, runningMs, stoppingMs }: Patience) {
  let lastBeats = -1;
  let silentLooks = 0;
  let looksAtStop = 0;
  return (phase: Phase, beats: number): string | undefined => {
    if (phase === 'stopping') {
      looksAtStop += 1;
      if (looksAtStop * tickMs < stoppingMs) return undefined;
      return `the stop did not finish within ${stoppingMs / 1000} s: the process is ended`;
    }
    silentLooks = beats === lastBeats ? silentLooks + 1 : 0;
    lastBeats = beats;
    const patienceMs = phase === 'starting' ? startingMs : runningMs;
    if (silentLooks * tickMs < patienceMs) return undefined;
    return `the event loop has not turned for ${patienceMs / 1000} s: the process is ended`;
  };
}
