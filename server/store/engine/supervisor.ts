// Starts the engine's process when it is first needed, and replaces it when it ends by itself. After quiet minutes it is ended, which gives
// all its memory back.
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../errors.ts';
import { socketPath } from '../../process/unix-socket.ts';
import { type Child, startChild } from './child.ts';
import type { Work } from './messages.ts';

/** The next start takes 0.3 s. */
const QUIET_MS = 5 * 60_000;
/** After what the server asked by itself. */
const LEAST_AWAKE_MS = 20_000;
/** The folder of a process that was killed is free a moment later. A disk may be full for longer. */
const FIRST_PAUSE_MS = 50;
const MOST_PAUSE_MS = 1_000;

/** Its connections are closed so long before it has ended. */
const ENDED_MS = 200;

/** Errors of a connection that nothing listens to, or that the process closed. */
const UNREACHABLE = /^(ECONNREFUSED|ENOENT)$/;
const LOST = /^(ECONNREFUSED|ENOENT|ECONNRESET|EPIPE)$/;
/** ClickHouse's code of a file that is not what it should be. A process sets aside such files only when it starts: until then, nothing can be asked or stored. */
const DAMAGED = '246';
/** A process is replaced no more often than this: if that does not help, questions about other files are answered in between. */
const MENDED_EVERY_MS = 30_000;

export type Engine = {
  /** The path of the Unix socket at which the process listens. */
  readonly socket: string;
  /** Does something with the process once it has opened its folder. Throws Unavailable if it has not in time, or ends meanwhile. */
  use<T>(work: () => Promise<T>, using: Using): Promise<T>;
  /** True if the process has ended because it was not asked for a while. */
  isAsleep(): boolean;
  close(): Promise<void>;
};

export type Using = {
  /** How long the process is waited for. */
  waitMs: number;
  /** How long it is tried again if it cannot open its folder; by default for as long. */
  retryMs?: number;
  /** Aborted when the requester has left: what the process then answers does not matter. */
  signal?: AbortSignal | undefined;
  /** False for what the server asks by itself, which does not keep the process from falling asleep. */
  isAsked?: boolean;
};

type Options = {
  path: string;
  /** Told why a process did not open its folder, or how it ended by itself. */
  onFault: (fault: string) => void;
  quietMs?: number | undefined;
};

export function superviseEngine({ path, onFault, quietMs = QUIET_MS }: Options): Engine {
  const socket = socketPath(path, 'sock');
  const processes = openProcesses({ path, socket }, onFault);
  let uses = 0;
  let isAsleep = false;
  let isClosed = false;
  const rest = openRest(() => {
    if (uses > 0) return rest.stayAwake(quietMs);
    isAsleep = processes.hasOne();
    void processes.end();
  });

  const ready = async ({ waitMs, retryMs = waitMs }: Using): Promise<Child> => {
    const startedAt = performance.now();
    isAsleep = false;
    for (;;)
      try {
        if (isClosed) throw new Error('closed');
        return await inTime(processes.open(), startedAt + waitMs - performance.now());
      } catch (error) {
        if (isClosed || performance.now() > startedAt + retryMs) throw new Unavailable('events', error);
      }
  };
  return {
    socket,
    async use(work, using) {
      const { signal, isAsked = true } = using;
      uses += 1;
      try {
        const asked = await ready(using);
        const done = asked.begin();
        try {
          return await work();
        } catch (error) {
          const { code = '' } = error as NodeJS.ErrnoException;
          if (code === DAMAGED) await processes.mend(asked);
          else if (!LOST.test(code) || signal?.aborted) throw error;
          else await processes.giveUp(asked, UNREACHABLE.test(code));
          throw new Unavailable('events', error);
        } finally {
          done();
        }
      } finally {
        uses -= 1;
        rest.stayAwake(isAsked ? quietMs : LEAST_AWAKE_MS);
      }
    },
    isAsleep: () => isAsleep,
    async close() {
      isClosed = true;
      rest.stop();
      await processes.end();
    },
  };
}

/** Calls `fallAsleep` once the latest of the given times is over. */
function openRest(fallAsleep: () => void) {
  let until = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      const left = until - performance.now();
      if (left > 0) wait(left);
      else fallAsleep();
    }, ms).unref();
  };
  return {
    stayAwake: (ms: number) => {
      until = Math.max(until, performance.now() + ms);
      wait(ms);
    },
    stop: () => clearTimeout(timer),
  };
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController();
  const late = pause(Math.max(0, ms), undefined, { signal: over.signal }).then(() => {
    throw new Error('it is still opening the folder');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}

/** The processes that are started one after another. */
function openProcesses(work: Work, onFault: Options['onFault']) {
  let opening: Promise<Child> | undefined;
  let child: Child | undefined;
  /** Until then, the process before holds the folder. */
  let leaving: Promise<unknown> = Promise.resolve();
  let pauseMs = FIRST_PAUSE_MS;
  let mendedAt = -Infinity;

  const open = (): Promise<Child> => (opening ??= launch());
  const launch = async (): Promise<Child> => {
    await leaving;
    try {
      const started = await startChild(work);
      child = started;
      pauseMs = FIRST_PAUSE_MS;
      void started.ended.then((how) => replace(started, how));
      return started;
    } catch (error) {
      onFault(`the events in ${work.path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
      await pause(pauseMs);
      pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS);
      opening = undefined;
      throw error;
    }
  };
  /** At once, so that the next question need not wait. */
  const replace = (ended: Child, how: string) => {
    if (child !== ended) return; // it was told to end, or replaced already
    child = opening = undefined;
    leaving = ended.ended;
    onFault(`the engine ended with ${how}: it is started again`);
    void open().catch(() => undefined);
  };
  return {
    open,
    hasOne: () => opening !== undefined,
    /** Waits for the end of a process that has closed a connection. One that lives without its socket is ended. */
    giveUp: async (lost: Child, isUnreachable: boolean) => {
      const how = await Promise.race([lost.ended, pause(ENDED_MS, undefined, { ref: false })]);
      if (how === undefined && isUnreachable) lost.kill();
      if (how !== undefined || isUnreachable) replace(lost, how ?? 'no socket');
    },
    /** Ends a process that has met a damaged file. */
    mend: async (damaged: Child) => {
      if (damaged !== child || performance.now() < mendedAt + MENDED_EVERY_MS) return;
      mendedAt = performance.now();
      damaged.kill();
      replace(damaged, 'a damaged file');
      await damaged.ended;
    },
    end: async () => {
      const last = child ?? (await opening?.catch(() => undefined));
      child = opening = undefined;
      leaving = last?.end() ?? leaving;
      await leaving;
    },
  };
}
