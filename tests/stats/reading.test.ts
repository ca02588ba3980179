// How pages are read, checked against a slow count in memory over random views.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import type { Filter } from '../../server/stats/query.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP as site, makeEvent, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { median, slowReadings } from '../setup/stats/reference-counts.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';

const DAY = Date.UTC(2026, 10, 18);
const NOW = DAY + 2 * DAY_MS;
const random = openRandom(96_301);
const PAGES = ['/', '/pricing', '/blog', '/empty'];

let store: TestStore;
let stats: Stats;
const rows: VisitedEvent[] = [];

const question = (filters: Filter[] = [], site_id: string = SITE) => ({
  site_id,
  period: 'custom' as const,
  date_from: '2026-11-18',
  date_to: '2026-11-18',
  compare: 'none' as const,
  filters,
});
const onPage = (page: string): Filter => ({ dimension: 'page', operator: 'is', values: [page] });

/** Readers go back and forth between few pages, and each leaves and comes back to the tab several times. */
function drawVisit(visitor: number): ReturnType<typeof makeEvent>[] {
  let time = DAY + random.number(20 * 60) * MINUTE_MS;
  const about = { visitor: String(visitor), country: random.pick(['DE', 'FR']) };
  return Array.from({ length: 1 + random.number(12) }, () => {
    time += 1 + random.number(3 * MINUTE_MS);
    const page = random.pick(PAGES);
    return random.chance(0.35)
      ? makeEvent({ ...about, time, page })
      : makeEvent({
          ...about,
          time,
          page,
          name: 'engagement',
          interactive: false,
          engaged_ms: random.number(90_000),
          scroll: page === '/empty' ? 0 : random.number(101),
        });
  });
}

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => 1);
  const visits = openVisits(store);
  const drawn = Array.from({ length: 120 }, (_, visitor) => drawVisit(visitor)).flat();
  rows.push(...drawn.sort((a, b) => a.time - b.time).flatMap((event) => visits.assign(event, event.time) ?? []));
  await store.insert({ events: rows, ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

const readingsOf = (which: (view: VisitedEvent) => boolean) =>
  [...slowReadings(rows)].filter(([view]) => which(view)).map(([, reading]) => reading);

describe('the curve and the medians of a page match a slow count', () => {
  test.each([...PAGES, undefined])('%s', async (page) => {
    const read = readingsOf((view) => page === undefined || view.page === page);
    const { views, time_on_page, scroll_depth, reached } = await stats.reading(
      question(page === undefined ? [] : [onPage(page)]),
      site,
      NOW,
    );
    expect(read.length).toBeGreaterThan(10);
    expect([views, time_on_page, scroll_depth]).toEqual([
      read.length,
      median(read.map(({ engaged_ms }) => engaged_ms)) / 1000,
      median(read.map(({ scroll }) => scroll)),
    ]);
    expect(reached).toEqual(
      [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((scroll) => ({
        scroll,
        views: read.filter((reading) => reading.scroll >= scroll).length,
      })),
    );
  });

  test('also under a filter on visits', async () => {
    const filters: Filter[] = [onPage('/blog'), { dimension: 'country', operator: 'is', values: ['FR'] }];
    const read = readingsOf(({ page, country }) => page === '/blog' && country === 'FR');
    expect((await stats.reading(question(filters), site, NOW)).views).toBe(read.length);
  });
});

test('the figures of a period include the medians if a filter names one page, and leave them out otherwise', async () => {
  const names = async (filters: Filter[]) =>
    (await stats.summary(question(filters), site, NOW)).metrics.map(({ name }) => name);
  expect(await names([onPage('/blog')])).toEqual(expect.arrayContaining(['time_on_page', 'scroll_depth']));
  for (const filters of [
    [],
    [{ ...onPage('/blog'), values: ['/blog', '/'] }],
    [{ ...onPage('/blog'), operator: 'is_not' as const }],
    [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }],
  ])
    expect(await names(filters)).not.toEqual(expect.arrayContaining(['time_on_page']));
});

test.each(['event', 'prop:plan'] as const)(
  'a list by %s has no page views, so it has no medians',
  async (dimension) => {
    const asked = { ...question(), dimension, metrics: ['time_on_page' as const], page: 1, per_page: 10 };
    await expect(stats.list(asked, site, NOW)).rejects.toThrow('time_on_page and scroll_depth describe page views');
  },
);

test('engagement belongs to the view before it and adds up; at the same moment, it belongs to the view that was left', async () => {
  const own = 'site_MOMENTMOMENTMOME' as SiteId;
  const visits = openVisits(store);
  const at = (seconds: number, given: object) => makeEvent({ site_id: own, time: DAY + seconds * 1000, ...given });
  const engaged = (seconds: number, ms: number, scroll: number) =>
    at(seconds, { name: 'engagement', engaged_ms: ms, scroll, interactive: false });
  const events = [
    engaged(0, 9_000, 90), // before any view: belongs to none
    at(1, {}),
    engaged(5, 4_000, 20),
    engaged(20, 6_000, 60),
    engaged(30, 1_000, 30), // at the moment of the next view
    at(30, {}),
    at(31, { page: '/other' }),
    engaged(40, 2_000, 100),
    at(50, {}), // left open
  ].flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events, ai_visits: [] }, own);
  const { views, time_on_page, scroll_depth } = await stats.reading(question([], own), site, NOW);
  expect({ views, time_on_page, scroll_depth }).toEqual({
    views: 2,
    time_on_page: (11 + 2) / 2,
    scroll_depth: (60 + 100) / 2,
  });
});

test('viewers of a share link get no number that comes from fewer than three visitors', async () => {
  const own = 'site_VIEWERVIEWERVIEW' as SiteId;
  const visits = openVisits(store);
  // All three visitors see /part, but only two of them read it.
  const events = [
    { page: '/two', visitors: 2, readers: 2 },
    { page: '/three', visitors: 3, readers: 3 },
    { page: '/part', visitors: 3, readers: 2 },
  ]
    .flatMap(({ page, visitors, readers }) =>
      Array.from({ length: visitors }, (_, visitor) => {
        const about = { site_id: own, page, visitor: `${page}${visitor}` };
        const view = makeEvent({ ...about, time: DAY + visitor * MINUTE_MS });
        if (visitor >= readers) return [view];
        return [
          view,
          makeEvent({
            ...about,
            time: DAY + visitor * MINUTE_MS + 1,
            name: 'engagement',
            interactive: false,
            engaged_ms: 5_000,
            scroll: visitor === 0 ? 100 : 50,
          }),
        ];
      }),
    )
    .flat()
    .flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events, ai_visits: [] }, own);
  const asked = {
    ...question([], own),
    metrics: ['pageviews' as const, 'time_on_page' as const],
  };
  const goals = ['/two', '/three', '/part'].map((page) => ({ id: page, kind: 'page' as const, page }));
  const withGoals = openStats(store, () => undefined, { goalsOf: () => Promise.resolve(goals) });
  const medians = async (by: Stats, dimension: 'page' | 'goal') =>
    (await by.list({ ...asked, dimension, page: 1, per_page: 10 }, site, NOW)).rows.map(({ name, values }) => [
      name,
      values.time_on_page,
    ]);
  const reach = async (by: Stats, page: string) => {
    const { views, reached } = await by.reading(question([onPage(page)], own), site, NOW);
    return [views, reached.find(({ scroll }) => scroll === 50)?.views, reached.at(-1)?.views];
  };
  const viewer = stats.askedBy({}, viewing({}, NOW));
  const shown = [
    ['/part', 0],
    ['/three', 5],
  ];
  expect(await medians(viewer, 'page')).toEqual([...shown, ['/two', 0]]);
  const ofGoals = withGoals.askedBy({}, viewing({}, NOW));
  expect(await medians(ofGoals, 'goal')).toEqual(shown);
  const all = [
    ['/part', 5],
    ['/three', 5],
    ['/two', 5],
  ];
  expect(await medians(withGoals, 'goal')).toEqual(all);
  expect([await reach(viewer, '/two'), await reach(viewer, '/three')]).toEqual([
    [0, 0, 0],
    [3, 3, 0],
  ]);
  for (const unlimited of [stats, stats.askedBy({}, viewing({ few: true }, NOW))]) {
    expect(await medians(unlimited, 'page')).toEqual(all);
    expect(await reach(unlimited, '/two')).toEqual([2, 2, 1]);
  }
});
