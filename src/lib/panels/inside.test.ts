import { expect, it } from 'vitest';
import { DIMENSION_NAMES, isDimension, sourceOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { belowOnly, INSIDE, insideOf, readInside, writeInside } from './inside';
import { PANELS } from './panels';

it('is decided for each dimension, among them all that a panel lists', () => {
  const listed = PANELS.flatMap(({ tabs }) => tabs.flatMap(({ dimension, variants = [] }) => [dimension, ...variants]));
  expect(Object.keys(INSIDE)).toEqual(expect.arrayContaining([...new Set([...DIMENSION_NAMES, ...listed])]));
  for (const of of DIMENSION_NAMES) {
    const { all, inside } = insideOf(of);
    expect(all, of).toMatch(/^[A-Z]\w/);
    for (const one of inside) {
      expect([one === of, isDimension(one), sourceOf(one)], `${one} in ${of}`).toEqual([false, true, sourceOf(of)]);
      // Otherwise there would be no end to it.
      expect(insideOf(one).inside, `${one} in ${of}`).not.toContain(of);
      expect(readInside(writeInside(of, one))).toEqual({ of, inside: one });
    }
  }
});

it('lists two others of the same source below the only row, at most', () => {
  for (const of of DIMENSION_NAMES) {
    const below = belowOnly(of);
    expect(below.length, of).toBeLessThanOrEqual(2);
    expect(new Set([of, ...below]).size, of).toBe(below.length + 1);
    for (const one of below)
      expect([isDimension(one), sourceOf(one)], `${one} below ${of}`).toEqual([true, sourceOf(of)]);
  }
});

it('opens no other list from an address', () => {
  for (const tab of [
    'source',
    'source.',
    'source.city',
    'toString.source',
    '.referrer',
    'prop:a.source',
    'payments:a.b',
    'page.page',
  ])
    expect(readInside(tab), tab).toBeUndefined();
});
