import { expect, it } from 'vitest';
import { numbersOf, placeKeys } from './copy';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 20);
const points = [5, 0, 7].map((value, index) => ({ time: FIRST + index * DAY, value }));
const series = { points, previous: null, interval: 'day' as const, intervals: [], unfinished: false };
const USUAL = { layers: [] };

it('has a row for each day, and columns only for what is shown', () => {
  expect(numbersOf({ series, metric: 'pageviews', ...USUAL })).toEqual([
    ['time', 'pageviews'],
    ['2026-11-20', 5],
    ['2026-11-21', 0],
    ['2026-11-22', 7],
  ]);
});

it('leaves a day empty whose number an import does not tell', () => {
  const told = [...points.slice(0, 2), { time: FIRST + 2 * DAY, value: null }];
  expect(numbersOf({ series: { ...series, points: told }, metric: 'visits', ...USUAL }).at(-1)).toEqual([
    '2026-11-22',
    '',
  ]);
});

it('has the compared period or group, leaves its missing values empty, and adds the AI visits that are shown', () => {
  const previous = [
    { time: FIRST - 2 * DAY, value: 3 },
    { time: FIRST - DAY, value: 4 },
  ];
  const layers = [{ name: 'OpenAI', values: [1, 2] }];
  expect(numbersOf({ series: { ...series, previous }, metric: 'pageviews', layers })).toEqual([
    ['time', 'pageviews', 'previous.pageviews', 'ai_visits (OpenAI)'],
    ['2026-11-20', 5, 3, 1],
    ['2026-11-21', 0, 4, 2],
    ['2026-11-22', 7, '', 0],
  ]);
});

it('has a column for each further line, and none for a line that is switched off', () => {
  const further = [
    { id: 'goal_1', name: 'Signed up', metric: 'conversions' as const, points: points.slice(1) },
    { id: 'segment_1', name: 'Mobile', metric: 'pageviews' as const, points: points.slice(0, 1) },
    { id: 'metric_visits', name: 'Visits', metric: 'visits' as const, points },
  ];
  expect(numbersOf({ series, metric: 'pageviews', ...USUAL, hasOwn: false, further })).toEqual([
    ['time', 'conversions (Signed up)', 'pageviews (Mobile)', 'visits'],
    ['2026-11-20', '', 5, 5],
    ['2026-11-21', 0, '', 0],
    ['2026-11-22', 7, '', 7],
  ]);
});

it('has the instant at which an hour starts', () => {
  const hours = { ...series, interval: 'hour' as const, points: points.slice(0, 1) };
  expect(numbersOf({ series: hours, metric: 'pageviews', ...USUAL })).toEqual([
    ['time', 'pageviews'],
    ['2026-11-20T00:00:00.000Z', 5],
  ]);
});

it('puts as many keys of the picture’s legend in a row as fit, and a long one alone', () => {
  // Each takes its mark of 16 pixels, its name, and 20 pixels up to the next.
  expect(placeKeys([], 300)).toEqual([]);
  expect(placeKeys([84, 84, 84], 300)).toEqual([
    { x: 0, row: 0 },
    { x: 120, row: 0 },
    { x: 0, row: 1 },
  ]);
  expect(placeKeys([40, 900, 40], 300)).toEqual([
    { x: 0, row: 0 },
    { x: 0, row: 1 },
    { x: 0, row: 2 },
  ]);
});
