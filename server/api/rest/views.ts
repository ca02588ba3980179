// The hours of the week, journeys and AI visits: numbers that the dashboard draws in ways of their own.
import type { Site } from '../../sites/sites.ts';
import type { JourneyDirection, JourneyStart } from '../../vocabulary/questions/journeys.ts';
import { type Metric, sourceOfMetric } from '../../vocabulary/numbers/metrics.ts';
import { stepStart, type Vital, VITAL_NAMES, type VitalsSplit } from '../../vocabulary/numbers/vitals.ts';
import type { ErrorKind } from '../../vocabulary/event.ts';
import type { ErrorsQuestion, VitalsListQuestion } from '../../stats/query.ts';
import type { VitalsFigures, VitalsHistogram, VitalsOverview } from '../../stats/vitals/vitals.ts';
import type { Interval } from '../../vocabulary/time/intervals.ts';
import { isoOf } from '../../vocabulary/time/time.ts';
import { journeyFrom, regroupBy } from '../journeys.ts';
import { type Asked, isCompared, questionOf, siteInDays, startsIn, within } from './asked.ts';
import type { Call, Result } from './operations.ts';
import { orderOf } from './params.ts';

type WeekQuery = Asked & { metrics: Metric[] };

export function askWeek(call: Call<WeekQuery, unknown>) {
  const { services, query, now } = call;
  const { metrics } = query;
  const questions = metrics.map((metric) => ({ ...questionOf(call, sourceOfMetric(metric)), metric }));
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const weeks = await Promise.all(
      questions.map(async (question) => services.stats.week(await within(call, question, site), site, now)),
    );
    const [first] = weeks;
    return {
      data: first?.cells.map((_, cell) => ({
        weekday: Math.floor(cell / 24) + 1,
        hour: cell % 24,
        ...Object.fromEntries(metrics.map((metric, at) => [metric, weeks[at]?.cells[cell] ?? 0])),
      })),
      meta: { date_from: first?.date_from, date_to: first?.date_to },
    };
  };
}

type VitalsQuery = Asked & {
  dimension: VitalsSplit;
  search?: string | undefined;
  order?: string | undefined;
  interval?: Interval | undefined;
  histogram?: Vital | undefined;
  page: number;
  per_page: number;
};

export function askVitals(call: Call<VitalsQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page, search, dimension: split, interval, histogram: vital } = query;
  const order = orderOf<NonNullable<VitalsListQuestion['order']>>(query.order);
  const { currency: _, ...asked } = questionOf(call, 'events');
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, asked, site);
    const [overview, list, spread] = await Promise.all([
      services.stats.vitals({ ...question, interval }, site, now),
      services.stats.vitalsList({ ...question, split, search, order, page, per_page }, site, now),
      vital && services.stats.vitalsHistogram({ ...question, vital }, site, now),
    ]);
    const withPrevious = (figures: VitalsFigures, earlier: VitalsFigures | null) => ({
      ...vitalsOf(figures),
      ...(isCompared(query) && { previous: earlier && vitalsOf(earlier) }),
    });
    return {
      data: list.rows.map(({ name, before: earlier, ...row }) => ({ [split]: name, ...withPrevious(row, earlier) })),
      meta: {
        page,
        per_page,
        total: list.total,
        date_from: list.date_from,
        date_to: list.date_to,
        totals: withPrevious(overview.totals, overview.before),
        ...(interval && { interval, series: seriesOf(overview, site) }),
        ...(vital && spread && { histogram: { vital, steps: stepsOf(vital, spread) } }),
      },
    };
  };
}

type ErrorsQuery = Asked & {
  kind?: ErrorKind | undefined;
  search?: string | undefined;
  order?: string | undefined;
  page: number;
  per_page: number;
};

export function askErrors(call: Call<ErrorsQuery, unknown>) {
  const { services, query, now } = call;
  const { page, per_page, search, kind } = query;
  const order = orderOf<NonNullable<ErrorsQuestion['order']>>(query.order);
  const { currency: _, ...asked } = questionOf(call, 'events');
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const question = await within(call, asked, site);
    const answer = await services.stats.errors({ ...question, kind, search, order, page, per_page }, site, now);
    const { rows, totals, before, times, ...meta } = answer;
    return {
      data: rows.map(({ first_seen, last_seen, ...row }) => ({
        ...row,
        first_seen: isoOf(first_seen),
        last_seen: new Date(last_seen).toISOString(),
      })),
      meta: {
        page,
        per_page,
        ...meta,
        times: times.map(startsIn(site, answer.interval)),
        totals: { ...totals, ...(isCompared(query) && { previous: before }) },
      },
    };
  };
}

/** Each vital under its name, and the shares of its values, in per cent. */
function vitalsOf(figures: VitalsFigures) {
  const values = VITAL_NAMES.map((vital) => [vital, figures[vital].p75]);
  const shares = VITAL_NAMES.map((vital) => {
    const { good, needs_improvement, poor } = figures[vital];
    return [vital, { good, needs_improvement, poor }];
  });
  return { views: figures.views, ...Object.fromEntries(values), shares: Object.fromEntries(shares) };
}

const seriesOf = ({ points, interval }: VitalsOverview, site: Site) => {
  const startOf = startsIn(site, interval);
  return points.map(({ time, ...figures }) => ({ time: startOf(time), ...figures }));
};

/** The last step has everything beyond. */
const stepsOf = (vital: Vital, { counts }: VitalsHistogram) =>
  counts.map((views, index) => ({ from: stepStart(vital, index), views }));

type JourneyQuery = Asked & { start: string; direction: JourneyDirection; steps: number };

export function askJourney(call: Call<JourneyQuery, unknown>) {
  const { services, query, now } = call;
  const { direction, steps } = query;
  const at = query.start.indexOf(':');
  // its schema refuses all other kinds
  const start = { kind: query.start.slice(0, at), value: query.start.slice(at + 1) } as JourneyStart;
  const asked = { ...questionOf(call, 'events'), start, direction, steps };
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const viewer = { kind: 'key', accountId: call.accountId } as const;
    const from = await journeyFrom({ directory: services.directory, viewer, siteId: site.id }, start);
    const question = { ...(await within(call, asked, site)), from, regroup: regroupBy(site) };
    const { branches, date_from, date_to } = await services.stats.journey(question, site, now);
    return { data: branches, meta: { start: query.start, direction, date_from, date_to } };
  };
}

type AiQuery = Asked & { interval?: Interval | undefined };

export function askAiVisits(call: Call<AiQuery, unknown>) {
  const { services, query, now } = call;
  const { segment: _, versus: __, ...asked } = { ...questionOf(call, 'ai_visits'), interval: query.interval };
  return async (named: Site): Promise<Result> => {
    const site = siteInDays(call, named);
    const [{ by_provider, new_agents, date_from, date_to }, series] = await Promise.all([
      services.stats.aiOverTime(asked, site, now),
      services.stats.aiSeries(asked, site, now),
    ]);
    const startOf = startsIn(site, series.interval);
    return {
      data: {
        providers: by_provider.map(({ provider, read, sent, previous }) => ({
          ai_provider: provider,
          ...exchanged({ read, sent }),
          ...(isCompared(query) && { previous: previous && exchanged(previous) }),
        })),
        series: series.points.map(({ time, total, by }) => ({
          time: startOf(time),
          ai_visits: total,
          by: series.providers.map((ai_provider, index) => ({ ai_provider, ai_visits: by[index] ?? 0 })),
        })),
        new_agents: new_agents.map(({ agent, first_seen }) => ({
          ai_agent: agent,
          first_seen: new Date(first_seen).toISOString(),
        })),
      },
      meta: { interval: series.interval, date_from, date_to },
    };
  };
}

/** Pages that a provider read, and visits that its assistants sent. API keys see everything, so `sent` is never withheld. */
const exchanged = ({ read, sent }: { read: number; sent: number | null }) => ({ ai_visits: read, visits: sent ?? 0 });
