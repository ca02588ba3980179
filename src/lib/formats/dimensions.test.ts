import { expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../server/vocabulary/questions/dimensions.ts';
import { rowName, valueName } from './dimensions';

test('a row without a value has the English name in its attribute', () => {
  for (const dimension of [...DIMENSION_NAMES, 'prop:plan', 'other'])
    expect([dimension, rowName(dimension, '')]).toEqual([dimension, valueName(dimension, '')]);
  expect(rowName('country', 'DE')).toBe('DE');
});
