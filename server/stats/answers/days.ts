// The data of the CSV export: every day of a range, with its top lists. It uses the same tables of metrics and dimensions as all other
// queries, and takes four scans for any number of days.
import { bucketsOf } from '../../vocabulary/time/intervals.ts';
import { dayOf, readDay } from '../../vocabulary/time/time.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import type { Metric } from '../../vocabulary/numbers/metrics.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Scope } from '../sql/scope.ts';
import type { Ask } from '../sql/sql.ts';
import { numberOf } from './values.ts';

/** Rows in each list of a day, highest count first, ties by name. */
const LISTED = 100;
/** Days per scan: 92 × LISTED rows of each list are in memory at the same time. */
export const DAYS_AT_ONCE = 92;

const LISTS = {
  pages: { dimension: 'page', metric: 'pageviews' },
  referrers: { dimension: 'referrer', metric: 'visits' },
  events: { dimension: 'event', metric: 'events' },
} as const satisfies Record<string, { dimension: Dimension; metric: Metric }>;
type ListName = keyof typeof LISTS;

export type Listed = { name: string; count: number };
/** `pageviews`: null if an import does not tell them. */
export type Day = { date: string; pageviews: number | null; unique_visitors: number } & Record<ListName, Listed[]>;

/** Returns every day of the scope's range, oldest first, including days without traffic. */
export async function askDays(ask: Ask, scope: Scope): Promise<Day[]> {
  const lists = Object.entries(LISTS) as [ListName, (typeof LISTS)[ListName]][];
  const [totals, ...listed] = await Promise.all([
    ask({ scope, metrics: ['pageviews', 'unique_visitors'], by: { interval: 'day' } }),
    ...lists.map(([, { dimension, metric }]) =>
      ask({ scope, metrics: [metric], by: { dimension, each: 'day' }, limit: LISTED }),
    ),
  ]);
  const days = new Map(emptyDays(scope.range).map((day) => [readDay(day.date), day]));
  for (const row of totals) {
    const day = days.get(Number(row['label']));
    if (!day) continue;
    day.pageviews = numberOf(row['pageviews']);
    day.unique_visitors = Number(row['unique_visitors']);
  }
  lists.forEach(([name, { metric }], index) => {
    for (const row of listed[index] ?? [])
      days.get(Number(row['bucket']))?.[name].push({ name: String(row['label']), count: Number(row[metric]) });
  });
  return [...days.values()];
}

/** Returns the days of a range, all without traffic. A day that the zone's calendar skipped is none. */
export function emptyDays(range: Range): Day[] {
  const none = { pageviews: 0, unique_visitors: 0 };
  return bucketsOf(range, 'day').map((day) => ({
    date: dayOf(day),
    ...none,
    pages: [],
    referrers: [],
    events: [],
  }));
}
