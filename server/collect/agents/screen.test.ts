import { expect, test } from 'vitest';
import { screenClass } from './screen.ts';

test.each([
  [undefined, ''],
  [0, ''],
  [-1, ''],
  [Number.NaN, ''],
  [320, 'XS'],
  [575, 'XS'],
  [576, 'SM'],
  [768, 'MD'],
  [992, 'LG'],
  [1_200, 'XL'],
  [1_400, '2XL'],
  [99_999, '2XL'],
  [1e9, ''],
])('a window %s wide is of class %s', (width, name) => {
  expect(screenClass(width)).toBe(name);
});
