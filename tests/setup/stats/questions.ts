// Questions of every kind that the stats answer, and rows over which none of their answers is empty.
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { DAY_TABLES } from '../../../server/stats/answers/exported-days.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import { SUMMED_DIMENSIONS } from '../../../server/stats/days/summed-days.ts';
import type { SavedFunnel } from '../../../server/stats/funnels/funnel-sql.ts';
import type { Goal } from '../../../server/stats/sql/goals.ts';
import { type Filter, groupQuestion } from '../../../server/stats/query.ts';
import { openStats, type Stats } from '../../../server/stats/run.ts';
import { openSumming } from '../../../server/stats/days/sum-days.ts';
import type { EventStore } from '../../../server/store/open.ts';
import { DIMENSION_NAMES, sourceOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../../server/vocabulary/questions/furthest-step.ts';
import { FUNNEL_ORDERS, FUNNEL_SCOPES } from '../../../server/vocabulary/questions/goals.ts';
import { type Metric, METRIC_NAMES, metricRow, sourceOfMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import { ERROR_ORDERS } from '../../../server/vocabulary/numbers/errors.ts';
import { VITAL_NAMES, VITALS_SPLITS } from '../../../server/vocabulary/numbers/vitals.ts';
import { OPERATOR_NAMES } from '../../../server/vocabulary/questions/operators.ts';
import type { Range } from '../../../server/vocabulary/time/periods.ts';
import type { PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { EURO_SHOP, makeAiVisit, makeError, makeEvent, makeVitals, SITE } from '../event.ts';
import { openRandom } from '../api/hostile-input.ts';
import { openTurns, sized } from '../run/harness.ts';

const DAY = Date.UTC(2026, 10, 16);
export const NOW = DAY + 2 * DAY_MS;
const site = EURO_SHOP;
/** The two halves of a day. */
const HALVES = [0, 1].map((half) => ({ from: DAY + (half * DAY_MS) / 2, to: DAY + ((half + 1) * DAY_MS) / 2 }));
const [MORNING, EVENING] = HALVES as [Range, Range];

const GOALS: Goal[] = [
  { id: 'goal_A', kind: 'event', event: "it's \\ “signed”", props: { 'k\'"\n': 'v\\\t' } },
  { id: 'goal_B', kind: 'page', page: '/a/**' },
  { id: 'goal_C', kind: 'scroll', page: '/**', scroll: 50 },
  { id: 'goal_D', kind: 'time', page: '/b', seconds: 20 },
];
const FUNNELS: SavedFunnel[] = FUNNEL_SCOPES.flatMap((within) =>
  FUNNEL_ORDERS.map((order) => ({
    id: `funnel_${within}_${order}`,
    within,
    order,
    steps: GOALS.slice(0, 3).reverse(),
  })),
);

function drawEvents() {
  const random = openRandom(6_006);
  return Array.from({ length: 50 }, (_, person) => {
    let time = DAY + random.number(40 * 60) * MINUTE_MS;
    return Array.from({ length: 2 + random.number(6) }, () => {
      time += random.number(12 * MINUTE_MS);
      const name = random.pick([
        'pageview',
        'pageview',
        'engagement',
        GOALS[0]?.kind === 'event' ? GOALS[0].event : '',
      ]);
      const isEngagement = name === 'engagement';
      const isOrder = !isEngagement && random.chance(0.3);
      return makeEvent({
        visitor: `${person} ${Math.floor(time / DAY_MS)}`,
        time,
        name,
        interactive: !isEngagement,
        page: random.pick(['/a/1', '/a/2', '/b']),
        props: isEngagement ? {} : { 'k\'"\n': random.pick(['v\\\t', 'w']) },
        country: person % 2 === 0 ? 'DE' : 'FR',
        source: person % 3 === 0 ? 'Google' : '',
        ...(isEngagement ? { engaged_ms: random.number(40_000), scroll: random.number(101) } : {}),
        ...(isOrder ? { amount: random.pick(['12.5', '-3', '200000']), currency: random.pick(['EUR', 'USD']) } : {}),
      });
    });
  }).flat();
}

const asked = (filters: Filter[] = []) => ({
  site_id: SITE,
  period: 'custom' as const,
  date_from: '2026-11-17',
  date_to: '2026-11-17',
  compare: 'previous' as const,
  filters,
});
const OF_PEOPLE = METRIC_NAMES.filter((metric) => sourceOfMetric(metric) === 'events');
/** Metrics that go with every list. */
const OF_LISTS = OF_PEOPLE.filter((metric) => !metricRow(metric).isOfWholeVisits && !metricRow(metric).isOfReading);
const SEGMENT: PlainFilter[] = [
  { dimension: 'page', operator: 'contains', values: ['/A'] },
  {
    dimension: 'goal',
    operator: 'is_not',
    values: ['goal_A'],
    deleted_goals: [{ ...(GOALS[3] as Goal), name: 'Old' }],
  },
];
const FILTERS: Filter[] = [
  ...GOALS.map(({ id }): Filter => ({ dimension: 'goal', operator: 'is', values: [id] })),
  ...FUNNELS.flatMap(({ id }): Filter[] => [
    { dimension: FURTHEST_STEP, operator: 'is', values: [`${id}:1`, `${id}:3`] },
    { dimension: FURTHEST_STEP, operator: 'is_not', values: [`${id}:2`] },
  ]),
  { dimension: 'exit_page', operator: 'is', values: ['/b'] },
  { dimension: 'prop:k\'"\n', operator: 'is_not', values: ['v\\\t'] },
  { dimension: 'segment', operator: 'is', values: ['segment_S'], segments: [SEGMENT] },
];

const SEARCHES = { id: 'search_1', latest_day: '2026-11-17' };
/** Rows of Search Console on the day and on the one before. */
const drawSearches = (day: string, clicks: number) => ({
  site_id: SITE,
  connection: SEARCHES.id,
  day,
  version: NOW,
  isStored: false,
  rows: ['shoes', "it's \\ “shown”", 'boots', ''].map((term, index) => ({
    term,
    page: index === 1 ? '/' : "/a/\\'b",
    hostname: 'example.com',
    country: 'DE',
    device: 'mobile',
    clicks: clicks + index,
    impressions: 20 + index,
    positions: 60 + 7 * index,
  })),
});

/** All filters in the long form. In the short one half of them, and the other half for the other of two kinds of question. */
const filtersOf = (half: 0 | 1): Filter[] =>
  FILTERS.filter((_, index) => (half + index + Math.floor(index / 2)) % sized({ short: 2, long: 1 }) === 0);

type Question = (stats: Stats) => Promise<unknown>;
const FUNNEL = FUNNELS[0] as SavedFunnel;
/** At least one of each kind. A new one does not compile until it is here. */
export const QUESTIONS: Record<Exclude<keyof Stats, 'askedBy'>, Question[]> = {
  summary: [[], ...filtersOf(0).map((filter) => [filter])].map(
    (filters) => (stats) => stats.summary(asked(filters), site, NOW),
  ),
  totals: [[], ...filtersOf(1).map((filter) => [filter])].map(
    (filters) => (stats) => stats.totals({ ...asked(filters), metrics: OF_PEOPLE }, site, NOW),
  ),
  timeseries: OF_PEOPLE.map(
    (metric) => (stats) => stats.timeseries({ ...asked(), metric, interval: 'hour' }, site, NOW),
  ),
  week: OF_PEOPLE.map(
    (metric) => (stats) => stats.week({ ...asked(), metric }, { ...site, timezone: 'Asia/Kolkata' }, NOW),
  ),
  breakdown: DIMENSION_NAMES.map((dimension) => (stats) => {
    const metrics = sourceOf(dimension) === 'events' ? OF_LISTS : (['ai_visits'] as const);
    return stats.breakdown({ ...asked(), dimension, metrics: [...metrics], page: 1, per_page: 10 }, site, NOW);
  }),
  trends: DIMENSION_NAMES.map((dimension) => (stats) => {
    const metric = sourceOf(dimension) === 'events' ? 'unique_visitors' : 'ai_visits';
    const names = ['/a/1', '/b', 'DE', 'FR', 'Google', '', 'goal_A', 'goal_B', 'GPTBot', "it's \\ “signed”"];
    return stats.trends({ ...asked(), dimension, metric, names }, site, NOW);
  }),
  driver: (['unique_visitors', 'pageviews'] as const).map(
    (metric) => (stats) => stats.driver({ ...asked(), metric }, site, NOW),
  ),
  movers: (['unique_visitors', 'pageviews'] as const).map(
    (metric) => (stats) => stats.movers({ ...asked(), metric }, site, NOW),
  ),
  moves: (['page', 'source'] as const).map(
    (dimension) => (stats) => stats.moves({ ...asked(), dimension, metric: 'unique_visitors' }, site, NOW),
  ),
  newcomers: [(stats) => stats.newcomers({ ...asked(), dimension: 'source', metric: 'unique_visitors' }, site, NOW)],
  list: [
    (stats) =>
      stats.list(
        { ...asked(), dimension: 'page', metrics: ['pageviews'], search: 'A/', page: 1, per_page: 5 },
        site,
        NOW,
      ),
  ],
  preview: GOALS.map(
    ({ id: _, ...definition }) =>
      (stats) =>
        stats.preview({ site_id: SITE, definition }, site, NOW),
  ),
  heaviest: [(stats) => stats.heaviest(asked(), site, NOW)],
  purgeable: FILTERS.map((filter) => (stats) => stats.purgeable(asked([filter]), site, NOW)),
  aiOverTime: [(stats) => stats.aiOverTime({ ...asked(), date_from: '2026-11-16' }, site, NOW)],
  aiSeries: [(stats) => stats.aiSeries({ ...asked(), date_from: '2026-11-16' }, site, NOW)],
  vitals: [[], ...filtersOf(1).map((filter) => [filter])].map(
    (filters) => (stats) =>
      stats.vitals({ ...asked(filters), interval: 'hour', only: { split: 'connection', name: '3g' } }, site, NOW),
  ),
  vitalsList: VITALS_SPLITS.map(
    (split) => (stats) => stats.vitalsList({ ...asked(), split, page: 1, per_page: 5, search: 'e' }, site, NOW),
  ),
  vitalsHistogram: VITAL_NAMES.map((vital) => (stats) => stats.vitalsHistogram({ ...asked(), vital }, site, NOW)),
  vitalsConversion: GOALS.map(
    ({ id: goal_id }) =>
      (stats) =>
        stats.vitalsConversion({ ...asked(), goal_id, vital: 'lcp' }, site, NOW),
  ),
  errors: [[], ...filtersOf(0).map((filter) => [filter])].flatMap((filters) =>
    ERROR_ORDERS.map((by) => (stats: Stats) => {
      const order = { by, direction: 'asc' } as const;
      return stats.errors({ ...asked(filters), kind: 'error', search: 'e', order, page: 1, per_page: 5 }, site, NOW);
    }),
  ),
  errorsDetail: filtersOf(1).map(
    (filter) => (stats) => stats.errorsDetail({ ...asked([filter]), shape: '0123456789a1' }, site, NOW),
  ),
  reading: [(stats) => stats.reading(asked(), site, NOW)],
  search: [(stats) => stats.search({ site_id: SITE, period: 'all', search: 'go', whole: ['country'] }, site, NOW)],
  searchTerms: [
    (stats) => stats.searchTerms({ ...asked(), page: 1, per_page: 10 }, { site, source: SEARCHES }, NOW),
    (stats) => {
      const filters: Filter[] = [{ dimension: 'page', operator: 'contains', values: ["/\\'B"] }];
      const order = { by: 'position', direction: 'asc' } as const;
      const question = { ...asked(filters), page: 1, per_page: 1, search: 'SH', order };
      return stats.searchTerms(question, { site, source: SEARCHES }, NOW);
    },
  ],
  properties: (['events', 'orders'] as const).map((of) => (stats) => stats.properties({ ...asked(), of }, site, NOW)),
  currencies: [(stats) => stats.currencies(asked(), site, NOW)],
  journey: (['forwards', 'backwards'] as const).map(
    (direction) => (stats) =>
      stats.journey(
        {
          ...asked(),
          date_from: '2026-11-16',
          direction,
          steps: 5,
          start: { kind: 'page', value: '/a/1' },
          from: { kind: 'page', name: '/a/1' },
        },
        site,
        NOW,
      ),
  ),
  funnel: FUNNELS.flatMap((funnel) =>
    [undefined, 'source' as const].map(
      (by) => (stats) => stats.funnel({ ...asked(), ...(by && { by }) }, funnel, { site, now: NOW }),
    ),
  ),
  left: FUNNELS.map((funnel) => (stats) => stats.left(asked(), funnel, { site, now: NOW })),
  days: [(stats) => stats.days(asked(), site, { from: DAY, to: NOW })],
  range: [(stats) => stats.range({ site_id: SITE, period: 'all' }, site, NOW)],
  group: [{}, { period: 'month', compare: 'previous' }, { period: '12mo', interval: 'week', compare: 'year' }].map(
    (question) => (stats) => {
      const sites = [null, 'Asia/Kolkata'].map((timezone) => ({ ...site, id: SITE, timezone }));
      return stats.group(groupQuestion.parse(question), sites, NOW);
    },
  ),
  lastDay: [async (stats) => [...(await stats.lastDay([SITE], NOW))]],
  countEventsBySite: [async (stats) => [...(await stats.countEventsBySite({ from: DAY, to: NOW }))].toSorted()],
  countEvents: [(stats) => stats.countEvents([SITE], { from: DAY, to: NOW })],
  exportedMonths: (['events', 'ai_visits', 'imported_days'] as const).map(
    (table) => (stats) => stats.exportedMonths(table, SITE),
  ),
  sealedMonth: [
    async (stats) => {
      const [first, last] = ['2026-11-01', '2026-11-30'];
      const key = { key_a: '1', key_b: '2' };
      const { days } = await stats.sealedMonth({ siteId: SITE, first, last, site, key });
      return days.sort((one, other) => (one.day < other.day ? -1 : 1));
    },
  ],
  exportedDays: DAY_TABLES.map((table) => (stats) => {
    const [first, last] = ['2026-11-01', '2026-11-30'];
    return stats.exportedDays(table, { siteId: SITE, first, last, site, goals: [], as: 'csv' });
  }),
  driverBetween: (['unique_visitors', 'pageviews'] as const).map(
    (metric) => (stats) => stats.driverBetween(metric, { siteId: SITE, site }, { now: EVENING, before: MORNING }),
  ),
  hours: [async (stats) => [...((await stats.hours([SITE, 'site_OTHER'], HALVES)).get(SITE) ?? [])].sort()],
  dayViews: [
    async (stats) => {
      const days = await stats.dayViews([SITE, 'site_OTHER'], { from: DAY - DAY_MS, to: DAY + 2 * DAY_MS });
      return [...(days.get(SITE) ?? [])].sort();
    },
  ],
  counts: [
    async (stats) => {
      const times = { siteId: SITE, from: DAY, laterFrom: DAY + DAY_MS / 2 };
      const counted = GOALS.map((goal) => ({ ...times, id: goal.id, what: { goal } }));
      const money = { ...times, id: 'money', what: { maxAmount: site.max_amount, currency: 'EUR' } };
      return [...(await stats.counts([...counted, money], DAY + DAY_MS))].sort();
    },
  ],
  newAgents: [(stats) => stats.newAgents([SITE], { from: DAY, to: DAY + DAY_MS })],
  limited: [
    async (stats) => {
      const ofVitals = VITAL_NAMES.flatMap((vital) => [null, '/', '/**'].map((page) => ({ vital, page })));
      const alerts = [...ofVitals, 'errors' as const].map((what, id) => ({
        id: String(id),
        siteId: SITE,
        what,
        hours: 24 as const,
      }));
      return [...(await stats.limited(alerts, DAY + DAY_MS))].sort();
    },
  ],
  limitedHours: [...VITAL_NAMES.map((vital) => ({ vital, page: null })), 'errors' as const].map(
    (what) => async (stats) => {
      const asked = { siteId: SITE, what, hours: 6 as const };
      return [...(await stats.limitedHours(asked, { from: DAY, to: DAY + DAY_MS }))].sort();
    },
  ),
  newErrors: [(stats) => stats.newErrors([SITE], { from: DAY - 5 * DAY_MS, to: DAY + 5 * DAY_MS })],
  arrivals: [(stats) => stats.arrivals(SITE)],
};

/** Stores the same rows in each store. */
export async function fillStores(stores: readonly EventStore[]): Promise<void> {
  const [first] = stores;
  if (!first) return;
  const visits = openVisits(first);
  const sorted = drawEvents().sort((one, other) => one.time - other.time);
  const events = sorted.flatMap((event) => visits.assign(event, event.time) ?? []);
  const ai_visits = ['GPTBot', 'ClaudeBot', 'GPTBot'].map((ai_agent, hour) =>
    makeAiVisit({ ai_agent, time: DAY + hour * 60 * MINUTE_MS, status: 404 }),
  );
  const vitals = events.flatMap(({ name, page, time, country, visitor_id }, index) => {
    const own = { page, time: time + 1, country, visitor_id, lcp: 900 + 50 * index, cls: index / 100 };
    const elements = { lcp_element: 'img', inp_element: 'button', navigation: 'reload', connection: '3g' };
    return name === 'pageview' ? visits.place(makeVitals({ ...own, ...elements })) : [];
  });
  const began = Math.min(...events.map(({ time }) => time));
  const errors = events.flatMap(({ name, page, time, country, visitor_id, event_id }, index) => {
    const number = time > began + 1.2 * DAY_MS && index % 5 === 0 ? 4 : index % 3; // the former are new on a later day
    const shape = { error_shape: `0123456789a${number}`, error_message: `Error ${number}` } as const;
    const own = { ...shape, page, time: time + 2, country, visitor_id, event_id, occurrences: index + 1 };
    return name === 'pageview' ? visits.place(makeError({ ...own, error_kind: 'error' })) : [];
  });
  for (const store of stores) {
    await store.insert({ events, ai_visits, vitals, errors }, 'all');
    await store.saveSearchDay(drawSearches('2026-11-16', 2));
    await store.saveSearchDay(drawSearches('2026-11-17', 5));
  }
}

export function statsOf(store: EventStore): Stats {
  const definitions = { goalsOf: () => Promise.resolve(GOALS), funnelsOf: () => Promise.resolve(FUNNELS) };
  return openStats(store, () => undefined, definitions);
}

/** Sums the days of the rows. Returns how many. */
export function sumDaysOf(store: EventStore): Promise<number> {
  const onFailed = (error: unknown) => {
    throw error;
  };
  return openSumming({ store, versions: openVersions(), onFailed })({ now: DAY + 3 * DAY_MS, leastRows: 1 });
}

/** Questions that summed days answer. */
export function summedQuestions(): Question[] {
  const metrics: Metric[] = ['unique_visitors', 'visits', 'events', 'revenue', 'average_order'];
  const filters: Filter[] = [
    { dimension: 'page', operator: 'is', values: ['/'] },
    { dimension: 'event', operator: 'is_not', values: ['none'] },
  ];
  const filtering = openTurns<Filter[]>();
  const lists = SUMMED_DIMENSIONS.flatMap((dimension) =>
    filtering([], filters).map(
      (of) => (stats: Stats) =>
        stats.breakdown({ ...asked(), filters: of, dimension, metrics, page: 1, per_page: 10 }, site, NOW),
    ),
  );
  return [...QUESTIONS.summary, ...QUESTIONS.days, ...QUESTIONS.trends, ...lists];
}

/** Questions under random filters, each of another kind than the one before. */
export function narrowedQuestions(count: number): Question[] {
  const random = openRandom(6_007);
  const values = {
    country: ['DE', 'FR', 'XX'],
    source: ['Google', '', 'Bing'],
    page: ['/a/1', '/a/2', '/b'],
  };
  return Array.from({ length: count }, (_, index) => {
    const filters = (Object.keys(values) as (keyof typeof values)[])
      .filter(() => random.chance(0.4))
      .map((dimension): Filter => {
        const operator = random.pick(OPERATOR_NAMES);
        const most = dimension === 'page' ? 1 : 2;
        return {
          dimension,
          operator,
          values: Array.from({ length: 1 + random.number(most) }, () => random.pick(values[dimension])),
        };
      });
    const question = { ...asked(filters), compare: 'none' as const };
    const metrics: Metric[] = ['unique_visitors', 'visits', 'events', 'conversions', 'revenue'];
    const dimension = random.pick(['country', 'page', 'goal', 'event'] as const);
    const kinds: Question[] = [
      (stats) => stats.totals({ ...question, metrics }, site, NOW),
      (stats) => stats.breakdown({ ...question, dimension, metrics, page: 1, per_page: 10 }, site, NOW),
      (stats) => stats.funnel({ ...question, by: 'country' }, FUNNEL, { site, now: NOW }),
      (stats) => stats.left(question, FUNNEL, { site, now: NOW }),
    ];
    return kinds[index % kinds.length] as Question;
  });
}

export const askZoned: Question = (stats) =>
  stats.funnel(asked(), FUNNEL, { site: { ...site, timezone: 'America/Los_Angeles' }, now: NOW });
