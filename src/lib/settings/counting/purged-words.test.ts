import { expect, test } from 'vitest';
import { purgedWords } from './purged-words';

const NONE = { visits: 0, pageviews: 0, events: 0, ai_visits: 0 };

test.each([
  [{ visits: 2, pageviews: 3, events: 1 }, '2 visits with 3 page views and 1 event'],
  [{ visits: 1, pageviews: 1 }, '1 visit with 1 page view'],
  [{ events: 2 }, '2 events'],
  [{ visits: 1 }, '1 visit'],
  [{ ai_visits: 1 }, '1 AI visit'],
  [{ ai_visits: 1200 }, '1,200 AI visits'],
])('%o is called %s', (counts, words) => {
  expect(purgedWords({ ...NONE, ...counts })).toBe(words);
});
