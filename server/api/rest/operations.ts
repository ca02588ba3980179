// The API as one table: method, path, what is taken, what is answered, and the function behind it. The door reads it to answer,
// openapi.ts to describe, the tests to try everything.
import { z } from 'zod';
import type { Site } from '../../sites/sites.ts';
import { listSites, toPublicSite } from '../../sites/sites.ts';
import type { Services } from '../trpc.ts';
import * as answers from './responses.ts';
import { type Sent, toEvent } from './events.ts';
import { refused } from './params.ts';
import * as rules from './requests.ts';
import { askBreakdown, askStats, askTimeseries } from './stats.ts';

/** Of one event; of a batch, so that 100 ordinary events fit. */
const MAX_EVENT_BYTES = 32 * 1024;
const MAX_BATCH_BYTES = 256 * 1024;

/** A request that is let in and well formed. */
export type Call<Query, Body> = {
  services: Services;
  accountId: string;
  now: number;
  query: Query;
  body: Body;
  idempotencyKey: string | undefined;
  /** A site of the account; throws not_found, to the letter the same for an unknown and for a foreign one. */
  readSite(siteId: string): Promise<Site>;
  /** The same as it was at most a second ago. */
  siteOf(siteId: string): Promise<Site>;
};

export type Result = { data: unknown; meta?: unknown };

type Shape = z.ZodRawShape;

type Parts<Query extends Shape, Path extends Shape, Body extends Shape> = {
  id: string;
  summary: string;
  description: string;
  tag: 'Sites' | 'Stats' | 'Events';
  query: z.ZodObject<Query>;
  /** Parameters of the path. */
  path: z.ZodObject<Path>;
  body?: { schema: z.ZodObject<Body>; maxBytes: number; example: unknown };
  status: 200 | 202;
  answer: z.ZodType;
  example: unknown;
};
type Given<Query, Path> = { query?: Query; path?: Path };

/**
 * `ask` is for numbers of the site `site_id`: it checks the question and hands back what answers it, which the door remembers
 * for a minute and sends with an ETag. `run` is for all else.
 */
type Work<Query, Body> =
  { run(call: Call<Query, Body>): Promise<Result> } | { ask(call: Call<Query, Body>): (site: Site) => Promise<Result> };

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
  } as unknown as Operation; // each `run` is called with what its own schemas have let through
}

/** By path as OpenAPI writes it, then by method. HEAD and OPTIONS follow from what is here. */
export const TABLE: Record<string, Partial<Record<'GET' | 'POST', Operation>>> = {
  '/v1/sites': {
    GET: operation({
      id: 'listSites',
      tag: 'Sites',
      summary: 'List the sites of the account',
      description: 'In order of creation. Sites are added, renamed and removed in the dashboard.',
      query: { page: rules.page(1_000_000), per_page: rules.perPage(100, 50) },
      status: 200,
      answer: answers.listOf(answers.site),
      example: { data: [answers.SITE], meta: { page: 1, per_page: 50, total: 1 } },
      run: async ({ services, accountId, now, query: { page, per_page } }) => {
        const sites = await listSites(services.directory, accountId);
        const shown = sites.slice((page - 1) * per_page, page * per_page);
        return { data: shown.map((site) => toPublicSite(site, now)), meta: { page, per_page, total: sites.length } };
      },
    }),
  },
  '/v1/sites/{site_id}': {
    GET: operation({
      id: 'getSite',
      tag: 'Sites',
      summary: 'Get one site',
      description: 'The same object as in the list.',
      path: { site_id: rules.siteId },
      status: 200,
      answer: answers.envelope(answers.site),
      example: { data: answers.SITE },
      run: async ({ readSite, now, query }) => ({ data: toPublicSite(await readSite(query.site_id), now) }),
    }),
  },
  '/v1/stats': {
    GET: operation({
      id: 'getStats',
      tag: 'Stats',
      summary: 'Get the totals and the top pages of a period',
      description:
        'The numbers of the dashboard. Days are UTC days; unique visitors of several days are the sum of the days, since nobody is recognised on another day. Answers may be kept for 60 seconds.',
      query: {
        site_id: rules.siteId,
        ...rules.statsPeriod,
        metric: rules.statsMetric,
        limit: rules.limit,
        filter: rules.filter,
      },
      status: 200,
      answer: answers.envelope(answers.stats),
      example: { data: answers.STATS },
      ask: askStats,
    }),
  },
  '/v1/stats/timeseries': {
    GET: operation({
      id: 'getTimeseries',
      tag: 'Stats',
      summary: 'Get metrics step by step through a period',
      description: 'Oldest first, steps without traffic included; what has not begun yet is left out.',
      query: {
        site_id: rules.siteId,
        ...rules.anyPeriod,
        metrics: rules.metrics.default(['unique_visitors', 'pageviews']).meta({
          description: 'Metrics with commas between them. Default: `unique_visitors,pageviews`.',
        }),
        interval: rules.interval,
        filter: rules.filter,
      },
      status: 200,
      answer: answers.timeseries,
      example: answers.TIMESERIES,
      ask: askTimeseries,
    }),
  },
  '/v1/stats/breakdown': {
    GET: operation({
      id: 'getBreakdown',
      tag: 'Stats',
      summary: 'List the values of a dimension with their metrics',
      description:
        'Highest first metric first, ties by name. An empty name is what is not known. Metrics of AI visits and of people do not mix.',
      query: {
        site_id: rules.siteId,
        ...rules.anyPeriod,
        dimension: rules.dimension,
        metrics: rules.metrics.optional().meta({
          description:
            'Metrics with commas between them. Default: `unique_visitors`, and `ai_visits` for dimensions of AI visits.',
        }),
        filter: rules.filter,
        page: rules.page(100_000),
        per_page: rules.perPage(1000, 100),
      },
      status: 200,
      answer: answers.breakdown,
      example: answers.BREAKDOWN,
      ask: askBreakdown,
    }),
  },
  '/v1/live': {
    GET: operation({
      id: 'getLive',
      tag: 'Stats',
      summary: 'Get who is on a site now',
      description: 'Different visitors with an event in the last five minutes, and the ten pages most of them look at.',
      query: { site_id: rules.siteId },
      status: 200,
      answer: answers.envelope(answers.live),
      example: { data: answers.LIVE },
      run: async ({ services, siteOf, now, query }) => {
        const site = await siteOf(query.site_id);
        const { current_visitors, pages } = await services.windows.snapshot(site.id, now);
        return { data: { current_visitors, pages } };
      },
    }),
  },
  '/v1/events': {
    POST: operation({
      id: 'recordEvent',
      tag: 'Events',
      summary: 'Record an event from a server',
      description:
        'Answered once the event is in the durable queue; the dashboard shows it within seconds. It has no visitor and no place. `accepted` is false where the site does not record: it is paused, or over a quota that drops.',
      body: { schema: rules.event, maxBytes: MAX_EVENT_BYTES, example: answers.EVENT },
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
      summary: `Record up to ${rules.MAX_BATCH} events`,
      description:
        'All or none: one event that is wrong refuses the whole batch. Answers come in the order of the events. An `Idempotency-Key` is of the batch, and holds for its events by their places.',
      body: { schema: rules.batch, maxBytes: MAX_BATCH_BYTES, example: { events: [answers.EVENT] } },
      status: 202,
      answer: answers.envelope(z.array(answers.acceptance)),
      example: { data: [{ accepted: true }] },
      run: async (call) => ({ data: await record(call, call.body.events) }),
    }),
  },
};

async function record(call: Call<unknown, unknown>, events: rules.SentEvent[]): Promise<{ accepted: boolean }[]> {
  const { services, siteOf, now, idempotencyKey } = call;
  const sites = await Promise.all(events.map((event) => siteOf(event.site_id)));
  const sent = events.map((event, index): Sent => {
    const site = sites[index];
    if (!site) throw refused('site_id', 'is required');
    const key = idempotencyKey === undefined ? undefined : `${index} ${idempotencyKey}`;
    return { event, site, key };
  });
  const wanted = sent.map(({ site }) => services.collector.dropReason(site, now) === undefined);
  const accepted = sent.filter((_, index) => wanted[index]);
  if (accepted.length > 0)
    await services.collector.record(
      accepted.map((one) => toEvent(one, now)),
      now,
    );
  return wanted.map((isWanted) => ({ accepted: isWanted }));
}
