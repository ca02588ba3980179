// Parts that many answers share: their days, and the values of a row.
import { type Dimension, onePageOf } from '../../vocabulary/questions/dimensions.ts';
import { type Metric, metricRow, metricsOf, sourceOfMetric } from '../../vocabulary/numbers/metrics.ts';
import { type Range, resolveComparison, untilNow } from '../../vocabulary/time/periods.ts';
import { sourceOfFilter } from '../../vocabulary/questions/segments.ts';
import type { Source } from '../../vocabulary/questions/sources.ts';
import { dayOf, startOfMinute } from '../../vocabulary/time/time.ts';
import { isOfReading } from '../sql/combination.ts';
import type { SavedFunnel } from '../funnels/funnel-sql.ts';
import type { Goal } from '../sql/goals.ts';
import type { Filter, SummaryQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';

/**
 * The settings of a site that stats need. Revenue adds up payments of at most `max_amount`, in the site's currency or else in the proposed
 * one.
 */
export type StatsSite = {
  currency: string | null;
  proposed_currency: string | null;
  max_amount: number;
  /** The zone whose days are counted; null for UTC days. */
  timezone: string | null;
};

/** A query with its site, the current time, and the site's goals and funnels if the query needs them. */
export type Asked<Question> = {
  question: Question;
  site: StatsSite;
  now: number;
  goals?: readonly Goal[];
  funnels?: readonly SavedFunnel[];
};

/** First and last day, both included, as YYYY-MM-DD. */
export type Days = { date_from: string; date_to: string };
export type Values = Partial<Record<Metric, number>>;

export function daysOf(range: Range): Days {
  return { date_from: dayOf(range.from), date_to: dayOf(range.to - 1) };
}

/** Null: imported days that do not tell it. */
export const numberOf = (value: Rows[number][string] | undefined): number | null =>
  value === null ? null : Number(value);

/** A metric that no row tells has no value. */
export function valuesOf(row: Rows[number] | undefined, metrics: readonly Metric[]): Values {
  const told = metrics.filter((metric) => row?.[metric] !== null);
  return Object.fromEntries(told.map((metric) => [metric, Number(row?.[metric] ?? 0)]));
}

export function currencyOf(site: StatsSite): string | null {
  return site.currency ?? site.proposed_currency;
}

type Filtered = Pick<SummaryQuestion, 'site_id' | 'filters' | 'currency' | 'include_imported'>;

export function scopeOf(
  { question, site, goals = [], funnels = [] }: Omit<Asked<Filtered>, 'now'>,
  range: Range,
): Scope {
  return {
    site_id: question.site_id,
    range,
    filters: question.filters,
    goals,
    funnels,
    currency: question.currency ?? currencyOf(site) ?? '',
    of_currency: question.currency !== undefined,
    max_amount: site.max_amount,
    imported: question.include_imported,
  };
}

/**
 * Returns the comparison's whole range, and a scope that is cut to the time that has passed in the query's own range. A comparison with
 * other filters uses the query's own range, so it needs no cut.
 */
export function comparisonOf(asked: Asked<SummaryQuestion>, range: Range) {
  const { question, now } = asked;
  if (question.versus)
    return { range, scope: scopeOf({ ...asked, question: { ...question, filters: question.versus } }, range) };
  const whole = resolveComparison(range, question);
  if (!whole) return undefined;
  const cut = untilNow(whole, { range, compare: question.compare }, startOfMinute(now));
  return { range: whole, scope: scopeOf(asked, cut) };
}

export async function askTotals({ ask }: Pick<Reader, 'ask'>, scope: Scope, metrics: Metric[]): Promise<Values> {
  const [row] = await ask({ scope, metrics });
  return valuesOf(row, metrics);
}

type ByLabel = { scope: Scope; metric: Metric; dimension: Dimension; limit: number; labels?: string[] };

/** Returns a metric for the values of a dimension, the largest first; with `labels`, only for those values. */
export async function askByLabel(
  { ask }: Reader,
  { metric, dimension, ...asked }: ByLabel,
): Promise<Map<string, number>> {
  const rows = await ask({ ...asked, metrics: [metric], by: { dimension } });
  return new Map(rows.map((row) => [String(row['label']), Number(row[metric])]));
}

function sourceAskedAbout(metric: Metric | undefined, filter: Filter | undefined): Source {
  if (metric) return sourceOfMetric(metric);
  return filter ? sourceOfFilter(filter.dimension) : 'events';
}

/**
 * Returns all metrics of the query's source. All totals use this list, so that tiles and panels share one cached answer. It includes
 * conversions only for queries about goals. It includes reading metrics only for queries about one page: for a whole site they say little,
 * and take a second pass over the data.
 */
export function totalMetrics({ filters, metrics = [] }: { filters: Filter[]; metrics?: Metric[] }): Metric[] {
  const [metric] = metrics;
  const all = metricsOf(sourceAskedAbout(metric, filters[0]));
  const isAboutGoals =
    filters.some(({ dimension }) => dimension === 'goal') || (metric && metricRow(metric).isOfGoals) === true;
  const isAboutReading = onePageOf(filters) !== undefined || metrics.some(isOfReading);
  return all.filter((name) => (isAboutGoals || !metricRow(name).isOfGoals) && (isAboutReading || !isOfReading(name)));
}
