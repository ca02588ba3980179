import { expect, test } from 'vitest';
import regions from '../../../../server/collect/lists/regions.json' with { type: 'json' };
import { loadRegions } from './drawing';
import world from './outlines.json' with { type: 'json' };
import { strengthOf, ticksOf } from './scale';

test('a tenfold number is one step stronger, and the largest number has the full colour', () => {
  const [one, ten, hundred, thousand] = [1, 10, 100, 1000].map((value) => strengthOf(value, 1000));
  expect([one, thousand]).toEqual([0.16, 1]);
  expect((ten ?? 0) - (one ?? 0)).toBeCloseTo((hundred ?? 0) - (ten ?? 0));
  expect(strengthOf(0, 1000)).toBe(0);
  expect(strengthOf(1, 1)).toBe(1);
});

test('the legend names the powers of ten and the largest number, and no two labels share a place', () => {
  expect(ticksOf(1000).map(({ value }) => value)).toEqual([1, 10, 100, 1000]);
  expect(ticksOf(1).map(({ value }) => value)).toEqual([1]);
  expect(ticksOf(120).map(({ value }) => value)).toEqual([1, 10, 120]);
  expect(ticksOf(0)).toEqual([{ value: 1, position: 1 }]);
});

test('every country on the map pulses in one place', () => {
  expect(Object.keys(world.centres).sort()).toEqual(Object.keys(world.outlines).sort());
  for (const [x, y] of [...Object.values(world.centres), ...Object.values(world.dots)]) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(world.width);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(world.height);
  }
});

test('each country on the map has a drawing of its regions, under codes that visitors can have', async () => {
  for (const country of [...Object.keys(world.outlines), ...Object.keys(world.dots)]) {
    const drawing = await loadRegions(country);
    if (!drawing) {
      expect(WITHOUT_DRAWING).toContain(country);
      continue;
    }
    const known = Object.values(regions.regions[country as 'DE'] ?? {}).map((part) => `${country}-${part}`);
    const drawn = [...Object.keys(drawing.outlines), ...Object.keys(drawing.dots)];
    expect(
      drawn.filter((code) => !known.includes(code)),
      country,
    ).toEqual([]);
    expect(drawn.length > 0 || drawing.rest, country).toBeTruthy();
  }
  expect(await loadRegions('../outlines')).toBeUndefined();
  const germany = await loadRegions('DE');
  expect(Object.keys(germany?.outlines ?? {})).toHaveLength(16);
});

const WITHOUT_DRAWING = ['XK'];
