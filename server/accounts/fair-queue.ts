// A few things at a time, and a bounded queue for the rest. Everybody who waits gets a turn before anybody gets a second one, so that
// one address with many requests holds up its own alone. Who is known goes before who is not.
import { Refusal } from '../errors.ts';

export type Limits = {
  atOnce: number;
  /** How many may wait in each of the two lines, and how many of them for one person. */
  waiting: number;
  waitingEach: number;
};

export type Turns = {
  /** Throws too_many_requests when too many wait already. */
  take<T>(who: { name: string; isKnown: boolean }, work: () => Promise<T>): Promise<T>;
};

type Waiting = { start(): void; refuse(): void };

export function openTurns(limits: Limits): Turns {
  const lines = { known: openLine(limits), others: openLine(limits) };
  let running = 0;

  return {
    take: async ({ name, isKnown }, work) => {
      if (running < limits.atOnce) running += 1;
      else
        await new Promise<void>((resolve, reject) => {
          lines[isKnown ? 'known' : 'others'].join(name, { start: resolve, refuse: () => reject(tooMany()) });
        });
      try {
        return await work();
      } finally {
        const next = lines.known.next() ?? lines.others.next();
        if (next)
          next.start(); // hands its place on
        else running -= 1;
      }
    },
  };
}

function openLine({ waiting, waitingEach }: Limits) {
  /** In the order in which they are served. */
  const queues = new Map<string, Waiting[]>();
  let size = 0;

  function longest(): Waiting[] {
    return [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  }

  return {
    join: (name: string, one: Waiting) => {
      const queue = queues.get(name) ?? [];
      const fullest = size < waiting ? undefined : longest();
      // Where there is no room, who has the most gives up its last, unless the newcomer has as many.
      if (queue.length >= waitingEach || (fullest && fullest.length <= queue.length + 1)) return one.refuse();
      if (fullest) fullest.pop()?.refuse();
      else size += 1;
      queue.push(one);
      queues.set(name, queue);
    },
    next: (): Waiting | undefined => {
      const [first] = queues;
      if (!first) return undefined;
      const [name, queue] = first;
      queues.delete(name);
      const one = queue.shift();
      if (queue.length > 0) queues.set(name, queue); // at the end
      size -= 1;
      return one;
    },
  };
}

function tooMany(): Refusal {
  return new Refusal('too_many_requests', 'Too many people sign in at this moment: try again.', {
    retryAfterSeconds: 1,
  });
}
