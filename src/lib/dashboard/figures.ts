// The order of the figures, as the reader chose it in this browser, and which of them mean nothing without visits.
import { isMetric, type Metric, metricRow, metricsOf, type Unit } from '../../../server/vocabulary/metrics.ts';
import { recall, remember } from '../browser-storage';

/** The number of figures in the strip; the others are behind "More". */
export const SHOWN = 6;

/** These come before the rest: the figures that every site has, and those of sites with goals or revenue. */
const FIRST: readonly Metric[] = [
  'unique_visitors',
  'visits',
  'pageviews',
  'conversions',
  'conversion_rate',
  'revenue',
  'bounce_rate',
  'visit_duration',
  'views_per_visit',
];
const ORDER = 'figure-order';

/** All figures that can be shown, in the reader's order. */
export function figureOrder(): Metric[] {
  const chosen = (recall(ORDER) ?? '').split(',').filter(isMetric);
  return [...new Set([...chosen, ...FIRST, ...metricsOf('events')])].filter(
    (name) => metricRow(name).shownIfAny !== 'beside',
  );
}

export const keepFigureOrder = (order: readonly Metric[]): void => remember(ORDER, order.join());

export const resetFigureOrder = (): void => remember(ORDER, '');

/** Units of averages and rates. */
const OF_VISITS: ReadonlySet<Unit> = new Set(['ratio', 'per_cent', 'seconds']);

/** Without visits, averages and rates do not exist; they are not 0. */
export function isMeaningless(metric: Metric, summary: { metrics: { name: Metric; value: number }[] }): boolean {
  const hasVisits = summary.metrics.some(({ name, value }) => name === 'visits' && value > 0);
  return !hasVisits && OF_VISITS.has(metricRow(metric).unit);
}
