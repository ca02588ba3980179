// What tests do with Firefox and WebKit: Playwright drives only builds of its own.

/** A page, or a frame of it. */
type Inside = {
  /** The value of an expression, as JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Asks again until the expression is true. */
  until(expression: string): Promise<void>;
};

export type OtherBrowser = AsyncDisposable &
  Inside & {
    goto(url: string): Promise<void>;
    click(selector: string): Promise<void>;
    /** The frame with this number, from 0, in the order of the page. */
    within(frame: number): Inside;
  };

/** `run`: resolves with the text that a promise of one gives, there. */
export function inside(run: (promise: string) => Promise<string | null | undefined>): Inside {
  const evaluate = async <Value>(expression: string): Promise<Value> =>
    JSON.parse((await run(`Promise.resolve(${expression}).then((value) => JSON.stringify(value))`)) ?? 'null') as Value;
  return {
    evaluate,
    until: async (expression) => {
      // While a page loads, it may not know the names of the expression yet, or be replaced.
      const isTrue = () => evaluate<boolean>(`(${expression}) === true`).catch(() => false);
      while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}
