// Lists of goals as SQL. Rows are counted by the set of goals that they reach, of which there are few, and visitors by the set of all goals
// that they reached. A row or a visitor is therefore counted once, however many goals there are.
import { allOf } from './filters.ts';
import type { StatementGoals } from './goal-bits.ts';
import { type Column, metricSql, VISITOR_KEYS } from './metrics.ts';
import type { Plan } from './plan.ts';

type Counted = Plan['columns'][number];

/** Columns that count the visitors of a group, of whom each has one row, in SQL. */
const OF_VISITORS: Partial<Record<Column, string>> = {
  converted_visitors: 'countIf(visitor != 0)',
  converted_key: `sumIf(visitor % ${VISITOR_KEYS}, visitor != 0)`,
};

/** True for metrics that these lists can count: sums of rows, and the visitors who reached a goal. */
export const isCountedByBits = ({ metric }: Counted): boolean =>
  Object.hasOwn(OF_VISITORS, metric) || metricSql(metric).isSum === true;

type Listing = {
  /** Definitions of `of_KIND`. */
  kinds: readonly string[];
  columns: readonly Counted[];
  rows: string;
  where: string;
  goals: Pick<StatementGoals, 'bits' | 'idsOf'>;
  conditions: readonly string[];
};

/** Metrics whose value over all goals is the sum over these groups. The others also count rows that reach no goal. */
export const OF_ALL_GOALS: readonly Column[] = ['conversions', 'converted_visitors'];

/**
 * Rows have `label`, the id of a goal, and each metric; and `all_METRIC` for conversions and their visitors: those of any goal, each counted
 * once.
 */
export function countedByBits({ columns, goals, conditions, ...counted }: Listing): string {
  const sums = sumsByBits({ ...counted, goals, columns: columns.map(({ metric, sql }) => ({ name: metric, sql })) });
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

type Summed = Omit<Listing, 'columns' | 'goals' | 'conditions'> & {
  goals: Pick<StatementGoals, 'bits'>;
  /** `sql`: a sum over rows; of `OF_VISITORS` it is not used. */
  columns: readonly { name: string; sql: string }[];
};

/**
 * Rows have `goals`, the bits of the goals that rows or visitors reached, and each column, which add up over these rows. The events are
 * read once and grouped twice: by their goals, and by visitor.
 */
export function sumsByBits({ kinds, columns, rows, where, goals }: Summed): string {
  // Named once: the bits are long, and the conditions repeat them.
  const bits = goals.bits();
  const named = (sql: string) => sql.replaceAll(bits, 'reached');
  const known = [`${bits} AS reached`, ...kinds.map(named)].join(', ');
  const ofVisitors = (name: string) => OF_VISITORS[name as Column];
  const grouped = columns.map(({ name, sql }) => `${ofVisitors(name) ? 'count()' : sql} AS of_group_${name}`);
  const counted = columns.map(({ name }) => `${ofVisitors(name) ?? `sumIf(of_group_${name}, own != 0)`} AS ${name}`);
  // A group by goals has no visitor, and one by visitor has no goals of its own.
  const groups = [
    `WITH ${known} SELECT ${['reached AS own', 'visitor_id AS visitor', 'groupBitOr(reached) AS all_reached', ...grouped].join(', ')}`,
    `FROM ${rows} WHERE ${named(where)} AND reached != 0 GROUP BY GROUPING SETS ((own), (visitor))`,
  ].join(' ');
  return `SELECT if(own != 0, own, all_reached) AS goals, ${counted.join(', ')} FROM (${groups}) WHERE own != 0 OR visitor != 0 GROUP BY goals`;
}
