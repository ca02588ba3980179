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
  let awakeUntil = 0;
  let isAsleep = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const stayAwake = (ms: number) => {
    awakeUntil = Math.max(awakeUntil, performance.now() + ms);
    timer ??= setTimeout(fallAsleep, ms).unref();
  };
  const fallAsleep = () => {
    timer = undefined;
    const left = awakeUntil - performance.now();
    if (isClosed) return;
    if (uses > 0 || left > 0) return stayAwake(uses > 0 ? quietMs : left);
    isAsleep = processes.hasOne();
    void processes.end();
  };
  const ready = async (waitMs: number): Promise<Child> => {
    const until = performance.now() + waitMs;
    isAsleep = false;
    for (;;)
      try {
        if (isClosed) throw new Error('closed');
        return await processes.open();
      } catch (error) {
        if (isClosed || performance.now() > until) throw new Unavailable('events', error);
      }
  };
  return {
    socket,
    async use(work, { waitMs, signal, isAsked = true }) {
      uses += 1;
      try {
        const asked = await ready(waitMs);
        const done = asked.begin();
        try {
          return await work();
        } catch (error) {
          const { code = '' } = error as NodeJS.ErrnoException;
          if (!LOST.test(code) || signal?.aborted) throw error;
          await processes.giveUp(asked, UNREACHABLE.test(code));
          throw new Unavailable('events', error);
        } finally {
          done();
        }
      } finally {
        uses -= 1;
        stayAwake(isAsked ? quietMs : LEAST_AWAKE_MS);
      }
    },
    isAsleep: () => isAsleep,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await processes.end();
    },
  };
}

/** The processes that are started one after another. */
function openProcesses(work: Work, onFault: Options['onFault']) {
  let opening: Promise<Child> | undefined;
  let child: Child | undefined;
  /** Until then, the process before holds the folder. */
  let leaving: Promise<unknown> = Promise.resolve();
  let pauseMs = FIRST_PAUSE_MS;

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
    end: async () => {
      const last = child ?? (await opening?.catch(() => undefined));
      child = opening = undefined;
      leaving = last?.end() ?? leaving;
      await leaving;
    },
  };
}
