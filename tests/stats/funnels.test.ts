// Funnels, checked against a slow count in memory over random events.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../../server/vocabulary/questions/dimensions.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES, type GoalDefinition } from '../../server/vocabulary/questions/goals.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { splitsVisits } from '../../server/stats/sql/combination.ts';
import type { Funnel } from '../../server/stats/funnels/funnel-sql.ts';
import type { FunnelFigures } from '../../server/stats/funnels/funnel.ts';
import type { Filter } from '../../server/stats/query.ts';
import { MAX_STEPS } from '../../server/vocabulary/limits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { EURO_SHOP, makeEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { outcome } from '../setup/outcome.ts';
import { keepsVisit, valuesOf } from '../setup/stats/reference-counts.ts';
import { followAll, slowLeft, type SlowStep, slowSteps } from '../setup/stats/reference-funnels.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 16);
const DAYS = 2;
const NOW = FIRST_DAY + DAYS * DAY_MS;
const random = openRandom(4_711);
const asked = { site: EURO_SHOP, now: NOW };
const question = {
  site_id: SITE,
  period: 'custom' as const,
  date_from: '2026-11-16',
  date_to: '2026-11-17',
  compare: 'none' as const,
  filters: [] as Filter[],
};

const TAGS = ['referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];

let store: TestStore;
let stats: Stats;
const rows: VisitedEvent[] = [];

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1); // nothing is stored meanwhile
  const events = Array.from({ length: DAYS * 60 }, (_, person) => {
    const start = FIRST_DAY + (person % DAYS) * DAY_MS;
    let time = start + random.number(10 * 3_600_000);
    const own = {
      visitor: `v${person}`,
      country: random.pick(['DE', 'FR', 'US']),
      browser: random.pick(['Firefox', 'Chrome']),
    };
    return Array.from({ length: 1 + random.number(14) }, () => {
      // Several rows of one millisecond, and several visits of one day.
      const isSameMoment = random.chance(0.2);
      const waitMs = random.chance(0.1) ? 40 * 60_000 : 1 + random.number(60_000);
      time += isSameMoment ? 0 : waitMs;
      const views = isSameMoment ? [] : ['pageview', 'pageview', 'pageview', 'pageview'];
      const name = random.pick([...views, 'engagement', 'signup', 'purchase']);
      const isEngagement = name === 'engagement';
      return makeEvent({
        ...own,
        id: String(random.number(1e8)),
        time,
        name,
        interactive: !isEngagement,
        page: random.pick(['/', '/', '/pricing', '/docs/a', '/docs/b']),
        ...(isEngagement ? { engaged_ms: random.number(20_000), scroll: random.number(101) } : {}),
        props: name === 'signup' ? { plan: random.pick(['pro', 'free']) } : {},
        source: random.pick(['Google', 'Bing', '']),
        ...Object.fromEntries(TAGS.map((tag) => [tag, random.pick(['', 'a', 'b'])])),
        city: 'Berlin',
        device: random.pick(['mobile', 'desktop'] as const),
      });
    });
  }).flat();
  const ofServers = Array.from({ length: 20 }, () => makeEvent({ visitor: '', time: FIRST_DAY, name: 'signup' }));
  const visits = openVisits(store);
  const sorted = [...events, ...ofServers].sort((one, other) => one.time - other.time);
  rows.push(...sorted.flatMap((event) => visits.assign(event, event.time) ?? []));
  await store.insert({ events: rows, ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

const CONDITIONS: GoalDefinition[] = [
  { kind: 'page', page: '/' },
  { kind: 'page', page: '/pricing' },
  { kind: 'page', page: '/docs/**' },
  { kind: 'page', page: '/**' },
  { kind: 'event', event: 'signup', props: {} },
  { kind: 'event', event: 'signup', props: { plan: 'pro' } },
  { kind: 'event', event: 'purchase', props: {} },
  { kind: 'scroll', page: '/**', scroll: 50 },
  { kind: 'time', page: '/docs/*', seconds: 10 },
];
const drawSteps = (count: number) => Array.from({ length: count }, () => random.pick(CONDITIONS));

const counted = (steps: readonly Omit<FunnelFigures['steps'][number], 'previous'>[]) =>
  steps.map(({ visitors, visits, median_time }) => ({ visitors, visits, median_time }));

const kept = (filters: readonly Filter[]) =>
  [...Map.groupBy(rows, ({ visit_id }) => visit_id).values()]
    .filter((visit) => filters.every((filter) => keepsVisit(filter, visit)))
    .flat();

const SHAPES = FUNNEL_SCOPES.flatMap((within) => FUNNEL_ORDERS.map((order) => ({ within, order })));

describe.each(SHAPES)('a funnel within a $within, in the order $order, matches a slow count', ({ within, order }) => {
  test('of its steps, and of those who left', async () => {
    let deepest = 0;
    for (let round = 0; round < 8; round += 1) {
      const funnel: Funnel = { within, order, steps: drawSteps(round === 0 ? MAX_STEPS : 2 + random.number(3)) };
      const followed = followAll(rows, funnel);
      const { steps } = await stats.funnel(question, funnel, asked);
      expect(counted(steps), JSON.stringify(funnel)).toEqual(slowSteps(followed, funnel));
      expect(await stats.left(question, funnel, asked), JSON.stringify(funnel)).toEqual(slowLeft(followed, funnel));
      if ((steps.at(-1)?.visitors ?? 0) > 0) deepest += 1;
    }
    expect(deepest).toBeGreaterThan(2); // most random funnels are completed by somebody, since zeros would prove nothing
  });

  test.each<Filter[]>([
    [{ dimension: 'source', operator: 'is', values: ['Google', ''] }],
    [{ dimension: 'page', operator: 'is', values: ['/pricing'] }],
    [{ dimension: 'event', operator: 'is_not', values: ['purchase'] }],
    [{ dimension: 'exit_page', operator: 'contains', values: ['docs'] }],
  ])('under a filter: %j', async (filter) => {
    const filters = [filter];
    const funnel: Funnel = { within, order, steps: [...drawSteps(2), { kind: 'page', page: '/**' }] };
    const { steps } = await stats.funnel({ ...question, filters }, funnel, asked);
    expect(counted(steps), JSON.stringify(funnel)).toEqual(slowSteps(followAll(kept(filters), funnel), funnel));
  });

  test('split by each dimension of visits', async () => {
    for (const by of DIMENSION_NAMES.filter((name) => sourceOf(name) === 'events' && !splitsVisits(name))) {
      const funnel: Funnel = { within, order, steps: [{ kind: 'page', page: '/**' }, ...drawSteps(1)] };
      const { rows: found } = await stats.funnel({ ...question, by }, funnel, asked);
      expect(
        found.map(({ name, steps }) => [name, counted(steps)]),
        `${by} ${JSON.stringify(funnel)}`,
      ).toEqual(slowSplit(rows, funnel, by));
      expect(found.length, by).toBeGreaterThan(0);
    }
  });
});

/** Each group counts for the visit in which it first took step 1. */
function slowSplit(of: VisitedEvent[], funnel: Funnel, by: Dimension): [string, SlowStep[]][] {
  const visits = Map.groupBy(of, ({ visit_id }) => visit_id);
  const isOptional = new Set(['entry_page', 'exit_page', 'channel', 'referrer', 'utm_source', 'region', 'city']);
  const values = Map.groupBy(followAll(of, funnel), ({ group }) => {
    const [first] = group.filter(({ name }) => name === 'pageview').sort((one, other) => one.time - other.time);
    return first ? (valuesOf(first, by, visits.get(first.visit_id) ?? [])[0] ?? '') : '';
  });
  return [...values]
    .filter(([name]) => name !== '' || !(isOptional.has(by) || by.startsWith('utm_')))
    .map(([name, followed]) => ({ name, steps: slowSteps(followed, funnel) }))
    .sort(
      (one, other) =>
        (other.steps[0]?.visitors ?? 0) - (one.steps[0]?.visitors ?? 0) || (one.name < other.name ? -1 : 1),
    )
    .slice(0, 10)
    .map(({ name, steps }) => [name, steps]);
}

test('each value of a split is compared with itself in the other period', async () => {
  const funnel: Funnel = {
    within: 'visit',
    order: 'any_between',
    steps: [
      { kind: 'page', page: '/**' },
      { kind: 'page', page: '/pricing' },
    ],
  };
  const lastDay = { ...question, date_from: '2026-11-17', compare: 'previous' as const };
  const ofDay = (day: number) => rows.filter(({ time }) => Math.floor((time - FIRST_DAY) / DAY_MS) === day);
  const before = new Map(slowSplit(ofDay(0), funnel, 'utm_source'));
  const { rows: found } = await stats.funnel({ ...lastDay, by: 'utm_source' }, funnel, asked);
  expect(found.map(({ name, steps }) => [name, counted(steps)])).toEqual(slowSplit(ofDay(1), funnel, 'utm_source'));
  expect(found.map(({ steps }) => counted(steps.flatMap(({ previous }) => previous ?? [])))).toEqual(
    found.map(({ name }) => before.get(name)),
  );
  // `previous` is 0 where nobody is in the compared group, and null without a comparison.
  const filters: Filter[] = [{ dimension: 'page', operator: 'is', values: ['/nowhere'] }];
  const versus = await stats.funnel({ ...lastDay, by: 'utm_source', versus: filters }, funnel, asked);
  expect(versus.rows[0]?.steps.map(({ previous }) => previous?.visitors)).toEqual([0, 0]);
  const alone = await stats.funnel({ ...lastDay, compare: 'none', by: 'utm_source' }, funnel, asked);
  expect(alone.rows[0]?.steps.map(({ previous }) => previous)).toEqual([null, null]);
});

test('percentages refer to the first step and to the step before, and the comparison covers the previous days', async () => {
  const steps: GoalDefinition[] = [
    { kind: 'page', page: '/**' },
    { kind: 'page', page: '/pricing' },
    { kind: 'event', event: 'never', props: {} },
    { kind: 'page', page: '/' },
  ];
  const funnel: Funnel = { within: 'visit', order: 'any_between', steps };
  const lastDay = { ...question, date_from: '2026-11-17', compare: 'previous' as const };
  const answer = await stats.funnel(lastDay, funnel, asked);
  expect(answer.compare).toEqual({ date_from: '2026-11-16', date_to: '2026-11-16', counted_since: null });
  const [first, second, third, fourth] = answer.steps;
  const ofDay = (day: number) => rows.filter(({ time }) => Math.floor((time - FIRST_DAY) / DAY_MS) === day);
  const before = slowSteps(followAll(ofDay(0), funnel), funnel);
  expect(counted(answer.steps)).toEqual(slowSteps(followAll(ofDay(1), funnel), funnel));
  expect(counted(answer.steps.flatMap(({ previous }) => previous ?? []))).toEqual(before);
  expect(first).toMatchObject({ drop_off: null, rate: 100 });
  const rate = (100 * (second?.visitors ?? 0)) / (first?.visitors ?? 1);
  expect(second).toMatchObject({ rate, drop_off: 100 - rate });
  expect(third).toMatchObject({ visitors: 0, rate: 0, drop_off: 100, median_time: null });
  expect(fourth).toMatchObject({ visitors: 0, rate: 0, drop_off: 0, median_time: null });
});

test.each(['page', 'event', 'prop:plan', 'ai_agent'] as const)(
  'a split by %s is refused: it has no visits of its own',
  async (by) => {
    const funnel: Funnel = { within: 'visit', order: 'any', steps: drawSteps(2) };
    expect(await outcome(stats.funnel({ ...question, by }, funnel, asked))).toMatch(
      /^bad_request: (by|filters): must be|^bad_request: by/,
    );
  },
);
