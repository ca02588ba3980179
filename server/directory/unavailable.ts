// Reports an unavailable directory database as Unavailable, even through libraries that replace the error with their own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../errors.ts';

const noting = new AsyncLocalStorage<{ unavailable?: Unavailable }>();

/** Creates the error that both databases throw if a retry may help. */
export function unavailable(cause: unknown): Unavailable {
  const error = new Unavailable('directory', cause);
  const note = noting.getStore();
  if (note) note.unavailable = error;
  return error;
}

/** Runs `work`. Throws Unavailable if the database was unavailable while `work` threw or gave a bad answer. */
export async function reportUnavailable<T>(
  work: () => Promise<T>,
  isBad: (answer: T) => boolean = () => false,
): Promise<T> {
  const note: { unavailable?: Unavailable } = {};
  let answer: T;
  try {
    answer = await noting.run(note, work);
  } catch (error) {
    throw note.unavailable ?? error;
  }
  if (note.unavailable && isBad(answer)) throw note.unavailable;
  return answer;
}
