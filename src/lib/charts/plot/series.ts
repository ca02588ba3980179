// Turns an answer into uPlot's columns by index. The unfinished end has its own column, because it is dashed.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { type Interval, isWithinDay } from '../../../../server/vocabulary/time/intervals.ts';
import { type Metric, metricRow } from '../../../../server/vocabulary/numbers/metrics.ts';
import { currentHabits } from '../../../../server/vocabulary/habits/habits.ts';
import { axisParts } from '../../formats/format';
import type { Point, Timeseries } from '../../api/types';
import type { Hue } from './colours';

type Values = (number | null)[];
/**
 * Columns: x, finished values, the unfinished end (the last two points), comparison. Then two for each further line: its finished values and
 * its unfinished end.
 */
export type Columns = [number[], ...Values[]];

/** A line besides the chart's own: another metric, a goal's conversions, or the chart's metric for a segment. */
export type FurtherLine = {
  id: string;
  name: string;
  colour: Hue;
  points: readonly Point[];
  /** The metric of its values. */
  metric: Metric;
  isOfGoal: boolean;
};

/** The same with its values as text, at the times of the chart. */
export type DrawnLine = FurtherLine & { texts: string[] };

/** The line's name where nothing else says what it counts. */
export const lineName = ({ name, isOfGoal }: Pick<FurtherLine, 'name' | 'isOfGoal'>): string =>
  isOfGoal ? t('Conversions: {name}', { name }) : name;

/** The heading of the column of buckets. Hours and minutes are instants; days, weeks and months are those of the site. Its weeks begin on Monday, also for readers
 * whose own do not. */
export function bucketHeading(interval: Interval): string {
  if (isWithinDay(interval)) return t('Time (your time zone)');
  return interval === 'week' && currentHabits().firstDay !== 1 ? t('Week (from Monday)') : t('Date');
}

/** The chart's line and the one that it is compared with. */
export type LineNames = { own: string; other: string };

type Drawn = {
  unfinished: boolean;
  /** False for bars: each point is a bar of its own. */
  isJoined?: boolean;
  /** False when the chart's own line is switched off. */
  hasOwn?: boolean;
  further?: readonly Pick<FurtherLine, 'points'>[];
};

export function toColumns(points: Point[], previous: Point[] | null, options: Drawn): Columns {
  const { unfinished, isJoined = true, hasOwn = true, further = [] } = options;
  const last = points.length - 1;
  const isOpen = unfinished && last > 0;
  const starts = times(points, previous, options);
  const withEnd = (values: Values, openFrom: number): [Values, Values] => [
    values.map((value, index) => (isOpen && index === last ? null : value)),
    values.map((value, index) => (isOpen && index >= openFrom ? value : null)),
  ];
  return [
    starts.map((_, index) => index),
    ...withEnd(
      starts.map((_, index) => (hasOwn ? (points[index]?.value ?? null) : null)),
      isJoined ? last - 1 : last,
    ),
    // Aligned by index: the last days of a longer previous month are dropped.
    starts.map((_, index) => previous?.[index]?.value ?? null),
    ...further.flatMap((line) => withEnd(valuesAt(starts, line), last - 1)),
  ];
}

/** Of the comparison's points, a spike has at most this part, or one. */
const SPIKE = 0.1;

/**
 * The largest value that an axis shows beside a comparison. A spike of the comparison that is more than twice as high as everything else is cut, so
 * that it does not flatten the rest. `own`: the largest of the other values. `cut`: the points beyond.
 */
export function reachBeside(own: number, before: Values): { most: number; cut: number[] } {
  const sorted = before.map((value) => value ?? 0).sort((a, b) => b - a);
  const highest = Math.max(own, sorted[0] ?? 0);
  const rest = Math.max(own, sorted[Math.max(1, Math.floor(before.length * SPIKE))] ?? 0);
  if (rest === 0 || highest <= 2 * rest) return { most: highest, cut: [] };
  return { most: rest, cut: before.flatMap((value, index) => ((value ?? 0) > rest ? [index] : [])) };
}

type CutLabel = { index: number; value: number; at: number; width: number };

/** Of numbers that stand beside each other, those that do not overlap: the largest ones. Each is `width` wide, around `at`. */
export function fitting<Label extends CutLabel>(labels: readonly Label[]): Label[] {
  const kept: Label[] = [];
  for (const label of labels.toSorted((one, other) => other.value - one.value)) {
    const isOver = (one: CutLabel) => Math.abs(one.at - label.at) < (one.width + label.width) / 2;
    if (!kept.some(isOver)) kept.push(label);
  }
  return kept;
}

/** A line's values at these times, which may be those of another answer. */
export function valuesAt(starts: readonly number[], { points }: Pick<FurtherLine, 'points'>): Values {
  const byTime = new Map(points.map(({ time, value }) => [time, value]));
  return starts.map((time) => byTime.get(time) ?? null);
}

/** The same as text: '' at times that the line does not have. */
export function textsAt(
  starts: readonly number[],
  line: Pick<FurtherLine, 'points'>,
  text: (value: number | null) => string,
): string[] {
  const known = new Set(line.points.map(({ time }) => time));
  return valuesAt(starts, line).map((value, index) => (known.has(starts[index] ?? NaN) ? text(value) : ''));
}

/** Indexes of values that no line reaches: those beside them are not told. */
export const aloneIn = (values: readonly (number | null | undefined)[]): number[] =>
  values.flatMap((value, at) =>
    typeof value === 'number' && typeof values[at - 1] !== 'number' && typeof values[at + 1] !== 'number' ? [at] : [],
  );

/** The start of each bucket on the x axis. An unfinished range extends as far as the range it is compared with. */
export function times(points: Point[], previous: Point[] | null, options: { unfinished: boolean }): number[] {
  const known = points.map((point) => point.time);
  const [first, firstBefore] = [points[0], previous?.[0]];
  if (!options.unfinished || !previous || !first || !firstBefore) return known;
  const ahead = previous.slice(known.length).map((point) => first.time + (point.time - firstBefore.time));
  return [...known, ...ahead];
}

/** The points at these times. A series from another answer may begin a bucket later, because it was asked for later. */
export function alignTo<Series extends { points: { time: number }[] }>(series: Series, starts: number[]): Series {
  const byTime = new Map(series.points.map((point) => [point.time, point]));
  return { ...series, points: starts.flatMap((time) => byTime.get(time) ?? []) };
}

/**
 * Where a drawing's lines begin to move from: the lines drawn before, stretched to the new times, or the axis if there were none. `grown`: by
 * what to multiply a column's values, so that they stay where they stood when the scale changes.
 */
export function startOf(before: Columns | undefined, to: Columns, grown: (column: number) => number): Columns {
  const [xs, ...lines] = to;
  if (!before) return [xs, ...lines.map((line) => line.map((value) => value && 0))];
  const step = (before[0].length - 1) / Math.max(1, xs.length - 1);
  const stretch = (old: Values, line: Values, column: number) =>
    line.map((value, index) => {
      const [left, right] = [old[Math.floor(index * step)], old[Math.ceil(index * step)]];
      if (value === null || typeof left !== 'number' || typeof right !== 'number') return value;
      return (left + (right - left) * ((index * step) % 1)) * grown(column);
    });
  return [xs, ...lines.map((line, at) => stretch(before[at + 1] ?? [], line, at + 1))];
}

/** Interpolates between two drawings of the same length; `part` runs from 0 to 1. */
export function between(from: Columns, to: Columns, part: number): Columns {
  const mix = (a: Values, b: Values) =>
    b.map((value, index) => (value === null ? null : (a[index] ?? value) + (value - (a[index] ?? value)) * part));
  const [xs, ...lines] = to;
  return [xs, ...lines.map((line, index) => mix(from[index + 1] ?? [], line))];
}

/** Steps between labels, as on clocks and calendars, so that midnight and January are always labelled. */
const STEPS: Record<Interval, number[]> = {
  minute: [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720],
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 72, 96, 168],
  day: [1, 2, 3, 5, 7, 10, 14, 28, 56],
  week: [1, 2, 4, 8, 13, 26, 52],
  month: [1, 2, 3, 6, 12, 24, 36, 60, 120],
};
const GAP_PX = 16;

/** `Page views by day`. */
export const chartName = (metric: Metric, { interval }: Pick<Timeseries, 'interval'>): string =>
  CHARTS[interval]({ metric: metricRow(metric).label });

const CHARTS: Record<Interval, (of: { metric: string }) => string> = {
  minute: (of) => t('{metric} by minute', of),
  hour: (of) => t('{metric} by hour', of),
  day: (of) => t('{metric} by day', of),
  week: (of) => t('{metric} by week', of),
  month: (of) => t('{metric} by month', of),
};

/** True for the bucket that is not over yet. */
export const isOpen = ({ points, unfinished }: Pick<Timeseries, 'points' | 'unfinished'>, index: number): boolean =>
  unfinished && index === points.length - 1;

/** The name of a bucket, and whether it is not over yet. */
export const openName = (name: string, isOpen: boolean): string => (isOpen ? t('{name}, so far', { name }) : name);

/** The point that a key leads to. Undefined for other keys. */
export function pointAfter(key: string, index: number, last: number): number | undefined {
  const leap = Math.max(2, Math.round(last / 10));
  const to = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - leap,
    PageUp: index + leap,
    Home: 0,
    End: last,
  }[key];
  return to === undefined ? undefined : Math.min(last, Math.max(0, to));
}

type AxisLabel = { index: number; text: string };
/** `width` is the drawing's own width; `measure` returns the width of one line of text. */
type AxisRoom = { width: number; measure: (text: string) => number };

/** Hours have their day below, and days, weeks and months their year if there are several. */
export function hasTwoLines(starts: readonly number[], interval: Interval): boolean {
  return isWithinDay(interval) || new Set(starts.map((time) => axisParts(time, interval).context)).size > 1;
}

/**
 * Labels that do not overlap. The larger unit is below the first label and wherever it changes.
 */
export function axisLabels(starts: number[], interval: Interval, { width, measure }: AxisRoom): AxisLabel[] {
  const parts = starts.map((time) => axisParts(time, interval));
  const isOfHours = isWithinDay(interval);
  const hasContext = hasTwoLines(starts, interval);
  const widest = Math.max(
    0,
    ...parts.flatMap(({ label, context }) => [measure(label), hasContext ? measure(context) : 0]),
  );
  const apart = (widest + GAP_PX) / (width / Math.max(1, starts.length - 1));
  const usual = STEPS[interval];
  const step = usual.find((size) => size >= apart) ?? Math.max(usual.at(-1) ?? 1, Math.ceil(apart));
  const places = starts.map((time) => placeOf(time, interval));
  const first = isOfHours || interval === 'month' ? places.findIndex((place) => place % step === 0) : 0;
  let shown = '';
  const labels: AxisLabel[] = [];
  for (let index = Math.max(0, first); index < starts.length; index += step) {
    const { label, context } = parts[index] ?? { label: '', context: '' };
    const isNew = hasContext && context !== shown;
    labels.push({ index, text: isNew ? `${label}\n${context}` : label });
    shown = context;
  }
  return labels;
}

/** The number of the hour, minute or month, counted from a fixed start. */
function placeOf(time: number, interval: Interval): number {
  // in the reader's local time, like the labels, so that local midnight gets a label
  const shown = time - new Date(time).getTimezoneOffset() * 60_000;
  if (interval === 'minute') return Math.floor(shown / 60_000);
  if (interval === 'hour') return Math.floor(shown / 3_600_000);
  const at = new Date(time);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}

/** The smallest round number that is at least this large. */
export function roundStep(rough: number): number {
  if (rough <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
}

/** Four or five round ticks from 0 to at least `max`. `whole` for values that are whole numbers. */
export function ticks(max: number, options: { whole: boolean }): number[] {
  if (max <= 0) return [0, 1];
  const step = roundStep(max / 4);
  const size = options.whole ? Math.max(1, Math.ceil(step)) : step;
  const count = Math.ceil(max / size);
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * size * 1e6) / 1e6);
}

const DURATION_STEPS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
/** The smallest step of whole seconds, minutes or hours that is at least this long. */
export const durationStep = (rough: number): number =>
  DURATION_STEPS.find((size) => size >= rough) ?? Math.ceil(rough / 3600) * 3600;

export function durationTicks(maxSeconds: number): number[] {
  const step = durationStep(maxSeconds / 5);
  const count = Math.max(1, Math.ceil(maxSeconds / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
