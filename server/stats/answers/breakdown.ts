// Breakdowns: the values of a dimension, with their metrics.
import { Refusal } from '../../errors.ts';
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { spellingBy } from '../../vocabulary/questions/spellings.ts';
import type { BreakdownQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import { rowBefore } from '../days/lists.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import type { Ask, Rows, Select } from '../sql/sql.ts';
import {
  type Asked,
  askTotals,
  comparisonOf,
  type Days,
  daysOf,
  scopeOf,
  totalMetrics,
  type Values,
  valuesOf,
} from './values.ts';

export type Breakdown = Days & {
  rows: { name: string; values: Values; previous: Values | null }[];
  /** Rows before paging. */
  total: number;
  /** The first metric over all rows: the base of each row's share. */
  sum: number;
};
/** A breakdown without shares and comparison. */
export type List = Omit<Breakdown, 'sum'>;

export async function askList(reader: Reader, asked: Asked<BreakdownQuestion>): Promise<List> {
  const range = await askRange(reader, asked);
  const select = selectOf(asked.question, scopeOf(asked, range));
  const [found, shownAs] = await Promise.all([reader.ask(select), askSpelling(select, reader.ask)]);
  const metrics = metricsOf(asked.question);
  const rows = found.map((row) => ({ name: shownAs(nameOf(row)), values: valuesOf(row, metrics), previous: null }));
  return { ...daysOf(range), rows, total: totalOf(found) };
}

export async function askBreakdown(reader: Reader, asked: Asked<BreakdownQuestion>): Promise<Breakdown> {
  const { question } = asked;
  const range = await askRange(reader, asked);
  const scope = scopeOf(asked, range);
  const metrics = metricsOf(question);
  const comparison = comparisonOf(asked, range);
  const select = selectOf(question, scope);
  // Other filters are another question.
  const before = comparison && !question.versus ? comparison.scope.range : undefined;
  const compared = before && reader.askCompared(select, before);
  const rows = compared ? compared.then((found) => found ?? reader.ask(select)) : reader.ask(select);
  // as the rows are asked for: the store then reads both in one statement
  const askAlike: Ask = async (tags) => (before && (await reader.askCompared(tags, before))) ?? reader.ask(tags);
  const [found, sum, shownAs] = await Promise.all([
    rows,
    askSum(reader, { question, scope, rows }),
    askSpelling(select, askAlike),
  ]);
  const previous =
    comparison &&
    ((await compared)
      ? byName(found, rowBefore)
      : await askPrevious(reader, question, { scope: comparison.scope, found }));
  return {
    ...daysOf(range),
    rows: found.map((row) => ({
      name: shownAs(nameOf(row)),
      values: reader.rule ? within(sum, valuesOf(row, metrics), metrics[0]) : valuesOf(row, metrics),
      previous: previous ? valuesOf(previous.get(nameOf(row)), metrics) : null,
    })),
    total: totalOf(found),
    sum,
  };
}

/** Most tags whose spelling is looked up: those of smaller sources are shown in lower case. */
const MOST_TAGS = 300;

/** Returns how the names of a list are shown. */
async function askSpelling({ scope, metrics, by }: ListOf, ask: Ask): Promise<(stored: string) => string> {
  if (by.dimension !== 'source') return String;
  const tags = await ask({ scope, metrics: metrics.slice(0, 1), by: { dimension: 'utm_source' }, limit: MOST_TAGS });
  return spellingBy(tags.map(nameOf));
}

/** Rows and their sum are changed each by itself for viewers: no row may be larger. */
function within(sum: number, values: Values, metric: Metric | undefined): Values {
  if (metric === undefined || !['count', 'money'].includes(metricRow(metric).unit)) return values;
  return { ...values, [metric]: Math.min(values[metric] ?? 0, sum) };
}

type Summed = { question: BreakdownQuestion; scope: Scope; rows: Promise<Rows> };

/** The first metric over all rows. Rows of goals include it where possible, since the shared totals lack their metrics. */
async function askSum(reader: Reader, { question, scope, rows }: Summed): Promise<number> {
  const metric = question.metrics[0];
  if (metric === undefined) return 0;
  if (question.dimension !== 'goal') return (await askTotals(reader, scope, totalMetrics(question)))[metric] ?? 0;
  const known = reader.rule ? undefined : (await rows)[0]?.[`all_${metric}`];
  return known === undefined ? ((await askTotals(reader, scope, [metric]))[metric] ?? 0) : Number(known);
}

type ListOf = Select & { by: { dimension: Dimension } };

function selectOf(question: BreakdownQuestion, scope: Scope): ListOf {
  const { dimension, search, order, page, per_page } = question;
  const metrics = metricsOf(question);
  if (order && order.by !== 'name' && !metrics.includes(order.by))
    throw new Refusal('bad_request', 'order: must be by name or by one of the requested metrics.');
  return { scope, metrics, by: { dimension }, search, order, limit: per_page, offset: (page - 1) * per_page };
}

/** Queries the rows with the same names in the comparison's range. */
async function askPrevious(
  { ask }: Reader,
  question: BreakdownQuestion,
  { scope, found }: { scope: Scope; found: Rows },
): Promise<Map<string, Rows[number]>> {
  if (found.length === 0) return new Map();
  const labels = found.map(nameOf);
  const by = { dimension: question.dimension };
  const rows = await ask({ scope, metrics: metricsOf(question), by, labels, limit: labels.length });
  return byName(rows, (row) => row);
}

const byName = (rows: Rows, numbersOf: (row: Rows[number]) => Rows[number]) =>
  new Map(rows.map((row) => [nameOf(row), numbersOf(row)]));

const metricsOf = ({ metrics }: BreakdownQuestion) => [...new Set(metrics)];
const nameOf = (row: Rows[number]) => String(row['label']);
const totalOf = ([first]: Rows) => Number(first?.['total'] ?? 0);
