// Differences of answers: whoever applies one has the new answer, and it is no longer than what changed.
import { expect, test } from 'vitest';
import { differenceOf, type Json } from '../../server/live/answer-differences.ts';
import { openRandom, type Random } from '../../server/jobs/demo/random.ts';
import { withDifference } from '../../src/lib/live/answer-changes.ts';

const NAMES = ['a', 'b', 'name', 'time', 'rows', '__proto__', 'constructor', '0', ''];
const pick = <Of>(random: Random, from: readonly Of[]): Of => from[Math.floor(random.fraction() * from.length)] as Of;

function randomValue(random: Random, depth = 0): Json {
  const kind = random.fraction() * (depth > 3 ? 5 : 9);
  if (kind < 5) return pick<Json>(random, [null, true, false, 0, 1, -2.5, '', 'a', 'b', [], {}]);
  const length = Math.floor(random.fraction() * 6);
  if (kind < 7) return Array.from({ length }, () => randomValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length }, (): [string, Json] => [pick(random, NAMES), randomValue(random, depth + 1)]),
  );
}

/** Rows as of a panel: some move, some change, some leave, some appear. */
const randomRows = (random: Random): Json => ({
  total: Math.floor(random.fraction() * 9),
  rows: Array.from({ length: Math.floor(random.fraction() * 12) }, () => ({
    name: pick(random, ['/', '/a', '/b', '/c', '/d', '/e']),
    values: { pageviews: Math.floor(random.fraction() * 3) },
    previous: pick(random, [null, { pageviews: 1 }]),
  })),
});

test.each([
  ['any values', randomValue],
  ['rows', randomRows],
])('of %s lead from the old value to the new one, which leave both as they are', (_what, make) => {
  const random = openRandom(11);
  let same = 0;
  for (let round = 0; round < 5000; round += 1) {
    const [before, after] = [make(random), round % 5 === 0 ? undefined : make(random)];
    const next = after === undefined ? (JSON.parse(JSON.stringify(before)) as Json) : after;
    const [textBefore, textNext] = [JSON.stringify(before), JSON.stringify(next)];
    const difference = differenceOf(before, next);
    if (difference === undefined) {
      same += 1;
      expect(next).toEqual(before);
    } else {
      const sent = JSON.parse(JSON.stringify(difference)) as typeof difference;
      const reached = withDifference(before, sent);
      expect(reached).toEqual(next);
      expect(differenceOf(reached, next)).toBeUndefined();
    }
    expect([JSON.stringify(before), JSON.stringify(next)]).toEqual([textBefore, textNext]);
  }
  expect(same).toBeGreaterThanOrEqual(1000);
});

test('name what moved, changed, left and appeared, and nothing else', () => {
  const row = (name: string, pageviews: number) => ({ name, values: { pageviews }, previous: null });
  const before = { rows: [row('/', 9), row('/a', 5), row('/b', 4), row('/c', 1)], total: 4, sum: 19 };
  const after = { rows: [row('/', 9), row('/b', 6), row('/a', 5), row('/new', 2)], total: 4, sum: 22 };
  expect(differenceOf(before, after)).toEqual({
    rows: [0, [[0, 1], [2, { values: { pageviews: [6] } }], [1, 1], [row('/new', 2)]]],
    sum: [22],
  });
  const points = Array.from({ length: 24 }, (_, hour) => ({ time: hour, value: 1 }));
  expect(differenceOf(points, points.with(23, { time: 23, value: 2 }))).toEqual([
    0,
    [
      [0, 23],
      [23, { value: [2] }],
    ],
  ]);
  expect(differenceOf({ a: 1, gone: 2 }, { a: 1, b: null })).toEqual({ gone: 0, b: [null] });
});
