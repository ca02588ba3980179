// The stats of the API, computed by the same functions as the dashboard's.
import { resolveFunnel } from '../../sites/definitions/funnels.ts';
import { sourceOfQuestion } from '../../stats/sql/combination.ts';
import { type Dimension, sourceOf } from '../../vocabulary/questions/dimensions.ts';
import { type Metric, sourceOfMetric, usualMetric } from '../../vocabulary/numbers/metrics.ts';
import { type Interval, isWithinDay } from '../../vocabulary/time/intervals.ts';
import type { Period } from '../../vocabulary/time/periods.ts';
import { type Source, SOURCES } from '../../vocabulary/questions/sources.ts';
import type { Site } from '../../sites/sites.ts';
import type { Filter } from '../../stats/query.ts';
import { connectionOf } from '../../integrations/search-console/connections.ts';
import { SEARCH_DIMENSIONS } from '../../vocabulary/settings/search-console.ts';
import { withSegments } from '../dashboard/segments.ts';
import { instantAt } from '../../vocabulary/time/zones.ts';
import { checkPeriod, inDays, readFilters, refused } from './params.ts';
import { checkFunnelDimension } from '../../stats/funnels/funnel.ts';
import { funnelFigures, toFunnel } from '../funnels.ts';
import type { Call, Result } from './operations.ts';

type Asked = {
  site_id: string;
  period: Period;
  date_from?: string | undefined;
  date_to?: string | undefined;
  timezone: 'UTC' | 'site';
  include_imported?: 'true' | 'false' | undefined;
  filter: Record<string, string>;
  segment?: string | undefined;
  currency?: string | undefined;
};
/** The site's zone, and so its current day, is unknown until the site is looked up. Until then no date counts as in the future. */
const NO_FUTURE = Date.UTC(9999, 11, 31);

function questionOf({ query, now }: Call<Asked, unknown>, source: Source) {
  checkPeriod(query, query.timezone === 'site' ? NO_FUTURE : now);
  const { site_id, period, date_from, date_to, filter, segment, currency } = query;
  if (segment !== undefined && source !== 'events')
    throw refused('segment', `can be combined only with metrics of ${SOURCES.events.label}`);
  return {
    site_id,
    period,
    date_from,
    date_to,
    compare: 'none' as const,
    filters: readFilters(filter, source),
    segment,
    currency,
    include_imported: query.include_imported !== 'false',
  };
}

/** Returns the same query with the filters of the segment that it names. */
function within<Asked extends { filters: Filter[]; segment: string | undefined }>(
  { services: { directory }, accountId }: Call<unknown, unknown>,
  asked: Asked,
  { id }: Site,
) {
  return withSegments({ directory, viewer: { kind: 'key', accountId }, siteId: id }, asked);
}

/** Returns the site with the kind of days that the query asks for. */
function siteInDays({ query, now }: Call<Asked, unknown>, site: Site): Site {
  const asked = inDays(site, query);
  checkPeriod(query, now, asked.timezone ?? undefined);
  return asked;
}

type StatsQuery = Asked & { metric: 'pageviews' | 'visitors' | 'both'; limit: number };

export function askStats(call: Call<StatsQuery, unknown>) {
  const { services, query, now } = call;
  const asked = questionOf(call, 'events');
  const metrics: Metric[] = [
    ...(query.metric !== 'visitors' ? (['pageviews'] as const) : []),
    ...(query.metric !== 'pageviews' ? (['unique_visitors'] as const) : []),
  ];
  const list = { dimension: 'page' as const, metrics: ['pageviews' as const], page: 1, per_page: query.limit };
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, asked, site);
    const [pages, ...totals] = await Promise.all([
      services.stats.list({ ...question, ...list }, site, now),
      // One query per metric: the store has a precomputed count for each of them, but not for both together.
      ...metrics.map((metric) => services.stats.totals({ ...question, metrics: [metric] }, site, now)),
    ]);
    const { date_from, date_to } = pages;
    return {
      data: {
        ...Object.assign({}, ...totals.map(({ values }) => values)),
        top_pages: pages.rows.map(({ name, values }) => ({ path: name, views: values.pageviews ?? 0 })),
        date_from,
        date_to,
      },
    };
  };
}

type TimeseriesQuery = Asked & { metrics: Metric[]; interval?: Interval | undefined };

export function askTimeseries(call: Call<TimeseriesQuery, unknown>) {
  const { services, query, now } = call;
  const { metrics, interval } = query;
  const questions = metrics.map((metric) => ({
    ...questionOf(call, sourceOfMetric(metric)),
    metric,
    interval,
    isForChart: false,
  }));
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const series = await Promise.all(
      questions.map(async (question) => services.stats.timeseries(await within(call, question, site), site, now)),
    );
    const [first] = series;
    const zone = first && !isWithinDay(first.interval) ? site.timezone : null;
    const startOf = (time: number) => (zone === null ? time : instantAt(time, zone));
    return {
      data: first?.points.map(({ time }, index) => ({
        time: new Date(startOf(time)).toISOString(),
        ...Object.fromEntries(metrics.map((metric, at) => [metric, series[at]?.points[index]?.value ?? 0])),
      })),
      meta: { interval: first?.interval, date_from: first?.date_from, date_to: first?.date_to },
    };
  };
}

type BreakdownQuery = Asked & {
  dimension: string;
  metrics?: Metric[] | undefined;
  page: number;
  per_page: number;
};

export function askBreakdown(call: Call<BreakdownQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page } = query;
  const dimension = query.dimension as Dimension; // its schema refuses all other names
  const source = sourceOf(dimension);
  const metrics: Metric[] = query.metrics ?? [usualMetric(source)];
  sourceOfQuestion({ metrics, dimension });
  const asked = { ...questionOf(call, source), dimension, metrics };
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, asked, site);
    const found = await services.stats.list({ ...question, page, per_page }, site, now);
    // Rows carry the total, and a page past the end has none.
    const isPastEnd = found.rows.length === 0 && page > 1;
    const { total } = isPastEnd ? await services.stats.list({ ...question, page: 1, per_page: 1 }, site, now) : found;
    const { date_from, date_to } = found;
    return {
      data: found.rows.map(({ name, values }) => ({ [dimension]: name, ...values })),
      meta: { page, per_page, total, date_from, date_to },
    };
  };
}

export function askReading(call: Call<Asked, unknown>) {
  const { services, now } = call;
  const asked = questionOf(call, 'events');
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const { date_from, date_to, reached, ...figures } = await services.stats.reading(
      await within(call, asked, site),
      site,
      now,
    );
    const share = (views: number) => (figures.views === 0 ? 0 : (100 * views) / figures.views);
    return {
      data: { ...figures, reached: reached.map((tenth) => ({ ...tenth, share: share(tenth.views) })) },
      meta: { date_from, date_to },
    };
  };
}

type SearchQuery = Asked & { page: number; per_page: number };

export function askSearchTerms(call: Call<SearchQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page } = query;
  for (const name of Object.keys(query.filter))
    if (!SEARCH_DIMENSIONS.some((one) => one === name))
      throw refused(`filter[${name}]`, `does not apply to search terms, only ${SEARCH_DIMENSIONS.join(', ')}`);
  const asked = questionOf(call, 'events');
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const source = await connectionOf(services.directory, site.id);
    const question = { ...asked, page, per_page };
    const { rows, total, totals, withheld, ...about } = await services.stats.searchTerms(
      question,
      { site, source },
      now,
    );
    return {
      data: rows.map(withoutBefore),
      meta: {
        page,
        per_page,
        total,
        date_from: about.date_from,
        date_to: about.date_to,
        latest_day: about.latest_day,
        totals: withoutBefore(totals),
        withheld: withoutBefore(withheld),
      },
    };
  };
}

const withoutBefore = <Figures extends { before: unknown }>({ before: _, ...figures }: Figures) => figures;

type FunnelQuery = Asked & { funnel_id: string; by?: string | undefined };

export function askFunnel(call: Call<FunnelQuery, unknown>) {
  const { services, query, now } = call;
  const by = query.by as Dimension | undefined; // its schema refuses all other names
  const asked = { ...questionOf(call, 'events'), by };
  if (by !== undefined) checkFunnelDimension(by);
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, { ...asked, site_id: site.id }, site);
    const funnel = await resolveFunnel(services.directory, { siteId: site.id, id: query.funnel_id });
    const [figures, left] = await Promise.all([
      funnelFigures(services.stats, funnel, { question, site, now }),
      services.stats.left(question, toFunnel(funnel), { site, now }),
    ]);
    const { steps, rows, compare: _, date_from, date_to, ...definition } = figures;
    return {
      data: {
        ...definition,
        steps: steps.map((step, index) => ({ ...withoutPrevious(step), left: left[index] ?? null })),
        ...(by !== undefined && {
          breakdown: rows.map(({ name, steps: own }) => ({ [by]: name, steps: own.map(withoutPrevious) })),
        }),
      },
      meta: { date_from, date_to },
    };
  };
}

/** The API compares with nothing. */
const withoutPrevious = <Step extends { previous: unknown }>({ previous: _, ...step }: Step) => step;
