// What all requests for the numbers of a site have in common: the period, its comparison, the filters and the kind of days.
import { inDays, type Site } from '../../sites/sites.ts';
import type { Filter } from '../../stats/query.ts';
import { type Interval, isWithinDay } from '../../vocabulary/time/intervals.ts';
import type { Comparison, Period } from '../../vocabulary/time/periods.ts';
import { instantAt } from '../../vocabulary/time/zones.ts';
import { type Source, SOURCES } from '../../vocabulary/questions/sources.ts';
import { withSegments } from '../dashboard/segments.ts';
import type { Call } from './operations.ts';
import { checkPeriod, readFilters, refused } from './params.ts';

export type Asked = {
  site_id: string;
  period: Period;
  date_from?: string | undefined;
  date_to?: string | undefined;
  compare?: Comparison;
  compare_from?: string | undefined;
  compare_to?: string | undefined;
  versus?: string | undefined;
  timezone: 'UTC' | 'site';
  include_imported?: 'true' | 'false' | undefined;
  filter: Record<string, string>;
  filters?: Filter[] | undefined;
  segment?: string | undefined;
  currency?: string | undefined;
};
/** The site's zone, and so its current day, is unknown until the site is looked up. Until then no date counts as in the future. */
const NO_FUTURE = Date.UTC(9999, 11, 31);

export function questionOf({ query, now }: Call<Asked, unknown>, source: Source) {
  checkPeriod(query, query.timezone === 'site' ? NO_FUTURE : now);
  const { site_id, period, date_from, date_to, compare = 'none', compare_from, compare_to, currency } = query;
  const { segment, versus } = query;
  for (const [name, id] of Object.entries({ segment, versus }))
    if (id !== undefined && source !== 'events')
      throw refused(name, `can be combined only with metrics of ${SOURCES.events.label}`);
  return {
    site_id,
    period,
    date_from,
    date_to,
    compare,
    compare_from,
    compare_to,
    filters: readFilters(query, source),
    segment,
    versus,
    currency,
    include_imported: query.include_imported !== 'false',
  };
}

export const isCompared = ({ compare = 'none', versus }: Asked): boolean => compare !== 'none' || versus !== undefined;

type Named = { filters: Filter[]; segment: string | undefined; versus: string | undefined };

/** Returns the same query with the filters of the segments that it names. */
export function within<Question extends Named>(
  { services: { directory }, accountId }: Call<unknown, unknown>,
  asked: Question,
  { id }: Site,
) {
  return withSegments({ directory, viewer: { kind: 'key', accountId }, siteId: id }, asked);
}

/** Returns the site with the kind of days that the query asks for. */
export function siteInDays({ query, now }: Call<Asked, unknown>, site: Site): Site {
  const asked = inDays(site, query);
  checkPeriod(query, now, asked.timezone ?? undefined);
  return asked;
}

/** Returns the instant at which a bucket starts: days, weeks and months are given in the time of the site's zone. */
export const startsIn =
  ({ timezone }: Site, interval: Interval) =>
  (time: number): string =>
    new Date(timezone === null || isWithinDay(interval) ? time : instantAt(time, timezone)).toISOString();
