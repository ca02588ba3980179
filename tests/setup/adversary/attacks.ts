// Attacks on one visitor of a shared dashboard. The attacker knows a rare country of the visitor, and wants to know which of two common browsers
// they used. Each attack asks through the viewer's door, and returns the evidence: above zero for the first browser, below zero for the second.
import type { Filter } from '../../../server/stats/query.ts';
import type { Ask, Rows } from '../../../server/stats/sql/sql.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import type { Random } from '../api/hostile-input.ts';
import { DIMENSIONS, type Dimension, goalOf } from './twin.ts';

/** `rare`: the visitor's country. `countries`: all others. `missed`: a page that all saw, except the visitor. `day`: on which they came. */
export type Target = {
  day: number;
  rare: string;
  missed: string;
  browsers: [string, string];
  countries: readonly string[];
  days: number;
  firstDay: number;
};
type Attack = (asking: Asking) => Promise<number>;
/** The visitors of each step of a funnel, and of the first one by country. */
type AskedFunnel = { steps: number[]; countries: ReadonlyMap<string, number> };
export type Asking = {
  ask: Ask;
  /** A funnel of page views. */
  funnel(pages: string[], filters: Filter[]): Promise<AskedFunnel>;
  target: Target;
  random: Random;
};
const FUNNEL = ['/', '/docs'];

const is = (dimension: Dimension | 'page', values: readonly string[], operator: Filter['operator'] = 'is'): Filter => ({
  dimension,
  operator,
  values: [...values],
});
const segment = (filter: Filter): Filter => ({
  dimension: 'segment',
  operator: 'is',
  values: ['s'],
  segments: [[filter as never]],
});

function scopeOf({ target: { firstDay, days } }: Asking, filters: Filter[], [from, to] = [0, days]) {
  return {
    site_id: 'site_a',
    filters,
    range: { from: firstDay + from * DAY_MS, to: firstDay + to * DAY_MS },
    currency: '',
    max_amount: 0,
  };
}

/** The visitors of each value of a dimension. A question that is refused tells nothing. */
async function list(asking: Asking, dimension: Dimension | 'page', filters: Filter[], days?: [number, number]) {
  const scope = scopeOf(asking, filters, days);
  const rows: Rows = await asking
    .ask({ scope, metrics: ['unique_visitors'], by: { dimension }, limit: 1000 })
    .catch(() => []);
  return new Map(rows.map((row) => [String(row['label']), Number(row['unique_visitors'])]));
}

/** The visitors of each browser who reached the goal of seeing a page. */
async function converted(asking: Asking, filters: Filter[], page = '/pricing') {
  const scope = { ...scopeOf(asking, filters), goals: [goalOf(page)] };
  const rows: Rows = await asking
    .ask({ scope, metrics: ['converted_visitors'], by: { dimension: 'browser' }, limit: 1000 })
    .catch(() => []);
  return new Map(rows.map((row) => [String(row['label']), Number(row['converted_visitors'])]));
}

/** The country with the most visitors. */
async function mostFrequent(asking: Asking): Promise<string> {
  const [first = ''] = (await list(asking, 'country', [])).keys();
  return first;
}

/** For numbers of the same visitors, unless the target is one of those with a browser: they are equal, or not. */
async function unequal({ target }: Asking, askBoth: (ofBrowser: Filter) => Promise<readonly [number, number]>) {
  const [first, second] = await Promise.all(
    target.browsers.map(async (browser) => {
      const [one, other] = await askBoth(is('browser', [browser]));
      return Number(one !== other);
    }),
  );
  return (first ?? 0) - (second ?? 0);
}

const less = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>, { browsers }: Target): number =>
  (one.get(browsers[0]) ?? 0) -
  (other.get(browsers[0]) ?? 0) -
  (one.get(browsers[1]) ?? 0) +
  (other.get(browsers[1]) ?? 0);

/** The mean of the differences of several pairs of lists by browser. */
async function meanOf(asking: Asking, pairs: readonly [Filter[], Filter[]][]): Promise<number> {
  let sum = 0;
  for (const [one, other] of pairs)
    sum += less(await list(asking, 'browser', one), await list(asking, 'browser', other), asking.target);
  return sum / pairs.length;
}

/** The visitors of all countries on the day of the target: of the day alone, and as a part of all days. */
async function askDayTwice(asking: Asking, ofBrowser: Filter): Promise<[alone: number, within: number]> {
  const { countries, day, days, firstDay } = asking.target;
  const seen = async (range: [number, number]) => {
    const ofCountries = countries.map(async (country) => {
      const scope = scopeOf(asking, [ofBrowser, is('country', [country])], range);
      const rows: Rows = await asking.ask({ scope, metrics: ['unique_visitors'], by: { interval: 'day' } });
      return Number(rows.find(({ label }) => label === firstDay + day * DAY_MS)?.['unique_visitors'] ?? 0);
    });
    return (await Promise.all(ofCountries)).reduce((sum, visitors) => sum + visitors, 0);
  };
  return [await seen([day, day + 1]), await seen([0, days])];
}

/** Two ways to compare them: by whether they are equal, and by which is larger. */
export const OF_DAYS = {
  'whether they are equal': (asking: Asking) => unequal(asking, (ofBrowser) => askDayTwice(asking, ofBrowser)),
  'which is larger': async (asking: Asking) => {
    const [first = 0, second = 0] = await Promise.all(
      asking.target.browsers.map(async (browser) => {
        const [alone, within] = await askDayTwice(asking, is('browser', [browser]));
        return alone - within;
      }),
    );
    return first - second;
  },
};

export const ATTACKS: Record<string, Attack> = {
  'one value': async (asking) =>
    less(await list(asking, 'browser', [is('country', [asking.target.rare])]), new Map(), asking.target),
  'unions with each other value': (asking) =>
    meanOf(
      asking,
      asking.target.countries.map((other) => [[is('country', [asking.target.rare, other])], [is('country', [other])]]),
    ),
  'all but the others': (asking) => meanOf(asking, [[[], [is('country', asking.target.countries.slice(0, 20))]]]),
  'the complement': (asking) => meanOf(asking, [[[], [is('country', [asking.target.rare], 'is_not')]]]),
  'complements that differ by the value': (asking) =>
    meanOf(
      asking,
      asking.target.countries.map((other) => [
        [is('country', [other], 'is_not')],
        [is('country', [other, asking.target.rare], 'is_not')],
      ]),
    ),
  'a part of the name': (asking) =>
    meanOf(
      asking,
      asking.target.countries.map((other) => [
        [is('country', [other, asking.target.rare.toLowerCase()], 'contains')],
        [is('country', [other], 'contains')],
      ]),
    ),
  segments: (asking) =>
    meanOf(
      asking,
      asking.target.countries.map((other) => [
        [segment(is('country', [asking.target.rare, other]))],
        [segment(is('country', [other]))],
      ]),
    ),
  'conversions of unions': async (asking) => {
    let sum = 0;
    for (const other of asking.target.countries.slice(0, 4))
      sum += less(
        await converted(asking, [is('country', [asking.target.rare, other])]),
        await converted(asking, [is('country', [other])]),
        asking.target,
      );
    return sum;
  },
  'steps of a funnel': async (asking) => {
    const { browsers, countries, rare } = asking.target;
    const taken = async (browser: string, values: string[]) => {
      const { steps } = await asking.funnel(FUNNEL, [is('browser', [browser]), is('country', values)]);
      return steps.reduce((sum, visitors) => sum + visitors, 0);
    };
    let sum = 0;
    for (const other of countries.slice(0, 2))
      for (const [index, browser] of browsers.entries())
        sum += (index === 0 ? 1 : -1) * ((await taken(browser, [rare, other])) - (await taken(browser, [other])));
    return sum;
  },
  'a row and a filter by it': async (asking) => {
    const country = await mostFrequent(asking);
    return unequal(asking, async (ofBrowser) => {
      const countries = await list(asking, 'country', [ofBrowser]);
      const filtered = await list(asking, 'browser', [ofBrowser, is('country', [country])]);
      return [countries.get(country) ?? 0, filtered.get(ofBrowser.values[0] ?? '') ?? 0];
    });
  },
  'a row of a funnel and a filter by it': async (asking) => {
    const country = await mostFrequent(asking);
    return unequal(asking, async (ofBrowser) => {
      const { countries } = await asking.funnel(FUNNEL, [ofBrowser]);
      const { steps } = await asking.funnel(FUNNEL, [ofBrowser, is('country', [country])]);
      return [countries.get(country) ?? 0, steps[0] ?? 0];
    });
  },
  'a page that all others saw': (asking) =>
    unequal(asking, async (ofBrowser) => [
      (await list(asking, 'page', [ofBrowser])).get(asking.target.missed) ?? 0,
      (await list(asking, 'browser', [ofBrowser])).get(ofBrowser.values[0] ?? '') ?? 0,
    ]),
  'a goal that all others reached': async (asking) => {
    const [some, all] = [await converted(asking, [], asking.target.missed), await converted(asking, [], '/')];
    return unequal(asking, ({ values: [browser = ''] }) =>
      Promise.resolve([some.get(browser) ?? 0, all.get(browser) ?? 0]),
    );
  },
  'a step that all others took': (asking) =>
    unequal(asking, async (ofBrowser) => [
      (await asking.funnel([asking.target.missed, '/docs'], [ofBrowser])).steps[0] ?? 0,
      (await asking.funnel(FUNNEL, [ofBrowser])).steps[0] ?? 0,
    ]),
  'what is left of each browser': async (asking) => {
    const all = await list(asking, 'browser', []);
    const left = new Map<string, number>();
    for (const browser of asking.target.browsers) {
      const countries = await list(asking, 'country', [is('browser', [browser])]);
      const others = asking.target.countries.reduce((sum, country) => sum + (countries.get(country) ?? 0), 0);
      left.set(browser, (all.get(browser) ?? 0) - others);
    }
    return less(left, new Map(), asking.target);
  },
  'what is left of all countries': async (asking) => {
    const left = new Map(await list(asking, 'browser', []));
    for (const country of asking.target.countries)
      for (const [browser, visitors] of await list(asking, 'browser', [is('country', [country])]))
        left.set(browser, (left.get(browser) ?? 0) - visitors);
    return less(left, new Map(), asking.target);
  },
  'nested filters': async (asking) => {
    let sum = 0;
    for (const dimension of DIMENSIONS.filter((one) => one === 'device' || one === 'source'))
      for (const value of (await list(asking, dimension, [])).keys()) {
        const known = [is(dimension, [value])];
        const others = is('country', asking.target.countries.slice(0, 20));
        sum += less(
          await list(asking, 'browser', known),
          await list(asking, 'browser', [...known, others]),
          asking.target,
        );
      }
    return sum;
  },
  'days more or less': async (asking) => {
    const { days, rare } = asking.target;
    let sum = 0;
    for (let from = 0; from + 1 < days; from += 1) {
      const moved = async (filters: Filter[]) =>
        less(
          await list(asking, 'browser', filters, [from, days]),
          await list(asking, 'browser', filters, [from + 1, days]),
          asking.target,
        );
      sum += await moved([is('country', [rare])]);
      // What all visitors of that day did, less what those of other countries did.
      sum += (await moved([])) - (await moved([is('country', [rare], 'is_not')]));
    }
    return sum;
  },
  'random questions': async (asking) => {
    const { random, target } = asking;
    const pairs = Array.from({ length: 12 }, (): [Filter[], Filter[]] => {
      const some = target.countries.filter(() => random.chance(0.4)).slice(0, 6);
      const context = random.chance(0.5)
        ? [is('device', [random.pick(['desktop', 'mobile'])], random.pick(['is', 'is_not']))]
        : [];
      const operator = random.pick(['is', 'is_not'] as const);
      const [withRare, without] = [
        is('country', [...some, target.rare], operator),
        is('country', some.length > 0 ? some : ['-'], operator),
      ];
      return operator === 'is'
        ? [
            [...context, withRare],
            [...context, without],
          ]
        : [
            [...context, without],
            [...context, withRare],
          ];
    });
    return meanOf(asking, pairs);
  },
};

/** The same where the country and the source of the visitor are common, and only both together are rare. */
export async function askCombined(
  asking: Asking,
  { country, source, sources }: { country: string; source: string; sources: string[] },
) {
  const ofCountry = is('country', [country]);
  const left = new Map(await list(asking, 'browser', [ofCountry]));
  for (const other of sources.filter((one) => one !== source))
    for (const [browser, visitors] of await list(asking, 'browser', [ofCountry, is('source', [other])]))
      left.set(browser, (left.get(browser) ?? 0) - visitors);
  return less(left, new Map(), asking.target);
}
