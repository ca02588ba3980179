// A throttle per key: the first request runs immediately, later ones at most once per `everyMs`. The last request is never lost.

/** Calls `run` after `afterMs`; the returned function cancels it. Tests pass a clock of their own. */
export type Schedule = (run: () => void, afterMs: number) => () => void;

export const scheduleTimer: Schedule = (run, afterMs) => {
  const timer = setTimeout(run, afterMs);
  timer.unref();
  return () => clearTimeout(timer);
};

type Throttle<Key> = {
  ask(key: Key): void;
  /** Forgets idle keys. Call this now and then. */
  sweep(): void;
  stop(): void;
};

type Pace<Key> = {
  everyMs: number;
  /** A longer time between two runs, for keys whose runs cost more. */
  everyMsOf?: (key: Key) => number;
  /** After this many runs in a row a key waits `burst.everyMs` between two runs, until it has been idle for as long as they took. */
  burst?: { runs: number; everyMs: number };
  now: () => number;
  schedule: Schedule;
};

/** `run` must not throw. Runs for the same key never overlap. */
export function createThrottle<Key>(pace: Pace<Key>, run: (key: Key) => Promise<void> | void): Throttle<Key> {
  const { everyMs, everyMsOf = () => everyMs, now, schedule } = pace;
  const burst = pace.burst ?? { runs: 1, everyMs };
  type State = {
    startedAt: number;
    /** Runs that are left of the burst, with the fraction that has been regained. */
    left: number;
    isRunning: boolean;
    isAsked: boolean;
    cancel: (() => void) | undefined;
  };
  const states = new Map<Key, State>();

  const regained = (state: State) =>
    Math.min(burst.runs, state.left + Math.abs(now() - state.startedAt) / burst.everyMs);

  function start(key: Key, state: State): void {
    state.left = regained(state) - 1;
    state.startedAt = now();
    state.isRunning = true;
    state.isAsked = false;
    void (async () => {
      await run(key);
      state.isRunning = false;
      if (state.isAsked) later(key, state);
    })();
  }

  function later(key: Key, state: State): void {
    if (state.cancel) return;
    const restMs = Math.max(everyMs, everyMsOf(key), (1 - state.left) * burst.everyMs);
    const waitMs = Math.min(restMs, state.startedAt + restMs - now()); // a clock that was set back must not delay a run
    if (waitMs <= 0) return start(key, state);
    state.cancel = schedule(() => {
      state.cancel = undefined;
      start(key, state);
    }, waitMs);
  }

  return {
    ask(key) {
      let state = states.get(key);
      if (!state)
        states.set(
          key,
          (state = { startedAt: -Infinity, left: burst.runs, isRunning: false, isAsked: false, cancel: undefined }),
        );
      state.isAsked = true;
      if (!state.isRunning) later(key, state);
    },
    sweep() {
      for (const [key, state] of states)
        if (
          !state.isRunning &&
          !state.cancel &&
          Math.abs(now() - state.startedAt) >= burst.runs * Math.max(everyMs, burst.everyMs)
        )
          states.delete(key);
    },
    stop() {
      for (const { cancel } of states.values()) cancel?.();
      states.clear();
    },
  };
}
