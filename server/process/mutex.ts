// Work that must not overlap.

/** Runs one work at a time, in the order of the calls. */
export function openMutex(): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let busy: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = busy.then(work, work);
    busy = turn;
    return turn;
  };
}
