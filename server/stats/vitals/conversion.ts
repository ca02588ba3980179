// Whether fast visits reach a goal more often than slow ones. A visit is as fast as its first measured page view: the slowest of all would be slower the
// longer a visit is, and long visits convert more often.
import { Refusal } from '../../errors.ts';
import { type Counted, differenceOfShares } from '../../vocabulary/numbers/chance.ts';
import { type Vital, VITALS } from '../../vocabulary/numbers/vitals.ts';
import { askRange } from '../answers/ranges.ts';
import { type Asked, type Days, daysOf, scopeOf } from '../answers/values.ts';
import { changedCount } from '../disclosure/cell-key.ts';
import { isLimited, type ViewerRule } from '../disclosure/rule.ts';
import type { VitalsConversionQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import { type Goal, reaches } from '../sql/goals.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { IN_RANGE, openBound, type Scope, type Statement } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { measuredRows } from './sql.ts';
import { scopeFor } from './vitals.ts';

/** `rate` in per cent of the visits. */
type Converted = { visits: number; converted: number; rate: number };
export type VitalsConversion = Days & {
  /** The visits with a good, and with a poor value. All 0 without any, and for viewers where they are too few. */
  fast: Converted;
  slow: Converted;
  /**
   * By how many points fast visits convert more often, between two bounds that hold it with 95 per cent confidence. Null unless there are visits of both
   * kinds.
   */
  difference: { points: number; low: number; high: number } | null;
};

export async function askVitalsConversion(
  reader: Reader,
  asked: Asked<VitalsConversionQuestion>,
): Promise<VitalsConversion> {
  const { question, goals = [] } = asked;
  const goal = goals.find(({ id }) => id === question.goal_id);
  if (!goal) throw new Refusal('not_found', 'There is no such goal on this site.');
  const range = await askRange(reader, asked);
  const scope = await scopeFor(reader, scopeOf(asked, range));
  const rows = scope
    ? await reader.remembered(scope, buildConversion(scope, { vital: question.vital, goal }), shownToViewers)
    : [];
  const [fast, slow] = ['fast', 'slow'].map((label): Counted => {
    const row = rows.find((one) => one['label'] === label);
    return { count: Number(row?.['converted'] ?? 0), of: Number(row?.['visits'] ?? 0) };
  }) as [Counted, Counted];
  const difference = differenceOfShares(fast, slow);
  const points = (share: number) => Math.round(10_000 * share) / 100;
  return {
    ...daysOf(range),
    fast: convertedOf(fast),
    slow: convertedOf(slow),
    difference: difference && {
      points: points(difference.difference),
      low: points(difference.low),
      high: points(difference.high),
    },
  };
}

const convertedOf = ({ count, of }: Counted): Converted => ({
  visits: of,
  converted: count,
  rate: of > 0 ? Math.round((10_000 * count) / of) / 100 : 0,
});

function buildConversion(scope: Scope, { vital, goal }: { vital: Vital; goal: Goal }): Statement {
  const { bound, bind } = openBound(scope);
  const { good, poor } = VITALS[vital];
  const visits = `SELECT visit_id, any(visitor_id) AS visitor, argMin(assumeNotNull(${vital}), time) AS value FROM vitals
    WHERE ${measuredRows(scope, bind)} AND ${vital} IS NOT NULL AND visit_id != 0 GROUP BY visit_id`;
  const converted = `SELECT visit_id FROM events WHERE ${IN_RANGE} AND visit_id != 0 AND ${reaches(goal, bind)}`;
  const sql = `SELECT multiIf(value <= toFloat32(${good}), 'fast', value > toFloat32(${poor}), 'slow', 'between') AS label,
    count() AS visits, countIf(has) AS converted,
    uniqExact(visitor) AS visitors, sumDistinct(visitor) % ${VISITOR_KEYS} AS visitor_key,
    uniqExactIf(visitor, has) AS converted_visitors, sumDistinctIf(visitor, has) % ${VISITOR_KEYS} AS converted_key
    FROM (SELECT visitor, value, visit_id IN (${converted}) AS has FROM (${visits})) GROUP BY label`;
  return { sql, bound };
}

/** Nothing where few visitors converted, or few did not: each rate would tell of them. */
function shownToViewers(rows: Rows, rule: ViewerRule): Rows {
  if (!isLimited(rule)) return rows;
  const { fewest } = rule;
  const compared = rows.filter(({ label }) => label !== 'between');
  const cells = compared.map((row) => ({
    row,
    all: { visitors: Number(row['visitors']), key: Number(row['visitor_key']) },
    converted: { visitors: Number(row['converted_visitors']), key: Number(row['converted_key']) },
  }));
  const isFew = cells.some(
    ({ all, converted }) => converted.visitors < fewest || all.visitors - converted.visitors < fewest,
  );
  if (isFew) return [];
  return cells.map(({ row, all, converted }) => {
    const visits = changedCount(all, Number(row['visits']), { what: 'visits', fewest });
    const reached = changedCount(converted, Number(row['converted']), { what: 'converted', fewest });
    return { ...row, visits, converted: Math.min(visits, reached) };
  });
}
