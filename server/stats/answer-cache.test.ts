import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../vocabulary/time/time.ts';
import type { EventStore } from '../store/open.ts';
import { announcing, openMemo, openVersions, shortVersions } from './answer-cache.ts';

const day = (number: number) => number * DAY_MS;
const statement = { sql: 'SELECT 1', bound: {} };

function asked() {
  const versions = openVersions();
  let queries = 0;
  const memo = openMemo({ query: <Row>() => Promise.resolve([{ queries: (queries += 1) }] as Row[]) }, versions.of);
  const ask = async (from: number, to: number, siteId = 'a') =>
    (await memo({ site_id: siteId, range: { from, to } }, { ...statement, bound: { from, to, siteId } }))[0]?.[
      'queries'
    ];
  return { versions, ask, memo };
}

test('the version of any range counts the inserts of its days', () => {
  const { versions } = asked();
  const days = [1, 2, 2, 4, 7, 9];
  for (const number of days) versions.stored([{ site_id: 'a', time: day(number) + 7 }]);
  for (let from = 0; from < 10; from += 1)
    for (let to = from; to < 12; to += 1)
      expect(versions.of('a', { from: day(from) + 5, to: day(to) })).toBe(
        days.filter((number) => number >= from && number < to).length,
      );
  expect([versions.of('a'), versions.of('b')]).toEqual([days.length, 0]);
});

describe('an answer is cached', () => {
  test('until an event of its days is stored, and no longer', async () => {
    const { versions, ask } = asked();
    expect([await ask(day(1), day(3)), await ask(day(1), day(3))]).toEqual([1, 1]);
    versions.stored([{ site_id: 'a', time: day(3) }]);
    expect(await ask(day(1), day(3))).toBe(1);
    versions.stored([{ site_id: 'b', time: day(2) }]);
    expect(await ask(day(1), day(3))).toBe(1);
    versions.stored([{ site_id: 'a', time: day(2) + 5 }]);
    expect([await ask(day(1), day(3)), await ask(day(1), day(3))]).toEqual([2, 2]);
  });

  test('also for a range that begins within a day', async () => {
    const { versions, ask } = asked();
    await ask(day(1) + 1000, day(2));
    versions.stored([{ site_id: 'a', time: day(1) + 2000 }]);
    expect(await ask(day(1) + 1000, day(2))).toBe(2);
  });

  test('not beyond the deletion of a site', async () => {
    const { versions, ask } = asked();
    await ask(day(1), day(2));
    versions.deleted('a');
    expect(await ask(day(1), day(2))).toBe(2);
    versions.stored([{ site_id: 'a', time: day(1) }]);
    expect(await ask(day(1), day(2))).toBe(3);
    versions.deleted('a');
    expect(await ask(day(1), day(2))).toBe(4);
  });

  test('not when it is an error', async () => {
    let fails = true;
    const memo = openMemo(
      { query: <Row>() => (fails ? Promise.reject(new Error('away')) : Promise.resolve([] as Row[])) },
      () => 1,
    );
    const scope = { site_id: 'a', range: { from: 0, to: 1 } };
    await expect(memo(scope, statement)).rejects.toThrow('away');
    fails = false;
    expect(await memo(scope, statement)).toEqual([]);
  });

  test('for a question as long as one about the days of a year, and apart from a longer one', async () => {
    const { ask } = asked();
    const long = 'x'.repeat(20_000);
    const longer = `${long}x`;
    expect([await ask(0, 1, long), await ask(0, 1, long), await ask(0, 1, longer)]).toEqual([1, 1, 2]);
  });

  test('for every lane once it has arrived, and until then for its own', async () => {
    const lanes: (string | undefined)[] = [];
    const arrivals: ((rows: never[]) => void)[] = [];
    const query = (_sql: string, _bound: unknown, asking?: { lane?: string }) => {
      lanes.push(asking?.lane);
      return new Promise<never[]>((resolve) => arrivals.push(resolve));
    };
    const memo = openMemo({ query }, () => 1);
    const ask = (lane: string) => memo({ site_id: 'a', range: { from: 0, to: 1 } }, statement, { lane });
    const waiting = [ask('members'), ask('members'), ask('link')];
    expect(lanes).toEqual(['members', 'link']);
    for (const arrive of arrivals) arrive([]);
    await Promise.all(waiting);
    await Promise.all([ask('members'), ask('link'), ask('another link')]);
    expect(lanes).toEqual(['members', 'link']);
  });

  test('never without a version', async () => {
    let queries = 0;
    const memo = openMemo(
      { query: <Row>() => Promise.resolve([{ queries: (queries += 1) }] as Row[]) },
      () => undefined,
    );
    const scope = { site_id: 'a', range: { from: 0, to: 1 } };
    await memo(scope, statement);
    expect(await memo(scope, statement)).toEqual([{ queries: 2 }]);
  });

  test('if other processes write too: for at most a second, and not beyond what they announce', async () => {
    const versions = openVersions();
    let [queries, at] = [0, 5_000];
    const memo = openMemo(
      { query: <Row>() => Promise.resolve([{ queries: (queries += 1) }] as Row[]) },
      shortVersions(versions, () => at),
    );
    const ask = async (site_id: string) =>
      (await memo({ site_id, range: { from: 0, to: 1 } }, { sql: site_id, bound: {} }))[0]?.['queries'];
    expect([await ask('a'), await ask('b')]).toEqual([1, 2]);
    at = 5_999;
    expect([await ask('a'), await ask('b')]).toEqual([1, 2]);
    versions.heard('a');
    expect([await ask('a'), await ask('b'), await ask('a')]).toEqual([3, 2, 3]);
    versions.stored([{ site_id: 'b', time: 0 }]);
    expect([await ask('a'), await ask('b')]).toEqual([3, 4]);
    at = 6_000;
    expect([await ask('a'), await ask('b')]).toEqual([5, 6]);
  });

  test('until rows of any kind are stored on one of their days', async () => {
    const versions = openVersions();
    const store = announcing({ insert: () => Promise.resolve() } as unknown as EventStore, versions);
    const row = { site_id: 'a', time: 0 };
    const none = { events: [], ai_visits: [], vitals: [], errors: [] };
    for (const [index, kind] of Object.keys(none).entries()) {
      await store.insert({ ...none, [kind]: [row] }, kind);
      expect(versions.of('a', { from: 0, to: 1 })).toBe(index + 1);
    }
  });
});
