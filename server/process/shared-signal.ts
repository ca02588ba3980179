// An abort signal for work that several callers wait for: it aborts once all of them have left.

export type Audience = {
  signal: AbortSignal;
  /** A waiter without a signal never leaves. Returns false if the work was given up, because all others had left. */
  join(signal: AbortSignal | undefined): boolean;
  /** The work is over: who leaves now ends nothing, and no signal is listened to. */
  end(): void;
};

export function openAudience(): Audience {
  const controller = new AbortController();
  const { signal: givenUp } = controller;
  const listening = new Map<() => void, AbortSignal>();
  let staying = 0;
  let isOver = false;
  return {
    signal: givenUp,
    join: (signal) => {
      if (isOver || givenUp.aborted) return !givenUp.aborted;
      staying += 1;
      const leave = () => {
        staying -= 1;
        if (staying === 0 && !isOver) controller.abort();
      };
      if (signal?.aborted) leave();
      else if (signal) {
        listening.set(leave, signal);
        signal.addEventListener('abort', leave, { once: true });
      }
      return true;
    },
    end: () => {
      isOver = true;
      for (const [leave, signal] of listening) signal.removeEventListener('abort', leave);
      listening.clear();
    },
  };
}
