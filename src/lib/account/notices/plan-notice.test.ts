import { expect, test } from 'vitest';
import { DAY_MS } from '../../../../server/vocabulary/time/time.ts';
import { planNotice } from './plan-notice';

const NOON = Date.UTC(2026, 10, 20, 12);

test.each([
  [7 * DAY_MS + 1, ''],
  [7 * DAY_MS, 'Your trial ends in 7 days, on 27 Nov 2026.'],
  [DAY_MS + 1, 'Your trial ends in 2 days, on 21 Nov 2026.'],
  [DAY_MS, 'Your trial ends within a day.'],
  [1, 'Your trial ends within a day.'],
])('the last seven days of a trial are counted down: with %i milliseconds left it says "%s"', (leftMs, said) => {
  expect(planNotice({ status: 'trialing', ends_at: NOON + leftMs }, NOON)).toBe(said);
});

test('a trial without an end is not counted down, and a payment that failed is said at once', () => {
  expect(planNotice({ status: 'trialing', ends_at: null }, NOON)).toBe('');
  expect(planNotice({ status: 'past_due', ends_at: NOON + 14 * DAY_MS }, NOON)).toBe(
    'The last payment failed. Everything still works until 4 Dec 2026.',
  );
});
