// Sums over all providers, and how many pages were read for each visit sent back.
import { fullNumber, oneDigit } from '../formats/format';
import type { AiOverTime } from '../api/types';

type Exchange = { read: number; sent: number | null };
type Row = AiOverTime['by_provider'][number];

/** The sums of all providers, with those of the comparison if there is one. */
export function totalsOf(rows: readonly Row[]): Exchange & { previous: Exchange | null } {
  const before = rows.flatMap(({ previous }) => previous ?? []);
  return { ...sumOf(rows), previous: before.length > 0 ? sumOf(before) : null };
}

function sumOf(rows: readonly Exchange[]): Exchange {
  return {
    read: rows.reduce((sum, { read }) => sum + read, 0),
    sent: rows.reduce<number | null>((sum, { sent }) => (sum === null || sent === null ? null : sum + sent), 0),
  };
}

/** Undefined if nothing was sent back, or if that is not shown. */
export function pagesPerVisit({ read, sent }: Exchange): number | undefined {
  return sent ? read / sent : undefined;
}

/** A ratio as in "12.5 : 1". */
export function ratioText(ratio: number | undefined): string {
  if (ratio === undefined) return '–';
  return `${ratio < 10 ? oneDigit(ratio) : fullNumber(ratio)} : 1`;
}
