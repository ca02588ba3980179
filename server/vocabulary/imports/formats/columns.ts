// A table of daily sums whose columns are known by their headings, or mapped by hand.
import { ImportError } from '../import.ts';
import { DIMENSION_NAMES } from '../../questions/dimensions.ts';
import type { CsvHead } from '../reading/csv.ts';
import { dayReader, isYearLast, orderOf, type DateOrder } from '../values/dates.ts';
import { areInPercent, isTold, readCount, readSeconds, readShare } from '../values/numbers.ts';
import { DAY_MS } from '../../time/time.ts';
import { NO_NUMBERS, NUMBER_NAMES, type Mapping, type Numbers, type Table } from './format.ts';
import { isTarget, proposedTarget, TARGETS, type Target } from './headings.ts';
import { labelReader, LABEL_NAMES, type LabelName } from './labels.ts';
import { sumTable } from './sums.ts';

const DATES: ReadonlySet<string> = new Set(['date', 'date_day_first', 'date_month_first'] satisfies Target[]);
const COUNTED: ReadonlySet<string> = new Set([...NUMBER_NAMES, 'engaged_visits'] satisfies Target[]);
/** Rows that are looked at to find the dates and their order. */
const LOOKED_AT = 200;

type At = Partial<Record<Target, number>>;

/** What each column becomes: by hand where it is told, or by its heading. Of two columns for one purpose, the first counts. */
export function proposeColumns(
  head: CsvHead,
  mapping: Mapping | undefined,
  not: readonly Target[] = [],
): (Target | null)[] {
  const taken = new Set<string>();
  const take = (target: Target) => {
    const purpose = DATES.has(target) ? 'date' : target;
    if (taken.has(purpose)) return null;
    taken.add(purpose);
    return target;
  };
  for (const target of Object.values(mapping ?? {}))
    if (target !== '' && !isTarget(target))
      throw new ImportError({ what: 'wrong_target', target: target.slice(0, 40), targets: TARGETS.join(', ') });
  const told = head.header.map((column) => (mapping && Object.hasOwn(mapping, column) ? mapping[column] : undefined));
  const byHand = told.map((target) => (target !== undefined && isTarget(target) ? take(target) : null));
  return head.header.map((column, index) => {
    if (told[index] !== undefined) return byHand[index] ?? null;
    const target = proposedTarget(column);
    if (target === undefined || not.includes(target)) return null;
    if (DATES.has(target) && !looksLikeDates(head, index)) return null;
    return take(target);
  });
}

function looksLikeDates({ sample }: CsvHead, index: number): boolean {
  if (sample.length === 0) return true;
  const cells = sample.slice(0, LOOKED_AT).map((row) => row[index] ?? '');
  return (['day_first', 'month_first'] as const).some((order) =>
    cells.some((cell) => dayReader(order)(cell) !== undefined),
  );
}

/** Undefined if there is no date among the columns, or nothing that is counted. `ratesInPercent`: of a product that writes 1% as 1. */
export function openColumns(
  head: CsvHead,
  columns: readonly (Target | null)[],
  { ratesInPercent = false }: { ratesInPercent?: boolean } = {},
): Table | undefined {
  const at: At = {};
  columns.forEach((target, index) => {
    if (target) at[target] = index;
  });
  const dateAt = columns.findIndex((target) => target !== null && DATES.has(target));
  if (dateAt === -1 || !columns.some((target) => target !== null && COUNTED.has(target))) return undefined;
  const order = orderFor(head, dateAt, columns[dateAt] ?? 'date');
  const labels = LABEL_NAMES.filter((name) => at[name] !== undefined);
  const becomes = columns.map((target, index) => (index === dateAt && order ? `date_${order}` : target));
  const row = {
    width: head.header.length,
    needed: columns.findLastIndex((target) => target !== null) + 1,
    dayAt: dateAt,
    readDay: dayReader(order ?? 'day_first'),
    labels: labels.map((dimension) => ({ dimension, read: labelReader(dimension, at) })),
    readNumbers: numbersReader(at, { inPercent: ratesInPercent || hasRatesInPercent(head, at) }),
  };
  return sumTable(row, becomes, rankOf(labels));
}

/** Totals come from a table without dimensions, or else from one whose visits add up, or else whose page views do. */
function rankOf(labels: readonly LabelName[]): number | undefined {
  if (labels.includes('event')) return undefined;
  if (labels.length === 0) return 1;
  const pages = labels.find((name) => name === 'page' || name === 'hostname');
  return pages === undefined ? 2 + DIMENSION_NAMES.indexOf(labels[0] ?? 'source') : 100;
}

/** The order of dates such as 03/04/2025; undefined if the column has none, or says it by the year in front. */
function orderFor({ sample }: CsvHead, index: number, target: string): DateOrder | undefined {
  if (target === 'date_day_first') return 'day_first';
  if (target === 'date_month_first') return 'month_first';
  const dates = sample
    .slice(0, LOOKED_AT)
    .map((row) => (row[index] ?? '').trim())
    .filter(isYearLast);
  if (dates.length === 0) return undefined;
  return orderOf(dates) ?? (spanOf(dates, 'month_first') < spanOf(dates, 'day_first') ? 'month_first' : 'day_first');
}

/** How many days the dates span if read in this order. Rows of a file are near each other, so that the shorter span is right. */
function spanOf(dates: readonly string[], order: DateOrder): number {
  const read = dayReader(order);
  const times = dates.map((date) => Date.parse(read(date) ?? '')).filter((time) => !Number.isNaN(time));
  return (Math.max(...times) - Math.min(...times)) / DAY_MS;
}

/** By the start of the file: a rate above 1 after it is no number in a column of shares. */
const hasRatesInPercent = ({ sample }: CsvHead, { bounce_rate: rateAt }: At): boolean =>
  rateAt !== undefined && areInPercent(sample.map((row) => row[rateAt] ?? ''));

function numbersReader(at: At, rates: { inPercent: boolean }) {
  const counts = NUMBER_NAMES.filter((name) => name !== 'visit_seconds' && at[name] !== undefined);
  const read = <Value>(cells: readonly string[], target: Target, reader: (text: string) => Value) => {
    const cell = cells[at[target] ?? -1] ?? '';
    return isTold(cell) ? reader(cell) : null;
  };
  const readRate = (text: string) => readShare(text, rates);
  return (cells: readonly string[]): Numbers | undefined => {
    const numbers: Numbers = { ...NO_NUMBERS };
    for (const name of counts) {
      const count = read(cells, name, readCount);
      if (count === undefined) return undefined;
      if (count !== null) numbers[name] = count;
    }
    const { visits } = numbers;
    const engaged = read(cells, 'engaged_visits', readCount);
    const rate = numbers.bounces === null && engaged === null ? read(cells, 'bounce_rate', readRate) : null;
    const seconds = read(cells, 'visit_seconds', readSeconds);
    const average = seconds === null ? read(cells, 'visit_duration', readSeconds) : null;
    if (engaged === undefined || rate === undefined || seconds === undefined || average === undefined) return undefined;
    if (visits === null) return { ...numbers, bounces: null };
    if (engaged !== null) numbers.bounces = Math.max(0, visits - engaged);
    if (rate !== null) numbers.bounces = Math.round(rate * visits);
    numbers.visit_seconds = average === null ? seconds : Math.round(average * visits);
    return numbers;
  };
}
