// The names of the queue's keys in Redis. Each number of partitions has keys of its own, so that the entries of an earlier version are found
// after the number has changed (older.ts).
import { PARTITIONS, tagOf } from '../../process/redis/partitions.ts';

/** Numbers of partitions, oldest first: the last one is in use, the others were in use before. */
export const LAYOUTS: readonly number[] = [1, PARTITIONS];

export type Names = {
  stream: string;
  /** A hash: the number of events that are held back, by site, and the id of the present read. */
  held: string;
  buried: string;
  /** The prefix of the keys of seen ids. */
  seen: string;
  lease: string;
};

/** The names of each partition. All names of one have the same hash tag. */
export function namesOf(prefix: string, partitions: number): Names[] {
  if (partitions === 1) return [named((name) => `${prefix}:${name}`, 'lease:writer')]; // the queue before it had partitions
  return Array.from({ length: partitions }, (_, partition) =>
    named((name) => `${prefix}:${tagOf(partition)}:${partitions}:${name}`, 'lease'),
  );
}

function named(nameOf: (name: string) => string, lease: string): Names {
  return {
    stream: nameOf('queue'),
    held: nameOf('held'),
    buried: nameOf('buried'),
    seen: nameOf('seen:'),
    lease: nameOf(lease),
  };
}
