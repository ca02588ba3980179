import { describe, expect, test } from 'vitest';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../sql/scope.ts';
import { addToKeys, addToRow, type FindRare, keyedBy, openRare, type RareIn } from './rare-values.ts';

const JUNE = Date.UTC(2026, 5, 1);
const day = (index: number) => JUNE + index * DAY_MS;
const SCOPE: Scope = {
  site_id: 'site_a',
  filters: [],
  range: { from: day(0), to: day(4) },
  currency: '',
  max_amount: 0,
};
const ofDay = (from: number, values: string[], into = 'DE') => ({ from: day(from), values, into });
const ofCountry = (...ofDays: ReturnType<typeof ofDay>[]): RareIn[] => [
  { dimension: 'country', ofDays, ofRange: undefined },
];
/** One quiet group of two days, and two busy days. */
const GROUPS = [
  [0, 2],
  [2, 3],
  [3, 4],
].map(([from = 0, to = 0]) => ({ from: day(from), to: day(to) }));

function open(found: RareIn[], { today = day(9), groups = GROUPS, scope = SCOPE } = {}) {
  const asked: Parameters<FindRare>[] = [];
  const askRare = openRare(
    (...question) => {
      asked.push(question);
      return Promise.resolve(found);
    },
    { scope, groups: () => Promise.resolve(groups), today },
  );
  return { askRare, asked };
}

describe('the rare values of a dimension', () => {
  test('count under another one on each day of their group', async () => {
    const { askRare } = open(ofCountry(ofDay(0, ['LI', 'MC']), ofDay(3, ['MT'], 'FR')));
    expect(await askRare('country')).toEqual({
      dayOfEvents: 'toDate(time)',
      joined: [
        { day: '2026-06-01', values: ['LI', 'MC'], into: 'DE' },
        { day: '2026-06-02', values: ['LI', 'MC'], into: 'DE' },
        { day: '2026-06-04', values: ['MT'], into: 'FR' },
      ],
      keyed: [],
    });
    expect(await askRare('browser')).toBeUndefined();
  });

  test('are looked for once, from the first of the month on, in the groups of its days', async () => {
    const filters: Filter[] = [{ dimension: 'browser', operator: 'is', values: ['Chrome'] }];
    const range = { from: day(1), to: day(4) - 1, zone: 'Europe/Berlin' };
    const { askRare, asked } = open(ofCountry(ofDay(0, ['LI'])), { scope: { ...SCOPE, filters, range } });
    const [rare] = await Promise.all([askRare('country'), askRare('country'), askRare('page')]);
    const whole = { ...SCOPE, filters: [], range: { ...range, from: day(0) } };
    expect(asked).toEqual([[whole, { groups: GROUPS, since: range.from }]]);
    expect(rare?.dayOfEvents).toBe('day');
    expect(await open([], { groups: [] }).askRare('country')).toBeUndefined();
  });

  test('of a whole range count under another one on each day on which they do not already', async () => {
    const few = { values: ['LI', 'MC'], into: 'DE' };
    const [found] = ofCountry(ofDay(2, ['LI'], 'FR'));
    const { askRare } = open([{ dimension: 'country', ofDays: found?.ofDays ?? [], ofRange: few }]);
    const rare = await askRare('country');
    expect(rare?.joined).toEqual([
      { day: '2026-06-03', values: ['LI'], into: 'FR' },
      { day: '2026-06-01', ...few },
      { day: '2026-06-02', ...few },
      { day: '2026-06-03', values: ['MC'], into: 'DE' },
      { day: '2026-06-04', ...few },
    ]);
    expect(rare?.keyed.map(({ into, from }) => [into, from])).toEqual([['DE', day(0)]]);
  });

  test('are those of whole visits: a page, an event or a step has none', async () => {
    const { askRare } = open(
      (['page', 'event', 'hostname', 'entry_page'] as const).map((dimension) => ({
        dimension,
        ofDays: [ofDay(2, ['/a'], '/')],
        ofRange: undefined,
      })),
    );
    for (const dimension of ['page', 'event', 'hostname', 'furthest_step'] as const)
      expect(await askRare(dimension)).toBeUndefined();
    expect((await askRare('entry_page'))?.joined).toHaveLength(1);
  });
});

describe('what they add to the keys of today', () => {
  const openOf = async (found: RareIn[]) => (await open(found, { today: day(3) }).askRare('country'))?.keyed[0];

  test('is their own, whatever their order, and nothing if the day is over', async () => {
    const rare = await openOf(ofCountry(ofDay(2, ['MC']), ofDay(3, ['LI', 'MC'])));
    expect(rare).toEqual({ into: 'DE', from: day(3), key: 9947 }); // another key would answer the same question twice
    expect(await openOf(ofCountry(ofDay(3, ['MC', 'LI'])))).toEqual(rare);
    expect((await openOf(ofCountry(ofDay(3, ['LI']))))?.key).not.toBe(rare?.key);
    expect((await openOf(ofCountry(ofDay(3, ['LI', 'MC'], 'FR'))))?.key).not.toBe(rare?.key);
    expect(await openOf(ofCountry(ofDay(2, ['LI', 'MC'])))).toBeUndefined();
  });

  test('is added by a filter by the value that they count under, in a segment, too', () => {
    const opened = { into: 'DE', from: day(3), key: 7 };
    const rare = { joined: [], dayOfEvents: 'day', keyed: [opened] };
    const filter: Filter = { dimension: 'country', operator: 'is', values: ['DE'], rare };
    expect(keyedBy([filter])).toEqual([opened]);
    expect(keyedBy([{ ...filter, values: ['FR'] }])).toEqual([]);
    const segment = { dimension: 'segment', operator: 'is_not', values: ['s'], segments: [[filter], [filter]] };
    expect(keyedBy([filter, segment as never])).toEqual([opened, opened, opened]);
  });

  test('is added to keys and nothing else, of today', () => {
    const rows = [2, 3].map((index) => ({
      label: 'DE',
      bucket: day(index),
      visits: 5,
      visitor_key: 3,
      key_2: 1,
      key: 0,
    }));
    const opened = [
      { from: day(3), key: 10 },
      { from: day(3), key: 20 },
    ];
    expect(addToKeys(rows, opened)).toEqual(rows.map((row) => ({ ...row, visitor_key: 33, key_2: 31, key: 30 })));
    const [before, today] = addToKeys(rows, opened, (row) => Number(row['bucket']));
    expect([before, today?.['visitor_key']]).toEqual([rows[0], 33]);
  });

  test('is added to the row that they count under, if it is not the only one', () => {
    const rare = { joined: [], dayOfEvents: 'day', keyed: [{ into: 'DE', from: day(3), key: 10 }] };
    const row = (label: string, bucket: number) => ({ label, bucket: day(bucket), visitor_key: 5 });
    const keysOf = (rows: ReturnType<typeof row>[]) =>
      addToRow(rows, rare, (one) => Number(one['bucket'])).map((one) => one['visitor_key']);
    expect(keysOf([row('DE', 3), row('FR', 3)])).toEqual([15, 5]);
    expect(keysOf([row('DE', 2), row('FR', 2), row('DE', 3)])).toEqual([5, 5, 5]);
    expect(
      addToRow([row('DE', 3), row('FR', 3)], { joined: [], dayOfEvents: 'day', keyed: [] })[0]?.['visitor_key'],
    ).toBe(5);
    expect(dayOf(day(3))).toBe('2026-06-04');
  });
});
