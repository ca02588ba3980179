// Six days, each with one story: the driver of the change names what happened, or nothing when nothing did.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { sourceOfQuestion } from '../../server/stats/sql/combination.ts';
import { type Driver, type Explanation, movedAlike, pickDriver } from '../../server/stats/answers/driver.ts';
import { driverQuestion } from '../../server/stats/query.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { DRIVERS } from '../../server/vocabulary/numbers/drivers.ts';
import { isMetric, type Metric, METRIC_NAMES } from '../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, hexId, makeEvent } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const TODAY = Date.UTC(2026, 10, 20);
const NOW = TODAY + 23 * HOUR_MS;
const SIGNED_UP = { id: 'goal_A', kind: 'event', event: 'signup', props: {} } as const;

type Crowd = Partial<Event> & { visitors: number; daysAgo: 0 | 1 };

/** The same visitors on both days. */
const USUAL: Omit<Crowd, 'daysAgo'>[] = [
  { visitors: 12, source: 'Google', channel: 'Organic Search', country: 'DE', device: 'desktop', page: '/' },
  { visitors: 8, source: '', country: 'US', device: 'mobile', page: '/pricing' },
  { visitors: 4, source: 'Bing', channel: 'Organic Search', country: 'FR', device: 'mobile', page: '/blog' },
];
const usual = (...days: (0 | 1)[]): Crowd[] => days.flatMap((daysAgo) => USUAL.map((crowd) => ({ ...crowd, daysAgo })));

type Story = { metric: Metric; crowds: Crowd[]; driver: Explanation | null; filters?: object[] };

const launchOf = (country: (number: number) => string): Crowd[] =>
  Array.from({ length: 30 }, (_, number) => ({
    visitors: 1,
    daysAgo: 0 as const,
    source: 'Hacker News',
    channel: 'Organic Social',
    country: country(number),
    device: number % 2 === 0 ? ('mobile' as const) : ('desktop' as const),
    page: ['/', '/pricing', '/blog'][number % 3] ?? '/',
  }));

const STORIES: Record<string, Story> = {
  launch: {
    metric: 'unique_visitors',
    crowds: [...usual(0, 1), ...launchOf((number) => ['DE', 'US', 'FR'][number % 3] ?? '')],
    driver: { dimension: 'source', name: 'Hacker News', value: 30, previous: 0 },
  },
  'bot wave': {
    metric: 'visits',
    crowds: [...usual(0, 1), { visitors: 40, daysAgo: 0, source: '', country: 'SG', device: 'desktop', page: '/' }],
    driver: { dimension: 'country', name: 'SG', value: 40, previous: 0 },
  },
  campaign: {
    metric: 'visits',
    crowds: [
      ...usual(0, 1),
      ...Array.from({ length: 12 }, (_, number): Crowd => {
        const { visitors: _all, ...like } = USUAL[number % 3] ?? { visitors: 0 };
        return { ...like, visitors: 1, daysAgo: 0, utm_campaign: 'spring sale' };
      }),
    ],
    driver: { dimension: 'utm_campaign', name: 'spring sale', value: 12, previous: 0 },
  },
  'a broken page': {
    metric: 'pageviews',
    crowds: [...usual(1), ...usual(0).filter(({ page }) => page !== '/pricing'), ...keepsAll('/pricing', '/blog')],
    driver: { dimension: 'page', name: '/pricing', value: 0, previous: 8 },
  },
  'payments of one country fail': {
    metric: 'revenue',
    crowds: [...orders(1, { DE: 6, US: 6, FR: 6 }), ...orders(0, { DE: 6, US: 0, FR: 6 })],
    driver: { dimension: 'country', name: 'US', value: 0, previous: 60 },
  },
  outage: {
    metric: 'visits',
    crowds: [...usual(1, 1), ...usual(0)],
    driver: null,
  },
  'fewer from everywhere': {
    metric: 'unique_visitors',
    crowds: [...manyFrom(1, { Google: 120, '': 80, Bing: 10 }), ...manyFrom(0, { Google: 70, '': 50, Bing: 10 })],
    driver: { alike: 'source', value: 130, previous: 210 },
  },
  'a quiet day': { metric: 'visits', crowds: usual(0, 1), driver: null },
  'a value that a filter already names': {
    metric: 'unique_visitors',
    crowds: [...usual(0, 1), ...launchOf(() => 'US')],
    filters: [{ dimension: 'source', operator: 'is', values: ['Hacker News'] }],
    driver: { dimension: 'country', name: 'US', value: 30, previous: 0 },
  },
  'goals reached': {
    metric: 'conversions',
    crowds: [...usual(0, 1), ...signups('Google', 5), ...signups('Bing', 1)],
    driver: { dimension: 'goal', name: 'goal_A', value: 6, previous: 0 },
  },
};

/** Visitors whose countries, devices and pages are spread over all sources. */
function manyFrom(daysAgo: 0 | 1, sources: Record<string, number>): Crowd[] {
  return Object.entries(sources).flatMap(([source, visitors]) => ({ visitors, daysAgo, source, channel: '' as const }));
}

/** A quarter of those who saw one page yesterday see another one today. */
function keepsAll(from: string, to: string): Crowd[] {
  return USUAL.filter(({ page }) => page === from).map((crowd) => ({
    ...crowd,
    visitors: crowd.visitors / 4,
    daysAgo: 0,
    page: to,
  }));
}

/** Orders of 10 EUR by country, with the same sources everywhere. */
function orders(daysAgo: 0 | 1, countries: Record<string, number>): Crowd[] {
  return Object.entries(countries).flatMap(([country, number]) =>
    ['Google', ''].map((source): Crowd => {
      const visitors = number / 2;
      return { visitors, daysAgo, name: 'purchase', amount: '10', currency: 'EUR', country, source };
    }),
  );
}

function signups(source: string, visitors: number): Crowd[] {
  return [{ visitors, daysAgo: 0, name: 'signup', source }];
}

const siteOf = (story: string) =>
  `site_${story.replaceAll(' ', '').toUpperCase().padEnd(16, '0').slice(0, 16)}` as SiteId;

let store: TestStore;
let stats: Stats;
beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => undefined, { goalsOf: () => Promise.resolve([SIGNED_UP]) });
  let serial = 0;
  const events = Object.entries(STORIES).flatMap(([story, { crowds }]) =>
    crowds.flatMap(({ visitors, daysAgo, ...event }) =>
      Array.from({ length: visitors }, () => {
        const number = (serial += 1);
        const time = TODAY - daysAgo * DAY_MS + 9 * HOUR_MS + (number % 600) * MINUTE_MS;
        return makeEvent({ ...event, site_id: siteOf(story), time, visitor: String(number), id: hexId(number) });
      }),
    ),
  );
  const visits = openVisits(store);
  const rows = events.toSorted((x, y) => x.time - y.time).flatMap((event) => visits.assign(event, event.time) ?? []);
  await store.insert({ events: rows, ai_visits: [] }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

const driverOf = (story: string, { metric, filters = [] }: Pick<Story, 'metric' | 'filters'>, compare = 'previous') => {
  const question = driverQuestion.parse({ site_id: siteOf(story), period: 'today', metric, filters, compare });
  return stats.driver(question, EURO_SHOP, NOW);
};

describe('the driver of a change', () => {
  for (const [story, { driver, ...asked }] of Object.entries(STORIES))
    test(`${story}: ${driver ? Object.values(driver).slice(0, 2).join(' ') : 'none'}`, async () => {
      expect(await driverOf(story, asked)).toEqual(driver);
    });

  test('needs a comparison', async () => {
    expect(await driverOf('launch', { metric: 'visits' }, 'none')).toBeNull();
  });

  test('is looked for in dimensions that the metric can be split by', () => {
    for (const [metric, dimensions] of Object.entries(DRIVERS)) {
      expect(isMetric(metric)).toBe(true);
      for (const dimension of dimensions)
        expect(() => sourceOfQuestion({ metrics: [metric as Metric], dimension })).not.toThrow();
    }
  });

  test('can be asked for with any metric, and is null for averages and rates', async () => {
    for (const metric of METRIC_NAMES.filter((name) => !DRIVERS[name] && name !== 'ai_visits'))
      expect(await driverOf('launch', { metric })).toBeNull();
  });
});

describe('what changed most', () => {
  const moversOf = async (story: string, { compare = 'previous', ...asked }: Record<string, unknown>) => {
    const question = driverQuestion.parse({ site_id: siteOf(story), period: 'today', compare, ...asked });
    return (await stats.movers(question, EURO_SHOP, NOW)).map(({ name, value, previous }) => [name, value, previous]);
  };

  test('is of all dimensions that explain the metric, in both directions, and also what is gone', async () => {
    const story = 'bot wave';
    expect(await moversOf(story, { metric: 'visits' })).toEqual([
      ['', 48, 8],
      ['/', 52, 12],
      ['SG', 40, 0],
      ['desktop', 52, 12],
    ]);
    expect(await moversOf('a broken page', { metric: 'pageviews' })).toContainEqual(['/pricing', 0, 8]);
  });

  test('is nothing without a comparison, and for averages', async () => {
    expect(await moversOf('launch', { metric: 'visits', compare: 'none' })).toEqual([]);
    expect(await moversOf('launch', { metric: 'bounce_rate' })).toEqual([]);
  });
});

describe('pickDriver', () => {
  const row = (name: string, value: number, previous: number): Driver => ({
    dimension: 'source',
    name,
    value,
    previous,
  });

  test('a value must account for at least half of the change', () => {
    expect(pickDriver({ value: 200, previous: 100 }, [row('a', 60, 10)])).toMatchObject({ name: 'a' });
    expect(pickDriver({ value: 200, previous: 100 }, [row('a', 59, 10)])).toBeNull();
  });

  test('a value that moves like all others explains nothing', () => {
    expect(pickDriver({ value: 50, previous: 100 }, [row('a', 40, 80), row('b', 10, 20)])).toBeNull();
  });

  test('a value that moves against the change explains nothing', () => {
    expect(pickDriver({ value: 90, previous: 100 }, [row('a', 90, 20)])).toBeNull();
  });

  test('a change of two visitors is treated as chance', () => {
    expect(pickDriver({ value: 2, previous: 0 }, [row('a', 2, 0)])).toBeNull();
    expect(pickDriver({ value: 3, previous: 0 }, [row('a', 3, 0)])).toMatchObject({ name: 'a' });
  });

  test('the first of two equal explanations is chosen', () => {
    expect(pickDriver({ value: 10, previous: 0 }, [row('a', 10, 0), row('b', 10, 0)])).toMatchObject({ name: 'a' });
  });
});

describe('movedAlike', () => {
  const whole = { value: 600, previous: 1000 };
  const sources = (...figures: [value: number, previous: number][]): Driver[] =>
    figures.map(([value, previous], number) => ({ dimension: 'source', name: String(number), value, previous }));

  test('every major source must have moved by half to one and a half times as much as the whole', () => {
    expect(movedAlike(whole, sources([240, 400], [180, 300]))).toBe(true);
    expect(movedAlike(whole, sources([320, 400], [120, 300]))).toBe(true); // 20% and 60% fewer, where the whole has 40% fewer
    expect(movedAlike(whole, sources([321, 400], [180, 300]))).toBe(false);
    expect(movedAlike(whole, sources([240, 400], [119, 300]))).toBe(false);
    expect(movedAlike(whole, sources([440, 400], [180, 300]))).toBe(false); // one rose
  });

  test('small sources may have moved in any way, but not together most of the whole', () => {
    expect(movedAlike(whole, sources([240, 400], [180, 300], [90, 49]))).toBe(true);
    expect(movedAlike(whole, sources([240, 400], [180, 300], [90, 50]))).toBe(false);
    expect(movedAlike(whole, sources([240, 400], [119, 199]))).toBe(false);
  });

  test('says nothing of one source alone, of a small change, or of one that may be chance', () => {
    expect(movedAlike(whole, sources([480, 800]))).toBe(false);
    expect(movedAlike({ value: 96_000, previous: 100_000 }, sources([48_000, 50_000], [48_000, 50_000]))).toBe(false);
    expect(movedAlike({ value: 94_000, previous: 100_000 }, sources([47_000, 50_000], [47_000, 50_000]))).toBe(true);
    expect(movedAlike({ value: 60, previous: 100 }, sources([30, 50], [30, 50]))).toBe(false);
    expect(movedAlike({ value: 120, previous: 200 }, sources([60, 100], [60, 100]))).toBe(true);
    expect(movedAlike({ value: 100, previous: 0 }, [])).toBe(false);
  });
});
