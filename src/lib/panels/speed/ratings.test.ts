import { expect, it } from 'vitest';
import { VITAL_NAMES, VITALS } from '../../../../server/vocabulary/numbers/vitals.ts';
import { ratingOf, vitalText } from './ratings';

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
