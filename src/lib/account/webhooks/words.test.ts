import { expect, test } from 'vitest';
import type { Deliveries } from '../../api/types';
import { answerOf, standingOf } from './words';

type Delivery = Deliveries['entries'][number];
const NOON = new Date(2026, 10, 27, 12).getTime();
const delivery = (given: Partial<Delivery>) =>
  ({ state: 'waiting', attempts: 0, due_at: NOON, ended_at: null, status: null, answer: null, ...given }) as Delivery;

test.each<[Partial<Delivery>, string]>([
  [{}, 'Waits to be sent'],
  [{ attempts: 1 }, 'Next attempt on 27 Nov 2026, 12:00, after one attempt'],
  [{ attempts: 2 }, 'Next attempt on 27 Nov 2026, 12:00, after 2 attempts'],
  [{ state: 'delivered', ended_at: NOON + 60_000 }, 'Delivered on 27 Nov 2026, 12:01'],
  [{ state: 'delivered' }, 'Delivered on 27 Nov 2026, 12:00'],
  [{ state: 'failed' as Delivery['state'] }, 'Not sent'],
  [{ state: 'failed' as Delivery['state'], attempts: 8 }, 'Given up after 8 attempts'],
])('%o: %s', (given, words) => {
  expect(standingOf(delivery(given))).toBe(words);
});

test.each([
  [null, null, ''],
  [null, 'No answer', 'No answer'],
  [204, null, 'Answered 204.'],
  [500, 'broken', 'Answered 500: broken'],
])('status %s with the text %s: "%s"', (status, answer, words) => {
  expect(answerOf(delivery({ status, answer }))).toBe(words);
});
