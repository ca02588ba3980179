// What a viewer's questions ask of the store, and what is shown of its rows. `tests/stats/disclosure/disclosure.test.ts` shows it from events to answers.
import { describe, expect, test } from 'vitest';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Column } from '../sql/metrics.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../sql/scope.ts';
import type { Rows, Select } from '../sql/sql.ts';
import type { RareIn } from './rare-values.ts';
import { changedRows, openDisclosure } from './shown.ts';

const JUNE = Date.UTC(2026, 5, 1);
const RULE = { properties: false, fewest: FEWEST };
const SCOPE: Scope = {
  site_id: 'site_a',
  filters: [],
  range: { from: JUNE, to: JUNE + DAY_MS },
  currency: 'EUR',
  max_amount: 0,
};
const is = (dimension: 'country' | 'browser' | 'source', ...values: string[]): Filter => ({
  dimension,
  operator: 'is',
  values,
});
const not = (dimension: 'country' | 'browser', ...values: string[]): Filter => ({
  dimension,
  operator: 'is_not',
  values,
});
const FRENCH = { ...SCOPE, filters: [is('country', 'FR')] };

type Days = { day: number; visitors: number }[];
/** `rows`: of the question. `days`: the visitors of each day, by default 100 of whom each filter leaves half. */
type Store = {
  rows(select: Select): Rows;
  days?(select: Select): Days;
  rare?: readonly RareIn[];
  totals?: Rows;
  now?: number;
};

/** Asks as a viewer. `asked`: the questions that reach the store, but for those about days and totals. */
function open({ rows, days, rare = [], totals = [], now = JUNE + 10 * DAY_MS }: Store) {
  const asked: Select[] = [];
  const store = (select: Select): Promise<Rows> => {
    const { by, metrics, scope } = select;
    const isOfVisitors = metrics.join() === 'unique_visitors';
    if (by && 'interval' in by && by.interval === 'day' && isOfVisitors) {
      const counted = days?.(select) ?? [{ day: JUNE, visitors: 128 >> scope.filters.length }];
      return Promise.resolve(counted.map(({ day, visitors }) => ({ label: day, unique_visitors: visitors })));
    }
    if (by && 'dimension' in by && !('each' in by) && isOfVisitors && scope.filters.length === 0)
      return Promise.resolve([]);
    if (metrics.join() === 'unique_visitors,visits,pageviews,events,visitor_key') return Promise.resolve(totals);
    asked.push(select);
    return Promise.resolve(rows(select));
  };
  const disclosure = openDisclosure(store, {
    rule: RULE,
    now,
    askMoments: () => Promise.resolve([{ endsAt: now, visitors: ['1', '2', '3'] }]),
    findRare: () => Promise.resolve(rare),
  });
  return { ask: disclosure.shown(store), asked, disclosure };
}

const row = (label: string, visitors: number, more: Rows[number] = {}): Rows[number] => ({
  label,
  unique_visitors: visitors,
  pageviews: visitors,
  visitor_key: 0,
  ...more,
});
const byCountry = { by: { dimension: 'country' } } as const;
const byBrowser = { by: { dimension: 'browser' } } as const;
const VISITORS: Column[] = ['pageviews'];

describe('a question', () => {
  test('that nothing narrows is asked as it is', async () => {
    const rows = [row('DE', 2), row('FR', 1)];
    const { ask, asked } = open({ rows: () => rows });
    for (const select of [
      { scope: SCOPE, metrics: VISITORS, ...byCountry },
      { scope: SCOPE, metrics: VISITORS, ...byCountry, labels: ['DE'] },
      { scope: SCOPE, metrics: VISITORS, by: { dimension: 'country', each: 'day' } } as const,
      { scope: SCOPE, metrics: ['ai_visits'] as Column[] },
      { scope: FRENCH, metrics: ['ai_visits'] as Column[] },
    ]) {
      expect(await ask(select)).toBe(rows);
      const isOfPeople = select.metrics === VISITORS;
      expect(asked.pop()).toEqual({ ...select, ...(isOfPeople && { fewestReaders: 3 }) });
    }
  });

  test.each([
    ['a filter', { scope: FRENCH, metrics: VISITORS }],
    ['goals', { scope: SCOPE, metrics: ['conversions'] }],
    ['a city', { scope: SCOPE, metrics: VISITORS, by: { dimension: 'city' } }],
    ['the trend of a row', { scope: SCOPE, metrics: VISITORS, by: { dimension: 'page', each: 'day' }, labels: ['/'] }],
  ] as [string, Select][])(
    'that %s narrows shows no row of two visitors, and three as they are',
    async (_title, select) => {
      const counts = { unique_visitors: 3, converted_visitors: 3, conversions: 3, pageviews: 3 };
      const few = { unique_visitors: 2, converted_visitors: 2, conversions: 2, pageviews: 2 };
      const { ask } = open({
        rows: () => [
          { label: 'a', ...counts },
          { label: 'b', ...few },
        ],
      });
      expect((await ask(select)).map(({ label }) => label)).toEqual(['a']);
    },
  );

  test('whose filters leave out nobody is asked as one without', async () => {
    const { ask, asked } = open({ rows: () => [row('DE', 2)], days: () => [{ day: JUNE, visitors: 5 }] });
    expect(await ask({ scope: FRENCH, metrics: VISITORS, ...byCountry })).toEqual([row('DE', 2)]);
    expect(asked.map(({ scope }) => scope.filters)).toEqual([[]]);
    // Conversions are narrowed by their goals all the same.
    expect(await ask({ scope: FRENCH, metrics: ['conversions'], ...byBrowser })).toEqual([]);
  });

  test('whose filters leave two visitors shows nothing', async () => {
    const { ask, asked } = open({
      rows: () => [row('DE', 5)],
      days: ({ scope }) => [{ day: JUNE, visitors: scope.filters.length > 0 ? 2 : 9 }],
    });
    expect(await ask({ scope: FRENCH, metrics: VISITORS })).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('about a period up to now is refused under a filter, and about goals', async () => {
    const { ask, disclosure } = open({ rows: () => [row('DE', 5)] });
    const range = { ...SCOPE.range, rolls: true as const };
    const refused = 'a shared dashboard shows this for whole days only, not up to now';
    await expect(ask({ scope: { ...FRENCH, range }, metrics: VISITORS })).rejects.toThrow(refused);
    await expect(ask({ scope: { ...SCOPE, range }, metrics: ['conversions'] })).rejects.toThrow(refused);
    await expect(disclosure.narrowed({ ...SCOPE, range })).rejects.toThrow(refused);
    expect(await ask({ scope: { ...SCOPE, range }, metrics: VISITORS })).toHaveLength(1);
  });
});

describe('the days of a narrowed range', () => {
  const narrowed = async (from: number, to: number, visitors: number[]) => {
    const asked: Select[] = [];
    const { disclosure } = open({
      rows: () => [],
      days: (select) => {
        asked.push(select);
        const half = (count: number) => (select.scope.filters.length > 0 ? count : 10 * count);
        return visitors.flatMap((count, index) =>
          count > 0 ? [{ day: JUNE + index * DAY_MS, visitors: half(count) }] : [],
        );
      },
    });
    const range = { from: JUNE + from * DAY_MS, to: JUNE + to * DAY_MS };
    const found = await disclosure.narrowed({ ...FRENCH, range });
    for (const { scope } of asked) expect(scope.range.from).toBe(JUNE);
    return found && [(found.range.from - JUNE) / DAY_MS, (found.range.to - JUNE) / DAY_MS];
  };

  test('are put together in groups of three visitors, from the first of the month', async () => {
    expect(await narrowed(0, 3, [3, 3, 3])).toEqual([0, 3]);
    expect(await narrowed(2, 6, [1, 1, 1, 1, 1, 1])).toEqual([3, 6]);
    expect(await narrowed(1, 3, [2, 1, 3])).toEqual([2, 3]);
    expect(await narrowed(1, 4, [2, 0, 3, 0])).toEqual([2, 3]);
    expect(await narrowed(0, 3, [2, 0, 3])).toEqual([2, 3]);
  });

  test('count the visitors of the range alone', async () => {
    expect(await narrowed(1, 2, [9, 2])).toBeUndefined();
    expect(await narrowed(1, 2, [9, 3])).toEqual([1, 2]);
  });
});

describe('a narrowed list', () => {
  const many = (count: number, last: Rows[number]) =>
    Array.from({ length: count }, (_, index) => row(`v${index}`, 10_000 - index)).with(-1, last);

  test.each([
    [{ limit: 10 }, 300],
    [{ limit: 100 }, 300],
    [{ limit: 101 }, 20_000],
    [{ offset: 90, limit: 10 }, 300],
    [{ offset: 91, limit: 10 }, 20_000],
    [{ limit: 100, by: { dimension: 'browser', each: 'day' } }, 1_000],
  ] as const)('asks for as many rows as may be withheld: of %j it asks for %i', async (given, limit) => {
    const { ask, asked } = open({ rows: () => [] });
    await ask({ scope: FRENCH, metrics: VISITORS, ...byBrowser, ...given });
    expect(asked.map((select) => [select.limit, select.offset, select.order])).toEqual([[limit, 0, undefined]]);
  });

  test.each([
    ['may be longer', 300, row('last', 3), [300, 20_000]],
    ['may be longer, though its last row has two visitors', 300, row('last', 2, { pageviews: 3 }), [300, 20_000]],
    ['ends with two views', 300, row('last', 2), [300]],
    ['is shorter', 299, row('last', 3), [300]],
  ])('that %s is asked for again, or not', async (_title, count, last, limits) => {
    const { ask, asked } = open({ rows: () => many(count, last) });
    await ask({ scope: FRENCH, metrics: VISITORS, ...byBrowser });
    expect(asked.map(({ limit }) => limit)).toEqual(limits);
    expect(asked.map(({ metrics }) => metrics.join())).toEqual(
      limits.map(() => 'pageviews,unique_visitors,visitor_key'),
    );
  });

  test('has the rows of its page, by default the first ten, and the number of all', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => row(`v${10 + index}`, 3));
    const { ask } = open({ rows: () => [...rows, row('few', 2)] });
    const labels = async (given: Partial<Select>) => {
      const shown = await ask({ scope: FRENCH, metrics: VISITORS, ...byBrowser, ...given });
      return shown.map(({ label, total }) => `${label} of ${total}`);
    };
    const all = rows.map(({ label }) => `${label} of 12`);
    expect(await labels({})).toEqual(all.slice(0, 10));
    expect(await labels({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await labels({ offset: 2, limit: 3 })).toEqual(all.slice(2, 5));
  });

  test('is in order of its first metric, or in the one that is asked for', async () => {
    const rows = [row('b', 3), row('a', 3), row('c', 3, { pageviews: 30 })];
    const { ask } = open({ rows: () => rows });
    const labels = async (order?: Select['order']) => {
      const shown = await ask({ scope: FRENCH, metrics: ['pageviews', 'unique_visitors'], ...byBrowser, order });
      return shown.map(({ label }) => label).join('');
    };
    expect(await labels()).toBe('cab');
    expect(await labels({ by: 'pageviews', direction: 'asc' })).toBe('abc');
    expect(await labels({ by: 'name', direction: 'desc' })).toBe('cba');
    expect(await labels({ by: 'name', direction: 'asc' })).toBe('abc');
  });

  test('of each day has the first rows of each', async () => {
    const rows = [1, 2].flatMap((bucket) => ['a', 'b', 'c'].map((label) => row(label, 3, { bucket })));
    const { ask } = open({ rows: () => rows });
    const shown = await ask({ scope: FRENCH, metrics: VISITORS, by: { dimension: 'browser', each: 'day' }, limit: 2 });
    expect(shown.map(({ label, bucket }) => `${label}${bucket}`)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test.each([
    ['of all', { dimension: 'browser' }, {}],
    ['of each bucket', { dimension: 'browser', each: 'day' }, { bucket: JUNE }],
  ] as const)('has no row above the total %s', async (_which, by, bucket) => {
    const shownOf = async (total: number) => {
      const { ask } = open({
        rows: () => [row('a', 98, { ...bucket, visits: 98 }), row('b', 2, bucket)],
        totals: [{ ...('bucket' in bucket && { label: JUNE }), unique_visitors: total, visits: total, visitor_key: 7 }],
      });
      const [shown] = await ask({ scope: FRENCH, metrics: ['unique_visitors', 'visits'], by });
      return [shown?.['unique_visitors'], shown?.['visits']].map(Number);
    };
    const [visitors = 0, visits = 0] = await shownOf(1000);
    for (const total of [60, 20]) {
      const [shown = 0, shownVisits = 0] = await shownOf(total);
      expect(Math.abs(shown - total)).toBeLessThanOrEqual(2);
      expect([shown < visitors, shownVisits < visits]).toEqual([true, true]);
    }
  });

  test('is asked for with the rare values of its dimension', async () => {
    const rare: RareIn[] = [
      { dimension: 'browser', ofDays: [{ from: JUNE, values: ['Opera'], into: 'Chrome' }], ofRange: undefined },
    ];
    const { ask, asked } = open({ rows: () => [row('Chrome', 20), row('Edge', 3)], rare });
    const joined = [{ day: '2026-06-01', values: ['Opera'], into: 'Chrome' }];
    for (const by of [{ dimension: 'browser' }, { dimension: 'browser', each: 'day' }] as const) {
      const select = { scope: FRENCH, metrics: VISITORS, by, search: 'chro', labels: ['Chrome'] };
      expect((await ask(select)).map(({ label }) => label)).toEqual(['Chrome', 'Edge']);
      expect(asked.pop()).toMatchObject({ by: { ...by, rare: { joined } }, search: 'chro', labels: ['Chrome'] });
    }
    await ask({ scope: FRENCH, metrics: VISITORS, by: { dimension: 'device' } });
    expect(asked.pop()?.by).toEqual({ dimension: 'device' });
  });

  test('changes what rare values of today count under by a key of its own, and nothing of the days before', async () => {
    const rare: RareIn[] = [
      { dimension: 'browser', ofDays: [{ from: JUNE, values: ['Brave'], into: 'Chrome' }], ofRange: undefined },
    ];
    const rowsOf = (label: string, bucket: number) => row(label, 100, { bucket, pageviews: 1000 });
    const changes = async (now: number) => {
      const { ask } = open({
        rows: () => [-1, 0].flatMap((day) => ['Chrome', 'Edge'].map((label) => rowsOf(label, JUNE + day * DAY_MS))),
        days: ({ scope }) =>
          [-1, 0].map((day) => ({ day: JUNE + day * DAY_MS, visitors: 400 >> scope.filters.length })),
        rare,
        now,
      });
      const range = { from: JUNE - DAY_MS, to: JUNE + DAY_MS };
      const by = { dimension: 'browser', each: 'day' } as const;
      const shown = await ask({ scope: { ...FRENCH, range }, metrics: ['unique_visitors', 'pageviews'], by });
      const of = (label: string, bucket: number) =>
        shown.find((one) => one['label'] === label && one['bucket'] === JUNE + bucket * DAY_MS);
      return [of('Chrome', -1), of('Edge', -1), of('Edge', 0), of('Chrome', 0)].map((one) => [
        one?.['unique_visitors'],
        one?.['pageviews'],
      ]);
    };
    const closed = await changes(JUNE + 10 * DAY_MS);
    expect(new Set(closed.map(String)).size).toBe(1);
    const open_ = await changes(JUNE + DAY_MS - 1);
    expect(open_.slice(0, 3)).toEqual(closed.slice(0, 3));
    expect(open_[3]).not.toEqual(closed[3]);
  });
});

describe('a narrowed row', () => {
  const shownOf = async (metrics: Column[], given: Rows[number], by: Select['by'] = { dimension: 'browser' }) => {
    const { ask, asked } = open({ rows: () => [{ label: 'a', visitor_key: 0, ...given }] });
    const [shown] = await ask({ scope: FRENCH, metrics, by });
    return {
      shown: shown && metrics.map((metric) => shown[metric]),
      counted: asked.map((select) => select.metrics)[0],
    };
  };

  test('of three visitors is shown as it is, one of two is withheld', async () => {
    const counted = ['unique_visitors', 'visitor_key'];
    expect(await shownOf(['unique_visitors'], { unique_visitors: 3 })).toEqual({ shown: [3], counted });
    expect(await shownOf(['unique_visitors'], { unique_visitors: 2 })).toEqual({ shown: undefined, counted });
    expect((await shownOf(['pageviews'], { unique_visitors: 3, pageviews: 2 })).shown).toBeUndefined();
    expect((await shownOf(['pageviews', 'events'], { unique_visitors: 3, pageviews: 0, events: 3 })).shown).toEqual([
      0, 3,
    ]);
    expect((await shownOf(['pageviews', 'events'], { unique_visitors: 3, pageviews: 3 })).shown).toEqual([3, 0]);
  });

  test('of conversions needs three who converted', async () => {
    const metrics: Column[] = ['conversions', 'pageviews'];
    const of = (unique_visitors: number, converted_visitors: number) =>
      shownOf(metrics, { unique_visitors, converted_visitors, conversions: 3, pageviews: 3 });
    expect(await of(3, 3)).toEqual({
      shown: [3, 3],
      counted: [...metrics, 'unique_visitors', 'visitor_key', 'converted_visitors', 'converted_key'],
    });
    expect((await of(3, 2)).shown).toBeUndefined();
    expect((await of(2, 3)).shown).toBeUndefined();
  });

  test('of a goal counts those who converted alone', async () => {
    const goal = { dimension: 'goal' } as const;
    const { shown, counted } = await shownOf(['conversions'], { converted_visitors: 3, conversions: 3 }, goal);
    expect([shown, counted]).toEqual([[3], ['conversions', 'converted_visitors', 'converted_key']]);
    expect((await shownOf(['conversions'], { converted_visitors: 2, conversions: 3 }, goal)).shown).toBeUndefined();
  });

  test('of money is withheld if it is of two orders', async () => {
    const metrics: Column[] = ['revenue', 'average_order'];
    const of = (orders: number) => shownOf(metrics, { unique_visitors: 3, orders, revenue: 90, average_order: 30 });
    expect(await of(3)).toEqual({ shown: [90, 30], counted: [...metrics, 'unique_visitors', 'visitor_key', 'orders'] });
    expect((await of(2)).shown).toBeUndefined();
  });

  test('of rates is rounded', async () => {
    const metrics: Column[] = ['bounce_rate', 'visit_duration', 'views_per_visit'];
    const of = { unique_visitors: 3, bounce_rate: 33.3, visit_duration: 61.4, views_per_visit: 1.234 };
    expect(await shownOf(metrics, of)).toEqual({
      shown: [33, 61, 1.2],
      counted: [...metrics, 'unique_visitors', 'visitor_key'],
    });
  });

  test('has its measured views withheld and changed as other counts', async () => {
    const reading = { unique_visitors: 3, pageviews: 3, read_views: 3, reach_10: 2, reach_20: 3, other: 2 };
    const { ask } = open({ rows: () => [row('/', 3, reading)] });
    const [shown] = await ask({ scope: FRENCH, metrics: VISITORS, by: { dimension: 'browser' }, withReach: true });
    expect(shown).toMatchObject({ read_views: 3, reach_10: 0, reach_20: 3, other: 2 });
    const many = Array.from({ length: 40 }, (_, key) => row(`k${key}`, 100, { visitor_key: key, read_views: 100 }));
    const { ask: askMany } = open({ rows: () => many });
    const seen = await askMany({ scope: FRENCH, metrics: VISITORS, ...byBrowser, limit: 50, withReach: true });
    expect(new Set(seen.map((one) => one['read_views'])).size).toBe(5);
  });

  test('has no fewer visits than visitors, unless it had fewer', async () => {
    const metrics: Column[] = ['unique_visitors', 'visits'];
    const rows = (visits: number) =>
      Array.from({ length: 60 }, (_, key) => row(`k${key}`, 100, { visits, visitor_key: key }));
    const isFewer = async (visits: number) => {
      const { ask } = open({ rows: () => rows(visits) });
      const shown = await ask({ scope: FRENCH, metrics, ...byBrowser, limit: 100 });
      expect(shown).toHaveLength(60);
      return shown.filter((one) => Number(one['visits']) < Number(one['unique_visitors'])).length;
    };
    expect(await isFewer(100)).toBe(0);
    expect(await isFewer(99)).toBeGreaterThan(0);
  });
});

describe('filters by several values', () => {
  /** Visitors by country. How many they are is their key, too. */
  const VISITORS_OF: Record<string, number> = { DE: 40, FR: 30, IT: 3, AT: 2 };
  const storeOf = (visitorsOf: Record<string, number>): Store => {
    const countriesOf = ({ scope }: Select) => {
      const [filter] = scope.filters;
      return Object.keys(visitorsOf).filter(
        (one) => !filter || filter.values.includes(one) === (filter.operator === 'is'),
      );
    };
    const sumOf = (select: Select) => countriesOf(select).reduce((sum, one) => sum + (visitorsOf[one] ?? 0), 0);
    return {
      rows: (select) => {
        const visitors = sumOf(select);
        const ofGermany = countriesOf(select).includes('DE') ? 10 : 0;
        return [
          {
            ...row('a', visitors, { visitor_key: visitors, orders: visitors, bounce_rate: 50 }),
            revenue: visitors / 3,
            refunds: ofGermany,
            revenue_confirmed: -ofGermany,
          },
        ];
      },
      days: (select) => [{ day: JUNE, visitors: sumOf(select) }],
    };
  };
  const of = async (metrics: Column[], filter: Filter, visitorsOf = VISITORS_OF) => {
    const { ask, asked } = open(storeOf(visitorsOf));
    const scope = { ...SCOPE, filters: [filter] };
    const [shown] = await ask({ scope, metrics, by: { interval: 'month' } });
    return {
      shown: shown && metrics.map((metric) => shown[metric]),
      asked: asked.map((select) => select.scope.filters),
    };
  };
  const visitors = async (filter: Filter, visitorsOf = VISITORS_OF) =>
    (await of(['unique_visitors'], filter, visitorsOf)).shown?.[0];

  test('show the sum of what each value shows', async () => {
    const both = await of(['unique_visitors'], is('country', 'DE', 'FR'));
    expect([await visitors(is('country', 'DE')), await visitors(is('country', 'FR'))]).toEqual([40, 29]);
    expect(both).toEqual({ shown: [69], asked: [[is('country', 'DE')], [is('country', 'FR')]] });
  });

  test('leave out the values that two visitors have', async () => {
    expect((await of(['unique_visitors'], is('country', 'DE', 'AT'))).asked).toEqual([[is('country', 'DE')]]);
    expect((await of(['unique_visitors'], is('country', 'DE', 'IT'))).asked).toHaveLength(2);
  });

  test('show what is left of everybody, who are exact', async () => {
    const rest = await of(['unique_visitors'], not('country', 'FR'));
    expect(rest).toEqual({ shown: [75 - 29], asked: [[], [is('country', 'FR')]] });
  });

  test('show nothing if this leaves fewer than three', async () => {
    const seen = new Set<unknown>();
    for (let german = 40; german < 60; german += 1) {
      const some = { DE: german, FR: 30, IT: 3 };
      const left = german + 33 - Number(await visitors(is('country', 'DE'), some)) - 29;
      const shown = await visitors(not('country', 'DE', 'FR'), some);
      expect(shown).toBe(left < 3 ? undefined : left);
      seen.add(shown);
      expect((await of(['pageviews'], not('country', 'DE', 'FR'), some)).shown).toBeDefined();
    }
    expect([undefined, 3, 4].map((one) => seen.has(one))).toEqual([true, true, true]);
  });

  test('ask for averages by themselves', async () => {
    const both = await of(['unique_visitors', 'bounce_rate'], is('country', 'DE', 'FR'));
    expect(both.asked).toHaveLength(3);
    expect(both.asked).toContainEqual([is('country', 'DE', 'FR')]);
    expect(both.shown?.[0]).toBe(69);
  });

  test('show sums of money to the cent, and below zero only where more was refunded than paid', async () => {
    expect((await of(['revenue'], is('country', 'DE', 'FR'))).shown).toEqual([23.34]);
    const metrics: Column[] = ['unique_visitors', 'refunds', 'revenue_confirmed'];
    expect((await of(metrics, is('country', 'DE'))).shown).toEqual([40, 10.5, -9.75]);
    expect((await of(metrics, is('country', 'DE', 'FR'))).shown).toEqual([69, 10.5, -9.75]);
    expect((await of(metrics, not('country', 'DE'))).shown).toEqual([35, 0, 0]);
  });
});

test('rows of other statements are changed as those of lists', () => {
  const rows = [row('a', 3), row('b', 2), row('c', 3, { pageviews: 2 })];
  const change = changedRows(['pageviews']);
  expect(change(rows, RULE).map(({ label }) => label)).toEqual(['a']);
  expect(change(rows, { properties: false, fewest: 1 })).toBe(rows);
});
