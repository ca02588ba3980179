/** @module-tag long */
// Goals on closed days, checked against the events: random goals of each kind, over whole and cut ranges, in UTC and in a zone, and after
// everything that changes a day or a goal.
import { beforeAll, describe, expect, test } from 'vitest';
import type { EventId, SiteId, VisitedEvent } from '../../../server/vocabulary/event.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import { openCountedGoals } from '../../../server/stats/days/counted-goals.ts';
import { ALL_PAYMENTS, nameOf } from '../../../server/stats/days/day-goals.ts';
import type { Goal } from '../../../server/stats/sql/goals.ts';
import type { Filter } from '../../../server/stats/query.ts';
import type { Scope } from '../../../server/stats/sql/scope.ts';
import { buildSelect, type Select } from '../../../server/stats/sql/sql.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { GOAL_KINDS, type GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';
import { METRIC_NAMES, type Metric, metricRow } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Range } from '../../../server/vocabulary/time/periods.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { fillDays, openBoth, type Table, ZONE, ZONED } from '../../setup/stats/closed-days.ts';
import { EURO_SHOP, makeEvent, SITE, visitedEvent } from '../../setup/event.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { openTurns, seedOf, shareOf } from '../../setup/run/harness.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 4;
const END = FIRST_DAY + DAYS * DAY_MS;
const NOW = END + 9 * HOUR_MS;

const random = openRandom(seedOf(60_211));
const versions = openVersions();
let store: TestStore;
let countedGoals: ReturnType<typeof openCountedGoals>;
let both: ReturnType<typeof openBoth>;
const rows: VisitedEvent[] = [];
const failed: string[] = [];

const onFailed = (_error: unknown, { day }: { day: string }) => failed.push(day);
const sum = () => openSumming({ store, versions, onFailed })({ now: NOW, leastRows: 1 });

beforeAll(async () => {
  store = await testStore();
  countedGoals = openCountedGoals({ store, now: () => NOW, onFailed });
  both = openBoth(store, versions, countedGoals);
  for (const site of [SITE, ZONED])
    rows.push(...(await fillDays(store, site, { random, from: FIRST_DAY, days: DAYS })));
  const paid = rows.filter(({ currency }) => currency !== '').slice(0, 8);
  await store.supersede(
    paid.map(({ site_id, event_id, time }, index) => ({ site_id, event_id, time, replaced: index % 2 === 0 })),
  );
  expect(await sum()).toBe(2 * DAYS);
  return async () => {
    await countedGoals.close();
    await store[Symbol.asyncDispose]();
  };
});

const PAGES = ['/', '/pricing', '/blog', '/blog/*', '/**', '/never/**'];
function drawGoal(): GoalDefinition {
  const page = random.pick(PAGES);
  const event = random.pick(['signup', 'purchase', 'renewal', 'outbound_link', 'never']);
  const definitions: Record<(typeof GOAL_KINDS)[number], GoalDefinition> = {
    event: { kind: 'event', event, props: random.chance(0.5) ? {} : { plan: random.pick(['pro', 'starter', '']) } },
    page: { kind: 'page', page },
    scroll: { kind: 'scroll', page, scroll: 1 + random.number(100) },
    time: { kind: 'time', page, seconds: 1 + random.number(60) },
  };
  return definitions[random.pick(GOAL_KINDS)];
}

let made = 0;
const drawGoals = (count: number): Goal[] =>
  Array.from({ length: count }, () => ({ id: `goal_${(made += 1)}`, ...drawGoal() }));

/** Whole days; days and a part of the next; a part of a day and days; in a zone. */
const RANGES: Range[] = [
  { from: FIRST_DAY, to: END },
  { from: FIRST_DAY + DAY_MS, to: END - 7 * HOUR_MS },
  { from: FIRST_DAY + DAY_MS / 2, to: END },
  { from: FIRST_DAY - 2 * DAY_MS, to: END },
  { from: FIRST_DAY, to: END, zone: ZONE },
  { from: FIRST_DAY, to: END - 7 * HOUR_MS, zone: ZONE },
];

const scopeFor = (goals: readonly Goal[], range = random.pick(RANGES)): Scope => ({
  site_id: range.zone ? ZONED : SITE,
  range,
  filters: [],
  goals,
  currency: random.pick(['EUR', 'USD']),
  max_amount: random.pick([EURO_SHOP.max_amount, 50]),
});

const OF_GOALS = METRIC_NAMES.filter((metric) => metricRow(metric).isOfGoals);
const OF_MONEY = METRIC_NAMES.filter((metric) => ['orders', 'implausible_orders'].includes(metricRow(metric).counts));
const COUNTED: Metric[] = [...OF_GOALS, ...OF_MONEY, 'events'];
/** In lists of goals, the events have no sum over all goals next to these. */
const BESIDE: Metric[] = ['average_order', 'implausible_orders'];
const LISTED = COUNTED.filter((metric) => !BESIDE.includes(metric));

/** Asks until the goals are counted: the first answer is from the events, the second from the counts. */
async function expectCounted(select: Select, reads: Table[] = ['day_goals']) {
  const first = await both.expectEqual(select);
  await countedGoals.settled();
  const { read, about, rows: found } = await both.expectEqual(select);
  expect(
    read.filter((table) => reads.includes(table) || table === 'day_visits'),
    about,
  ).toEqual(reads);
  return { first: first.read, found };
}

const filterBy = (...values: string[]): Filter[] => [{ dimension: 'goal', operator: 'is', values }];

describe('random goals', () => {
  const counts = openTurns<number>();
  const ranges = shareOf(RANGES, { of: 2, turn: 0 });
  test.each(ranges.map((range, index) => [index, range] as const))('in range %i', async (_index, range) => {
    for (const count of counts(6, 1)) {
      const goals = drawGoals(count);
      const scope = scopeFor(goals, range);
      const { found } = await expectCounted({ scope, metrics: LISTED, by: { dimension: 'goal' }, limit: 100 });
      await expectCounted({ scope, metrics: BESIDE, by: { dimension: 'goal' }, limit: 100 });
      await expectCounted({ scope, metrics: ['conversion_rate'], by: { dimension: 'goal' }, limit: 2, offset: 1 });
      const labels = found.slice(0, 2).map((row) => String(row['label']));
      await expectCounted({ scope, metrics: ['conversions'], by: { dimension: 'goal' }, labels, limit: 2 });
      await expectCounted({ scope, metrics: OF_GOALS });
      await expectCounted({ scope, metrics: ['conversions', 'conversion_rate'], by: { interval: 'day' } });
      const filters = filterBy(random.pick(goals).id);
      await expectCounted({ scope: { ...scope, filters }, metrics: COUNTED });
      const interval = random.pick(['day', 'week', 'month'] as const);
      await expectCounted({ scope: { ...scope, filters }, metrics: COUNTED, by: { interval } });
    }
  });

  test('the payments of all days, next to visits', async () => {
    for (const range of ranges) {
      const scope = scopeFor([], range);
      await expectCounted({ scope, metrics: ['visits', ...OF_MONEY] });
      await expectCounted({ scope, metrics: ['revenue'], by: { interval: 'day' } });
    }
  });

  test('more than fit into 64 bits', async () => {
    const scope = scopeFor(drawGoals(70), { from: FIRST_DAY, to: FIRST_DAY + DAY_MS });
    await expectCounted({ scope, metrics: ['conversions', 'revenue'], by: { dimension: 'goal' }, limit: 100 });
  });

  test('two goals with the same conditions', async () => {
    const [goal] = drawGoals(1) as [Goal];
    const scope = scopeFor([goal, { ...goal, id: 'twin' }, ...drawGoals(2)]);
    await expectCounted({ scope, metrics: LISTED, by: { dimension: 'goal' }, limit: 100 });
  });
});

describe('questions that the counts cannot answer read the events', () => {
  const goals: Goal[] = [
    { id: 'goal_A', kind: 'event', event: 'signup', props: {} },
    { id: 'goal_B', kind: 'page', page: '/' },
  ];
  const scope = { ...scopeFor(goals, { from: FIRST_DAY, to: END }) };
  const by = { dimension: 'goal' } as const;
  test.each<[string, Select]>([
    ['visitors of a goal', { scope, metrics: ['unique_visitors'], by }],
    ['a filtered list', { scope: { ...scope, filters: filterBy('goal_A') }, metrics: ['conversions'], by }],
    ['two goals', { scope: { ...scope, filters: filterBy('goal_A', 'goal_B') }, metrics: ['conversions'] }],
    ['an unknown goal', { scope: { ...scope, filters: filterBy('goal_X') }, metrics: ['conversions'] }],
    [
      'not a goal',
      {
        scope: { ...scope, filters: [{ ...filterBy('goal_A')[0], operator: 'is_not' } as Filter] },
        metrics: ['orders'],
      },
    ],
    ['hours', { scope, metrics: ['conversions'], by: { interval: 'hour' } }],
    ['goals of each day', { scope, metrics: ['conversions'], by: { ...by, each: 'day' } }],
  ])('%s', async (_name, select) => {
    await both.expectEqual(select);
    await countedGoals.settled();
    expect((await both.expectEqual(select)).read).not.toContain('day_goals');
  });
});

describe('what is counted is asked anew', () => {
  const range = { from: FIRST_DAY + DAY_MS, to: FIRST_DAY + 3 * DAY_MS };
  const goal: Goal = { id: 'goal_A', kind: 'event', event: 'signup', props: {} };
  const listOf = (goals: Goal[], more: Partial<Scope> = {}): Select => ({
    scope: { ...scopeFor(goals, range), currency: 'EUR', max_amount: EURO_SHOP.max_amount, ...more },
    metrics: ['conversions', 'revenue'],
    by: { dimension: 'goal' },
  });

  test('when a goal is edited, or money is counted otherwise, but not when it is renamed', async () => {
    await expectCounted(listOf([goal]));
    const same = { ...goal, id: 'goal_B', name: 'renamed' };
    expect((await both.expectEqual(listOf([same]))).read).toContain('day_goals');
    for (const select of [
      listOf([{ ...goal, event: 'purchase' }]),
      listOf([{ ...goal, props: { plan: 'pro' } }]),
      listOf([goal], { currency: 'GBP' }),
      listOf([goal], { max_amount: 7 }),
    ])
      expect((await expectCounted(select)).first).not.toContain('day_goals');
  });

  test('when a day changes: late events, and payments that no longer count', async () => {
    const select = listOf([goal]);
    await expectCounted(select);
    const late = visitedEvent(makeEvent({ time: range.from + HOUR_MS, name: 'signup', visitor: 'late' }));
    await store.insert({ events: [late], ai_visits: [] }, 'late');
    versions.stored([late]);
    await both.expectEqual(select);
    expect(await sum()).toBe(1);
    await expectCounted(select);
    const gone = rows.find(
      ({ name, site_id, time }) => name === 'signup' && site_id === SITE && time >= range.from && time < range.to,
    );
    if (!gone) throw new Error('The random events include no signup.');
    const { event_id, time } = gone;
    await store.supersede([{ site_id: SITE, event_id: event_id as EventId, time, replaced: true }]);
    versions.stored([gone]);
    await both.expectEqual(select);
    expect(await sum()).toBeGreaterThan(0);
    await expectCounted(select);
  });

  test('by another process at the same time: the day counts once', async () => {
    const select = listOf([{ ...goal, event: 'renewal' }]);
    const other = openCountedGoals({ store, now: () => NOW, onFailed });
    const theirs = openBoth(store, versions, other);
    await Promise.all([both.expectEqual(select), theirs.expectEqual(select)]);
    await Promise.all([countedGoals.settled(), other.settled()]);
    const { found } = await expectCounted(select);
    expect(found).toHaveLength(1);
  });
});

test('goals that cannot be counted are read from the events, and tried again an hour later', async () => {
  let now = NOW;
  let isBroken = true;
  const derive: TestStore['derive'] = (statement) =>
    isBroken ? Promise.reject(new Error('Memory limit exceeded')) : store.derive(statement);
  const unlucky = openCountedGoals({ store: { ...store, derive }, now: () => now, onFailed });
  const asked = openBoth(store, versions, unlucky);
  const goals: Goal[] = [{ id: 'goal_A', kind: 'page', page: '/blog' }];
  const select: Select = {
    scope: scopeFor(goals, { from: FIRST_DAY, to: FIRST_DAY + DAY_MS }),
    metrics: ['conversions'],
  };
  const ask = async () => {
    const { read } = await asked.expectEqual(select);
    await unlucky.settled();
    return read.includes('day_goals');
  };
  failed.length = 0;
  expect([await ask(), failed]).toEqual([false, [dayOf(FIRST_DAY)]]);
  isBroken = false;
  expect([await ask(), await ask()]).toEqual([false, false]);
  now += HOUR_MS;
  expect([await ask(), await ask()]).toEqual([false, true]);
});

test('a site that is deleted while its goals are counted leaves nothing', async () => {
  const site_id = 'site_GONEGONEGONEGON' as SiteId;
  const event = { ...visitedEvent(makeEvent({ time: FIRST_DAY })), site_id };
  await store.insert({ events: [event], ai_visits: [] }, site_id);
  expect(await sum()).toBe(1);
  const derive: TestStore['derive'] = async (statement) => {
    if (statement.sql.startsWith('INSERT INTO day_goals')) await store.deleteSite(site_id);
    await store.derive(statement);
  };
  const disturbed = openCountedGoals({ store: { ...store, derive }, now: () => NOW, onFailed });
  const scope = { ...scopeFor([{ id: 'goal_A', kind: 'page', page: '/' }], { from: FIRST_DAY, to: END }), site_id };
  await openBoth(store, versions, disturbed).ask({ scope, metrics: ['conversions'] });
  await disturbed.settled();
  const [left] = await store.query<{ n: string }>(
    'SELECT count() AS n FROM day_goals WHERE site_id = {site_id:String}',
    {
      site_id,
    },
  );
  expect(Number(left?.n)).toBe(0);
});

describe('counting in the background', () => {
  type Statement = Parameters<TestStore['derive']>[0];
  const pageGoal = (id: string, page: string): Goal => ({ id, kind: 'page', page });
  const EUR = { currency: 'EUR', max_amount: EURO_SHOP.max_amount };
  const listOf = (goals: Goal[], range: Range): Select => ({
    scope: { ...scopeFor(goals, range), ...EUR },
    metrics: ['conversions'],
    by: { dimension: 'goal' },
  });
  const whole = { from: FIRST_DAY, to: END };
  /** Counts in a store in which each statement that counts is first given to `before`. */
  const opened = (before: (statement: Statement) => unknown) => {
    const queries: string[] = [];
    const own = openCountedGoals({
      store: {
        query: (...args) => {
          queries.push(args[0]);
          return store.query(...args);
        },
        derive: async (statement) => {
          if (statement.sql.startsWith('INSERT INTO day_goals')) await before(statement);
          await store.derive(statement);
        },
      },
      now: () => NOW,
      onFailed,
    });
    return { own, queries, asked: openBoth(store, versions, own) };
  };

  test('the sites take turns', async () => {
    const gate = Promise.withResolvers<undefined>();
    const order: unknown[] = [];
    const { own, asked } = opened(({ bound }) => {
      order.push(bound['site_id']);
      return gate.promise;
    });
    const goals = [pageGoal('goal_A', '/turns')];
    await asked.ask(listOf(goals, whole));
    await asked.ask(listOf(goals, { ...whole, zone: ZONE }));
    gate.resolve(undefined);
    await own.settled();
    expect(order).toEqual(Array.from({ length: DAYS }, () => [SITE, ZONED]).flat());
  });

  test('of an edited list, only what is new is counted', async () => {
    const kept = pageGoal('goal_A', '/kept');
    const range = { from: FIRST_DAY, to: FIRST_DAY + DAY_MS };
    const written: unknown[] = [];
    const { own, asked } = opened(({ bound }) => written.push(...Object.values(bound).flat()));
    await asked.expectEqual(listOf([kept, pageGoal('goal_B', '/before')], range));
    await own.settled();
    const name = nameOf({ label: '', goals: [kept] }, EUR);
    expect(written).toContain(name);
    written.length = 0;
    await asked.expectEqual(listOf([kept, pageGoal('goal_B', '/after')], range));
    await own.settled();
    expect(written).toContain(nameOf({ label: '', goals: [pageGoal('goal_B', '/after')] }, EUR));
    expect(written).not.toContain(name);
    expect((await asked.expectEqual(listOf([kept, pageGoal('goal_B', '/after')], range))).read).toEqual(['day_goals']);
  });

  test('a count that comes too late removes nothing but itself', async () => {
    const range = { from: FIRST_DAY, to: FIRST_DAY + DAY_MS };
    const looked = pageGoal('goal_A', '/looked-up');
    const late = pageGoal('goal_B', '/too-late');
    const rowsOf = async (goal: Goal) => {
      const name = nameOf({ label: '', goals: [goal] }, EUR);
      const sql = 'SELECT count() AS n FROM day_goals FINAL WHERE goal = {name:String}';
      return Number((await store.query<{ n: string }>(sql, { name }))[0]?.n);
    };
    const first = opened(() => undefined);
    await first.asked.ask(listOf([looked], range));
    await first.own.settled();
    const event = visitedEvent(makeEvent({ time: range.from + 5, visitor: 'meanwhile' }));
    const disturbed = opened(() => store.insert({ events: [event], ai_visits: [] }, 'meanwhile'));
    await disturbed.asked.ask(listOf([late], range));
    await disturbed.own.settled();
    expect([await rowsOf(looked), await rowsOf(late)]).toEqual([1, 0]);
    versions.stored([event]);
    expect(await sum()).toBe(1);
  });

  test('a day on which too much is counted is looked at once', async () => {
    const range = { from: FIRST_DAY + DAY_MS, to: FIRST_DAY + 2 * DAY_MS };
    await store.derive({
      sql: `INSERT INTO day_goals (site_id, day, summing, goal) SELECT site_id, day, summing, concat('old_', toString(number))
        FROM (SELECT * FROM summed_days FINAL WHERE site_id = {site_id:String} AND day = {day:Date}) AS summed, numbers(1001) AS old`,
      bound: { site_id: SITE, day: dayOf(range.from) },
    });
    const { own, queries, asked } = opened(() => undefined);
    const select = listOf([pageGoal('goal_A', '/one-more')], range);
    for (let time = 0; time < 3; time += 1) {
      expect((await asked.expectEqual(select)).read).toEqual([]);
      await own.settled();
    }
    expect(queries).toHaveLength(1);
  });

  test('what is asked after the end is not counted', async () => {
    const { own, asked } = opened(() => expect.unreachable());
    await own.close();
    await asked.expectEqual(listOf([pageGoal('goal_A', '/ended')], whole));
    await own.settled();
  });
});

test('a name stands for what is counted', () => {
  const money = { currency: 'EUR', max_amount: 100 };
  const a: GoalDefinition = { kind: 'event', event: 'a', props: { x: '1', y: '2' } };
  const b: GoalDefinition = { kind: 'page', page: 'a' };
  const of = (...goals: GoalDefinition[]) => nameOf({ label: 'any', goals }, money);
  expect(of(a, b)).toBe(of(b, a, b));
  expect(of(a)).toBe(of({ ...a, props: { y: '2', x: '1' } }));
  const others = [of(), of(a), of(b), of(a, b), of({ ...a, props: {} }), of({ kind: 'scroll', page: 'a', scroll: 1 })];
  const ofMoney = [
    { ...money, currency: 'USD' },
    { ...money, max_amount: 1 },
  ].map((one) => nameOf(ALL_PAYMENTS, one));
  expect(new Set([...others, of({ kind: 'time', page: 'a', seconds: 1 }), ...ofMoney]).size).toBe(9);
});

test('what a store without counts answers is the same', async () => {
  const select: Select = { scope: scopeFor(drawGoals(3), { from: FIRST_DAY, to: END }), metrics: ['conversions'] };
  const reader = openBoth(store, versions);
  await reader.expectEqual(select);
  const { sql, bound } = buildSelect(select);
  expect(await store.query(sql, bound)).toHaveLength(1);
});
