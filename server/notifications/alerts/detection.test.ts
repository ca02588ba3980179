import { describe, expect, test } from 'vitest';
import { LEAST_WEEKS, SENSITIVITY_NAMES, TRAFFIC_KINDS } from '../../vocabulary/settings/alerts.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { wallTime } from '../../vocabulary/time/zones.ts';
import { openBaseline, type Traffic } from './detection.ts';
import { simulate, SITE_KINDS } from '../../../tests/setup/notifications/simulation.ts';
import { followHour, noticeSpike, watchHours } from './watching.ts';

/** A Monday, 00:00 UTC. */
const MONDAY = Date.UTC(2026, 5, 1) / HOUR_MS;
const WEEK = 168;

type Count = (hour: number) => number;

function seenOf(count: Count, { zone = 'UTC', since = -Infinity } = {}) {
  const hour: Count = (at) => (at >= since ? count(at) : 0);
  const day = (number: number) =>
    Array.from({ length: 24 }, (_, at) => hour(number * 24 + at)).reduce((a, b) => a + b, 0);
  const traffic: Traffic = { hour, day, zone };
  return { baseline: openBaseline(traffic), hour, judgedSince: 0 };
}

const usual = (kind: 'spike' | 'drop') => ({ kind, sensitivity: 'usual' }) as const;
const both = (range: { from: number; to: number }, seen: ReturnType<typeof seenOf>) =>
  TRAFFIC_KINDS.flatMap((kind) => watchHours(usual(kind), range, seen)).map(
    ({ kind, since, until, value, expected }) => [
      kind,
      since - MONDAY,
      until && until - MONDAY,
      value,
      Math.round(expected),
    ],
  );

describe('an hour', () => {
  test('is compared with the same hour of the week, so neither a night nor a weekend is a drop', () => {
    const busy: Count = (hour) => (hour % 24 < 8 ? 20 : 200) / ((hour - MONDAY + 99 * WEEK) % WEEK >= 120 ? 10 : 1);
    expect(both({ from: MONDAY, to: MONDAY + WEEK }, seenOf(busy))).toEqual([]);
  });

  test('far above the usual is a spike with its end, and the drop after it is none', () => {
    const count: Count = (hour) => (hour >= MONDAY + 10 && hour < MONDAY + 13 ? 1000 : 100);
    expect(both({ from: MONDAY, to: MONDAY + WEEK }, seenOf(count))).toEqual([['spike', 10, 13, 3000, 300]]);
  });

  test('without visitors is a drop with its end', () => {
    const count: Count = (hour) => (hour >= MONDAY + 10 && hour < MONDAY + 20 ? 0 : 100);
    expect(both({ from: MONDAY, to: MONDAY + WEEK }, seenOf(count))).toEqual([['drop', 10, 20, 0, 1000]]);
  });

  test('can be a spike before it is over', () => {
    const seen = seenOf((hour) => (hour === MONDAY + 10 ? 251 : 100));
    const early = noticeSpike(usual('spike'), MONDAY + 10, seen);
    expect(early).toMatchObject({ since: MONDAY + 10, until: null, value: 251, expected: 100 });
    expect(noticeSpike(usual('spike'), MONDAY + 11, seen)).toBeUndefined();
    expect(noticeSpike(usual('drop'), MONDAY + 10, seen)).toBeUndefined();
    // Its count is replaced by that of the whole hour, not added to it.
    const whole = followHour(usual('spike'), MONDAY + 10, early && { ...early, value: 9 }, seen);
    expect(whole).toMatchObject({ value: 251, expected: 100 });
  });

  test('is compared by the clock of the site, also when clocks change', () => {
    const zone = 'Europe/Berlin';
    const office: Count = (hour) => {
      const shown = new Date(wallTime(hour * HOUR_MS, zone)).getUTCHours();
      return shown >= 9 && shown < 17 ? 300 : 3;
    };
    const change = Date.UTC(2026, 2, 29) / HOUR_MS;
    expect(both({ from: change - WEEK, to: change + 2 * WEEK }, seenOf(office, { zone }))).toEqual([]);
  });
});

test('a level that changed for good is one incident, and then the usual', () => {
  for (const [factor, kind] of [
    [3, 'spike'],
    [0.3, 'drop'],
  ] as const) {
    const found = both(
      { from: MONDAY, to: MONDAY + 10 * WEEK },
      seenOf((hour) => (hour < MONDAY + 24 ? 100 : 100 * factor)),
    );
    expect(found.map(([of]) => of)).toEqual([kind]);
    expect(found[0]?.[2]).toBeLessThanOrEqual(6 * 24);
  }
});

test('steady growth is never unusual', () => {
  const grown: Count = (hour) => Math.round(100 * 2 ** ((hour - MONDAY) / (4 * WEEK)));
  expect(both({ from: MONDAY, to: MONDAY + 12 * WEEK }, seenOf(grown))).toEqual([]);
});

test('nothing is said about a site that is younger than three weeks, or about hours before the watch began', () => {
  const start = MONDAY - LEAST_WEEKS * WEEK;
  const count: Count = (hour) => (hour % WEEK === (MONDAY + 10) % WEEK && hour > MONDAY ? 1000 : 100);
  const seen = seenOf(count, { since: start });
  expect(seen.baseline.of(MONDAY - 1)).toBeUndefined();
  expect(seen.baseline.of(MONDAY + WEEK)).toEqual({ expected: 100, spread: 1 });
  expect(noticeSpike(usual('spike'), MONDAY + 10 + WEEK, { ...seen, judgedSince: MONDAY + 11 + WEEK })).toBeUndefined();
});

test('a site that stopped for good is told once', () => {
  const found = both(
    { from: MONDAY, to: MONDAY + 4 * WEEK },
    seenOf((hour) => (hour < MONDAY + 30 ? 100 : 0)),
  );
  expect(found.map(([kind, since]) => [kind, since])).toEqual([['drop', 30]]);
});

test('each sensitivity finds what the less sensitive ones find', () => {
  for (const [index, factor] of [5, 2.6, 1.8].entries()) {
    const seen = seenOf((hour) => (hour === MONDAY + 10 ? 100 * factor : 100));
    const found = SENSITIVITY_NAMES.filter((sensitivity) =>
      noticeSpike({ kind: 'spike', sensitivity }, MONDAY + 10, seen),
    );
    expect(found).toEqual(SENSITIVITY_NAMES.slice(index));
  }
});

describe('a simulated year', () => {
  /** Planted, missed, and false alarms with the seeds 1 and 2. */
  const EXPECTED: Record<string, [number, number, number]> = {
    'small blog': [0, 0, 0],
    shop: [60, 1, 3],
    'office tool': [60, 1, 4],
    'growing site': [60, 0, 0],
    'news site': [60, 3, 17],
    'seasonal site': [60, 0, 1],
  };
  test.each(SITE_KINDS.map((kind) => [kind.name, kind] as const))('of a %s', (name, kind) => {
    const years = [1, 2].map((seed) => simulate(kind, seed));
    const all = <Item>(of: (year: (typeof years)[number]) => Item[]) => years.flatMap(of).length;
    const [planted, missed, wrong] = [
      all((one) => one.planted),
      all((one) => one.missed),
      all((one) => one.falseAlarms),
    ];
    expect([planted, missed, wrong]).toEqual(EXPECTED[name]);
    expect(missed).toBeLessThanOrEqual(0.05 * planted);
    expect(wrong / years.length / 12).toBeLessThanOrEqual(1);
  });
});
