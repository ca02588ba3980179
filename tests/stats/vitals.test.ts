/** @module-tag promise */
// How fast pages felt, checked against a slow count in memory over random page views.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId, VisitedEvent, VisitedVitals } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import type { Filter } from '../../server/stats/query.ts';
import type { VitalsFigures } from '../../server/stats/vitals/vitals.ts';
import { stepped, type Vital, VITAL_NAMES, VITALS, VITALS_SPLITS } from '../../server/vocabulary/numbers/vitals.ts';
import type { Period } from '../../server/vocabulary/time/periods.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP as site, makeEvent, makeVitals, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';
import { showsKept } from '../setup/run/harness.ts';

const DAY = Date.UTC(2026, 10, 17);
const NOW = DAY + 3 * DAY_MS;
const random = openRandom(70_707);
const PAGES = ['/', '/pricing', '/blog', '/blog/news'];
const MANY = 10_000;

const SIGNUP = { id: 'goal_A', kind: 'event' as const, event: 'signup', props: {} };

let store: TestStore;
let stats: Stats;
const events: VisitedEvent[] = [];
const rows: VisitedVitals[] = [];

const question = (filters: Filter[] = [], site_id: string = SITE) => ({
  site_id,
  period: 'custom' as const,
  date_from: '2026-11-17',
  date_to: '2026-11-18',
  compare: 'none' as const,
  filters,
});
const is = (dimension: Filter['dimension'], ...values: string[]): Filter => ({ dimension, operator: 'is', values });

/** A visit opens some pages. Not every browser measures every vital. */
function drawVisit(visitor: number) {
  const start = DAY + random.number(40) * HOUR_MS;
  const about = {
    visitor: String(visitor),
    country: random.pick(['DE', 'FR']),
    source: random.pick(['Google', '']),
    device: random.pick(['mobile', 'desktop'] as const),
  };
  const pages = Array.from({ length: 1 + random.number(4) }, () => random.pick(PAGES));
  const seen = pages.map((page, index) => makeEvent({ ...about, page, time: start + index * 60_000 }));
  const signup = random.chance(0.3) ? [makeEvent({ ...about, name: 'signup', time: start + 1000 })] : [];
  const measured = seen.map((view) => ({
    ...makeVitals({ ...about, page: view.page, time: view.time + 5000, event_id: makeEvent().event_id }),
    lcp: random.chance(0.9) ? stepped(random.number(6000)) : null,
    inp: random.chance(0.5) ? stepped(random.number(700)) : null,
    cls: stepped(random.pick([0, 0.05, 0.1, 0.1001, 0.25, 0.2501, 0.3])),
    lcp_element: random.pick(['img', 'h1', 'div[button]']),
    connection: random.pick(['4g', '3g', '']),
  }));
  return { events: [...seen, ...signup], measured };
}

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1, { goalsOf: () => Promise.resolve([SIGNUP]) });
  const visits = openVisits(store);
  for (const { events: own, measured } of Array.from({ length: 150 }, (_, visitor) => drawVisit(visitor))) {
    const sorted = own.sort((a, b) => a.time - b.time);
    events.push(...sorted.flatMap((event) => visits.assign(event, event.time) ?? []));
    rows.push(...measured.map(visits.place));
  }
  // several parts, each with its own figures of a day
  for (const [index, part] of [rows.slice(0, 100), rows.slice(100)].entries())
    await store.insert({ events: index === 0 ? events : [], ai_visits: [], vitals: part }, `part ${index}`);
});
afterAll(() => store[Symbol.asyncDispose]());

const valuesOf = (some: VisitedVitals[], vital: Vital) =>
  some.flatMap((row) => row[vital] ?? []).sort((one, other) => one - other);

/** Three of four values are at most this. */
const exactP75 = (sorted: number[]): number => sorted[Math.ceil(0.75 * sorted.length) - 1] ?? NaN;
/** How far a percentile may be off: values are stored in steps of at most one per cent, and shown as whole milliseconds or with three digits. */
const offBy = (vital: Vital, exact: number): number => 0.005 * exact + (vital === 'cls' ? 0.00051 : 0.51);

function expectFigures(found: VitalsFigures, some: VisitedVitals[]) {
  expect(found.views).toBe(some.length);
  for (const vital of VITAL_NAMES) {
    const values = valuesOf(some, vital);
    const { good, poor } = VITALS[vital];
    const share = (of: number[]) => Math.round((1000 * of.length) / values.length) / 10;
    const { p75, ...figures } = found[vital];
    expect([vital, figures]).toEqual([
      vital,
      {
        views: values.length,
        good: share(values.filter((value) => value <= good)),
        needs_improvement: expect.closeTo(share(values.filter((value) => value > good && value <= poor)), 0) as unknown,
        poor: share(values.filter((value) => value > poor)),
      },
    ]);
    const exact = exactP75(values);
    expect(Math.abs((p75 ?? NaN) - exact), vital).toBeLessThanOrEqual(offBy(vital, exact));
  }
}

const ofVisitsWith = (matches: (event: VisitedEvent) => boolean) => {
  const visits = new Set(events.filter(matches).map(({ visit_id }) => visit_id));
  return (row: VisitedVitals) => visits.has(row.visit_id);
};

describe('the figures of a period', () => {
  test('are those of all measured page views, with the shares that Google’s thresholds make', async () => {
    const { totals, before, date_from, date_to } = await stats.vitals(question(), site, NOW);
    expect(rows.length).toBeGreaterThan(300);
    expectFigures(totals, rows);
    expect([before, date_from, date_to]).toEqual([null, '2026-11-17', '2026-11-18']);
    for (const vital of VITAL_NAMES) {
      const { good, needs_improvement, poor } = totals[vital];
      expect(good + needs_improvement + poor).toBeCloseTo(100, 5);
    }
  });

  const FILTERED: [name: string, filters: Filter[], matches: (row: VisitedVitals) => boolean][] = [
    ['a page', [is('page', '/pricing')], ({ page }) => page === '/pricing'],
    [
      'other pages',
      [{ dimension: 'page', operator: 'is_not', values: ['/pricing'] }],
      ({ page }) => page !== '/pricing',
    ],
    [
      'a part of a page',
      [{ dimension: 'page', operator: 'contains', values: ['LOG'] }],
      ({ page }) => page.startsWith('/blog'),
    ],
    ['a country', [is('country', 'FR')], ({ country }) => country === 'FR'],
    [
      'a device and a source',
      [is('device', 'mobile'), is('source', 'Google')],
      ({ device, source }) => device === 'mobile' && source === 'Google',
    ],
    ['an event', [is('event', 'signup')], (row) => ofVisitsWith(({ name }) => name === 'signup')(row)],
    [
      'no event',
      [{ dimension: 'event', operator: 'is_not', values: ['signup'] }],
      (row) => !ofVisitsWith(({ name }) => name === 'signup')(row),
    ],
    [
      'an event, a country and a page',
      [is('event', 'signup'), is('country', 'DE'), is('page', '/')],
      (row) => row.country === 'DE' && row.page === '/' && ofVisitsWith(({ name }) => name === 'signup')(row),
    ],
    [
      'a segment',
      [
        {
          ...is('segment', 'segment_A'),
          segments: [[is('page', '/blog') as never, is('country', 'DE') as never]],
        },
      ],
      (row) => row.country === 'DE' && ofVisitsWith(({ page }) => page === '/blog')(row),
    ],
    ['an entry page', [is('entry_page', '/blog')], ({ entry_page }) => entry_page === '/blog'],
  ];
  test.each(FILTERED)('are narrowed by %s', async (_, filters, matches) => {
    const some = rows.filter(matches);
    expect(some.length).toBeGreaterThan(10);
    expect(some.length).toBeLessThan(rows.length);
    expectFigures((await stats.vitals(question(filters), site, NOW)).totals, some);
  });

  test('are narrowed by a column that only measurements have', async () => {
    const only = { split: 'connection' as const, name: '3g' };
    const some = rows.filter(({ connection }) => connection === '3g');
    const { totals, points } = await stats.vitals({ ...question(), only }, site, NOW);
    expectFigures(totals, some);
    expect(points.reduce((sum, { views }) => sum + views, 0)).toBe(some.length);
    const list = { ...question(), only, split: 'device' as const, page: 1, per_page: 10 };
    const found = await stats.vitalsList(list, site, NOW);
    const ofOne = await stats.vitalsList({ ...list, vital: 'inp' }, site, NOW);
    expect(ofOne.rows.map(({ name, inp }) => ({ name, inp }))).toEqual(
      found.rows.map(({ name, inp }) => ({ name, inp })),
    );
    expect(ofOne.rows.map(({ lcp }) => lcp.views)).toEqual(found.rows.map(() => 0));
    expect(found.rows).toHaveLength(2);
    for (const { name, before: _, ...figures } of found.rows)
      expectFigures(
        figures,
        some.filter(({ device }) => device === name),
      );
  });

  test('are compared with those of another period', async () => {
    const days = { ...question(), date_from: '2026-11-18', compare: 'previous' as const };
    const { totals, before } = await stats.vitals(days, site, NOW);
    expectFigures(
      totals,
      rows.filter(({ time }) => time >= DAY + DAY_MS),
    );
    expectFigures(
      before as VitalsFigures,
      rows.filter(({ time }) => time < DAY + DAY_MS),
    );
  });

  test('are those of each day or hour, and null where nothing was measured', async () => {
    for (const [interval, ms] of [
      ['day', DAY_MS],
      ['hour', HOUR_MS],
    ] as const) {
      const { points } = await stats.vitals({ ...question(), interval }, site, NOW);
      expect(points.map(({ time }) => time)).toEqual(
        Array.from({ length: (2 * DAY_MS) / ms }, (_, index) => DAY + index * ms),
      );
      for (const { time, views, cls } of points) {
        const own = rows.filter((row) => row.time >= time && row.time < time + ms);
        expect([views, cls === null]).toEqual([own.length, own.length === 0]);
      }
    }
  });

  test('of a site with a time zone are those of its days, and of UTC days for whoever asks in UTC', async () => {
    const west = 'site_WESTWESTWESTWEST' as SiteId;
    const about = { site_id: west, visit_id: 1n, import_id: '', entry_page: '/' };
    const vitals = [
      ...Array.from({ length: 4 }, () => ({ time: Date.UTC(2026, 9, 4, 3), day: '2026-10-03' })),
      ...Array.from({ length: 3 }, () => ({ time: Date.UTC(2026, 9, 4, 12), day: '2026-10-04' })),
      ...Array.from({ length: 2 }, () => ({ time: Date.UTC(2026, 9, 5, 1), day: '2026-10-04' })),
      // a UTC day whose views all lie on their own day, beside one whose views do not
      ...Array.from({ length: 3 }, () => ({ time: Date.UTC(2026, 10, 4, 12), day: '2026-11-04' })),
      ...Array.from({ length: 2 }, () => ({ time: Date.UTC(2026, 10, 5, 1), day: '2026-11-04' })),
    ].map((at) => ({ ...makeVitals({ ...at, event_id: makeEvent().event_id }), ...about }));
    await store.insert({ events: [], ai_visits: [], vitals }, 'west');
    const views = async (period: Period, timezone: string | null, now = Date.UTC(2026, 9, 5, 3)) => {
      const asked = { site_id: west, period, compare: 'none' as const, filters: [] };
      const { totals, points } = await stats.vitals(asked, { ...site, timezone }, now);
      expect(points.reduce((sum, point) => sum + point.views, 0)).toBe(totals.views);
      return totals.views;
    };
    expect([await views('today', null), await views('yesterday', null)]).toEqual([2, 7]);
    expect(await views('yesterday', null, Date.UTC(2026, 10, 5, 3))).toBe(3);
    const zone = 'America/Los_Angeles';
    expect([await views('today', zone), await views('yesterday', zone)]).toEqual([5, 4]);
    // the last 24 hours, which a question in the last minute of a UTC day begins at midnight
    expect(await views('24h', zone, Date.UTC(2026, 9, 4, 23, 59, 30))).toBe(7);
  });

  test('of a site without any are empty', async () => {
    const { totals, points } = await stats.vitals(question([], 'site_NOTHINGNOTHINGN'), site, NOW);
    expect(totals.views).toBe(0);
    expect(totals.lcp).toEqual({ p75: null, views: 0, good: 0, needs_improvement: 0, poor: 0 });
    expect(points.map(({ views, lcp }) => [views, lcp])).toEqual([
      [0, null],
      [0, null],
    ]);
  });

  test('refuse filters on AI visits', async () => {
    await expect(stats.vitals(question([is('ai_agent', 'GPTBot')]), site, NOW)).rejects.toThrow('filters: ai_agent');
  });
});

describe('a list', () => {
  test.each(VITALS_SPLITS)('by %s has each value with its figures, most views first', async (split) => {
    const { rows: found, total } = await stats.vitalsList({ ...question(), split, page: 1, per_page: 100 }, site, NOW);
    const valueOf = (row: VisitedVitals): string => {
      if (split === 'browser_version') return `${row.browser} ${row.browser_version}`;
      if (split === 'page_group') return `/${row.page.split('/')[1]}`;
      return split === 'os_version' ? row.os : String(row[split as keyof VisitedVitals]);
    };
    const groups = Map.groupBy(rows, valueOf);
    if (['lcp_element', 'inp_element', 'navigation', 'connection'].includes(split)) groups.delete('');
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(groups.keys()));
    expect(total).toBe(groups.size);
    for (const { name, before, ...figures } of found) {
      expectFigures(figures, groups.get(name) ?? []);
      expect(before).toBeNull();
    }
    expect(found.map(({ views }) => views)).toEqual(found.map(({ views }) => views).toSorted((a, b) => b - a));
  });

  test('is sorted by a vital, searched and paged', async () => {
    const list = { ...question(), split: 'page' as const, page: 1, per_page: 100 };
    const order = { by: 'lcp' as const, direction: 'desc' as const };
    const slowest = await stats.vitalsList({ ...list, order }, site, NOW);
    const p75 = slowest.rows.map(({ lcp }) => lcp.p75 ?? 0);
    expect(p75).toEqual(p75.toSorted((a, b) => b - a));
    const poorest = await stats.vitalsList({ ...list, order: { by: 'lcp_poor', direction: 'desc' } }, site, NOW);
    const poor = poorest.rows.map(({ lcp }) => lcp.poor);
    expect(poor).toEqual(poor.toSorted((a, b) => b - a));
    const second = await stats.vitalsList({ ...list, order, page: 2, per_page: 1 }, site, NOW);
    expect([second.total, second.rows.map(({ name }) => name)]).toEqual([PAGES.length, [slowest.rows[1]?.name]]);
    const found = await stats.vitalsList({ ...list, search: 'PRIC' }, site, NOW);
    expect([found.total, found.rows.map(({ name }) => name)]).toEqual([1, ['/pricing']]);
  });
});

test('a histogram has every value in its step, and what is beyond in the last', async () => {
  for (const vital of ['lcp', 'inp', 'cls'] as const) {
    const { step, counts } = await stats.vitalsHistogram({ ...question(), vital }, site, NOW);
    const values = valuesOf(rows, vital);
    const expected = counts.map(
      (_, index) =>
        values.filter((value) => Math.min(Math.floor(Math.fround(value) / step), counts.length - 1) === index).length,
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
    if (vital !== 'cls') expect(counts).toEqual(expected);
    expect(step * (counts.length - 1)).toBeGreaterThan(VITALS[vital].poor);
  }
});

describe('conversion beside speed', () => {
  const asked = { ...question(), goal_id: SIGNUP.id, vital: 'lcp' as const };

  test('counts the visits whose first measured page view was good, and those where it was poor', async () => {
    const firsts = [...Map.groupBy(rows, ({ visit_id }) => visit_id).values()].flatMap(
      (own) => own.filter(({ lcp }) => lcp !== null).toSorted((one, other) => one.time - other.time)[0] ?? [],
    );
    const reached = ofVisitsWith(({ name }) => name === 'signup');
    const count = (isOf: (lcp: number) => boolean) => {
      const visits = firsts.filter(({ lcp }) => isOf(lcp ?? 0));
      const converted = visits.filter(reached).length;
      return { visits: visits.length, converted, rate: Math.round((10_000 * converted) / visits.length) / 100 };
    };
    const { fast, slow, difference } = await stats.vitalsConversion(asked, site, NOW);
    expect([fast, slow]).toEqual([count((lcp) => lcp <= 2500), count((lcp) => lcp > 4000)]);
    expect(difference?.points).toBeCloseTo(fast.rate - slow.rate, 1);
    expect(difference?.low).toBeLessThan(difference?.points ?? 0);
    expect(difference?.high).toBeGreaterThan(difference?.points ?? 0);
  });

  test('tells no difference without visits of both kinds, and refuses a goal that the site does not have', async () => {
    const nowhere = await stats.vitalsConversion({ ...asked, site_id: 'site_NOTHINGNOTHINGN' }, site, NOW);
    const none = { visits: 0, converted: 0, rate: 0 };
    expect(nowhere).toMatchObject({ fast: none, slow: none, difference: null });
    await expect(stats.vitalsConversion({ ...asked, goal_id: 'goal_B' }, site, NOW)).rejects.toThrow('no such goal');
  });

  test('is told to viewers only where enough visitors converted, and enough did not', async () => {
    showsKept('a share link singles nobody out');
    const viewer = stats.askedBy({}, viewing({}, NOW));
    const exact = await stats.vitalsConversion(asked, site, NOW);
    const shown = await viewer.vitalsConversion(asked, site, NOW);
    expect(Math.abs(shown.fast.visits - exact.fast.visits)).toBeLessThan(5);
    expect(shown.difference).not.toBeNull();
    const few = [is('page', '/pricing'), is('country', 'FR'), is('source', 'Google'), is('device', 'mobile')];
    const narrowed = await viewer.vitalsConversion({ ...asked, filters: few }, site, NOW);
    expect(narrowed).toMatchObject({ fast: { visits: 0 }, slow: { visits: 0 }, difference: null });
  });
});

describe('with ten thousand values', () => {
  const large = 'site_LARGELARGELARGEL' as SiteId;
  const drawn: VisitedVitals[] = [];
  beforeAll(async () => {
    const skewed = (median: number) =>
      Math.round(median * Math.exp(1.5 * (random.number(10_000) / 10_000 - 0.4) ** 3 * 8));
    for (let index = 0; index < MANY; index += 1)
      drawn.push({
        ...makeVitals({
          visitor: String(index % 3000),
          site_id: large,
          time: DAY + (index % 2880) * 60_000,
          event_id: makeEvent().event_id,
        }),
        lcp: skewed(2200),
        inp: skewed(120),
        cls: Math.round(skewed(400) / 4) / 1000,
        fcp: skewed(1200),
        ttfb: skewed(400),
        visit_id: 0n,
        import_id: '',
        entry_page: '/',
      });
    for (let part = 0; part < 5; part += 1)
      await store.insert(
        { events: [], ai_visits: [], vitals: drawn.slice((part * MANY) / 5, ((part + 1) * MANY) / 5) },
        `large ${part}`,
      );
  });

  test('percentiles are within one per cent of exact ones: those of whole days from what is kept of each, and those of rows', async () => {
    const kept = (await stats.vitals(question([], large), site, NOW)).totals;
    const ofRows = (await stats.vitals(question([is('country', 'DE')], large), site, NOW)).totals;
    for (const totals of [kept, ofRows]) {
      expect(totals.views).toBe(MANY);
      for (const vital of VITAL_NAMES) {
        const exact = exactP75(valuesOf(drawn, vital));
        expect(Math.abs((totals[vital].p75 ?? NaN) - exact), vital).toBeLessThanOrEqual(offBy(vital, exact));
      }
    }
  });

  test.each([null, 'Europe/Berlin'])('the figures of whole days (%s) read what is kept of each', async (timezone) => {
    const { sql, bound } = await statementOf((asked) => asked.vitals(question([], large), { ...site, timezone }, NOW));
    const plan = await store.query<{ explain: string }>(`EXPLAIN projections = 1 ${sql}`, bound as never);
    expect(plan.map(({ explain }) => explain).join('\n')).toMatch(/figures/);
  });

  test.each([null, 'Europe/Berlin'])(
    'the names of whole days (%s) are listed without reading an instant',
    async (timezone) => {
      const list = { ...question([], large), split: 'page' as const, page: 1, per_page: 8 };
      const { sql, bound } = await statementOf((asked) => asked.vitalsList(list, { ...site, timezone }, NOW));
      const plan = await store.query<{ explain: string }>(`EXPLAIN actions = 1 ${sql}`, bound as never);
      const text = plan.map(({ explain }) => explain).join('\n');
      expect(text).toMatch(/Prewhere[^]*\bday\b/);
      expect(text).not.toMatch(/\btime\b/);
    },
  );
});

/** The first statement of a question. */
async function statementOf(ask: (stats: Stats) => Promise<unknown>) {
  const statements: { sql: string; bound: unknown }[] = [];
  const spying = {
    query: (sql: string, bound: never) => {
      statements.push({ sql, bound });
      return store.query(sql, bound);
    },
  };
  await ask(openStats(spying as never, () => 2));
  return statements.find(({ sql }) => sql.includes('FROM vitals')) ?? { sql: '', bound: {} };
}

describe('for viewers of a share link', () => {
  const few = 'site_FEWFEWFEWFEWFEWF' as SiteId;
  beforeAll(async () => {
    const row = (visitor: string, page: string, lcp: number) => ({
      ...makeVitals({ visitor, page, site_id: few, time: DAY, event_id: makeEvent().event_id }),
      lcp,
      visit_id: 1n,
      import_id: '',
      entry_page: page,
    });
    const vitals = [
      ...['a', 'b', 'c', 'd', 'e'].map((visitor) => row(visitor, '/', 1234)),
      ...['a', 'b'].map((visitor) => row(visitor, '/secret', 9876)),
    ];
    await store.insert({ events: [], ai_visits: [], vitals }, 'few');
  });

  test('rows of fewer than three visitors are withheld, and values are rounded', async () => {
    showsKept('a share link singles nobody out');
    const list = { ...question([], few), split: 'page' as const, page: 1, per_page: 10 };
    const viewer = stats.askedBy({}, viewing({}, NOW));
    const all = await stats.vitalsList(list, site, NOW);
    const shown = await viewer.vitalsList(list, site, NOW);
    expect(all.rows.map(({ name, views, lcp }) => [name, views, lcp.p75])).toEqual([
      ['/', 5, 1230],
      ['/secret', 2, 9900],
    ]);
    expect([shown.total, shown.rows.map(({ name, lcp }) => [name, lcp.p75])]).toEqual([1, [['/', 1200]]]);
    const secret = await viewer.vitals(question([is('page', '/secret')], few), site, NOW);
    expect(secret.totals.lcp.p75).toBeNull();
    const exact = await stats.askedBy({}, viewing({ few: true }, NOW)).vitalsList(list, site, NOW);
    expect(exact.rows).toEqual(all.rows);
    const only = { split: 'connection' as const, name: '4g' };
    await expect(viewer.vitals({ ...question([], few), only }, site, NOW)).rejects.toThrow('only: is not part of');
    await expect(viewer.vitalsList({ ...list, only }, site, NOW)).rejects.toThrow('only: is not part of');
    const { counts } = await viewer.vitalsHistogram({ ...question([], few), vital: 'lcp' }, site, NOW);
    expect(counts.filter((count) => count > 0)).toHaveLength(1);
  });
});
