/** @module-tag long */
// Rare values of each day, of a site with UTC days and of one with a time zone, from events and from the sums of closed days: what SQL finds, and
// what it counts under other values in lists and filters, is what adding up the lists of single days gives.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openMemo, openVersions } from '../../../server/stats/answer-cache.ts';
import { splitsVisits } from '../../../server/stats/sql/combination.ts';
import { openCountedGoals } from '../../../server/stats/days/counted-goals.ts';
import type { Joined } from '../../../server/stats/disclosure/joined-values.ts';
import { openRare } from '../../../server/stats/disclosure/rare-values.ts';
import { buildRare, rareIn } from '../../../server/stats/disclosure/rare-sql.ts';
import { groupsOfDays } from '../../../server/stats/disclosure/steps.ts';
import { openReader, type Reader } from '../../../server/stats/reader.ts';
import type { Scope } from '../../../server/stats/sql/scope.ts';
import type { Rows } from '../../../server/stats/sql/sql.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { openSummedDays, SUMMED_DIMENSIONS } from '../../../server/stats/days/summed-days.ts';
import { openTogether } from '../../../server/stats/days/together.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { FEWEST } from '../../../server/vocabulary/settings/privacy.ts';
import { DAY_MS, dayOf, daysIn, HOUR_MS, startOfMonth } from '../../../server/vocabulary/time/time.ts';
import { fail } from '../../setup/stats/closed-days.ts';
import { rareAmong } from '../../setup/adversary/twin.ts';
import { makeEvent } from '../../setup/event.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { shareOf, sized } from '../../setup/run/harness.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const FIRST = Date.UTC(2026, 8, 28); // the groups begin anew in October
const DAYS = 9;
const AHEAD_MS = 5.5 * HOUR_MS;
const SITES = [
  { id: 'site_RAREUTC' as SiteId, days: 'UTC days', zone: undefined, ahead: 0 },
  { id: 'site_RAREZONE' as SiteId, days: 'days of its own', zone: 'Asia/Kolkata', ahead: AHEAD_MS },
];
/** Visitors of one day by country, and those who count under another one. */
const CASES = (
  [
    ['count under the most frequent value', { DE: 5, FR: 4, LI: 1 }, { values: ['LI'], into: 'DE' }],
    ['are two at most, each with a value', { DE: 3, LI: 1, MC: 1 }, { values: ['LI', 'MC'], into: 'DE' }],
    ['may have one value together', { DE: 3, LI: 2 }, { values: ['LI'], into: 'DE' }],
    ['stay apart if they are three', { DE: 5, LI: 2, MC: 1 }, undefined],
    ['are nobody where every value has three', { DE: 5, FR: 3 }, undefined],
    ['count under the first by name of two as frequent', { FR: 4, DE: 4, LI: 1 }, { values: ['LI'], into: 'DE' }],
    ['have nothing to count under where no value has three', { LI: 2, MC: 2 }, undefined],
  ] as [string, Record<string, number>, { values: string[]; into: string } | undefined][]
).map(([title, visitors, expected], index) => ({ title, visitors, expected, id: `site_CASE${index}` as SiteId }));
/** Visitors by country on two days too quiet for themselves, in which Liechtenstein is rare, and on a busy one, after which it is not any more. */
const QUIET: { id: SiteId; days: Record<string, number>[] } = {
  id: 'site_QUIET' as SiteId,
  days: [{ DE: 1, LI: 1 }, { DE: 2 }, { LI: 3 }],
};
const OF_VISITS = SUMMED_DIMENSIONS.filter((dimension) => !splitsVisits(dimension));
let turn = 0;

let store: TestStore;
let reader: Reader;
const versions = openVersions();
const summedDays = openSummedDays(versions.of);

beforeAll(async () => {
  const random = openRandom(11);
  store = await testStore();
  const visits = openVisits(store);
  const pick = (name: string) => `${name}${Math.min(random.number(5), random.number(5), random.number(5))}`;
  const columns = ['source', 'utm_source', 'country', 'city', 'browser', 'os_version', 'language'] as const;
  const drawn = SITES.flatMap(({ id, zone, ahead }) =>
    Array.from({ length: DAYS }, (_, day) =>
      // Some days are too quiet to be decided by themselves.
      Array.from({ length: [1, 14, 0, 2, 1, 9, 20, 5, 30][day] ?? 0 }, (_, person) => {
        const given = Object.fromEntries(columns.map((name) => [name, random.chance(0.1) ? '' : pick(name)]));
        const time = FIRST + day * DAY_MS - ahead + random.number(20) * HOUR_MS;
        return [pick('/in'), pick('/out')].map((page, view) =>
          makeEvent({
            site_id: id,
            visitor: `${day} ${person}`,
            page,
            time: time + view * 60_000,
            ...given,
            ...(zone !== undefined && { day: dayOf(FIRST + day * DAY_MS) }),
          }),
        );
      }),
    ),
  ).flat(2);
  const visitorsOf = (site_id: SiteId, visitors: Record<string, number>, day = 0) =>
    Object.entries(visitors).flatMap(([country, count]) =>
      Array.from({ length: count }, (_, person) =>
        makeEvent({ site_id, visitor: `${day} ${country} ${person}`, country, time: FIRST + day * DAY_MS + HOUR_MS }),
      ),
    );
  const ofCases = CASES.flatMap(({ id, visitors }) => visitorsOf(id, visitors));
  const quiet = QUIET.days.flatMap((visitors, day) => visitorsOf(QUIET.id, visitors, day));
  const rows = [...drawn, ...ofCases, ...quiet]
    .toSorted((one, other) => one.time - other.time)
    .flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, 'all');
  reader = openReader(
    store,
    {
      memo: openMemo(store, versions.of),
      summedDays,
      countedGoals: openCountedGoals(),
      askTogether: openTogether(store),
    },
    { asking: {} },
  );
});
afterAll(() => store[Symbol.asyncDispose]());

/** `since`: the first day. */
const scopeOf = ({ id, zone }: Pick<(typeof SITES)[number], 'id' | 'zone'>, since = 0): Scope => ({
  site_id: id,
  filters: [],
  currency: '',
  max_amount: 0,
  range: { from: FIRST + since * DAY_MS, to: FIRST + DAYS * DAY_MS, ...(zone !== undefined && { zone }) },
});

const numberIn = (row: Rows[number]) => Number(row['unique_visitors']);

/** The visitors of each value and day, from one list of each day. */
async function listsOf(scope: Scope, dimension: Dimension) {
  const by = { dimension, each: 'day' } as const;
  const rows = await reader.ask({ scope, metrics: ['unique_visitors'], by, limit: 1000 });
  return rows.map((row) => ({ day: Number(row['bucket']), value: String(row['label']), visitors: numberIn(row) }));
}

function summed(rows: readonly { value: string; visitors: number }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { value, visitors } of rows) sums.set(value, (sums.get(value) ?? 0) + visitors);
  return sums;
}

async function askSql(scope: Scope) {
  const wholeMonth = { ...scope, range: { ...scope.range, from: startOfMonth(scope.range.from) } };
  const byDay = await reader.ask({ scope: wholeMonth, metrics: ['unique_visitors'], by: { interval: 'day' } });
  const counts = byDay.map((row) => ({ day: Number(row['label']), visitors: numberIn(row) }));
  const groups = groupsOfDays(
    counts.toSorted((one, other) => one.day - other.day),
    FEWEST,
  );
  const askRare = openRare(
    async (of, asked) => {
      const days = await summedDays(({ site_id: _ }, { sql, bound }) => store.query(sql, bound), {
        ...of,
        payments: '',
      });
      const { sql, bound } = buildRare(of, { ...asked, days, fewest: FEWEST });
      return rareIn(await store.query(sql, bound));
    },
    { scope, groups: () => Promise.resolve(groups), today: Infinity },
  );
  return { groups, askRare, wholeMonth };
}

describe.each([
  ['events', 0],
  ['sums of closed days, but for the last', DAYS - 1],
])('from %s', (_from, closed) => {
  beforeAll(async () => {
    if (closed === 0) return;
    const sum = openSumming({ store, versions, onFailed: fail });
    await sum({ now: FIRST + (DAYS - 1) * DAY_MS + 10 * HOUR_MS, leastRows: 1 });
  });

  test.each(
    SITES.flatMap((site) => [
      { ...site, since: 0, first: [[1, 2]] },
      { ...site, since: 5, first: [] },
    ]),
  )('of a site with $days, from day $since on', async ({ since, first, ...site }) => {
    const scope = scopeOf(site, since);
    const { groups, askRare, wholeMonth } = await askSql(scope);
    expect(groups.map(({ from, to }) => [from, to].map((time) => (time - FIRST) / DAY_MS))).toEqual([
      ...first,
      [3, 5],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 9],
    ]);
    let [joined, joinedInRange] = [0, 0];
    for (const dimension of shareOf(OF_VISITS, { of: 3, turn: (turn += 1) })) {
      const lists = (await listsOf(wholeMonth, dimension)).filter(({ day }) =>
        groups.some(({ from, to }) => day >= from && day < to),
      );
      const counts = (some: typeof lists) =>
        new Map([...summed(some)].map(([value, length]) => [value, { length }] as const));
      const ofDays: Joined[] = groups.flatMap((group) => {
        const few = rareAmong(counts(lists.filter(({ day }) => day >= group.from && day < group.to)), FEWEST);
        return few ? daysIn(group).map((day) => ({ day: dayOf(day), ...few })) : [];
      });
      const joinedOn = (time: number, value: string) =>
        ofDays.find(({ day, values }) => day === dayOf(time) && values.includes(value));
      const everyDay = await listsOf(scope, dimension);
      const rest = rareAmong(
        counts(everyDay.map((one) => ({ ...one, value: joinedOn(one.day, one.value)?.into ?? one.value }))),
        FEWEST,
      );
      const ofRange: Joined[] = (rest ? daysIn(scope.range) : []).map((day) => ({
        day: dayOf(day),
        values: rest?.values.filter((value) => !joinedOn(day, value)) ?? [],
        into: rest?.into ?? '',
      }));
      const expected = [...ofDays, ...ofRange];
      const rare = await askRare(dimension);
      expect([dimension, rare?.joined ?? []]).toEqual([dimension, expected]);
      joined += ofDays.length;
      joinedInRange += ofRange.length;

      const all = everyDay.map(({ day, value, visitors }) => {
        const own = expected.find((one) => one.day === dayOf(day) && one.values.includes(value));
        return { value: own?.into ?? value, visitors };
      });
      const by = { dimension, ...(rare && { rare }) };
      const rows = await reader.ask({ scope, metrics: ['unique_visitors'], by, limit: 1000 });
      expect(new Map(rows.map((row) => [row['label'], numberIn(row)]))).toEqual(summed(all));
      for (const value of new Set(expected.map(({ into }) => into)))
        for (const [operator, filtered] of [
          ['is', summed(all).get(value)],
          ['is_not', undefined],
        ] as const) {
          const filters = [{ dimension, operator, values: [value], ...(rare && { rare }) }];
          const [total] = await reader.ask({ scope: { ...scope, filters }, metrics: ['unique_visitors'] });
          const [whole] = await reader.ask({ scope, metrics: ['unique_visitors'] });
          const is = filtered ?? numberIn(whole ?? {}) - (summed(all).get(value) ?? 0);
          expect([dimension, operator, value, numberIn(total ?? {})]).toEqual([dimension, operator, value, is]);
        }
    }
    expect(joined).toBeGreaterThan(sized({ short: 3, long: 10 }));
    expect(joinedInRange).toBeGreaterThan(0);
  });

  test.each(CASES)('visitors of rare values $title', async ({ id, expected }) => {
    const scope = { ...scopeOf({ id, zone: undefined }), range: { from: FIRST, to: FIRST + DAY_MS } };
    const rare = await (await askSql(scope)).askRare('country');
    expect(rare?.joined).toEqual(expected && [{ day: dayOf(FIRST), ...expected }]);
  });

  test('visitors of values that are rare on quiet days count under the most frequent value of these days', async () => {
    const scope = scopeOf({ id: QUIET.id, zone: undefined });
    const rare = await (await askSql(scope)).askRare('country');
    const on = (day: number) => ({ day: dayOf(FIRST + day * DAY_MS), values: ['LI'], into: 'DE' });
    expect(rare?.joined).toEqual([on(0), on(1)]);
  });
});
