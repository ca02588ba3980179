import { expect, it } from 'vitest';
import { cellAfter, hourName } from './week';

it('names hours of the week, the last one up to midnight', () => {
  expect([0, 38, 167].map(hourName)).toEqual(['Monday, 00:00–01:00', 'Tuesday, 14:00–15:00', 'Sunday, 23:00–00:00']);
});

it('moves by keys, and never beyond the edges', () => {
  const moved = (cell: number) =>
    ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].map((key) => cellAfter(key, cell));
  expect(moved(0)).toEqual([0, 1, 0, 24, 0, 23]);
  expect(moved(38)).toEqual([37, 39, 14, 62, 24, 47]);
  expect(moved(167)).toEqual([166, 167, 143, 167, 144, 167]);
  expect(cellAfter('Enter', 5)).toBeUndefined();
});
