// The two axes of values. The left one is that of the chart's own metric. The right one has another unit, or numbers of another size, on the
// same grid lines.
import { midSentence, t } from '../../../../server/vocabulary/habits/messages.ts';
import { listOf } from '../../../../server/vocabulary/habits/formatters.ts';
import { type Metric, metricRow, type Unit } from '../../../../server/vocabulary/numbers/metrics.ts';
import { duration } from '../../formats/format';
import { durationStep, durationTicks, roundStep, ticks } from './series';

type Line = { metric: Metric; isOff: boolean };

const unitOf = (metric: Metric): Unit => metricRow(metric).unit;

/** Beside visits, so few would be a flat line. */
function isOfFew(metric: Metric): boolean {
  const { unit, counts } = metricRow(metric);
  return unit === 'count' && (counts === 'conversions' || counts === 'orders');
}

/** Whether a line of this metric has the axis at the right, in a chart of the metric `own`. */
export const needsRight = (metric: Metric, own: Metric): boolean =>
  unitOf(metric) !== unitOf(own) || isOfFew(metric) !== isOfFew(own);

/** The unit of the right axis: that of the first line on it. AI visits are counts. */
export function rightUnit(lines: readonly Line[], own: Metric): Unit | undefined {
  const first = lines.find(({ metric, isOff }) => !isOff && needsRight(metric, own));
  return first && unitOf(first.metric);
}

/** Whether a line can be drawn while the right axis has this unit. */
export const fits = (metric: Metric, own: Metric, right: Unit | undefined): boolean =>
  !needsRight(metric, own) || right === undefined || unitOf(metric) === right;

/** The metrics on the right axis. All have one unit. `hasAi`: AI visits are drawn beside lines; alone, they have the left axis. */
export const metricsAtRight = (lines: readonly Pick<Line, 'metric'>[], own: Metric, hasAi: boolean): Metric[] => [
  ...lines.flatMap(({ metric }) => (needsRight(metric, own) ? metric : [])),
  ...(hasAi ? (['ai_visits'] as const) : []),
];

/** `On the right axis: bounce rate.`, of the metrics there. Undefined without any. */
export function rightWords(metrics: readonly Metric[]): string | undefined {
  const names = new Set(metrics.map((metric) => midSentence(metricRow(metric).label)));
  return names.size > 0 ? t('On the right axis: {metrics}.', { metrics: listOf(names) }) : undefined;
}

/** A duration on an axis: `2m`, where elsewhere it is `2m 00s`. */
export function shortDuration(seconds: number): string {
  if (seconds === 0 || seconds % 60 > 0) return duration(seconds);
  if (seconds < 3600) return t('{minutes}m', { minutes: seconds / 60 });
  return seconds % 3600 === 0 ? t('{hours}h', { hours: seconds / 3600 }) : duration(seconds);
}

/** A metric and the largest value on its axis. */
type Axis = { metric: Metric; most: number };
/** The values of the grid lines on both axes. */
type Grid = { left: number[]; right: number[] };

const leftTicks = ({ metric, most }: Axis): number[] =>
  unitOf(metric) === 'seconds' ? durationTicks(most) : ticks(most, { whole: unitOf(metric) === 'count' });

/** The round value of one of `count` steps that reach the largest value. */
function stepOf({ metric, most }: Axis, count: number): number {
  if (unitOf(metric) === 'seconds') return durationStep(most / count);
  const step = roundStep(most / count);
  return unitOf(metric) === 'count' ? Math.max(1, Math.ceil(step)) : step;
}

export function gridOf(own: Axis, other: Axis | undefined): Grid {
  if (!other) return { left: leftTicks(own), right: [] };
  // An empty axis has no ticks of its own to follow.
  const left = own.most > 0 ? leftTicks(own) : [0, 1, 2, 3, 4];
  // Three round steps to 100% would end at 150%.
  if (unitOf(other.metric) === 'per_cent' && left.length === 4 && other.most > 75 && other.most <= 100)
    left.push(4 * (left[1] ?? 0));
  const step = stepOf(other, left.length - 1);
  return { left, right: left.map((_, index) => index * step) };
}
