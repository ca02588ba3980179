// Asks the store and shapes the answers. Numbers are the same for dashboard, CSV and API, since all come from here.
import { Refusal } from '../errors.ts';
import { DAY_MS, dayOf, startOfMinute } from '../vocabulary/time.ts';
import type { EventStore } from '../store/open.ts';
import type { Asking, Bound } from '../store/pool.ts';
import { FEWEST, type Sight, inSight } from './small-numbers.ts';
import { askDays, type Day } from './days.ts';
import type { Dimension } from './dimensions.ts';
import type { Metric } from './metrics.ts';
import { openMemo, type VersionOf } from './answer-cache.ts';
import { type Interval, bucketsOf, intervalsOf, nextBucket, possibleIntervals } from '../vocabulary/intervals.ts';
import { type Range, resolveComparison, resolvePeriod, untilNow } from '../vocabulary/periods.ts';
import type { BreakdownQuestion, Filter, SearchQuestion, SummaryQuestion, TimeseriesQuestion } from './query.ts';
import { buildSearch, type Found } from './search.ts';
import { type Scope, type Select, buildCurrencies, buildProperties, buildSelect } from './sql.ts';

export type Stats = {
  summary(question: SummaryQuestion, site: StatsSite, now: number): Promise<Summary>;
  /** `isForChart: false` takes every interval of which a period has a bearable number, not only those that a chart can show. */
  timeseries(
    question: TimeseriesQuestion & { isForChart?: boolean },
    site: StatsSite,
    now: number,
  ): Promise<Timeseries>;
  breakdown(question: BreakdownQuestion, site: StatsSite, now: number): Promise<Breakdown>;
  /** Some metrics of a summary, for who asks for no others. */
  totals(
    question: SummaryQuestion & { metrics: Metric[] },
    site: StatsSite,
    now: number,
  ): Promise<Days & { values: Values }>;
  /** The rows of a breakdown, without what they are shares of and compared with. */
  list(
    question: BreakdownQuestion,
    site: StatsSite,
    now: number,
  ): Promise<Pick<Breakdown, keyof Days | 'rows' | 'total'>>;
  /** Values of all dimensions that hold a text. */
  search(question: SearchQuestion, now: number): Promise<Found[]>;
  /** The keys of custom events' properties, for choosing one to break down by. */
  properties(question: SummaryQuestion, site: StatsSite, now: number): Promise<Properties>;
  /** What was paid in each currency: none is ever converted, and the site's own may not be the one most pay in. */
  currencies(question: SummaryQuestion, site: StatsSite, now: number): Promise<Currencies>;
  /** Each day of a range with its longest lists. */
  days(question: Pick<SummaryQuestion, 'site_id' | 'filters'>, site: StatsSite, range: Range): Promise<Day[]>;
  /** The range that a question is about. */
  range(question: Pick<SummaryQuestion, 'site_id' | 'period' | 'date_from' | 'date_to'>, now: number): Promise<Range>;
  /** Visitors of the last 24 hours and in each of these hours, oldest first. */
  lastDay(siteIds: string[], now: number): Promise<Map<string, { visitors: number; hours: number[] }>>;
  /** Page views and custom events of some sites in a range: what the monthly quota counts. */
  countEvents(siteIds: string[], range: Range): Promise<number>;
  /** Times of a site's first and last event. */
  arrivals(siteId: string): Promise<{ first_event_at: number | null; last_event_at: number | null }>;
  /**
   * The same for somebody: in a lane of the event store, which never holds up another lane for long, and for a viewer of a share link
   * with what the link shows.
   */
  askedBy(asking: Asking, sight?: Sight): Stats;
};

/** What stats need to know of a site: payments up to an amount are added up in its currency, or in the proposed one until it has one. */
export type StatsSite = { currency: string | null; proposed_currency: string | null; max_amount: number };

type Days = { date_from: string; date_to: string };
export type Summary = Days & {
  /** `counted_since`: the first day with data, where the comparison begins before it; later than its end, and there is nothing to compare with. */
  compare: (Days & { counted_since: string | null }) | null;
  currency: string | null;
  /** Nobody has chosen the currency: it is that of the first payment seen. */
  is_currency_proposed: boolean;
  metrics: { name: Metric; value: number; previous: number | null }[];
};
export type Timeseries = Days & {
  interval: Interval;
  intervals: Interval[];
  points: { time: number; value: number }[];
  /** The comparison's points, aligned by index. */
  previous: { time: number; value: number }[] | null;
  /** The last bucket is still running. */
  unfinished: boolean;
};
export type Breakdown = Days & {
  rows: { name: string; values: Values; previous: Values | null }[];
  /** Rows before paging. */
  total: number;
  /** The first metric of the whole question: what a row's share is a share of. */
  sum: number;
};
/** Most events first. */
export type Properties = { keys: { name: string; events: number }[] };
/** Most orders first. */
export type Currencies = { currencies: { currency: string; orders: number; revenue: number }[] };
export type Values = Partial<Record<Metric, number>>;

/** A choice for people: nobody looks through more. */
const MAX_KEYS = 50;
const ALWAYS: Metric[] = ['unique_visitors', 'visits', 'pageviews', 'views_per_visit', 'bounce_rate', 'visit_duration'];
/** Enough to show which currency the payments of a shop are in, and what strangers made up beside it. */
const MAX_CURRENCIES = 6;
/** Shown once there are any. */
const WHERE_ANY: Metric[] = ['events', 'revenue', 'revenue_confirmed', 'orders', 'implausible_orders'];

export function openStats(store: Pick<EventStore, 'query'>, versionOf: VersionOf): Stats {
  return statsOf(store, openMemo(store, versionOf), { asking: {} });
}

type Ask = (select: Select) => Promise<Record<string, string | number>[]>;
type Who = { asking: Asking; sight?: Sight | undefined };

function statsOf(store: Pick<EventStore, 'query'>, memo: ReturnType<typeof openMemo>, { asking, sight }: Who): Stats {
  const query = <Row>(sql: string, bound: Bound) => store.query<Row>(sql, bound, asking);
  const seen = (from: Ask): Ask => (sight ? inSight(from, sight) : from);
  const ask = seen((select) => memo(select.scope, buildSelect(select), asking));
  const totals = async (scope: Scope, metrics: Metric[]) => valuesOf((await ask({ scope, metrics }))[0] ?? {}, metrics);

  const arrivals: Stats['arrivals'] = async (siteId) => {
    const [row] = await query<{ first: string | number; last: string | number; rows: string | number }>(
      `SELECT toUnixTimestamp64Milli(min(time)) AS first, toUnixTimestamp64Milli(max(time)) AS last, count() AS rows
        FROM events WHERE site_id = {site_id:String}`,
      { site_id: siteId },
    );
    return Number(row?.rows ?? 0) === 0
      ? { first_event_at: null, last_event_at: null }
      : { first_event_at: Number(row?.first), last_event_at: Number(row?.last) };
  };

  /** The first day with data, where that is not before a range. */
  const countedSince = async (siteId: string, range: Range): Promise<string | null> => {
    // Remembered until something of these days is stored, which is hardly ever: nearly always they are over.
    const scope = { site_id: siteId, range: { from: 0, to: range.to } };
    const sql = `SELECT count() AS rows, toUnixTimestamp64Milli(min(time)) AS first FROM events
      WHERE site_id = {site_id:String} AND time < fromUnixTimestamp64Milli({to:Int64})`;
    const [row] = await memo(scope, { sql, bound: { site_id: siteId, to: range.to } }, asking);
    const first = Number(row?.['rows'] ?? 0) > 0 ? Number(row?.['first']) : (await arrivals(siteId)).first_event_at;
    return first !== null && first >= range.from + DAY_MS ? dayOf(first) : null;
  };

  const rangeOf: Stats['range'] = async (question, now) =>
    resolvePeriod(
      question,
      now,
      question.period === 'all' ? ((await arrivals(question.site_id)).first_event_at ?? undefined) : undefined,
    );

  const scopeOf = (question: Pick<SummaryQuestion, 'site_id' | 'filters'>, site: StatsSite, range: Range): Scope => ({
    site_id: question.site_id,
    range,
    filters: question.filters,
    currency: currencyOf(site) ?? '',
    max_amount: site.max_amount,
  });

  const rowsOf = (question: BreakdownQuestion, scope: Scope, metrics: Metric[]) => {
    if (question.order && question.order.by !== 'name' && !metrics.includes(question.order.by))
      throw new Refusal('bad_request', 'order: must be by name or by one of the metrics asked for.');
    const { dimension, search, order, page, per_page } = question;
    return ask({ scope, metrics, by: { dimension }, search, order, limit: per_page, offset: (page - 1) * per_page });
  };

  return {
    askedBy: (asking, sight) => statsOf(store, memo, { asking, sight }),
    range: rangeOf,
    arrivals,

    totals: async (question, site, now) => {
      const range = await rangeOf(question, now);
      return { ...daysOf(range), values: await totals(scopeOf(question, site, range), question.metrics) };
    },

    list: async (question, site, now) => {
      const range = await rangeOf(question, now);
      const metrics = [...new Set(question.metrics)];
      const found = await rowsOf(question, scopeOf(question, site, range), metrics);
      const rows = found.map((row) => ({ name: String(row['label']), values: valuesOf(row, metrics), previous: null }));
      return { ...daysOf(range), rows, total: Number(found[0]?.['total'] ?? 0) };
    },

    summary: async (question, site, now) => {
      const range = await rangeOf(question, now);
      const comparison = resolveComparison(range, question.period, question.compare);
      const metrics = summaryMetrics(question);
      const [values, previous, since] = await Promise.all([
        totals(scopeOf(question, site, range), metrics),
        comparison && totals(scopeOf(question, site, untilNow(comparison, range, startOfMinute(now))), metrics),
        comparison ? countedSince(question.site_id, comparison) : null,
      ]);
      const shown = metrics.filter((name) => !WHERE_ANY.includes(name) || values[name] || previous?.[name]);
      return {
        ...daysOf(range),
        compare: comparison ? { ...daysOf(comparison), counted_since: since } : null,
        currency: currencyOf(site),
        is_currency_proposed: site.currency === null && site.proposed_currency !== null,
        metrics: shown.map((name) => ({ name, value: values[name] ?? 0, previous: previous?.[name] ?? null })),
      };
    },

    timeseries: async (question, site, now) => {
      const range = await rangeOf(question, now);
      const comparison = resolveComparison(range, question.period, question.compare);
      const intervals = intervalsOf(range);
      const interval = question.interval ?? intervals[0];
      const taken = question.isForChart === false ? possibleIntervals(range) : intervals;
      if (!taken.includes(interval))
        throw new Refusal('bad_request', `interval: must be one of ${taken.join(', ')} for a period of this length.`);
      const series = async (of: Range, end: number) => {
        const rows = await ask({ scope: scopeOf(question, site, of), metrics: [question.metric], by: { interval } });
        const found = new Map(rows.map((row) => [Number(row['label']), Number(row[question.metric])]));
        return bucketsOf({ from: of.from, to: Math.min(of.to, end) }, interval).map((time) => ({
          time,
          value: found.get(time) ?? 0,
        }));
      };
      // Hours that have not come yet are no zeros: the running bucket is the last one.
      const [points, previous] = await Promise.all([
        series(range, now + 1),
        comparison ? series(comparison, comparison.to) : null,
      ]);
      const last = points.at(-1);
      return {
        ...daysOf(range),
        interval,
        intervals,
        points,
        previous,
        unfinished: last !== undefined && nextBucket(last.time, interval) > now,
      };
    },

    breakdown: async (question, site, now) => {
      const range = await rangeOf(question, now);
      const comparison = resolveComparison(range, question.period, question.compare);
      const scope = scopeOf(question, site, range);
      const metrics = [...new Set(question.metrics)];
      const by: { dimension: Dimension } = { dimension: question.dimension };
      const first = metrics[0] as Metric;
      const [found, whole] = await Promise.all([
        rowsOf(question, scope, metrics),
        totals(scope, summaryMetrics(question)),
      ]);
      const labels = found.map((row) => String(row['label']));
      const before =
        comparison && labels.length > 0
          ? await ask({
              scope: scopeOf(question, site, untilNow(comparison, range, startOfMinute(now))),
              metrics,
              by,
              labels,
              limit: labels.length,
            })
          : undefined;
      const previous = new Map(before?.map((row) => [String(row['label']), valuesOf(row, metrics)]));
      return {
        ...daysOf(range),
        rows: found.map((row) => ({
          name: String(row['label']),
          values: valuesOf(row, metrics),
          previous: comparison ? (previous.get(String(row['label'])) ?? valuesOf({}, metrics)) : null,
        })),
        total: Number(found[0]?.['total'] ?? 0),
        sum: whole[first] ?? 0,
      };
    },

    search: async ({ site_id, search, whole, ...period }, now) => {
      const range = await rangeOf({ site_id, ...period }, now);
      const rows = await memo(
        { site_id, range },
        buildSearch({
          site_id,
          range,
          text: search,
          whole,
          // A text narrows any list down, as a filter does.
          leastVisitors: sight && !sight.few ? FEWEST : 0,
          hasProperties: !sight || sight.properties,
        }),
        asking,
      );
      return rows.map(({ dimension, label, visitors }) => ({
        dimension: String(dimension) as Dimension,
        name: String(label),
        visitors: Number(visitors),
      }));
    },

    properties: async (question, site, now) => {
      if (sight && !sight.properties) return { keys: [] };
      const scope = scopeOf(question, site, await rangeOf(question, now));
      // Where too few match, nothing is said of them.
      if (sight && question.filters.length > 0 && (await ask({ scope, metrics: ['pageviews'] })).length === 0)
        return { keys: [] };
      const rows = await memo(scope, buildProperties(scope, MAX_KEYS), asking);
      return { keys: rows.map((row) => ({ name: String(row['label']), events: Number(row['events']) })) };
    },

    currencies: async (question, site, now) => {
      if (sight) return { currencies: [] }; // most rows are single orders
      const scope = scopeOf(question, site, await rangeOf(question, now));
      const rows = await memo(scope, buildCurrencies(scope, MAX_CURRENCIES), asking);
      return {
        currencies: rows.map((row) => ({
          currency: String(row['label']),
          orders: Number(row['orders']),
          revenue: Number(row['revenue']),
        })),
      };
    },

    // Not remembered: an export is asked for once, and is larger than all other answers together.
    days: (question, site, range) =>
      askDays(
        seen((select) => {
          const { sql, bound } = buildSelect(select);
          return query(sql, bound);
        }),
        scopeOf(question, site, range),
      ),

    lastDay: async (siteIds, now) => {
      const rows = await query<{
        site_id: string;
        hour: string | number;
        visitors: string | number;
        whole: string | number;
      }>(
        `SELECT site_id, if(grouping(hour_ago) = 1, -1, hour_ago) AS hour, uniqExact(visitor_id) AS visitors
        FROM (
          SELECT site_id, visitor_id, intDiv(toUnixTimestamp64Milli(time) - {from:Int64}, 3600000) AS hour_ago FROM events
          WHERE site_id IN {sites:Array(String)} AND visitor_id != 0
            AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
        )
        GROUP BY GROUPING SETS ((site_id, hour_ago), (site_id))`,
        { sites: siteIds, from: now - 24 * 3_600_000, to: now + 1 },
      );
      const days = new Map(siteIds.map((id) => [id, { visitors: 0, hours: Array.from({ length: 24 }, () => 0) }]));
      for (const row of rows) {
        const day = days.get(row.site_id);
        if (!day) continue;
        if (Number(row.hour) === -1) day.visitors = Number(row.visitors);
        else day.hours[Math.min(23, Number(row.hour))] = Number(row.visitors);
      }
      return days;
    },

    countEvents: async (siteIds, range) => {
      const [row] = await query<{ events: string | number }>(
        `SELECT countIf(name != 'engagement') AS events FROM events
          WHERE site_id IN {sites:Array(String)} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})`,
        { sites: siteIds, ...range },
      );
      return Number(row?.events ?? 0);
    },
  };
}

/** One list for all totals, so that tiles and panels share one answer. */
function summaryMetrics(question: { filters: Filter[]; metrics?: Metric[] }): Metric[] {
  const ofAi =
    question.metrics?.includes('ai_visits') || question.filters.some((filter) => filter.dimension.startsWith('ai_'));
  return ofAi ? ['ai_visits'] : [...ALWAYS, ...WHERE_ANY];
}

function valuesOf(row: Record<string, string | number>, metrics: Metric[]): Values {
  return Object.fromEntries(metrics.map((metric) => [metric, Number(row[metric] ?? 0)]));
}

function currencyOf(site: StatsSite): string | null {
  return site.currency ?? site.proposed_currency;
}

function daysOf(range: Range): Days {
  return { date_from: dayOf(range.from), date_to: dayOf(range.to - 1) };
}
