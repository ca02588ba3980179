// The rows of a site for a sealed export: every column, with visits and visitors, of the days that are over. Ids are numbered anew by a key that is
// thrown away, so that nothing in the file matches what this server has.
import {
  AI_VISIT_COLUMNS,
  STORED_COLUMNS,
  STORED_ERROR_COLUMNS,
  STORED_VITALS_COLUMNS,
} from '../../vocabulary/event.ts';
import { readColumns } from '../../store/rows.ts';
import { derivedFrom, type SummedDay } from '../days/summed-days.ts';
import type { Reader } from '../reader.ts';
import { type Bind, openBound, type Statement } from '../sql/scope.ts';
import { dayRange } from './exported-days.ts';
import { boundOf, columnsWithout, COUNTED, ON_DAYS, type OfDays } from './exported-rows.ts';
import { scopeOf, type StatsSite } from './values.ts';

/** What the receiving server gives its own values. */
const LEFT_OUT: readonly string[] = ['site_id', 'import_id'];
export const SEALED_COLUMNS = {
  events: columnsWithout(STORED_COLUMNS, LEFT_OUT),
  ai_visits: columnsWithout(AI_VISIT_COLUMNS, LEFT_OUT),
  vitals: columnsWithout(STORED_VITALS_COLUMNS, LEFT_OUT),
  errors: columnsWithout(STORED_ERROR_COLUMNS, LEFT_OUT),
};
/** The columns of sums that the site has imported itself. */
export const SEALED_SUMS = [
  'dimension',
  'day',
  'label',
  'unique_visitors',
  'visits',
  'pageviews',
  'events',
  'bounces',
  'visit_ms',
] as const;

const IDS: Record<keyof typeof SEALED_COLUMNS, readonly string[]> = {
  events: ['event_id', 'visitor_id', 'visit_id', 'order_id'],
  ai_visits: ['event_id'],
  vitals: ['event_id', 'visitor_id', 'visit_id'],
  errors: ['event_id', 'visitor_id', 'visit_id'],
};
const numberedAnew = (name: string): string =>
  `if(${name} = 0, 0, sipHash64Keyed((toUInt64({key_a:String}), toUInt64({key_b:String})), ${name})) AS ${name}`;

/** Two numbers of 64 bits. */
type Renumbering = { key_a: string; key_b: string };
type DayTotals = { day: string; pageviews: number; visitors: number };
export type SealedMonth = {
  days: DayTotals[];
  statements: Record<keyof typeof SEALED_COLUMNS | 'sums', Statement>;
};

/** The rows of some days, as statements, and what the days have in total. */
export async function askSealedMonth(
  reader: Pick<Reader, 'importedDays' | 'query'>,
  of: OfDays & { site: StatsSite; key: Renumbering },
): Promise<SealedMonth> {
  const scope = scopeOf({ question: { site_id: of.siteId, filters: [] }, site: of.site }, dayRange(of));
  const imported = await reader.importedDays(scope);
  const rowsOf = (table: keyof typeof SEALED_COLUMNS): Statement => {
    const counted = COUNTED[table];
    const replaced = [...IDS[table].map(numberedAnew), ...counted.columns];
    return {
      // Events of a day on which an import counts in their place count nowhere.
      sql: `SELECT ${readColumns(SEALED_COLUMNS[table]).join(', ')}
        FROM (SELECT * REPLACE (${replaced.join(', ')}) FROM ${table} WHERE ${ON_DAYS} AND ${counted.where}
          AND toString(day) NOT IN {hidden:Array(String)})`,
      bound: { ...boundOf(of), ...of.key, hidden: table === 'events' ? imported.map(({ day }) => day) : [] },
    };
  };
  const sums = importedSums(openBound(scope), imported);
  const events = rowsOf('events');
  const totals = await reader.query<Record<'on_day' | 'views' | 'people', string>>(
    `SELECT toString(day) AS on_day, toString(countIf(name = 'pageview')) AS views, toString(uniqExactIf(visitor_id, visitor_id != 0)) AS people
      FROM events WHERE ${ON_DAYS} AND toString(day) NOT IN {hidden:Array(String)} GROUP BY day`,
    events.bound,
  );
  const ofImports =
    imported.length === 0
      ? []
      : await reader.query<Record<'on_day' | 'views' | 'people', string>>(
          `SELECT toString(day) AS on_day, toString(ifNull(sum(pageviews), 0)) AS views, toString(sum(unique_visitors)) AS people
            FROM (${sums.sql}) WHERE dimension = '' GROUP BY day`,
          sums.bound,
        );
  return {
    days: [...totals, ...ofImports].map(({ on_day, views, people }) => ({
      day: on_day,
      pageviews: Number(views),
      visitors: Number(people),
    })),
    statements: {
      events,
      ai_visits: rowsOf('ai_visits'),
      vitals: rowsOf('vitals'),
      errors: rowsOf('errors'),
      sums,
    },
  };
}

function importedSums({ bound, bind }: { bound: Statement['bound']; bind: Bind }, imported: readonly SummedDay[]) {
  return { sql: `SELECT ${SEALED_SUMS.join(', ')} FROM imported_sums WHERE ${derivedFrom(imported, bind)}`, bound };
}
