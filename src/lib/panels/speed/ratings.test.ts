import { expect, it } from 'vitest';
import { VITAL_NAMES, VITALS } from '../../../../server/vocabulary/numbers/vitals.ts';
import { ratingOf, sayDifference, vitalText } from './ratings';

it('rates at the very thresholds as Google does', () => {
  for (const vital of VITAL_NAMES) {
    const { good, poor } = VITALS[vital];
    const around = [good, good + 0.001, poor, poor + 0.001].map((value) => ratingOf(vital, value));
    expect(around, vital).toEqual(['good', 'needs_improvement', 'needs_improvement', 'poor']);
  }
});

it('says seconds from one second on, and a layout shift without a unit', () => {
  expect([0, 999, 1000, 2744].map((value) => vitalText('lcp', value))).toEqual(['0 ms', '999 ms', '1.0 s', '2.7 s']);
  expect([vitalText('cls', 0.052), vitalText('inp', null)]).toEqual(['0.052', '–']);
});

it('says of conversion whether its difference is more than chance', () => {
  const days = { date_from: '2026-11-01', date_to: '2026-11-20' };
  const some = { visits: 100, converted: 5, rate: 5 };
  const none = { visits: 0, converted: 0, rate: 0 };
  const sayOf = (difference: { points: number; low: number; high: number } | null, slow = some) =>
    sayDifference({ ...days, fast: some, slow, difference });
  expect([
    sayOf({ points: 1.84, low: 0.4, high: 3.1 }),
    sayOf({ points: -2, low: -3.5, high: -0.5 }),
    sayOf({ points: 0.6, low: -0.4, high: 1.6 }),
    sayOf(null, none),
  ]).toEqual([
    'Fast visits reach this goal 1.8 points more often (95% interval: +0.4 to +3.1 points).',
    'Fast visits reach this goal 2.0 points less often (95% interval: −3.5 to −0.5 points).',
    'Too few to tell: the difference of +0.6 points may be chance (95% interval: −0.4 to +1.6 points).',
    'Too few to tell: there are no slow visits.',
  ]);
});
