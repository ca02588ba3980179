// The days of an import that have numbers already, for the dashboard and the command line.
import { DAY_MS, readDay } from '../time/time.ts';

/** Days as YYYY-MM-DD. */
export type TakenDays = {
  /** Those with events of the site's own. */
  counted: string[];
  /** Of these, those with payments, which always keep their own numbers. */
  paid: string[];
  /** Those of daily totals that other imports count for, by import. `file`: names of its files. */
  imported: { id: string; file: string; days: string[] }[];
};

/** What of the days is taken. Imports that have none of the days are left out. */
export function overlapOf(days: readonly string[], { counted, paid, imported }: TakenDays): TakenDays {
  const own = new Set(days);
  const among = (some: readonly string[]) => some.filter((day) => own.has(day));
  return {
    counted: among(counted),
    paid: among(paid),
    imported: imported.map((one) => ({ ...one, days: among(one.days) })).filter((one) => one.days.length > 0),
  };
}

export function withoutDays(days: readonly string[], others: readonly string[]): string[] {
  const gone = new Set(others);
  return days.filter((day) => !gone.has(day));
}

/** Joins days that follow one another. `days`: in their order. */
export function joinDays(days: readonly string[]): { first: string; last: string; days: string[] }[] {
  const spans: { first: string; last: string; days: string[] }[] = [];
  for (const day of days) {
    const span = spans.at(-1);
    if (span && (readDay(span.last) ?? NaN) + DAY_MS === readDay(day)) {
      span.last = day;
      span.days.push(day);
    } else spans.push({ first: day, last: day, days: [day] });
  }
  return spans;
}
