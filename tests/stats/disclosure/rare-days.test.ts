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
import { DAY_MS, dayOf, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { fail } from '../../setup/stats/closed-days.ts';
import { makeEvent } from '../../setup/event.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const FIRST = Date.UTC(2026, 8, 28); // the groups begin anew in October
const DAYS = 9;
const AHEAD_MS = 5.5 * HOUR_MS;
const SITES = [
  { id: 'site_RAREUTC' as SiteId, days: 'UTC days', zone: undefined, ahead: 0 },
  { id: 'site_RAREZONE' as SiteId, days: 'days of its own', zone: 'Asia/Kolkata', ahead: AHEAD_MS },
];
const OF_VISITS = SUMMED_DIMENSIONS.filter((dimension) => !splitsVisits(dimension));

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
  const rows = drawn
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

const scopeOf = ({ id, zone }: (typeof SITES)[number]): Scope => ({
  site_id: id,
  filters: [],
  currency: '',
  max_amount: 0,
  range: { from: FIRST, to: FIRST + DAYS * DAY_MS, ...(zone !== undefined && { zone }) },
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
  const byDay = await reader.ask({ scope, metrics: ['unique_visitors'], by: { interval: 'day' } });
  const counts = byDay.map((row) => ({ day: Number(row['label']), visitors: numberIn(row) }));
  const groups = groupsOfDays(
    counts.toSorted((one, other) => one.day - other.day),
    FEWEST,
  );
  const askRare = openRare(
    async (of) => {
      const days = await summedDays(({ site_id: _ }, { sql, bound }) => store.query(sql, bound), {
        ...of,
        payments: '',
      });
      const { sql, bound } = buildRare(of, { days, groups, fewest: FEWEST });
      return rareIn(await store.query(sql, bound));
    },
    { scope, groups: () => Promise.resolve(groups), today: Infinity, fewest: FEWEST, ask: () => Promise.resolve([]) },
  );
  return { groups, askRare };
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

  test.each(SITES)('of a site with $days', async (site) => {
    const scope = scopeOf(site);
    const { groups, askRare } = await askSql(scope);
    expect(groups.map(({ from, to }) => [from, to].map((time) => (time - FIRST) / DAY_MS))).toEqual([
      [1, 2],
      [3, 5],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 9],
    ]);
    let joined = 0;
    for (const dimension of OF_VISITS) {
      const lists = (await listsOf(scope, dimension)).filter(({ day }) =>
        groups.some(({ from, to }) => day >= from && day < to),
      );
      const expected: Joined[] = groups.flatMap(({ from, to }) => {
        const sums = [...summed(lists.filter(({ day }) => day >= from && day < to))].toSorted(
          ([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1),
        );
        const few = sums.filter(([, visitors]) => visitors < FEWEST);
        const visitors = few.reduce((sum, [, own]) => sum + own, 0);
        const [into, most = 0] = sums[0] ?? [];
        if (into === undefined || most < FEWEST || visitors === 0 || visitors >= FEWEST) return [];
        const values = few.map(([value]) => value).sort();
        return Array.from({ length: (to - from) / DAY_MS }, (_, index) => ({
          day: dayOf(from + index * DAY_MS),
          values,
          into,
        }));
      });
      const rare = await askRare(dimension);
      expect([dimension, rare?.joined ?? []]).toEqual([dimension, expected]);
      joined += expected.length;

      const all = (await listsOf(scope, dimension)).map(({ day, value, visitors }) => {
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
    expect(joined).toBeGreaterThan(10);
  });
});
