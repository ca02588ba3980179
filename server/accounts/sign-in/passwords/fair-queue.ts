// A fair, bounded queue that runs a few tasks at a time. Everybody who waits gets one turn before anybody gets a second, so an address with
// many requests delays only itself. Known browsers go first.
import { Refusal } from '../../../errors.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

type Limits = {
  atOnce: number;
  /** How many tasks may wait in each of the two queues: in total, and per name. */
  waiting: number;
  waitingEach: number;
};

type FairQueue = {
  /** Waits for a turn and runs `work`. Throws too_many_requests if too many tasks are waiting. */
  take<T>(who: { name: string; isKnown: boolean }, work: () => Promise<T>): Promise<T>;
};

type Waiting = { start(): void; refuse(): void };

export function openFairQueue(limits: Limits): FairQueue {
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
          next.start(); // takes over this task's place
        else running -= 1;
      }
    },
  };
}

function openLine({ waiting, waitingEach }: Limits) {
  /** Waiting tasks by name, in the order in which the names are served. */
  const queues = new Map<string, Waiting[]>();
  let size = 0;

  function longest(): Waiting[] {
    return [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  }

  return {
    join: (name: string, task: Waiting) => {
      const queue = queues.get(name) ?? [];
      const fullest = size < waiting ? undefined : longest();
      // If the queue is full, the name with the most waiting tasks loses its last one, unless the new task's name has as many.
      if (queue.length >= waitingEach || (fullest && fullest.length <= queue.length + 1)) return task.refuse();
      if (fullest) fullest.pop()?.refuse();
      else size += 1;
      queue.push(task);
      queues.set(name, queue);
    },
    next: (): Waiting | undefined => {
      const [first] = queues;
      if (!first) return undefined;
      const [name, queue] = first;
      queues.delete(name);
      const task = queue.shift();
      if (queue.length > 0) queues.set(name, queue); // moves the name to the end
      size -= 1;
      return task;
    },
  };
}

function tooMany(): Refusal {
  return new Refusal('too_many_requests', t('Too many people are logging in: try again in a moment.'), {
    retryAfterSeconds: 1,
  });
}
