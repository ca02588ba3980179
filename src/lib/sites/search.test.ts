import { expect, test } from 'vitest';
import { sitesLike } from './search';

const SITES = ['shop.example.com', 'blog.example.com', 'xn--mnchen-3ya.example'].map((domain) => ({ domain }));

test.each([
  ['', SITES],
  ['  ', SITES],
  [' SHOP ', SITES.slice(0, 1)],
  ['example.com', SITES.slice(0, 2)],
  ['xn--', SITES.slice(2)],
  ['nowhere', []],
])('"%s" finds these sites', (search, found) => {
  expect(sitesLike(SITES, search)).toEqual(found);
});
