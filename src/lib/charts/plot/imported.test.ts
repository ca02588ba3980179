import { expect, test } from 'vitest';
import { importedRuns } from './imported';

const day = (on: number) => Date.UTC(2026, 10, on);
const of = (...spans: [string, string][]) => ({
  is_counted: true,
  formats: ['plausible'],
  spans: spans.map(([date_from, date_to]) => ({ date_from, date_to })),
});

test('points of imported days make runs', () => {
  const starts = [1, 2, 3, 4, 5, 6].map(day);
  const imported = of(['2026-11-02', '2026-11-03'], ['2026-11-05', '2026-11-05']);
  expect(importedRuns(starts, { imported, interval: 'day' })).toEqual([
    { first: 1, last: 2 },
    { first: 4, last: 4 },
  ]);
  expect(importedRuns(starts, { imported: null, interval: 'day' })).toEqual([]);
});

test('a week or a month is marked if it has any imported day', () => {
  const weeks = [2, 9, 16].map(day); // Mondays
  const imported = of(['2026-11-08', '2026-11-09']);
  expect(importedRuns(weeks, { imported, interval: 'week' })).toEqual([{ first: 0, last: 1 }]);
  const months = [9, 10].map((month) => Date.UTC(2026, month, 1));
  expect(importedRuns(months, { imported, interval: 'month' })).toEqual([{ first: 1, last: 1 }]);
});
