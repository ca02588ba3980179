// The token of a batch of the queue's SQLite file: the file, the lane, and the numbers of the batch's first and last entry.

/** `held` has the events of busy sites (held.ts). */
export type LaneName = 'waiting' | 'held';

/** `fileId` has neither an underscore nor an h. */
export function tokenOf(batch: { fileId: string; lane: LaneName; first: number; last: number }): string {
  return `${batch.fileId}${batch.lane === 'held' ? 'h' : ''}_${batch.first}_${batch.last}`;
}

export function rangeOf(token: string): { lane: LaneName; first: number; last: number } {
  const [file = '', first, last] = token.split('_');
  return { lane: file.endsWith('h') ? 'held' : 'waiting', first: Number(first), last: Number(last) };
}
