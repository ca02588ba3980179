// Kills the process if its event loop hangs or its stop does not finish. The watchdog is a thread: only another thread still runs then.
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';

/** The phases of a process. Each has a time limit of its own. */
export const PHASES = ['starting', 'running', 'stopping'] as const;
type Phase = (typeof PHASES)[number];

type Patience = {
  /** How often the event loop sends a heartbeat, and how often the thread checks for it. */
  tickMs: number;
  /** Longest time without a heartbeat during the start. Long, because migrations of large stores take long. */
  startingMs: number;
  /**
   * Longest time without a heartbeat while running: a hang is detected within 10 s. The largest batch blocks the event loop for less than a
   * second.
   */
  runningMs: number;
  /** Longest time for a stop, even with heartbeats. Killing loses nothing: accepted events are in the durable queue. */
  stoppingMs: number;
};
export const PATIENCE: Patience = { tickMs: 500, startingMs: 60_000, runningMs: 9_000, stoppingMs: 30_000 };

type Watchdog = { enter(phase: Exclude<Phase, 'starting'>): void };

/** Memory shared with the thread: `beats` counts heartbeats, `phase` is an index of PHASES. */
type Shared = { beats: Int32Array; phase: Int32Array };
export type WatchdogData = Shared & { patience: Patience; logLevel: string };

/** Does nothing under a debugger: a breakpoint would look like a hang. */
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
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 }, // half of what it takes by default
  });
  thread.on('error', (error) =>
    log.error({ error }, 'the watchdog failed: a hang of this process will not be detected'),
  );
  thread.unref();
  return { enter: (phase) => void Atomics.store(shared.phase, 0, PHASES.indexOf(phase)) };
}

/**
 * Returns a function that the thread calls at each tick: it returns why the process must end, or undefined. It counts its calls and does
 * not use a clock: while a laptop sleeps or the process is stopped (SIGSTOP), the thread pauses with the event loop.
 */
export function createJudge({ tickMs, startingMs, runningMs, stoppingMs }: Patience) {
  let lastBeats = -1;
  let silentTicks = 0;
  let stoppingTicks = 0;
  return (phase: Phase, beats: number): string | undefined => {
    if (phase === 'stopping') {
      stoppingTicks += 1;
      if (stoppingTicks * tickMs < stoppingMs) return undefined;
      return `the stop did not finish within ${stoppingMs / 1000} s: the process is killed`;
    }
    silentTicks = beats === lastBeats ? silentTicks + 1 : 0;
    lastBeats = beats;
    const patienceMs = phase === 'starting' ? startingMs : runningMs;
    if (silentTicks * tickMs < patienceMs) return undefined;
    return `the event loop was blocked for ${patienceMs / 1000} s: the process is killed`;
  };
}
