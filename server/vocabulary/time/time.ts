// Time: instants are milliseconds since the epoch, and days are UTC days. zones.ts has those of time zones.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}

export function startOfMinute(time: number): number {
  return Math.floor(time / MINUTE_MS) * MINUTE_MS;
}

export function startOfMonth(time: number, plusMonths = 0): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + plusMonths, 1);
}

/** The same time of day, months later or earlier. A day that the target month lacks becomes its last day. */
export function addMonths(time: number, months: number): number {
  const lastDay = new Date(startOfMonth(time, months + 1) - DAY_MS).getUTCDate();
  const day = Math.min(new Date(time).getUTCDate(), lastDay);
  return startOfMonth(time, months) + (day - 1) * DAY_MS + time - startOfDay(time);
}

/** The UTC day as YYYY-MM-DD. */
export function dayOf(time: number): string {
  const start = startOfDay(time);
  const known = texts.get(start);
  if (known !== undefined) return known;
  const text = new Date(start).toISOString().slice(0, 10);
  if (texts.size === MAX_TEXTS) texts.clear();
  texts.set(start, text);
  return text;
}

/** An instant as the API and the commands show it. */
export const isoOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Days as YYYY-MM-DD, in their order, as spans of days that follow each other: the first and the last of each. */
export function spansOfDays(days: readonly string[]): [first: string, last: string][] {
  const spans: [string, string][] = [];
  for (const day of days) {
    const span = spans.at(-1);
    if (span && readDay(day) === (readDay(span[1]) ?? NaN) + DAY_MS) span[1] = day;
    else spans.push([day, day]);
  }
  return spans;
}

/** The starts of the days of a range, which begins with one. */
export const daysIn = ({ from, to }: { from: number; to: number }): number[] =>
  Array.from({ length: Math.ceil((to - from) / DAY_MS) }, (_, index) => from + index * DAY_MS);

/** The days of eleven years. A question about a year names each of its days several times. */
const MAX_TEXTS = 4_000;
const texts = new Map<number, string>();

/** Returns midnight of a day given as YYYY-MM-DD; undefined for days that do not exist, such as 2026-02-30. */
export function readDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return Number.isNaN(time) || dayOf(time) !== text ? undefined : time;
}
