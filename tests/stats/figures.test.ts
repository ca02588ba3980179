/** @module-tag long */
// Totals and charts that are asked for at the same moment, which one statement answers: checked against the events, one question at a time.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVersions } from '../../server/stats/answer-cache.ts';
import { isOfReading } from '../../server/stats/sql/combination.ts';
import { type CountedGoals, openCountedGoals } from '../../server/stats/days/counted-goals.ts';
import type { Filter } from '../../server/stats/query.ts';
import type { Scope } from '../../server/stats/sql/scope.ts';
import { buildSelect, type Rows, type Select } from '../../server/stats/sql/sql.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import type { Asking } from '../../server/store/pool.ts';
import { type Metric, METRIC_NAMES, metricRow, sourceOfMetric } from '../../server/vocabulary/numbers/metrics.ts';
import type { Range } from '../../server/vocabulary/time/periods.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, SITE } from '../setup/event.ts';
import { drawDays, fail, openReaders } from '../setup/stats/closed-days.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { seedOf, sized } from '../setup/run/harness.ts';
import { drawFilterOn } from '../setup/stats/random-filters.ts';
import type { TestStore } from '../setup/store.ts';

/** A Saturday: a chart by weeks has two buckets. */
const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 4;
const END = FIRST_DAY + DAYS * DAY_MS;

const random = openRandom(seedOf(27_182));
const versions = openVersions();
let rows: VisitedEvent[] = [];
let store: TestStore;
let countedGoals: CountedGoals;
let asked: ReturnType<typeof openReaders>['asked'];
let ask: (select: Select, asking?: Asking) => Promise<Rows>;

beforeAll(async () => {
  ({ store, rows } = await drawDays(random, { from: FIRST_DAY, days: DAYS, versions }));
  countedGoals = openCountedGoals({ store, now: () => END, onFailed: fail });
  return async () => {
    await countedGoals.close();
    await store[Symbol.asyncDispose]();
  };
});

/** Asks with nothing remembered. */
function openAsk(): void {
  const opened = openReaders(store, versions, countedGoals);
  asked = opened.asked;
  ask = (select, asking = {}) => opened.readerFor(asking).ask(select);
}
beforeEach(openAsk);

/** Statements for figures, without those that ask what is known about the days. */
const ofFigures = ({ sql }: { sql: string }) => !/^SELECT ('now' AS kind|toString\(day\) AS day)/.test(sql);
const statements = () => asked.filter(ofFigures);

const CLOSED: Range = { from: FIRST_DAY, to: END - DAY_MS };
const WITH_TODAY: Range = { from: FIRST_DAY - DAY_MS, to: END };
/** The last day is cut, and so is the first: two days are read from their events. */
const WITH_PARTS: Range = { from: FIRST_DAY + 5 * HOUR_MS, to: END - HOUR_MS };

/** Closed days that follow each other: one week lies in both. */
const FOLLOWING: [Range, Range] = [
  { from: FIRST_DAY, to: FIRST_DAY + DAY_MS },
  { from: FIRST_DAY + DAY_MS, to: END - DAY_MS },
];

const METRICS = METRIC_NAMES.filter(
  (metric) => sourceOfMetric(metric) === 'events' && !metricRow(metric).isOfGoals && !isOfReading(metric),
);
const INTERVALS = ['day', 'week', 'month'] as const;

const scopeFor = (filters: Filter[] = [], range: Range = CLOSED): Scope => ({
  site_id: SITE,
  range,
  filters,
  currency: 'EUR',
  max_amount: EURO_SHOP.max_amount,
});
const totals = (scope: Scope, metrics: Metric[] = METRICS): Select => ({ scope, metrics });
const chart = (scope: Scope, metric: Metric, interval: (typeof INTERVALS)[number] = 'day'): Select => ({
  scope,
  metrics: [metric],
  by: { interval },
});

/** Ratios are divided in another order, so they are compared to nine digits. Buckets without anything are left out. */
const comparable = ({ metrics, by }: Select, found: Rows) =>
  found
    .map((row) => ['label', ...metrics].map((name) => Number(Number(row[name] ?? 0).toPrecision(9))))
    .filter(([, ...numbers]) => !by || numbers.some((value) => value !== 0))
    .sort(([one = 0], [other = 0]) => one - other);

async function expectEqual(selects: readonly Select[]): Promise<void> {
  const found = await Promise.all(selects.map((select) => ask(select)));
  for (const [index, select] of selects.entries()) {
    const { sql, bound } = buildSelect(select);
    const about = JSON.stringify({ metrics: select.metrics, by: select.by, ...select.scope });
    expect(comparable(select, found[index] ?? []), about).toEqual(
      comparable(select, await store.query<Rows[number]>(sql, bound)),
    );
  }
}

/** Has the days looked up and their payments counted. Otherwise some questions wait until this is known, and are asked later than others. */
const knowDays = async (scope = scopeFor([], WITH_TODAY)) => {
  await ask(totals(scope, ['refunds']));
  await countedGoals.settled();
  asked.length = 0;
};

describe('one statement for totals and charts of the same moment', () => {
  test.each(
    INTERVALS.flatMap((interval) => [
      ['closed days', interval, CLOSED] as const,
      ['closed days and an open one', interval, WITH_TODAY] as const,
    ]),
  )('of %s, by %s', async (_name, interval, range) => {
    const scope = scopeFor([], range);
    await knowDays(scope);
    await expectEqual([totals(scope), ...METRICS.map((metric) => chart(scope, metric, interval))]);
    expect(statements()).toHaveLength(1);
  });

  test('after one that finds the closed days and those whose payments are counted', async () => {
    await knowDays();
    openAsk(); // a process that has just begun
    await expectEqual([totals(scopeFor()), chart(scopeFor(), 'revenue')]);
    expect(asked.map(({ sql }) => sql.slice(0, 20))).toEqual(["SELECT 'now' AS kind", 'SELECT period, bucke']);
  });

  test.each(SUMMED_DIMENSIONS.map((dimension) => [dimension]))('filtered by %s', async (dimension) => {
    const scope = scopeFor([drawFilterOn(dimension, { random, rows })], random.pick([CLOSED, WITH_TODAY]));
    await expectEqual([chart(scope, random.pick(METRICS), random.pick(INTERVALS)), totals(scope)]);
    expect(statements()).toHaveLength(1);
  });

  test('of random choices', async () => {
    for (let round = 0; round < sized({ short: 5, long: 12 }); round += 1) {
      const filters = Array.from({ length: random.number(3) }, () =>
        drawFilterOn(random.pick(SUMMED_DIMENSIONS), { random, rows }),
      );
      const scope = scopeFor(filters, random.pick([CLOSED, WITH_TODAY, WITH_PARTS]));
      const charts = Array.from({ length: 1 + random.number(3) }, () =>
        chart(scope, random.pick(METRICS), random.pick(INTERVALS)),
      );
      const some = Array.from({ length: 1 + random.number(3) }, () => random.pick(METRICS));
      await expectEqual([totals(scope), ...charts, totals(scope, [...new Set(some)])]);
    }
  });

  test.each(INTERVALS)('and for those of the comparison, by %s', async (interval) => {
    const chosen = Array.from({ length: sized({ short: 3, long: 8 }) }, () =>
      Array.from({ length: random.number(3) }, () => drawFilterOn(random.pick(SUMMED_DIMENSIONS), { random, rows })),
    );
    for (const filters of [[], ...chosen]) {
      const [before, own] = FOLLOWING.map((range) => scopeFor(filters, range)) as [Scope, Scope];
      openAsk(); // the same may have been drawn before
      await knowDays();
      const metric = random.pick(METRICS);
      await expectEqual([totals(own), totals(before), chart(own, metric, interval), chart(before, metric, interval)]);
      expect(statements()).toHaveLength(1);
    }
  });

  test('nothing matches: zeros, and an empty chart', async () => {
    await knowDays();
    const scope = scopeFor([{ dimension: 'source', operator: 'is', values: ['nobody'] }]);
    const [all, points] = await Promise.all([ask(totals(scope, ['visits'])), ask(chart(scope, 'visits'))]);
    expect({ all, points }).toEqual({ all: [{ visits: 0 }], points: [] });
    expect(statements()).toHaveLength(1);
  });
});

test('totals without a chart go together too', async () => {
  await knowDays();
  const of = (range: Range) => totals(scopeFor([], range), ['visits', 'bounce_rate']);
  await expectEqual([...FOLLOWING.map(of), totals(scopeFor([], FOLLOWING[1]), ['pageviews'])]);
  expect(statements()).toHaveLength(1);
});

test('each answer is remembered by itself', async () => {
  await knowDays();
  const scope = scopeFor();
  await Promise.all([ask(totals(scope, ['visits'])), ask(chart(scope, 'visits'))]);
  await ask(totals(scope, ['visits']));
  await ask(chart(scope, 'visits'));
  expect(statements()).toHaveLength(1);
});

describe('asked for apart', () => {
  beforeEach(() => knowDays());
  const scope = scopeFor();
  test.each<[string, number, Select[]]>([
    ['charts of other intervals', 2, [chart(scope, 'visits'), chart(scope, 'visits', 'week')]],
    ['other ranges', 2, [totals(scope, ['visits']), chart(scopeFor([], WITH_TODAY), 'visits')]],
    [
      'two days that are not closed',
      2,
      [totals(scopeFor([], WITH_PARTS), ['visits']), chart(scopeFor([], WITH_PARTS), 'visits')],
    ],
    [
      'days that do not follow each other',
      2,
      [
        totals(scopeFor([], { from: FIRST_DAY, to: FIRST_DAY + DAY_MS }), ['visits']),
        totals(scopeFor([], { from: FIRST_DAY + 2 * DAY_MS, to: FIRST_DAY + 3 * DAY_MS }), ['visits']),
      ],
    ],
    [
      'a comparison with days of which one is not closed',
      2,
      [totals(scopeFor([], FOLLOWING[0]), ['visits']), totals(scopeFor([], { ...FOLLOWING[1], to: END }), ['visits'])],
    ],
    ['a list', 2, [totals(scope, ['visits']), { scope, metrics: ['visits'], by: { dimension: 'source' } }]],
  ])('%s', async (_name, count, selects) => {
    await expectEqual(selects);
    expect(statements()).toHaveLength(count);
  });

  test('questions of several requesters', async () => {
    const askers: Asking[] = [{ lane: 'a' }, { lane: 'b' }, { lane: 'link', viewer: 'v' }];
    await Promise.all(
      askers.flatMap((asking) => [ask(totals(scope, ['visits']), asking), ask(chart(scope, 'visits'), asking)]),
    );
    const seen = statements().map(({ asking }) => ({ lane: asking?.lane, viewer: asking?.viewer }));
    expect(seen).toEqual(expect.arrayContaining(askers.map(({ lane, viewer }) => ({ lane, viewer }))));
    expect(seen).toHaveLength(askers.length);
  });
});

test('the statement is given up when all requesters have left', async () => {
  const held = Promise.withResolvers<never[]>();
  const holding: typeof store.query = (sql, bound, asking) =>
    ofFigures({ sql }) ? held.promise : store.query(sql, bound, asking);
  const opened = openReaders({ ...store, query: holding }, versions, countedGoals);
  const [one, other] = [new AbortController(), new AbortController()];
  const both = Promise.allSettled([
    opened.readerFor({ since: 7, signal: one.signal }).ask(totals(scopeFor(), ['visits'])),
    opened.readerFor({ since: 5, signal: other.signal }).ask(chart(scopeFor(), 'visits')),
  ]);
  one.abort();
  const statement = () => opened.asked.find(ofFigures)?.asking;
  await expect.poll(() => statement()?.since).toBe(5);
  expect(statement()?.signal?.aborted).toBe(false);
  other.abort();
  expect(statement()?.signal?.aborted).toBe(true);
  held.resolve([]);
  await both;
});
