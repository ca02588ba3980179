// The directory database that does not answer, told also through libraries that make another error of it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../errors.ts';

const noting = new AsyncLocalStorage<{ away?: Unavailable }>();

/** What both forms of the database throw when it may answer later. */
export function away(cause: unknown): Unavailable {
  const error = new Unavailable('directory', cause);
  const note = noting.getStore();
  if (note) note.away = error;
  return error;
}

/** Does the work, and where it ends badly throws Unavailable if that is why, whatever the library has thrown or answered. */
export async function tellingAway<T>(work: () => Promise<T>, isBad: (answer: T) => boolean = () => false): Promise<T> {
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
