import { expect, test } from 'vitest';
import { FORMAT_NAMES } from './formats/formats.ts';
import { PRODUCTS, visitorsCountedBy } from './products.ts';

test('each product says how it counts visitors, in a short sentence with its name', () => {
  const said = [...FORMAT_NAMES, 'sealed'].map((format) => visitorsCountedBy(format) ?? '');
  expect(said.filter((one) => !/^[A-Z].{30,120}\.$/.test(one) || one.includes('{'))).toEqual([]);
  expect(FORMAT_NAMES.filter((format, at) => !said[at]?.includes(PRODUCTS[format]))).toEqual(['access-log']);
  expect(visitorsCountedBy('plausible')).toBe(
    'Plausible tells visitors apart by address and browser, hashed with a key that changes every day.',
  );
  expect(visitorsCountedBy('of another version')).toBeUndefined();
});
