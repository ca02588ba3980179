import { expect, test } from 'vitest';
import { pageAddress } from './page-address';

test.each([
  ['/pricing?a=b', 'https://example.com/pricing?a=b'],
  ['//evil.example/', undefined],
  ['/\\evil.example/', undefined],
  ['pricing', undefined],
  ['javascript:alert(1)', undefined],
  ['https://evil.example/', undefined],
])('the page %s leads to %s', (path, address) => {
  expect(pageAddress('example.com', path)).toBe(address);
});
