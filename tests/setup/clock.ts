// A clock that only tests move: `now` for code that takes the time, `schedule` for code that would otherwise set a timer.

export type Clock = {
  now: () => number;
  /** Runs `run` once `afterMs` of this clock have passed; the result cancels it. */
  schedule: (run: () => void, afterMs: number) => () => void;
  /** Moves the clock, runs due timers in order, each at its own time, and lets their I/O finish in between. */
  advance: (ms: number) => Promise<void>;
};

/** Noon in the middle of a month, so that a test of minutes never reaches midnight by accident. */
export const NOON = Date.UTC(2026, 4, 20, 12);

export function fakeClock(startAt = NOON): Clock {
  let time = startAt;
  let nextId = 0;
  const timers = new Map<number, { at: number; run: () => void }>();

  return {
    now: () => time,
    schedule(run, afterMs) {
      const id = nextId++;
      timers.set(id, { at: time + afterMs, run });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const until = time + ms;
      for (;;) {
        const [next] = [...timers].filter(([, { at }]) => at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b);
        if (!next) break;
        const [id, { at, run }] = next;
        timers.delete(id);
        time = Math.max(time, at);
        run();
        await settle();
      }
      time = until;
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
