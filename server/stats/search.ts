// Searches the values of all dimensions, for people who do not know which dimension to look in.
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../vocabulary/dimensions.ts';
import type { Range } from '../vocabulary/periods.ts';
import { dimensionSql } from './dimensions.ts';
import { EXIT_PAGE, hasValue } from './filters.ts';
import type { SearchQuestion } from './query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from './reader.ts';
import { boundsOf, IN_RANGE, type Statement } from './scope.ts';
import { leastVisitorsOf } from './small-numbers.ts';
import type { Asked } from './values.ts';

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
  const { sight } = reader;
  const range = await askRange(reader, asked);
  const statement = buildSearch({
    site_id,
    range,
    text: search,
    whole,
    // A search narrows every list, as a filter does.
    leastVisitors: leastVisitorsOf(sight),
    hasProperties: !sight || sight.properties,
  });
  const rows = await reader.remembered({ site_id, range }, statement);
  return rows.map(({ dimension, label, visitors }) => ({
    dimension: String(dimension) as Dimension,
    name: String(label),
    visitors: Number(visitors),
  }));
}

/** Rows have `dimension`, `label` and `visitors`, most visitors first. */
function buildSearch({ site_id, range, text, whole, leastVisitors, hasProperties }: Search): Statement {
  const pairs = hasProperties ? `arrayConcat([${PAIRS}], ${PROPERTIES})` : `[${PAIRS}]`;
  return {
    sql: [
      'SELECT dimension, label, visitors FROM (',
      'SELECT pair.1 AS dimension, pair.2 AS label, uniqExactIf(visitor_id, visitor_id != 0) AS visitors,',
      'row_number() OVER (PARTITION BY dimension ORDER BY visitors DESC, label ASC) AS place',
      `FROM (SELECT visitor_id, arrayJoin(arrayFilter(pair -> ${IS_FOUND}, ${pairs})) AS pair FROM events WHERE ${IN_RANGE}`,
      'UNION ALL',
      `SELECT any(visitor_id) AS visitor_id, ${EXIT} AS pair FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id HAVING ${IS_FOUND})`,
      'GROUP BY dimension, label HAVING visitors >= {least:Int64})',
      'WHERE place <= if(has({whole:Array(String)}, dimension), {maxWhole:Int64}, {max:Int64})',
      'ORDER BY visitors DESC, dimension ASC, label ASC',
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
