// The order of the figures, as the reader chose it in this browser.
import { isMetric, type Metric, metricRow, metricsOf } from '../../../server/vocabulary/metrics.ts';
export { isMeaningless } from '../../../server/vocabulary/figures.ts';
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
