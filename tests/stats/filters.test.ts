/** @module-tag long */
// Filters, checked against a slow count in memory: every pair of dimensions, every operator and metric, over random events. The short form asks
// one kind of question about each pair, in turns.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AiVisit, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { type Dimension, DIMENSION_NAMES } from '../../server/vocabulary/questions/dimensions.ts';
import { METRIC_NAMES, type Metric, metricRow, sourceOfMetric } from '../../server/vocabulary/numbers/metrics.ts';
import { hasReading, isOfReading, isOfWholeVisits, splitsVisits } from '../../server/stats/sql/combination.ts';
import type { Goal } from '../../server/stats/sql/goals.ts';
import type { SavedFunnel } from '../../server/stats/funnels/funnel-sql.ts';
import type { Filter } from '../../server/stats/query.ts';
import { FURTHEST_STEP } from '../../server/vocabulary/questions/furthest-step.ts';
import { operatorsOf, type PlainDimension, type PlainFilter } from '../../server/vocabulary/questions/segments.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { DAY_MS, dayOf, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeAiVisit, SITE } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { openTurns, seedOf, sized } from '../setup/run/harness.ts';
import { drawEvents } from '../setup/stats/random-events.ts';
import {
  type Counts,
  markFunnels,
  markGoals,
  slowAiTotals,
  slowHours,
  slowHoursOf,
  slowList,
  slowTotals,
  valuesOf,
} from '../setup/stats/reference-counts.ts';

const FIRST_DAY = Date.UTC(2026, 10, 16);
const DAYS = 3;
const NOW = FIRST_DAY + DAYS * DAY_MS + 60 * MINUTE_MS;
const site = EURO_SHOP;
const random = openRandom(seedOf(71_510));

const isOfAi = (dimension: Dimension) => dimension.startsWith('ai_');
const OF_PEOPLE: Dimension[] = [...DIMENSION_NAMES.filter((name) => !isOfAi(name)), 'prop:plan'];
/** All dimensions that people can be filtered by, including the one that has no list of its own. */
const FILTERED: PlainDimension[] = [...OF_PEOPLE, FURTHEST_STEP];
const OF_AI = DIMENSION_NAMES.filter(isOfAi);
const METRICS_OF_PEOPLE = METRIC_NAMES.filter((metric) => sourceOfMetric(metric) === 'events');

/** One of each kind, one that is never reached, and two that the same event can reach. */
const GOALS: Goal[] = [
  { id: 'goal_A', kind: 'event', event: 'signup', props: {} },
  { id: 'goal_B', kind: 'event', event: 'purchase', props: { plan: 'pro' } },
  { id: 'goal_AB', kind: 'event', event: 'purchase', props: {} },
  { id: 'goal_C', kind: 'page', page: '/blog/**' },
  { id: 'goal_D', kind: 'scroll', page: '/**', scroll: 50 },
  { id: 'goal_E', kind: 'time', page: '/pricing', seconds: 30 },
  { id: 'goal_F', kind: 'event', event: 'never', props: {} },
];

const page = (page: string) => ({ kind: 'page' as const, page });
const event = (event: string) => ({ kind: 'event' as const, event, props: {} });
const FUNNELS: SavedFunnel[] = [
  {
    id: 'funnel_A',
    within: 'visit',
    order: 'any_between',
    steps: [page('/**'), page('/blog/**'), event('purchase')],
  },
  { id: 'funnel_B', within: 'day', order: 'any', steps: [page('/pricing'), event('signup')] },
  { id: 'funnel_C', within: 'visit', order: 'strict', steps: [page('/**'), page('/**'), event('never')] },
];

let store: TestStore;
let stats: Stats;
const rows: VisitedEvent[] = [];
const ai: AiVisit[] = [];
const used = new Map<string, Set<string>>();

beforeAll(async () => {
  store = await testStore();
  // Nothing is stored in between, so that the answer cache answers repeated questions.
  stats = openStats(store, () => 1, {
    goalsOf: () => Promise.resolve(GOALS),
    funnelsOf: () => Promise.resolve(FUNNELS),
  });
  const visits = openVisits(store);
  rows.push(
    ...drawEvents(random, { from: FIRST_DAY, days: DAYS }).flatMap((event) => visits.assign(event, event.time) ?? []),
  );
  markGoals(rows, GOALS);
  markFunnels(rows, FUNNELS);
  for (let index = 0; index < 60; index += 1)
    ai.push(
      makeAiVisit({
        time: FIRST_DAY + random.number(DAYS * DAY_MS),
        ai_provider: random.pick(['OpenAI', 'Anthropic']),
        ai_agent: random.pick(['GPTBot', 'ClaudeBot', 'ChatGPT-User']),
        ai_purpose: random.pick(['crawler', 'search', 'user'] as const),
        ai_page: random.pick(['/', '/pricing', '/blog']),
        status: random.pick([200, 404, 503, 0]),
      }),
    );
  await store.insert({ events: rows, ai_visits: ai }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

/** A filter on existing values, with the operator that this dimension has been asked with least often. */
function drawFilter(dimension: PlainDimension): PlainFilter {
  const asked = used.get(dimension) ?? new Set<string>();
  used.set(dimension, asked);
  const operators = operatorsOf(dimension);
  const operator = operators.find((one) => !asked.has(one)) ?? random.pick(operators);
  asked.add(operator);
  const of = dimension !== FURTHEST_STEP && isOfAi(dimension) ? ai : rows;
  const values = Array.from({ length: 1 + random.number(2) }, () => {
    const found = of.flatMap((row) => valuesOf(row, dimension, of));
    const value = random.pick(found);
    return operator.startsWith('contains') && value.length > 2 ? value.slice(1).toUpperCase() : value;
  });
  return { dimension, operator, values };
}

const period = {
  site_id: SITE,
  period: 'custom' as const,
  date_from: '2026-11-16',
  date_to: '2026-11-18',
  compare: 'none' as const,
};

/** The reference divides in another order, so ratios are compared to nine digits. */
const rounded = (counts: Counts, metrics: readonly Metric[]) =>
  metrics.map((metric) => [metric, Number((counts[metric] ?? 0).toPrecision(9))]);

/**
 * Goal metrics are slow to count: they are checked with every filter by goal and every list of goals, and only now and then with others.
 */
function drawMetrics(filters: Filter[], dimension?: Dimension): Metric[] {
  const isAboutGoals = dimension === 'goal' || filters.some((filter) => filter.dimension === 'goal');
  const hasGoals = isAboutGoals || random.chance(0.1);
  return hasGoals ? METRICS_OF_PEOPLE : METRICS_OF_PEOPLE.filter((metric) => !metricRow(metric).isOfGoals);
}

async function compareTotals(filters: Filter[]) {
  const metrics = drawMetrics(filters);
  const { values } = await stats.totals({ ...period, filters, metrics }, site, NOW);
  expect(rounded(values, metrics), JSON.stringify(filters)).toEqual(rounded(slowTotals(rows, filters), metrics));
}

/** Bounces and durations belong to whole visits, reading figures to page views. For anything else they are refused. */
const fits = (metric: Metric, dimension: Dimension) =>
  !(isOfWholeVisits(metric) && splitsVisits(dimension)) && !(isOfReading(metric) && !hasReading(dimension));

async function compareList(filters: Filter[], dimension: Dimension) {
  const metrics = drawMetrics(filters, dimension).filter((metric) => fits(metric, dimension));
  const asked = {
    dimension,
    metrics,
    page: 1,
    per_page: 1000,
    order: { by: 'name' as const, direction: 'asc' as const },
  };
  const list = await stats.list({ ...period, filters, ...asked }, site, NOW);
  const expected = [...slowList(rows, filters, dimension)]
    .filter(([, counts]) => metrics.some((metric) => counts[metric]))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const about = `${dimension} of ${JSON.stringify(filters)}`;
  expect(
    list.rows.map(({ name, values }) => [name, rounded(values, metrics)]),
    about,
  ).toEqual(expected.map(([name, counts]) => [name, rounded(counts, metrics)]));
  expect(list.total, about).toBe(expected.length);
  if (dimension === 'goal') await compareSums(filters);
}

/** A list of goals has the sums over all goals, in which an event that reaches several goals counts once. */
async function compareSums(filters: Filter[]) {
  const totals = slowTotals(rows, filters);
  for (const metric of ['conversions', 'converted_visitors', 'revenue'] as const) {
    const asked = { dimension: 'goal' as const, metrics: [metric], page: 1, per_page: 1 };
    const { sum } = await stats.breakdown({ ...period, filters, ...asked }, site, NOW);
    expect(rounded({ [metric]: sum }, [metric]), JSON.stringify(filters)).toEqual(rounded(totals, [metric]));
  }
}

/** A metric asked for alone equals the same metric among others, although a simpler query may then answer it. */
async function compareAlone(filters: Filter[], dimension: Dimension, metric: Metric) {
  if (!fits(metric, dimension)) return;
  const asked = { dimension, metrics: [metric], page: 1, per_page: 1000 };
  const list = await stats.list({ ...period, filters, ...asked }, site, NOW);
  const expected = [...slowList(rows, filters, dimension)].filter(([, counts]) => counts[metric]);
  const found = list.rows.map(({ name, values }) => [name, ...rounded(values, [metric])]);
  expect(found.sort(), `${metric} by ${dimension} of ${JSON.stringify(filters)}`).toEqual(
    expected.map(([name, counts]) => [name, ...rounded(counts, [metric])]).sort(),
  );
}

async function compareSeries(filters: Filter[], metric: Metric) {
  const about = `${metric} by hour of ${JSON.stringify(filters)}`;
  const question = { ...period, filters, metric, interval: 'hour' as const };
  const { points } = await stats.timeseries(question, site, NOW);
  const hours = slowHours(rows, filters);
  expect(
    points.map(({ time, value }) => [time, rounded({ [metric]: value }, [metric])]),
    about,
  ).toEqual(points.map(({ time }) => [time, rounded(hours.get(time) ?? {}, [metric])]));
}

async function compareDays(filters: Filter[], metric: Metric) {
  const question = { ...period, filters, metric, interval: 'day' as const };
  const { points } = await stats.timeseries(question, site, NOW);
  const dayOf = (time: number) => rows.filter((row) => row.time >= time && row.time < time + DAY_MS);
  expect(
    points.map(({ value }) => rounded({ [metric]: value }, [metric])),
    `${metric} by day of ${JSON.stringify(filters)}`,
  ).toEqual(points.map(({ time }) => rounded(slowTotals(dayOf(time), filters), [metric])));
}

/** Every row of a list over time: by the day, which is usual for the period, and by the hour of two of the days. */
async function compareTrends(filters: Filter[], { dimension, metric }: { dimension: Dimension; metric: Metric }) {
  const rowsOf = (time: number, length: number) => rows.filter((row) => row.time >= time && row.time < time + length);
  const names = [...slowList(rows, filters, dimension).keys(), 'nowhere'];
  const question = { ...period, filters, dimension, metric, names };
  const about = (interval: string) => `${metric} of each ${dimension} by ${interval}, ${JSON.stringify(filters)}`;
  const [days, hours] = await Promise.all([
    stats.trends(question, site, NOW),
    stats.trends({ ...question, date_to: dayOf(FIRST_DAY + DAY_MS), interval: 'hour' }, site, NOW),
  ]);
  const byDay = days.times.map((time) => slowList(rowsOf(time, DAY_MS), filters, dimension));
  const byHour = slowHoursOf(rowsOf(FIRST_DAY, 2 * DAY_MS), filters, dimension);
  const expected = (trends: typeof days, countsOf: (name: string, index: number, time: number) => Counts | undefined) =>
    names.map((name) => ({
      name,
      values: trends.times.map((time, index) => rounded(countsOf(name, index, time) ?? {}, [metric])[0]?.[1]),
    }));
  const found = (trends: typeof days) =>
    trends.rows.map(({ name, values }) => ({
      name,
      values: values.map((value) => rounded({ [metric]: value }, [metric])[0]?.[1]),
    }));
  expect([days.interval, days.times.length, hours.interval, hours.times.length]).toEqual(['day', DAYS, 'hour', 48]);
  expect(found(days), about('day')).toEqual(expected(days, (name, index) => byDay[index]?.get(name)));
  expect(found(hours), about('hour')).toEqual(expected(hours, (name, _, time) => byHour.get(name)?.get(time)));
}

test('without filters, the totals of whole days match a slow count', async () => {
  const { values } = await stats.totals({ ...period, filters: [], metrics: METRICS_OF_PEOPLE }, site, NOW);
  expect(rounded(values, METRICS_OF_PEOPLE)).toEqual(rounded(slowTotals(rows, []), METRICS_OF_PEOPLE));
});

type Ask = () => Promise<void>;
const nothing: Ask = () => Promise.resolve();
const all = (asks: Ask[]) => Promise.all(asks.map((ask) => ask()));

describe('filters on two dimensions match a slow count', () => {
  const ofPair = openTurns<Ask>();
  test.each(FILTERED)('%s', async (dimension) => {
    const metrics = METRICS_OF_PEOPLE.values();
    for (const other of FILTERED.slice(FILTERED.indexOf(dimension))) {
      const [one, another] = [drawFilter(dimension), drawFilter(other)];
      const metric = metrics.next().value ?? random.pick(METRICS_OF_PEOPLE);
      const both = [one, another];
      await all(
        ofPair(
          () => compareTotals(both),
          other === FURTHEST_STEP ? () => compareTotals(both) : () => compareList(both, other),
          () => random.pick([compareSeries, compareDays])(both, metric),
          dimension === FURTHEST_STEP ? () => compareTotals(both) : () => compareList(both, dimension),
        ),
      );
    }
    const ofMetric = openTurns<Ask>(FILTERED.indexOf(dimension));
    for (const metric of METRICS_OF_PEOPLE) {
      const filters = [drawFilter(dimension)];
      const by = random.pick(OF_PEOPLE);
      await all(
        ofMetric(
          () => compareAlone(filters, by, metric),
          () => compareDays(filters, metric),
          nothing, // the short form asks for each metric under some of the dimensions
        ),
      );
    }
  });

  test.each(OF_AI)('%s', async (dimension) => {
    for (const other of OF_AI) {
      const filters = [drawFilter(dimension), drawFilter(other)];
      const { values } = await stats.totals({ ...period, filters, metrics: ['ai_visits'] }, site, NOW);
      expect(values, JSON.stringify(filters)).toEqual(slowAiTotals(ai, filters));
      const list = await stats.list(
        { ...period, filters, dimension: other, metrics: ['ai_visits'], page: 1, per_page: 1000 },
        site,
        NOW,
      );
      const sum = list.rows.reduce((total, { values: own }) => total + (own.ai_visits ?? 0), 0);
      expect(sum, JSON.stringify(filters)).toBe(values.ai_visits);
    }
  });

  test('every dimension was asked with every operator', () => {
    for (const dimension of [...FILTERED, ...OF_AI])
      expect([dimension, [...(used.get(dimension) ?? [])].sort()]).toEqual([
        dimension,
        [...operatorsOf(dimension)].sort(),
      ]);
  });
});

test('three filters at once, two of them on the same dimension', async () => {
  for (const dimension of OF_PEOPLE)
    await compareTotals([drawFilter(dimension), drawFilter('page'), drawFilter('event'), drawFilter(dimension)]);
});

describe('segments', () => {
  /** Filters on these narrow rows, or look at all rows of a visit. */
  const OF_ROWS: PlainDimension[] = ['page', 'hostname', 'event', 'prop:plan', 'exit_page', FURTHEST_STEP];
  /** Counts whose parts add up to the whole. */
  const ADDED: Metric[] = ['visits', 'pageviews', 'events', 'orders', 'implausible_orders'];
  const drawSegment = () =>
    Array.from({ length: 1 + random.number(3) }, () =>
      drawFilter(random.pick(random.chance(0.5) ? OF_ROWS : OF_PEOPLE)),
    );
  const inSegments = (operator: 'is' | 'is_not', segments: PlainFilter[][]): Filter => ({
    dimension: 'segment',
    operator,
    values: segments.map((_own, index) => `segment_${index}`),
    segments,
  });

  const ofSegment = openTurns<Ask>();
  test('a filter by one segment, by several or by none of them, together with another filter, matches a slow count', async () => {
    for (const operator of ['is', 'is_not'] as const)
      for (const many of [1, 2])
        for (const dimension of OF_ROWS) {
          const own = inSegments(operator, Array.from({ length: many }, drawSegment));
          const filters = [own, drawFilter(dimension)];
          const metric = random.pick(METRICS_OF_PEOPLE);
          await all(
            ofSegment(
              () => compareTotals([own]),
              () => compareTotals(filters),
              () => compareList(filters, random.pick(OF_PEOPLE)),
              () => random.pick([compareSeries, compareDays])(filters, metric),
              () => compareAlone([own], random.pick(OF_PEOPLE), metric),
            ),
          );
        }
  });

  test('“in A and not in B” is A minus the visits that are in both', async () => {
    for (let draw = 0; draw < sized({ short: 3, long: 8 }); draw += 1) {
      const [a, b] = [drawSegment(), drawSegment()];
      const [inA, inB] = [inSegments('is', [a]), inSegments('is', [b])];
      await compareTotals([inA, inSegments('is_not', [b])]);
      const counted = async (filters: Filter[]) => {
        const { values } = await stats.totals({ ...period, filters, metrics: ADDED }, site, NOW);
        return ADDED.map((metric) => values[metric] ?? 0);
      };
      const [whole, both, rest] = [
        await counted([inA]),
        await counted([inA, inB]),
        await counted([inA, inSegments('is_not', [b])]),
      ];
      expect(rest, JSON.stringify([a, b])).toEqual(whole.map((value, index) => value - (both[index] ?? 0)));
    }
  });

  test('are compared with one another in tiles, lists and the chart, in the same period', async () => {
    for (let draw = 0; draw < sized({ short: 2, long: 4 }); draw += 1) {
      const [filters, versus] = [drawSegment(), drawSegment()];
      const metrics = METRICS_OF_PEOPLE;
      const { compare, metrics: tiles } = await stats.summary({ ...period, filters, versus }, site, NOW);
      expect(compare).toEqual({ date_from: period.date_from, date_to: period.date_to, counted_since: null });
      const previous = Object.fromEntries(tiles.map((tile) => [tile.name, tile.previous ?? 0]));
      const [own, other] = [slowTotals(rows, filters), slowTotals(rows, versus)];
      const shown = metrics.filter((metric) => metric in previous);
      expect(rounded(previous, shown)).toEqual(rounded(other, shown));
      // Conversions and reading figures appear only when the question is about them.
      const usual = metrics.filter((metric) => !metricRow(metric).isOfGoals && !isOfReading(metric));
      expect(usual.filter((metric) => (own[metric] || other[metric]) && !shown.includes(metric))).toEqual([]);

      const asked = { dimension: 'country' as const, metrics: ['visits' as const], page: 1, per_page: 100 };
      const list = await stats.breakdown({ ...period, ...asked, filters, versus }, site, NOW);
      const expected = slowList(rows, versus, 'country');
      expect(list.rows.map((row) => [row.name, row.previous?.visits])).toEqual(
        list.rows.map((row) => [row.name, expected.get(row.name)?.visits ?? 0]),
      );

      const chart = await stats.timeseries(
        { ...period, filters, versus, metric: 'visits', interval: 'hour' },
        site,
        NOW,
      );
      const hours = slowHours(rows, versus);
      expect(chart.previous?.map(({ time, value }) => [time, value])).toEqual(
        chart.points.map(({ time }) => [time, hours.get(time)?.visits ?? 0]),
      );
    }
  });
});

const COUNTED: Metric[] = ['unique_visitors', 'visits', 'pageviews', 'events', 'revenue', 'conversions'];

/** A list of events, for example, sums the page views of whole visits, which do not belong to a single hour. */
const isCountedInBuckets = (metric: Metric, dimension: Dimension) =>
  !(metric === 'pageviews' && splitsVisits(dimension) && dimension !== 'page' && dimension !== 'hostname') &&
  !(metric === 'conversions' && splitsVisits(dimension) && dimension !== 'goal');

test.each(OF_PEOPLE)('the trends of each %s match a slow count', async (dimension) => {
  const metrics = COUNTED.filter((metric) => isCountedInBuckets(metric, dimension));
  await compareTrends([], { dimension, metric: random.pick(metrics) });
  await compareTrends([drawFilter(random.pick(FILTERED))], { dimension, metric: random.pick(metrics) });
});

test('a metric of whole visits has no trends', async () => {
  const question = { ...period, filters: [], dimension: 'page' as const, names: ['/'] };
  for (const metric of METRIC_NAMES.filter(isOfWholeVisits))
    await expect(stats.trends({ ...question, metric }, site, NOW), metric).rejects.toThrow('whole visits');
});
