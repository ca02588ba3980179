// Queries through the real path (visits, chDB, SQL), with numbers that are counted by hand or by a second, simpler program.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../../server/errors.ts';
import type { Event, SiteId, VisitedEvent } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { type Dimension, DIMENSION_NAMES } from '../../server/vocabulary/questions/dimensions.ts';
import { METRIC_NAMES, type Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { breakdownQuestion, type Filter, summaryQuestion, timeseriesQuestion } from '../../server/stats/query.ts';
import { OPERATOR_NAMES } from '../../server/vocabulary/questions/operators.ts';
import { openStats, type Stats } from '../../server/stats/run.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeAiVisit, makeEvent, SITE } from '../setup/event.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const NOW = Date.UTC(2026, 10, 20, 15, 30); // a Friday
const TODAY = Date.UTC(2026, 10, 20);
const site = EURO_SHOP;

let store: TestStore;
const SIGNED_UP = { id: 'goal_A', kind: 'event', event: 'signup', props: {} } as const;
const NEVER = { id: 'goal_B', kind: 'page', page: '/nowhere' } as const;
let stats: Stats;
let rows: VisitedEvent[];

const at = (days: number, hour: number, minute = 0) =>
  TODAY - days * DAY_MS + hour * 60 * MINUTE_MS + minute * MINUTE_MS;

/** A site of its own: a refund would change every amount below. */
const REFUNDING = 'site_REFUNDREFUNDREFU' as SiteId;
const REFUND = { site_id: REFUNDING, name: 'refund', amount: '-5', currency: 'EUR' };

/** Three visitors today, one yesterday, with everything that the metrics distinguish. */
const EVENTS: Event[] = [
  // a: two page views and an interactive event: no bounce, 20 minutes
  makeEvent({ visitor: 'a', time: at(0, 9), page: '/', source: 'Google', channel: 'Organic Search', country: 'DE' }),
  makeEvent({ visitor: 'a', time: at(0, 9, 10), page: '/pricing', country: 'DE' }),
  makeEvent({
    visitor: 'a',
    time: at(0, 9, 20),
    page: '/pricing',
    name: 'signup',
    props: { plan: 'pro' },
    amount: '19.9000',
    currency: 'EUR',
    confirmed: true,
    country: 'DE',
  }),
  // a again after more than 30 minutes: a second visit, a bounce of 5 minutes thanks to engagement
  makeEvent({
    visitor: 'a',
    time: at(0, 10, 30),
    page: '/blog',
    source: 'Bing',
    channel: 'Organic Search',
    country: 'DE',
  }),
  makeEvent({
    visitor: 'a',
    time: at(0, 10, 35),
    page: '/blog',
    name: 'engagement',
    scroll: 70,
    engaged_ms: 240_000,
    interactive: false,
    country: 'DE',
  }),
  // b: a page view and an event that is not interactive: a bounce, and an implausible amount
  makeEvent({ visitor: 'b', time: at(0, 10, 59), page: '/', country: 'FR', utm_campaign: 'spring' }),
  makeEvent({
    visitor: 'b',
    time: at(0, 11, 1),
    page: '/',
    name: 'outbound_link',
    interactive: false,
    country: 'FR',
    amount: '100000.01',
    currency: 'EUR',
  }),
  // c: an event alone
  makeEvent({
    visitor: 'c',
    time: at(0, 11, 30),
    page: '/app',
    name: 'signup',
    props: { plan: 'starter' },
    country: 'US',
  }),
  // a server: no visitor, no visit, another currency
  makeEvent({ visitor: '', time: at(0, 12), page: '/api', name: 'renewal', amount: '5', currency: 'USD', country: '' }),
  // yesterday, the same person as a, who is another visitor on another day
  makeEvent({ visitor: 'y', time: at(1, 9), page: '/', country: 'DE' }),
  makeEvent({ visitor: 'y', time: at(1, 20), page: '/late', country: 'DE' }),
  makeEvent({ visitor: '', time: at(0, 9), ...REFUND }),
];

beforeAll(async () => {
  store = await testStore();
  stats = openStats(store, () => undefined, { goalsOf: () => Promise.resolve([SIGNED_UP, NEVER]) });
  const visits = openVisits(store);
  rows = EVENTS.toSorted((x, y) => x.time - y.time).flatMap((event) => visits.assign(event, event.time) ?? []);
  const ai = ['GPTBot', 'GPTBot', 'ClaudeBot'].map((agent, index) =>
    makeAiVisit({
      time: at(0, 8, index),
      ai_provider: agent === 'GPTBot' ? 'OpenAI' : 'Anthropic',
      ai_agent: agent,
      ai_page: `/${index}`,
    }),
  );
  await store.insert({ events: rows, ai_visits: ai }, 'all');
});
afterAll(() => store[Symbol.asyncDispose]());

const filter = (dimension: Dimension, values: string[], operator: Filter['operator'] = 'is'): Filter => ({
  dimension,
  operator,
  values,
});

async function today(filters: Filter[] = [], compare: 'none' | 'previous' = 'none') {
  const question = summaryQuestion.parse({ site_id: SITE, period: 'today', filters, compare });
  const answer = await stats.summary(question, site, NOW);
  return Object.fromEntries(
    answer.metrics.map(({ name, value, previous }) => [name, previous === null ? value : [value, previous]]),
  );
}

async function by(dimension: Dimension, metrics: Metric[], more: object = {}) {
  const question = breakdownQuestion.parse({ site_id: SITE, period: 'today', dimension, metrics, ...more });
  return stats.breakdown(question, site, NOW);
}

async function series(metric: Metric, more: object = {}) {
  const question = timeseriesQuestion.parse({ site_id: SITE, period: 'today', metric, ...more });
  return stats.timeseries(question, site, NOW);
}

describe('totals', () => {
  test('of a day', async () => {
    expect(await today()).toEqual({
      unique_visitors: 3,
      visits: 4,
      pageviews: 4,
      views_per_visit: 1,
      bounce_rate: 50,
      visit_duration: (20 + 5 + 2 + 0) * 15,
      events: 4,
      revenue: 19.9,
      revenue_confirmed: 19.9,
      orders: 2,
      average_order: 19.9,
      implausible_orders: 1,
    });
  });

  test('compared with yesterday until the same minute', async () => {
    const compared = await today([], 'previous');
    expect(compared['unique_visitors']).toEqual([3, 1]);
    expect(compared['pageviews']).toEqual([4, 1]); // yesterday's page view at 20:00 is later than the compared range
  });

  test('of several days are the sums of the days', async () => {
    const question = summaryQuestion.parse({ site_id: SITE, period: 'month' });
    const { metrics, date_from, date_to } = await stats.summary(question, site, NOW);
    expect({ date_from, date_to }).toEqual({ date_from: '2026-11-01', date_to: '2026-11-20' });
    const value = (name: Metric) => metrics.find((metric) => metric.name === name)?.value;
    expect([value('unique_visitors'), value('visits'), value('pageviews')]).toEqual([4, 6, 6]);
  });

  test('of a site without payments and events leave those tiles out', async () => {
    const question = summaryQuestion.parse({ site_id: 'site_0000000000000000', period: 'today' });
    const { metrics } = await stats.summary(question, { ...site, currency: null }, NOW);
    expect(metrics.map(({ name, value }) => [name, value])).toEqual([
      ['unique_visitors', 0],
      ['visits', 0],
      ['pageviews', 0],
      ['views_per_visit', 0],
      ['bounce_rate', 0],
      ['visit_duration', 0],
    ]);
  });
});

describe('filters', () => {
  test('of a visit keep whole visits', async () => {
    expect(await today([filter('source', ['Google'])])).toMatchObject({
      visits: 1,
      pageviews: 2,
      events: 1,
      bounce_rate: 0,
      visit_duration: 1200,
    });
  });

  test('on a page count its views and events, and for all else the visits that saw it, including their payments', async () => {
    expect(await today([filter('page', ['/'])])).toEqual({
      unique_visitors: 2,
      visits: 2,
      pageviews: 2,
      views_per_visit: 1,
      bounce_rate: 50,
      visit_duration: (20 * 60 + 120) / 2,
      events: 1,
      revenue: 19.9, // on another page
      revenue_confirmed: 19.9,
      orders: 1,
      average_order: 19.9,
      implausible_orders: 1,
    });
  });

  test('on an event keep the page views, bounces and lengths of the visits in which it happened', async () => {
    expect(await today([filter('event', ['signup'])])).toEqual({
      unique_visitors: 2,
      visits: 2,
      pageviews: 2,
      views_per_visit: 1,
      bounce_rate: 0,
      visit_duration: (20 * 60) / 2,
      events: 2,
      revenue: 19.9,
      revenue_confirmed: 19.9,
      orders: 1,
      average_order: 19.9,
    });
    expect((await by('page', ['pageviews'], { filters: [filter('event', ['signup'])] })).rows).toHaveLength(2);
    expect(await today([filter('prop:plan', ['pro'])])).toMatchObject({
      visits: 1,
      pageviews: 2,
      events: 1,
      revenue: 19.9,
    });
  });

  test('on a page and an event keep the visits with both, wherever the event happened', async () => {
    const both = [filter('page', ['/']), filter('event', ['signup'])];
    expect(await today(both)).toMatchObject({ visits: 1, pageviews: 1, orders: 1, visit_duration: 1200 });
    expect(await today([filter('page', ['/pricing']), filter('event', ['signup'])])).toMatchObject({
      visits: 1,
      pageviews: 1,
      events: 1,
    });
  });

  test('that exclude a page keep the other pages, and those that exclude an event keep the visits without it', async () => {
    expect(await today([filter('page', ['/'], 'is_not')])).toMatchObject({ visits: 3, pageviews: 2, events: 3 });
    expect(await today([filter('event', ['signup'], 'is_not')])).toMatchObject({ visits: 2, pageviews: 2, events: 2 });
    expect(await today([filter('prop:plan', ['pro'], 'is_not')])).toMatchObject({ visits: 3, pageviews: 2, events: 3 });
  });

  test('treat an event without a visit as a visit of its own, but do not count it as a visit', async () => {
    const renewal = { visits: 0, pageviews: 0, unique_visitors: 0, events: 1, orders: 1 };
    expect(await today([filter('event', ['renewal'])])).toMatchObject(renewal);
    expect(await today([filter('event', ['renewal']), filter('page', ['/api'])])).toMatchObject(renewal);
    expect(await today([filter('event', ['renewal']), filter('page', ['/'])])).toMatchObject({
      visits: 0,
      pageviews: 0,
    });
  });

  test('combine, and each operator means what it says', async () => {
    const visitors = async (operator: Filter['operator'], values: string[]) =>
      (await today([filter('country', values, operator)]))['unique_visitors'];
    const answers = { is: ['DE'], is_not: ['DE'], contains: ['d', 'F'], contains_not: ['d', 'F'] };
    const found = await Promise.all(
      OPERATOR_NAMES.map(async (operator) => [operator, await visitors(operator, answers[operator])]),
    );
    expect(Object.fromEntries(found)).toEqual({ is: 1, is_not: 2, contains: 2, contains_not: 1 });
    expect(await today([filter('country', ['DE']), filter('page', ['/blog'])])).toMatchObject({
      visits: 1,
      pageviews: 1,
      bounce_rate: 100,
    });
  });

  test('on exit pages look at where visits ended', async () => {
    expect(await today([filter('exit_page', ['/pricing'])])).toMatchObject({ visits: 1, pageviews: 2 });
  });
});

describe('breakdowns', () => {
  /** Every dimension of people's events has its answer here: a new one fails until it has. */
  const EXPECTED: Record<Exclude<(typeof DIMENSION_NAMES)[number], `ai_${string}`>, [string, number][]> = {
    page: [
      ['/', 2],
      ['/app', 1],
      ['/blog', 1],
      ['/pricing', 1],
    ],
    entry_page: [
      ['/', 2],
      ['/app', 1],
      ['/blog', 1],
    ],
    exit_page: [
      ['/', 1],
      ['/blog', 1],
      ['/pricing', 1],
    ],
    hostname: [['example.com', 3]],
    channel: [
      ['Direct', 2],
      ['Organic Search', 1],
    ],
    source: [
      ['', 2],
      ['Bing', 1],
      ['Google', 1],
    ],
    referrer: [],
    utm_source: [],
    utm_medium: [],
    utm_campaign: [['spring', 1]],
    utm_content: [],
    utm_term: [],
    country: [
      ['DE', 1],
      ['FR', 1],
      ['US', 1],
    ],
    region: [['DE-BE', 3]],
    city: [],
    language: [['en', 3]],
    browser: [['Firefox', 3]],
    browser_version: [['Firefox 140', 3]],
    os: [['Linux', 3]],
    os_version: [['Linux', 3]],
    device: [['desktop', 3]],
    screen: [['LG', 3]],
    event: [
      ['signup', 2],
      ['outbound_link', 1],
    ],
    goal: [[SIGNED_UP.id, 2]],
  };

  test.each(Object.entries(EXPECTED))('by %s', async (dimension, expected) => {
    const { rows: found, total, sum } = await by(dimension as Dimension, ['unique_visitors']);
    expect(found.map((row) => [row.name, row.values.unique_visitors])).toEqual(expected);
    expect([total, sum]).toEqual([expected.length, 3]);
  });

  test('name every dimension of the table', () => {
    expect([...Object.keys(EXPECTED), 'ai_provider', 'ai_agent', 'ai_purpose', 'ai_page', 'ai_status']).toEqual([
      ...DIMENSION_NAMES,
    ]);
  });

  test('by a property of events, and of AI visits', async () => {
    expect((await by('prop:plan', ['events'])).rows.map((row) => [row.name, row.values.events])).toEqual([
      ['pro', 1],
      ['starter', 1],
    ]);
    const ai = await by('ai_agent', ['ai_visits']);
    expect(ai.rows.map((row) => [row.name, row.values.ai_visits])).toEqual([
      ['GPTBot', 2],
      ['ClaudeBot', 1],
    ]);
    expect(ai.sum).toBe(3);
  });

  test('by event have the page views of the visits in which it happened', async () => {
    const { rows: found } = await by('event', ['events', 'pageviews', 'views_per_visit']);
    expect(found.map(({ name, values }) => [name, values])).toEqual([
      ['signup', { events: 2, pageviews: 2, views_per_visit: 1 }],
      ['outbound_link', { events: 1, pageviews: 1, views_per_visit: 1 }],
      ['renewal', { events: 1, pageviews: 0, views_per_visit: 0 }],
    ]);
  });

  test('count server-side events without a visitor', async () => {
    const { rows: found } = await by('event', ['events', 'unique_visitors', 'revenue', 'orders']);
    expect(found.map(({ name, values }) => [name, values])).toEqual([
      ['signup', { events: 2, unique_visitors: 2, revenue: 19.9, orders: 1 }],
      ['outbound_link', { events: 1, unique_visitors: 1, revenue: 0, orders: 0 }],
      ['renewal', { events: 1, unique_visitors: 0, revenue: 0, orders: 1 }],
    ]);
  });

  test('page, search, sort either way, and know how many rows there are', async () => {
    const first = await by('page', ['unique_visitors'], { per_page: 2, page: 2 });
    expect([first.rows.map((row) => row.name), first.total]).toEqual([['/blog', '/pricing'], 4]);
    expect((await by('page', ['pageviews'], { search: 'PRI' })).rows.map((row) => row.name)).toEqual(['/pricing']);
    const sorted = await by('page', ['pageviews', 'unique_visitors'], { order: { by: 'name', direction: 'desc' } });
    expect(sorted.rows.map((row) => row.name)).toEqual(['/pricing', '/blog', '/app', '/']);
  });

  test('compare row by row', async () => {
    const { rows: found } = await by('country', ['unique_visitors', 'pageviews'], { compare: 'previous' });
    expect(found.map(({ name, previous }) => [name, previous])).toEqual([
      ['DE', { unique_visitors: 1, pageviews: 1 }],
      ['FR', { unique_visitors: 0, pageviews: 0 }],
      ['US', { unique_visitors: 0, pageviews: 0 }],
    ]);
  });

  test('refuse nonsensical combinations, with a sentence', async () => {
    await expect(by('page', ['bounce_rate'])).rejects.toThrow(Refusal);
    await expect(by('page', ['ai_visits'])).rejects.toThrow('ai_visits');
    await expect(by('ai_page', ['pageviews'])).rejects.toThrow(Refusal);
    await expect(by('country', ['pageviews'], { order: { by: 'visits', direction: 'asc' } })).rejects.toThrow('order');
  });
});

describe('series', () => {
  test('by hour end with the current hour, and count a visit where it started', async () => {
    const { points, interval, unfinished, intervals } = await series('visits');
    expect([interval, intervals, unfinished, points.length]).toEqual(['hour', ['hour'], true, 16]);
    expect(points.flatMap(({ time, value }) => (value ? [[new Date(time).getUTCHours(), value]] : []))).toEqual([
      [9, 1],
      [10, 2],
      [11, 1],
    ]);
  });

  test('give a visit that crosses an hour its bounce and its length where it started', async () => {
    const hours = async (metric: Metric) => (await series(metric)).points.slice(9, 12).map((point) => point.value);
    expect(await hours('bounce_rate')).toEqual([0, 100, 0]);
    expect(await hours('visit_duration')).toEqual([1200, (300 + 120) / 2, 0]);
    expect(await hours('unique_visitors')).toEqual([1, 2, 2]);
  });

  test('by day, week and month add up, whatever the interval', async () => {
    for (const interval of ['day', 'week', 'month'] as const) {
      const { points } = await series('pageviews', {
        period: 'custom',
        date_from: '2026-09-01',
        date_to: '2026-11-20',
        interval,
      });
      expect([interval, points.reduce((sum, point) => sum + (point.value ?? NaN), 0)]).toEqual([interval, 6]);
      expect(points.length).toBe({ day: 81, week: 12, month: 3 }[interval]);
    }
  });

  test('come with the comparison, aligned', async () => {
    const { points, previous } = await series('pageviews', { compare: 'previous' });
    expect(previous?.length).toBe(24);
    expect([points[9]?.value, previous?.[9]?.value, previous?.[20]?.value]).toEqual([2, 1, 1]);
  });

  test.each(METRIC_NAMES)('of %s can be drawn', async (metric) => {
    const { points } = await series(metric, metric === 'refunds' ? { site_id: REFUNDING } : {});
    expect(points.length).toBe(16);
    expect(points.some(({ value }) => (value ?? 0) > 0)).toBe(true);
    expect(points.every(({ value }) => (value ?? -1) >= 0)).toBe(true);
  });

  test('in an interval that does not fit are refused', async () => {
    await expect(series('visits', { interval: 'month' })).rejects.toThrow('one of hour for');
  });
});

describe('the first day with data', () => {
  const since = async (more: object) => {
    const question = summaryQuestion.parse({ site_id: SITE, compare: 'previous', ...more });
    return (await stats.summary(question, site, NOW)).compare?.counted_since;
  };

  // the first event is of yesterday, 9:00
  test.each([
    ['today against yesterday', { period: 'today' }, null],
    ['the last 24 hours against those before', { period: '24h' }, null],
    ['yesterday against the day before', { period: 'yesterday' }, '2026-11-19'],
    ['the last 7 days against those before', { period: '7d' }, '2026-11-19'],
  ])('is told if the comparison begins before it: %s', async (_what, asked, expected) => {
    expect(await since(asked)).toBe(expected);
  });

  test('is that of an earlier event as soon as it is stored', async () => {
    const own = 'site_EARLIEREARLIER00' as SiteId;
    const first = (time: number) => makeEvent({ site_id: own, visitor: 'a', time });
    const ask = async () => (await stats.arrivals(own)).first_event_at;
    const visits = openVisits(store);
    const insert = (times: number[]) => {
      const events = times.flatMap((time) => visits.assign(first(time), time) ?? []);
      return store.insert({ events, ai_visits: [] }, times.join());
    };
    await insert([at(0, 9)]);
    expect(await ask()).toBe(at(0, 9));
    await insert([at(3, 21), at(3, 22)]);
    expect(await ask()).toBe(at(3, 21));
    const question = summaryQuestion.parse({ site_id: own, period: '7d', compare: 'previous' });
    expect((await stats.summary(question, site, NOW)).compare?.counted_since).toBe('2026-11-17');
  });
});

describe('the overview of sites', () => {
  test('counts visitors of the last 24 hours, and of each hour', async () => {
    const days = await stats.lastDay([SITE, 'site_0000000000000000'], NOW);
    expect(days.get(SITE)?.visitors).toBe(4);
    const hours = days.get(SITE)?.hours.flatMap((visitors, index) => (visitors ? [[index, visitors]] : []));
    expect(hours).toEqual([
      [4, 1],
      [17, 1],
      [19, 2],
      [20, 1],
    ]);
    expect(days.get('site_0000000000000000')).toEqual({ visitors: 0, hours: Array.from({ length: 24 }, () => 0) });
  });

  test('counts what the monthly quota counts: page views and events, not engagement', async () => {
    expect(await stats.countEvents([SITE], { from: TODAY, to: NOW })).toBe(8);
    expect((await stats.countEventsBySite({ from: TODAY, to: NOW })).get(SITE)).toBe(8);
    expect(await stats.arrivals(SITE)).toEqual({ first_event_at: at(1, 9), last_event_at: at(0, 12) });
    expect(await stats.arrivals('nothing')).toEqual({ first_event_at: null, last_event_at: null });
  });
});
