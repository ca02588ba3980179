/** @module-tag attack */
/** @module-tag promise */
// Errors from rows to answers, checked against a slow count in memory over random page views; and what viewers of share links see of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId, VisitedError, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import type { ErrorRow } from '../../server/stats/errors/answers.ts';
import type { ErrorsQuestion, Filter } from '../../server/stats/query.ts';
import { ERROR_KINDS, ERROR_ORDERS } from '../../server/vocabulary/numbers/errors.ts';
import { DAY_MS, HOUR_MS, startOfDay } from '../../server/vocabulary/time/time.ts';
import { dayIn } from '../../server/vocabulary/time/zones.ts';
import { EURO_SHOP as site, makeError, makeEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';
import { type LinkRules, NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import { showsKept, showsRefused } from '../setup/run/harness.ts';

const DAY = Date.UTC(2026, 10, 17);
const NOW = DAY + 3 * DAY_MS;
const random = openRandom(80_808);
const SHAPES = ERROR_KINDS.map((error_kind, index) => ({
  error_kind,
  error_shape: `${index}`.repeat(12),
  error_message: `Error of kind ${error_kind}`,
  error_file: `/${error_kind}.js`,
}));
const NOTES = [
  { day: '2026-11-17', text: 'A film on the front page', is_private: false },
  { day: '2026-11-17', text: 'Release 2.4', is_private: true },
  { day: '2026-10-01', text: 'Long ago', is_private: false },
];

let store: TestStore;
let stats: Stats;
const events: VisitedEvent[] = [];
const rows: VisitedError[] = [];

const question = (more: Partial<ErrorsQuestion> = {}, site_id: string = SITE) => ({
  site_id,
  period: 'custom' as const,
  date_from: '2026-11-17',
  date_to: '2026-11-18',
  compare: 'none' as const,
  filters: [],
  page: 1,
  per_page: 10,
  ...more,
});
const is = (dimension: Filter['dimension'], ...values: string[]): Filter => ({ dimension, operator: 'is', values });
const errorOf = (given: Parameters<typeof makeError>[0]) => ({ ...makeError(given), event_id: makeEvent().event_id });

function drawVisit(visitor: number) {
  const start = DAY + random.number(40) * HOUR_MS;
  const about = {
    visitor: String(visitor),
    country: random.pick(['DE', 'FR']),
    device: random.pick(['mobile', 'desktop'] as const),
    source: random.pick(['Google', '']),
  };
  const pages = Array.from({ length: 1 + random.number(3) }, () => random.pick(['/', '/pricing', '/blog']));
  const seen = pages.map((page, index) => makeEvent({ ...about, page, time: start + index * 60_000 }));
  const failed = seen.flatMap(({ page, time }) =>
    random.chance(0.4)
      ? [errorOf({ ...about, page, ...random.pick(SHAPES), time: time + 5000, occurrences: 1 + random.number(4) })]
      : [],
  );
  const signup = random.chance(0.3) ? [makeEvent({ ...about, name: 'signup', time: start + 1000 })] : [];
  return { events: [...seen, ...signup], failed };
}

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1, { releasesOf: () => Promise.resolve({ noted: NOTES, zone: 'UTC' }) });
  const visits = openVisits(store);
  for (const { events: own, failed } of Array.from({ length: 150 }, (_, visitor) => drawVisit(visitor))) {
    const sorted = own.sort((a, b) => a.time - b.time);
    events.push(...sorted.flatMap((event) => visits.assign(event, event.time) ?? []));
    rows.push(...failed.map(visits.place));
  }
  // seen long ago, and in no visit that is known
  const [early] = SHAPES;
  const old = visits.place(errorOf({ visitor: 'old', ...early, time: DAY - 40 * DAY_MS }));
  await store.insert({ events, ai_visits: [], errors: [...rows, old] }, 'errors');
});
afterAll(() => store[Symbol.asyncDispose]());

const sumOf = (some: readonly VisitedError[]) => some.reduce((sum, row) => sum + row.occurrences, 0);
const visitsOf = (some: readonly { visit_id: bigint }[]) => new Set(some.map(({ visit_id }) => visit_id)).size;
const percent = (part: number, all: number) => Math.round((1000 * part) / all) / 10;

test('totals, rows and trends are those of a slow count', async () => {
  const answer = await stats.errors(question(), site, NOW);
  const all = visitsOf(events);
  const figuresOf = (some: readonly VisitedError[]) => ({
    count: sumOf(some),
    visits: visitsOf(some),
    share: percent(visitsOf(some), all),
  });
  expect(answer).toMatchObject({ date_from: '2026-11-17', date_to: '2026-11-18', before: null, total: 3 });
  expect(answer.totals).toEqual(figuresOf(rows));
  expect(answer.rows.map(({ count }) => count)).toEqual(answer.rows.map(({ count }) => count).sort((a, b) => b - a));
  for (const row of answer.rows) {
    const own = rows.filter(({ error_shape }) => error_shape === row.shape);
    const times = own.map(({ time }) => time);
    const isFirst = row.shape === SHAPES[0]?.error_shape;
    const first = isFirst ? DAY - 40 * DAY_MS : Math.min(...times);
    const about = { message: `Error of kind ${row.kind}`, file: `/${row.kind}.js`, line: 12 };
    expect(row).toMatchObject({ ...about, ...figuresOf(own), first_seen: first, last_seen: Math.max(...times) });
    expect(row.since).toBe(isFirst ? null : 'Release 2.4');
    expect(row.trend.reduce((sum, count) => sum + count, 0)).toBe(row.count);
    answer.times.forEach((from, index) => {
      const to = answer.times[index + 1] ?? Infinity;
      expect(row.trend[index]).toBe(sumOf(own.filter(({ time }) => time >= from && time < to)));
    });
  }
});

test.each(ERROR_ORDERS)('rows can be sorted by %s, and cut into pages', async (by) => {
  const key = (row: ErrorRow) => (by === 'name' ? row.message : (row[by] ?? 0));
  const order = { by, direction: 'asc' } as const;
  const all = await stats.errors(question({ order }), site, NOW);
  expect(all.rows.map(key)).toEqual(all.rows.map(key).sort((a, b) => (a < b ? -1 : 1)));
  const second = await stats.errors(question({ order, page: 2, per_page: 2 }), site, NOW);
  expect([second.rows, second.total]).toEqual([all.rows.slice(2), 3]);
});

test('the first error of each shape is read from what is kept of it, not from its rows', async () => {
  const firsts =
    'SELECT error_shape AS of_shape, min(time) FROM errors WHERE site_id = {site_id:String} GROUP BY of_shape';
  const plan = await store.query<{ explain: string }>(`EXPLAIN projections = 1 ${firsts}`, { site_id: SITE });
  expect(plan.map(({ explain }) => explain).join('\n')).toMatch(/firsts/);
});

const FILTERS: [name: string, filters: Filter[], row: (row: VisitedError) => boolean][] = [
  ['a page', [is('page', '/pricing')], ({ page }) => page === '/pricing'],
  ['a country', [is('country', 'DE')], ({ country }) => country === 'DE'],
  [
    'a device and a source',
    [is('device', 'mobile'), is('source', 'Google')],
    (row) => row.device === 'mobile' && row.source === 'Google',
  ],
  ['an entry page', [is('entry_page', '/blog')], ({ entry_page }) => entry_page === '/blog'],
  [
    'an event',
    [is('event', 'signup')],
    ({ visit_id }) => events.some((event) => event.name === 'signup' && event.visit_id === visit_id),
  ],
];
test.each(FILTERS)('filters by %s', async (_, filters, matches) => {
  const { totals, rows: found } = await stats.errors(question({ filters }), site, NOW);
  const own = rows.filter(matches);
  expect([totals.count, totals.visits]).toEqual([sumOf(own), visitsOf(own)]);
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(sumOf(own));
});

test('of a site with a time zone those of its days are counted, and of UTC days for whoever asks in UTC', async () => {
  const west = 'site_WESTWESTWESTWEST' as SiteId;
  const errors = [
    { time: Date.UTC(2026, 9, 4, 12), occurrences: 3 },
    { time: Date.UTC(2026, 9, 5, 1), occurrences: 2 },
  ].map((at) => ({
    ...errorOf({ ...at, day: '2026-10-04' }),
    site_id: west,
    visit_id: 1n,
    import_id: '',
    entry_page: '/',
  }));
  await store.insert({ events: [], ai_visits: [], errors }, 'west');
  const { date_from: _, date_to: __, ...asked } = question({}, west);
  const counts = (timezone: string | null) =>
    Promise.all(
      (['today', 'yesterday'] as const).map(async (period) => {
        const of = { ...asked, period };
        return (await stats.errors(of, { ...site, timezone }, Date.UTC(2026, 9, 5, 3))).totals.count;
      }),
    );
  expect(await counts(null)).toEqual([2, 3]);
  expect(await counts('America/Los_Angeles')).toEqual([5, 0]);
});

test('a kind, and a part of the message or the file, narrow rows and totals', async () => {
  for (const { error_kind } of SHAPES)
    for (const narrowed of [{ kind: error_kind }, { search: `KIND ${error_kind}` }, { search: `${error_kind}.JS` }]) {
      const { rows: found, totals } = await stats.errors(question(narrowed), site, NOW);
      expect(found.map(({ kind }) => kind)).toEqual([error_kind]);
      expect(totals.count).toBe(sumOf(rows.filter((row) => row.error_kind === error_kind)));
    }
  expect((await stats.errors(question({ search: "'; DROP TABLE errors" }), site, NOW)).rows).toEqual([]);
});

test('one shape has its pages, devices, browsers and countries, and its course', async () => {
  const [{ error_shape: shape = '' } = {}] = SHAPES;
  const { page: _, per_page: __, ...asked } = question();
  const detail = await stats.errorsDetail({ ...asked, shape }, site, NOW);
  const own = rows.filter(({ error_shape }) => error_shape === shape);
  const listOf = (key: (row: VisitedError) => string) =>
    [...Map.groupBy(own, key)]
      .map(([name, some]) => ({ name, count: sumOf(some), visits: visitsOf(some) }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  expect(detail).toMatchObject({
    pages: listOf(({ page }) => page),
    devices: listOf(({ device }) => device),
    browsers: listOf(({ browser }) => browser),
    countries: listOf(({ country }) => country),
  });
  expect(detail.points.reduce((sum, { count }) => sum + count, 0)).toBe(sumOf(own));
  const none = await stats.errorsDetail({ ...asked, shape: 'ffffffffffff' }, site, NOW);
  expect([none.pages, none.points.every(({ count }) => count === 0)]).toEqual([[], true]);
});

test('a comparison has the totals of the earlier days', async () => {
  const asked = question({ date_from: '2026-11-18', compare: 'previous' });
  const { totals, before } = await stats.errors(asked, site, NOW);
  const on = (from: number) => rows.filter(({ time }) => time >= from && time < from + DAY_MS);
  expect([totals.count, before?.count]).toEqual([sumOf(on(DAY + DAY_MS)), sumOf(on(DAY))]);
});

test('a release belongs to the day of its site, whichever days are asked for, and to the next one, also when clocks change', async () => {
  const own = 'site_RELEASEDRELEASED' as SiteId;
  const times = { midnight: '2026-10-05T22:30Z', spring: '2026-03-29T22:30Z', autumn: '2026-10-25T22:30Z' };
  const errors = Object.values(times).map((time, index) => ({
    ...errorOf({ visitor: 'v', site_id: own, error_shape: String(index).repeat(12), time: Date.parse(time) }),
    visit_id: 0n,
    entry_page: '',
    import_id: '',
  }));
  await store.insert({ events: [], ai_visits: [], errors }, 'released');
  const noted = ['2026-10-06', '2026-03-29', '2026-10-24'].map((day) => ({ day, text: day, is_private: false }));
  const zoned = openStats(store, () => 1, { releasesOf: () => Promise.resolve({ noted, zone: 'Europe/Berlin' }) });
  const days = { date_from: '2026-01-01', date_to: '2026-11-17' };
  const { rows: found } = await zoned.errors(question(days, own), site, NOW);
  expect(found.map(({ shape, since }) => [shape[0], since]).sort()).toEqual([
    ['0', '2026-10-06'],
    ['1', '2026-03-29'],
    ['2', '2026-10-24'],
  ]);
});

describe('for viewers of a share link', () => {
  const few = 'site_FEWFEWFEWFEWFEWF' as SiteId;
  beforeAll(async () => {
    const row = (visitor: string, index: number) => ({
      ...errorOf({ visitor, ...SHAPES[index], site_id: few, time: DAY + 7 * HOUR_MS + index }),
      visit_id: BigInt(visitor.charCodeAt(0)),
      entry_page: '/',
      import_id: '',
    });
    const errors = [
      ...['a', 'b', 'c', 'd', 'e'].map((visitor) => row(visitor, 0)),
      ...['a', 'b'].map((visitor) => row(visitor, 1)),
    ];
    const views = ['a', 'b', 'c', 'd', 'e', 'f'].map((visitor) =>
      makeEvent({ visitor, site_id: few, time: DAY + HOUR_MS }),
    );
    const visits = openVisits(store);
    await store.insert(
      { events: views.flatMap((event) => visits.assign(event, event.time) ?? []), ai_visits: [], errors },
      'few',
    );
  });

  test('rows of fewer than three visitors are withheld, instants are days, and private notes are not told', async () => {
    showsKept('a share link singles nobody out');
    const viewer = stats.askedBy({}, viewing({}, NOW));
    const all = await stats.errors(question({}, few), site, NOW);
    const shown = await viewer.errors(question({}, few), site, NOW);
    expect(all.rows.map(({ shape, visits, since }) => [shape, visits, since])).toEqual([
      ['000000000000', 5, 'Release 2.4'],
      ['111111111111', 2, 'Release 2.4'],
    ]);
    expect([shown.total, shown.rows.map(({ shape, since }) => [shape, since])]).toEqual([
      1,
      [['000000000000', 'A film on the front page']],
    ]);
    for (const { first_seen, last_seen } of shown.rows)
      expect([first_seen, last_seen]).toEqual([startOfDay(DAY), startOfDay(DAY)]);
    const { page: _, per_page: __, ...asked } = question({}, few);
    const detail = await viewer.errorsDetail({ ...asked, shape: '111111111111' }, site, NOW);
    expect([detail.pages, detail.browsers, detail.points.every(({ count }) => count === 0)]).toEqual([[], [], true]);
    const exact = await stats.askedBy({}, viewing({ few: true }, NOW)).errors(question({}, few), site, NOW);
    expect(exact.rows.map(({ count }) => count)).toEqual(all.rows.map(({ count }) => count));
  });

  test('when an error was first seen is told of the days of a link alone, and of no link with filters', async () => {
    showsRefused('share link widened', 3);
    const firsts = async (rules: Partial<LinkRules>, fewest = 1) => {
      const rule = { properties: false, fewest, link: { ...NO_RULES, ...rules } };
      const viewer = stats.askedBy({}, { rule, now: NOW });
      const order = { by: 'first_seen', direction: 'asc' } as const;
      const { rows: found } = await viewer.errors(question({ order }), site, NOW);
      return found.map(({ shape, first_seen, since }) => [shape, first_seen, since]);
    };
    const film = 'A film on the front page';
    const [old, ...others] = SHAPES.map(({ error_shape: shape }) => {
      const times = rows.filter(({ error_shape }) => error_shape === shape).map(({ time }) => time);
      return [shape, Math.min(...times), film] as [string, number, string];
    });
    const recent = others.sort(([, one], [, other]) => one - other);
    expect(await firsts({})).toEqual([[old?.[0], DAY - 40 * DAY_MS, null], ...recent]);
    expect(await firsts({ period: { days: 7 } })).toEqual([[old?.[0], null, null], ...recent]);
    const rounded = recent.map(([shape, time, since]) => [shape, startOfDay(time), since]);
    expect(new Set(await firsts({ period: { days: 7 } }, 3))).toEqual(new Set([[old?.[0], null, null], ...rounded]));
    const german = { dimension: 'country' as const, operator: 'is' as const, values: ['DE'] };
    expect(await firsts({ filters: [german] })).toEqual(SHAPES.map(({ error_shape }) => [error_shape, null, null]));
    const days = { date_from: '2026-11-17', date_to: '2026-11-18' };
    expect(await firsts({ period: days })).toEqual([[old?.[0], null, null], ...recent]);
  });

  test.each([
    ['America/New_York', 5],
    ['Asia/Kolkata', -5.5],
  ])('in %s, the day of an error is that of the site', async (timezone, midnight) => {
    const viewer = stats.askedBy({}, viewing({}, NOW));
    const { rows: shown } = await viewer.errors(question({}, few), { ...site, timezone }, NOW);
    const start = DAY + midnight * HOUR_MS;
    expect(shown.map(({ first_seen, last_seen }) => [first_seen, last_seen])).toEqual([[start, start]]);
    expect(dayIn(timezone, start)).toBe('2026-11-17');
  });
});
