import { expect, test } from 'vitest';
import { goalName, rememberNames } from './names';

test('a goal has the name that was heard of last', () => {
  expect(goalName('goal_1')).toBe('Unknown goal');
  rememberNames([{ id: 'goal_1', name: 'Sign-up' }]);
  rememberNames([
    { id: 'goal_1', name: 'Trial' },
    { id: 'goal_2', name: 'Paid' },
  ]);
  expect(['goal_1', 'goal_2', 'goal_3'].map(goalName)).toEqual(['Trial', 'Paid', 'Unknown goal']);
});
