import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ActivityEntry } from '../../../server/live/messages.ts';
import { WALL_LIST_NAMES } from '../../../server/vocabulary/settings/wall.ts';
import { CALM, type Feed, NOTHING, withActivity, withList } from './feed';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const views = (name: string, pageviews = 1): ActivityEntry => [pageviews, 0, name];
const rowsOf = (feed: Feed) => feed.activity.map(({ name, pageviews }) => `${name} ${pageviews}`);

test('views of a page add to its recent row, and begin a new row later', () => {
  let feed = withActivity(CALM, 'pages', [views('/a')], NOON);
  feed = withActivity(feed, 'pages', [views('/b'), views('/a', 4)], NOON + 2000);
  expect(rowsOf(feed)).toEqual(['/b 1', '/a 5']);
  feed = withActivity(feed, 'pages', [views('/a', 2)], NOON + 20_000);
  expect(rowsOf(feed)).toEqual(['/b 1', '/a 7']);
  feed = withActivity(feed, 'pages', [views('/a')], NOON + 3_600_000);
  expect(rowsOf(feed)).toEqual(['/a 1', '/b 1', '/a 7']);
  expect(new Set(feed.activity.map(({ key }) => key)).size).toBe(3);
});

test('a busy site adds at most three rows a second, the busiest pages first', () => {
  const many = Array.from({ length: 50 }, (_, index) => views(`/p${index}`, 50 - index));
  let feed = withActivity(CALM, 'pages', many, NOON);
  feed = withActivity(feed, 'pages', many, NOON + 250);
  expect(rowsOf(feed)).toEqual(['/p0 100', '/p1 98', '/p2 96']);
  feed = withActivity(feed, 'pages', many, NOON + 1001);
  expect(rowsOf(feed).slice(0, 3)).toEqual(['/p3 47', '/p4 46', '/p5 45']);
  expect(feed.pulses.pages).toHaveLength(50);
});

test('sources and countries pulse, and leave the feed of pages as it is', () => {
  const feed = withActivity(withActivity(CALM, 'pages', [views('/a')], NOON), 'countries', [views('DE', 3)], NOON);
  expect(feed.pulses.countries).toMatchObject([{ name: 'DE', count: 3 }]);
  expect(feed.pulses.pages).toMatchObject([{ name: '/a', count: 1 }]);
  expect(rowsOf(feed)).toEqual(['/a 1']);
  expect(withActivity(feed, 'sources', [], NOON)).toBe(feed);
});

test('the feed of a screen left on for a week does not grow', () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const heap = () => {
    gc();
    gc();
    return process.memoryUsage().heapUsed;
  };
  const DAY_MS = 86_400_000;
  const EVERY_MS = 60_000;
  /** As many names as a message can have. No name repeats, as if somebody made them up. */
  const NAMES = 50;
  let serial = 0;
  let feed = CALM;
  let snapshot = NOTHING;
  const watch = (from: number, to: number) => {
    for (let now = from; now < to; now += EVERY_MS)
      for (const list of WALL_LIST_NAMES) {
        const names = Array.from({ length: NAMES }, () => `/${(serial += 1)}/${'x'.repeat(20)}`);
        snapshot = withList(snapshot, [list, [[1, ...names.slice(0, 10)]]], { isWhole: true });
        feed = withActivity(
          feed,
          list,
          names.map((name) => views(name)),
          now,
        );
      }
  };
  watch(NOON, NOON + DAY_MS);
  const [before, sizes] = [heap(), JSON.stringify(feed).length];
  watch(NOON + DAY_MS, NOON + 7 * DAY_MS);
  expect(serial).toBe(7 * (DAY_MS / EVERY_MS) * WALL_LIST_NAMES.length * NAMES);
  expect(feed.activity).toHaveLength(40);
  expect(JSON.stringify(feed).length / sizes).toBeLessThan(1.2);
  expect(heap() / before).toBeLessThan(1.2);
});
