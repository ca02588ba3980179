/** @module-tag long */
// What the dashboard copies as a request to the API, and as a call of a tool, answers the very numbers that the dashboard shows: for every
// panel, list, chart, funnel and journey, under a set of views.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appRouter } from '../../server/api/dashboard/router.ts';
import { TOOLS } from '../../server/api/mcp/tools.ts';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { readParams } from '../../server/api/rest/params.ts';
import { readViewer } from '../../server/api/viewer.ts';
import { writeSeed } from '../../server/operator/seed/demo.ts';
import { funnels } from '../../server/sites/definitions/funnels.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createSegment } from '../../server/sites/definitions/segments.ts';
import { configureSite, type Site } from '../../server/sites/sites.ts';
import { listedMetric, METRIC_NAMES, sourceOfMetric } from '../../server/vocabulary/numbers/metrics.ts';
import { type Dimension, DIMENSION_NAMES } from '../../server/vocabulary/questions/dimensions.ts';
import { JOURNEY_DIRECTIONS, JOURNEY_STARTS } from '../../server/vocabulary/questions/journeys.ts';
import { dayOf, DAY_MS, isoOf } from '../../server/vocabulary/time/time.ts';
import { instantAt } from '../../server/vocabulary/time/zones.ts';
import { stepStart, VITAL_NAMES, VITALS_SPLITS } from '../../server/vocabulary/numbers/vitals.ts';
import type { VitalsFigures } from '../../server/stats/vitals/vitals.ts';
import type { Asked, Kind, Questions } from '../../src/lib/exports/asked.ts';
import { addressOf, requestsOf, segmentsIn } from '../../src/lib/exports/requests.ts';
import { tableOf } from '../../src/lib/exports/tables.ts';
import type { Api } from '../../src/lib/api/client.ts';
import { PANEL_NAMES } from '../../src/lib/panels/panel-names.ts';
import { insideOf } from '../../src/lib/panels/inside.ts';
import { detailMetrics, listedBy, PANELS } from '../../src/lib/panels/panels.ts';
import { listQuestion } from '../../src/lib/view/lists.ts';
import { aiQuestion, alone, peopleQuestion } from '../../src/lib/view/question.ts';
import { readView } from '../../src/lib/view/view.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';
import { shareOf, sized } from '../setup/run/harness.ts';

const NOW = Date.UTC(2026, 10, 3, 15, 30); // within the 30 days before lies the end of summer time
/** In Berlin, the next day has begun. */
const NEAR_MIDNIGHT = [
  Date.UTC(2026, 9, 26, 23, 30),
  Date.UTC(2026, 9, 31, 23, 30),
  Date.UTC(2026, 10, 1, 23, 30),
] as const;
const DAYS = 45;
const LATEST = dayOf(NOW - 3 * DAY_MS);
const RELEASED = dayOf(NOW - 60 * DAY_MS);

let server: TestApp;
let site: Site;
let rest: Rest;
let key: string;
let panels: Awaited<ReturnType<typeof dashboard>>;
let api: Api;
let ids: { goal: string; other: string; funnel: string; segment: string };

async function dashboard() {
  const cookie = await server.logIn(`owner@${site.domain}`);
  const requester = { signal: new AbortController().signal, addressHash: () => '', address: () => '' };
  const viewer = await readViewer(server.app.services, { cookie }, requester.addressHash);
  const context = { ...server.app.services, headers: { cookie }, setCookies: () => undefined, viewer, requester };
  return appRouter.createCaller(context);
}

/** The same procedures as the page's client has. */
const clientOf = (caller: typeof panels): Api =>
  new Proxy({} as Api, {
    get: (_all, router: 'stats' | 'searchConsole') =>
      new Proxy(
        {},
        {
          get: (_procedures, name: string) => ({
            query: (input: unknown) =>
              (caller[router] as unknown as Record<string, (input: unknown) => unknown>)[name]?.(input),
          }),
        },
      ),
  });

beforeAll(async () => {
  server = await testApp({
    now: NEAR_MIDNIGHT[0],
    env: { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  const { directory } = server.app.services;
  const made = await server.addSite();
  await configureSite(directory, { siteId: made.id, timezone: 'Europe/Berlin' }, NOW);
  site = { ...made, timezone: 'Europe/Berlin' };
  key = await keyFor(server, site);
  rest = await restOf(server, key);
  const options = { siteId: site.id, domain: site.domain, days: DAYS, visitsPerDay: 30, now: NOW, seed: 11 };
  await writeSeed(server.app.store, options, { onProgress: () => undefined, signal: new AbortController().signal });
  for (const now of NEAR_MIDNIGHT) {
    server.clock.now = now;
    for (const page of ['/', '/pricing', '/night'])
      await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}${page}` });
    await server.settle();
  }
  server.clock.now = NOW;
  await importDays();
  await readTerms();
  const goal = (name: string, definition: Parameters<typeof goals.create>[1]['definition']) =>
    goals.create(directory, { siteId: site.id, name, definition }, NOW);
  const pricing = { kind: 'page', page: '/pricing' } as const;
  const first = await goal('Pricing', pricing);
  // Its rows are rows of the other goal, too.
  const second = await goal('Any page', { kind: 'page', page: '/**' });
  const steps = [{ kind: 'page', page: '/' } as const, { goal: first.id }];
  const funnel = await funnels.create(
    directory,
    { siteId: site.id, name: 'To pricing', definition: { steps, within: 'day', order: 'any_between' } },
    NOW,
  );
  const segment = await createSegment(
    directory,
    {
      siteId: site.id,
      owner: null,
      name: 'Germany',
      filters: [{ dimension: 'country', operator: 'is', values: ['DE', 'AT'] }],
    },
    NOW,
  );
  ids = { goal: first.id, other: second.id, funnel: funnel.id, segment: segment.id };
  panels = await dashboard();
  api = clientOf(panels);
});
afterAll(async () => server[Symbol.asyncDispose]());

/** Two days that another product counted. */
async function importDays(): Promise<void> {
  const { imported } = server.app.store;
  const days = [60, 59].map((ago) => dayOf(NOW - ago * DAY_MS));
  const counts = { unique_visitors: 10, visits: 12, pageviews: 30, events: 0, bounces: 6, visit_ms: 600_000 };
  const rows = days.flatMap((day) => [
    { ...counts, day, dimension: '', label: '' },
    { ...counts, day, dimension: 'source', label: 'Google' },
    { ...counts, day, dimension: 'page', label: '/' },
  ]);
  await imported.save({ site_id: site.id, summing: 'import_a' }, { rows, token: 'import_a/0' });
  await imported.publish({ site_id: site.id, summing: 'import_a' }, { days, replaced: [], version: 1 });
}

async function readTerms(): Promise<void> {
  const { directory } = server.app.services;
  const owner = await directory.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const unread = { pass_from: null, pass_to: null, next_day: null, oldest_day: null, failure: null, failed_at: null };
  const connection = {
    id: 'search_a',
    connected_by: owner.id,
    token: 'x',
    grant_id: 'y',
    property: 'sc-domain:example.com',
  };
  const times = { created_at: NOW, next_at: NOW, read_at: NOW, read_days: 1, read_rows: 1, latest_day: LATEST };
  await directory.db
    .insertInto('search_connections')
    .values({ site_id: site.id, ...connection, ...times, ...unread })
    .execute();
  for (let ago = 3; ago < 20; ago += 1) {
    const rows = ['shoes', 'red shoes', '=1+1', ''].flatMap((term, index) =>
      ['DE', 'FR'].map((country) => ({
        term,
        page: '/',
        hostname: site.domain,
        country,
        device: 'mobile',
        clicks: index + (ago % 3),
        impressions: 10 * (index + 1),
        positions: 30 * (index + 1),
      })),
    );
    const of = { site_id: site.id, connection: connection.id, day: dayOf(NOW - ago * DAY_MS) };
    await server.app.store.saveSearchDay({ ...of, rows, version: 1, isStored: false });
  }
}

/** Addresses of dashboards, without the site. */
const VIEWS = () => [
  '',
  'period=30d&compare=none',
  'period=yesterday&compare=weekdays&f=is:country:DE',
  'period=7d&f=is:country:DE,FR&f=is_not:browser:Safari,Chrome&f=contains:page:/',
  'period=24h&f=is:source:',
  'period=custom&date_from=2026-10-20&date_to=2026-10-31&compare=custom&compare_from=2026-10-01&compare_to=2026-10-06',
  `period=month&segment=${ids.segment}&compare=all`,
  `period=30d&compare=${ids.segment}&f=is:device:mobile&f=is:ai_provider:OpenAI`,
  `period=7d&f=is_not:segment:${ids.segment}&compare=year&f=is:country:FR&f=is_not:country:US`,
  `period=30d&f=is:goal:${ids.goal}&f=is_not:ai_provider:OpenAI,Google`,
  `period=91d&imported=off&compare=none`,
  `period=custom&date_from=${RELEASED}&date_to=2026-09-20`,
  `period=30d&f=is:furthest_step:${ids.funnel}%3A1`,
];

function boardAt(search: string) {
  const view = readView(new URLSearchParams(search), { now: NOW, zone: 'Europe/Berlin' }, PANEL_NAMES);
  return { view, question: peopleQuestion(view, site.id), aiQuestion: aiQuestion(view, site.id) };
}

type Body = { data: unknown; previous?: unknown; meta: Record<string, unknown> };
const PLACE = { hasZone: true };

/** Reading the arguments is compared for each call; that the same arguments have the same answer, for some. */
const CALLS_OF_EACH = 5;
const called = new Map<string, number>();

async function callTool({ tool, args }: ReturnType<typeof requestsOf>[number]): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
  });
  const text = await answer.text();
  const message = text.startsWith('{') ? text : text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return (JSON.parse(message) as { result: { structuredContent?: unknown } }).result.structuredContent;
}

/** The answers of the API and of the tool; the tool gets the same question, whose parts are no texts. */
async function answersOf(asked: Asked): Promise<Body[]> {
  const bodies: Body[] = [];
  for (const request of requestsOf(asked, PLACE)) {
    const address = addressOf(request);
    const { status, body, text } = await rest.ask(address);
    expect(status, `${address} ${text}`).toBe(200);
    const tool = TOOLS.get(request.tool);
    expect(tool?.operation, request.tool).toBe(OPERATIONS[request.path]?.GET);
    const url = new URL(address, server.url);
    const { funnel_id } = request.args;
    const ofPath = funnel_id === undefined ? {} : { funnel_id };
    const query = tool && { ...readParams(url, tool.operation.query), ...ofPath };
    expect(tool?.read(request.args), address).toEqual(query);
    const calls = called.get(request.tool) ?? 0;
    called.set(request.tool, calls + 1);
    if (calls < CALLS_OF_EACH) expect(await callTool(request), address).toEqual(body);
    bodies.push(body as Body);
  }
  return bodies;
}

const byMetric = <Row extends { name: string; values: object; previous: object | null }>(
  dimension: string,
  rows: readonly Row[],
  isCompared: boolean,
) => rows.map(({ name, values, previous }) => ({ [dimension]: name, ...values, ...(isCompared && { previous }) }));

const isCompared = ({ compare, versus }: { compare?: string | undefined; versus?: string | undefined }) =>
  versus !== undefined || (compare ?? 'none') !== 'none';

const startIn = (interval: string) => (time: number) =>
  new Date(['minute', 'hour'].includes(interval) ? time : instantAt(time, 'Europe/Berlin')).toISOString();

/** What the dashboard has been told, in the form of the API. One for each request. */
const TOLD: { [K in Kind]: (question: Questions[K]) => Promise<Partial<Body>[]> } = {
  breakdown: async (question) => {
    const { rows, total, date_from, date_to } = await panels.stats.breakdown({ ...question, per_page: 1000 });
    const meta = { page: 1, per_page: 1000, total, date_from, date_to };
    return [{ data: byMetric(question.dimension, rows, isCompared(question)), meta }];
  },
  goals: ({ counted }) => TOLD.breakdown(counted),
  timeseries: async (question) => {
    const { points, previous, interval, date_from, date_to } = await panels.stats.timeseries(question);
    const steps = (all: typeof points | null) =>
      all?.map(({ time, value }) => ({ time: startIn(interval)(time), [question.metric]: value })) ?? null;
    const compared = isCompared(question) ? { previous: steps(previous) } : {};
    return [{ data: steps(points), ...compared, meta: { interval, date_from, date_to } }];
  },
  trends: async (question) => {
    const { rows, times, interval } = await panels.stats.trends(question);
    return rows.map(({ values }) => ({
      data: times.map((time, index) => ({ time: startIn(interval)(time), [question.metric]: values[index] })),
    }));
  },
  week: async (question) => {
    const { cells, ...meta } = await panels.stats.week(question);
    const data = cells.map((value, cell) => ({
      weekday: Math.floor(cell / 24) + 1,
      hour: cell % 24,
      [question.metric]: value,
    }));
    return [{ data, meta }];
  },
  funnel: async (question) => {
    const { by, ...whole } = question;
    const [figures, left] = await Promise.all([panels.stats.funnel(question), panels.stats.left(whole)]);
    const { steps, rows, compare, date_from, date_to, ...definition } = figures;
    const plain = <Step extends { previous: unknown }>({ previous, ...step }: Step) =>
      compare ? { previous, ...step } : step;
    const breakdown = rows.map(({ name, steps: own }) => ({ [by ?? '']: name, steps: own.map(plain) }));
    const data = {
      ...definition,
      steps: steps.map((step, index) => ({ ...plain(step), left: left[index] ?? null })),
      ...(by && { breakdown }),
    };
    return [{ data, meta: { date_from, date_to } }];
  },
  journey: async (question) => {
    const { branches } = await panels.stats.journey(question);
    return [{ data: branches }];
  },
  terms: async (question) => {
    const terms = await panels.searchConsole.terms({ ...question, per_page: 500 });
    const row = <Figures extends { before: unknown }>({ before, ...figures }: Figures) => ({
      ...figures,
      ...(isCompared(question) && { previous: before }),
    });
    const { total, latest_day, date_from, date_to } = terms;
    const sums = { totals: row(terms.totals), withheld: row(terms.withheld) };
    const meta = { page: 1, per_page: 500, total, latest_day, date_from, date_to, ...sums };
    return [{ data: terms.rows.map(row), meta }];
  },
  aiOverTime: async (question) => {
    const { by_provider, new_agents, ...series } = await panels.stats.aiOverTime(question);
    const exchange = ({ read, sent }: { read: number; sent: number | null }) => ({ ai_visits: read, visits: sent });
    const providers = by_provider.map(({ provider, previous, ...own }) => ({
      ai_provider: provider,
      ...exchange(own),
      ...(isCompared(question) && { previous: previous && exchange(previous) }),
    }));
    const agents = new_agents.map(({ agent, first_seen }) => ({
      ai_agent: agent,
      first_seen: new Date(first_seen).toISOString(),
    }));
    return [{ data: { providers, series: seriesOf(series), new_agents: agents } }];
  },
  aiSeries: async (question) => {
    const series = await panels.stats.aiSeries(question);
    return [{ data: expect.objectContaining({ series: seriesOf(series) }) }];
  },
  reading: async (question) => {
    const { date_from, date_to, reached, ...figures } = await panels.stats.reading(question);
    const share = (views: number) => (figures.views === 0 ? 0 : (100 * views) / figures.views);
    const data = { ...figures, reached: reached.map((tenth) => ({ ...tenth, share: share(tenth.views) })) };
    return [{ data, meta: { date_from, date_to } }];
  },
  vitals: async (question) => {
    const { points, interval, totals, before, date_from, date_to } = await panels.stats.vitals(question);
    const series = points.map(({ time, ...figures }) => ({ time: startIn(interval)(time), ...figures }));
    const previous = isCompared(question) ? { previous: before && vitalsOf(before) } : {};
    const whole = { ...vitalsOf(totals), ...previous };
    return [{ meta: { totals: whole, date_from, date_to, ...(question.interval && { interval, series }) } }];
  },
  vitalsList: async ({ split = 'page', ...question }) => {
    const answer = await panels.stats.vitalsList({ ...question, split, per_page: 1000 });
    const { rows, total, date_from, date_to } = answer;
    const data = rows.map(({ name, before, ...figures }) => ({
      [split]: name,
      ...vitalsOf(figures),
      ...(isCompared(question) && { previous: before && vitalsOf(before) }),
    }));
    return [{ data, meta: { page: 1, per_page: 1000, total, date_from, date_to } }];
  },
  vitalsHistogram: async (question) => {
    const { counts } = await panels.stats.vitalsHistogram(question);
    const { vital } = question;
    const steps = counts.map((views, index) => ({ from: stepStart(vital, index), views }));
    return [{ meta: { histogram: { vital, steps } } }];
  },
  errors: async (question) => {
    const { rows, totals, before, times, ...meta } = await panels.stats.errors({ ...question, per_page: 1000 });
    const data = rows.map((row) => ({ ...row, first_seen: isoOf(row.first_seen), last_seen: isoOf(row.last_seen) }));
    const previous = isCompared(question) ? { previous: before } : {};
    return [{ data, meta: { ...meta, times: times.map(startIn(meta.interval)), totals: { ...totals, ...previous } } }];
  },
};

const vitalsOf = ({ views, ...figures }: VitalsFigures) => ({
  views,
  ...Object.fromEntries(VITAL_NAMES.map((vital) => [vital, figures[vital].p75])),
  shares: Object.fromEntries(
    VITAL_NAMES.map((vital) => {
      const { good, needs_improvement, poor } = figures[vital];
      return [vital, { good, needs_improvement, poor }];
    }),
  ),
});

const seriesOf = ({ points, providers, interval }: Awaited<ReturnType<typeof panels.stats.aiSeries>>) =>
  points.map(({ time, total, by }) => ({
    time: startIn(interval)(time),
    ai_visits: total,
    by: providers.map((ai_provider, index) => ({ ai_provider, ai_visits: by[index] })),
  }));

let compared = 0;
let numbers = 0;
async function compare(asked: Asked): Promise<Body[]> {
  const told = await TOLD[asked.kind](asked.question as never);
  const bodies = await answersOf(asked);
  const about = JSON.stringify(asked);
  expect(bodies.length, about).toBe(told.length);
  bodies.forEach((body, index) => expect(body, about).toMatchObject(told[index] ?? {}));
  for (const [index, body] of bodies.entries())
    for (const part of ['data', 'previous'] as const)
      if (told[index] && part in told[index]) expect(body[part], about).toEqual(told[index][part]);
  compared += 1;
  numbers += JSON.stringify(bodies.map(({ data }) => data)).match(/:[1-9]/g)?.length ?? 0;
  return bodies;
}

test('each procedure of numbers has requests, or is named here', () => {
  const stats = Object.keys(appRouter._def.procedures).flatMap((name) =>
    name.startsWith('stats.') ? name.slice('stats.'.length) : [],
  );
  const without = [
    'summary', // the figures above the chart
    'left', // a part of the funnel
    'driver', // a sentence
    'movers', // of a figure's card
    'search', // for the palette
    'ask', // a question in words, which names its request
    'properties', // names to choose from
    'preview', // of a goal that is being made
    'currencies', // a note
    'vitalsConversion', // a sentence
    'errorsDetail', // of a row of its list
  ];
  const kinds = Object.keys(TOLD).filter((kind) => kind !== 'terms' && kind !== 'goals');
  expect([...kinds, ...without].sort()).toEqual(stats.sort());
});

test('every tab of every panel, with the numbers of its CSV file', async () => {
  const properties: Dimension[] = ['prop:plan'];
  for (const [turn, search] of VIEWS().entries()) {
    const board = boardAt(search);
    await compare({ kind: 'terms', question: board.question });
    const lists = PANELS.flatMap(({ tabs }) => tabs).flatMap((tab) => {
      const listed = [
        ...(tab.isOfProperties ? properties : [tab.dimension]),
        ...(tab.variants ?? []),
        ...insideOf(tab.dimension).inside,
        ...(tab.hasProperties ? properties : []),
      ];
      return tab.isOfSearch ? [] : [...new Set(listed)].map((dimension) => ({ tab, dimension }));
    });
    for (const { tab, dimension } of shareOf(lists, { of: 5, turn })) {
      const hasRates = board.view.filters.some((filter) => filter.dimension === 'goal');
      const question = listQuestion(board, listedBy(tab, dimension, { hasRates }));
      const [body] = await compare({ kind: 'breakdown', question });
      const [heading = [], ...rows] = (await tableOf(api, { kind: 'breakdown', question })).rows;
      const shown = (body?.data as Record<string, string | number>[]).map((row) =>
        question.metrics.map((metric) => row[metric]),
      );
      const places = question.metrics.map((metric) => heading.indexOf(metric));
      expect(rows.map((row) => places.map((at) => row[at]))).toEqual(shown);
    }
  }
  expect(compared).toBeGreaterThan(sized({ short: 80, long: 300 }));
  expect(numbers).toBeGreaterThan(sized({ short: 1_000, long: 5_000 }));
});

test('the full list of every dimension, searched and sorted', async () => {
  for (const [turn, search] of ['period=30d', 'period=7d&f=is_not:device:mobile&compare=none'].entries()) {
    const board = boardAt(search);
    for (const dimension of shareOf([...DIMENSION_NAMES, 'prop:plan' as const], { of: 2, turn })) {
      const metrics = detailMetrics(dimension, listedMetric(dimension), { hasOrders: true });
      await compare({ kind: 'breakdown', question: listQuestion(board, { dimension, metrics }) });
      const order = { by: 'name', direction: 'desc' } as const;
      await compare({ kind: 'breakdown', question: listQuestion(board, { dimension, metrics, order }) });
    }
    const pages = { dimension: 'page', metrics: ['pageviews', 'unique_visitors'], search: 'P' } as const;
    const order = { by: 'unique_visitors', direction: 'asc' } as const;
    const question = listQuestion(board, { ...pages, metrics: [...pages.metrics], order });
    await compare({ kind: 'breakdown', question });
    const terms = { ...board.question, search: 'SHOE', order: { by: 'position', direction: 'asc' } } as const;
    await compare({ kind: 'terms', question: terms });
    const all = [{ id: ids.goal }, { id: ids.other }];
    const counted = listQuestion(board, { dimension: 'goal', metrics: ['conversions', 'revenue'] });
    await compare({ kind: 'goals', question: { counted, all } });
  }
  const coded = listQuestion(boardAt('period=30d'), { dimension: 'country', metrics: ['visits'], search: 'germ' });
  const [request] = requestsOf({ kind: 'breakdown', question: coded }, PLACE);
  expect(request?.args).not.toHaveProperty('search');
  expect(request?.remark).toMatch(/^The API searches codes, not names/);
});

test('every metric on the chart and by weekday and hour, with lines of goals and segments, and AI visits', async () => {
  const metrics = METRIC_NAMES.filter((name) => sourceOfMetric(name) === 'events');
  for (const [at, search] of VIEWS().entries()) {
    const board = boardAt(search);
    const some = metrics.filter((_, index) => at < 2 || index % VIEWS().length === at);
    for (const metric of some) {
      await compare({ kind: 'timeseries', question: { ...board.question, metric } });
      await compare({ kind: 'week', question: { ...alone(board.question), metric } });
    }
    await compare({ kind: 'aiOverTime', question: board.aiQuestion });
    await compare({ kind: 'reading', question: board.question });
  }
  const board = boardAt('period=7d&compare=none&f=is_not:country:US');
  for (const interval of ['hour', 'day'] as const) {
    await compare({ kind: 'timeseries', question: { ...board.question, metric: 'visits', interval } });
    await compare({ kind: 'aiSeries', question: { ...board.aiQuestion, interval } });
  }
  const names = [ids.goal];
  const trends = { ...board.question, dimension: 'goal', metric: 'conversions', interval: 'day', names } as const;
  const [line] = await compare({ kind: 'trends', question: { ...trends, names } });
  const conversions = (line?.data as { conversions: number }[]).map((step) => step.conversions);
  expect(Math.max(...conversions)).toBeGreaterThan(0);
});

test('how fast pages feel: over time, spread and by page or another column, and what breaks on them', async () => {
  for (const [turn, search] of VIEWS().entries()) {
    const { question } = boardAt(search);
    await compare({ kind: 'vitals', question });
    await compare({ kind: 'vitalsHistogram', question: { ...question, vital: 'cls' } });
    const order = { by: 'lcp', direction: 'desc' } as const;
    for (const split of shareOf(VITALS_SPLITS, { of: 5, turn }))
      await compare({ kind: 'vitalsList', question: { ...question, split, order } });
    await compare({ kind: 'errors', question: { ...question, order: { by: 'last_seen', direction: 'asc' } } });
  }
  const [series] = await compare({ kind: 'vitals', question: { ...boardAt('period=7d').question, interval: 'hour' } });
  expect((series?.meta['series'] as object[]).length).toBeGreaterThanOrEqual(7 * 24);
});

test('funnels and journeys', async () => {
  for (const search of VIEWS()) {
    const board = boardAt(search);
    const funnel = { ...board.question, funnel_id: ids.funnel };
    await compare({ kind: 'funnel', question: funnel });
    await compare({ kind: 'funnel', question: { ...funnel, by: 'source' } });
    const question = alone(board.question);
    const values = { page: '/', event: 'signup', goal: ids.goal };
    for (const kind of JOURNEY_STARTS)
      for (const direction of JOURNEY_DIRECTIONS) {
        const asked = { ...question, start: { kind, value: values[kind] }, direction, steps: 3 };
        await compare({ kind: 'journey', question: asked });
      }
  }
});

/** The rows of an answer that are those of the CSV file. */
const ROWS: Partial<Record<Kind, (body: Body) => object[]>> = {
  funnel: ({ data }) => (data as { steps: object[] }).steps,
  aiOverTime: ({ data }) => (data as { providers: object[] }).providers,
  vitalsHistogram: ({ meta }) => (meta['histogram'] as { steps: object[] }).steps,
  reading: ({ data }) => (data as { reached: object[] }).reached,
  terms: ({ data, meta }) => [...(data as object[]), { term: 'Not told by Google', ...(meta['withheld'] as object) }],
};
const valueAt = (row: object, path: string) =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], row);

test('a CSV file has the numbers of the API, under the names of its fields', async () => {
  for (const search of ['period=30d', 'period=30d&compare=none']) {
    const { question, aiQuestion: ofAi } = boardAt(search);
    const counted = { ...question, dimension: 'goal' as const, metrics: ['conversions' as const] };
    const start = { kind: 'page', value: '/' } as const;
    const kinds: { [K in Exclude<Kind, 'timeseries' | 'trends' | 'aiSeries' | 'vitals'>]: Questions[K] } = {
      breakdown: { ...question, dimension: 'country', metrics: ['visits', 'bounce_rate'] },
      goals: { counted, all: [{ id: ids.goal }, { id: 'goal_unreached' }, { id: ids.other }] },
      week: { ...alone(question), metric: 'pageviews' },
      funnel: { ...question, funnel_id: ids.funnel },
      journey: { ...alone(question), start, direction: 'forwards', steps: 4 },
      terms: question,
      aiOverTime: ofAi,
      reading: question,
      vitalsList: { ...question, split: 'country' },
      vitalsHistogram: { ...question, vital: 'cls' },
      errors: question,
    };
    for (const [kind, one] of Object.entries(kinds)) {
      const asked = { kind, question: one } as Asked;
      const [body] = await answersOf(asked);
      const [heading = [], ...rows] = (await tableOf(api, asked)).rows;
      const told = body ? (ROWS[asked.kind]?.(body) ?? (body.data as object[])) : [];
      expect(told.length, kind).toBeGreaterThan(1);
      const fields = heading.map((path, at) => ({ path: String(path), at }));
      const shared = fields.filter(({ path }) => told.some((row) => valueAt(row, path) !== undefined));
      const others = fields.filter((field) => !shared.includes(field)).map(({ path }) => path);
      expect(others, kind).toEqual(['breakdown', 'goals', 'vitalsList'].includes(kind) ? ['name'] : []);
      const cells = told.map((row) => shared.map(({ path }) => valueAt(row, path) ?? ''));
      const isText = (value: unknown) => Array.isArray(value); // next pages, as one text
      const found = rows.map((row) => shared.map(({ at }) => row[at]));
      const unreached = kind === 'goals' ? [['goal_unreached', ...shared.slice(1).map(() => 0)]] : [];
      expect(found, kind).toEqual([
        ...cells.map((row) => row.map((value) => (isText(value) ? (expect.any(String) as unknown) : value))),
        ...unreached,
      ]);
    }
  }
});

test('each tool has been called', () => {
  for (const [tool, calls] of called) expect(calls, tool).toBeGreaterThanOrEqual(CALLS_OF_EACH);
  expect([...called.keys()].sort()).toEqual([
    'get_ai_visits',
    'get_breakdown',
    'get_errors',
    'get_funnel',
    'get_journey',
    'get_reading',
    'get_search_terms',
    'get_timeseries',
    'get_vitals',
    'get_week',
  ]);
});

test('a request names the zone of the site only if it has one, and the segments in it are known', () => {
  const { question } = boardAt(`period=7d&segment=${ids.segment}&compare=all&f=is_not:segment:segment_B`);
  const asked: Asked = { kind: 'timeseries', question: { ...question, metric: 'visits' } };
  const [utc] = requestsOf(asked, { hasZone: false });
  expect(utc?.args).toEqual({
    site_id: site.id,
    period: '7d',
    segment: ids.segment,
    versus: 'all',
    filters: [{ dimension: 'segment', operator: 'is_not', values: ['segment_B'] }],
    metrics: ['visits'],
  });
  expect(requestsOf(asked, PLACE)[0]?.args['timezone']).toBe('site');
  expect(segmentsIn(asked)).toEqual(['segment_B', ids.segment]);
});
