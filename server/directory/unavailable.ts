// Reports an unavailable directory database as Unavailable, even through libraries that replace the error by one of their own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../errors.ts';

const noting = new AsyncLocalStorage<{ away?: Unavailable }>();

/** Makes the error that both databases throw if a retry may help. */
export function away(cause: unknown): Unavailable {
  const error = new Unavailable('directory', cause);
  const note = noting.getStore();
  if (note) note.away = error;
  return error;
}

/** Runs `work`. If it throws or its answer is bad, and the database was unavailable meanwhile, throws Unavailable instead. */
export async function reportUnavailable<T>(
  work: () => Promise<T>,
  isBad: (answer: T) => boolean = () => false,
): Promise<T> {
  const note: { away?: Unavailable } = {};
  let answer: T;
  try {
    answer = await noting.run(note, work);
  } catch (error) {
    throw note.away ?? error;
  }
  if (note.away && isBad(answer)) throw note.away;
  return answer;
}
