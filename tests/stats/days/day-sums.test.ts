/** @module-tag long */
// The sums of closed days, checked against the events that they stand for: every dimension and metric, over whole and cut ranges, in UTC and
// in a zone, and after everything that changes a day.
import { beforeAll, describe, expect, test } from 'vitest';
import type { EventId, SiteId, Superseded, VisitedEvent } from '../../../server/vocabulary/event.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import { isOfReading, isOfWholeVisits, splitsVisits } from '../../../server/stats/sql/combination.ts';
import { SUMMED_DIMENSIONS } from '../../../server/stats/days/summed-days.ts';
import type { Filter } from '../../../server/stats/query.ts';
import type { Scope } from '../../../server/stats/sql/scope.ts';
import type { Select } from '../../../server/stats/sql/sql.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { ALL_TABLES } from '../../../server/store/rows.ts';
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { METRIC_NAMES, type Metric, metricRow, sourceOfMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Range } from '../../../server/vocabulary/time/periods.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeEvent, SITE, visitedEvent } from '../../setup/event.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { fillDays, openBoth, type Table, ZONE, ZONED } from '../../setup/stats/closed-days.ts';
import { shareOf } from '../../setup/run/harness.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 5;
const END = FIRST_DAY + DAYS * DAY_MS;
const NOW = END + 9 * HOUR_MS;

let store: TestStore;
let rows: VisitedEvent[];
const versions = openVersions();
/** What a question reads besides events. */
const SUMS: Table[] = ['day_sums'];
let both: ReturnType<typeof openBoth>;
const expectEqual = async (select: Select, { reads = SUMS } = {}) => {
  const { rows: found, read, about } = await both.expectEqual(select);
  expect(read, about).toEqual(reads);
  return found;
};

const failed: string[] = [];
const summingIn = (of: Pick<TestStore, 'query' | 'derive'>) =>
  openSumming({ store: of, versions, onFailed: (_error, { day }) => failed.push(day) });
const sum = (now = NOW) => summingIn(store)({ now, leastRows: 1 });
const scopeFor = (range: Range, site_id = SITE): Scope => ({
  site_id,
  range,
  filters: [],
  currency: 'EUR',
  max_amount: EURO_SHOP.max_amount,
});
const WHOLE: Range = { from: FIRST_DAY, to: END };
const IN_ZONE: Range = { ...WHOLE, zone: ZONE };

beforeAll(async () => {
  store = await testStore();
  both = openBoth(store, versions);
  const drawn = { from: FIRST_DAY, days: DAYS };
  rows = await fillDays(store, SITE, { random: openRandom(4_711), ...drawn });
  await fillDays(store, ZONED, { random: openRandom(11_407), ...drawn });
  expect(await sum()).toBe(2 * DAYS);
  return () => store[Symbol.asyncDispose]();
});

test('a day is summed once', async () => {
  expect(await sum()).toBe(0);
});

const OF_PEOPLE = METRIC_NAMES.filter((metric) => sourceOfMetric(metric) === 'events');
const isMoney = (metric: Metric) => ['orders', 'implausible_orders'].includes(metricRow(metric).counts);
const SUMMED = OF_PEOPLE.filter((metric) => !isMoney(metric) && !metricRow(metric).isOfGoals && !isOfReading(metric));

/** Whole days; days and a part of the next; a part of a day and days; less than a day. */
const RANGES: Record<string, Range> = {
  whole: WHOLE,
  'up to now': { from: FIRST_DAY + DAY_MS, to: END - 7 * HOUR_MS },
  'with days before the first event': { ...WHOLE, from: FIRST_DAY - 2 * DAY_MS },
  'in a zone': IN_ZONE,
  'in a zone, up to now': { ...IN_ZONE, to: END - 7 * HOUR_MS },
};

describe.each(Object.entries(RANGES).map(([name, range], turn) => ({ name, range, turn })))(
  '$name',
  ({ range, turn }) => {
    const scope = scopeFor(range, range.zone ? ZONED : SITE);

    test('totals of each metric, alone and together', async () => {
      const [all] = await expectEqual({ scope, metrics: SUMMED });
      expect(Object.keys(all ?? {}).sort()).toEqual([...SUMMED].sort());
      for (const metric of SUMMED) await expectEqual({ scope, metrics: [metric] });
    });

    test('lists by each dimension', async () => {
      for (const dimension of shareOf(SUMMED_DIMENSIONS, { of: 3, turn })) {
        const metrics = SUMMED.filter((metric) => !(isOfWholeVisits(metric) && splitsVisits(dimension)));
        const found = await expectEqual({ scope, metrics, by: { dimension }, limit: 1000 });
        expect(found.length, dimension).toBeGreaterThan(0);
        await expectEqual({ scope, metrics: ['unique_visitors'], by: { dimension }, limit: 2, offset: 1 });
        await expectEqual({ scope, metrics: ['visits'], by: { dimension }, search: 'i', limit: 1000 });
        const labels = found.slice(0, 2).map((row) => String(row['label']));
        await expectEqual({ scope, metrics: ['pageviews'], by: { dimension }, labels, limit: 2 });
      }
    });

    test('charts by day, week and month', async () => {
      for (const interval of ['day', 'week', 'month'] as const)
        for (const metric of SUMMED) await expectEqual({ scope, metrics: [metric], by: { interval } });
    });

    test('lists for each day and month', async () => {
      for (const each of ['day', 'month'] as const)
        for (const dimension of ['source', 'page', 'event'] as const)
          await expectEqual({ scope, metrics: ['unique_visitors', 'events'], by: { dimension, each }, limit: 3 });
    });

    test('money, of all payments and in lists', async () => {
      const reads: Table[] = ['day_sums', 'day_visits'];
      const metrics = OF_PEOPLE.filter(isMoney);
      const [all] = await expectEqual({ scope, metrics: [...SUMMED, ...metrics] }, { reads });
      for (const metric of metrics) expect(Number(all?.[metric]), metric).not.toBe(0);
      await expectEqual({ scope, metrics, by: { interval: 'day' } }, { reads: ['day_visits'] });
      for (const dimension of ['source', 'exit_page', 'page', 'event'] as const)
        await expectEqual({ scope, metrics: ['visits', ...metrics], by: { dimension }, limit: 1000 }, { reads });
    });
  },
);

test('every dimension of people is summed, except goals and properties', () => {
  const others: Dimension[] = ['goal'];
  expect(SUMMED_DIMENSIONS).toEqual(
    DIMENSION_NAMES.filter((name) => sourceOf(name) === 'events' && !others.includes(name)),
  );
});

describe('questions that sums cannot answer read the events', () => {
  const scope = scopeFor(WHOLE);
  const filters = [{ dimension: 'prop:plan' as const, operator: 'is' as const, values: ['pro'] }];
  test.each<[string, Select]>([
    ['a filter by property', { scope: { ...scope, filters }, metrics: ['visits'] }],
    ['hours', { scope, metrics: ['visits'], by: { interval: 'hour' } }],
    ['a list for each hour', { scope, metrics: ['visits'], by: { dimension: 'source', each: 'hour' } }],
    ['reading by page', { scope, metrics: ['time_on_page'], by: { dimension: 'page' } }],
    ['less than a day', { scope: scopeFor({ from: FIRST_DAY + 1, to: FIRST_DAY + DAY_MS }), metrics: ['visits'] }],
    ['a property', { scope, metrics: ['events'], by: { dimension: 'prop:plan' } }],
  ])('%s', async (_name, select) => {
    await expectEqual(select, { reads: [] });
  });
});

test('a site without payments gets its lists of money from sums and the open day', async () => {
  const site_id = 'site_NOPAYNOPAYNOPAY' as SiteId;
  const views = [0, 1, 2].map((day) =>
    visitedEvent(makeEvent({ site_id, time: FIRST_DAY + day * DAY_MS, source: 'Google', visitor: `n${day}` })),
  );
  await store.insert({ events: views, ai_visits: [] }, 'none');
  expect(await sum()).toBe(3);
  const payment = makeEvent({ site_id, time: NOW, name: 'purchase', amount: '5', currency: 'EUR', source: 'Bing' });
  await store.insert({ events: [visitedEvent(payment)], ai_visits: [] }, 'paid');
  versions.stored([payment]);
  const scope = scopeFor({ from: FIRST_DAY, to: END + DAY_MS }, site_id);
  const found = await expectEqual({ scope, metrics: ['revenue', 'visits'], by: { dimension: 'source' } });
  expect(found.map(({ label, revenue }) => [label, revenue])).toEqual([
    ['Bing', 5],
    ['Google', 0],
  ]);
  await store.deleteSite(site_id);
});

test('days without rows are not read from the events, until something comes on them', async () => {
  const site_id = 'site_QUIETQUIETQUIET' as SiteId;
  const on = (day: number, more: Parameters<typeof makeEvent>[0]) =>
    visitedEvent(makeEvent({ site_id, visitor: `q${day}`, time: FIRST_DAY + day * DAY_MS + HOUR_MS, ...more }));
  const paid = on(1, { name: 'purchase', amount: '5', currency: 'EUR', source: 'Bing' });
  await store.insert({ events: [paid, on(3, { source: 'Google' })], ai_visits: [] }, 'quiet');
  expect(await sum()).toBe(2);
  const scope = scopeFor({ from: FIRST_DAY - 3 * DAY_MS, to: END + 2 * DAY_MS }, site_id);
  const filters: Filter[] = [{ dimension: 'source', operator: 'is', values: ['Google'] }];
  const expectFrom = async (readsEvents: boolean, at = scope) => {
    for (const select of [
      { scope: at, metrics: SUMMED },
      { scope: at, metrics: ['revenue', 'visits'], by: { interval: 'day' } },
      { scope: at, metrics: ['time_on_page'] },
      { scope: at, metrics: ['visits'], by: { dimension: 'source' } },
      { scope: { ...at, filters }, metrics: ['visits'], by: { dimension: 'source' } },
    ] satisfies Select[]) {
      const found = await both.expectEqual(select);
      expect(found.readsEvents, found.about).toBe(readsEvents);
    }
  };
  await expectFrom(false);
  const late = on(2, { source: 'Google' });
  await store.insert({ events: [late], ai_visits: [] }, 'not quiet');
  versions.stored([late]);
  await expectFrom(true);
  await expectFrom(false, { ...scope, range: { from: FIRST_DAY - 3 * DAY_MS, to: late.time - HOUR_MS } });
  const before = { ...scope, range: { from: FIRST_DAY - 30 * DAY_MS, to: FIRST_DAY } };
  const counted = OF_PEOPLE.filter((metric) => !metricRow(metric).isOfGoals);
  const withoutReading = counted.filter((metric) => !isOfReading(metric));
  for (const at of [before, { ...before, filters }])
    for (const select of [
      { scope: at, metrics: counted },
      { scope: at, metrics: withoutReading, by: { interval: 'week' } },
      { scope: at, metrics: withoutReading, by: { dimension: 'source' } },
    ] satisfies Select[]) {
      const { read, readsEvents, about } = await both.expectEqual(select);
      expect({ read, readsEvents }, about).toEqual({ read: [], readsEvents: false });
    }
  await store.deleteSite(site_id);
  versions.deleted(site_id);
  const [nothing] = await expectEqual({ scope, metrics: ['visits'] }, { reads: [] });
  expect(nothing).toEqual({ visits: 0 });
});

describe('what changes a day', () => {
  const day = { from: FIRST_DAY + DAY_MS, to: FIRST_DAY + 2 * DAY_MS };
  const select = (): Select => ({
    scope: scopeFor(day),
    metrics: ['events', 'unique_visitors'],
    by: { dimension: 'event' },
  });
  /** How many runs have left sums of the day. */
  const summings = async () => {
    const [found] = await store.query<{ n: string }>(
      'SELECT uniqExact(summing) AS n FROM day_sums WHERE site_id = {site:String} AND day = toDate({day:String})',
      { site: SITE, day: dayOf(day.from) },
    );
    return Number(found?.n);
  };
  const isSummed = async () => (await both.ask(select())).read.length > 0;

  test('a late event: the day is read from its events until it is summed again', async () => {
    const late = visitedEvent(makeEvent({ time: day.from + HOUR_MS, name: 'signup', visitor: 'late' }));
    await store.insert({ events: [late], ai_visits: [] }, 'late');
    versions.stored([late]);
    await expectEqual(select(), { reads: [] });
    expect(await sum()).toBe(1);
    await expectEqual(select());
    // A question may have looked up the sums from before, so they stay until the day is summed again.
    expect(await summings()).toBe(2);
    const later = visitedEvent(makeEvent({ time: day.from + HOUR_MS, name: 'signup', visitor: 'later' }));
    await store.insert({ events: [later], ai_visits: [] }, 'later');
    expect(await sum()).toBe(1);
    expect(await summings()).toBe(2);
  });

  test('a day that cannot be summed: the others are, and it is tried again after an hour', async () => {
    for (const at of [day.from, day.to])
      await store.insert(
        { events: [visitedEvent(makeEvent({ time: at, visitor: `x${at}` }))], ai_visits: [] },
        `x${at}`,
      );
    let isBroken = true;
    const broken = summingIn({
      ...store,
      derive: (statement) =>
        isBroken && Object.values(statement.bound).includes(dayOf(day.to))
          ? Promise.reject(new Error('Memory limit exceeded'))
          : store.derive(statement),
    });
    failed.length = 0;
    expect(await broken({ now: NOW, leastRows: 1 })).toBe(1);
    expect(failed).toEqual([dayOf(day.to)]);
    isBroken = false;
    expect(await broken({ now: NOW + HOUR_MS - 1, leastRows: 1 })).toBe(0);
    expect(await broken({ now: NOW + HOUR_MS, leastRows: 1 })).toBe(1);
    versions.stored([{ site_id: SITE, time: day.from }]);
    await expectEqual(select());
  });

  const other = { from: FIRST_DAY + 3 * DAY_MS, to: FIRST_DAY + 4 * DAY_MS };
  const ofOther = (): Select => ({ ...select(), scope: scopeFor(other) });

  test('the visits cannot be written: filtered questions read the events until they are written a day later', async () => {
    await store.insert(
      { events: [visitedEvent(makeEvent({ time: other.from, visitor: 'unlucky' }))], ai_visits: [] },
      'unlucky',
    );
    let isBroken = true;
    const broken = summingIn({
      ...store,
      derive: async (statement) => {
        await store.derive(statement);
        if (isBroken && statement.sql.startsWith('INSERT INTO day_visits')) throw new Error('Memory limit exceeded');
      },
    });
    failed.length = 0;
    const expectReads = async (reads: { plain: Table[]; filtered: Table[] }) => {
      versions.stored([{ site_id: SITE, time: other.from }]);
      await expectEqual(ofOther(), { reads: reads.plain });
      const filters: Filter[] = [{ dimension: 'page', operator: 'contains', values: ['/'] }];
      await expectEqual({ ...ofOther(), scope: { ...scopeFor(other), filters } }, { reads: reads.filtered });
    };
    expect(await broken({ now: NOW, leastRows: 1 })).toBe(1);
    expect(failed).toEqual([dayOf(other.from)]);
    await expectReads({ plain: SUMS, filtered: [] });
    isBroken = false;
    expect(await broken({ now: NOW + HOUR_MS, leastRows: 1 })).toBe(0);
    expect(await broken({ now: NOW + 2 * DAY_MS, leastRows: 1 })).toBe(1);
    await expectReads({ plain: SUMS, filtered: ['day_visits'] });
  });

  test('an earlier version on another machine sums it: it writes no visits', async () => {
    await store.derive({
      sql: `INSERT INTO summed_days (site_id, day, summing, row_count, row_ids, replaced, dimensions, version)
        SELECT site_id, day, summing, row_count, row_ids, replaced, dimensions, version + 1 FROM summed_days FINAL
        WHERE site_id = {site_id:String} AND day = {day:Date}`,
      bound: { site_id: SITE, day: dayOf(other.from) },
    });
    versions.stored([{ site_id: SITE, time: other.from }]);
    await expectEqual({ ...ofOther(), metrics: ['revenue'], by: { interval: 'day' } }, { reads: [] });
    expect(await sum(NOW + 4 * DAY_MS)).toBe(1);
    versions.stored([{ site_id: SITE, time: other.from }]);
    await expectEqual({ ...ofOther(), metrics: ['revenue'], by: { interval: 'day' } }, { reads: ['day_visits'] });
  });

  test('an event that a better report replaces', async () => {
    const event = rows.find(({ name, time }) => name === 'signup' && time >= day.from && time < day.to);
    if (!event) throw new Error('The random events include no signup.');
    const gone: Superseded = { site_id: SITE, time: event.time, event_id: event.event_id as EventId, replaced: true };
    await store.supersede([gone]);
    versions.stored([event]);
    await expectEqual(select(), { reads: [] });
    await sum();
    await expectEqual(select());
  });

  test('events that arrive while it is summed: nobody reads those sums', async () => {
    const late = visitedEvent(makeEvent({ time: day.from + 2 * HOUR_MS, name: 'signup', visitor: 'early' }));
    await store.insert({ events: [late], ai_visits: [] }, 'before');
    versions.stored([late]);
    const disturbed = {
      ...store,
      derive: async (statement: Parameters<TestStore['derive']>[0]) => {
        await store.derive(statement);
        if (!statement.sql.startsWith('INSERT INTO day_sums')) return;
        const another = visitedEvent(makeEvent({ time: day.from + 3 * HOUR_MS, visitor: 'meanwhile' }));
        await store.insert({ events: [another], ai_visits: [] }, 'meanwhile');
      },
    };
    expect(await summingIn(disturbed)({ now: NOW, leastRows: 1 })).toBe(0);
    expect(await isSummed()).toBe(false);
    expect(await sum()).toBe(1);
    await expectEqual(select());
  });

  test('an open day is not summed', async () => {
    const event = visitedEvent(makeEvent({ time: NOW - HOUR_MS / 4, visitor: 'now' }));
    await store.insert({ events: [event], ai_visits: [] }, 'now');
    expect(await sum()).toBe(0);
    expect(await sum(NOW + HOUR_MS)).toBe(1);
  });

  const expectNothingOf = async (site: SiteId) => {
    for (const table of ALL_TABLES) {
      const [left] = await store.query<{ n: string }>(
        `SELECT count() AS n FROM ${table} WHERE site_id = {site:String}`,
        { site },
      );
      expect(Number(left?.n), table).toBe(0);
    }
  };

  test('the deletion of its site', async () => {
    await store.deleteSite(ZONED);
    await expectNothingOf(ZONED);
  });

  test.each(['day_sums', 'day_visits'])(
    'the deletion of its site while %s are written: nothing stays',
    async (table) => {
      const gone = `site_GONE${table.replace('_', '').toUpperCase()}` as SiteId;
      const event = { ...visitedEvent(makeEvent({ time: day.from })), site_id: gone };
      await store.insert({ events: [event], ai_visits: [] }, gone);
      const disturbed = {
        ...store,
        derive: async (statement: Parameters<TestStore['derive']>[0]) => {
          await store.derive(statement);
          if (!statement.sql.startsWith(`INSERT INTO ${table}`)) return;
          await store.derive({ sql: 'DELETE FROM events WHERE site_id = {site_id:String}', bound: { site_id: gone } });
        },
      };
      expect(await summingIn(disturbed)({ now: NOW, leastRows: 1 })).toBe(0);
      await expectNothingOf(gone);
    },
  );
});
