/** @module-tag attack */
// Random share links and random questions of the router itself: a viewer's answer is the owner's answer under the link's filters and its rule of small
// numbers, or the question is refused. Nothing else.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Refusal } from '../../../server/errors.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import type { Site } from '../../../server/sites/sites.ts';
import type { ViewerRule } from '../../../server/stats/disclosure/rule.ts';
import type { Filter } from '../../../server/stats/query.ts';
import type { Stats } from '../../../server/stats/run.ts';
import { DIMENSION_NAMES, DIMENSIONS, type DimensionRowName } from '../../../server/vocabulary/questions/dimensions.ts';
import { DRIVERS } from '../../../server/vocabulary/numbers/drivers.ts';
import { METRIC_NAMES, type Metric, metricRow } from '../../../server/vocabulary/numbers/metrics.ts';
import { LINK_DAYS, type LinkRules, type Part, PART_NAMES } from '../../../server/vocabulary/settings/share-links.ts';
import { DAY_MS, dayOf, startOfDay } from '../../../server/vocabulary/time/time.ts';
import { SHOWN_IN } from '../../setup/api/procedures.ts';
import { openRandom } from '../../setup/api/hostile-input.ts';
import { type TestApp, testApp } from '../../setup/app.ts';
import { seedOf, showsRefused, sized } from '../../setup/run/harness.ts';
import { openSharing } from '../../setup/accounts/sharing.ts';
import { addFunnel } from '../../setup/stats/definitions.ts';
import { drawEvents } from '../../setup/stats/random-events.ts';

const DAYS = 6;
const random = openRandom(seedOf(310_031));
let server: TestApp;
let site: Site;
let cookie: string;
let [funnelId, goalId]: string[] = [];
let sharing: ReturnType<typeof openSharing>;
beforeAll(async () => {
  server = await testApp();
  site = { ...(await server.addSite('own.example')), currency: 'EUR' };
  await server.app.services.directory.db.updateTable('sites').set({ currency: 'EUR' }).execute();
  sharing = openSharing(server, site);
  cookie = await server.logIn('owner@own.example');
  funnelId = await addFunnel(server.app.services.directory, site, server.clock.now, '/pricing');
  const definition = { kind: 'event', event: 'signup', props: {} } as const;
  const { directory } = server.app.services;
  ({ id: goalId } = await goals.create(directory, { siteId: site.id, name: 'Signup', definition }, server.clock.now));
  const from = startOfDay(server.clock.now) - (DAYS - 1) * DAY_MS;
  const events = drawEvents(random, { from, days: DAYS }).filter(({ time }) => time < server.clock.now);
  await server.app.collector.record(
    events.map((event) => ({ ...event, site_id: site.id })),
    server.clock.now,
  );
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

const some = <One>(items: readonly One[], chance: number) => items.filter(() => random.chance(chance));
const VALUES: Partial<Record<DimensionRowName, string[]>> = {
  country: ['DE', 'FR', 'US'],
  browser: ['Firefox', 'Chrome'],
  channel: ['Direct', 'Organic Search'],
  device: ['desktop', 'mobile'],
  page: ['/', '/pricing', '/blog'],
  event: ['signup', 'purchase'],
  utm_campaign: ['spring', 'autumn'],
  language: ['en', 'de'],
};
const drawFilter = (): Filter => {
  const dimension = random.pick(Object.keys(VALUES) as (keyof typeof VALUES & Filter['dimension'])[]);
  const operator = random.pick(['is', 'is', 'is_not', 'contains'] as const);
  const values = VALUES[dimension as keyof typeof VALUES] ?? [];
  return { dimension, operator, values: [random.pick(values), ...some([random.pick(values)], 0.2)] };
};
const daysAgo = (days: number) => dayOf(server.clock.now - days * DAY_MS);
const drawSpan = () => {
  const [one, other] = [random.number(DAYS + 1), random.number(DAYS + 1)];
  return { date_from: daysAgo(Math.max(one, other)), date_to: daysAgo(Math.min(one, other)) };
};

type Link = { rules: LinkRules; shows: { fewest: number; properties: boolean } };
const drawLink = (): Link => ({
  rules: {
    filters: Array.from({ length: random.number(3) }, drawFilter),
    period: random.pick([null, null, { days: 1 + random.number(DAYS) }, drawSpan()]),
    parts: random.chance(0.5) ? null : some(PART_NAMES, 0.7),
    timezone: random.pick(LINK_DAYS),
  },
  shows: random.pick([
    { fewest: 1, properties: true },
    { fewest: 3, properties: true },
    { fewest: 8, properties: true },
  ]),
});

const drawPeriod = () =>
  random.pick([
    { period: random.pick(['today', 'yesterday', '7d', '30d', '24h', 'month', 'all']) },
    { period: 'custom', ...drawSpan() },
    { period: 'custom', ...drawSpan() },
  ]);
const drawAsked = () => ({
  ...drawPeriod(),
  compare: random.pick(['none', 'none', 'previous', 'weekdays']),
  filters: Array.from({ length: random.number(3) === 0 ? 1 : 0 }, drawFilter),
});
const people = METRIC_NAMES.filter((name) => name !== 'ai_visits');
const drawMetric = () => random.pick(people);
const drawDimension = () => random.pick([...DIMENSION_NAMES.filter((name) => !name.startsWith('ai_')), 'prop:plan']);

type Question = Record<string, unknown> & { filters?: Filter[] };
/** How each question for viewers is drawn: a new one needs a row. */
const DRAW: Record<string, () => Question> = {
  summary: drawAsked,
  timeseries: () => ({ ...drawAsked(), metric: drawMetric() }),
  breakdown: () => ({
    ...drawAsked(),
    dimension: random.chance(0.1) ? 'ai_agent' : drawDimension(),
    metrics: [...new Set([drawMetric(), ...some([drawMetric()], 0.5)])],
    ...(random.chance(0.2) && { order: { by: drawMetric(), direction: 'desc' } }),
  }),
  trends: () => ({ ...drawAsked(), metric: drawMetric(), dimension: 'country', names: ['DE', 'FR'] }),
  driver: () => ({ ...drawAsked(), compare: 'previous', metric: drawMetric() }),
  movers: () => ({ ...drawAsked(), compare: 'previous', metric: drawMetric() }),
  week: () => ({ ...drawAsked(), metric: drawMetric() }),
  reading: drawAsked,
  vitals: drawAsked,
  vitalsList: () => ({ ...drawAsked(), split: 'page' }),
  vitalsHistogram: () => ({ ...drawAsked(), vital: 'lcp' }),
  vitalsConversion: () => ({ ...drawAsked(), goal_id: goalId }),
  errors: drawAsked,
  errorsDetail: () => ({ ...drawAsked(), shape: '0123456789ab' }),
  properties: () => ({ ...drawAsked(), of: random.pick(['events', 'orders']) }),
  currencies: drawAsked,
  search: () => ({ ...drawPeriod(), search: random.pick(['e', 'pri', 'DE']) }),
  journey: () => ({ ...drawAsked(), start: { kind: 'page', value: '/' } }),
  funnel: () => ({
    ...drawAsked(),
    funnel_id: funnelId,
    ...(random.chance(0.5) && { by: random.pick(['country', 'device']) }),
  }),
  left: () => ({ ...drawAsked(), funnel_id: funnelId }),
  aiOverTime: drawAsked,
  aiSeries: drawAsked,
};

const PART_OF: Record<(typeof DIMENSIONS)[DimensionRowName]['group'], Part> = {
  Page: 'pages',
  Source: 'sources',
  Place: 'places',
  Device: 'devices',
  Event: 'events',
  AI: 'ai',
};
const partOf = (dimension: string): Part => {
  if (dimension === 'goal') return 'goals';
  const row = dimension.startsWith('prop:') ? 'prop' : (dimension as DimensionRowName);
  return PART_OF[DIMENSIONS[row].group];
};

/** True for a question about what the link leaves out. */
function isLeftOut(name: string, asked: Question, { filters, period, parts }: LinkRules): boolean {
  const narrowed = filters.length > 0;
  const hidden = PART_NAMES.filter(
    (part) => (parts && !parts.includes(part)) || (narrowed && (part === 'ai' || part === 'live')),
  );
  const {
    dimension,
    by,
    metric,
    metrics = [],
    order,
  } = asked as Partial<Record<string, string>> & {
    metrics?: string[];
    order?: { by: string };
  };
  const drivers = ['driver', 'movers'].includes(name) ? (DRIVERS[metric as Metric] ?? []) : [];
  const dimensions = [...(asked.filters ?? []).map((one) => one.dimension), ...drivers];
  const named = [...dimensions, dimension, by].filter((one) => one !== undefined).map(partOf);
  const partOfMetric = (one = ''): Part | undefined => {
    if (/revenue|order|refund/.test(one)) return 'revenue';
    return /conver/.test(one) ? 'goals' : undefined;
  };
  const counted = [...metrics, metric, order?.by].map(partOfMetric);
  const ofKeys: Part[] = asked['of'] === 'orders' ? ['revenue'] : [];
  const isOfNames = ['breakdown', 'trends', 'driver', 'movers'].includes(name); // the rows of `SHOWN_IN` are about other names
  const ofRow = isOfNames ? [] : SHOWN_IN[`stats.${name}`]?.parts;
  const own = ['search', 'errorsDetail'].includes(name) ? ofRow : ofRow?.filter((part) => part !== 'devices');
  if ([...named, ...counted, ...(own ?? []), ...ofKeys].some((part) => part && hidden.includes(part))) return true;
  if (narrowed && name === 'search') return true;
  if (!period) return false;
  const today = startOfDay(server.clock.now);
  const shown =
    'days' in period ? { from: daysAgo(period.days), to: daysAgo(0) } : { from: period.date_from, to: period.date_to };
  const spans: Record<string, [string, string]> = {
    today: [daysAgo(0), daysAgo(0)],
    yesterday: [daysAgo(1), daysAgo(1)],
    '7d': [daysAgo(7), daysAgo(1)],
    '30d': [daysAgo(30), daysAgo(1)],
    '24h': [daysAgo(1), daysAgo(0)],
    month: [`${daysAgo(0).slice(0, 7)}-01`, daysAgo(0)],
    all: [daysAgo(DAYS - 1), daysAgo(0)],
    custom: [String(asked['date_from']), String(asked['date_to'])],
  };
  const [from, to] = spans[String(asked['period'])] ?? [daysAgo(0), dayOf(today)];
  return from < shown.from || to > shown.to;
}

/** Without what only addresses of icons and the site's revenue differ in. */
const comparable = (answer: unknown, { parts }: LinkRules): unknown =>
  JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (key === 'icon') return undefined;
      const hidesRevenue = parts && !parts.includes('revenue');
      if (hidesRevenue && key === 'metrics' && Array.isArray(value))
        return value.filter(({ name }: { name: string }) => !/revenue|order|refund/.test(name));
      return hidesRevenue && key === 'currency' ? null : value;
    }),
  );

/** A viewer sees no row above the sum, which refunds may lower. */
function withinSum(answer: unknown, { metrics }: Question): unknown {
  const { rows, sum } = answer as { rows: { values: Record<string, number> }[]; sum: number };
  const [first = ''] = metrics as string[];
  if (!['count', 'money'].includes(metricRow(first as Metric).unit)) return answer;
  const within = rows.map((row) => ({
    ...row,
    values: { ...row.values, [first]: Math.min(row.values[first] ?? 0, sum) },
  }));
  return { ...(answer as object), rows: within };
}

async function askOwner(name: string, asked: Question) {
  const input = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, ...asked })));
  const answer = await fetch(`${server.url}/trpc/stats.${name}?input=${input}`, { headers: { cookie } });
  const body = (await answer.json()) as { result?: { data: string } };
  const data: unknown = body.result && parse(body.result.data);
  return { isRefused: !answer.ok, data: name === 'breakdown' && answer.ok ? withinSum(data, asked) : data };
}

/** The same for somebody who sees small numbers as the link does. */
async function askWithRule(name: string, asked: Question, { fewest, properties }: Link['shows'], fixed: Filter[]) {
  const rule: ViewerRule = { properties, fewest };
  const stats = server.app.services.stats.askedBy({}, { rule, now: server.clock.now });
  const ask = stats[name as 'summary'] as (...asked: unknown[]) => Promise<unknown>;
  const own = asked.filters ?? [];
  const question = {
    compare: 'none',
    ...asked,
    site_id: site.id,
    filters: [...fixed.map((one) => ({ ...one, isFixed: true })), ...own],
  };
  const usual = ['breakdown', 'errors'].includes(name) ? { page: 1, per_page: 10 } : {};
  return ask({ ...usual, ...question }, site, server.clock.now).then(
    (data) => ({ isRefused: false, data }),
    (error: unknown) => {
      if (error instanceof Refusal) return { isRefused: true, data: undefined };
      throw error;
    },
  );
}

/** The links that show everything but small numbers, one for each way to show these: a site can have 50 links. */
const free = new Map<string, Pick<Awaited<ReturnType<typeof sharing.linkTo>>, 'headers'>>();
/** The same for somebody with such a link. */
async function askFree(name: string, asked: Question, shows: Link['shows']) {
  const of = JSON.stringify(shows);
  const { headers } = free.get(of) ?? (await sharing.linkTo({ shows }));
  free.set(of, { headers });
  const { status, data } = await sharing.ask<unknown>(`stats.${name}`, asked, headers);
  return { isRefused: status !== 200, data };
}

/** Those that statements of the stats alone answer. */
const ALONE: readonly (keyof Stats)[] = [
  'summary',
  'timeseries',
  'breakdown',
  'trends',
  'week',
  'driver',
  'movers',
  'properties',
  'currencies',
  'reading',
];

test('every question for viewers is drawn', () => {
  const names = Object.keys(SHOWN_IN).filter((name) => name.startsWith('stats.'));
  expect(
    Object.keys(DRAW)
      .map((name) => `stats.${name}`)
      .sort(),
  ).toEqual(names.sort());
});

test('a viewer gets the owner’s answer under the link’s filters, or is refused', async () => {
  const [links, each] = [sized({ short: 20, long: 45 }), sized({ short: 16, long: 120 })];
  const seen = { same: 0, refused: 0 };
  for (let turn = 0; turn < links; turn += 1) {
    const link = drawLink();
    const { headers } = await sharing.linkTo(link);
    for (let n = 0; n < each; n += 1) {
      const name = random.pick(Object.keys(DRAW));
      const asked = (DRAW[name] as () => Question)();
      const { status, data } = await sharing.ask<unknown>(`stats.${name}`, asked, headers);
      const about = JSON.stringify({ link, name, asked });
      expect([200, 400, 403], about).toContain(status);
      if (isLeftOut(name, asked, link.rules)) {
        seen.refused += 1;
        expect(status, about).toBe(403);
        continue;
      }
      const filters = [...link.rules.filters, ...(asked.filters ?? [])];
      // No viewer gets payments by currency.
      const isExact = link.shows.fewest === 1 && name !== 'currencies';
      const isAlone = ALONE.includes(name as keyof Stats);
      if (!isExact && !isAlone && link.rules.filters.length > 0) continue;
      const askAlike = () =>
        isAlone ? askWithRule(name, asked, link.shows, link.rules.filters) : askFree(name, asked, link.shows);
      const owner = isExact
        ? await askOwner(name, name === 'search' ? asked : { ...asked, filters })
        : await askAlike();
      // A comparison may reach beyond the link's days, too.
      if (status === 403 && asked['compare'] !== 'none' && asked['compare'] !== undefined && link.rules.period)
        continue;
      expect([about, status !== 200]).toEqual([about, owner.isRefused]);
      if (status !== 200) continue;
      seen.same += 1;
      expect(comparable(data, link.rules), about).toEqual(comparable(owner.data, link.rules));
    }
  }
  showsRefused('share link widened', seen.refused);
  expect(seen.same).toBeGreaterThan((links * each) / 8);
  expect(seen.refused).toBeGreaterThan((links * each) / 8);
});
