// What a share link can hold its viewers to: the parts of the dashboard that it shows, the days, and the visits.
import { texts } from '../habits/messages.ts';
import { type Dimension, dimensionRow } from '../questions/dimensions.ts';
import type { Operator } from '../questions/operators.ts';
import { type FilterDimension, type PlainDimension, type PlainFilter, sourceOfFilter } from '../questions/segments.ts';
import { FURTHEST_STEP } from '../questions/furthest-step.ts';
import { type Metric, metricRow } from '../numbers/metrics.ts';
import type { AskedPeriod, Range } from '../time/periods.ts';
import { DAY_MS, dayOf, readDay, startOfDay } from '../time/time.ts';
import { dayIn, UTC, wallTime } from '../time/zones.ts';
import type { Arrangement } from './arrangement.ts';

/** The parts of a dashboard that a link can leave out. Figures and their chart are always shown. */
export const PARTS = texts({
  sources: 'Sources',
  pages: 'Pages',
  places: 'Places',
  devices: 'Devices',
  events: 'Events',
  revenue: 'Revenue',
  goals: 'Goals',
  funnels: 'Funnels',
  journeys: 'Journeys',
  week: 'Hours of the week',
  ai: 'AI visits',
  live: 'Live view',
} as const);
export type Part = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as [Part, ...Part[]];

const PART_OF_GROUP = {
  Page: 'pages',
  Source: 'sources',
  Place: 'places',
  Device: 'devices',
  Event: 'events',
  AI: 'ai',
} as const satisfies Record<ReturnType<typeof dimensionRow>['group'], Part>;

/** The part that lists a dimension. */
export function partOfDimension(dimension: PlainDimension): Part {
  if (dimension === FURTHEST_STEP) return 'funnels';
  return dimension === 'goal' ? 'goals' : PART_OF_GROUP[dimensionRow(dimension satisfies Dimension).group];
}

/** The part that a metric belongs to; undefined for the figures of every dashboard. */
export function partOfMetric(metric: Metric): Part | undefined {
  const { counts, unit, isOfGoals } = metricRow(metric);
  if (counts === 'orders' || counts === 'implausible_orders' || unit === 'money') return 'revenue';
  if (counts === 'ai_visits') return 'ai';
  return isOfGoals ? 'goals' : undefined;
}

/** `days`: the last so many full days, and today. `dates`: first and last day. */
export type LinkPeriod = { days: number } | { date_from: string; date_to: string };

/** A filter that a link fixes. `segments`: the filters of each segment that it names, once they are looked up. */
export type FixedFilter = {
  dimension: FilterDimension;
  operator: Operator;
  values: string[];
  segments?: PlainFilter[][];
};

/** Goals and funnels may be changed or deleted, and then a filter that leaves out those who reached one would leave out nobody. */
export const mayBeFixed = ({ dimension }: { dimension: FilterDimension }): boolean =>
  dimension !== 'goal' && dimension !== FURTHEST_STEP && sourceOfFilter(dimension) === 'events';

/** `site`: days are those of the site’s time zone, as members see them. */
export const LINK_DAYS = ['site', 'UTC'] as const;
export type LinkDays = (typeof LINK_DAYS)[number];

/** What a link lets its viewers ask. */
export type LinkRules = {
  filters: FixedFilter[];
  /** Null for any time. */
  period: LinkPeriod | null;
  /** Null for all parts, also those that come with later versions. */
  parts: Part[] | null;
  timezone: LinkDays;
};
export const NO_RULES: LinkRules = { filters: [], period: null, parts: null, timezone: 'site' };

/** No filter narrows these, so a link with filters does not show them. */
const UNFILTERED: readonly Part[] = ['ai', 'live'];

export function showsPart({ parts, filters }: Pick<LinkRules, 'parts' | 'filters'>, part: Part): boolean {
  if (filters.length > 0 && UNFILTERED.includes(part)) return false;
  return parts === null || parts.includes(part);
}

/** The days that a link shows, as wall times of the site. */
export function daysOfLink(period: LinkPeriod, now: number, zone = UTC): Pick<Range, 'from' | 'to'> {
  const today = startOfDay(wallTime(now, zone));
  if ('days' in period) return { from: today - period.days * DAY_MS, to: today + DAY_MS };
  return { from: readDay(period.date_from) ?? today, to: (readDay(period.date_to) ?? today) + DAY_MS };
}

/** All days of a link that have begun. */
export function datesOfLink(period: LinkPeriod, now: number, zone = UTC): AskedPeriod {
  const shown = daysOfLink(period, now, zone);
  const [last, today] = [dayOf(shown.to - DAY_MS), dayIn(zone, now)];
  return { period: 'custom', date_from: dayOf(shown.from), date_to: last < today ? last : today };
}

/** `theme`: null for the viewer's own. `arrangement`: left out, or null in a request, for that of the site. */
export type LinkLooks = { theme: 'light' | 'dark' | null; arrangement?: Arrangement | null | undefined };

/** Most visitors that a number may be withheld for. */
export const MOST_FEWEST = 50;
export const MAX_LINK_DAYS = 3_650;
export const MAX_LINK_NOTE = 500;
/** Websites that may show a link in a frame. */
export const MAX_FRAME_HOSTS = 20;
/** As many as a question may have on top of them. */
export const MAX_FIXED_FILTERS = 10;
