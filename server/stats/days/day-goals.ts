// Goals on closed days: the SQL that counts them once, and the SQL that reads these counts in place of the days' events. Conversions,
// converted visitors and amounts add up over days.
import { type GoalDefinition, goalKind } from '../../vocabulary/questions/goals.ts';
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import { dayOf, daysIn } from '../../vocabulary/time/time.ts';
import { namesId } from '../../vocabulary/questions/operators.ts';
import { type Columns, columnsFor, MONEY, MONEY_NAMES, numbersOf, REACHED } from './day-columns.ts';
import { countedEvents } from './day-sums.ts';
import { allOf } from '../sql/filters.ts';
import { sumsByBits } from '../sql/goal-list.ts';
import type { Goal } from '../sql/goals.ts';
import { hashOf } from '../hash.ts';
import { type Column, columnRow, metricSql } from '../sql/metrics.ts';
import { planOf, startOfDays } from '../sql/plan.ts';
import { type Bind, openBound, type Scope, type Statement } from '../sql/scope.ts';
import type { Select } from '../sql/sql.ts';
import { derivedFrom, IMPORTED_KEY, notOn, type SummedDay } from './summed-days.ts';

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
export function nameOf(
  { goals }: GoalSet,
  { currency, of_currency, max_amount }: Pick<Scope, 'currency' | 'of_currency' | 'max_amount'>,
): string {
  return hashOf(JSON.stringify([currency, ...(of_currency ? [true] : []), max_amount, ...conditionList(goals)]));
}

const conditionList = (goals: readonly GoalDefinition[]): string[] => [...new Set(goals.map(conditionOf))].sort();

/** What a set counts, as text: the conditions of its goals, each once. */
const conditionsOf = (goals: readonly GoalDefinition[]): string => JSON.stringify(conditionList(goals));

function conditionOf(goal: GoalDefinition): string {
  const values: object = { ...goal, props: 'props' in goal && Object.entries(goal.props).sort() };
  return JSON.stringify([goal.kind, ...goalKind(goal.kind).fields.map((name) => values[name as keyof typeof values])]);
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
  return `SELECT ${[...(label ?? []), ...numbersOf(columns, (name) => (isRead(name) ? name : undefined))].join(', ')} FROM ${goalsTable(scope, { sets, days, bind })}
    WHERE ${derivedFrom(days, bind)} AND goal IN ${names}`;
}

/** SQL for the table to read counts of sets from: with those of imports only where a day needs them. */
function goalsTable(scope: Scope, { sets, days, bind }: Pick<Reading, 'sets' | 'days' | 'bind'>): string {
  if (!days.some((day) => day.imported)) return 'day_goals FINAL';
  return `(SELECT ${GOAL_COLUMNS} FROM day_goals FINAL UNION ALL ${countedByImports(scope, { sets, bind })}) AS day_goals`;
}

const GOAL_COLUMNS = ['site_id', 'day', 'summing', 'goal', ...COLUMN_NAMES].join(', ');

/**
 * SQL for the counts of sets in imports, which know no money. Where an import does not know several goals together, those of them that it knows are
 * added up, with at most all visitors of the day.
 */
function countedByImports(scope: Scope, { sets, bind }: Pick<Reading, 'sets' | 'bind'>): string {
  const named = [...new Map(sets.map((set) => [nameOf(set, scope), set.goals]))].map(([name, goals]) => ({
    name,
    key: importedGoal(conditionsOf(goals)),
    ofEach: [...new Set(goals.map((goal) => importedGoal(conditionsOf([goal]))))],
  }));
  const rows = (goal: string, counts: Partial<Record<string, string>>, rest: string) =>
    `SELECT site_id, day, summing, ${goal} AS goal, ${COLUMN_NAMES.map((name) => `${counts[name] ?? '0'} AS ${name}`).join(', ')}
    FROM imported_sums WHERE site_id = {site_id:String} AND ${rest}`;
  const known = {
    conversions: 'imported_sums.events',
    converted_visitors: 'unique_visitors',
    converted_key: IMPORTED_KEY,
  };
  const isGoal = "dimension = 'goal'";
  const added = {
    conversions: `sumIf(imported_sums.events, ${isGoal})`,
    converted_visitors: `least(sumIf(unique_visitors, ${isGoal}), sumIf(unique_visitors, dimension = ''))`,
    converted_key: `sumIf(${IMPORTED_KEY}, ${isGoal})`,
  };
  const [keys, names] = [bind(named.map(({ key }) => key)), bind(named.map(({ name }) => name))];
  const several = named.filter(({ ofEach }) => ofEach.length > 1);
  return [
    rows(`transform(label, ${keys}, ${names}, '')`, known, `${isGoal} AND label IN ${keys}`),
    ...several.map(({ name, key, ofEach }) =>
      rows(
        bind(name),
        added,
        `(dimension = '' OR (${isGoal} AND label IN ${bind([key, ...ofEach])}))
        GROUP BY site_id, day, summing HAVING countIf(label = ${bind(key)}) = 0 AND countIf(${isGoal}) > 0`,
      ),
    ),
  ].join('\nUNION ALL\n');
}

/** The label of a goal, or of several together, in the sums of an import. `conditions`: as an export writes them. */
export const importedGoal = (conditions: string): string => hashOf(conditions);

/** Rows have `day`, for those of the days on which all sets are counted. An import counts the sets that it knows: others were not reached there. */
export function buildCountedDays(scope: Scope, sets: readonly GoalSet[], days: readonly SummedDay[]): Statement {
  const { bound, bind } = openBound(scope);
  const names = [...new Set(sets.map((set) => nameOf(set, scope)))];
  // A set that was counted twice is still one: only imports need the other table.
  const imported = days.flatMap((day) => (day.imported ? [day.day] : []));
  const table = imported.length > 0 ? goalsTable(scope, { sets, days, bind }) : 'day_goals';
  return {
    sql: `SELECT toString(day) AS day FROM ${table} WHERE ${derivedFrom(days, bind)} AND goal IN ${bind(names)}
      GROUP BY day HAVING uniqExact(goal) = ${bind(names.length)} OR toString(day) IN ${bind(imported)}`,
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
    sql: `INSERT INTO day_goals (${GOAL_COLUMNS})
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

export type NamedGoal = Goal & { name: string };

/**
 * Counts the goals on each day of a range for an export. Rows have `date`, `goal_id`, `goal` (its name), `conditions` and the numbers; those without
 * a goal count whatever reached any. `imported`: days of other products, whose goals are those of an import.
 */
export function buildDailyGoals(
  scope: Scope,
  {
    goals,
    imported,
    textOf,
  }: { goals: readonly NamedGoal[]; imported: readonly SummedDay[]; textOf: (sql: string) => string },
): Statement {
  const { bound, bind } = openBound(scope);
  const conditions = notOn(scope.range, imported, bind);
  const ids = bind(goals.map(({ id }) => id));
  const other = new Set(imported.map(({ day }) => day));
  const all = daysIn(scope.range).flatMap((at) => (other.has(dayOf(at)) ? [] : [String(at)]));
  const columns: Columns = { counts: EXPORTED_COUNTS, money: ['paid', 'refunded'] };
  const counted = (by: { dimension: 'goal'; each: 'day' } | { interval: 'day' }) =>
    countedEvents({ scope, metrics: [], by }, { columns, conditions, bind });
  const numbers = 'conversions, converted_visitors, paid - refunded AS revenue';
  const days = [
    `SELECT label AS goal_id, bucket AS at, ${numbers} FROM (${counted({ dimension: 'goal', each: 'day' })})`,
    `SELECT '' AS goal_id, label AS at, ${numbers} FROM (${counted({ interval: 'day' })})`,
    // Whoever reads the export must know on which days nobody reached a goal.
    `SELECT arrayJoin(arrayConcat([''], ${ids})) AS goal_id, toInt64(arrayJoin(${bind(all)})) AS at, 0 AS conversions, 0 AS converted_visitors, 0 AS revenue`,
    ...(imported.length > 0 ? [importedGoals(scope, { goals, imported, bind })] : []),
  ].map(
    (sql) =>
      `SELECT goal_id, toInt64(at) AS at, toInt64(conversions) AS reached, toInt64(converted_visitors) AS visitors, CAST(revenue, 'Decimal(38, 4)') AS money FROM (${sql})`,
  );
  const named = (values: string[]) => `transform(goal_id, ${ids}, ${bind(values)}, '')`;
  const currency = textOf(bind(scope.currency));
  return {
    sql: `SELECT toDate(fromUnixTimestamp64Milli(at, 'UTC')) AS date, goal_id, ${textOf(named(goals.map(({ name }) => name)))} AS goal,
      if(goal_id = '', ${bind(conditionsOf(goals))}, ${named(goals.map((goal) => conditionsOf([goal])))}) AS conditions,
      sum(reached) AS conversions, sum(visitors) AS converted_visitors, sum(money) AS revenue, ${currency} AS currency
      FROM (${days.join('\nUNION ALL\n')}) GROUP BY at, goal_id ORDER BY at, goal_id`,
    bound,
  };
}

/** The counts of goals that imports have brought, of the goals that the site still has. */
function importedGoals(
  scope: Scope,
  { goals, imported, bind }: { goals: readonly NamedGoal[]; imported: readonly SummedDay[]; bind: Bind },
): string {
  const sets = [{ label: '', goals }, ...goals.map((goal) => ({ label: goal.id, goals: [goal] }))];
  const ids = bind(sets.map(({ label }) => label));
  const names = bind(sets.map((set) => nameOf(set, scope)));
  return `SELECT arrayJoin(arrayFilter((id, name) -> name = goal, ${ids}, ${names})) AS goal_id,
      ${startOfDays('day', 'day')} AS at, ${EXPORTED_COUNTS.join(', ')}, 0 AS revenue
    FROM (${countedByImports(scope, { sets, bind })}) WHERE ${derivedFrom(imported, bind)}`;
}

const EXPORTED_COUNTS = ['conversions', 'converted_visitors'] as const;
