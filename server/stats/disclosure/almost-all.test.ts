import { describe, expect, test } from 'vitest';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { convertedOf, countAlmostAll, hasSeveral } from './almost-all.ts';

test('a visit has several pages, hostnames and events, and one country', () => {
  expect((['page', 'event', 'prop:plan', 'country', 'entry_page', undefined] as const).map(hasSeveral)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe('a row that', () => {
  const total = { unique_visitors: 10, visits: 12, visitor_key: 7 };
  const row = (unique_visitors: number) => ({ label: '/', unique_visitors, visits: unique_visitors, visitor_key: 1 });
  const counted = (unique_visitors: number, totals: object[] = [total]) =>
    countAlmostAll([row(unique_visitors)], totals as never, { fewest: FEWEST, isGoals: false })[0];

  test('all but two have counts everybody', () => {
    expect(counted(8)).toEqual({ label: '/', unique_visitors: 10, visits: 12, visitor_key: 7 });
    expect(counted(10)).toMatchObject({ unique_visitors: 10, visits: 12 });
    expect(counted(7)).toEqual(row(7));
    const small = { ...total, unique_visitors: 4 };
    expect([2, 3].map((visitors) => counted(visitors, [small])?.unique_visitors)).toEqual([2, 4]); // two are withheld later
    expect(counted(8, [])).toEqual(row(8));
  });

  test('does not count visits counts visitors alone', () => {
    const [only] = countAlmostAll([{ label: '/', unique_visitors: 9 }], [total], { fewest: FEWEST, isGoals: false });
    expect(only).toEqual({ label: '/', unique_visitors: 10, visitor_key: 7 });
  });

  test('is of a bucket of time counts everybody of that bucket', () => {
    const totals = [
      { ...total, label: 1 },
      { ...total, label: 2, unique_visitors: 20 },
    ];
    const rows = [1, 2].map((bucket) => ({ ...row(9), bucket }));
    const shown = countAlmostAll(rows, totals, { fewest: FEWEST, isGoals: false });
    expect(shown.map(({ unique_visitors }) => unique_visitors)).toEqual([10, 9]);
  });

  test('reaches a goal in all but two counts everybody as converted, and its rate follows', () => {
    const goal = (converted_visitors: number) => ({ converted_visitors, converted_key: 1, conversion_rate: 80 });
    const all = { unique_visitors: 10, visitor_key: 7 };
    expect(convertedOf(goal(8), all, FEWEST)).toEqual({
      converted_visitors: 10,
      converted_key: 7,
      conversion_rate: 100,
    });
    expect(convertedOf(goal(7), all, FEWEST)).toEqual(goal(7));
    expect(convertedOf(goal(2), { ...all, unique_visitors: 3 }, FEWEST)).toEqual(goal(2));
    expect(countAlmostAll([goal(8)], [all], { fewest: FEWEST, isGoals: true })[0]).toMatchObject({ converted_key: 7 });
    expect(convertedOf({ converted_visitors: 8 }, all, FEWEST)).toEqual({ converted_visitors: 10, converted_key: 7 });
  });
});
