// Summaries: the figures of a period.
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import type { SummaryQuestion } from '../query.ts';
import { askCountedSince, askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import {
  type Asked,
  askTotals,
  comparisonOf,
  currencyOf,
  type Days,
  daysOf,
  scopeOf,
  totalMetrics,
  type Values,
} from './values.ts';

export type Summary = Days & {
  /**
   * `counted_since`: the first day with data, set if the comparison starts before it. If it lies after the comparison's end, there is
   * nothing to compare with.
   */
  compare: (Days & { counted_since: string | null }) | null;
  currency: string | null;
  /** True if nobody chose the currency: it is that of the first payment. */
  is_currency_proposed: boolean;
  /** `untold`: the days are of other products, which do not tell this number. */
  metrics: { name: Metric; value: number; previous: number | null; untold?: true }[];
};

export async function askSummary(reader: Reader, asked: Asked<SummaryQuestion>): Promise<Summary> {
  const { question, site } = asked;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  const metrics = totalMetrics(question);
  const [values, previous, countedSince] = await Promise.all([
    askTotals(reader, scopeOf(asked, range), metrics),
    comparison && askTotals(reader, comparison.scope, metrics),
    comparison && !question.versus ? askCountedSince(reader, question, comparison.range) : null,
  ]);
  const shown = metrics.filter((name) => !metricRow(name).shownIfAny || values[name] || previous?.[name]);
  return {
    ...daysOf(range),
    compare: comparison ? { ...daysOf(comparison.range), counted_since: countedSince } : null,
    currency: currencyOf(site),
    is_currency_proposed: site.currency === null && site.proposed_currency !== null,
    metrics: shown.map((name) => ({
      name,
      value: values[name] ?? 0,
      previous: previous?.[name] ?? null,
      ...(values[name] === undefined && { untold: true as const }),
    })),
  };
}

/** Some metrics of a summary. */
export async function askFigures(
  reader: Reader,
  asked: Asked<SummaryQuestion & { metrics: Metric[] }>,
): Promise<Days & { values: Values }> {
  const range = await askRange(reader, asked);
  return { ...daysOf(range), values: await askTotals(reader, scopeOf(asked, range), asked.question.metrics) };
}
