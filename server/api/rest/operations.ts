// The operations of the API as one table: method, path, request, answer, and the function behind them. handler.ts serves it, openapi.ts
// describes it, and the tests loop over it.
import { z } from 'zod';
import { type Definitions, toPublicDefinition } from '../../sites/definitions/definitions.ts';
import { funnels, resolveFunnel, siteOfFunnel } from '../../sites/definitions/funnels.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { listSegments } from '../../sites/definitions/segments.ts';
import { listShareLinks, toPublicLink } from '../../sites/sharing/share.ts';
import type { Site } from '../../sites/sites.ts';
import { listSites, toPublicSite } from '../../sites/sites.ts';
import type { Services } from '../trpc.ts';
import * as answers from './responses.ts';
import * as examples from './examples.ts';
import { ask } from './ask.ts';
import { toHit } from './events.ts';
import { runGroupStats, runGroupTimeseries, groupsOf, toPublicGroup } from './groups.ts';
import * as fields from './requests.ts';
import { askBreakdown, askFunnel, askReading, askSearchTerms, askStats, askTimeseries } from './stats.ts';
import { EXPORT_MEDIA, exportDay, type ExportedFile } from './export-day.ts';
import { makeNote } from './notes.ts';
import { endLink, makeLink } from './share-links.ts';
import { askAiVisits, askErrors, askJourney, askVitals, askWeek } from './views.ts';
import { MAX_BATCH } from '../../vocabulary/limits.ts';
import { METRIC_NAMES } from '../../vocabulary/numbers/metrics.ts';
import { ERROR_ORDERS } from '../../vocabulary/numbers/errors.ts';
import { VITALS_ORDERS } from '../../vocabulary/numbers/vitals.ts';
import { MAX_SEARCH_PAGE, SEARCH_METRICS } from '../../vocabulary/settings/search-console.ts';

const MAX_EVENT_BYTES = 32 * 1024;
const MAX_BATCH_BYTES = 256 * 1024; // fits 100 ordinary events

/** A request that has passed all checks. */
export type Call<Query, Body> = {
  services: Services;
  accountId: string;
  now: number;
  query: Query;
  body: Body;
  idempotencyKey: string | undefined;
  /** Reads a site of the account. Throws the same not_found for unknown sites and for other accounts' sites. */
  readSite(siteId: string): Promise<Site>;
  /** The same from a cache that is at most a second old. */
  siteOf(siteId: string): Promise<Site>;
};

export type Result = { data: unknown; previous?: unknown; meta?: unknown };

type Shape = z.ZodRawShape;

type Parts<Query extends Shape, Path extends Shape, Body extends Shape> = {
  id: string;
  summary: string;
  description: string;
  tag: 'Sites' | 'Goals' | 'Stats' | 'Events';
  query: z.ZodObject<Query>;
  /** Parameters of the path. */
  path: z.ZodObject<Path>;
  body?: { schema: z.ZodObject<Body>; maxBytes: number; example: unknown };
  status: 200 | 202;
  answer: z.ZodType;
  example: unknown;
  /** True if an `Idempotency-Key` makes retries safe. */
  takesKey?: true;
  /** The media types of a file, in place of JSON. */
  media?: readonly string[];
};
type Given<Query, Path> = { query?: Query; path?: Path };

/**
 * `ask` is for numbers of a site, which is `site_id` or the result of `about`. It checks the query and returns a function that answers it.
 * The handler caches that answer for a minute and sends it with an ETag. `file` is for what is no JSON, and `run` for everything else.
 */
type Work<Query, Body> =
  | { run(call: Call<Query, Body>): Promise<Result> }
  | { file(call: Call<Query, Body>): Promise<ExportedFile> }
  | {
      ask(call: Call<Query, Body>): (site: Site) => Promise<Result>;
      /** Finds the site if the path names something that belongs to it. Its further fields distinguish versions of the answer. */
      about?(call: Call<Query, Body>): Promise<{ site_id: string }>;
    };

type Output<S extends Shape> = z.output<z.ZodObject<S>>;

export type Operation = Parts<Shape, Shape, Shape> & Work<Record<string, unknown>, unknown>;

function operation<Query extends Shape, Path extends Shape, Body extends Shape>(
  definition: Given<Query, Path> &
    Omit<Parts<Query, Path, Body>, 'query' | 'path'> &
    Work<Output<Query> & Output<Path>, Output<Body>>,
): Operation {
  const { query, path, ...rest } = definition;
  return {
    ...rest,
    query: z.strictObject(query ?? {}),
    path: z.strictObject(path ?? {}),
  } as unknown as Operation; // `run` is called only with the output of its own schemas
}

export const METHODS = ['GET', 'POST', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Keyed by path, as OpenAPI writes it, then by method. HEAD and OPTIONS are derived from the table. */
export const OPERATIONS: Record<string, Partial<Record<Method, Operation>>> = {
  '/v1/sites': {
    GET: operation({
      id: 'listSites',
      tag: 'Sites',
      summary: 'List the sites of the account',
      description: 'Oldest first. Sites are added, renamed and deleted in the dashboard.',
      query: fields.listPage,
      ...listed(answers.site, examples.SITE),
      run: async ({ services, accountId, now, query }) =>
        pageOf(await listSites(services.directory, accountId), query, (site) => toPublicSite(site, now)),
    }),
  },
  '/v1/sites/{site_id}': {
    GET: operation({
      id: 'getSite',
      tag: 'Sites',
      summary: 'Get one site',
      description: 'The same object as in the list.',
      path: { site_id: fields.siteId },
      status: 200,
      answer: answers.envelope(answers.site),
      example: { data: examples.SITE },
      run: async ({ readSite, now, query }) => ({ data: toPublicSite(await readSite(query.site_id), now) }),
    }),
  },
  '/v1/groups': {
    GET: operation({
      id: 'listGroups',
      tag: 'Sites',
      summary: 'List the groups of sites of the account',
      description: 'Oldest first. Groups are made, renamed and deleted in the dashboard.',
      query: fields.listPage,
      ...listed(answers.group, examples.GROUP),
      run: async (call) => pageOf(await groupsOf(call), call.query, toPublicGroup),
    }),
  },
  '/v1/groups/{group_id}/stats': {
    GET: operation({
      id: 'getGroupStats',
      tag: 'Stats',
      summary: 'Get the totals of a group of sites, and of each of them',
      description:
        'The numbers of its sites added up: visitors too, because a visitor is recognised on one site and one day only. Days are UTC days unless `timezone=site`: then each site counts its own. Money is never added up.',
      path: { group_id: fields.groupId },
      query: { ...fields.groupPeriod, timezone: fields.timezone, include_imported: fields.includeImported },
      status: 200,
      answer: answers.groupStats,
      example: examples.GROUP_STATS,
      run: runGroupStats,
    }),
  },
  '/v1/groups/{group_id}/timeseries': {
    GET: operation({
      id: 'getGroupTimeseries',
      tag: 'Stats',
      summary: 'Get the numbers of a group of sites over time',
      description:
        'Oldest first. Includes days without traffic, but none that lie in the future. With `timezone=site`, each site counts its own days.',
      path: { group_id: fields.groupId },
      query: {
        ...fields.groupPeriod,
        timezone: fields.timezone,
        include_imported: fields.includeImported,
        interval: fields.groupInterval,
      },
      status: 200,
      answer: answers.groupTimeseries,
      example: examples.GROUP_TIMESERIES,
      run: runGroupTimeseries,
    }),
  },
  '/v1/goals': {
    GET: listOf(goals, {
      id: 'listGoals',
      tag: 'Goals',
      summary: 'List the goals of a site',
      description: 'In the order of the dashboard, where goals are created, renamed and deleted.',
      answer: answers.goal,
      example: examples.GOAL,
    }),
  },
  '/v1/funnels': {
    GET: listOf(funnels, {
      id: 'listFunnels',
      tag: 'Goals',
      summary: 'List the funnels of a site',
      description: 'In the order of the dashboard, where funnels are created, renamed and deleted.',
      answer: answers.funnel,
      example: examples.FUNNEL,
    }),
  },
  '/v1/segments': {
    GET: listOf(
      { list: listSitesSegments },
      {
        id: 'listSegments',
        tag: 'Stats',
        summary: 'List the segments of a site',
        description:
          'Oldest first. Only shared segments are included, not personal ones. Segments are created in the dashboard.',
        answer: answers.segment,
        example: examples.SEGMENT,
      },
    ),
  },
  '/v1/funnels/{funnel_id}': {
    GET: operation({
      id: 'getFunnel',
      tag: 'Goals',
      summary: 'Get the figures of a funnel',
      description:
        'Each step has its visitors and visits, its drop-off and conversion rate, the median time since the previous step, and the next pages of visitors who left after it. The numbers are the same as in the dashboard. Filters keep the visits that match.',
      path: { funnel_id: fields.funnelId },
      query: {
        ...fields.anyPeriod,
        ...fields.comparison,
        timezone: fields.timezone,
        by: fields.splitBy,
        segment: fields.segment,
        filter: fields.filter,
        filters: fields.filters,
      },
      status: 200,
      answer: answers.funnelFigures,
      example: examples.FUNNEL_FIGURES,
      about: async ({ services, accountId, query: { funnel_id } }) => {
        const site_id = await siteOfFunnel(services.directory, { accountId, id: funnel_id });
        return { site_id, funnel: await resolveFunnel(services.directory, { siteId: site_id, id: funnel_id }) };
      },
      ask: (call) => askFunnel({ ...call, query: { site_id: '', ...call.query } }),
    }),
  },
  '/v1/stats': {
    GET: operation({
      id: 'getStats',
      tag: 'Stats',
      summary: 'Get the totals and the top pages of a period',
      description:
        'The numbers are the same as in the dashboard of a site in UTC. Days are UTC days unless `timezone=site`. The unique visitors of several days are the sum of those days, because visitors are not recognised across days. Answers may be cached for 60 seconds.',
      query: {
        site_id: fields.siteId,
        ...fields.statsPeriod,
        timezone: fields.timezone,
        include_imported: fields.includeImported,
        metric: fields.statsMetric,
        limit: fields.limit,
        ...fields.filtering,
      },
      status: 200,
      answer: answers.envelope(answers.stats),
      example: { data: examples.STATS },
      ask: askStats,
    }),
  },
  '/v1/stats/timeseries': {
    GET: operation({
      id: 'getTimeseries',
      tag: 'Stats',
      summary: 'Get metrics over time',
      description:
        'Oldest first. Includes steps without traffic, but no steps that lie in the future. `previous` has the steps that are compared with, in the same order.',
      query: {
        ...fields.comparedSite,
        metrics: fields.metrics.default(['unique_visitors', 'pageviews']).meta({
          description: 'Comma-separated metrics. Default: `unique_visitors,pageviews`.',
        }),
        interval: fields.interval,
        ...fields.filtering,
        currency: fields.currency,
      },
      status: 200,
      answer: answers.timeseries,
      example: examples.TIMESERIES,
      ask: askTimeseries,
    }),
  },
  '/v1/stats/breakdown': {
    GET: operation({
      id: 'getBreakdown',
      tag: 'Stats',
      summary: 'List the values of a dimension with their metrics',
      description:
        'Sorted by the first metric, highest first, then by name, unless `order` says otherwise. An empty name stands for an unknown value. Metrics of AI visits cannot be combined with metrics of visitors.',
      query: {
        ...fields.comparedSite,
        dimension: fields.dimension,
        metrics: fields.metrics.optional().meta({
          description:
            'Comma-separated metrics. Default: `unique_visitors`, or `ai_visits` for dimensions of AI visits.',
        }),
        search: fields.search,
        order: fields.order(METRIC_NAMES),
        ...fields.filtering,
        currency: fields.currency,
        page: fields.page(100_000),
        per_page: fields.perPage(1000, 100),
      },
      status: 200,
      answer: answers.breakdown,
      example: examples.BREAKDOWN,
      ask: askBreakdown,
    }),
  },
  '/v1/stats/search-terms': {
    GET: operation({
      id: 'getSearchTerms',
      tag: 'Stats',
      summary: 'List the terms with which people find the site at Google',
      description:
        'From Google Search Console, if the site is connected in its settings. Most clicks first. Google publishes its numbers two to three days late: `latest_day` is the newest day that has any. Google does not tell all terms: `totals` counts everything, and `withheld` the part without a term. Clicks are counted by page, so `filter[page]`, `filter[hostname]`, `filter[country]` and `filter[device]` apply, and no others. Other filters of a segment are ignored.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        ...fields.comparison,
        timezone: fields.timezone,
        search: fields.search,
        order: fields.order(SEARCH_METRICS),
        ...fields.filtering,
        page: fields.page(100_000),
        per_page: fields.perPage(MAX_SEARCH_PAGE, 100),
      },
      status: 200,
      answer: answers.searchTerms,
      example: examples.SEARCH_TERMS,
      ask: askSearchTerms,
    }),
  },
  '/v1/stats/reading': {
    GET: operation({
      id: 'getReading',
      tag: 'Stats',
      summary: 'Get how page views were read',
      description:
        'How long page views were visible, and the share of them that was scrolled to each tenth of the page. With `filter[page]`, of that page alone. Views of browsers without the script are not measured.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        timezone: fields.timezone,
        ...fields.filtering,
      },
      status: 200,
      answer: answers.reading,
      example: examples.READING,
      ask: askReading,
    }),
  },
  '/v1/stats/vitals': {
    GET: operation({
      id: 'getVitals',
      tag: 'Stats',
      summary: 'List how fast pages felt: web vitals by page or another dimension',
      description:
        'The 75th percentile of what browsers measured, in milliseconds (`cls` has no unit), and the shares of page views with good and poor values by Google’s thresholds. Most measured page views first, unless `order` says otherwise. `meta.totals` has the figures of all of them. Only sites that are measured have any: the switch is in the settings of the site. Filters on pages narrow the page views, and others keep those of the visits that match.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        ...fields.comparison,
        timezone: fields.timezone,
        dimension: fields.vitalsDimension,
        search: fields.search,
        order: fields.order([...VITALS_ORDERS]),
        interval: fields.vitalsInterval,
        histogram: fields.histogramOf,
        ...fields.filtering,
        page: fields.page(100_000),
        per_page: fields.perPage(1000, 100),
      },
      status: 200,
      answer: answers.vitals,
      example: examples.VITALS,
      ask: askVitals,
    }),
  },
  '/v1/stats/errors': {
    GET: operation({
      id: 'getErrors',
      tag: 'Stats',
      summary: 'List errors of pages in the browsers of visitors',
      description:
        'Uncaught errors, unhandled rejections, and scripts, styles and pictures of the site that could not be loaded, joined by kind, message and file. Messages have placeholders for quoted texts, addresses, numbers and ids. Most errors first, unless `order` says otherwise. `since` is the latest note on the day when such an error was first seen, or the day before. Only sites that record errors have any: the switch is in the settings of the site. Filters on pages narrow the errors, and others keep those of the visits that match.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        ...fields.comparison,
        timezone: fields.timezone,
        kind: fields.errorKind,
        search: fields.search,
        order: fields.order(ERROR_ORDERS.filter((name) => name !== 'name')),
        ...fields.filtering,
        page: fields.page(100_000),
        per_page: fields.perPage(1000, 100),
      },
      status: 200,
      answer: answers.errors,
      example: examples.ERRORS,
      ask: askErrors,
    }),
  },
  '/v1/stats/week': {
    GET: operation({
      id: 'getWeek',
      tag: 'Stats',
      summary: 'Get metrics by weekday and hour',
      description:
        'The 168 hours of a week, Monday’s first, each with the sum of the period. With `timezone=site`, hours are those of the site’s clock.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        timezone: fields.timezone,
        metrics: fields.metrics.default(['unique_visitors']).meta({
          description: 'Comma-separated metrics. Default: `unique_visitors`.',
        }),
        ...fields.filtering,
        currency: fields.currency,
      },
      status: 200,
      answer: answers.week,
      example: examples.WEEK,
      ask: askWeek,
    }),
  },
  '/v1/stats/journey': {
    GET: operation({
      id: 'getJourney',
      tag: 'Stats',
      summary: 'Get where visits go from a page, an event or a goal',
      description:
        'The branches of the journey, step by step: the start first, and each branch after the one that it continues. At each step, the pages and events with the most visits have branches; all others count as `other`.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        timezone: fields.timezone,
        start: fields.start,
        direction: fields.direction,
        steps: fields.steps,
        ...fields.filtering,
      },
      status: 200,
      answer: answers.journey,
      example: examples.JOURNEY,
      ask: askJourney,
    }),
  },
  '/v1/stats/ai-visits': {
    GET: operation({
      id: 'getAiVisits',
      tag: 'Stats',
      summary: 'Get what AI providers read, and the visits they sent',
      description:
        'By provider: the pages that its agents read, and the visits that its assistants sent. `series` has the pages read over time, with the five largest providers. Filters on AI visits apply to `series` alone.',
      query: {
        site_id: fields.siteId,
        ...fields.anyPeriod,
        ...fields.comparedPeriod,
        timezone: fields.timezone,
        interval: fields.interval,
        filter: fields.filter,
        filters: fields.filters,
      },
      status: 200,
      answer: answers.aiVisits,
      example: examples.AI_VISITS,
      ask: askAiVisits,
    }),
  },
  '/v1/ask': {
    GET: operation({
      id: 'ask',
      tag: 'Stats',
      summary: 'Understand a question in plain words',
      description:
        'Turns an English question such as “signup rate by source in October vs September” into a view: `dashboard` is its address, and `request` and `tool` ask for its numbers. It knows metrics, dimensions, periods, and names in the site’s data of the last 30 days; no language model is involved. `parts` says how each word was understood. If `is_sure` is false, a word was not understood, was misspelt, or does not count: tell the reader which.',
      query: { site_id: fields.siteId, q: fields.question },
      status: 200,
      answer: answers.envelope(answers.asked),
      example: { data: examples.ASKED },
      run: ask,
    }),
  },
  '/v1/live': {
    GET: operation({
      id: 'getLive',
      tag: 'Stats',
      summary: 'Get the current visitors of a site',
      description:
        'The number of visitors with an event in the last five minutes, and the ten pages that most of them view.',
      query: { site_id: fields.siteId },
      status: 200,
      answer: answers.envelope(answers.live),
      example: { data: examples.LIVE },
      run: async ({ services, siteOf, now, query }) => {
        const site = await siteOf(query.site_id);
        const { current_visitors, pages } = await services.windows.snapshot(site.id, now);
        return { data: { current_visitors, pages } };
      },
    }),
  },
  '/v1/export': {
    GET: operation({
      id: 'exportDay',
      tag: 'Stats',
      summary: 'Get the rows of a day as a file',
      description:
        'Page views, events and the ends of page views, or visits by AI agents, of one day of the site that is over: for a warehouse that asks for one day after the other. Rows hold no id of a visitor or a visit, and their time is the minute. Amounts of reports that a better one has replaced are left out. A day may change later, when events arrive late: ask for it again after a day. 30 files a minute.',
      query: {
        site_id: fields.siteId,
        day: fields.exportedDay,
        table: fields.exportedTable,
        format: fields.exportedFormat,
      },
      status: 200,
      answer: z.string(),
      example: examples.EXPORTED_LINE,
      media: Object.values(EXPORT_MEDIA),
      file: exportDay,
    }),
  },
  '/v1/share-links': {
    GET: operation({
      id: 'listShareLinks',
      tag: 'Sites',
      summary: 'List the share links of a site',
      description: 'Oldest first, with what each link shows, and how often it was opened on each of the last 30 days.',
      query: { site_id: fields.siteId, ...fields.listPage },
      ...listed(answers.shareLink, examples.SHARE_LINK),
      run: async ({ services, readSite, query }) => {
        const { id: siteId } = await readSite(query.site_id);
        return pageOf(await listShareLinks(services.directory, siteId), query, toPublicLink);
      },
    }),
    POST: operation({
      id: 'createShareLink',
      tag: 'Sites',
      summary: 'Create a share link',
      description:
        'Whoever has its address sees the dashboard of the site, as far as the rules of the link go, and changes nothing. The address is in this answer alone. Filters of a link cannot be taken away by its viewers.',
      body: { schema: fields.shareLink, maxBytes: MAX_EVENT_BYTES, example: examples.NEW_SHARE_LINK },
      status: 200,
      answer: answers.envelope(answers.newShareLink),
      example: { data: { ...examples.SHARE_LINK, url: examples.SHARE_ADDRESS } },
      run: makeLink,
    }),
  },
  '/v1/share-links/{link_id}': {
    DELETE: operation({
      id: 'revokeShareLink',
      tag: 'Sites',
      summary: 'Revoke a share link',
      description: 'For good. Dashboards that are open with it close within two seconds.',
      path: { link_id: fields.linkId },
      status: 200,
      answer: answers.envelope(answers.revokedLink),
      example: { data: { revoked: examples.SHARE_LINK.id } },
      run: endLink,
    }),
  },
  '/v1/notes': {
    POST: operation({
      id: 'createNote',
      tag: 'Sites',
      summary: 'Write a note on a day',
      description:
        'The charts of the site show it as a pennant on its day, such as a release with which pages became slow. With the same `Idempotency-Key` the note that was made before is the answer, so a deployment that runs twice makes one note.',
      takesKey: true,
      body: {
        schema: fields.note,
        maxBytes: MAX_EVENT_BYTES,
        example: { site_id: examples.SITE.id, text: examples.NOTE.text, kind: examples.NOTE.kind },
      },
      status: 200,
      answer: answers.envelope(answers.note),
      example: { data: { id: 'note_0123456789ABCDEFGHJKMNPQRS', ...examples.NOTE } },
      run: makeNote,
    }),
  },
  '/v1/events': {
    POST: operation({
      id: 'recordEvent',
      tag: 'Events',
      summary: 'Record an event from a server',
      description:
        'The answer comes once the event is safely queued. The dashboard shows it within seconds. The event has no visitor and no location, unless a browser sent the same `order_id` on the same day: then it belongs to that visit. `accepted` is false if the site is paused or over a quota that drops events.',
      takesKey: true,
      body: { schema: fields.event, maxBytes: MAX_EVENT_BYTES, example: examples.EVENT },
      status: 202,
      answer: answers.envelope(answers.acceptance),
      example: { data: { accepted: true } },
      run: async (call) => ({ data: (await record(call, [call.body]))[0] }),
    }),
  },
  '/v1/events/batch': {
    POST: operation({
      id: 'recordEvents',
      tag: 'Events',
      summary: `Record up to ${MAX_BATCH} events`,
      description:
        'All or nothing: one invalid event makes the whole batch fail. The results are in the order of the events. An `Idempotency-Key` covers the batch: send a retry with the same events in the same order.',
      takesKey: true,
      body: { schema: fields.batch, maxBytes: MAX_BATCH_BYTES, example: { events: [examples.EVENT] } },
      status: 202,
      answer: answers.envelope(z.array(answers.acceptance)),
      example: { data: [{ accepted: true }] },
      run: async (call) => ({ data: await record(call, call.body.events) }),
    }),
  },
};

async function listSitesSegments(...asked: Parameters<typeof listSegments>) {
  return (await listSegments(...asked)).map(({ is_personal: _, ...segment }) => segment);
}

/** An operation that lists definitions of a site, such as goals. `answer` and `example` describe one entry. */
function listOf<Definition>(
  own: Pick<Definitions<Definition>, 'list'>,
  { answer, example, ...about }: Pick<Operation, 'id' | 'tag' | 'summary' | 'description' | 'answer' | 'example'>,
) {
  return operation({
    ...about,
    query: { site_id: fields.siteId, ...fields.listPage },
    ...listed(answer, example),
    run: async ({ services, readSite, query }) => {
      const { id: siteId } = await readSite(query.site_id);
      return pageOf(await own.list(services.directory, { siteId }), query, toPublicDefinition);
    },
  });
}

/** The answer of an operation that lists entries page by page. */
function listed(answer: z.ZodType, example: unknown) {
  return {
    status: 200 as const,
    answer: answers.listOf(answer),
    example: { data: [example], meta: { page: 1, per_page: 50, total: 1 } },
  };
}

function pageOf<Entry>(
  all: readonly Entry[],
  { page, per_page }: { page: number; per_page: number },
  show: (entry: Entry) => unknown,
): Result {
  const shown = all.slice((page - 1) * per_page, page * per_page);
  return { data: shown.map((entry) => show(entry)), meta: { page, per_page, total: all.length } };
}

async function record(call: Call<unknown, unknown>, events: fields.SentEvent[]): Promise<{ accepted: boolean }[]> {
  const { services, siteOf, now, idempotencyKey } = call;
  const sent = await Promise.all(
    events.map(async (event, index) => {
      const site = await siteOf(event.site_id);
      const id = idempotencyKey === undefined ? undefined : `${index} ${idempotencyKey}`;
      return { site, hit: toHit(event, { id, time: now }) };
    }),
  );
  const outcomes = await services.collector.collectAll(sent, now);
  return outcomes.map(({ dropped }) => ({ accepted: dropped === undefined }));
}
