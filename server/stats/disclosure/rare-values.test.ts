import { describe, expect, test } from 'vitest';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { LONGEST } from '../lists.ts';
import type { Rows, Select } from '../sql.ts';
import { addToKeys, joinRare, keyOfFilters, keyOfRare, openRare } from './rare-values.ts';

/** What `keyOfRare` gives for `rare` below. A version that gave another would answer the same question twice. */
const KEY = 9947;
const scope = { site_id: 'site_a', filters: [], range: { from: 0, to: 1 }, currency: '', max_amount: 0 };

/** The rare values of countries with so many visitors, and what is asked of a store that has them. */
async function rareOf(visitors: Record<string, number>) {
  const rows: Rows = Object.entries(visitors).map(([label, unique_visitors]) => ({ label, unique_visitors }));
  const asked: Select[] = [];
  const askRare = openRare(
    (select) => {
      asked.push(select);
      const sorted = rows.toSorted((one, other) => Number(other['unique_visitors']) - Number(one['unique_visitors']));
      if (select.order?.direction === 'asc') sorted.reverse();
      return Promise.resolve(sorted.slice(0, select.limit));
    },
    { scope, fewest: FEWEST },
  );
  const [rare] = await Promise.all([askRare('country'), askRare('country')]);
  return { rare, limits: asked.map(({ limit }) => limit), askRare };
}

describe('the visitors of rare values', () => {
  test.each([
    ['count under the most frequent value', { DE: 5, FR: 4, LI: 1 }, { values: ['LI'], into: 'DE' }],
    [
      'are two at most, of whom each has a value of their own',
      { DE: 3, LI: 1, MC: 1 },
      { values: ['LI', 'MC'], into: 'DE' },
    ],
    ['may have one value together', { DE: 3, LI: 2 }, { values: ['LI'], into: 'DE' }],
    ['stay apart if they are three', { DE: 5, LI: 2, MC: 1 }, undefined],
    ['are nobody where every value has three', { DE: 5, FR: 3 }, undefined],
    ['are not those of a value without visitors', { DE: 5, LI: 1, ZZ: 0 }, { values: ['LI'], into: 'DE' }],
    ['count under the first by name of two as frequent', { FR: 4, DE: 4, LI: 1 }, { values: ['LI'], into: 'DE' }],
    ['have nothing to count under where no value has three', { LI: 1, MC: 1 }, undefined],
  ] as [string, Record<string, number>, unknown][])('%s', async (_title, visitors, expected) => {
    expect((await rareOf(visitors)).rare).toEqual(expected);
  });

  test('are looked for once, and at the end of a list that is longer than one statement reads', async () => {
    const many = (count: number, others: Record<string, number>) =>
      rareOf({ ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`C${n}`, 1000 - n])), ...others });
    const short = await many(LONGEST - 2, { LI: 1 });
    expect([short.rare?.values, short.limits]).toEqual([['LI'], [LONGEST]]);
    const long = await many(LONGEST - 1, { LI: 2 });
    expect([long.rare, long.limits]).toEqual([{ values: ['LI'], into: 'C0' }, [LONGEST, FEWEST]]);
    const longer = await many(LONGEST, { LI: 1, MC: 1 });
    expect(longer.rare).toEqual({ values: ['MC', 'LI'], into: 'C0' });
    expect((await many(LONGEST, { LI: 1, MC: 1, VA: 1 })).rare).toBeUndefined();
  });

  test('are those of whole visits: a page, an event or a step has none', async () => {
    const { askRare } = await rareOf({ DE: 5, LI: 1 });
    expect(await askRare('browser')).toEqual({ values: ['LI'], into: 'DE' });
    expect([await askRare('page'), await askRare('event'), await askRare('furthest_step')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('rows with rare ones', () => {
  const isSum = (column: string) => column === 'unique_visitors' || column === 'pageviews';
  const rare = { values: ['LI', 'MC'], into: 'DE' };
  const row = (label: string, unique_visitors: number, given: Rows[number] = {}) => ({
    ...{ label, unique_visitors, pageviews: 10 * unique_visitors, bounce_rate: 50 },
    ...given,
  });

  test('are added to the row that they count under, which keeps its rates', () => {
    const rows = [row('DE', 5), row('FR', 4), row('LI', 1, { bounce_rate: 0 }), row('MC', 1)];
    expect(joinRare(rows, rare, isSum)).toEqual([
      { label: 'DE', unique_visitors: 7, pageviews: 70, bounce_rate: 50 },
      row('FR', 4),
    ]);
    expect(joinRare([row('DE', 5)], rare, isSum)).toEqual([row('DE', 5)]);
    expect(joinRare(rows, undefined, isSum)).toEqual(rows);
  });

  test('are added within their bucket, whether or not their visitors are counted', () => {
    const rows = [
      row('DE', 5, { bucket: 1 }),
      row('DE', 4, { bucket: 2 }),
      row('LI', 1, { bucket: 2 }),
      row('MC', 2, { bucket: 3 }),
    ];
    expect(joinRare(rows, rare, isSum).map((one) => [one['bucket'], one['unique_visitors']])).toEqual([
      [1, 5],
      [2, 5],
    ]);
    const counted = [
      { label: 'DE', pageviews: 5 },
      { label: 'LI', pageviews: 2 },
    ];
    expect(joinRare(counted, rare, isSum)).toEqual([{ label: 'DE', pageviews: 7 }]);
  });
});

describe('the rare values that a number counts', () => {
  const rare = { values: ['LI', 'MC'], into: 'DE' };
  const other = { values: ['LI'], into: 'DE' };

  test('give it a key of its own, whatever their order', () => {
    expect([keyOfRare(rare), keyOfRare(other)]).toEqual([KEY, keyOfRare({ ...other })]);
    expect(keyOfRare({ ...rare, values: ['MC', 'LI'] })).toBe(keyOfRare(rare));
    expect(keyOfRare(rare)).not.toBe(keyOfRare(other));
    expect(keyOfRare(rare)).not.toBe(keyOfRare({ ...rare, into: 'FR' }));
  });

  test('add it to the joined row as a filter by its value does, in a segment, too', () => {
    const [joined, alone] = joinRare(
      [
        { label: 'DE', unique_visitors: 5, visitor_key: 3, key_2: 4 },
        { label: 'FR', unique_visitors: 4, visitor_key: 2, key_2: 1 },
      ],
      rare,
      () => false,
    );
    expect([joined?.['visitor_key'], joined?.['key_2'], alone?.['visitor_key']]).toEqual([3 + KEY, 4 + KEY, 2]);
    const of = { dimension: 'country', operator: 'is', values: ['DE', 'LI', 'MC'], rare } as const;
    const filter = { ...of, values: [...of.values] };
    expect(keyOfFilters([filter])).toBe(KEY);
    expect(keyOfFilters([{ ...filter, values: ['FR'] }])).toBe(0);
    const segment = {
      dimension: 'segment',
      operator: 'is_not',
      values: ['s'],
      segments: [[filter], [filter]],
    } as const;
    expect(keyOfFilters([filter, segment as never])).toBe(3 * KEY);
  });

  test('leave a row alone that is the total of its bucket', () => {
    const rows = [1, 1, 2].map((bucket, index) => ({ label: ['DE', 'FR', 'DE'][index] ?? '', bucket, visitor_key: 5 }));
    const keys = joinRare(
      [...rows, { label: 'LI', bucket: 2, visitor_key: 1 }],
      rare,
      (column) => column === 'visitor_key',
    );
    expect(keys.map((row) => row['visitor_key'])).toEqual([5 + KEY, 5, 6]);
  });

  test('change keys and nothing else', () => {
    expect(addToKeys([{ label: 'DE', visits: 5, visitor_key: 3, key: 1 }], 10)).toEqual([
      { label: 'DE', visits: 5, visitor_key: 13, key: 11 },
    ]);
  });
});
