import { expect, test } from 'vitest';
import { joinDays, overlapOf } from './overlap.ts';

test('days that have numbers already are told apart: counted here, with payments, and by import', () => {
  const taken = {
    counted: ['2026-01-01', '2026-01-02', '2026-02-01'],
    paid: ['2026-01-01', '2026-02-01'],
    imported: [
      { id: 'import_1', file: 'a.csv', days: ['2026-01-02', '2026-01-03'] },
      { id: 'import_2', file: 'b.csv', days: ['2026-03-01'] },
    ],
  };
  expect(overlapOf(['2026-01-02', '2026-01-03', '2026-02-01', '2026-02-02'], taken)).toEqual({
    counted: ['2026-01-02', '2026-02-01'],
    paid: ['2026-02-01'],
    imported: [{ id: 'import_1', file: 'a.csv', days: ['2026-01-02', '2026-01-03'] }],
  });
});

test('days that follow one another are one span', () => {
  expect(joinDays(['2026-01-31', '2026-02-01', '2026-02-03'])).toEqual([
    { first: '2026-01-31', last: '2026-02-01', days: ['2026-01-31', '2026-02-01'] },
    { first: '2026-02-03', last: '2026-02-03', days: ['2026-02-03'] },
  ]);
  expect(joinDays([])).toEqual([]);
});
