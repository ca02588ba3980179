import { expect, test } from 'vitest';
import { funnelOf } from './funnel';
import type { Branch } from './layout';

const branch = (kind: Branch['kind'], name: string) => ({ kind, name }) as Branch;
const PATH = [branch('goal', 'Sign-up'), branch('page', '/pricing?plan=pro'), branch('event', 'signup')];
const start = { kind: 'goal', value: 'goal_1' } as const;

test('a path becomes a funnel with its steps, in the order in which visits took them', () => {
  const steps = [{ goal: 'goal_1' }, { kind: 'page', page: '/pricing' }, { kind: 'event', event: 'signup', props: {} }];
  const definition = { steps, within: 'visit', order: 'any_between' };
  expect(funnelOf({ branches: PATH, start, direction: 'forwards' })).toEqual({
    name: 'Sign-up → /pricing?plan=pro → signup',
    definition,
  });
  expect(funnelOf({ branches: PATH, start, direction: 'backwards' })).toEqual({
    name: 'signup → /pricing?plan=pro → Sign-up',
    definition: { ...definition, steps: steps.toReversed() },
  });
});

test.each([
  [100, '🦊'.repeat(100)],
  [101, `${'🦊'.repeat(99)}…`],
])('a name of %i characters has at most the 100 that the server takes', (length, name) => {
  const branches = [branch('page', '🦊'.repeat(length))];
  expect(funnelOf({ branches, start, direction: 'forwards' }).name).toBe(name);
});
