// What gained, what lost and what is new in a report, checked against a slow count in memory over random events.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import type { Filter } from '../../server/stats/query.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { drawEvents } from '../setup/stats/random-events.ts';
import { slowList } from '../setup/stats/reference-counts.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 2);
const DAYS = 12;
const NOW = FIRST_DAY + DAYS * DAY_MS;
const random = openRandom(20_261);
const METRIC = 'unique_visitors' as const;

let store: TestStore;
let stats: Stats;
let rows: VisitedEvent[];

beforeAll(async () => {
  store = await testStore();
  const visits = openVisits(store);
  const drawn = drawEvents(random, { from: FIRST_DAY, days: DAYS });
  // Each day has a source and a page that most earlier days have not.
  const events = drawn.map((event) => {
    const fresh = `of-${Math.floor((event.time - FIRST_DAY) / DAY_MS / 2)}`;
    const [source, page] = [random.chance(0.2) ? fresh : event.source, random.chance(0.1) ? `/${fresh}` : event.page];
    return { ...event, source, page };
  });
  rows = events.flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, 'all');
  stats = openStats(store, () => undefined);
});
afterAll(() => store[Symbol.asyncDispose]());

const FILTERS: Filter[][] = [[], [{ dimension: 'country', operator: 'is', values: ['DE', 'FR'] }]];
/** The first day and the number of days of each period. The last one begins before the first event. */
const PERIODS = [
  ...[10, 11, 6].map((first) => ({ first, days: 1 })),
  ...[8, 5, 0].map((first) => ({ first, days: 4 })),
  { first: -2, days: 8 },
];
const CASES = FILTERS.flatMap((filters) =>
  PERIODS.flatMap((period) => (['source', 'page'] as const).map((dimension) => ({ ...period, dimension, filters }))),
);

/** Visitors by value, in whole days from the first one. */
function visitorsIn(
  { dimension, filters }: Pick<(typeof CASES)[number], 'dimension' | 'filters'>,
  { first, days }: { first: number; days: number },
): Map<string, number> {
  const [from, to] = [FIRST_DAY + first * DAY_MS, FIRST_DAY + (first + days) * DAY_MS];
  const own = rows.filter(({ time }) => time >= from && time < to);
  const list = [...slowList(own, filters, dimension)].map(([name, counts]) => [name, counts[METRIC] ?? 0] as const);
  return new Map(list.filter(([, visitors]) => visitors > 0));
}

test.each(CASES)('$dimension over $days days from day $first', async ({ first, days, dimension, filters }) => {
  const [from, to] = [FIRST_DAY + first * DAY_MS, FIRST_DAY + (first + days) * DAY_MS];
  const question = {
    site_id: SITE,
    period: 'custom' as const,
    compare: 'previous' as const,
    filters,
    dimension,
    date_from: dayOf(from),
    date_to: dayOf(to - DAY_MS),
    metric: METRIC,
  } as const;
  const now = visitorsIn({ dimension, filters }, { first, days });
  const before = visitorsIn({ dimension, filters }, { first: first - days, days });
  const moved = [...new Set([...now.keys(), ...before.keys()])]
    .map((name) => ({ dimension, name, value: now.get(name) ?? 0, previous: before.get(name) ?? 0 }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const by = (one: (typeof moved)[number]) => one.value - one.previous;
  const { rose, fell } = await stats.moves(question, EURO_SHOP, NOW);
  const order = (list: typeof rose) => list.map((one) => one.value - one.previous);
  expect(rose.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(moved.filter((one) => by(one) > 0));
  expect(fell.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(moved.filter((one) => by(one) < 0));
  expect(order(rose)).toEqual(order(rose).toSorted((one, other) => other - one));
  expect(order(fell)).toEqual(order(fell).toSorted((one, other) => one - other));

  const known = visitorsIn({ dimension, filters }, { first: first - 56, days: 56 });
  const fresh = known.size === 0 ? [] : [...now].filter(([name]) => name !== '' && !known.has(name));
  const found = await stats.newcomers(question, EURO_SHOP, NOW);
  expect(new Map(found.map(({ name, value }) => [name, value]))).toEqual(new Map(fresh));
  expect(found.map(({ value }) => value)).toEqual(found.map(({ value }) => value).toSorted((a, b) => b - a));
});
