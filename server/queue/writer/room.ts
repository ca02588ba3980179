// The writers of one process share memory for a few batches at once, given in the order in which they ask, and the count of those that are
// busy.

export type Room = {
  /** Runs `work` once there is room for it. A writer that leaves queues up again behind the others, so a hot partition does not hold them up. */
  enter<Value>(work: () => Promise<Value>): Promise<Value>;
  /** A writer's place in the count. */
  seat(): { set(isBusy: boolean): void };
  /** The number of writers whose last read found events. */
  busy(): number;
};

/** `atOnce` works run at the same time. */
export function openRoom(atOnce: number): Room {
  const waiting: (() => void)[] = [];
  const seats = new Set<object>();
  let free = atOnce;
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    async enter(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        leave();
      }
    },
    seat: () => {
      const seat = {};
      return { set: (isBusy) => void (isBusy ? seats.add(seat) : seats.delete(seat)) };
    },
    busy: () => seats.size,
  };
}
