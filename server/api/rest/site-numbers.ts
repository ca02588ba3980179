// The numbers of a site for the command line. Each list is the answer of `/v1` to the same question, in the days of the site.
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { measuresVitals, recordsErrors } from '../../sites/settings.ts';
import { type Site, siteByDomain, toPublicSite } from '../../sites/sites.ts';
import type { Summary } from '../../stats/answers/summary.ts';
import type { ErrorFigures } from '../../stats/errors/answers.ts';
import type { VitalsFigures } from '../../stats/vitals/vitals.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import type { Interval } from '../../vocabulary/time/intervals.ts';
import type { Metric } from '../../vocabulary/numbers/metrics.ts';
import { NAMED_COMPARISONS } from '../../vocabulary/time/periods.ts';
import { LIST_NAMES, type ListName, PRINTED_LISTS } from '../../vocabulary/numbers/printed-lists.ts';
import type { Call } from './operations.ts';
import { readArguments, readFilters } from './params.ts';
import { anyPeriod, filter } from './requests.ts';
import { askBreakdown, askStats, askTimeseries } from './stats.ts';
import type { Services } from '../trpc.ts';

/** Rows of each list. */
const ROWS = 10;

const fields = z.strictObject({ ...anyPeriod, compare: z.enum(NAMED_COMPARISONS).default('previous'), filter });

export type SiteNumbers = {
  site: ReturnType<typeof toPublicSite>;
  /** The zone of the site's days. */
  timezone: string;
  summary: Summary;
  stats: { data: Record<string, unknown> };
  timeseries: {
    data: ({ time: string } & Partial<Record<Metric, number>>)[];
    meta: { interval: Interval; date_from: string; date_to: string };
  };
  /** How fast pages felt; undefined for a site that is not measured. */
  vitals?: VitalsFigures;
  /** Undefined for a site that does not record them. */
  errors?: ErrorFigures;
  /** AI visits have no dimension in common with people, so a filter leaves their list out. */
  breakdowns: Partial<Record<ListName, { data: Record<string, string | number>[]; meta: { total: number } }>>;
};

/** Throws not_found for a domain without a site, and the bad_request of `/v1` for a wrong period or filter. */
export async function siteNumbers(
  services: Services,
  { domain, ...given }: { domain: string } & Record<string, unknown>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<SiteNumbers> {
  const query = readArguments(given, fields);
  const site = await siteByDomain(services.directory, domain);
  if (!site)
    throw new Refusal('not_found', t('There is no site {domain}: create it first, with "site create".', { domain }));
  const stats = services.stats.askedBy({ lane: site.account_id, signal });
  const call = <Query>(more: Query): Call<Omit<typeof query, 'compare'> & Query & Asked, unknown> => {
    const { compare: _, ...asked } = query;
    return { ...callOf(services, site, now), services: { ...services, stats }, query: { ...asked, ...more, ...own } };
  };
  const own: Asked = { site_id: site.id, timezone: 'site' };
  const { period, date_from, date_to, compare } = query;
  const summaryAsked = { site_id: site.id, period, date_from, date_to, compare };
  const filters = readFilters(query, 'events');
  const vitals = measuresVitals(site.settings)
    ? (await stats.vitals({ ...summaryAsked, compare: 'none', filters }, site, now)).totals
    : undefined;
  const errors = recordsErrors(site.settings)
    ? (await stats.errors({ ...summaryAsked, compare: 'none', filters, page: 1, per_page: 1 }, site, now)).totals
    : undefined;
  const names = LIST_NAMES.filter((name) => name !== 'ai_agent' || Object.keys(query.filter).length === 0);
  const [summary, totals, timeseries, ...lists] = await Promise.all([
    stats.summary({ ...summaryAsked, filters }, site, now),
    askStats(call({ metric: 'both' as const, limit: 100 }))(site),
    askTimeseries(call({ metrics: ['unique_visitors', 'pageviews'] as Metric[] }))(site),
    ...names.map((dimension) =>
      askBreakdown(
        call({ dimension, metrics: [PRINTED_LISTS[dimension].metric] as Metric[], page: 1, per_page: ROWS }),
      )(site),
    ),
  ]);
  return {
    site: toPublicSite(site, now),
    timezone: site.timezone ?? 'UTC',
    summary,
    stats: totals,
    timeseries,
    ...(vitals && { vitals }),
    ...(errors && { errors }),
    breakdowns: Object.fromEntries(names.map((name, index) => [name, lists[index]])),
  } as SiteNumbers; // the answers of `/v1` are typed by their schemas, not by the functions
}

type Asked = { site_id: string; timezone: 'site' };

/** The operator may read every site. */
function callOf(services: Services, site: Site, now: number): Omit<Call<unknown, unknown>, 'query'> {
  const read = () => Promise.resolve(site);
  return {
    services,
    accountId: site.account_id,
    now,
    body: undefined,
    idempotencyKey: undefined,
    readSite: read,
    siteOf: read,
  };
}
