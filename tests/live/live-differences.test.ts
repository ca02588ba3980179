// Differences: whoever applies them one after the other has the same snapshot as the server, and they are as small as what changed.
import { describe, expect, test } from 'vitest';
import { changedHead, changedLists, wholeState } from '../../server/live/differences.ts';
import type { Counts } from '../../server/live/activity.ts';
import { MINUTES, TOP } from '../../server/live/windows.ts';
import { openRandom, type Random } from '../../server/jobs/demo/random.ts';
import { NOTHING, orderOf, type Snapshot, withHead, withList } from '../../src/lib/live/feed.ts';

const QUIET: Counts = { pages: [], sources: [], countries: [] };
const SITE = 'site_0000000000000000';

function randomRows(random: Random): [string, number][] {
  const rows = Array.from({ length: Math.floor(random.fraction() * (TOP + 1)) }, (_, index): [string, number] => [
    `${index + Math.floor(random.fraction() * 3) * 20}`,
    1 + Math.floor(random.fraction() * 4),
  ]);
  return [...new Map(rows)].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
}

function randomSnapshot(random: Random, before: Snapshot): Snapshot {
  const isNew = () => random.fraction() < 0.5;
  const from = Math.floor(random.fraction() * (MINUTES + 1));
  return {
    current_visitors: isNew() ? Math.floor(random.fraction() * 50) : before.current_visitors,
    minutes: before.minutes.map((count, index) => (index >= from ? Math.floor(random.fraction() * 3) : count)),
    pages: isNew() ? randomRows(random).map(([page, visitors]) => ({ page, visitors })) : before.pages,
    sources: isNew() ? randomRows(random).map(([source, visitors]) => ({ source, visitors })) : before.sources,
    countries: isNew() ? randomRows(random).map(([country, visitors]) => ({ country, visitors })) : before.countries,
  };
}

const withWhole = (dashboard: Snapshot, { head, lists }: ReturnType<typeof wholeState>) =>
  lists.reduce((state, list) => withList(state, list, { isWhole: true }), withHead(dashboard, head));

const EMPTY: Snapshot = { ...NOTHING, minutes: Array.from({ length: MINUTES }, () => 0) };

describe('differences', () => {
  test('lead to the snapshot of the server, from a whole state on', () => {
    const random = openRandom(7);
    let server = EMPTY;
    let dashboard = NOTHING;
    for (let turn = 0; turn < 500; turn += 1) {
      const after = randomSnapshot(random, server);
      if (turn % 100 === 0) {
        dashboard = withWhole(dashboard, wholeState(after));
      } else {
        const head = changedHead(server, after);
        if (head) dashboard = withHead(dashboard, head);
        for (const list of changedLists(server, after, QUIET))
          dashboard = withList(dashboard, list, { isWhole: false });
      }
      expect(dashboard).toEqual(after);
      server = after;
    }
  });

  test('of which some are lost never lead to anything wrong: a gap is noticed with the next message', () => {
    const random = openRandom(11);
    let [server, number] = [EMPTY, 0];
    let dashboard = NOTHING;
    let last: number | undefined;
    let asked = 0;
    for (let turn = 0; turn < 2000; turn += 1) {
      if (last === undefined) {
        dashboard = withWhole(dashboard, wholeState(server));
        expect(orderOf({ number, site_id: SITE }, last)).toBe('whole');
        last = number;
        asked += 1;
      }
      const after = randomSnapshot(random, server);
      const head = changedHead(server, after);
      const messages = [
        ...(head ? [{ apply: (state: Snapshot) => withHead(state, head) }] : []),
        ...changedLists(server, after, QUIET).map((list) => ({
          apply: (state: Snapshot) => withList(state, list, { isWhole: false }),
        })),
      ];
      server = after;
      let isBehind = false;
      for (const { apply } of messages) {
        number += 1;
        if (random.chance(0.1)) {
          isBehind = true;
          continue;
        }
        const order = orderOf({ number }, last);
        if (order === 'next') [dashboard, last] = [apply(dashboard), number];
        else if (order === 'lost') last = undefined;
      }
      if (last === number) expect(dashboard).toEqual(server);
      else expect(isBehind || last === undefined || last < number).toBe(true);
    }
    expect(asked).toBeGreaterThan(100);
  });

  test('are as small as what changed', () => {
    const before: Snapshot = {
      ...EMPTY,
      pages: [{ page: '/a', visitors: 2 }],
      countries: [{ country: 'DE', visitors: 2 }],
    };
    expect(changedHead(before, before)).toBeUndefined();
    expect(changedLists(before, before, QUIET)).toEqual([]);
    const after: Snapshot = {
      ...before,
      current_visitors: 1,
      minutes: [...before.minutes.slice(0, -1), 1],
      pages: [
        { page: '/a', visitors: 2 },
        { page: '/b', visitors: 1 },
        { page: '/c', visitors: 1 },
      ],
      countries: [],
    };
    expect(changedHead(before, after)).toEqual([1, [MINUTES - 1, 1]]);
    expect(changedHead(before, { ...before, current_visitors: 3 })).toEqual([3, []]);
    const counts = {
      ...QUIET,
      pages: ['/b', '/c', '/d'].map((name, index) => ({ name, pageviews: index === 0 ? 2 : 1, events: 0 })),
      sources: [{ name: 'X', pageviews: 0, events: 2 }],
    };
    expect(changedLists(before, after, counts)).toEqual([
      [
        'pages',
        [[1, '/b', '/c']],
        [
          [2, 0, '/b'],
          [1, 0, '/c', '/d'],
        ],
      ],
      ['sources', [], [[0, 2, 'X']]],
      ['countries', [[0, 'DE']], []],
    ]);
  });
});
