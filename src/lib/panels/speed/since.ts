// The days since a release, and as many before it: whether a release made pages faster or slower.
import { DAY_MS, dayOf, readDay } from '../../../../server/vocabulary/time/time.ts';
import type { Note, Question } from '../../api/types';

const MOST_DAYS = 28;

type Compared = Required<Pick<Question, 'date_from' | 'date_to' | 'compare_from' | 'compare_to'>> & { days: number };

/** Up to the next release. Undefined for a day to come. `today`: by the site's calendar. */
export function daysSince({ day }: Pick<Note, 'day'>, releases: readonly Pick<Note, 'day'>[], today: string) {
  const [start, end] = [readDay(day) ?? 0, (readDay(today) ?? 0) + DAY_MS];
  const later = releases.map((release) => readDay(release.day) ?? 0).filter((at) => at > start);
  const days = Math.min(MOST_DAYS, (Math.min(end, ...later) - start) / DAY_MS);
  if (days < 1) return undefined;
  return {
    days,
    date_from: day,
    date_to: dayOf(start + (days - 1) * DAY_MS),
    compare_from: dayOf(start - days * DAY_MS),
    compare_to: dayOf(start - DAY_MS),
  } satisfies Compared;
}
