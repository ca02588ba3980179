// The columns that the rows of closed days are added up in, and which of them each metric needs. All of them add up over days.
import { type Column, columnRow, IN_CURRENCY, IS_PAYMENT, OF_ORDERS, metricSql, withNeeds } from '../sql/metrics.ts';

/** Columns that count people and what they did. */
export const KEPT = ['unique_visitors', 'visits', 'pageviews', 'events', 'visitor_key'] as const satisfies Column[];
/** What metrics of whole visits are computed from, as columns of `events` and of the sums. */
export const OF_VISITS = ['bounces', 'visit_ms'] as const;
export const COUNTS = [...KEPT, ...OF_VISITS];
/** Columns of goals: how often they were reached, and by how many visitors. */
export const REACHED = ['conversions', 'converted_visitors', 'converted_key'] as const satisfies Column[];
const ALL_COUNTS = [...COUNTS, ...REACHED];
export type Count = (typeof ALL_COUNTS)[number];

/** Columns of money in SQL, counted from payments. `implausible_orders` count every currency, and so do `orders` if the question names none. */
export const MONEY = {
  orders: { type: 'Int64', sql: `countIf(${OF_ORDERS} AND ${IS_PAYMENT})` },
  implausible_orders: { type: 'Int64', sql: 'countIf(of_implausible_orders)' },
  payments: { type: 'Int64', sql: `countIf(${IN_CURRENCY} AND ${IS_PAYMENT})` },
  paid: { type: 'Decimal(38, 4)', sql: `sumIf(amount, ${IN_CURRENCY} AND ${IS_PAYMENT})` },
  refunded: { type: 'Decimal(38, 4)', sql: `sumIf(-amount, ${IN_CURRENCY} AND NOT ${IS_PAYMENT})` },
  paid_confirmed: { type: 'Decimal(38, 4)', sql: `sumIf(amount, ${IN_CURRENCY} AND confirmed = 1)` },
} as const;
export type Money = keyof typeof MONEY;
export const MONEY_NAMES = Object.keys(MONEY) as Money[];

export type Columns = { counts: readonly Count[]; money: readonly Money[] };

/** True if a column is among the counts. Columns of money never are. */
export const isCountOf = ({ counts }: Columns, name: Count | Money): name is Count =>
  counts.some((one) => one === name);

/** True if a metric can be computed from the sums of days. */
export const isOfDays = (metric: Column): boolean =>
  metricSql(metric).ofDays !== undefined && !columnRow(metric).isOfGoals;

/** The columns that metrics are computed from. */
export function columnsFor(metrics: readonly Column[]): Columns {
  const used = withNeeds(metrics).flatMap((metric) => metricSql(metric).ofDays?.match(/(?<=\bn_)\w+/g) ?? []);
  return {
    counts: ALL_COUNTS.filter((name) => used.includes(name)),
    money: MONEY_NAMES.filter((name) => used.includes(name)),
  };
}

/**
 * Returns the columns, called `n_NAME`, in the same order and types for all parts of a question. `sqlOf` gives undefined for zero. `prefix`:
 * of a `Side`.
 */
export function numbersOf(
  { counts, money }: Columns,
  sqlOf: (name: Count | Money) => string | undefined,
  prefix: Side['prefix'] = '',
): string[] {
  return [
    ...counts.map((name) => `toInt64(${sqlOf(name) ?? '0'}) AS ${prefix}n_${name}`),
    ...money.map((name) => `CAST(${sqlOf(name) ?? '0'}, '${MONEY[name].type}') AS ${prefix}n_${name}`),
  ];
}

type WithDays = { days: readonly { imported?: object }[] };

/** SQL for a metric over the columns of days. */
export function metricOfDays(metric: Column, { days }: WithDays): string {
  const { ofDays = '', ofImports = ofDays } = metricSql(metric);
  return days.some(({ imported }) => imported) ? ofImports : ofDays;
}

export const BEFORE = 'before_';

/** A range, or the one that it is compared with, whose columns and metrics have a prefix. One pass over closed days counts both. */
export type Side = {
  prefix: '' | typeof BEFORE;
  /** SQL condition for the days of this side, if there are two. */
  when?: string;
};

/** SQL for a metric of a side: its definition over the columns of that side. */
export function metricOfSide(metric: Column, { prefix, ...of }: Side & WithDays): string {
  const isOfSide = (word: string) => word.startsWith('n_') || withNeeds([metric]).some((name) => name === word);
  const sql = metricOfDays(metric, of);
  return `${sql.replaceAll(/\w+/g, (word) => (isOfSide(word) ? `${prefix}${word}` : word))} AS ${prefix}${metric}`;
}
