// What answers have in common: their days, and the metrics of a row.
import { type Metric, metricsOf, sourceOfMetric } from '../vocabulary/metrics.ts';
import { sourceOf } from '../vocabulary/dimensions.ts';
import { type Range, resolveComparison, untilNow } from '../vocabulary/periods.ts';
import { dayOf, startOfMinute } from '../vocabulary/time.ts';
import type { Filter, SummaryQuestion } from './query.ts';
import type { Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import type { Rows } from './sql.ts';

/** What stats need to know of a site: payments up to an amount are added up in its currency, or in the proposed one until it has one. */
export type StatsSite = { currency: string | null; proposed_currency: string | null; max_amount: number };

/** A question, the site that it is about, and when it is asked. */
export type Asked<Question> = { question: Question; site: StatsSite; now: number };

/** Both included, as YYYY-MM-DD. */
export type Days = { date_from: string; date_to: string };
export type Values = Partial<Record<Metric, number>>;

export function daysOf(range: Range): Days {
  return { date_from: dayOf(range.from), date_to: dayOf(range.to - 1) };
}

export function valuesOf(row: Rows[number] | undefined, metrics: readonly Metric[]): Values {
  return Object.fromEntries(metrics.map((metric) => [metric, Number(row?.[metric] ?? 0)]));
}

export function currencyOf(site: StatsSite): string | null {
  return site.currency ?? site.proposed_currency;
}

type Filtered = Pick<SummaryQuestion, 'site_id' | 'filters'>;

export function scopeOf({ question, site }: Omit<Asked<Filtered>, 'now'>, range: Range): Scope {
  return {
    site_id: question.site_id,
    range,
    filters: question.filters,
    currency: currencyOf(site) ?? '',
    max_amount: site.max_amount,
  };
}

/** What a question is compared with, and the part of it that has a counterpart by now. */
export function comparisonOf({ question, site, now }: Asked<SummaryQuestion>, range: Range) {
  const whole = resolveComparison(range, question.period, question.compare);
  return whole && { range: whole, scope: scopeOf({ question, site }, untilNow(whole, range, startOfMinute(now))) };
}

export async function askTotals({ ask }: Reader, scope: Scope, metrics: Metric[]): Promise<Values> {
  const [row] = await ask({ scope, metrics });
  return valuesOf(row, metrics);
}

/** All metrics of what a question is about: one list for all totals, so that tiles and panels share one answer. */
export function totalMetrics({ filters, metrics }: { filters: Filter[]; metrics?: Metric[] }): Metric[] {
  const [metric, filter] = [metrics?.[0], filters[0]];
  return metricsOf(metric ? sourceOfMetric(metric) : filter ? sourceOf(filter.dimension) : 'events');
}
