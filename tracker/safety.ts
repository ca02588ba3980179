// Keeps errors of the script away from the page.

export const quietly =
  <Given>(run: (given: Given) => unknown) =>
  (given: Given): void => {
    try {
      run(given);
    } catch {
      // an event less, and the page goes on
    }
  };

/** Listens in the capture phase: events that the page stops are still counted. */
export const listen = (type: string, run: (event: never) => unknown): void =>
  addEventListener(type, quietly(run) as EventListener, true);
