// The stats of the API, computed by the same functions as the dashboard's.
import { resolveFunnel } from '../../sites/definitions/funnels.ts';
import { sourceOfQuestion } from '../../stats/sql/combination.ts';
import { type Dimension, sourceOf } from '../../vocabulary/questions/dimensions.ts';
import { type Metric, sourceOfMetric, usualMetric } from '../../vocabulary/numbers/metrics.ts';
import type { Interval } from '../../vocabulary/time/intervals.ts';
import type { Site } from '../../sites/sites.ts';
import type { BreakdownQuestion, SearchTermsQuestion } from '../../stats/query.ts';
import { connectionOf } from '../../integrations/search-console/connections.ts';
import { SEARCH_DIMENSIONS } from '../../vocabulary/settings/search-console.ts';
import { type Asked, isCompared, questionOf, siteInDays, startsIn, within } from './asked.ts';
import { orderOf, refused } from './params.ts';
import { checkFunnelDimension } from '../../stats/funnels/funnel.ts';
import { funnelFigures, toFunnel } from '../funnels.ts';
import type { Call, Result } from './operations.ts';

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
    if (!first) return { data: [] }; // its schema refuses an empty list of metrics
    const startOf = startsIn(site, first.interval);
    const stepsOf = (which: 'points' | 'previous') =>
      first[which]?.map(({ time }, index) => ({
        time: startOf(time),
        ...Object.fromEntries(metrics.map((metric, at) => [metric, valueAt(series[at]?.[which]?.[index])])),
      })) ?? null;
    return {
      data: stepsOf('points'),
      ...(isCompared(query) && { previous: stepsOf('previous') }),
      meta: { interval: first.interval, date_from: first.date_from, date_to: first.date_to },
    };
  };
}

/** Null: imported days that do not tell it. */
const valueAt = (point: { value: number | null } | undefined): number | null => (point ? point.value : 0);

type BreakdownQuery = Asked & {
  dimension: string;
  metrics?: Metric[] | undefined;
  search?: string | undefined;
  order?: string | undefined;
  page: number;
  per_page: number;
};

export function askBreakdown(call: Call<BreakdownQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page, search } = query;
  const dimension = query.dimension as Dimension; // its schema refuses all other names
  const source = sourceOf(dimension);
  const metrics: Metric[] = query.metrics ?? [usualMetric(source)];
  sourceOfQuestion({ metrics, dimension });
  const order = orderOf<NonNullable<BreakdownQuestion['order']>>(query.order);
  const asked = { ...questionOf(call, source), dimension, metrics, search, order };
  const ask = isCompared(query) ? services.stats.breakdown : services.stats.list;
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, asked, site);
    const found = await ask({ ...question, page, per_page }, site, now);
    // Rows carry the total, and a page past the end has none.
    const isPastEnd = found.rows.length === 0 && page > 1;
    const { total } = isPastEnd ? await services.stats.list({ ...question, page: 1, per_page: 1 }, site, now) : found;
    const { date_from, date_to } = found;
    return {
      data: found.rows.map(({ name, values, previous }) => ({
        [dimension]: name,
        ...values,
        ...(isCompared(query) && { previous }),
      })),
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

type SearchQuery = Asked & { search?: string | undefined; order?: string | undefined; page: number; per_page: number };

export function askSearchTerms(call: Call<SearchQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page, search } = query;
  const given = [
    ...Object.keys(query.filter).map((name) => ({ name, field: `filter[${name}]` })),
    ...(query.filters ?? []).map(({ dimension }) => ({ name: dimension, field: 'filters' })),
  ];
  for (const { name, field } of given)
    if (!SEARCH_DIMENSIONS.some((one) => one === name))
      throw refused(field, `does not apply to search terms, only ${SEARCH_DIMENSIONS.join(', ')}`);
  const order = orderOf<NonNullable<SearchTermsQuestion['order']>>(query.order);
  const asked = { ...questionOf(call, 'events'), search, order };
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const source = await connectionOf(services.directory, site.id);
    const question = { ...(await within(call, asked, site)), page, per_page };
    const figures = isCompared(query) ? withPrevious : withoutBefore;
    const { rows, total, totals, withheld, ...about } = await services.stats.searchTerms(
      question,
      { site, source },
      now,
    );
    return {
      data: rows.map(figures),
      meta: {
        page,
        per_page,
        total,
        date_from: about.date_from,
        date_to: about.date_to,
        latest_day: about.latest_day,
        totals: figures(totals),
        withheld: figures(withheld),
      },
    };
  };
}

const withPrevious = <Before, Figures extends { before: Before }>({ before, ...figures }: Figures) => ({
  ...figures,
  previous: before,
});

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
    const stepOf = isCompared(query) ? <Step>(step: Step) => step : withoutPrevious;
    return {
      data: {
        ...definition,
        steps: steps.map((step, index) => ({ ...stepOf(step), left: left[index] ?? null })),
        ...(by !== undefined && {
          breakdown: rows.map(({ name, steps: own }) => ({ [by]: name, steps: own.map((step) => stepOf(step)) })),
        }),
      },
      meta: { date_from, date_to },
    };
  };
}

const withoutPrevious = <Step extends { previous: unknown }>({ previous: _, ...step }: Step) => step;
