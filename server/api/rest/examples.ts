// An example of each answer of the API, for its description. A test holds them against the schemas of responses.ts.

export const SITE = {
  id: 'site_0123456789ABCDEF',
  domain: 'example.com',
  created_at: '2026-11-01T09:30:00.000Z',
  tracking: true,
};
export const GOAL = {
  id: 'goal_0123456789ABCDEFGHJKMNPQRS',
  name: 'Sign-up',
  created_at: '2026-11-01T09:30:00.000Z',
  kind: 'event',
  event: 'signup',
  props: { plan: 'pro' },
};
export const FUNNEL = {
  id: 'funnel_0123456789ABCDEFGHJKMNPQRS',
  name: 'From pricing to sign-up',
  created_at: '2026-11-01T09:30:00.000Z',
  steps: [{ kind: 'page', page: '/pricing' }, { goal: GOAL.id }],
  within: 'visit',
  order: 'any_between',
};
export const SEGMENT = {
  id: 'segment_0123456789ABCDEFGHJKMNPQRS',
  name: 'Germany from search',
  created_at: '2026-11-01T09:30:00.000Z',
  filters: [
    { dimension: 'country', operator: 'is', values: ['DE'] },
    { dimension: 'channel', operator: 'is', values: ['Organic Search', 'Paid Search'] },
  ],
};
const PART = { is_guess: false, problem: null, nearest: [] };
const OF_DAYS = { period: 'custom', date_from: '2026-11-16', date_to: '2026-11-22', compare: 'previous' };
const FROM_GERMANY = { dimension: 'country', operator: 'is', values: ['DE'] };
export const ASKED = {
  sentence: 'Unique visitors by source · 16 – 22 Nov 2026 · Country is Germany',
  is_sure: true,
  parts: [
    { text: 'visitors', from: 0, to: 8, kind: 'metric', label: 'Unique visitors', ...PART },
    { text: 'germany', from: 14, to: 21, kind: 'filter', label: 'Country is Germany', ...PART },
    { text: 'source', from: 25, to: 31, kind: 'dimension', label: 'by Source', ...PART },
    { text: 'last week', from: 32, to: 41, kind: 'period', label: '16 – 22 Nov 2026', ...PART },
  ],
  view: { ...OF_DAYS, filters: [FROM_GERMANY], metrics: ['unique_visitors'], dimension: 'source' },
  dashboard:
    'https://stats.example.org/example.com?period=custom&date_from=2026-11-16&date_to=2026-11-22&f=is%3Acountry%3ADE&sources=source',
  request:
    '/v1/stats/breakdown?site_id=site_0123456789ABCDEF&period=custom&date_from=2026-11-16&date_to=2026-11-22&compare=previous&filters=%5B%7B%22dimension%22%3A%22country%22%2C%22operator%22%3A%22is%22%2C%22values%22%3A%5B%22DE%22%5D%7D%5D&metrics=unique_visitors&dimension=source',
  tool: {
    name: 'get_breakdown',
    arguments: {
      site_id: SITE.id,
      ...OF_DAYS,
      filters: [FROM_GERMANY],
      metrics: ['unique_visitors'],
      dimension: 'source',
    },
  },
};
export const NOTE = { day: '2026-11-20', text: 'Release 2.4.1', is_private: false, kind: 'release' };
export const SHARE_ADDRESS = 'https://stats.example.org/share/0123456789abcdefghijklmnopqrstuv';
const SHARED = {
  name: 'For ACME',
  note: 'Until the campaign ends',
  rules: {
    filters: [{ dimension: 'country', operator: 'is', values: ['DE'] }],
    period: { days: 30 },
    parts: ['sources', 'pages'],
    timezone: 'UTC',
  },
  looks: { theme: 'light' },
};
export const NEW_SHARE_LINK = {
  site_id: SITE.id,
  ...SHARED,
  shows: { fewest: 10 },
  expires_at: '2027-04-01T00:00:00.000Z',
};
export const SHARE_LINK = {
  id: 'share_0123456789ABCDEFGHJKMNPQRS',
  ...SHARED,
  shows: { properties: false, fewest: 10, credit: true, embedded_on: ['blog.example', '*.notion.site'] },
  created_at: '2026-11-01T09:30:00.000Z',
  expires_at: '2027-04-01T00:00:00.000Z',
  paused: false,
  public: false,
  indexed: false,
  has_password: false,
  last_used_at: null,
  views: [],
};
export const FUNNEL_FIGURES = {
  data: {
    ...FUNNEL,
    steps: [
      {
        name: '/pricing',
        kind: 'page',
        page: '/pricing',
        visitors: 320,
        visits: 350,
        drop_off: null,
        rate: 100,
        median_time: null,
        left: { visitors: 240, pages: [{ page: '/docs', visitors: 90 }], ended: 110 },
      },
      {
        name: 'Sign-up',
        goal: GOAL.id,
        visitors: 80,
        visits: 82,
        drop_off: 75,
        rate: 25,
        median_time: 74.5,
        left: null,
      },
    ],
  },
  meta: { date_from: '2026-10-22', date_to: '2026-11-20' },
};
export const GROUP = {
  id: 'group_0123456789ABCDEFGHJKMNPQRS',
  name: 'Shops',
  created_at: '2026-11-20T09:30:00.000Z',
  site_ids: [SITE.id, 'site_0123456789ABCDEG'],
};
export const GROUP_STATS = {
  data: {
    unique_visitors: 512,
    visits: 640,
    pageviews: 1580,
    sites: [
      { site_id: SITE.id, domain: SITE.domain, unique_visitors: 412, visits: 520, pageviews: 1280 },
      { site_id: 'site_0123456789ABCDEG', domain: 'shop.example', unique_visitors: 100, visits: 120, pageviews: 300 },
    ],
  },
  meta: { date_from: '2026-10-22', date_to: '2026-11-20' },
};
export const GROUP_TIMESERIES = {
  data: [
    { date: '2026-11-19', unique_visitors: 12, visits: 14, pageviews: 30 },
    { date: '2026-11-20', unique_visitors: 15, visits: 17, pageviews: 41 },
  ],
  meta: { interval: 'day', date_from: '2026-11-19', date_to: '2026-11-20' },
};
export const STATS = {
  pageviews: 1280,
  unique_visitors: 412,
  top_pages: [
    { path: '/', views: 640 },
    { path: '/pricing', views: 320 },
  ],
  date_from: '2026-10-22',
  date_to: '2026-11-20',
};
export const TIMESERIES = {
  data: [
    { time: '2026-11-19T00:00:00.000Z', unique_visitors: 12, pageviews: 30 },
    { time: '2026-11-20T00:00:00.000Z', unique_visitors: 15, pageviews: 41 },
  ],
  meta: { interval: 'day', date_from: '2026-11-19', date_to: '2026-11-20' },
};
export const BREAKDOWN = {
  data: [
    { source: 'Google', unique_visitors: 12, pageviews: 30 },
    { source: '', unique_visitors: 9, pageviews: 11 },
  ],
  meta: { page: 1, per_page: 100, total: 2, date_from: '2026-10-22', date_to: '2026-11-20' },
};
export const SEARCH_TERMS = {
  data: [{ term: 'red shoes', clicks: 12, impressions: 240, click_rate: 5, position: 3.4 }],
  meta: {
    page: 1,
    per_page: 100,
    total: 1,
    date_from: '2026-10-22',
    date_to: '2026-11-20',
    latest_day: '2026-11-17',
    totals: { clicks: 15, impressions: 300, click_rate: 5, position: 4.1 },
    withheld: { clicks: 3, impressions: 60, click_rate: 5, position: 6.9 },
  },
};
const READERS = [200, 184, 170, 151, 130, 112, 90, 71, 52, 36];
export const READING = {
  data: {
    views: 200,
    time_on_page: 48.5,
    scroll_depth: 64,
    reached: READERS.map((views, index) => ({ scroll: 10 * (index + 1), views, share: views / 2 })),
  },
  meta: { date_from: '2026-10-22', date_to: '2026-11-20' },
};
const QUICK = { good: 100, needs_improvement: 0, poor: 0 };
const FIGURES = {
  views: 200,
  lcp: 2710,
  inp: 96,
  cls: 0.05,
  fcp: 1640,
  ttfb: 320,
  shares: { lcp: { good: 61.5, needs_improvement: 27, poor: 11.5 }, inp: QUICK, cls: QUICK, fcp: QUICK, ttfb: QUICK },
};
export const VITALS = {
  data: [{ page: '/checkout', ...FIGURES }],
  meta: { page: 1, per_page: 100, total: 1, date_from: '2026-10-22', date_to: '2026-11-20', totals: FIGURES },
};
const FAILED = { count: 84, visits: 61, share: 2.3 };
export const ERRORS = {
  data: [
    {
      shape: '3f9a0c51be27',
      message: 'TypeError: Cannot read properties of undefined (reading [text])',
      kind: 'error',
      file: '/assets/[id].js',
      line: 12,
      ...FAILED,
      first_seen: '2026-11-12T08:15:00.000Z',
      last_seen: '2026-11-20T11:58:00.000Z',
      since: 'Release 2.4',
      trend: [80, 4],
    },
  ],
  meta: {
    page: 1,
    per_page: 100,
    total: 1,
    interval: 'day',
    times: ['2026-11-19T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
    date_from: '2026-11-19',
    date_to: '2026-11-20',
    totals: FAILED,
  },
};
export const WEEK = {
  data: Array.from({ length: 7 * 24 }, (_, cell) => ({
    weekday: Math.floor(cell / 24) + 1,
    hour: cell % 24,
    unique_visitors: cell % 24,
  })),
  meta: { date_from: '2026-10-22', date_to: '2026-11-20' },
};
export const JOURNEY = {
  data: [
    { step: 1, parent: null, kind: 'page', name: '/', visits: 300, ended: 120, other: 60 },
    { step: 2, parent: 0, kind: 'page', name: '/pricing', visits: 120, ended: 70, other: 50 },
  ],
  meta: { start: 'page:/', direction: 'forwards', date_from: '2026-10-22', date_to: '2026-11-20' },
};
export const AI_VISITS = {
  data: {
    providers: [{ ai_provider: 'OpenAI', ai_visits: 640, visits: 32 }],
    series: [{ time: '2026-11-20T00:00:00.000Z', ai_visits: 640, by: [{ ai_provider: 'OpenAI', ai_visits: 640 }] }],
    new_agents: [{ ai_agent: 'GPTBot', first_seen: '2026-11-12T08:15:00.000Z' }],
  },
  meta: { interval: 'day', date_from: '2026-11-20', date_to: '2026-11-20' },
};
export const LIVE = { current_visitors: 3, pages: [{ page: '/pricing', visitors: 2 }] };
export const EVENT = {
  site_id: SITE.id,
  name: 'plan_upgraded',
  url: 'https://example.com/account/plan',
  props: { plan: 'pro', seats: 3 },
};
/** A row of a file, shortened. */
export const EXPORTED_LINE =
  '{"time":"2026-11-19T08:15:00Z","day":"2026-11-19","name":"pageview","hostname":"example.com","page":"/pricing","channel":"Organic search","source":"Google","country":"DE","browser":"Firefox","device":"desktop"}';
