// When a change happened: a gap, such as an outage, or a few buckets of the chart that hold most of the change. Says nothing if in doubt.
import { isBeyondChance } from '../../../../server/vocabulary/numbers/chance.ts';
import { type Interval, isWithinDay, nextBucket } from '../../../../server/vocabulary/time/intervals.ts';
import { DAY_MS, HOUR_MS } from '../../../../server/vocabulary/time/time.ts';
import type { Timeseries } from '../../api/types';
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { axisParts, bucketName, clockTime, date, monthName, withComma } from '../../formats/format';

/** Buckets by index, `to` not included. */
export type Run = { from: number; to: number };
type Series = Pick<Timeseries, 'points' | 'previous' | 'unfinished'>;
type Figure = { value: number; previous: number | null };

/** So many must have been expected in a gap: by chance, none come then once in 20,000 times. */
const LEAST_EXPECTED = 10;
/** A gap holds at least this share of what was counted in the comparison so far, or half of a fall of more than 2 per cent. */
const LEAST_OF_WHOLE = 0.1;
const LEAST_FALL = 0.02;
const HALF = 0.5;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** The values of the finished buckets, and of the same buckets of the comparison. One that is not told is as in the other: no change. */
function finishedOf({ points, previous, unfinished }: Series): { own: number[]; before: number[] } {
  const finished = points.slice(0, unfinished ? -1 : undefined);
  const valueAt = (index: number) => finished[index]?.value ?? 0;
  return {
    own: finished.map(({ value }, index) => value ?? previous?.[index]?.value ?? 0),
    before: finished.map((_, index) => {
      const before = previous?.[index];
      return before ? (before.value ?? valueAt(index)) : 0;
    }),
  };
}

/** The buckets in which nothing was counted although the comparison, and the rest of the period, let expect something. */
export function findGap(series: Series, { value, previous }: Figure): Run | undefined {
  const { own, before } = finishedOf(series);
  const [whole, fall] = [sum(before), (previous ?? 0) - value];
  const isFall = fall > LEAST_FALL * (previous ?? 0);
  let gap: (Run & { missed: number }) | undefined;
  for (const { from, to } of emptyRuns(own)) {
    const missed = sum(before.slice(from, to));
    const [ownOutside, beforeOutside, length] = [sum(own), whole - missed, to - from];
    const isLarge = missed >= LEAST_OF_WHOLE * whole || (isFall && missed >= HALF * fall);
    // A quieter period has emptier hours, and a rush in the comparison makes no gap of a usual hour.
    const expected = Math.min(
      missed * Math.min(1, ownOutside / beforeOutside),
      (ownOutside / (own.length - length)) * length,
    );
    if (isLarge && beforeOutside > 0 && expected >= LEAST_EXPECTED && missed > (gap?.missed ?? 0))
      gap = { from, to, missed };
  }
  return gap && { from: gap.from, to: gap.to };
}

/** Those after the first bucket with a value: what was before it is unknown. */
function emptyRuns(own: readonly number[]): Run[] {
  const runs: Run[] = [];
  own.forEach((value, index) => {
    const last = runs.at(-1);
    if (value !== 0 || index === 0) return;
    if (last?.to === index) last.to = index + 1;
    else if (own[index - 1]) runs.push({ from: index, to: index + 1 });
  });
  return runs;
}

/** With fewer buckets, every run is a large part of the period. */
const LEAST_BUCKETS = 6;
const LONGEST_PART = 1 / 5;
/** With a larger share of the change, the other buckets moved in the other direction. */
const MOST_OF_CHANGE = 1.25;
/** A uniform change is also largest where most is counted. So a run's share of the change exceeds its share of the comparison by this. */
const LEAST_EXCESS = 0.25;

/** The shortest run of buckets that holds at least half of the change. */
export function findPeak(series: Series, { value, previous }: Figure): Run | undefined {
  const { own, before } = finishedOf(series);
  const moves = own.map((counted, index) => counted - (before[index] ?? 0));
  // The sum of the hours differs from the figure: a visitor of two hours counts in both, but once in the figure. Both changes must agree.
  const changes = [value - (previous ?? 0), sum(moves)];
  const [whole, sign] = [sum(before), Math.sign(sum(moves))];
  if (own.length < LEAST_BUCKETS || changes.some((change) => Math.sign(change) !== sign || sign === 0))
    return undefined;
  for (let length = 1; length <= own.length * LONGEST_PART; length += 1) {
    const inside = (values: readonly number[], from: number) => values.slice(from, from + length);
    const runs = own
      .slice(length - 1)
      .map((_, from) => ({ from, to: from + length, moved: sign * sum(inside(moves, from)) }));
    const best = runs.reduce((one, other) => (other.moved > one.moved ? other : one));
    const counted = sum(inside(own, best.from)) + sum(inside(before, best.from));
    const usual = whole > 0 ? sum(inside(before, best.from)) / whole : length / own.length;
    const isMost = changes.every((change) => {
      const share = best.moved / Math.abs(change);
      return share >= HALF && share <= MOST_OF_CHANGE && share - usual >= LEAST_EXCESS;
    });
    const isOneWay = inside(moves, best.from).every((move) => sign * move > 0);
    const isOnly = runs.every(({ moved }) => moved > -HALF * best.moved);
    const isSure = best.moved >= LEAST_EXPECTED && isBeyondChance(best.moved, counted);
    if (isMost && isOneWay && isOnly && isSure) return { from: best.from, to: best.to };
  }
  return undefined;
}

type Told = Pick<Timeseries, 'points' | 'interval' | 'unfinished' | 'date_from'> & { includesNow: boolean };

/** `from 10:00 to 13:00`, `on 12 and 13 Mar`, `since 10:00`. Hours are the reader's, as on the chart's axis. */
export function momentWords({ from, to }: Run, { points, interval, unfinished, date_from, includesNow }: Told): string {
  const [first, last, newest] = [points[from], points[to - 1], points.at(-1)];
  if (!first || !last || !newest) return '';
  const span = nextBucket(newest.time, interval) - (points[0]?.time ?? newest.time);
  const name = nameIn(interval, span);
  // The first week may begin before the period.
  const start = Math.max(first.time, isWithinDay(interval) ? 0 : Date.parse(date_from));
  const isOpen = to === points.length || (unfinished && to === points.length - 1 && newest.value === 0);
  if (isOpen && includesNow) return t('since {time}', { time: name(start) });
  if (isOpen && to - from > 1) return t('from {time} on', { time: name(start) });
  const end = nextBucket(last.time, interval);
  switch (interval) {
    case 'minute':
    case 'hour':
      return hoursBetween(start, end, span);
    case 'week':
      return fromDays(name(start), name(end - DAY_MS));
    case 'day':
      if (to - from === 1) return t('on {day}', { day: name(start) });
      return to - from === 2 ? onDays(name(start), name(last.time)) : fromDays(name(start), name(last.time));
    case 'month':
      if (to - from === 1) return t('in {month}', { month: name(start) });
      return to - from === 2
        ? t('in {first} and {second}', { first: name(start), second: name(last.time) })
        : t('from {first} to {last}@@months', { first: name(start), last: name(last.time) });
  }
}

/** The longest day has 25 hours. */
const isOneDay = (span: number): boolean => span <= DAY_MS + HOUR_MS;

/** Names a bucket's start. The year is only said where the period has several of the same day or month. */
function nameIn(interval: Interval, span: number): (time: number) => string {
  const isLong = span > 360 * DAY_MS;
  if (interval === 'month') return (time) => (isLong ? bucketName(time, 'month') : monthName(time));
  if (!isWithinDay(interval)) return (time) => (isLong ? date(time) : axisParts(time, 'day').label);
  return (time) => (isOneDay(span) ? clockTime(time) : withComma(axisParts(time, 'hour').context, clockTime(time)));
}

function hoursBetween(start: number, end: number, span: number): string {
  const dayAt = (time: number) => axisParts(time, 'hour').context;
  const isOneDate = dayAt(start) === dayAt(end - 1);
  if (!isOneDay(span) && !isOneDate)
    return t('from {first} to {last}@@with hours', {
      first: withComma(dayAt(start), clockTime(start)),
      last: withComma(dayAt(end), clockTime(end)),
    });
  const hours = { from: clockTime(start), to: clockTime(end) };
  return isOneDay(span)
    ? t('from {from} to {to}', hours)
    : t('on {day} from {from} to {to}', { ...hours, day: dayAt(start) });
}

const onDays = (first: string, last: string): string =>
  t('on {first} and {last}', { first: withoutMonthOf(last, first), last });
const fromDays = (first: string, last: string): string =>
  t('from {first} to {last}', { first: withoutMonthOf(last, first), last });

/** `12 Mar` and `15 Mar` are `12` and `15 Mar`. */
function withoutMonthOf(last: string, first: string): string {
  const [day = '', ...month] = first.split(' ');
  return last.endsWith(` ${month.join(' ')}`) ? day : first;
}
