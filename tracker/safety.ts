// Keeps errors of the tracker away from the page.

export const quietly =
  <Given>(run: (given: Given) => unknown) =>
  (given: Given): void => {
    try {
      run(given);
    } catch {
      // an event is lost, but the page is not disturbed
    }
  };

/** Listens in the capture phase, so that events whose propagation the page stops are counted too. */
export const listen = (type: string, run: (event: never) => unknown): void =>
  addEventListener(type, quietly(run) as EventListener, true);
