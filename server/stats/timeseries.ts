// One metric over time.
import { Refusal } from '../errors.ts';
import {
  bucketsOf,
  clockOf,
  type Interval,
  intervalsOf,
  nextBucket,
  possibleIntervals,
} from '../vocabulary/intervals.ts';
import type { TimeseriesQuestion } from './query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import { type Asked, comparisonOf, type Days, daysOf, scopeOf } from './values.ts';

type Point = { time: number; value: number };
export type Timeseries = Days & {
  interval: Interval;
  intervals: Interval[];
  points: Point[];
  /** The comparison's points, aligned by index. */
  previous: Point[] | null;
  /** True if the last bucket is not over yet. */
  unfinished: boolean;
};
/** `isForChart: false` allows every interval that fits the range, not only those that suit a chart. */
export type AskedTimeseries = TimeseriesQuestion & { isForChart?: boolean };

export async function askTimeseries(reader: Reader, asked: Asked<AskedTimeseries>): Promise<Timeseries> {
  const { question, now } = asked;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  const intervals = intervalsOf(range);
  const interval = question.interval ?? intervals[0];
  const allowed = question.isForChart === false ? possibleIntervals(range) : intervals;
  if (!allowed.includes(interval))
    throw new Refusal('bad_request', `interval: must be one of ${allowed.join(', ')} for a period of this length.`);

  const pointsOf = async (scope: Scope): Promise<Point[]> => {
    const rows = await reader.ask({ scope, metrics: [question.metric], by: { interval } });
    const found = new Map(rows.map((row) => [Number(row['label']), Number(row[question.metric])]));
    const starts = bucketsOf(scope.range, interval, [...found.keys()]);
    // Future hours must not appear as zeros, so the current bucket is the last one.
    const shown = clockOf(scope.range, interval, now);
    return starts.filter((time) => time <= shown).map((time) => ({ time, value: found.get(time) ?? 0 }));
  };
  const [points, previous] = await Promise.all([
    pointsOf(scopeOf(asked, range)),
    // Uncut, so that its line continues past the current time.
    comparison ? pointsOf({ ...comparison.scope, range: comparison.range }) : null,
  ]);
  const last = points.at(-1);
  // The last of the rolling 24 hours is as long as the others.
  const unfinished =
    last !== undefined &&
    nextBucket(last.time, interval) > clockOf(range, interval, now) &&
    !(range.rolls && interval === 'hour');
  return { ...daysOf(range), interval, intervals, points, previous, unfinished };
}
