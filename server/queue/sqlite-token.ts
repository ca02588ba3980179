// The token of a batch of the queue's SQLite file: the file, and the numbers of the batch's first and last entry.

/** `fileId` has no underscore. */
export const tokenOf = ({ fileId, first, last }: { fileId: string; first: number; last: number }): string =>
  `${fileId}_${first}_${last}`;

export function rangeOf(token: string): { first: number; last: number } {
  const [, first, last] = token.split('_');
  return { first: Number(first), last: Number(last) };
}
