// Notes on charts. The places of marks: the bucket that contains the start of a note's day, or the time of what an alert noticed.
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { type Interval, isWithinDay, nextBucket } from '../../../server/vocabulary/time/intervals.ts';
import { readDay } from '../../../server/vocabulary/time/time.ts';
import { instantAt } from '../../../server/vocabulary/time/zones.ts';
import type { Mark, Note } from '../api/types';
import { date } from '../formats/format';

type Buckets = { starts: readonly number[]; interval: Interval; zone: string };
type Place = { index: number; notes: Mark[] };

/**
 * The notes of each bucket that has any, by the index of the bucket. Notes before the first bucket or after the last have no place. `apart`:
 * how many buckets there must be from one place to the next; what is closer joins the place before it.
 */
export function placesOf(notes: readonly Mark[], { starts, interval, zone }: Buckets, apart: number): Place[] {
  const indexOf = ({ day, time: exact }: Mark): number => {
    const start = readDay(day) ?? 0;
    // Hours and minutes are instants. All other buckets start at days of the site's zone, as the note does.
    const time = isWithinDay(interval) ? (exact ?? instantAt(start, zone)) : start;
    const index = starts.findLastIndex((bucket) => bucket <= time);
    return time < nextBucket(starts[index] ?? 0, interval) ? index : -1;
  };
  const places: Place[] = [];
  const byIndex = [...Map.groupBy(notes, indexOf)].filter(([index]) => index >= 0);
  for (const [index, own] of byIndex.sort(([one], [other]) => one - other)) {
    const before = places.at(-1);
    if (before && index < before.index + apart) before.notes.push(...own);
    else places.push({ index, notes: own });
  }
  return places;
}

/** The day of a note, and what else there is to know: `19 Nov 2026, release, hidden from share links`. */
export const aboutNote = ({ day, kind, is_private }: Note): string =>
  [date(day), kind === 'release' && t('release'), is_private && t('hidden from share links')]
    .filter(Boolean)
    .join(', ');
