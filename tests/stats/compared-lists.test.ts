/** @module-tag long */
// Lists with a comparison, which one statement answers where closed days can: checked against the events, one range at a time.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVersions } from '../../server/stats/answer-cache.ts';
import { askBreakdown, type Breakdown } from '../../server/stats/answers/breakdown.ts';
import { breakdownQuestion, type BreakdownQuestion, type Filter } from '../../server/stats/query.ts';
import { askRange } from '../../server/stats/answers/ranges.ts';
import type { Reader } from '../../server/stats/reader.ts';
import { buildSelect, type Rows, type Select } from '../../server/stats/sql/sql.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import { comparisonOf, scopeOf, type Values } from '../../server/stats/answers/values.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { drawDays, metricsOfList, openReaders } from '../setup/stats/closed-days.ts';
import { EURO_SHOP, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { seedOf, sized } from '../setup/run/harness.ts';
import { drawFilterOn } from '../setup/stats/random-filters.ts';
import type { TestStore } from '../setup/store.ts';
import { viewing } from '../setup/accounts/viewing.ts';

const FIRST_DAY = Date.UTC(2026, 10, 14);
const DAYS = 7;
/** The last day is open. */
const NOW = FIRST_DAY + DAYS * DAY_MS - 12 * HOUR_MS;
const YEAR_BEFORE = Date.UTC(2025, 10, 14);

const random = openRandom(seedOf(16_180));
const versions = openVersions();
let rows: VisitedEvent[] = [];
let store: TestStore;
let asked: ReturnType<typeof openReaders>['asked'];
let reader: Reader;
let openFor: (shows: Parameters<typeof viewing>[0] | undefined) => Reader;

beforeAll(async () => {
  const earlier = { from: YEAR_BEFORE, days: 3 };
  ({ store, rows } = await drawDays(random, { from: FIRST_DAY, days: DAYS, earlier, versions }));
  return () => store[Symbol.asyncDispose]();
});

/** Asks with nothing remembered. */
function open(): void {
  const opened = openReaders(store, versions);
  asked = opened.asked;
  openFor = (shows) => opened.readerFor({}, shows && viewing(shows, NOW));
  reader = openFor(undefined);
}
beforeEach(open);

/** Statements for lists, without those for their sums and those that ask whether days have changed. */
const statements = () => asked.filter(({ sql }) => sql.includes('AS total'));

/** Days by their numbers, both included. */
type Ranges = { own: [number, number]; before: [number, number] };
const OPEN = DAYS - 1;
const ONE_STATEMENT: [string, Ranges][] = [
  ['days that follow each other', { own: [3, 5], before: [0, 2] }],
  ['days apart', { own: [4, 5], before: [0, 1] }],
  ['days of another number', { own: [2, 5], before: [0, 1] }],
  ['later days', { own: [0, 2], before: [3, 4] }],
  ['days of a year before', { own: [0, 2], before: [-365, -363] }],
  ['days with an open one', { own: [4, OPEN], before: [0, 1] }],
  ['days with an open one among those before', { own: [0, 2], before: [5, OPEN] }],
];
const TWO_STATEMENTS: [string, Ranges][] = [
  ['the same days', { own: [1, 3], before: [1, 3] }],
  ['days of which one is in both', { own: [2, 4], before: [0, 2] }],
  ['days that are cut at the same time of an open day', { own: [5, OPEN], before: [2, 3] }],
];
const FOLLOWING: Ranges = { own: [3, 5], before: [0, 2] };

const days = ([from, to]: [number, number]) =>
  [from, to].map((day) => dayOf(FIRST_DAY + day * DAY_MS)) as [string, string];

type Asking = Partial<Omit<BreakdownQuestion, 'filters'>> & { filters?: Filter[] };

function questionOf({ own, before }: Ranges, { versus, filters = [], ...asking }: Asking): BreakdownQuestion {
  const [date_from, date_to] = days(own);
  const [compare_from, compare_to] = days(before);
  const period = { period: 'custom', date_from, date_to, compare: 'custom', compare_from, compare_to };
  const list = { dimension: 'source', metrics: ['visits'], ...asking };
  return { ...breakdownQuestion.parse({ site_id: SITE, ...period, ...list }), filters, ...(versus && { versus }) };
}

function drawList(dimension: Dimension): Asking {
  const fitting = metricsOfList(dimension);
  const metrics = Array.from({ length: 2 + random.number(3) }, () => random.pick(fitting));
  return {
    dimension,
    metrics: [...new Set(metrics)],
    per_page: 1 + random.number(12),
    ...(random.chance(0.2) && { search: random.pick(['i', 'e', '%', "'"]) }),
  };
}

const about = (question: BreakdownQuestion) => ({ question, site: EURO_SHOP, now: NOW });

/** The rows of both ranges from their events: those of a range, and those of the same names before. */
async function askEvents(question: BreakdownQuestion): Promise<Pick<Breakdown, 'rows' | 'total'>> {
  const { dimension, metrics, search, order, page, per_page } = question;
  const range = await askRange(reader, about(question));
  const scope = scopeOf(about(question), range);
  const by = { dimension };
  const found = await counted({ scope, metrics, by, search, order, limit: per_page, offset: (page - 1) * per_page });
  const labels = found.map(({ label }) => String(label));
  const before = comparisonOf(about(question), range)?.scope ?? scope;
  const earlier = await counted({ scope: before, metrics, by, labels, limit: 1 + labels.length });
  const valuesOf = (row: Rows[number] | undefined): Values =>
    Object.fromEntries(metrics.map((metric) => [metric, Number(row?.[metric] ?? 0)]));
  return {
    rows: found.map((row) => ({
      name: String(row['label']),
      values: valuesOf(row),
      previous: valuesOf(earlier.find(({ label }) => label === row['label'])),
    })),
    total: Number(found[0]?.['total'] ?? 0),
  };
}

function counted(select: Select): Promise<Rows> {
  const { sql, bound } = buildSelect(select);
  return store.query<Rows[number]>(sql, bound);
}

/** Ratios are divided in another order, so they are compared to nine digits. */
const rounded = ({ rows: found, total }: Pick<Breakdown, 'rows' | 'total'>) => ({
  rows: found.map(({ name, values, previous }) => [name, nineDigits(values), nineDigits(previous ?? {})]),
  total,
});
const nineDigits = (values: Values) =>
  Object.entries(values).map(([name, value]) => [name, Number(value.toPrecision(9))]);

async function expectEqual(questions: readonly BreakdownQuestion[], by = reader): Promise<void> {
  const found = await Promise.all(questions.map((question) => askBreakdown(by, about(question))));
  for (const [index, question] of questions.entries())
    expect(rounded(found[index] as Breakdown), JSON.stringify(question)).toEqual(rounded(await askEvents(question)));
}

/** Page views by page, filtered by page, are kept for each day. */
const ofVisits = SUMMED_DIMENSIONS.filter((dimension) => dimension !== 'page');

describe.each(ONE_STATEMENT)('one statement for a list and that of the comparison: %s', (_name, ranges) => {
  test('of all dimensions', async () => {
    const ofSources = drawList('source');
    // the same list as the one that says how sources are spelled, which then comes along
    const ofTags = { dimension: 'utm_source' as const, metrics: ofSources.metrics?.slice(0, 1) ?? [] };
    const lists = SUMMED_DIMENSIONS.map(
      (one) => ({ source: ofSources, utm_source: ofTags })[one as string] ?? drawList(one),
    );
    await expectEqual(lists.map((list) => questionOf(ranges, list)));
    expect(statements()).toHaveLength(1);
  });

  test('of one dimension', async () => {
    await expectEqual([questionOf(ranges, drawList(random.pick(SUMMED_DIMENSIONS)))]);
    expect(statements()).toHaveLength(1);
  });

  test('filtered', async () => {
    for (let round = 0; round < sized({ short: 2, long: 6 }); round += 1) {
      open();
      const filters = Array.from({ length: 1 + random.number(2) }, () =>
        drawFilterOn(random.pick(ofVisits), { random, rows }),
      );
      // a list by tag with other metrics than that of sources would be another one
      const dimensions = SUMMED_DIMENSIONS.filter((one) => one !== 'utm_source')
        .toSorted(() => random.number(3) - 1)
        .slice(0, 1 + random.number(5));
      await expectEqual(dimensions.map((dimension) => questionOf(ranges, { ...drawList(dimension), filters })));
      expect(statements()).toHaveLength(1);
    }
  });

  test('filtered by a page, and by a segment', async () => {
    const onPage = drawFilterOn('page', { random, rows });
    const segment = { dimension: 'segment' as const, operator: 'is_not' as const, values: ['one'] };
    const ofSegment = { ...segment, segments: [[onPage, drawFilterOn('country', { random, rows })]] };
    for (const filters of [[onPage], [ofSegment]]) {
      open();
      await expectEqual(
        (['page', 'source'] as const).map((dimension) =>
          questionOf(ranges, { dimension, metrics: ['unique_visitors', 'events'], filters }),
        ),
      );
      expect(statements()).toHaveLength(1);
    }
  });
});

describe('two statements, as the days are not told apart', () => {
  test.each(TWO_STATEMENTS)('%s', async (_name, ranges) => {
    await expectEqual([questionOf(ranges, drawList('source'))]);
    expect(statements()).toHaveLength(2);
  });
});

describe('two statements', () => {
  const inGermany: Filter = { dimension: 'country', operator: 'is', values: ['DE'] };
  test.each<[string, Asking]>([
    ['a list in another order', { order: { by: 'name', direction: 'asc' } }],
    ['a later page', { page: 2, per_page: 1 }],
    ['a long list', { per_page: 301 }],
    ['money', { metrics: ['revenue', 'visits'] }],
    ['page views in the visits with an event', { dimension: 'event', metrics: ['pageviews'], filters: [inGermany] }],
    ['a filter by property', { filters: [{ dimension: 'prop:plan', operator: 'is_not', values: ['x'] }] }],
    ['other filters', { filters: [inGermany], versus: [{ ...inGermany, values: ['FR'] }] }],
  ])('%s', async (_name, asking) => {
    await expectEqual([questionOf(FOLLOWING, { dimension: 'channel', ...asking })]);
    expect(statements()).toHaveLength(2);
  });

  test('and one more for a list of sources, which says how they are spelled', async () => {
    await expectEqual([questionOf(FOLLOWING, { order: { by: 'name', direction: 'asc' } })]);
    expect(statements()).toHaveLength(3);
  });

  test('of viewers of a share link', async () => {
    for (const few of [false, true]) {
      open();
      await expectEqual(
        [questionOf(FOLLOWING, { metrics: ['visits', 'pageviews'] })],
        openFor({ properties: false, few }),
      );
      expect(statements()).toHaveLength(2);
    }
  });
});

test('days before the first event cost nothing', async () => {
  await expectEqual([questionOf({ own: [3, 5], before: [-800, -790] }, { metrics: ['visits', 'events'] })]);
  expect(statements()).toHaveLength(1);
});

test('the viewer of a link sees no numbers of few visitors, now or before', async () => {
  const city: Filter = { dimension: 'city', operator: 'is', values: ['Springfield'] };
  const pages = [...new Set(rows.map(({ page }) => page))];
  const sources = [...new Set(rows.map(({ source }) => source))];
  const narrowed = pages.flatMap((page) => sources.map((source) => ({ page, source })));
  let withheld = 0;
  for (const named of narrowed) {
    const filters: Filter[] = [
      city,
      ...(['page', 'source'] as const).map((dimension) => ({
        dimension,
        operator: 'is' as const,
        values: [named[dimension]],
      })),
    ];
    const question = questionOf(FOLLOWING, { dimension: 'city', metrics: ['unique_visitors'], filters });
    const seen = await askBreakdown(openFor({ properties: true, few: false }), about(question));
    const { rows: all } = await askEvents(question);
    const few = (count = 0) => (count < 3 ? 0 : count);
    // A filter that leaves out one or two leaves out nobody, and days at the ends with so few are left out: more or fewer may be counted.
    for (const { values, previous } of seen.rows)
      for (const count of [values.unique_visitors, previous?.unique_visitors]) expect([1, 2]).not.toContain(count);
    const [row] = all;
    const [shown] = seen.rows;
    if (few(row?.values.unique_visitors) === 0) expect(shown).toBeUndefined();
    if (shown && [1, 2].includes(row?.previous?.unique_visitors ?? 0)) {
      expect(shown.previous?.unique_visitors).toBe(0);
      withheld += 1;
    }
  }
  expect(withheld).toBeGreaterThan(0);
});

test('lists with other comparisons are asked for apart', async () => {
  const own: Ranges['own'] = [0, 2];
  await expectEqual([
    questionOf({ own, before: [4, OPEN] }, { dimension: 'source' }),
    questionOf({ own, before: [4, OPEN - 1] }, { dimension: 'page' }),
    questionOf({ own, before: [4, OPEN] }, { dimension: 'country' }),
  ]);
  expect(statements()).toHaveLength(2);
});

/** Stores a page view of this day. */
async function storeOn(day: number): Promise<void> {
  const from = FIRST_DAY + day * DAY_MS;
  const like = rows.find(({ time, name }) => time >= from && name === 'pageview') as VisitedEvent;
  const event = { ...like, event_id: `00000000000000f${day}` as EventId, source: 'Late' };
  await store.insert({ events: [event], ai_visits: [] }, `late ${day}`);
  versions.stored([event]);
}

test('the answer is remembered until events of either range are stored', async () => {
  const asking: Asking = { metrics: ['visits', 'pageviews', 'events'], per_page: 100 };
  const question = questionOf(FOLLOWING, asking);
  const withOpen = questionOf({ own: [0, 2], before: [4, OPEN] }, asking);
  const both = [question, withOpen];
  await expectEqual(both);
  await expectEqual(both);
  expect(statements()).toHaveLength(2);
  for (const [day, changed] of [
    [OPEN, 1],
    // A day that is no longer as it was summed: the second question has one in each range then.
    [FOLLOWING.before[1], 3],
    [FOLLOWING.own[0], 2],
  ] as const) {
    asked.length = 0;
    await storeOn(day);
    await expectEqual(both);
    expect(statements()).toHaveLength(changed);
  }
});
