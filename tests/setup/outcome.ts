// The outcome of a call that may be refused, as one line to compare.
import { Refusal } from '../../server/errors.ts';

/** `allowed`, or the refusal's code and message. Any other error is thrown. */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'allowed',
    (error: unknown) => {
      if (error instanceof Refusal) return `${error.code}: ${error.message}`;
      throw error;
    },
  );
}
