// Lists that are asked for at the same moment, which one statement answers: checked against the events, one list at a time.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVersions } from '../../server/stats/answer-cache.ts';
import type { Filter } from '../../server/stats/query.ts';
import type { Scope } from '../../server/stats/sql/scope.ts';
import { buildSelect, type Rows, type Select } from '../../server/stats/sql/sql.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import type { Asking } from '../../server/store/pool.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import type { Range } from '../../server/vocabulary/time/periods.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, SITE } from '../setup/event.ts';
import { drawDays, metricsOfList, openReaders } from '../setup/stats/closed-days.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { drawFilterOn } from '../setup/stats/random-filters.ts';
import type { TestStore } from '../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 4;
const END = FIRST_DAY + DAYS * DAY_MS;

const random = openRandom(31_415);
const versions = openVersions();
let rows: VisitedEvent[] = [];
let store: TestStore;
let asked: ReturnType<typeof openReaders>['asked'];
let ask: (select: Select, asking?: Asking) => Promise<Rows>;

beforeAll(async () => {
  ({ store, rows } = await drawDays(random, { from: FIRST_DAY, days: DAYS, versions }));
  return () => store[Symbol.asyncDispose]();
});

beforeEach(() => {
  const opened = openReaders(store, versions);
  asked = opened.asked;
  ask = (select, asking = {}) => opened.readerFor(asking).ask(select);
});

/** Statements for lists, without those that ask whether days have changed. */
const statements = () => asked.filter(({ sql }) => sql.includes('AS total'));

/** Closed days; closed days and an open one; with days before the first event. */
const RANGES: Range[] = [
  { from: FIRST_DAY, to: FIRST_DAY + 2 * DAY_MS },
  { from: FIRST_DAY, to: END },
  { from: FIRST_DAY - DAY_MS, to: END - HOUR_MS },
];
const scopeFor = (filters: Filter[] = [], range = random.pick(RANGES)): Scope => ({
  site_id: SITE,
  range,
  filters,
  currency: 'EUR',
  max_amount: EURO_SHOP.max_amount,
});

function drawList(scope: Scope, dimension: Dimension): Select {
  const fitting = metricsOfList(dimension);
  const metrics = Array.from({ length: 1 + random.number(3) }, () => random.pick(fitting));
  return {
    scope,
    metrics: [...new Set(metrics)],
    by: { dimension },
    ...(random.chance(0.8) && { limit: 1 + random.number(12) }),
    ...(random.chance(0.2) && { search: random.pick(['i', 'e', '%', "'"]) }),
    ...(random.chance(0.2) && { labels: ['Google', '/pricing', 'signup', 'DE', ''] }),
  };
}

/** Ratios are divided in another order, so they are compared to nine digits. */
const rounded = (found: Rows) =>
  found.map((row) =>
    Object.entries(row)
      .map(([name, value]) => [name, name === 'label' ? value : Number(Number(value).toPrecision(9))])
      .sort(),
  );

async function expectEqual(lists: readonly Select[]): Promise<void> {
  const found = await Promise.all(lists.map((select) => ask(select)));
  for (const [index, select] of lists.entries()) {
    const { sql, bound } = buildSelect(select);
    const { metrics, by, limit, search, labels } = select;
    const about = JSON.stringify({ metrics, by, limit, search, labels, ...select.scope });
    expect(rounded(namesOf(select, found[index] ?? [])), about).toEqual(
      rounded(namesOf(select, await store.query(sql, bound))),
    );
  }
}

/** Rows may have metrics beyond those that were asked for. */
const namesOf = ({ metrics }: Select, found: Rows): Rows =>
  found.map((row) => Object.fromEntries(['label', 'total', ...metrics].map((name) => [name, row[name] ?? 'missing'])));

const shuffled = <One>(all: readonly One[]): One[] => all.toSorted(() => random.number(3) - 1);

describe('one statement for lists of the same moment', () => {
  test('of all dimensions', async () => {
    for (const range of RANGES) {
      asked.length = 0;
      await expectEqual(SUMMED_DIMENSIONS.map((dimension) => drawList(scopeFor([], range), dimension)));
      expect(statements()).toHaveLength(1);
    }
  });

  test.each(SUMMED_DIMENSIONS.map((dimension) => [dimension]))('filtered by %s', async (dimension) => {
    const scope = scopeFor([drawFilterOn(dimension, { random, rows })]);
    await expectEqual(
      shuffled(SUMMED_DIMENSIONS)
        .slice(0, 6)
        .map((by) => drawList(scope, by)),
    );
    // Page views of a page are kept for each day, so a list of them may have been asked for alone.
    expect(statements().length).toBeLessThanOrEqual(2);
  });

  test.each<[Dimension]>([['source'], ['page'], ['hostname'], ['event']])(
    'of what was seen in visits, filtered by %s',
    async (dimension) => {
      for (let round = 0; round < 3; round += 1) {
        const scope = scopeFor([drawFilterOn(dimension, { random, rows })]);
        const metrics: Metric[] = shuffled(['unique_visitors', 'visits', 'events']);
        const lists = (['page', 'event', 'hostname'] as const).map((by) => ({ scope, metrics, by: { dimension: by } }));
        await expectEqual([...lists, drawList(scope, 'country')]);
      }
      expect(statements()).toHaveLength(3);
    },
  );

  test('of random choices, filtered or not', async () => {
    for (let round = 0; round < 12; round += 1) {
      const filters = Array.from({ length: random.number(3) }, () =>
        drawFilterOn(random.pick(SUMMED_DIMENSIONS), { random, rows }),
      );
      const scope = scopeFor(filters);
      await expectEqual(
        shuffled(SUMMED_DIMENSIONS)
          .slice(0, 2 + random.number(5))
          .map((by) => drawList(scope, by)),
      );
    }
  });
});

const list = (dimension: Dimension, more: Partial<Select> = {}): Select => ({
  scope: scopeFor([], RANGES[1]),
  metrics: ['visits'],
  by: { dimension },
  limit: 5,
  ...more,
});

test('each list is remembered by itself', async () => {
  await Promise.all([ask(list('source')), ask(list('page'))]);
  expect(statements()).toHaveLength(1);
  await ask(list('page'));
  await Promise.all([ask(list('source')), ask(list('country'))]);
  expect(statements()).toHaveLength(2);
});

test('a list by the same dimension goes with the others if it only has another length', async () => {
  await expectEqual([
    list('page', { limit: 2 }),
    list('source'),
    list('page', { limit: 300 }),
    list('page', { limit: 3 }),
  ]);
  expect(statements()).toHaveLength(1);
});

describe('asked for apart', () => {
  test.each<[string, Select[]]>([
    ['lists of other ranges', [list('source'), list('page', { scope: scopeFor([], RANGES[0]) })]],
    [
      'lists with other filters',
      [
        list('source'),
        list('page', { scope: scopeFor([{ dimension: 'country', operator: 'is', values: ['DE'] }], RANGES[1]) }),
      ],
    ],
    [
      'lists of the same dimension with other metrics',
      [list('source'), list('source', { metrics: ['pageviews'] }), list('page')],
    ],
    ['other rows of a list', [list('source'), list('source', { labels: ['Google'] }), list('page')]],
    ['lists of one dimension alone', [list('source'), list('source', { limit: 300 })]],
    ['a list in another order', [list('source'), list('page', { order: { by: 'name', direction: 'asc' } })]],
    ['a later page', [list('source'), list('page', { offset: 2 })]],
    ['a long list', [list('source'), list('page', { limit: 301 })]],
    ['money', [list('source'), list('page', { metrics: ['revenue'] })]],
  ])('%s', async (_name, lists) => {
    await expectEqual(lists);
    expect(statements()).toHaveLength(2);
  });

  test('lists of several requesters', async () => {
    await ask(list('country')); // the days are known from then on
    asked.length = 0;
    const askers: Asking[] = [{ lane: 'a' }, { lane: 'b' }, { lane: 'link', viewer: 'v' }];
    const found = await Promise.all(
      askers.flatMap((asking) => [ask(list('source'), asking), ask(list('page'), asking)]),
    );
    expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(2);
    const seen = statements().map(({ asking }) => ({ lane: asking?.lane, viewer: asking?.viewer }));
    expect(seen).toHaveLength(askers.length);
    expect(seen).toEqual(expect.arrayContaining(askers.map(({ lane, viewer }) => ({ lane, viewer }))));
  });
});

test('the statement counts as the earliest question, and goes on while one requester stays', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const both = Promise.all([
    ask(list('source'), { since: 7, signal: one.signal }),
    ask(list('page'), { since: 5, signal: other.signal }),
  ]);
  one.abort();
  const [sources, pages] = await both;
  expect([sources.length, pages.length].map((count) => count > 0)).toEqual([true, true]);
  const [{ asking } = { asking: undefined }] = statements();
  expect(asking?.since).toBe(5);
  expect(asking?.signal?.aborted).toBe(false);
});
