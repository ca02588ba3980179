// Group commit: collects the items that arrive during a flush and flushes them together, so that many callers share one commit or round
// trip.

export type Group<Item, Result> = {
  add(item: Item): Promise<Result>;
  /** Resolves when no item waits and no flush is running. */
  idle(): Promise<void>;
};

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (cause: unknown) => void };

/** `flush` returns one result per item, in order. If it throws, all items of that flush are rejected with its error. */
export function createGroup<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  limits: { maxSize: number; sizeOf: (item: Item) => number },
): Group<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      // Waits for the other I/O callbacks of this turn, so that requests that arrived together are flushed together.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = takeBatch();
      try {
        const results = await flush(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    running = undefined;
  }

  function takeBatch(): Waiting<Item, Result>[] {
    let size = 0;
    const end = waiting.findIndex(({ item }, i) => (size += limits.sizeOf(item)) > limits.maxSize && i > 0);
    const batch = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    return batch;
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        running ??= run();
      });
    },
    idle: async () => {
      while (running) await running;
    },
  };
}
