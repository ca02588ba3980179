/** @module-tag long */
// Filtered questions about closed days, checked against the events: random filters on every dimension, alone, together and in segments.
import { beforeAll, describe, expect, test } from 'vitest';
import type { VisitedEvent } from '../../../server/vocabulary/event.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import { isOfReading, isOfWholeVisits, splitsVisits } from '../../../server/stats/sql/combination.ts';
import { SUMMED_DIMENSIONS } from '../../../server/stats/days/summed-days.ts';
import type { Filter } from '../../../server/stats/query.ts';
import type { Scope } from '../../../server/stats/sql/scope.ts';
import type { Select } from '../../../server/stats/sql/sql.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { METRIC_NAMES, metricRow, sourceOfMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Range } from '../../../server/vocabulary/time/periods.ts';
import type { PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { openBoth } from '../../setup/stats/closed-days.ts';
import { EURO_SHOP, makeEvent, SITE, visitedEvent } from '../../setup/event.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { sized } from '../../setup/run/harness.ts';
import { drawEvents } from '../../setup/stats/random-events.ts';
import { drawFilterOn } from '../../setup/stats/random-filters.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 4;
const END = FIRST_DAY + DAYS * DAY_MS;
const NOW = END + 9 * HOUR_MS;

const random = openRandom(90_210);
const versions = openVersions();
let store: TestStore;
let both: ReturnType<typeof openBoth>;
const rows: VisitedEvent[] = [];

const sum = () => {
  const fail = (error: unknown) => {
    throw error;
  };
  // The visits of a day are written in several slices, as on a large site.
  return openSumming({ store, versions, onFailed: fail })({ now: NOW, leastRows: 1, eventsAtOnce: 40 });
};

beforeAll(async () => {
  store = await testStore();
  both = openBoth(store, versions);
  const visits = openVisits(store);
  const drawn = drawEvents(random, { from: FIRST_DAY, days: DAYS });
  rows.push(...drawn.flatMap((event) => visits.assign(event, event.time) ?? []));
  await store.insert({ events: rows, ai_visits: [] }, 'all');
  // Payments that do not count, on events that do and on events that do not.
  const paid = rows.filter(({ currency }) => currency !== '').slice(0, 12);
  await store.supersede(
    paid.map(({ site_id, event_id, time }, index) => ({ site_id, event_id, time, replaced: index % 2 === 0 })),
  );
  expect(await sum()).toBe(DAYS);
  return () => store[Symbol.asyncDispose]();
});

const METRICS = METRIC_NAMES.filter(
  (metric) => sourceOfMetric(metric) === 'events' && !metricRow(metric).isOfGoals && !isOfReading(metric),
);
/** Whole days, and days with parts of others at both ends. */
const RANGES: Range[] = [
  { from: FIRST_DAY, to: END },
  { from: FIRST_DAY + DAY_MS / 2, to: END - 7 * HOUR_MS },
  { from: FIRST_DAY - 2 * DAY_MS, to: END },
];

const drawFilter = (dimension: Dimension) => drawFilterOn(dimension, { random, rows });

const scopeFor = (filters: Filter[]): Scope => ({
  site_id: SITE,
  range: random.pick(RANGES),
  filters,
  currency: random.pick(['EUR', 'USD']),
  max_amount: random.pick([EURO_SHOP.max_amount, 50]),
});

const expectFromVisits = async (select: Select) => {
  const { read, about, rows: found } = await both.expectEqual(select);
  expect(read, about).toEqual(['day_visits']);
  return found;
};

/** A page view in a list of events is that of a whole visit, which needs the events. */
const metricsBy = (dimension: Dimension) =>
  METRICS.filter(
    (metric) =>
      !(isOfWholeVisits(metric) && splitsVisits(dimension)) &&
      !(dimension === 'event' && ['pageviews', 'views_per_visit'].includes(metric)),
  );

async function askEverything(filters: Filter[], by: Dimension) {
  const scope = scopeFor(filters);
  await expectFromVisits({ scope, metrics: METRICS });
  await expectFromVisits({ scope, metrics: ['time_on_page', 'scroll_depth'], withReach: true });
  await expectFromVisits({ scope, metrics: [random.pick(METRICS)], by: { interval: random.pick(['day', 'week']) } });
  await expectFromVisits({ scope, metrics: metricsBy(by), by: { dimension: by }, limit: 1000 });
  const metric = random.pick(metricsBy(by));
  // The store keeps the page views of each page, so these may be read from there.
  const expectSame = metric === 'pageviews' ? both.expectEqual : expectFromVisits;
  await expectSame({ scope, metrics: [metric], by: { dimension: by }, search: 'i', limit: 1000 });
}

const SPLITTING: Dimension[] = ['page', 'event', 'hostname'];

describe('a filter by each dimension, with another list for each', () => {
  test.each(SUMMED_DIMENSIONS.map((dimension, index) => [dimension, index] as const))(
    '%s',
    async (dimension, index) => {
      const lists = [SPLITTING[index % SPLITTING.length], SUMMED_DIMENSIONS[(index * 7) % SUMMED_DIMENSIONS.length]];
      for (const by of lists.filter((one) => one !== undefined)) await askEverything([drawFilter(dimension)], by);
    },
  );
});

test('several filters, and filters inside segments', async () => {
  for (let round = 0; round < 8; round += 1) {
    const draw = (count: number) =>
      Array.from({ length: count }, () => drawFilter(random.pick(['page', 'event', ...SUMMED_DIMENSIONS])));
    const segment: Filter = {
      dimension: 'segment',
      operator: random.pick(['is', 'is_not']),
      values: ['segment_A', 'segment_B'],
      segments: [draw(1 + random.number(2)), draw(1 + random.number(2))],
    };
    await askEverything(random.chance(0.5) ? draw(2) : [...draw(1), segment], random.pick(SUMMED_DIMENSIONS));
  }
});

test('a list for each day', async () => {
  const scope = scopeFor([drawFilter('source')]);
  for (const dimension of ['page', 'event', 'country'] as const)
    await expectFromVisits({ scope, metrics: ['unique_visitors', 'events'], by: { dimension, each: 'day' }, limit: 3 });
});

describe('what cannot be read from visits is read from events', () => {
  const filters: Filter[] = [{ dimension: 'source', operator: 'is', values: ['Google'] }];
  const scope = { ...scopeFor(filters), range: { from: FIRST_DAY, to: END } };
  test.each<[string, Select]>([
    [
      'page views of pages, which the store keeps',
      {
        scope: { ...scope, filters: [{ dimension: 'page', operator: 'is', values: ['/', '/blog'] }] },
        metrics: ['pageviews'],
        by: { dimension: 'page' },
      },
    ],
    ['page views by event', { scope, metrics: ['pageviews'], by: { dimension: 'event' } }],
    ['a property', { scope, metrics: ['events'], by: { dimension: 'prop:plan' } }],
    ['a filter by property', { scope: scopeFor([drawProperty()]), metrics: ['events'] }],
    [
      'a segment with a property',
      {
        scope: scopeFor([{ ...drawProperty(), dimension: 'segment', segments: [[drawProperty()]] }]),
        metrics: ['visits'],
      },
    ],
  ])('%s', async (_name, select) => {
    const { read } = await both.expectEqual(select);
    expect(read).toEqual([]);
  });

  test('conversions, next to totals and reading from visits', async () => {
    const goals = [{ id: 'goal_A', kind: 'event', event: 'signup', props: {} }] as const;
    await expectFromVisits({
      scope: { ...scope, goals },
      metrics: ['visits', 'conversions', 'time_on_page', 'revenue'],
    });
  });
});

function drawProperty(): PlainFilter {
  return { dimension: 'prop:plan', operator: 'is', values: ['pro'] };
}

test('a day on which the rows of a visit differ is read from its events', async () => {
  const [first] = rows.filter(({ visit_id, name }) => visit_id !== 0n && name === 'pageview');
  if (!first) throw new Error('The random events include no visit.');
  const elsewhere = visitedEvent({ ...makeEvent({ ...first, id: 'elsewhere' }), country: 'NZ' });
  await store.insert(
    { events: [{ ...elsewhere, visit_id: first.visit_id, visit_started: 0 }], ai_visits: [] },
    'moved',
  );
  expect(await sum()).toBe(1);
  versions.stored([first]);
  const filters: Filter[] = [{ dimension: 'country', operator: 'is', values: ['NZ'] }];
  const scope = { ...scopeFor(filters), range: { from: FIRST_DAY, to: END } };
  const select: Select = { scope, metrics: ['pageviews', 'unique_visitors'], by: { interval: 'day' } };
  expect(await expectFromVisits(select)).toHaveLength(1);
  const ofThatDay = { ...select, scope: { ...scope, range: { from: FIRST_DAY, to: FIRST_DAY + DAY_MS } } };
  expect((await both.expectEqual(ofThatDay)).read).toEqual([]);
});

test('a visit of thousands of pages', async () => {
  const rows = sized({ short: 6_000, long: 30_000 });
  await store.derive({
    sql: `INSERT INTO events (site_id, time, event_id, visitor_id, visit_id, visit_started, name, page, engaged_ms, scroll)
      SELECT 'site_LONG', fromUnixTimestamp64Milli({from:Int64} + 1000 * number), 1 + number, 1, 1, number = 0,
        if(number % 2 = 0, 'pageview', 'engagement'), concat('/', toString(intDiv(number, 2) % {pages:UInt32})), number, number % 101
      FROM numbers({rows:UInt32})`,
    bound: { from: FIRST_DAY, rows, pages: rows / 3 },
  });
  expect(await sum()).toBe(1);
  const scope = { ...scopeFor([]), site_id: 'site_LONG', range: { from: FIRST_DAY, to: FIRST_DAY + DAY_MS } };
  await expectFromVisits({ scope, metrics: ['time_on_page', 'scroll_depth'], withReach: true });
});
