// Goals on closed days: the SQL that counts them once, and the SQL that reads these counts in place of the days' events. Conversions,
// converted visitors and amounts add up over days.
import { GOAL_FIELDS, type GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import { namesId } from '../../vocabulary/questions/operators.ts';
import { type Columns, columnsFor, MONEY, MONEY_NAMES, numbersOf, REACHED } from './day-columns.ts';
import { countedEvents } from './day-sums.ts';
import { allOf } from '../sql/filters.ts';
import { sumsByBits } from '../sql/goal-list.ts';
import { hashOf } from '../hash.ts';
import { type Column, columnRow, metricSql } from '../sql/metrics.ts';
import { planOf, startOfDays } from '../sql/plan.ts';
import { type Bind, openBound, type Scope, type Statement } from '../sql/scope.ts';
import type { Select } from '../sql/sql.ts';
import { derivedFrom, type SummedDay } from './summed-days.ts';

/** What is counted together: whatever reaches any of some goals. Without goals: all payments. */
export type GoalSet = {
  /** In a list, the id of the goal, or '' for the set of all goals. */
  label: string;
  goals: readonly GoalDefinition[];
};

const COLUMNS: Columns = { counts: ['events', ...REACHED], money: MONEY_NAMES };
const COLUMN_NAMES = [...COLUMNS.counts, ...COLUMNS.money];
export const ALL_PAYMENTS: GoalSet = { label: '', goals: [] };

/** Returns the name under which the counts of a set are stored: a hash of all that they depend on, besides the events. */
export function nameOf({ goals }: GoalSet, { currency, max_amount }: Pick<Scope, 'currency' | 'max_amount'>): string {
  const conditions = [...new Set(goals.map(conditionOf))].sort();
  return hashOf(JSON.stringify([currency, max_amount, ...conditions]));
}

function conditionOf(goal: GoalDefinition): string {
  const values = { ...goal, props: goal.kind === 'event' && Object.entries(goal.props).sort() };
  return JSON.stringify([goal.kind, ...GOAL_FIELDS[goal.kind].map((name) => values[name as keyof typeof values])]);
}

/** Returns the sets that a question is about if their counts answer it: those of a list of goals, of all goals, or of one in a filter. */
export function setsOf({ scope, metrics, by, search }: Select): GoalSet[] | undefined {
  const { filters, goals = [] } = scope;
  if (goals.length === 0 || search || !metrics.every(isCounted)) return undefined;
  const all = { label: '', goals };
  if (by && 'dimension' in by) {
    const isList = by.dimension === 'goal' && !by.each && filters.length === 0;
    return isList ? [...goals.map((goal) => ({ label: goal.id, goals: [goal] })), all] : undefined;
  }
  if (by && ('hoursOfWeek' in by || isWithinDay(by.interval))) return undefined;
  const [filter, another] = filters;
  if (!filter) return metrics.every((metric) => columnRow(metric).isOfGoals) ? [all] : undefined;
  if (another || filter.dimension !== 'goal' || filter.operator !== 'is' || filter.values.length > 1) return undefined;
  const named = goals.filter(({ id }) => namesId(filter, id));
  return named.length === 1 ? [{ label: '', goals: named }] : undefined;
}

function isCounted(metric: Column): boolean {
  const { counts } = columnsFor([metric]);
  return metricSql(metric).ofDays !== undefined && counts.every((name) => COLUMNS.counts.includes(name));
}

/** `isRead`: the columns to count. The others are zero. */
type Reading = {
  columns: Columns;
  isRead?: (name: string) => boolean;
  sets: readonly GoalSet[];
  days: readonly SummedDay[];
  bind: Bind;
};

/** Reads the counts of sets on days, labelled as the question groups them. */
export function countsOfSets(
  { scope, by }: Select,
  { columns, isRead = () => true, sets, days, bind }: Reading,
): string {
  const names = bind(sets.map((set) => nameOf(set, scope)));
  const labels = bind(sets.map(({ label }) => label));
  const label =
    by && 'interval' in by && !isWithinDay(by.interval)
      ? [`${startOfDays(by.interval, 'day')} AS label`]
      : by && [`arrayJoin(arrayFilter((label, name) -> name = goal, ${labels}, ${names})) AS label`];
  return `SELECT ${[...(label ?? []), ...numbersOf(columns, (name) => (isRead(name) ? name : undefined))].join(', ')} FROM day_goals FINAL
    WHERE ${derivedFrom(days, bind)} AND goal IN ${names}`;
}

/** Rows have `day`, for those of the days on which all sets of these names are counted. */
export function buildCountedDays(scope: Scope, names: string[], days: readonly SummedDay[]): Statement {
  const { bound, bind } = openBound(scope);
  return {
    sql: `SELECT toString(day) AS day FROM day_goals WHERE ${derivedFrom(days, bind)} AND goal IN ${bind(names)}
      GROUP BY day HAVING uniqExact(goal) = ${bind(names.length)}`,
    bound,
  };
}

type Counting = { columns: Columns; sets: readonly GoalSet[]; conditions: readonly string[]; bind: Bind };

/** Counts sets from events. Rows have `label` and `n_NAME`; several rows may have the same label. `sets`: of the goals of the scope. */
export function countedSets(scope: Scope, { columns, sets, conditions, bind }: Counting): string {
  const { counts, money } = columns;
  const metrics: Column[] = [
    ...REACHED,
    ...(counts.includes('events') ? (['events'] as const) : []),
    ...(money.length > 0 ? (['orders', 'implausible_orders'] as const) : []),
  ];
  const plan = planOf({ scope, metrics, by: { dimension: 'goal' } }, bind);
  if (!plan.goals) throw new TypeError('This is a list of goals.');
  const sums = sumsByBits({
    kinds: plan.kinds.map(({ kind, sql }) => `(${sql}) AS of_${kind}`),
    columns: [
      ...plan.columns.flatMap(({ metric, sql }) =>
        counts.some((name) => name === metric) ? [{ name: metric, sql }] : [],
      ),
      ...money.map((name) => ({ name, sql: MONEY[name].sql })),
    ],
    rows: 'events',
    where: allOf([plan.where, ...conditions]),
    goals: plan.goals,
  });
  const masks = sets.map(({ goals }) => String(maskOf(scope, goals)));
  const labels = `arrayFilter((label, mask) -> bitAnd(toUInt128(goals), mask) != 0, ${bind(sets.map(({ label }) => label))}, CAST(${bind(masks)} AS Array(UInt128)))`;
  return `SELECT arrayJoin(${labels}) AS label, ${numbersOf(columns, (name) => name).join(', ')} FROM (${sums})`;
}

/** The bits of some goals of a scope: see goal-bits.ts. */
const maskOf = ({ goals = [] }: Scope, some: readonly GoalDefinition[]): bigint =>
  goals.reduce((mask, goal, bit) => (some.includes(goal) ? mask + 2n ** BigInt(bit) : mask), 0n);

/** Counts sets on one day from its events, also those that nobody reached. Rows have `label`, the name of a set, and the columns. */
function countedOn(scope: Scope, { sets, bind }: { sets: readonly GoalSet[]; bind: Bind }): string {
  const byName = new Map(sets.map((set) => [nameOf(set, scope), set.goals])); // the only goal is also the set of all goals
  const named = [...byName].map(([label, goals]) => ({ label, goals }));
  const [paid, reached] = [
    named.filter(({ goals }) => goals.length === 0),
    named.filter(({ goals }) => goals.length > 0),
  ];
  const columns = COLUMNS;
  const parts = [
    `SELECT arrayJoin(${bind(named.map(({ label }) => label))}) AS label, ${numbersOf(columns, () => undefined).join(', ')}`,
    ...(reached.length > 0 ? [countedSets(scope, { columns, sets: reached, conditions: [], bind })] : []),
    ...paid.map(({ label }) => {
      const ofPayments = { columns: { counts: [], money: columns.money }, conditions: [], bind };
      const isMoney = (name: string) => columns.money.some((one) => one === name);
      return `SELECT ${[`${bind(label)} AS label`, ...numbersOf(columns, (name) => (isMoney(name) ? name : undefined))].join(', ')}
        FROM (${countedEvents({ scope: { ...scope, goals: [] }, metrics: [] }, ofPayments)})`;
    }),
  ];
  const sums = COLUMN_NAMES.map((name) => `sum(n_${name}) AS ${name}`);
  return `SELECT ${['label', ...sums].join(', ')} FROM (${parts.join('\nUNION ALL\n')}) GROUP BY label`;
}

type OnDay = { day: string; summing: string; sets: readonly GoalSet[] };

/** Writes the counts of sets on one day. `scope`: the day, with the goals of the sets. */
export function buildGoals(scope: Scope, { day, summing, sets }: OnDay): Statement {
  const { bound, bind } = openBound(scope);
  return {
    sql: `INSERT INTO day_goals (${['site_id', 'day', 'summing', 'goal', ...COLUMN_NAMES].join(', ')})
      SELECT {site_id:String}, toDate(${bind(day)}), ${bind(summing)}, ${['label', ...COLUMN_NAMES].join(', ')}
      FROM (${countedOn(scope, { sets, bind })})`,
    bound,
  };
}

/** Compares counts that are stored with the events. Rows have the name of a set that differs, and both of its counts as text. */
export function buildWrongGoals(scope: Scope, { day, summing, sets }: OnDay): Statement {
  const { bound, bind } = openBound(scope);
  const numbers = `toString(tuple(${COLUMN_NAMES.filter((name) => name !== 'converted_key').join(', ')}))`;
  return {
    sql: `SELECT stored.goal AS goal, stored.numbers AS in_sums, counted.numbers AS in_events
      FROM (SELECT goal, ${numbers} AS numbers FROM day_goals FINAL
        WHERE site_id = {site_id:String} AND day = toDate(${bind(day)}) AND summing = ${bind(summing)}) AS stored
      INNER JOIN (SELECT label, ${numbers} AS numbers FROM (${countedOn(scope, { sets, bind })})) AS counted
        ON counted.label = stored.goal
      WHERE stored.numbers != counted.numbers`,
    bound,
  };
}
