// A month of the calendar, and where its keys lead. Its weeks are the reader's; those of charts are the site's, and begin on Monday.
import { currentHabits, isTurned } from '../../../../server/vocabulary/habits/habits.ts';
import { dateFormat } from '../../../../server/vocabulary/habits/formatters.ts';
import { addMonths, DAY_MS, dayOf, startOfMonth } from '../../../../server/vocabulary/time/time.ts';

const WEEK_MS = 7 * DAY_MS;

/** The first and the last day that can be chosen. */
export type Bounds = { first: string; last: string };

const named = (options: Intl.DateTimeFormatOptions) => {
  const { format } = dateFormat(options);
  return (day: string) => format(Date.parse(day));
};
/** `Saturday, 21 November 2026`. */
export const fullDay = named({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
/** `November 2026`. */
export const monthOf = named({ month: 'long', year: 'numeric' });

const weekdayInFull = named({ weekday: 'long' });
const weekdayInShort = named({ weekday: 'short' });
const weekdayInLetter = named({ weekday: 'narrow' });
/** Two letters, where these tell the days apart. In Arabic they are an article, and in Portuguese there are two "se" and two "qu". */
function inShort(day: string): string {
  const { language } = currentHabits();
  return language === 'ar' ? weekdayInLetter(day) : weekdayInShort(day).slice(0, language === 'pt' ? 3 : 2);
}

/** From the day on which the reader's weeks begin. */
export const readersWeek = () =>
  Array.from({ length: 7 }, (_, index) => {
    const day = dayOf(weekOf(0) + index * DAY_MS);
    return { day, name: weekdayInFull(day), short: inShort(day) };
  });

// Not by `bucketsOf`: what this file imports from the vocabulary is part of the first load.
const weekOf = (time: number) => time - ((new Date(time).getUTCDay() - currentHabits().firstDay + 7) % 7) * DAY_MS;

/** The weeks of a day's month; nothing in place of a neighbouring month's days. */
export function weeksOf(day: string): (string | undefined)[][] {
  const from = startOfMonth(Date.parse(day));
  const to = startOfMonth(from, 1);
  const dayAt = (time: number) => (time >= from && time < to ? dayOf(time) : undefined);
  const first = weekOf(from);
  return Array.from({ length: Math.ceil((to - first) / WEEK_MS) }, (_, week) =>
    Array.from({ length: 7 }, (_, weekday) => dayAt(first + week * WEEK_MS + weekday * DAY_MS)),
  );
}

/** The same day of another month, or the nearest one that can be chosen. */
export function monthsLater(day: string, months: number, bounds: Bounds): string {
  return within(dayOf(addMonths(Date.parse(day), months)), bounds);
}

function within(day: string, { first, last }: Bounds): string {
  if (day < first) return first;
  return day > last ? last : day;
}

type Press = Pick<KeyboardEvent, 'key' | 'shiftKey'>;

/** The day that a key leads to. Undefined for other keys. */
export function dayAfter(day: string, { key, shiftKey }: Press, bounds: Bounds): string | undefined {
  const time = Date.parse(day);
  const months = shiftKey ? 12 : 1;
  const forward = isTurned() ? -DAY_MS : DAY_MS;
  const to = {
    ArrowLeft: time - forward,
    ArrowRight: time + forward,
    ArrowUp: time - WEEK_MS,
    ArrowDown: time + WEEK_MS,
    Home: weekOf(time),
    End: weekOf(time) + 6 * DAY_MS,
    PageUp: addMonths(time, -months),
    PageDown: addMonths(time, months),
  }[key];
  return to === undefined ? undefined : within(dayOf(to), bounds);
}
