// The figures of a dashboard: which there are, and their order, as it is arranged.
import { onePageOf } from '../../../../server/vocabulary/questions/dimensions.ts';
import { type Metric, metricRow, metricsOf } from '../../../../server/vocabulary/numbers/metrics.ts';
export { isMeaningless } from '../../../../server/vocabulary/numbers/figures.ts';
import type { Summary } from '../../api/types';
import type { Board } from '../../view/board.svelte';

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

/**
 * The figures of the board in their order. Which there are follows from the site and the question, not from the numbers, so that no figure
 * moves when the numbers arrive or become zero.
 */
export const figuresOf = (board: Board, summary: Summary | undefined): Metric[] =>
  figureOrder(board.arrangement.figures).filter(
    (name) => isAsked(board, name) || summary?.metrics.some((metric) => metric.name === name),
  );

function isAsked({ site, filters }: Board, name: Metric): boolean {
  const { isOfGoals, isOfReading, counts } = metricRow(name);
  if (isOfGoals) return filters.some(({ dimension }) => dimension === 'goal');
  if (isOfReading) return onePageOf(filters) !== undefined;
  return counts !== 'orders' || site.currency !== null;
}

/** All figures that can be shown, those in `first` before the others. */
export const figureOrder = (first: readonly Metric[] = []): Metric[] =>
  [...new Set([...first, ...FIRST, ...metricsOf('events')])].filter((name) => metricRow(name).shownIfAny !== 'beside');
