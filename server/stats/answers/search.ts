// Searches the values of all dimensions, for people who do not know which dimension to look in.
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../../vocabulary/questions/dimensions.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import { EXIT_PAGE, hasValue } from '../sql/filters.ts';
import { fewestOf } from '../disclosure/rule.ts';
import { changedRows } from '../disclosure/shown.ts';
import type { SearchQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { boundsOf, IN_RANGE, type Statement } from '../sql/scope.ts';
import { cellSql } from '../sql/sql.ts';
import { type Asked, scopeOf } from './values.ts';

export type Found = { dimension: Dimension; name: string; visitors: number };

type Search = {
  site_id: string;
  range: Range;
  text: string;
  /** Dimensions to return with all values: the client shows them under other names and searches those itself. */
  whole: Dimension[];
  /** Values with fewer visitors are left out. */
  leastVisitors: number;
  hasProperties: boolean;
};

/** Most matches per dimension. */
const MAX_VALUES = 5;
/** Values of a dimension that is returned whole: there are 249 countries. */
const MAX_WHOLE_VALUES = 300;

/** Pairs of a dimension and its value on one row, such as `('page', page)`. Values computed from whole visits are not included. */
const PAIRS = DIMENSION_NAMES.flatMap((name) => {
  if (sourceOf(name) !== 'events' || name === 'goal') return []; // goals are searched by their names, which the client knows
  const row = dimensionSql(name, String);
  if ('computed' in row) return [];
  const value = row.level === 'row' ? `if(${hasValue(row)}, toString(${row.sql}), '')` : `toString(${row.sql})`;
  return [`tuple('${name}', ${value})`];
}).join(', ');
const PROPERTIES = "arrayMap((key, value) -> tuple(concat('prop:', key), value), mapKeys(props), mapValues(props))";
const EXIT = `tuple('exit_page', ${EXIT_PAGE})`;
const IS_FOUND =
  "pair.2 != '' AND (positionCaseInsensitiveUTF8(pair.2, {text:String}) > 0 OR has({whole:Array(String)}, pair.1))";

export async function askSearch(reader: Reader, asked: Asked<SearchQuestion>): Promise<Found[]> {
  const { site_id, search, whole } = asked.question;
  const { rule } = reader;
  const { range } = await reader.whole(
    scopeOf({ ...asked, question: { site_id, filters: [] } }, await askRange(reader, asked)),
  );
  const statement = buildSearch({
    site_id,
    range,
    text: search,
    whole,
    // A search narrows every list, as a filter does.
    leastVisitors: fewestOf(rule),
    hasProperties: !rule || rule.properties,
  });
  const rows = await reader.remembered({ site_id, range }, statement, changedRows(['unique_visitors']));
  const found = rows.map(({ dimension, label, unique_visitors }) => ({
    dimension: String(dimension) as Dimension,
    name: String(label),
    visitors: Number(unique_visitors),
  }));
  return rule ? found.toSorted((one, other) => other.visitors - one.visitors) : found;
}

/** Rows have `dimension`, `label` and their visitors, most visitors first. */
function buildSearch({ site_id, range, text, whole, leastVisitors, hasProperties }: Search): Statement {
  const pairs = hasProperties ? `arrayConcat([${PAIRS}], ${PROPERTIES})` : `[${PAIRS}]`;
  return {
    sql: [
      'SELECT dimension, label, unique_visitors, visitor_key FROM (',
      `SELECT pair.1 AS dimension, pair.2 AS label, ${cellSql()},`,
      'row_number() OVER (PARTITION BY dimension ORDER BY unique_visitors DESC, label ASC) AS place',
      `FROM (SELECT visitor_id, arrayJoin(arrayFilter(pair -> ${IS_FOUND}, ${pairs})) AS pair FROM events WHERE ${IN_RANGE}`,
      'UNION ALL',
      `SELECT any(visitor_id) AS visitor_id, ${EXIT} AS pair FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id HAVING ${IS_FOUND})`,
      'GROUP BY dimension, label HAVING unique_visitors >= {least:Int64})',
      'WHERE place <= if(has({whole:Array(String)}, dimension), {maxWhole:Int64}, {max:Int64})',
      'ORDER BY unique_visitors DESC, dimension ASC, label ASC',
    ].join('\n'),
    bound: {
      ...boundsOf({ site_id, range }),
      text,
      whole,
      least: leastVisitors,
      max: MAX_VALUES,
      maxWhole: MAX_WHOLE_VALUES,
    },
  };
}
