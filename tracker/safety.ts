// Whatever happens in here, the page comes first.

export const quietly =
  <Given>(run: (given: Given) => unknown) =>
  (given: Given): void => {
    try {
      run(given);
    } catch {
      // an event less, and the page goes on
    }
  };

/** In the capture phase: what a page stops on its way is counted all the same. */
export const listen = (type: string, run: (event: never) => unknown): void =>
  addEventListener(type, quietly(run) as EventListener, true);
