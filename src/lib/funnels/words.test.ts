import { expect, test } from 'vitest';
import type { Funnel } from '../api/types';
import { furthestStepName } from './words';

const funnels = [
  { id: 'funnel_1', name: 'Sign-up', steps: [{}, {}] },
  { id: 'funnel_2', name: 'Checkout', steps: [{}, {}, {}] },
] as Funnel[];

test.each([
  ['funnel_2:2', '“Checkout” after step 2'],
  ['funnel_2:3', '“Checkout” after its last step'],
  ['funnel_3:1', 'a deleted funnel after step 1'],
])('%s is called %s', (value, name) => {
  expect(furthestStepName(funnels, value)).toBe(name);
});

test('the name of a funnel is not known before the funnels are loaded', () => {
  expect(furthestStepName(undefined, 'funnel_2:2')).toBe('a funnel after step 2');
});
