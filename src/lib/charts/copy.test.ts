import { expect, it } from 'vitest';
import { type Metric, metricRow } from '../../../server/vocabulary/numbers/metrics.ts';
import { numbersOf, placeKeys } from './copy';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 20);
const points = [5, 0, 7].map((value, index) => ({ time: FIRST + index * DAY, value }));
const series = { points, previous: null, interval: 'day' as const, intervals: [], unfinished: false };
const USUAL = { currency: null, names: undefined, layers: [] };

it('has a row for each day, and columns only for what is shown', () => {
  expect(numbersOf({ series, metric: 'pageviews', ...USUAL })).toEqual([
    ['Date', 'Page views'],
    ['2026-11-20', 5],
    ['2026-11-21', 0],
    ['2026-11-22', 7],
  ]);
});

it('names the compared period or group, leaves its missing values empty, and adds the AI visits that are shown', () => {
  const previous = [
    { time: FIRST - 2 * DAY, value: 3 },
    { time: FIRST - DAY, value: 4 },
  ];
  const layers = [{ name: 'OpenAI', values: [1, 2] }];
  const compared = { ...USUAL, series: { ...series, previous }, metric: 'pageviews' as const, layers };
  expect(numbersOf(compared)).toEqual([
    ['Date', 'Page views', 'Page views, compared', 'AI visits: OpenAI'],
    ['2026-11-20', 5, 3, 1],
    ['2026-11-21', 0, 4, 2],
    ['2026-11-22', 7, '', 0],
  ]);
  const names = { own: 'Mobile', other: 'All visitors' };
  expect(numbersOf({ ...compared, names })[0]).toEqual(['Date', 'Mobile', 'All visitors', 'AI visits: OpenAI']);
});

it('names only the provider where the chart shows AI visits anyway', () => {
  const layers = [{ name: 'OpenAI', values: [1, 2, 3] }];
  const shown = { series, metric: 'ai_visits' as const, ...USUAL, layers, hasOwn: false };
  expect(numbersOf(shown)[0]).toEqual(['Date', 'OpenAI']);
});

it('has a column for each further line, and none for a line that is switched off', () => {
  const further = [
    { name: 'Signed up', metric: 'conversions' as const, isOfGoal: true, points: points.slice(1) },
    { name: 'Mobile', metric: 'pageviews' as const, isOfGoal: false, points: points.slice(0, 1) },
  ];
  const shown = { series, metric: 'pageviews' as const, ...USUAL, hasOwn: false, further };
  expect(numbersOf(shown)).toEqual([
    ['Date', 'Conversions: Signed up', 'Mobile'],
    ['2026-11-20', '', 5],
    ['2026-11-21', 0, ''],
    ['2026-11-22', 7, ''],
  ]);
});

it('names the unit of each column, but none for what is counted', () => {
  const previous = points.slice(0, 1);
  const ofMetric = (metric: Metric) => ({ name: metricRow(metric).label, metric, isOfGoal: false, points });
  const further = (['visit_duration', 'revenue', 'visits', 'views_per_visit'] as const).map(ofMetric);
  const shown = { ...USUAL, currency: 'EUR', series: { ...series, previous }, metric: 'bounce_rate' as const, further };
  expect(numbersOf(shown).slice(0, 2)).toEqual([
    [
      'Date',
      'Bounce rate (%)',
      'Bounce rate, compared (%)',
      'Visit duration (seconds)',
      'Revenue (EUR)',
      'Visits',
      'Views per visit',
    ],
    ['2026-11-20', 5, 5, 5, 5, 5, 5],
  ]);
  expect(numbersOf({ ...shown, currency: null })[0]?.[4]).toBe('Revenue');
});

it('shows the time of day for hours', () => {
  const hours = { ...series, interval: 'hour' as const, points: points.slice(0, 1) };
  expect(numbersOf({ series: hours, metric: 'pageviews', ...USUAL })).toEqual([
    ['Time (UTC)', 'Page views'],
    ['2026-11-20T00:00', 5],
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
