import { expect, test } from 'vitest';
import { payload } from './payload.ts';

test.each([
  [0, 0],
  [62.5, 62.5],
  [104.3, 100], // a page that folds up, a scrollbar, a bounce
])('a scroll depth of %d per cent counts as %d', (scroll, counted) => {
  const event = payload.parse({ site: 'example.com', name: 'engagement', url: 'https://example.com/', scroll });
  expect(event.scroll).toBe(counted);
});
