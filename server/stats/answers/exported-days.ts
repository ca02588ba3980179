// The sums of days for an export: of each value of each dimension, and of each goal, as statements whose answer the engine writes to a file.
import type { Range } from '../../vocabulary/time/periods.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import { buildDailyGoals, type NamedGoal } from '../days/day-goals.ts';
import { buildDailySums } from '../days/day-sums.ts';
import type { Reader } from '../reader.ts';
import type { Statement } from '../sql/scope.ts';
import { type As, type OfDays, plainText } from './exported-rows.ts';
import { scopeOf, type StatsSite } from './values.ts';

export const DAY_TABLES = ['daily_sums', 'daily_goals'] as const;
type DayTable = (typeof DAY_TABLES)[number];

/** `goals`: those of the site. */
export async function askExportedDays(
  reader: Pick<Reader, 'importedDays'>,
  table: DayTable,
  { siteId, first, last, site, goals, as }: OfDays & { site: StatsSite; goals: readonly NamedGoal[]; as: As },
): Promise<Statement> {
  const scope = scopeOf({ question: { site_id: siteId, filters: [] }, site, goals }, dayRange({ first, last }));
  const imported = await reader.importedDays(scope);
  const textOf = as === 'csv' ? plainText : (sql: string) => sql;
  return table === 'daily_sums'
    ? buildDailySums(scope, { imported, textOf })
    : buildDailyGoals(scope, { goals, imported, textOf });
}

/** The range of days for the rows that count towards them, in whichever time zone these were given. */
export const dayRange = ({ first, last }: Pick<OfDays, 'first' | 'last'>): Range => ({
  from: readDay(first) ?? NaN,
  to: (readDay(last) ?? NaN) + DAY_MS,
  zone: UTC,
});

/** A month, as the day on which it begins, and how many rows count towards it. */
export type Month = { month: string; rows: number };

/** The months of a site that have rows of a table, the earliest first. `imported_days`: days that other products counted. */
export async function askMonths(
  { query }: Pick<Reader, 'query'>,
  table: 'events' | 'ai_visits' | 'vitals' | 'errors' | 'imported_days',
  siteId: string,
): Promise<Month[]> {
  const rows = await query<{ month: string; row_count: string }>(
    `SELECT toString(toStartOfMonth(day)) AS month, toString(count()) AS row_count FROM ${table}
      WHERE site_id = {site_id:String} GROUP BY month ORDER BY month`,
    { site_id: siteId },
  );
  return rows.map(({ month, row_count }) => ({ month, rows: Number(row_count) }));
}
