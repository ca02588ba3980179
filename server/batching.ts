// Collects what arrives while a flush is under way and hands it over as one: many callers share a commit or a round trip.

export type Group<Item, Result> = {
  add(item: Item): Promise<Result>;
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>;
};

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (cause: unknown) => void };

/** `flush` answers each item in order; when it throws, every item of that flush is rejected with the same cause. */
export function createGroup<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  limits: { maxSize: number; sizeOf: (item: Item) => number },
): Group<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    // After the I/O callbacks of this turn, so that requests which came together go together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
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
