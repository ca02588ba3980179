import { expect, test } from 'vitest';
import { createSeenIds, type Id } from './seen-ids.ts';
import { SEEN_MS } from '../queue.ts';
import { NOON } from '../../../tests/setup/clock.ts';
import { openRandom } from '../../jobs/demo/random.ts';

const HOUR = 60 * 60_000;

test('recognises ids as a map of their times does, through growth, expiry and removal', () => {
  const random = openRandom(7);
  const ids = createSeenIds(2 ** 24);
  const times = new Map<string, number>();
  const counts = { fresh: 0, repeated: 0, removed: 0 };
  for (let step = 0, now = NOON; step < 60_000; step += 1) {
    if (random.chance(0.001)) now += random.between(0, 8) * HOUR;
    // few upper halves and few lower halves: most ids share a half with many others
    const id: Id = { high: random.between(0, 199), low: 2 ** 32 - random.between(1, 200) };
    const key = `${id.high} ${id.low}`;
    const isFresh = now - (times.get(key) ?? -Infinity) >= SEEN_MS;
    expect(ids.add(id, now)).toBe(isFresh);
    counts[isFresh ? 'fresh' : 'repeated'] += 1;
    if (isFresh) times.set(key, now);
    if (isFresh && random.chance(0.1)) {
      ids.remove(id);
      times.delete(key);
      counts.removed += 1;
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(2_000);
});

test('stays within its bytes and keeps the newest ids: at least half of what fits', () => {
  const maxBytes = 2 ** 20;
  const ids = createSeenIds(maxBytes);
  const idOf = (number: number): Id => ({ high: number, low: number });
  for (let number = 0; number < 500_000; number += 1) ids.add(idOf(number), NOON + number);
  const newest = Array.from({ length: maxBytes / 16 / 2 }, (_, back) => 499_999 - back);
  expect(newest.filter((number) => ids.add(idOf(number), NOON + 500_000))).toEqual([]);
  expect(ids.add(idOf(0), NOON + 500_000)).toBe(true);
});

test('recognises an id for exactly 24 hours, also when the clock goes back', () => {
  const ids = createSeenIds(2 ** 24);
  const id = { high: 0, low: 0 };
  expect(ids.add(id, NOON)).toBe(true);
  expect([NOON - HOUR, NOON, NOON + SEEN_MS - 1].map((now) => ids.add(id, now))).toEqual([false, false, false]);
  for (const later of [25, 40, 100, 365].map((days) => NOON + days * 24 * HOUR)) {
    const kept = createSeenIds(2 ** 24);
    kept.restore(id, NOON);
    expect(kept.add(id, later)).toBe(true);
    expect(kept.add(id, later)).toBe(false);
  }
  expect([NOON + SEEN_MS, NOON + SEEN_MS + 1].map((now) => ids.add(id, now))).toEqual([true, false]);
});

test('recognises ids of the times that have a meaning of their own in the table', () => {
  const start = 2 ** 32 * 400; // its lower 32 bits are 0
  for (const time of [start, start + 1, start + 2]) {
    const ids = createSeenIds(2 ** 24);
    const id = { high: 1, low: 2 };
    expect(ids.add(id, time)).toBe(true);
    expect(ids.add(id, time + HOUR)).toBe(false);
  }
});
