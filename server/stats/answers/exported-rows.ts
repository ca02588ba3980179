// The rows of a site for an export: page views, events and visits by agents, as statements whose answer the engine writes to a file. Rows hold no id
// of a visitor, a visit or an order, and their time is the minute, so that they cannot be put together to visits. Sealed rows are whole:
// they are encrypted for another Footfall, and their ids have other numbers than here.
import {
  AI_VISIT_COLUMNS,
  type Column,
  STORED_COLUMNS,
  STORED_ERROR_COLUMNS,
  STORED_VITALS_COLUMNS,
} from '../../vocabulary/event.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import { IS_COUNTED, IS_ORDER } from '../sql/kinds.ts';
import type { Statement } from '../sql/scope.ts';

/** Ids, and what only the store itself needs. */
const LEFT_OUT: readonly string[] = [
  'site_id',
  'event_id',
  'visitor_id',
  'visit_id',
  'order_id',
  'import_id',
  'scroll_before',
  'engaged_before_ms',
  'out_of_order',
];

export const columnsWithout = (columns: Record<string, Column>, leftOut: readonly string[]): Record<string, Column> =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !leftOut.includes(name)));
/** The exported columns of each table. */
export const EXPORTED_COLUMNS = {
  events: columnsWithout(STORED_COLUMNS, LEFT_OUT),
  ai_visits: columnsWithout(AI_VISIT_COLUMNS, LEFT_OUT),
  vitals: columnsWithout(STORED_VITALS_COLUMNS, LEFT_OUT),
  errors: columnsWithout(STORED_ERROR_COLUMNS, LEFT_OUT),
} as const;
export type RowTable = keyof typeof EXPORTED_COLUMNS;

/** Days of the site, both included, as YYYY-MM-DD. */
export type OfDays = { siteId: string; first: string; last: string };

/** The condition for the rows of some days, in whichever time zone they were given. */
export const ON_DAYS = `site_id = {site_id:String} AND day >= {first_day:Date} AND day <= {last_day:Date}
  AND toDate(time) >= {first_day:Date} - 1 AND toDate(time) <= {last_day:Date} + 1`;

export const boundOf = ({ siteId, first, last }: OfDays) => ({
  site_id: siteId,
  first_day: first,
  last_day: last,
  from: readDay(first) ?? NaN,
  to: (readDay(last) ?? NaN) + DAY_MS,
});

/** What counts: neither events that a better report has replaced, nor payments of which there is a better report. `columns`: in place of the stored ones. */
export const COUNTED: Record<RowTable, { where: string; columns: readonly string[] }> = {
  events: {
    where: IS_COUNTED,
    columns: [`if(${IS_ORDER}, amount, 0) AS amount`, `if(${IS_ORDER}, currency, '') AS currency`],
  },
  ai_visits: { where: '1', columns: [] },
  vitals: { where: '1', columns: [] },
  errors: { where: '1', columns: [] },
};

/** SQL for text that a spreadsheet does not run: see vocabulary/texts/formula.ts. */
export const plainText = (sql: string): string =>
  `if(match(${sql}, '^\\'*[=+\\\\-@\\t\\r\\n＝＋－＠]'), concat('\\'', ${sql}), ${sql})`;

/** `lines`: of JSON. */
export type As = 'csv' | 'lines' | 'parquet';

/** How a column is written, by its type. */
function cellSql(name: string, { type }: Column, as: As): string {
  if (name === 'time' && as !== 'parquet') return `formatDateTime(time, '%Y-%m-%dT%H:%i:00Z')`;
  if (name === 'time') return `toStartOfMinute(time)`;
  if (as === 'csv' && type === 'text') return plainText(name);
  if (as === 'csv' && type === 'measure') return `ifNull(toString(${name}), '')`;
  if (as === 'csv' && type === 'texts') return `toJSONString(${name})`;
  return name;
}

/** Rows of a minute are in no order that says who was first. */
export function buildRows(table: RowTable, of: OfDays, as: As): Statement {
  const counted = COUNTED[table];
  const replaced = counted.columns.length > 0 ? ` REPLACE (${counted.columns.join(', ')})` : '';
  const cells = Object.entries(EXPORTED_COLUMNS[table]).map(
    ([name, column]) => `${cellSql(name, column, as)} AS _${name}`,
  );
  const names = Object.keys(EXPORTED_COLUMNS[table]).map((name) => `_${name} AS ${name}`);
  return {
    sql: `SELECT ${names.join(', ')} FROM (SELECT ${cells.join(', ')}, toStartOfMinute(time) AS minute, event_id
      FROM (SELECT *${replaced} FROM ${table} WHERE ${ON_DAYS} AND ${counted.where})) ORDER BY minute, event_id`,
    bound: boundOf(of),
  };
}
