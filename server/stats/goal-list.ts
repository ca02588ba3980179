// Lists of goals as SQL. Rows are counted by the set of goals that they reach, of which there are few, and visitors by the set of all goals
// that they reached. A row or a visitor is therefore counted once, however many goals there are.
import { allOf } from './filters.ts';
import type { StatementGoals } from './goal-bits.ts';
import type { Metric } from '../vocabulary/metrics.ts';
import { metricSql } from './metrics.ts';
import type { Plan } from './plan.ts';

type Column = Plan['columns'][number];

/** True for metrics that these lists can count: sums of rows, and the visitors who reached a goal. */
export const isCountedByBits = ({ metric }: Column): boolean =>
  metric === 'converted_visitors' || metricSql(metric).isSum === true;

type Counted = {
  /** Definitions of `of_KIND`. */
  kinds: readonly string[];
  columns: readonly Column[];
  rows: string;
  where: string;
  goals: Pick<StatementGoals, 'bits' | 'idsOf'>;
  conditions: readonly string[];
};

/** Metrics whose value over all goals is the sum over these groups. The others also count rows that reach no goal. */
const OF_ALL_GOALS: readonly Metric[] = ['conversions', 'converted_visitors'];

/**
 * Rows have `label`, the id of a goal, and each metric; and `all_METRIC` for conversions and their visitors: those of any goal, each counted
 * once. The events are read once and grouped twice: by their goals, and by visitor.
 */
export function countedByBits({ kinds, columns, rows, where, goals, conditions }: Counted): string {
  // Named once: the bits are long, and the conditions repeat them.
  const bits = goals.bits();
  const named = (sql: string) => sql.replaceAll(bits, 'reached');
  const known = [`${bits} AS reached`, ...kinds.map(named)].join(', ');
  const isOfVisitors = ({ metric }: Column) => metric === 'converted_visitors';
  const grouped = columns.map(
    (column) => `${isOfVisitors(column) ? 'count()' : column.sql} AS of_group_${column.metric}`,
  );
  const counted = columns.map((column) =>
    isOfVisitors(column)
      ? `countIf(visitor != 0) AS ${column.metric}`
      : `sumIf(of_group_${column.metric}, own != 0) AS ${column.metric}`,
  );
  // A group by goals has no visitor, and one by visitor has no goals of its own.
  const groups = [
    `WITH ${known} SELECT ${['reached AS own', 'visitor_id AS visitor', 'groupBitOr(reached) AS all_reached', ...grouped].join(', ')}`,
    `FROM ${rows} WHERE ${named(where)} AND reached != 0 GROUP BY GROUPING SETS ((own), (visitor))`,
  ].join(' ');
  const sums = `SELECT if(own != 0, own, all_reached) AS goals, ${counted.join(', ')} FROM (${groups}) WHERE own != 0 OR visitor != 0 GROUP BY goals`;
  const ofAll = columns.filter(({ metric }) => OF_ALL_GOALS.includes(metric));
  const totals = ofAll.map(({ metric }) => `sum(${metric}) OVER () AS total_${metric}`);
  const summed = [
    ...columns.map(({ metric }) => `sum(${metric}) AS ${metric}`),
    ...ofAll.map(({ metric }) => `any(total_${metric}) AS all_${metric}`),
  ];
  return [
    `SELECT ${['goal AS label', ...summed].join(', ')}`,
    `FROM (SELECT arrayJoin(${goals.idsOf('goals')}) AS goal, * FROM (SELECT ${['*', ...totals].join(', ')} FROM (${sums})))`,
    `WHERE ${allOf(conditions)} GROUP BY label`,
  ].join('\n');
}
