// The SQL that finds rare values: see rare-values.ts.
import { type Dimension, dimensionRow } from '../../vocabulary/questions/dimensions.ts';
import { DAY_MS, daysIn } from '../../vocabulary/time/time.ts';
import { countedEvents } from '../days/day-sums.ts';
import {
  derivedFrom,
  hasRows,
  notOn,
  SUMMED_DIMENSIONS,
  type SummedDay,
  sumsTable,
  unsummedRange,
} from '../days/summed-days.ts';
import { splitsVisits } from '../sql/combination.ts';
import { type DimensionSql, dimensionSql } from '../sql/dimensions.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import { allOf, readFilters } from '../sql/filters.ts';
import { groupedByEach } from '../sql/grouping-sets.ts';
import { metricSql } from '../sql/metrics.ts';
import { startOfDays } from '../sql/plan.ts';
import { type Bind, dayOfEvents, IN_RANGE, openBound, type Scope, type Statement } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import type { Few, RareIn } from './rare-values.ts';
import type { Group } from './steps.ts';

/** Those that a visit has one value of. */
const OF_VISITS = SUMMED_DIMENSIONS.filter((dimension) => !splitsVisits(dimension));
const OPTIONAL = OF_VISITS.filter((dimension) => dimensionRow(dimension).isOptional);
const sqlOf = (dimension: Dimension): DimensionSql => dimensionSql(dimension, String);
const isComputed = (dimension: Dimension): boolean => 'computed' in sqlOf(dimension);

type Options = {
  /** The closed days of the scope. */
  days: readonly SummedDay[];
  /** Of days, of which each is decided by itself. */
  groups: readonly Group[];
  /** The start of the range, which the scope may begin before. */
  since: number;
  fewest: number;
};

/** Rows have a dimension (`part`), `of_days`, `few` and `into`: see `rareIn`. */
export function buildRare(scope: Scope, { days, groups, since, fewest }: Options): Statement {
  const rest = unsummedRange(scope.range, days);
  const ofRest = rest ? { ...scope, range: rest } : scope;
  const { bound, bind } = openBound(ofRest);
  const { where } = readFilters(scope.filters, bind, openSaved(scope, bind)).rowsFor(['visits'], { anyRow: false });
  const sources = [
    ...(days.some(hasRows) ? [summedValues(days, bind)] : []),
    ...(rest ? countedValues(ofRest, { conditions: notOn(rest, days, bind), where }, bind) : []),
  ].join('\nUNION ALL\n');
  const few = `visitors < ${bind(fewest)}`;
  const isFew = (visitors: string, most: string) =>
    `${visitors} > 0 AND ${visitors} < ${bind(fewest)} AND ${most} >= ${bind(fewest)}`;
  // Of each group of days: its values, and the most frequent one with what the rare ones come to.
  const ofGroups = `SELECT part, ${startOfGroup(groups, bind)} AS start, label, sum(on_day) AS visitors, sumIf(on_day, bucket >= ${bind(since)}) AS in_range
    FROM (${sources}) WHERE label != '' OR part NOT IN ${bind([...OPTIONAL])} GROUP BY part, start, label HAVING visitors > 0`;
  const decided = `SELECT *, sumIf(visitors, ${few}) OVER days AS rare_visitors, max(visitors) OVER days AS most,
      argMin(label, (-visitors, label)) OVER days AS top, ${few} AND ${isFew('rare_visitors', 'most')} AS is_joined, if(is_joined, top, label) AS counted
    FROM (${ofGroups}) WINDOW days AS (PARTITION BY part, start)`;
  // Of the range: its values with those that count under them, and these by group.
  const ofRange = `SELECT part, counted, sum(in_range) AS visitors, groupArrayIf([toString(start), label, top], is_joined) AS joined
    FROM (${decided}) GROUP BY part, counted`;
  return {
    sql: `SELECT part, toJSONString(arraySort(groupArrayArray(joined))) AS of_days,
        ${isFew(`sumIf(visitors, ${few})`, 'max(visitors)')} AS has_few,
        if(has_few, toJSONString(arraySort(groupArrayIf(counted, visitors > 0 AND ${few}))), '[]') AS few, argMin(counted, (-visitors, counted)) AS into
      FROM (${ofRange}) GROUP BY part HAVING of_days != '[]' OR has_few ORDER BY part`,
    bound,
  };
}

/** The visitors of each value and day, from the sums of closed days. */
const summedValues = (days: readonly SummedDay[], bind: Bind): string =>
  `SELECT dimension AS part, label, ${startOfDays('day', 'day')} AS bucket, toInt64(unique_visitors) AS on_day
    FROM ${sumsTable(days)} WHERE ${derivedFrom(days, bind)} AND dimension IN ${bind([...OF_VISITS])}`;

/** The same from events: in one pass, but for values that are computed from other rows. */
function countedValues(
  scope: Scope,
  { conditions, where }: { conditions: readonly string[]; where: readonly string[] },
  bind: Bind,
): string[] {
  const each = OF_VISITS.filter((dimension) => !isComputed(dimension));
  const { keys, labels, groupBy } = groupedByEach(
    each.map((dimension) => ({ part: bind(dimension), sql: sqlOf(dimension).sql })),
    ['bucket'],
  );
  const visitors = `toInt64(${metricSql('unique_visitors').sql}) AS on_day`;
  const bucket = `${startOfDays('day', dayOfEvents(scope.range))} AS bucket`;
  const computed = OF_VISITS.filter(isComputed).map((dimension) => {
    const select = { scope, metrics: [], by: { dimension, each: 'day' as const } };
    const rows = countedEvents(select, { columns: { counts: ['unique_visitors'], money: [] }, conditions, bind });
    return `SELECT ${bind(dimension)} AS part, toString(label) AS label, bucket, toInt64(unique_visitors) AS on_day FROM (${rows})`;
  });
  return [
    `SELECT ${[...labels, 'bucket', visitors].join(', ')}
      FROM (SELECT ${['visitor_id', bucket, ...keys].join(', ')} FROM events WHERE ${allOf([IN_RANGE, ...conditions, ...where])}) ${groupBy}`,
    ...computed,
  ];
}

/** SQL for the start of the group of a day. Most groups are one day. */
function startOfGroup(groups: readonly Group[], bind: Bind): string {
  const several = groups.filter(({ from, to }) => to - from > DAY_MS);
  if (several.length === 0) return 'bucket';
  const each = several.flatMap((group) => daysIn(group).map((day) => ({ day, from: group.from })));
  const texts = (name: 'day' | 'from') => bind(each.map((one) => String(one[name])));
  return `toInt64(transform(toString(bucket), ${texts('day')}, ${texts('from')}, toString(bucket)))`;
}

export const rareIn = (rows: Rows): RareIn[] =>
  rows.map(({ part, of_days, few, into }) => {
    const joined = JSON.parse(String(of_days)) as [start: string, value: string, into: string][];
    const values = JSON.parse(String(few)) as string[];
    return {
      dimension: part as Dimension,
      ofDays: [...Map.groupBy(joined, ([start]) => Number(start))].map(([from, some]) => ({
        from,
        values: some.map(([, value]) => value),
        into: some[0]?.[2] ?? '',
      })),
      ofRange: values.length > 0 ? ({ values, into: String(into) } satisfies Few) : undefined,
    };
  });
