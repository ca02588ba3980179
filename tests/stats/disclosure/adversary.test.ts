/** @module-tag promise */
// An adversary with a share link plants a visitor with a rare country among others, asks whatever a viewer may ask, and guesses which of two
// common browsers the visitor used. It wins if it is right more often than by chance. `npm run privacy` plays 10,000 rounds.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDisclosure } from '../../../server/stats/disclosure/shown.ts';
import type { ViewerRule } from '../../../server/stats/disclosure/rule.ts';
import { askFunnel } from '../../../server/stats/funnels/funnel.ts';
import type { Funnel } from '../../../server/stats/funnels/funnel-sql.ts';
import { FEWEST } from '../../../server/vocabulary/settings/privacy.ts';
import type { Filter } from '../../../server/stats/query.ts';
import { openReader, type Reader } from '../../../server/stats/reader.ts';
import { openMemo, openVersions } from '../../../server/stats/answer-cache.ts';
import { openCountedGoals } from '../../../server/stats/days/counted-goals.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import { openSummedDays } from '../../../server/stats/days/summed-days.ts';
import { openTogether } from '../../../server/stats/days/together.ts';
import type { Ask, Rows, Select } from '../../../server/stats/sql/sql.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { negatedBy, OPERATOR_NAMES } from '../../../server/vocabulary/questions/operators.ts';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import type { Device, SiteId, VisitorId } from '../../../server/vocabulary/event.ts';
import { ATTACKS, askCombined, type Asking, OF_DAYS, type Target } from '../../setup/adversary/attacks.ts';
import {
  askTwin,
  DIMENSIONS,
  findInTwin,
  FIRST_DAY,
  goalOf,
  keyOf,
  leftIn,
  type Person,
  valuesOf,
} from '../../setup/adversary/twin.ts';
import { makeEvent } from '../../setup/event.ts';
import { showsKept, sized } from '../../setup/run/harness.ts';
import { openRandom, type Random } from '../../setup/api/hostile-input.ts';
import { fail } from '../../setup/stats/closed-days.ts';
import { type TestStore, testStore } from '../../setup/store.ts';
import { viewing } from '../../setup/accounts/viewing.ts';

const COUNTRIES = ['DE', 'US', 'FR', 'GB', 'IN', 'BR', 'JP', 'CA', 'AU', 'SE'];
const MISSED = '/welcome';
const PAGES = ['/', MISSED, '/pricing', '/docs', '/blog', '/blog/a'];

/** A site of some days, with common and less common values. The target is the only visitor from its country. */
function drawSite(random: Random): { people: Person[]; target: Target; secret: 0 | 1 } {
  const days = 1 + random.number(4);
  const countries = COUNTRIES.slice(0, 2 + random.number(COUNTRIES.length - 1));
  const common = <Item>(items: readonly Item[]) =>
    items[Math.min(random.number(items.length), random.number(items.length))] as Item;
  const draw = (country: string): Person => ({
    id: random.number(2 ** 31),
    day: random.number(days),
    values: {
      country,
      browser: common(['Chrome', 'Firefox', 'Safari']),
      device: common(['desktop', 'mobile']),
      source: common(['Google', '', 'Bing', 'HN']),
    },
    pages: PAGES.filter((page) => ['/', MISSED].includes(page) || random.chance(0.3)),
  });
  const drawn = Array.from({ length: 20 + random.number(120) }, () => draw(common(countries)));
  // Visitors of other rare countries would make a group with the target, and what is said of three visitors may be said.
  const people = [...Map.groupBy(drawn, ({ values }) => values.country).values()].flatMap((own) =>
    own.length < FEWEST ? [] : own,
  );
  const secret = random.number(2) as 0 | 1;
  const browsers: [string, string] = ['Chrome', 'Firefox'];
  const target = draw('ZZ');
  const pages = [...new Set([...target.pages, '/docs', '/pricing'])].filter((page) => page !== MISSED);
  people.push({ ...target, pages, values: { ...target.values, browser: browsers[secret] ?? '' } });
  return {
    people,
    secret,
    target: { rare: 'ZZ', day: target.day, missed: MISSED, browsers, countries, days, firstDay: FIRST_DAY },
  };
}

const NOW = FIRST_DAY + 30 * DAY_MS;
/** 5,000 rounds take three minutes on an idle machine. */
const LONG_FORM_MS = 3_600_000;
function disclosureOf(people: readonly Person[], fewest: number = FEWEST) {
  const ask = askTwin(people);
  const disclosure = openDisclosure(ask, {
    rule: { properties: false, fewest },
    askMoments: () => Promise.resolve([]),
    findRare: findInTwin(people, fewest),
    now: NOW,
  });
  return { ...disclosure, ask: disclosure.shown(ask) };
}

/** Shows a funnel as the server does, but of the twin's people: these are the rows that its statements would return. */
const funnelOf =
  (people: readonly Person[], days: number, rule: ViewerRule): Asking['funnel'] =>
  async (pagesOfSteps, filters) => {
    const rowOf = (some: readonly Person[]) =>
      pagesOfSteps.reduce<Rows[number]>((row, _page, index) => {
        const taken = some.filter(({ pages }) =>
          pagesOfSteps.slice(0, index + 1).every((page) => pages.includes(page)),
        );
        const step = index + 1;
        return {
          ...row,
          [`visitors_${step}`]: taken.length,
          [`visits_${step}`]: taken.length,
          [`key_${step}`]: keyOf(taken),
        };
      }, {});
    const { narrowed, rareOf, cells } = disclosureOf(people, rule.fewest);
    const remembered: Reader['remembered'] = async (scope, { sql }) => {
      const rare = await rareOf(scope as Select['scope'], 'country');
      const left = leftIn(people, scope as Select['scope']);
      const byCountry = Map.groupBy(left, (one) => valuesOf(one, { dimension: 'country', rare })[0] ?? '');
      const isSplit = sql.startsWith('SELECT label');
      return isSplit ? [...byCountry].map(([label, some]) => ({ label, ...rowOf(some) })) : [rowOf(left)];
    };
    const reader = { rule, narrowed, rareOf, cells, remembered } as Reader;
    const steps = pagesOfSteps.map((page) => ({ kind: 'page' as const, page }));
    const funnel: Funnel = { steps, within: 'visit', order: 'any' };
    const question = {
      site_id: 'site_a',
      period: 'custom' as const,
      compare: 'none' as const,
      filters,
      by: 'country' as const,
      date_from: dayOf(FIRST_DAY),
      date_to: dayOf(FIRST_DAY + (days - 1) * DAY_MS),
    };
    const site = { timezone: null, currency: null, proposed_currency: null, max_amount: 0 };
    const shown = await askFunnel(reader, { question, site, now: NOW, funnel });
    return {
      steps: shown.steps.map(({ visitors }) => visitors),
      countries: new Map(shown.rows.map((row) => [row.name, row.steps[0]?.visitors ?? 0])),
    };
  };

/** How a door answers questions and shows funnels. */
type Door = (people: readonly Person[], days: number) => Pick<Asking, 'ask' | 'funnel'>;
const asViewer: Door = (people, days) => ({
  ask: disclosureOf(people).ask,
  funnel: funnelOf(people, days, { properties: false, fewest: FEWEST }),
});
const asOnceViewers: Door = (people, days) => {
  const exact = funnelOf(people, days, { properties: false, fewest: 1 });
  return {
    ask: withheldOnly(askTwin(people)),
    funnel: async (pages, filters) => {
      const { steps, countries } = await exact(pages, filters);
      return { steps: steps.map((visitors) => (visitors < FEWEST ? 0 : visitors)), countries };
    },
  };
};

/** The rule as it was once: what counts, or excludes, fewer than three visitors is withheld, and all else is exact. */
function withheldOnly(ask: Ask): Ask {
  return async (select) => {
    const visitors = async (filters: Filter[]) =>
      Number(
        (await ask({ scope: { ...select.scope, filters }, metrics: ['unique_visitors'] }))[0]?.['unique_visitors'] ?? 0,
      );
    const { filters } = select.scope;
    const matching = await visitors(filters);
    if (filters.length > 0 && matching < FEWEST) return [];
    for (const [index, filter] of filters.entries()) {
      const excluded = (await visitors(filters.toSpliced(index, 1))) - matching;
      if (negatedBy(filter.operator) && excluded > 0 && excluded < FEWEST) return [];
    }
    return ask(select);
  };
}

/** How often each attack is right. Without evidence it guesses, as anybody could. */
async function play(random: Random, rounds: number, door: Door): Promise<Record<string, number>> {
  const right = Object.fromEntries(Object.keys(ATTACKS).map((name) => [name, 0]));
  for (let round = 0; round < rounds; round += 1) {
    const { people, target, secret } = drawSite(random);
    const asking: Asking = { ...door(people, target.days), target, random };
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const evidence = await attack(asking);
      const guess = evidence === 0 ? random.number(2) : Number(evidence < 0);
      if (guess === secret) right[name] = (right[name] ?? 0) + 1;
    }
  }
  return Object.fromEntries(Object.entries(right).map(([name, times]) => [name, times / rounds]));
}

describe('the adversary', () => {
  test('wins where small numbers are withheld and nothing else is done', async () => {
    const rates = await play(openRandom(1), sized({ short: 120, long: 300 }), asOnceViewers);
    // The others compare numbers of the same visitors, which were exact and therefore always equal.
    const won = Object.entries(rates).flatMap(([name, rate]) => (rate > 0.62 ? [name] : []));
    expect(won.sort()).toEqual([
      'a goal that all others reached',
      'a page that all others saw',
      'a part of the name',
      'a step that all others took',
      'all but the others',
      'complements that differ by the value',
      'conversions of unions',
      'nested filters',
      'random questions',
      'segments',
      'steps of a funnel',
      'unions with each other value',
      'what is left of all countries',
      'what is left of each browser',
    ]);
  });

  test.each([
    ['a fixed seed', 2],
    ['a seed of this run', Date.now() % 2 ** 31],
  ])(
    'guesses no better than by chance, with %s (%i)',
    async (_which, seed) => {
      showsKept('a share link singles nobody out');
      const rounds = sized({ short: 60, long: 5_000 });
      const rates = await play(openRandom(seed), rounds, asViewer);
      // Four standard deviations: once in 15,000 by chance. Whoever is wrong more often than by chance guesses the other one.
      const most = (4 * 0.5) / Math.sqrt(rounds);
      for (const [name, rate] of Object.entries(rates))
        expect([name, Math.abs(rate - 0.5) <= most, rate]).toEqual([name, true, rate]);
    },
    LONG_FORM_MS,
  );
});

test('a visitor whose values are rare only together is guessed little better than by chance', async () => {
  const random = openRandom(4);
  const sources = ['Google', '', 'Bing', 'HN'];
  const rounds = sized({ short: 100, long: 3_000 });
  const rateOf = async (door: Door) => {
    let right = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { people, target, secret } = drawSite(random);
      const known = { country: target.countries[0] ?? '', source: 'HN', sources };
      const isAlone = ({ values }: Person) => values.country !== known.country || values.source !== known.source;
      const others = people.filter((one) => one.values.country !== target.rare && isAlone(one));
      const one = { ...people.at(-1), values: { ...people.at(-1)?.values, ...known } } as Person;
      const evidence = await askCombined({ ...door([...others, one], target.days), target, random }, known);
      const guess = evidence === 0 ? random.number(2) : Number(evidence < 0);
      if (guess === secret) right += 1;
    }
    return right / rounds;
  };
  expect(await rateOf(asOnceViewers)).toBeGreaterThan(0.9);
  const rate = await rateOf(asViewer);
  expect(rate).toBeLessThan(0.75);
});

test('a day within a longer range tells little more than chance, of sites as they are drawn', async () => {
  const random = openRandom(6);
  const rounds = sized({ short: 60, long: 2_000 });
  const right: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const { people, target, secret } = drawSite(random);
    for (const [name, attack] of Object.entries(OF_DAYS)) {
      const evidence = await attack({ ...asViewer(people, target.days), target, random });
      const guess = evidence === 0 ? random.number(2) : Number(evidence < 0);
      right[name] = (right[name] ?? 0) + Number(guess === secret);
    }
  }
  for (const [name, times] of Object.entries(right)) expect([name, times / rounds < 0.75]).toEqual([name, true]);
}, 1_200_000);

test('a visitor whose country is rare on their day alone is guessed no better than by chance, by that day within a longer range', async () => {
  const random = openRandom(5);
  const rounds = sized({ short: 100, long: 2_000 });
  const right: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const { people, target, secret } = drawSite(random);
    const draw = (country: string, day: number): Person => ({
      ...(people.at(-1) as Person),
      id: random.number(2 ** 31),
      day,
      values: { country, browser: random.pick(['Chrome', 'Firefox']), device: 'desktop', source: '' },
    });
    // On the other days the country has many visitors.
    const others = [0, 1, 2, 3].flatMap((day) => {
      const own = Array.from({ length: 40 }, () => draw(random.pick(['DE', 'FR']), day));
      return day === 3 ? own : [...own, ...Array.from({ length: 6 }, () => draw('SE', day))];
    });
    const one = draw('SE', 3);
    one.values.browser = target.browsers[secret];
    const of = { ...target, rare: 'SE', countries: ['DE', 'FR'], days: 4, day: 3 };
    for (const [name, attack] of Object.entries(OF_DAYS)) {
      const evidence = await attack({ ...asViewer([...others, one], 4), target: of, random });
      const guess = evidence === 0 ? random.number(2) : Number(evidence < 0);
      right[name] = (right[name] ?? 0) + Number(guess === secret);
    }
  }
  const most = (4 * 0.5) / Math.sqrt(rounds);
  for (const [name, times] of Object.entries(right))
    expect([name, Math.abs(times / rounds - 0.5) <= most, times / rounds]).toEqual([name, true, expect.any(Number)]);
}, 1_200_000);

describe('the twin in memory, against which it plays', () => {
  const random = openRandom(3);
  const { people, target } = drawSite(random);
  let store: TestStore;
  const versions = openVersions();
  let reader: Reader;
  let viewer: Reader;

  beforeAll(async () => {
    store = await testStore();
    const visits = openVisits(store);
    const events = people.flatMap(({ id, day, values, pages }) =>
      pages.map((page, view) =>
        makeEvent({
          site_id: 'site_a' as SiteId,
          ...values,
          device: values.device as Device,
          page,
          time: FIRST_DAY + day * DAY_MS + 3_600_000 + view * 1000,
          visitor_id: BigInt(id).toString(16).padStart(16, '0') as VisitorId,
        }),
      ),
    );
    const rows = events
      .toSorted((one, other) => one.time - other.time)
      .flatMap((event) => visits.assign(event, event.time) ?? []);
    await store.insert({ events: rows, ai_visits: [] }, 'all');
    const shared = {
      memo: openMemo(store, versions.of),
      summedDays: openSummedDays(versions.of),
      countedGoals: openCountedGoals(),
      askTogether: openTogether(store),
    };
    reader = openReader(store, shared, { asking: {} });
    viewer = openReader(store, shared, { asking: {}, viewing: viewing({}, NOW) });
  });
  afterAll(() => store[Symbol.asyncDispose]());

  const drawSelect = (): Select => {
    const valuesOf = (dimension: string) =>
      people.flatMap((one) => (dimension === 'page' ? one.pages : [one.values[dimension as 'country']]));
    const filters = (['country', 'browser', 'page'] as const)
      .filter(() => random.chance(0.5))
      .map((dimension): Filter => {
        const operator = random.pick(OPERATOR_NAMES);
        const count = dimension === 'page' ? 1 : 1 + random.number(3);
        return { dimension, operator, values: Array.from({ length: count }, () => random.pick(valuesOf(dimension))) };
      });
    const from = random.number(target.days);
    const range = {
      from: FIRST_DAY + from * DAY_MS,
      to: FIRST_DAY + (from + 1 + random.number(target.days - from)) * DAY_MS,
    };
    const by = random.pick([
      undefined,
      ...DIMENSIONS.map((dimension) => ({ dimension })),
      { dimension: 'page' as const },
    ]);
    const asked = { ...(by && { by }), limit: 1000 };
    const scope = { site_id: 'site_a', filters, range, currency: '', max_amount: 0 };
    const hasPages = by?.dimension === 'page' || filters.some(({ dimension }) => dimension === 'page');
    if (by && !hasPages && random.chance(0.5))
      return {
        ...asked,
        scope: { ...scope, goals: [goalOf(random.pick(['/pricing', MISSED]))] },
        metrics: ['converted_visitors'],
      };
    return { ...asked, scope, metrics: ['unique_visitors', 'pageviews'] };
  };
  const twin = askTwin(people);
  const disclosed = disclosureOf(people).ask;
  const numbersOf =
    ({ metrics: [metric = 'unique_visitors'] }: Select) =>
    (rows: Awaited<ReturnType<Ask>>) =>
      rows.flatMap((row) => {
        const shown = [metric, 'pageviews'].map((column) => Number(row[column] ?? 0));
        return shown[0] === 0 ? [] : [[row['label'] ?? '', ...(metric === 'unique_visitors' ? shown : [shown[0]])]];
      });

  test.each([
    ['from the events', false],
    ['from the visits of closed days', true],
  ])('answers as the event store does, to members and to viewers, %s', async (_from, isSummed) => {
    if (isSummed) {
      const sum = openSumming({ store, versions, onFailed: fail });
      expect(await sum({ now: NOW, leastRows: 1 })).toBe(target.days);
    }
    let answered = 0;
    for (let n = 0; n < sized({ short: 40, long: 400 }); n += 1) {
      const select = drawSelect();
      const context = JSON.stringify(select);
      const numbers = numbersOf(select);
      expect(numbers(await reader.ask(select)), context).toEqual(numbers(await twin(select)));
      const seen = numbers(await viewer.ask(select));
      expect(seen, context).toEqual(numbers(await disclosed(select)));
      answered += seen.length;
    }
    expect(answered).toBeGreaterThan(0);
  });
});
