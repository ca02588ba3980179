// The SQL that finds the rare values of each day: see rare-values.ts.
import { type Dimension, dimensionRow } from '../../vocabulary/questions/dimensions.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { splitsVisits } from '../sql/combination.ts';
import { countedEvents } from '../days/day-sums.ts';
import { notOn } from '../days/from-days.ts';
import { startOfDays } from '../sql/plan.ts';
import { openBound, type Scope, type Statement } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { derivedFrom, hasRows, SUMMED_DIMENSIONS, type SummedDay, unsummedRange } from '../days/summed-days.ts';
import type { RareIn } from './rare-values.ts';
import type { Group } from './steps.ts';

/** Those that a visit has one value of. */
const OF_VISITS = SUMMED_DIMENSIONS.filter((dimension) => !splitsVisits(dimension));
const OPTIONAL = OF_VISITS.filter((dimension) => dimensionRow(dimension).isOptional);

type Options = { days: readonly SummedDay[]; groups: readonly Group[]; fewest: number };

/** `days`: the closed days of the scope. `groups`: of days, of which each is decided by itself. */
export function buildRare(scope: Scope, { days, groups, fewest }: Options): Statement {
  const rest = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const least = bind(fewest);
  const sums = `SELECT dimension AS part, label, ${startOfDays('day', 'day')} AS bucket, toInt64(unique_visitors) AS visitors
    FROM day_sums WHERE ${derivedFrom(days, bind)} AND dimension IN ${bind([...OF_VISITS])}
    AND (label != '' OR dimension NOT IN ${bind([...OPTIONAL])})`;
  const counted = (dimension: Dimension): string => {
    const by = { dimension, each: 'day' as const };
    const counting = { columns: { counts: ['unique_visitors' as const], money: [] }, bind };
    const ofRest = { scope: rest ? { ...scope, range: rest } : scope, metrics: [], by };
    const rows = countedEvents(ofRest, { ...counting, conditions: notOn(ofRest.scope.range, days, bind) });
    return `SELECT ${bind(dimension)} AS part, toString(label) AS label, bucket, toInt64(unique_visitors) AS visitors FROM (${rows})`;
  };
  const sources = [...(days.some(hasRows) ? [sums] : []), ...(rest ? OF_VISITS.map(counted) : [])];
  const grouped = groups.flatMap(({ from, to }) =>
    to - from <= DAY_MS
      ? []
      : Array.from({ length: Math.ceil((to - from) / DAY_MS) }, (_, index) => ({ day: from + index * DAY_MS, from })),
  );
  const [each, starts] = [grouped.map(({ day }) => String(day)), grouped.map(({ from }) => String(from))];
  const start =
    grouped.length > 0
      ? `toInt64(transform(toString(bucket), ${bind(each)}, ${bind(starts)}, toString(bucket)))`
      : 'bucket';
  return {
    sql: `SELECT part, start, toJSONString(arraySort(groupArrayIf(label, visitors < ${least}))) AS few, argMin(label, (-visitors, label)) AS into
      FROM (SELECT part, ${start} AS start, label, sum(visitors) AS visitors FROM (${sources.join('\nUNION ALL\n')})
        GROUP BY part, start, label HAVING visitors > 0)
      GROUP BY part, start HAVING sumIf(visitors, visitors < ${least}) > 0 AND sumIf(visitors, visitors < ${least}) < ${least} AND max(visitors) >= ${least}
      ORDER BY part, start`,
    bound,
  };
}

export const rareIn = (rows: Rows): RareIn[] =>
  rows.map(({ part, start, few, into }) => ({
    dimension: part as Dimension,
    from: Number(start),
    values: JSON.parse(String(few)) as string[],
    into: String(into),
  }));
