import { expect, test } from 'vitest';
import type { ImportBatch, ImportedHit } from './import.ts';
import { BLANK_HIT } from './formats/format.ts';
import type { OpenedImport } from './open.ts';
import { openReport } from './report.ts';

const opened: OpenedImport = {
  format: 'umami',
  product: 'Umami',
  kind: 'hits',
  columns: [],
  left_out: [],
  bytes: 0,
  read: () => {
    throw new Error('not read here');
  },
};
const hit = (visitor: string, day = '2025-01-30'): ImportedHit => ({
  ...BLANK_HIT,
  name: 'pageview',
  visitor,
  time: Date.parse(day),
});
const batchOf = (hits: ImportedHit[]): ImportBatch => ({ rows: hits.length, hits, sums: [], rejected: [] });

test('the visitors of a day are told apart up to 200,000', () => {
  const report = openReport(opened);
  const hits = Array.from({ length: 200_000 }, (_, index) => hit(`visitor ${index}`));
  report.add(batchOf(hits));
  report.add(batchOf(hits.slice(0, 10)));
  expect(report.report()).toMatchObject({ totals: { pageviews: 200_010, visitors: 200_000 }, is_estimate: false });
  report.add(batchOf([hit('one more')]));
  expect(report.report()).toMatchObject({ totals: { pageviews: 200_011, visitors: 200_000 }, is_estimate: true });
});

test('a visitor counts once each day', () => {
  const report = openReport(opened);
  report.add(batchOf([hit('a'), hit('a'), hit('b'), hit('a', '2025-02-01')]));
  expect(report.report()).toMatchObject({
    days: { from: '2025-01-30', to: '2025-02-01', count: 2 },
    totals: { pageviews: 4, visitors: 3, visits: null },
    months: [
      { month: '2025-01', pageviews: 3, visitors: 2 },
      { month: '2025-02', pageviews: 1, visitors: 1 },
    ],
  });
});

test('the first three rejected rows of each reason are shown', () => {
  const report = openReport(opened);
  const rejected = Array.from(
    { length: 9 },
    (_, index) => ({ file: 'a', line: index, reason: index % 2 ? 'bot' : 'no_date' }) as const,
  );
  report.add({ rows: 9, hits: [], sums: [], rejected });
  const { reasons, examples, days } = report.report();
  expect(reasons).toEqual({ no_date: 5, bot: 4 });
  expect(examples.map(({ reason, line }) => [reason, line])).toEqual([
    ['no_date', 0],
    ['no_date', 2],
    ['no_date', 4],
    ['bot', 1],
    ['bot', 3],
    ['bot', 5],
  ]);
  expect(days).toBeNull();
});
