// The view that a question means: what a dashboard's address says, and what a request to the API asks.
import { isCountOf } from './metric-words.ts';
import { listedMetric, type Metric, metricRow, sourceOfMetric } from '../numbers/metrics.ts';
import { type Dimension, dimensionRow, sourceOf } from '../questions/dimensions.ts';
import { ALL_VISITORS, type FilterDimension, SEGMENT, sourceOfFilter } from '../questions/segments.ts';
import type { Filter } from '../questions/view-address.ts';
import type { Interval } from '../time/intervals.ts';
import type { AskedPeriod, ComparedDates, Comparison } from '../time/periods.ts';
import { askedPeriod, type Span, yearBefore } from './dates.ts';
import { asOfAi, type Read, type Taken } from './grammar.ts';
import type { SiteNames } from './meanings.ts';
import { DAY_MS, dayOf } from '../time/time.ts';

export type AskedView = AskedPeriod &
  ComparedDates & {
    compare: Comparison;
    versus?: string;
    segment?: string;
    filters: Filter[];
    /** The chart's metric first; none for the usual one. */
    metrics: Metric[];
    /** The dimension that is listed. */
    by?: Dimension;
    /** The list begins with the fewest. */
    isAscending?: true;
    interval?: Interval;
  };

/** The period and the comparison of a question that names none. */
export type Shown = AskedPeriod & ComparedDates & { compare: Comparison };

type Place = { today: number; names: SiteNames; shown: Shown };

export function viewOf({ taken, isOfAi, isAscending, between }: Read, place: Place): AskedView {
  const time = timeOf(taken, place);
  if (isOfAi) keepToAi(taken);
  const filters = filtersOf(taken, place.names);
  const metrics = metricsOf(taken, { filters, isOfAi });
  const by = dimensionOf(taken, isOfAi) ?? (between === 'page' && isOfAi ? 'ai_page' : between);
  if (by) checkListed(taken, { by, filters, metrics });
  const interval = taken.find((one) => one.kind === 'interval')?.interval;
  const segment = only(taken, 'segment')?.id;
  const versus = only(taken, 'versus')?.id;
  return {
    ...time,
    filters,
    metrics,
    ...(segment !== undefined && segment !== ALL_VISITORS && { segment }),
    ...(versus !== undefined && { versus }),
    ...(by && { by }),
    ...(isAscending && by && { isAscending }),
    ...(interval && { interval }),
  };
}

type OfKind<Kind extends Taken['kind']> = Extract<Taken, { kind: Kind }>;
const counting = <Kind extends Taken['kind']>(taken: readonly Taken[], kind: Kind): OfKind<Kind>[] =>
  taken.filter((one): one is OfKind<Kind> => one.kind === kind && one.problem === undefined);

/** The first of a kind. Further ones do not count, and say so. */
function only<Kind extends Taken['kind']>(taken: readonly Taken[], kind: Kind): OfKind<Kind> | undefined {
  const [first, ...others] = counting(taken, kind);
  for (const one of others) one.problem = ONLY_ONE[kind] ?? 'Only the first one counts';
  return first;
}
const ONLY_ONE: Partial<Record<Taken['kind'], string>> = {
  period: 'Only one period can be shown. Write “vs” between two to compare them',
  compared: 'Only one period can be compared with',
  segment: 'Only one segment can be chosen',
};

type Time = AskedPeriod & ComparedDates & { compare: Comparison };

function timeOf(taken: Taken[], { today, shown }: Place): Time {
  const asked = only(taken, 'period');
  const compared = only(taken, 'compared');
  const comparison = taken.find((one) => one.kind === 'comparison')?.compare;
  const own = asked && askedPeriod(asked.span, today);
  if (asked && !own) asked.problem = 'These days are still to come, or before 2000';
  const named = comparison && { compare: comparison };
  if (!compared) return { ...(own ? { ...own, compare: 'previous' as const } : shown), ...named };
  const span = own ? asked?.span : counterpart(compared.span, today);
  const main = own ?? (span && askedPeriod(span, today)) ?? shown;
  const before = askedPeriod({ from: compared.span.from, to: compared.span.to }, today);
  if (!before?.date_from || !before.date_to) {
    compared.problem = 'These days are still to come, or before 2000';
    return { ...main, compare: 'previous' };
  }
  const near = span && comparisonBetween(span, compared.span, today);
  if (near) return { ...main, compare: near };
  if (main.period === '60m' || main.period === '24h') {
    compared.problem = 'Only periods of whole days can be compared with other days';
    return { ...main, compare: 'previous' };
  }
  return { ...main, compare: 'custom', compare_from: before.date_from, compare_to: before.date_to };
}

/** "Compared to last week", without a period of its own, is about this week. */
function counterpart({ from, to }: Span, today: number): Span | undefined {
  const days = (to - from) / DAY_MS;
  const next = { from: to, to: to + (to - from) };
  if (to > today) return undefined;
  if (days === 1 || days === 7)
    return next.from <= today && next.to > today ? { ...next, to: Math.min(next.to, today + DAY_MS) } : undefined;
  const isMonth = dayOf(from).endsWith('-01') && days >= 28 && days <= 31;
  const isYear = dayOf(from).endsWith('-01-01') && days >= 365 && days <= 366;
  if (to > today || !(isMonth || isYear)) return undefined;
  const isLast = dayOf(to).slice(0, isYear ? 4 : 7) === dayOf(today).slice(0, isYear ? 4 : 7);
  return isLast ? { from: to, to: today + DAY_MS, name: isYear ? 'year' : 'month' } : undefined;
}

/** A comparison that has a name compares an unfinished period with the same part of the one before. */
function comparisonBetween(span: Span, other: Span, today: number): Comparison | undefined {
  const isRunning = span.to > today;
  const lastYear = yearBefore(span);
  if (other.from === lastYear.from && (other.to === lastYear.to || span.name === 'year'))
    return span.name === 'year' ? 'previous' : 'year';
  // "October vs last year": the same days of that year.
  const isWholeYear = dayOf(other.from).endsWith('-01-01') && other.to - other.from >= 365 * DAY_MS;
  if (isWholeYear && lastYear.from >= other.from && lastYear.to <= other.to && span.to - span.from < 365 * DAY_MS)
    return 'year';
  if (other.to !== span.from) return undefined;
  if (span.name === 'month' || span.name === 'today' || span.name === 'yesterday' || span.name === 'last_month')
    return 'previous';
  if (isRunning && other.to - other.from === 7 * DAY_MS && span.to - span.from <= 7 * DAY_MS) return 'weekdays';
  return other.to - other.from === span.to - span.from ? 'previous' : undefined;
}

/** Filters that AI visits do not have say so; the others become those of AI visits. */
function keepToAi(taken: Taken[]): void {
  for (const one of taken) {
    if (one.kind !== 'filter' || one.problem) continue;
    const all = one.all.map(asOfAi);
    const missing = one.all.find((_, at) => all[at] === undefined);
    if (missing) one.problem = `AI visits have no ${labelOf(missing.dimension)}`;
    else one.all = all.flatMap((value) => value ?? []);
  }
}

const labelOf = (dimension: FilterDimension): string =>
  sourceOfFilter(dimension) && dimension !== SEGMENT && dimension !== 'furthest_step'
    ? dimensionRow(dimension).label.toLowerCase()
    : 'segment';

/** The values of one dimension and operator are one filter. */
function filtersOf(taken: readonly Taken[], names: SiteNames): Filter[] {
  const filters: Filter[] = [];
  for (const { operator, all } of counting(taken, 'filter'))
    for (const { dimension, value } of all) {
      const values = dimension === 'language' ? withRegions(value, names) : [value];
      const same = filters.find((one) => one.dimension === dimension && one.operator === operator);
      if (same) same.values.push(...values.filter((one) => !same.values.includes(one)));
      else filters.push({ dimension, operator, values });
    }
  return filters;
}

/** A language is stored with the region of its reader: German is de, de-DE and de-AT. */
const withRegions = (code: string, { values }: SiteNames): string[] => [
  code,
  ...(values.language ?? []).filter((one) => one.startsWith(`${code}-`)),
];

function metricsOf(taken: Taken[], { filters, isOfAi }: { filters: readonly Filter[]; isOfAi: boolean }): Metric[] {
  const names = (dimension: Dimension) =>
    filters.some((filter) => filter.dimension === dimension && filter.operator === 'is');
  for (const one of taken) {
    if (one.kind === 'rate') {
      if (names('goal')) Object.assign(one, { kind: 'metric', metric: 'conversion_rate' });
      else one.problem = names('event') ? 'Make a goal of the event to see its rate' : 'Name a goal to see its rate';
    }
    if (one.kind === 'metric' && isOfAi && one.metric !== 'ai_visits') {
      if (!isCountOf(one.metric)) one.problem = `AI visits have no ${metricRow(one.metric).label.toLowerCase()}`;
      else {
        if (one.metric === 'unique_visitors') one.isGuess = true;
        one.metric = 'ai_visits';
      }
    }
  }
  const asked = [...new Set(counting(taken, 'metric').flatMap(({ metric, isAside }) => (isAside ? [] : metric)))];
  // "Signup conversion rate", "signup rate": one figure in two words.
  const metrics = asked.includes('conversion_rate') ? asked.filter((name) => name !== 'conversions') : asked;
  if (metrics.length > 0) return metrics;
  if (isOfAi) return ['ai_visits'];
  return names('goal') ? ['conversions'] : names('event') ? ['events'] : [];
}

/** "Pages with most exits" are exit pages: the narrower of two. */
const NARROWER: Partial<Record<Dimension, readonly Dimension[]>> = {
  page: ['entry_page', 'exit_page', 'ai_page'],
  browser: ['browser_version'],
  os: ['os_version'],
  utm_campaign: ['utm_source', 'utm_medium', 'utm_content', 'utm_term'],
};

function dimensionOf(taken: Taken[], isOfAi: boolean): Dimension | undefined {
  let by: (Taken & { kind: 'dimension' }) | undefined;
  const all = counting(taken, 'dimension');
  for (const one of all) {
    // "Anthropic’s bots by page": whose visits they are, and then what is listed.
    if (one.dimension === 'ai_agent' && !one.isBy && all.some(({ isBy }) => isBy)) continue;
    if (isOfAi && one.dimension === 'page') one.dimension = 'ai_page';
    if (isOfAi && sourceOf(one.dimension) !== 'ai_visits') one.problem = `AI visits have no ${labelOf(one.dimension)}`;
    else if (!by || NARROWER[by.dimension]?.includes(one.dimension)) by = one;
    else if (one.dimension !== by.dimension && !NARROWER[one.dimension]?.includes(by.dimension))
      one.problem = 'A list is by one dimension';
  }
  return by?.dimension;
}

type Listed = { by: Dimension; filters: readonly Filter[]; metrics: readonly Metric[] };

/** A figure that a list does not have says so: it is on the chart alone. */
function checkListed(taken: readonly Taken[], listed: Listed): void {
  for (const one of counting(taken, 'metric'))
    if (!isListed(one.metric, listed))
      one.problem = `A list by ${labelOf(listed.by)} has no ${metricRow(one.metric).label.toLowerCase()}`;
}

/** True if the list of a dimension has a column for the metric. */
export function isListed(metric: Metric, { by, filters }: Listed): boolean {
  const row = metricRow(metric);
  if (sourceOfMetric(metric) !== sourceOf(by)) return false;
  if (metric === listedMetric(by) || row.listedFor.includes(dimensionRow(by).of)) return true;
  if (row.isOfReading) return by === 'entry_page' || by === 'goal';
  const isRate = metric === 'conversion_rate' || metric === 'conversions';
  return isRate && filters.some(({ dimension, operator }) => dimension === 'goal' && operator === 'is');
}
