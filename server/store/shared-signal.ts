// An abort signal for work that several callers wait for: it aborts once all of them have left.

export type Audience = {
  signal: AbortSignal;
  /** A waiter without a signal never leaves. */
  join(signal: AbortSignal | undefined): void;
};

export function openAudience(): Audience {
  const controller = new AbortController();
  let staying = 0;
  return {
    signal: controller.signal,
    join: (signal) => {
      staying += 1;
      const leave = () => {
        staying -= 1;
        if (staying === 0) controller.abort();
      };
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave, { once: true });
    },
  };
}
