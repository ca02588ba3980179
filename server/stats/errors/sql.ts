// The SQL of errors: those that filters leave, as the requester may see them. Names avoid the word that an answer must never have: see
// TOUCHES_FILES in store/open.ts.
import { measuredForViewers } from '../disclosure/measured-rows.ts';
import { isLimited } from '../disclosure/rule.ts';
import { MAX_ROWS } from '../disclosure/shown.ts';
import type { ErrorsQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import { allOf } from '../sql/filters.ts';
import { type Bind, dayOfEvents, openBound, type Scope } from '../sql/scope.ts';
import { cellSql, type Rows } from '../sql/sql.ts';
import { rowsOn } from '../vitals/sql.ts';

export const COUNTS = 'sum(occurrences) AS times, uniqExactIf(visit_id, visit_id != 0) AS visits';
const COUNTED = ['times', 'visits'];

type Chosen = { shapes?: string[]; kind?: string | undefined; search?: string | undefined };

const chosenRows = (scope: Scope, bind: Bind, { shapes, kind, search }: Chosen): string =>
  allOf([
    rowsOn(dayOfEvents(scope.range), scope, bind),
    ...(shapes ? [`error_shape IN ${bind(shapes)}`] : []),
    ...(kind === undefined ? [] : [`error_kind = ${bind(kind)}`]),
    ...(search ? [`positionCaseInsensitiveUTF8(concat(error_message, ' ', error_file), ${bind(search)}) > 0`] : []),
  ]);

/** The rows of a statement about errors: viewers get none of few visitors, and changed counts. */
export async function askFailed(
  reader: Reader,
  scope: Scope,
  { columns, rest = '', ...chosen }: Chosen & { columns: () => string; rest?: string },
): Promise<Rows> {
  const { bound, bind } = openBound(scope);
  const cells = isLimited(reader.rule) ? `, ${cellSql()}` : '';
  const where = chosenRows(scope, bind, chosen);
  const sql = `SELECT ${columns()}${cells} FROM errors WHERE ${where} ${rest}`;
  return reader.remembered(scope, { sql, bound }, shownToViewers);
}

/** How a list is sorted. */
const SORTED: Record<NonNullable<ErrorsQuestion['order']>['by'], string> = {
  count: 'times',
  visits: 'visits',
  first_seen: 'first_seen',
  last_seen: 'last_seen',
  name: 'message',
};

type Listed = ErrorsQuestion & { skipped: number; firstsFrom: number; isCut: boolean };

/**
 * A page of shapes, each with its first error of all that are kept: 0 if that was before `firstsFrom`. `isCut`: all rows, of which the caller cuts the
 * page.
 */
export async function listedShapes(
  reader: Reader,
  scope: Scope,
  { kind, search, order, per_page, skipped, firstsFrom, isCut }: Listed,
): Promise<Rows> {
  const { bound, bind } = openBound(scope);
  const { by, direction } = order ?? { by: 'count', direction: 'desc' };
  const cells = isLimited(reader.rule) ? `, ${cellSql()}` : '';
  const where = chosenRows(scope, bind, { kind, search });
  const key = `${SORTED[by]} ${direction === 'asc' ? 'ASC' : 'DESC'}`;
  const limit = isCut ? `LIMIT ${MAX_ROWS}` : `LIMIT ${per_page} OFFSET ${skipped}`;
  const sql = `SELECT *, if(first_at < ${bind(firstsFrom)}, 0, first_at) AS first_seen, count() OVER () AS total FROM (
      SELECT error_shape AS label, ${COUNTS}, any(error_kind) AS cause, any(error_message) AS message, any(error_file) AS path,
        argMax(error_line, time) AS line, toUnixTimestamp64Milli(max(time)) AS last_seen${cells}
      FROM errors WHERE ${where} GROUP BY label
    ) AS shapes LEFT JOIN (
      SELECT error_shape AS of_shape, toUnixTimestamp64Milli(min(time)) AS first_at
      FROM errors WHERE site_id = {site_id:String} GROUP BY of_shape
    ) AS firsts ON label = of_shape ORDER BY ${key}, label ${limit}`;
  return reader.remembered(scope, { sql, bound }, shownToViewers);
}

const shownToViewers = measuredForViewers((name, value, changed) => (COUNTED.includes(name) ? changed() : value));
