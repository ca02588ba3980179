// Answers questions about goals from the counts of closed days, and from the events of all other days.
import type { Range } from '../../vocabulary/time/periods.ts';
import { columnsFor, numbersOf } from './day-columns.ts';
import { countedSets, countsOfSets, type GoalSet } from './day-goals.ts';
import { countedEvents } from './day-sums.ts';
import { countedFromDays } from './from-days.ts';
import { OF_ALL_GOALS } from '../sql/goal-list.ts';
import { metricSql, withNeeds } from '../sql/metrics.ts';
import { type Bind, openBound, type Statement } from '../sql/scope.ts';
import { labelConditions, listClauses, type Select } from '../sql/sql.ts';
import { notOn, type SummedDay, unsummedRange } from './summed-days.ts';

type Counted = { sets: readonly GoalSet[]; days: readonly SummedDay[] };

/** The same rows as those of `buildSelect`. `sets`: those of `setsOf`; `days`: those on which they are counted. */
export function buildFromGoals(select: Select, { sets, days }: Counted): Statement {
  const { scope, metrics, by } = select;
  const rest = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const columns = columnsFor(metrics);
  const isList = by !== undefined && 'dimension' in by;
  const ofRest = (range: Range) => {
    const counting = { columns, conditions: notOn(range, days, bind), bind };
    const own = { ...select, scope: { ...scope, range } };
    if (isList) return countedSets(own.scope, { ...counting, sets });
    const numbers = numbersOf(columns, (name) => name);
    return `SELECT ${[...(by ? ['label'] : []), ...numbers].join(', ')} FROM (${countedEvents(own, counting)})`;
  };
  const sources = [countsOfSets(select, { columns, sets, days, bind }), ...(rest ? [ofRest(rest)] : [])];
  const asked = withNeeds(metrics);
  const shown = asked.filter((metric) => !metricSql(metric).isOfEveryone);
  const rates = asked.filter((metric) => metricSql(metric).isOfEveryone);
  const numbers = shown.map((metric) => `${metricSql(metric).ofDays} AS ${metric}`);
  const counted = `SELECT ${[...(by ? ['label'] : []), ...numbers].join(', ')}
    FROM (${sources.join('\nUNION ALL\n')}) ${by ? 'GROUP BY label' : ''}`;
  const ofAll = shown.filter((metric) => isList && OF_ALL_GOALS.includes(metric));
  const added = [
    ...rates.map((metric) => `${metricSql(metric).ofDays} AS ${metric}`),
    ...ofAll.map((metric) => `max(if(label = '', ${metric}, 0)) OVER () AS all_${metric}`),
  ];
  const sql = `SELECT ${['*', ...added].join(', ')} FROM (${counted}) AS counted
    ${rates.length > 0 ? joinEveryone(select, { rest, days, bind }) : ''}`;
  if (!isList) return { sql, bound };
  const conditions = ["label != ''", ...labelConditions(select, { label: 'label' }, bind)];
  return {
    sql: [
      `SELECT *, count() OVER () AS total FROM (SELECT * FROM (${sql}) WHERE ${conditions.join(' AND ')}) AS listed`,
      ...listClauses(select, { bucket: undefined }),
    ].join('\n'),
    bound,
  };
}

/** Adds `everyone`: all visitors, of each bucket in a chart. The only filter that such a question has is by goal. */
function joinEveryone(
  { scope, by }: Select,
  of: { rest: Range | undefined; days: readonly SummedDay[]; bind: Bind },
): string {
  const unfiltered = { ...scope, filters: [] };
  const isChart = by !== undefined && 'interval' in by;
  const everyone: Select = { scope: unfiltered, metrics: ['unique_visitors'], ...(isChart && { by }) };
  const counted = countedFromDays(everyone, { ...of, paid: [] });
  const visitors = `(SELECT ${isChart ? 'label, ' : ''}unique_visitors AS everyone FROM (${counted})) AS visitors`;
  return isChart ? `LEFT JOIN ${visitors} USING label` : `CROSS JOIN ${visitors}`;
}
