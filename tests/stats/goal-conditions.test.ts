// Which events reach a goal: the conditions in SQL against a slow count in memory.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blankOf, type Event, READ_COLUMNS, type VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { goalDefinition } from '../../server/sites/definitions/goals.ts';
import { reachedBits } from '../../server/stats/sql/goal-bits.ts';
import { reaches } from '../../server/stats/sql/goals.ts';
import { openBound } from '../../server/stats/sql/scope.ts';
import { idText } from '../../server/store/rows.ts';
import { GOAL_KINDS, type GoalDefinition } from '../../server/vocabulary/questions/goals.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeEvent, SITE } from '../setup/event.ts';
import { NASTY_STRINGS, openRandom } from '../setup/api/hostile-input.ts';
import { slowConversions } from '../setup/stats/reference-goals.ts';
import { injections } from '../setup/api/sql-injections.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const DAY = Date.UTC(2026, 10, 16);
const random = openRandom(90_210);
/** Pages on both sides of each rule: slashes at the end, a query, empty segments, letters that regular expressions know. */
const PAGES = [
  '/',
  '//',
  '/docs',
  '/docs/',
  '/docs//',
  '/docs/a',
  '/docs/a/',
  '/docs/a/b',
  '/docs//b',
  '/docs/*',
  '/docs/**',
  '/docs?page=2',
  '/docs/a?x=/b',
  '/p-1',
  '/p-',
  '/a.html',
  '/.html',
  '/axhtml',
  '/a+b',
  '/aab',
  '/(a',
  '/$',
  '/café',
  '/users/:id',
  '/users/7',
  '/users/7/posts',
  '/line\nbreak',
];
const PATTERNS = [
  '/',
  '/*',
  '/**',
  '//**',
  '/docs',
  '/docs/',
  '/docs/*',
  '/docs/**',
  '/docs/*/b',
  '/docs//b',
  '/p-*',
  '/*.html',
  '/a.html',
  '/a+b',
  '/(a',
  '/$',
  '/café',
  '/users/:id',
  '/users/:id/**',
  '/users/:id/posts',
  '/nowhere',
  '/d*s/**',
];

const PROPS: Record<string, string>[] = [{}, { plan: 'pro' }, { plan: '' }, { plan: 'pro', trial: 'no' }];

let store: TestStore;
let rows: VisitedEvent[];

/** A third of the visitors each: written in order, delivered late to a writer that restarts, and stored by a version that kept less. */
beforeAll(async () => {
  store = await testStore();
  const [ordered, late, earlier] = [0, 1, 2].map((third) => eventsOf(30 * third));
  const ofServers = Array.from({ length: 10 }, () =>
    makeEvent({ visitor: '', time: DAY, name: 'signup', page: '/docs' }),
  );
  rows = [
    ...(await written([...(ordered ?? []), ...ofServers], { batch: 4000 })),
    ...(await written(late ?? [], { batch: 100, lateByMs: 120_000 })),
    ...(await written(earlier ?? [], { batch: 4000, asEarlier: true })),
  ];
});

function eventsOf(firstVisitor: number) {
  return Array.from({ length: 30 }, (_, index) => {
    let time = DAY + random.number(20 * 3_600_000);
    const own = Array.from({ length: 4 }, () => random.pick(PAGES));
    return Array.from({ length: 30 }, () => {
      time += random.chance(0.2) ? 0 : random.number(90_000);
      const name = random.pick(['pageview', 'engagement', 'engagement', 'signup', 'purchase']);
      const isEngagement = name === 'engagement';
      return makeEvent({
        visitor: String(firstVisitor + index),
        id: String(random.number(1e8)),
        time,
        name,
        page: random.pick(own),
        ...(isEngagement ? { engaged_ms: random.number(20_000), scroll: random.number(101) } : {}),
        props: isEngagement ? {} : random.pick(PROPS),
      });
    });
  }).flat();
}

type Writing = { batch: number; lateByMs?: number; asEarlier?: boolean };

/** Stores events as the writer does. It restarts before each batch. */
async function written(events: Event[], { batch, lateByMs = 0, asEarlier = false }: Writing): Promise<VisitedEvent[]> {
  const arriving = events
    .map((event) => ({ event, at: event.time + random.number(lateByMs + 1) }))
    .sort((one, other) => one.at - other.at)
    .map(({ event }) => event);
  const stored: VisitedEvent[] = [];
  for (let start = 0; start < arriving.length; start += batch) {
    const some = arriving.slice(start, start + batch).sort((one, other) => one.time - other.time);
    const visits = openVisits(store);
    await visits.restoreFor(some, DAY + DAY_MS);
    const assigned = some.flatMap((event) => visits.assign(event, DAY + DAY_MS) ?? []);
    const fresh = asEarlier ? assigned.map(asBeforeReads) : assigned;
    await store.insert({ events: fresh, ai_visits: [] }, `${events[0]?.visitor_id} ${start}`);
    stored.push(...fresh);
  }
  return stored;
}

/** A row without the columns of how far its view had been read, which then have their defaults. */
const asBeforeReads = (row: VisitedEvent): VisitedEvent => ({
  ...row,
  ...blankOf(READ_COLUMNS),
  out_of_order: row.name === 'engagement' ? 1 : 0,
});

afterAll(() => store[Symbol.asyncDispose]());

const SCOPE = {
  site_id: SITE,
  range: { from: DAY, to: DAY + DAY_MS },
  filters: [],
  currency: 'EUR',
  max_amount: EURO_SHOP.max_amount,
};

async function idsReaching(goal: GoalDefinition): Promise<string[]> {
  const { bound, bind } = openBound(SCOPE);
  const sql = `SELECT ${idText('event_id')} AS id FROM events WHERE ${reaches(goal, bind)}`;
  return (await store.query<{ id: string }>(sql, bound)).map(({ id }) => id).sort();
}

async function idsReachingEach(goals: GoalDefinition[]): Promise<string[][]> {
  const { bound, bind } = openBound(SCOPE);
  const sql = `SELECT ${idText('event_id')} AS id, toString(${reachedBits(goals, bind)}) AS bits FROM events`;
  const found = await store.query<{ id: string; bits: string }>(sql, bound);
  const hasBit = (bits: string, bit: number) => (BigInt(bits) >> BigInt(bit)) % 2n === 1n;
  return goals.map((_, bit) =>
    found
      .filter(({ bits }) => hasBit(bits, bit))
      .map(({ id }) => id)
      .sort(),
  );
}

const slowIds = (goal: GoalDefinition) =>
  slowConversions(rows, goal)
    .map((row) => String(row.event_id))
    .sort();

const drawn: Record<(typeof GOAL_KINDS)[number], () => GoalDefinition[]> = {
  event: () =>
    [...PROPS, { plan: 'none' }].flatMap((props) =>
      ['signup', 'purchase', 'never'].map((event) => ({ kind: 'event', event, props }) as const),
    ),
  page: () => PATTERNS.map((page) => ({ kind: 'page', page })),
  scroll: () => PATTERNS.map((page) => ({ kind: 'scroll', page, scroll: random.pick([1, 30, 75, 100]) })),
  time: () => PATTERNS.map((page) => ({ kind: 'time', page, seconds: random.pick([1, 10, 25, 60]) })),
};

test.each(GOAL_KINDS)('the rows that reach a goal of kind %s match a slow count', async (kind) => {
  let found = 0;
  for (const goal of drawn[kind]()) {
    const ids = slowIds(goal);
    expect(await idsReaching(goal), JSON.stringify(goal)).toEqual(ids);
    found += ids.length;
  }
  expect(found).toBeGreaterThan(100);
});

test('rows contain what their view had reached before, unless they came late or were stored without it', () => {
  const isRead = (row: VisitedEvent) => row.name === 'engagement' && row.scroll_before > 0 && row.engaged_before_ms > 0;
  expect(rows.filter((row) => isRead(row) && !row.out_of_order).length).toBeGreaterThan(100);
  expect(rows.filter(({ name, out_of_order }) => name === 'pageview' && out_of_order).length).toBeGreaterThan(20);
  expect(rows.filter((row) => row.name === 'engagement' && row.out_of_order).length).toBeGreaterThan(300);
});

test.each([1, 64, 100])('each of %i goals has a bit of its own', async (count) => {
  const all = Object.values(drawn).flatMap((draw) => draw());
  const goals = Array.from({ length: count }, () => random.pick(all));
  const found = await idsReachingEach(goals);
  for (const [bit, goal] of goals.entries()) expect(found[bit], JSON.stringify(goal)).toEqual(slowIds(goal));
});

test('no text of a goal is read as SQL or as a regular expression', async () => {
  for (const text of [...NASTY_STRINGS, ...injections({ file: '/nowhere', port: 1 })]) {
    const sent = [
      { kind: 'event', event: text },
      { kind: 'event', event: 'signup', props: { [text]: text } },
      { kind: 'page', page: `/${text}` },
      { kind: 'time', page: `/${text}/**`, seconds: 1 },
    ];
    const goals = sent.flatMap((one) => goalDefinition.safeParse(one).data ?? []); // most are refused
    const found = await idsReachingEach(goals);
    for (const [bit, goal] of goals.entries()) expect(found[bit], JSON.stringify(goal)).toEqual(slowIds(goal));
  }
});

test('the longest patterns take no longer than others', async () => {
  const longest = [`/${'a*/'.repeat(80)}**`, `/${'*/'.repeat(126)}**`, `/${'('.repeat(250)}`];
  for (const page of longest) {
    const goal = goalDefinition.parse({ kind: 'page', page });
    expect(await idsReaching(goal)).toEqual(slowIds(goal));
  }
});
