import { expect, test } from 'vitest';
import { describeCondition, type GoalDefinition } from './goals.ts';

test.each<[GoalDefinition, condition: string, name: string]>([
  [{ kind: 'event', event: 'signup', props: {} }, 'Event signup', 'signup'],
  [
    { kind: 'event', event: 'signup', props: { plan: 'pro', source: '' } },
    'Event signup with plan is pro and source is empty',
    'signup',
  ],
  [{ kind: 'page', page: '/thanks' }, 'View of /thanks', 'View of /thanks'],
  [{ kind: 'scroll', page: '/docs', scroll: 75 }, '75% of /docs seen', '75% of /docs seen'],
  [{ kind: 'time', page: '/docs', seconds: 60 }, '60 s on /docs', '60 s on /docs'],
])('a goal in words: %s', (goal, condition, name) => {
  expect(describeCondition(goal, 'long')).toBe(condition);
  expect(describeCondition(goal, 'name')).toBe(name);
});
