import { expect, test } from 'vitest';
import type { Branch } from './layout';
import { blockName, pathNames } from './words';

test('a block has the name of its page, unless visits ended there or took paths that are not shown', () => {
  expect(blockName({ kind: 'page', name: '/pricing' }, 'forwards')).toBe('/pricing');
  expect(blockName({ kind: 'other', name: '' }, 'forwards')).toBe('Other');
  expect(blockName({ kind: 'ended', name: '' }, 'forwards')).toBe('Left the site');
  expect(blockName({ kind: 'ended', name: '' }, 'backwards')).toBe('Visit began');
});

test('a path is named in the order in which visits took it', () => {
  const branches = ['/', '/pricing', 'signup'].map((name) => ({ name }) as Branch);
  expect(pathNames(branches, [0, 2, 9], 'forwards')).toEqual(['/', 'signup']);
  expect(pathNames(branches, [0, 2, 9], 'backwards')).toEqual(['signup', '/']);
});
