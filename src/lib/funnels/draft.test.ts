import { expect, test } from 'vitest';
import type { FunnelStep } from '../../../server/vocabulary/questions/goals.ts';
import { draftOf, isFilled, newStep, stepOf } from './draft';

test.each<FunnelStep>([
  { goal: 'goal_1' },
  { kind: 'page', page: '/pricing' },
  { kind: 'event', event: 'signup', props: { plan: 'pro', seats: '' } },
  { kind: 'scroll', page: '/docs', scroll: 75 },
  { kind: 'time', page: '/docs', seconds: 60 },
])('a step is the same after it was edited: $kind', (step) => {
  expect(stepOf(draftOf(step))).toEqual(step);
  expect(isFilled(draftOf(step))).toBe(true);
});

test('each new step has a key of its own, and is not filled in', () => {
  const drafts = (['page', 'event', 'goal', 'scroll', 'time'] as const).map(newStep);
  expect(new Set(drafts.map(({ key }) => key)).size).toBe(5);
  expect(drafts.filter(isFilled)).toEqual([]);
  expect(drafts.map(({ scroll }) => scroll)).toEqual([50, 50, 50, 50, 50]);
  expect(isFilled({ ...newStep('event'), event: ' ' })).toBe(false);
});

test('properties without a name are left out, and the name of a deleted goal is kept for the form alone', () => {
  const draft = { ...newStep('event'), event: 'signup', props: ['plan', ' '].map((key) => ({ key, value: 'pro' })) };
  expect(stepOf(draft)).toEqual({ kind: 'event', event: 'signup', props: { plan: 'pro' } });
  const deleted = draftOf({ kind: 'page', page: '/', deleted_goal: 'Home' } as FunnelStep);
  expect(deleted.deletedGoal).toBe('Home');
  expect(stepOf(deleted)).toEqual({ kind: 'page', page: '/' });
});
