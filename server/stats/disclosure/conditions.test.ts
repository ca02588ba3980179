import { describe, expect, test } from 'vitest';
import { askTwin, FIRST_DAY, type Person } from '../../../tests/setup/adversary/twin.ts';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import type { PlainFilter } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../sql/scope.ts';
import type { Ask, Select } from '../sql/sql.ts';
import { checkFilters, dimensionsOf, isNegative, isOfRows, settleFilters } from './conditions.ts';
import type { Rare } from './joined-values.ts';

const filter = (dimension: Filter['dimension'], operator: Filter['operator'], ...values: string[]): Filter => ({
  dimension,
  operator,
  values,
});
const is = (dimension: Filter['dimension'], ...values: string[]) => filter(dimension, 'is', ...values);
const not = (dimension: Filter['dimension'], ...values: string[]) => filter(dimension, 'is_not', ...values);
const plain = (...filters: Filter[]) => filters as PlainFilter[];
const segments = (operator: 'is' | 'is_not', ...own: Filter[][]): Filter => ({
  ...filter('segment', operator, ...own.map((_, index) => `s${index}`)),
  segments: own as PlainFilter[][],
});

describe('filters of a viewer', () => {
  const ONE = 'to one property value, city, version, goal or step at a time';
  const PAGE = 'to one page, hostname or event at a time';
  test.each([
    ['one city', [is('city', 'Ulm')], undefined],
    ['two cities', [is('city', 'Ulm', 'Bonn')], ONE],
    ['all but a city', [not('city', 'Ulm')], ONE],
    ['a part of a city', [filter('city', 'contains', 'U')], ONE],
    ['one value of a property', [is('prop:plan', 'pro')], undefined],
    ['a segment of one city', [segments('is', plain(is('city', 'Ulm')))], undefined],
    ['all but a segment of one city', [segments('is_not', plain(is('city', 'Ulm')))], ONE],
    ['a segment of two cities', [segments('is', plain(is('country', 'DE'), is('city', 'Ulm', 'Bonn')))], ONE],
    [
      'two segments',
      [segments('is', plain(is('country', 'DE')), plain(is('country', 'FR')))],
      'to one segment at a time',
    ],
    ['two countries', [is('country', 'DE', 'FR')], undefined],
    ['one page', [is('page', '/')], undefined],
    ['all but one page', [not('page', '/')], undefined],
    ['two pages', [is('page', '/', '/a')], PAGE],
    [
      'parts of pages',
      [filter('page', 'contains', '/a', '/b'), filter('hostname', 'contains_not', 'x', 'y')],
      undefined,
    ],
    ['two countries in two filters', [is('country', 'DE'), not('country', 'FR')], 'once by each dimension'],
    ['a country and a browser', [is('country', 'DE'), is('browser', 'Chrome')], undefined],
  ] as [string, Filter[], string | undefined][])('by %s are allowed, or refused', (_title, filters, refused) => {
    const check = () => checkFilters(filters);
    if (refused === undefined) check();
    else expect(check).toThrow(`filters: a shared dashboard can be filtered ${refused}.`);
  });

  test('are told apart', () => {
    expect((['is', 'contains', 'is_not', 'contains_not'] as const).map((operator) => isNegative({ operator }))).toEqual(
      [false, false, true, true],
    );
    const ofRows = ['page', 'event', 'goal', 'country', 'entry_page', 'furthest_step'] as const;
    expect(ofRows.filter((dimension) => isOfRows({ dimension, operator: 'is', values: [] }))).toEqual([
      'page',
      'event',
      'goal',
    ]);
    expect(dimensionsOf(segments('is', plain(is('country', 'DE')), plain(is('city', 'Ulm'), is('page', '/'))))).toEqual(
      ['country', 'city', 'page'],
    );
  });
});

let serial = 0;
type Given = Partial<Person['values']> & { pages?: string[] };
const visitors = (count: number, { pages = ['/'], ...values }: Given = {}): Person[] =>
  Array.from({ length: count }, () => ({
    id: (serial += 1),
    day: 0,
    pages,
    values: { country: 'DE', browser: 'Chrome', device: 'desktop', source: '', ...values },
  }));

const SCOPE: Scope = {
  site_id: 'site_a',
  range: { from: FIRST_DAY, to: FIRST_DAY + DAY_MS },
  filters: [],
  currency: '',
  max_amount: 0,
};

/** The filters that count, and what was asked for them. */
async function settle(people: Person[], filters: Filter[], rare?: Rare) {
  const asked: Select[] = [];
  const twin = askTwin(people);
  const ask: Ask = (select) => {
    asked.push(select);
    return twin(select);
  };
  const countOf = async (own: Filter[]) => {
    for (const { segments = [] } of own) expect(segments).not.toContainEqual([]); // SQL has no condition for a segment without filters
    return Number(
      (await twin({ scope: { ...SCOPE, filters: own }, metrics: ['unique_visitors'] }))[0]?.['unique_visitors'],
    );
  };
  const settled = await settleFilters({
    scope: { ...SCOPE, filters },
    ask,
    countOf,
    fewest: FEWEST,
    askRare: (dimension) => Promise.resolve(dimension === 'country' ? rare : undefined),
  });
  return { settled, asked };
}
const settled = async (people: Person[], ...filters: Filter[]) => (await settle(people, filters)).settled;

describe('a value counts', () => {
  const people = [
    ...visitors(5, { country: 'Germany' }),
    ...visitors(3, { country: 'France' }),
    ...visitors(2, { country: 'Finland' }),
    ...visitors(2, { country: 'Malta' }),
  ];

  test('if three visitors have it', async () => {
    expect(await settled(people, is('country', 'Germany'))).toEqual([is('country', 'Germany')]);
    expect(await settled(people, is('country', 'France'))).toEqual([is('country', 'France')]);
    expect(await settled(people, is('country', 'Finland'))).toBeUndefined();
    expect(await settled(people, is('country', 'Germany', 'France', 'Finland'))).toEqual([
      is('country', 'Germany', 'France'),
    ]);
    expect(await settled(people, is('country', 'Finland', 'Malta'))).toBeUndefined();
    expect(await settled(people, not('country', 'Germany', 'Finland'))).toEqual([not('country', 'Germany')]);
  });

  test('if three visitors have it whom other filters leave', async () => {
    const some = [
      ...visitors(4),
      ...visitors(5, { browser: 'Safari' }),
      ...visitors(2, { browser: 'Opera' }),
      ...visitors(9, { country: 'FR', browser: 'Opera' }),
      ...visitors(3, { country: 'FR', browser: 'Safari' }),
    ];
    expect(await settled(some, is('country', 'DE'), is('browser', 'Safari', 'Opera'))).toEqual([
      is('browser', 'Safari'),
      is('country', 'DE'),
    ]);
  });

  test('as one of those that contain a part of a name, of which 5,000 are read', async () => {
    const parts = await settle(people, [filter('country', 'contains', 'F', 'erm')]);
    expect(parts.settled).toEqual([{ ...is('country', 'France', 'Germany'), isOfPart: true }]);
    expect(parts.asked.map(({ limit, search, by }) => [limit, search, by])).toEqual([
      [5000, 'F', { dimension: 'country' }],
      [5000, 'erm', { dimension: 'country' }],
    ]);
    expect(await settled(people, filter('country', 'contains', 'Fin'))).toBeUndefined();
    expect(await settled(people, filter('country', 'contains_not', 'F'))).toEqual([
      { ...not('country', 'France'), isOfPart: true },
    ]);
    // To leave out the values that two visitors have leaves out nobody.
    expect(await settled(people, filter('country', 'contains_not', 'Fin'))).toEqual([]);
  });
});

describe('a condition counts', () => {
  const people = [
    ...visitors(10, { pages: ['/', '/docs'] }),
    ...visitors(3, { country: 'FR', pages: ['/'] }),
    ...visitors(2, { country: 'MT', browser: 'Opera', pages: ['/docs'] }),
  ];

  test('if it leaves three visitors, and leaves out three', async () => {
    expect(await settled(people, is('browser', 'Chrome'))).toEqual([]);
    expect(await settled(people, not('country', 'FR'))).toEqual([not('country', 'FR')]);
    expect(await settled(people, is('country', 'DE', 'MT'))).toEqual([is('country', 'DE')]);
    expect(await settled(visitors(2))).toBeUndefined();
    expect(await settled(visitors(3))).toEqual([]);
  });

  test('of pages as what narrows page views alone, if it leaves out fewer visitors', async () => {
    expect(await settled(people, is('page', '/'))).toEqual([{ ...is('page', '/'), keepsVisits: true }]);
    expect(await settled(people, is('page', '/docs'))).toEqual([is('page', '/docs')]);
  });

  test('beside others if it leaves out three of whom they leave', async () => {
    // All from Germany use Chrome: the second condition says nothing beside the first.
    const both = [is('country', 'DE'), is('browser', 'Chrome')];
    const some = [
      ...visitors(5),
      ...visitors(3, { country: 'FR' }),
      ...visitors(3, { country: 'FR', browser: 'Opera' }),
    ];
    expect(await settled(some, ...both)).toEqual([is('country', 'DE')]);
    expect(await settled(some, ...both.toReversed())).toEqual([is('country', 'DE')]);
    const three = [is('browser', 'Chrome'), is('country', 'FR'), is('device', 'desktop')];
    expect(await settled([...some, ...visitors(2, { device: 'mobile' })], ...three)).toEqual([
      is('browser', 'Chrome'),
      is('country', 'FR'),
    ]);
    // Of the two that are left out for nothing, each is.
    expect(
      await settled(
        [...visitors(5), ...visitors(2, { device: 'mobile', browser: 'Opera' })],
        is('browser', 'Chrome'),
        is('device', 'desktop'),
      ),
    ).toEqual([]);
  });

  test('whatever else is asked, in one order', async () => {
    const asked = [is('country', 'DE'), is('browser', 'Chrome')];
    const some = [...visitors(5), ...visitors(3, { country: 'FR' }), ...visitors(3, { browser: 'Opera' })];
    expect(await settled(some, ...asked)).toEqual(asked.toReversed());
    expect(await settled(some, ...asked.toReversed())).toEqual(asked.toReversed());
  });
});

describe('a segment', () => {
  const people = [
    ...visitors(6),
    ...visitors(4, { country: 'FR' }),
    ...visitors(2, { country: 'MT' }),
    ...visitors(4, { country: 'FR', browser: 'Opera', pages: ['/docs'] }),
  ];

  test('alone is each of its filters', async () => {
    const segment = segments('is', [is('country', 'FR', 'MT'), is('browser', 'Chrome')]);
    expect(await settled(people, segment)).toEqual([is('browser', 'Chrome'), is('country', 'FR')]);
    const ofPages = segments('is', [is('country', 'FR'), is('page', '/docs')]);
    expect(await settled(people, ofPages)).toEqual([segments('is', [is('page', '/docs')])]);
  });

  test('that is left out, or one of two, keeps the values that three visitors have', async () => {
    const two = segments('is', [is('country', 'FR', 'MT')], [is('browser', 'Opera')]);
    expect(await settled(people, two)).toEqual([segments('is', [is('country', 'FR')], [is('browser', 'Opera')])]);
    // One value alone is not looked at by itself.
    const one = segments('is', [is('country', 'MT')], [is('browser', 'Opera')]);
    expect(await settled(people, one)).toEqual([one]);
    const out = (...own: Filter[]) => segments('is_not', own);
    expect(await settled(people, out(is('country', 'FR', 'MT'), is('browser', 'Opera', 'Edge')))).toEqual([
      out(is('country', 'FR'), is('browser', 'Opera')),
    ]);
  });

  test('that is left out leaves out nobody if too few visitors have its values, and everybody if all are in it', async () => {
    const out = (...own: Filter[]) => segments('is_not', own);
    expect(await settled(people, out(is('country', 'MT', 'LI')))).toEqual([]);
    expect(await settled(people, out(filter('country', 'contains_not', 'M')))).toBeUndefined();
    expect(await settled(people, out(filter('country', 'contains_not', 'M'), is('browser', 'Opera')))).toEqual([
      out(is('browser', 'Opera')),
    ]);
    expect(
      await settled(
        people,
        out(is('device', 'desktop', 'tv'), filter('country', 'contains_not', 'M'), is('browser', 'Opera', 'Edge')),
      ),
    ).toEqual([out(is('device', 'desktop'), is('browser', 'Opera'))]);
    expect(await settled(people, segments('is', [filter('country', 'contains_not', 'M')]))).toEqual([]);
    expect(
      await settled(people, segments('is', [filter('country', 'contains_not', 'M')], [is('browser', 'Opera')])),
    ).toEqual([]);
  });
});

test('a filter has the values of its dimension that count under others, and counts them there', async () => {
  const people = [...visitors(5), ...visitors(2, { country: 'FR' }), ...visitors(1, { country: 'MT' })];
  const day = dayOf(FIRST_DAY);
  const rare = { joined: [{ day, values: ['MT'], into: 'FR' }], dayOfEvents: 'day', keyed: [] };
  const settled = async (...filters: Filter[]) => (await settle(people, filters, rare)).settled;
  expect(await settled(is('country', 'FR'))).toEqual([{ ...is('country', 'FR'), rare }]);
  expect(await settled(is('country', 'FR', 'MT', 'DE'))).toEqual([]);
  expect(await settled(is('country', 'MT'))).toBeUndefined();
  expect(await settled(filter('country', 'contains', 'f'))).toEqual([{ ...is('country', 'FR'), isOfPart: true, rare }]);
  expect(await settled(is('browser', 'Chrome'))).toEqual([]);
  expect(await settled(segments('is_not', [is('country', 'FR')]))).toEqual([
    segments('is_not', [{ ...is('country', 'FR'), rare } as Filter]),
  ]);
});

describe('a filter by a step of a funnel', () => {
  const funnel = 'funnel_0000000000000000';
  const order = { within: 'visit', order: 'any_between' } as const;
  const others = { id: 'funnel_1111111111111111', steps: [], ...order };
  const steps = ['/', '/cart', '/thanks'].map((page) => ({ kind: 'page', page }) as const);
  const funnels = [others, { id: funnel, steps, ...order }];
  const atStep = (step: number) => is('furthest_step', `${funnel}:${step}`);

  /** `left`: the visitors who took each step and no later one. Ten more took none. */
  const settledAt = async (step: number, left: number[], other: Filter[] = []) => {
    const countOf = (filters: Filter[]) => {
      const at = filters.find(({ dimension }) => dimension === 'furthest_step')?.values[0];
      const all = left.reduce((sum, one) => sum + one, 10);
      return Promise.resolve(at === undefined ? all : (left[Number(at.split(':')[1]) - 1] ?? 99));
    };
    const nothing = () => Promise.reject(new Error('nothing is asked'));
    return settleFilters({
      scope: { ...SCOPE, funnels, filters: [atStep(step), ...other] },
      ask: nothing,
      countOf,
      fewest: FEWEST,
      askRare: () => Promise.resolve(undefined),
    });
  };

  test.each([
    ['leave three or none', [3, 0, 4], true],
    ['leave one at the first', [1, 5, 4], false],
    ['leave two at the first', [2, 5, 4], false],
    ['leave two at the last', [3, 5, 2], false],
  ])('shows visitors where the steps %s: %j', async (_title, left, isShown) => {
    for (const step of [1, 3]) {
      if ((left[step - 1] ?? 0) < FEWEST) continue;
      expect(await settledAt(step, left)).toEqual(isShown ? [atStep(step)] : undefined);
    }
  });

  test('of a funnel that is gone shows those whom it leaves', async () => {
    const gone = is('furthest_step', 'funnel_2222222222222222:1');
    const scope = { ...SCOPE, funnels, filters: [gone] };
    const countOf = (filters: Filter[]) => Promise.resolve(filters.length > 0 ? 5 : 20);
    const askRare = () => Promise.resolve(undefined);
    const ask = () => Promise.resolve([]);
    expect(await settleFilters({ scope, ask, askRare, countOf, fewest: FEWEST })).toEqual([gone]);
  });
});
