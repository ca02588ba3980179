// Starts the engine's process when it is first needed, and replaces it when it ends by itself. After quiet minutes it is ended, which gives
// all its memory back.
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../errors.ts';
import { socketPath } from '../../process/unix-socket.ts';
import { type Child, startChild } from './child.ts';
import type { Work } from './messages.ts';

/** The next start takes 0.3 s. */
const QUIET_MS = 5 * 60_000;
/** The folder of a process that was killed is free a moment later. A disk may be full for longer. */
const FIRST_PAUSE_MS = 50;
const MOST_PAUSE_MS = 1_000;

/** Its connections are closed so long before it has ended. */
const ENDED_MS = 200;

export type Engine = {
  /** The path of the Unix socket at which the process listens. */
  readonly socket: string;
  /**
   * Does something with the process once it has opened its folder, or throws Unavailable if it has not within `waitMs`, or if it ends
   * meanwhile.
   */
  use<T>(waitMs: number, work: () => Promise<T>): Promise<T>;
  /** True if the process has ended because it was not asked for a while. */
  isAsleep(): boolean;
  close(): Promise<void>;
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
  const quiet = setTimeout(() => {
    if (uses > 0) return void quiet.refresh();
    isAsleep = processes.hasOne();
    void processes.end();
  }, quietMs).unref();

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
    async use(waitMs, work) {
      uses += 1;
      try {
        const asked = await ready(waitMs);
        const done = asked.begin();
        try {
          return await work();
        } catch (error) {
          if (!isLost(error)) throw error;
          await processes.giveUp(asked);
          throw new Unavailable('events', error);
        } finally {
          done();
        }
      } finally {
        uses -= 1;
        quiet.refresh();
      }
    },
    isAsleep: () => isAsleep,
    async close() {
      isClosed = true;
      clearTimeout(quiet);
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
    /** A process that has closed its connections has ended, or lives without its socket. */
    giveUp: async (lost: Child) => {
      const how = await Promise.race([lost.ended, pause(ENDED_MS, 'no socket', { ref: false })]);
      lost.kill();
      replace(lost, how);
    },
    end: async () => {
      const last = child ?? (await opening?.catch(() => undefined));
      child = opening = undefined;
      leaving = last?.end() ?? leaving;
      await leaving;
    },
  };
}

/** Whether nothing listens at the socket any more. */
function isLost(error: unknown): boolean {
  return /^(ECONNRESET|ECONNREFUSED|EPIPE|ENOENT)$/.test((error as NodeJS.ErrnoException).code ?? '');
}
