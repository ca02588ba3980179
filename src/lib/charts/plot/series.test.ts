import { expect, it } from 'vitest';
import {
  aloneIn,
  axisLabels,
  between,
  durationTicks,
  fitting,
  hasTwoLines,
  pointAfter,
  reachBeside,
  startOf,
  textsAt,
  ticks,
  times,
  toColumns,
} from './series';

const points = [4, 6, 3].map((value, index) => ({ time: index * 1000, value }));
const before = [1, 2, 3, 4, 5].map((value, index) => ({ time: -10_000 + index * 1000, value }));

it('separates the unfinished end, joined to the last finished point', () => {
  expect(toColumns(points, null, { unfinished: true })).toEqual([
    [0, 1, 2],
    [4, 6, null],
    [null, 6, 3],
    [null, null, null],
  ]);
  expect(toColumns(points, null, { unfinished: false })[2]).toEqual([null, null, null]);
  expect(toColumns(points, null, { unfinished: true, isJoined: false })[2]).toEqual([null, null, 3]);
});

it('has two columns for each further line, at the times of the chart', () => {
  const further = [
    { points: [...points.slice(1), { time: 9000, value: 7 }].map(({ time }) => ({ time, value: time })) },
  ];
  expect(toColumns(points, null, { unfinished: true, hasOwn: false, further })).toEqual([
    [0, 1, 2],
    [null, null, null],
    [null, null, null],
    [null, null, null],
    [null, 1000, null],
    [null, 1000, 2000],
  ]);
});

it('leaves a gap where a number is not told, which words write as a dash', () => {
  const told = [4, null, 3].map((value, index) => ({ time: index * 1000, value }));
  expect(toColumns(told, null, { unfinished: false })[1]).toEqual([4, null, 3]);
  expect(textsAt([0, 1000, 2000, 3000], { points: told }, (value) => `${value}`)).toEqual(['4', 'null', '3', '']);
  expect(aloneIn([4, null, 3, 2, null, 1])).toEqual([0, 5]);
});

it('extends as far as the comparison while the range is unfinished, and only to its own end once it is over', () => {
  expect(times(points, before, { unfinished: true })).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(toColumns(points, before, { unfinished: true })[3]).toEqual([1, 2, 3, 4, 5]);
  expect(toColumns(points, before, { unfinished: false })[3]).toEqual([1, 2, 3]);
});

it('cuts a spike of the comparison that would flatten the rest, and nothing else', () => {
  const flat: (number | null)[] = Array.from({ length: 30 }, () => 40);
  expect(reachBeside(50, [])).toEqual({ most: 50, cut: [] });
  expect(reachBeside(50, flat)).toEqual({ most: 50, cut: [] });
  expect(reachBeside(50, flat.with(4, 100))).toEqual({ most: 100, cut: [] });
  expect(reachBeside(50, flat.with(4, 101))).toEqual({ most: 50, cut: [4] });
  expect(reachBeside(30, flat.with(4, 300).with(5, 90).with(6, null))).toEqual({ most: 40, cut: [4, 5] });
  // Higher for longer than a spike: this is what the period is compared with.
  expect(reachBeside(50, flat.fill(300, 0, 4))).toEqual({ most: 300, cut: [] });
  expect(reachBeside(50, [10, 200])).toEqual({ most: 50, cut: [1] });
  expect(reachBeside(0, [0, 200, 0])).toEqual({ most: 200, cut: [] });
});

it('interpolates between two drawings, and jumps where there was no value before', () => {
  const [from, to] = [toColumns(points, null, { unfinished: false }), toColumns(points, before, { unfinished: false })];
  expect(between(from, to, 0.5)[3]).toEqual([1, 2, 3]);
  expect(between([[0], [2], [null], [null]], [[0], [4], [null], [null]], 0.5)[1]).toEqual([3]);
});

it('lines begin to move at the axis, or where they stood: stretched to the new times, and in the new scale', () => {
  const to = toColumns(
    [8, 8, 8, 8, 8].map((value, time) => ({ time, value })),
    null,
    { unfinished: true },
  );
  expect(startOf(undefined, to, () => 1).slice(1)).toEqual([
    [0, 0, 0, 0, null],
    [null, null, null, 0, 0],
    [null, null, null, null, null],
  ]);
  const drawn = toColumns(points, before, { unfinished: false });
  expect(startOf(drawn, to, (column) => (column === 1 ? 10 : 1)).slice(1)).toEqual([
    [40, 50, 60, 45, null],
    [null, null, null, 8, 8],
    [null, null, null, null, null],
  ]);
  expect(startOf(drawn, drawn, () => 1)).toEqual(drawn);
});

it('puts ticks on round numbers that reach the largest value', () => {
  expect(ticks(0, { whole: true })).toEqual([0, 1]);
  expect(ticks(3, { whole: true })).toEqual([0, 1, 2, 3]);
  expect(ticks(97, { whole: true })).toEqual([0, 25, 50, 75, 100]);
  expect(ticks(1.7, { whole: false })).toEqual([0, 0.5, 1, 1.5, 2]);
  expect(durationTicks(154)).toEqual([0, 60, 120, 180]);
  for (const max of [1, 7, 19, 333, 98_765]) expect(ticks(max, { whole: true }).at(-1)).toBeGreaterThanOrEqual(max);
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ROOMS = [260, 330, 900, 1150].map((width) => ({ width, measure: (text: string) => 7 * text.length }));
const every = (from: number, step: number, count: number) => Array.from({ length: count }, (_, at) => from + at * step);
const months = (year: number, count: number) => Array.from({ length: count }, (_, at) => Date.UTC(year, at));

const SERIES = [
  { name: 'a day', interval: 'hour', starts: every(Date.UTC(2026, 10, 20), HOUR, 24) },
  { name: 'hours of many days', interval: 'hour', starts: every(Date.UTC(2026, 10, 20), HOUR, 12 * 24) },
  { name: 'days across a new year', interval: 'day', starts: every(Date.UTC(2026, 11, 10), DAY, 60) },
  { name: 'weeks of many years', interval: 'week', starts: every(Date.UTC(2023, 0, 2), 7 * DAY, 200) },
  { name: 'months of many years', interval: 'month', starts: months(2016, 131) },
] as const;

it.each(SERIES)('labels $name without overlaps, and shows the larger unit once', (series) => {
  for (const room of ROOMS) {
    const labels = axisLabels([...series.starts], series.interval, room);
    const apart = room.width / (series.starts.length - 1);
    let end = -Infinity;
    for (const { index, text } of labels) {
      const wide = Math.max(...text.split('\n').map(room.measure));
      expect(index * apart - wide / 2, text).toBeGreaterThan(end);
      end = index * apart + wide / 2;
    }
    const contexts = labels.flatMap(({ text }) => text.split('\n')[1] ?? []);
    expect(contexts.length).toBeGreaterThan(0);
    expect(new Set(contexts).size).toBe(contexts.length);
    expect(labels[0]?.text).toContain('\n');
  }
});

it('shows dates under hours, years under months, and no year where there is only one', () => {
  const wide = { width: 1150, measure: (text: string) => 7 * text.length };
  const texts = (starts: number[], interval: 'hour' | 'day' | 'month') =>
    axisLabels(starts, interval, wide).map(({ text }) => text);
  expect(texts(every(Date.UTC(2026, 10, 20), HOUR, 48), 'hour').filter((text) => text.includes('\n'))).toEqual([
    '00:00\n20 Nov',
    '00:00\n21 Nov',
  ]);
  expect(texts(months(2025, 24), 'month').filter((text) => text.includes('\n'))).toEqual(['Jan\n2025', 'Jan\n2026']);
  expect(texts(every(Date.UTC(2026, 10, 1), DAY, 7), 'day')).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `${day} Nov`));
});

it('goes from point to point by keyboard, a tenth of them by page, and stops at both ends', () => {
  const keys = ['ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'];
  expect(keys.map((key) => pointAfter(key, 10, 30))).toEqual([9, 9, 11, 11, 7, 13, 0, 30, undefined]);
  expect([pointAfter('ArrowLeft', 0, 6), pointAfter('ArrowRight', 6, 6), pointAfter('PageUp', 5, 6)]).toEqual([
    0, 6, 6,
  ]);
});

it('draws the largest of the numbers that would overlap', () => {
  const labels = [
    { index: 3, value: 491, at: 100, width: 40 },
    { index: 4, value: 2700, at: 112, width: 48 },
    { index: 9, value: 300, at: 156, width: 40 },
    { index: 10, value: 200, at: 195, width: 40 },
  ];
  expect(fitting(labels).map(({ index }) => index)).toEqual([4, 9]);
  expect(fitting([])).toEqual([]);
});

it('needs a second line below the axis for days of hours, and for several years', () => {
  const [first, last] = [Date.UTC(2026, 11, 30), Date.UTC(2026, 11, 31)];
  expect(hasTwoLines([first, last], 'hour')).toBe(true);
  expect(hasTwoLines([first, last], 'day')).toBe(false);
  expect(hasTwoLines([first, last, Date.UTC(2027, 0, 1)], 'day')).toBe(true);
});
