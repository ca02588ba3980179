// The view that an address describes. The address holds everything that a dashboard shows, so a link shows the same thing to everyone.
import { type Dimension, isDimension, oneValueOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP, isFurthestStep } from '../../../server/vocabulary/questions/furthest-step.ts';
import { MAX_FILTER_VALUE, MAX_FILTER_VALUES, MAX_RECORD_ID, MAX_SEARCH } from '../../../server/vocabulary/limits.ts';
import { isMetric, type Metric, sourceOfMetric, usualMetric } from '../../../server/vocabulary/numbers/metrics.ts';
import { type Operator, OPERATORS } from '../../../server/vocabulary/questions/operators.ts';
import { INTERVALS, type Interval } from '../../../server/vocabulary/time/intervals.ts';
import {
  type AskedPeriod,
  type ComparedDates,
  COMPARISONS,
  isPastDay,
  isRolling,
  type Comparison,
  PERIODS,
  type Period,
} from '../../../server/vocabulary/time/periods.ts';
import {
  ALL_VISITORS,
  type FilterDimension,
  isFilterDimension,
  SEGMENT,
  operatorsOf,
} from '../../../server/vocabulary/questions/segments.ts';
import {
  encodePart,
  type Filter,
  type ViewedNumbers,
  writeAsked,
} from '../../../server/vocabulary/questions/view-address.ts';
export { type Filter, writeFilter } from '../../../server/vocabulary/questions/view-address.ts';
import { type JourneyView, readJourney, writeJourney } from '../journeys/address.ts';

type Compared = ComparedDates & { compare: Comparison };

/** The chosen metric, and the period or the visitors that it is compared with. */
const CHART_LINES = ['own', 'before'] as const;
/** One of these, another metric, a goal, a segment, or `all` visitors. */
export type Line = { id: string; isOff: boolean };
/** Each further line has a colour of its own. */
export const MAX_FURTHER_LINES = 4;

/** `heatmap`: by weekday and hour. */
export const CHART_TYPES = ['area', 'line', 'bars', 'heatmap'] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export type View = ViewedNumbers & {
  interval?: Interval | undefined;
  /** The dimension whose full list is open, or the name of a tab that lists part of one. */
  details?: string | undefined;
  /** The search text and the order of that list, and the row whose card is open. A row's value may be empty: a visit without a source. */
  search?: string | undefined;
  order?: AskedOrder | undefined;
  row?: string | undefined;
  /** Shows AI visits on the chart, `without` those of some providers. In the address: `ai_visits=shown`, `ai_visits=without:OpenAI`. */
  ai?: { without: string[] } | undefined;
  /**
   * The further lines of the chart, and which lines are switched off. In the address: `lines=metric_bounce_rate,goal_A,segment_B,-goal_C,-before`.
   * Undefined when there are no further lines and all others are on.
   */
  lines?: Line[] | undefined;
  /** How the chart is drawn, unless as an area. In the address: `chart=bars`. */
  chartType?: ChartType | undefined;
  /** Shows the chart's numbers below it. In the address: `numbers=table`. */
  hasTable?: true | undefined;
  /** Panel → chosen tab, unless it is the default. In the address: `sources=referrer`. */
  tabs: Record<string, string>;
  /** Undefined for the default journey. */
  journey?: JourneyView | undefined;
  /** What an address asks for that could not be read and is ignored, as it stands there: `is:foo:bar`, `period=fortnight`. Never written. */
  unread?: string[] | undefined;
};

/**
 * What an address may name: panels, each with a tab of its own, and full lists besides those of whole dimensions. Passed in, so that this file
 * does not depend on the panels.
 */
export type PanelNames = { panels: readonly string[]; lists: readonly string[] };

/** The order of a full list by one of its columns. In the address: `sort=visits:asc`. */
export type Order<Column = Metric> = { by: Column | 'name'; direction: 'asc' | 'desc' };
/** An address may name a column that the list lacks. */
type AskedOrder = { by: string; direction: 'asc' | 'desc' };

/** Returns the order that an address asks for, if the list has that column. */
export function orderOf<Column extends string>(
  asked: AskedOrder | undefined,
  columns: readonly Column[],
): Order<Column> | undefined {
  const by = asked && (['name', ...columns] as const).find((column) => column === asked.by);
  return by && { by, direction: asked.direction };
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readFilter(text: string): Filter | undefined {
  const [operator = '', dimension = '', ...rest] = text.split(':');
  if (!Object.hasOwn(OPERATORS, operator) || rest.length === 0) return undefined;
  const name = decodePart(dimension);
  if (!isFilterDimension(name)) return undefined;
  if (!operatorsOf(name).some((one) => one === operator)) return undefined;
  const values = [...new Set(rest.join(':').split(',').map(decodePart))].slice(0, MAX_FILTER_VALUES);
  if (name === FURTHEST_STEP && !values.every(isFurthestStep)) return undefined;
  return { dimension: name, operator: operator as Operator, values };
}

function readOrder(text: string): AskedOrder | undefined {
  const [by = '', direction] = text.split(':');
  if (direction !== 'asc' && direction !== 'desc') return undefined;
  return /^[a-z_]{1,40}$/.test(by) ? { by, direction } : undefined;
}

const AI_SHOWN = 'shown';
const AI_WITHOUT = 'without:';

function readAi(text: string): View['ai'] {
  if (text === AI_SHOWN) return { without: [] };
  if (!text.startsWith(AI_WITHOUT)) return undefined;
  return { without: text.slice(AI_WITHOUT.length).split(',').map(decodePart).slice(0, MAX_FILTER_VALUES) };
}

const writeAi = ({ without }: { without: string[] }): string =>
  without.length > 0 ? AI_WITHOUT + without.map(encodePart).join(',') : AI_SHOWN;

/** A metric of the main chart. AI visits are none: they are layers behind its lines. */
const readMetric = (name: string): Metric | undefined =>
  isMetric(name) && sourceOfMetric(name) === 'events' ? name : undefined;

const OF_METRIC = 'metric_';
/** The id of the further line that shows this metric. */
export const lineOfMetric = (metric: Metric): string => OF_METRIC + metric;
/** The metric that a further line shows; undefined for lines of goals and segments. */
export const metricOfLine = (id: string): Metric | undefined =>
  id.startsWith(OF_METRIC) ? readMetric(id.slice(OF_METRIC.length)) : undefined;

/** The chart's own line, or the one that it is compared with. */
export const isOfChart = (id: string): boolean => CHART_LINES.some((name) => name === id);
const isFurther = (id: string): boolean =>
  id === ALL_VISITORS ||
  metricOfLine(id) !== undefined ||
  (/^(goal|segment)_\w+$/.test(id) && id.length <= MAX_RECORD_ID);

function readLines(text: string): Pick<View, 'lines'> {
  const named = text.split(',').map((part) => ({ id: part.replace(/^-/, ''), isOff: part.startsWith('-') }));
  const all = [...new Map(named.map((line) => [line.id, line])).values()];
  const further = all.filter(({ id }) => isFurther(id)).slice(0, MAX_FURTHER_LINES);
  const lines = all.filter((line) => further.includes(line) || (isOfChart(line.id) && line.isOff));
  return lines.length > 0 ? { lines } : {};
}

type Listing = Pick<View, 'details' | 'search' | 'order' | 'row'>;

/** The full list that is open, with its search, its order and its open row. */
function readListing(params: URLSearchParams, { lists }: PanelNames): Listing {
  const details = params.get('details') ?? '';
  if (!isDimension(details) && !lists.includes(details)) return { details: undefined };
  const search = params.get('search')?.slice(0, MAX_SEARCH);
  const order = readOrder(params.get('sort') ?? '');
  const row = params.get('row')?.slice(0, MAX_FILTER_VALUE);
  return {
    details,
    ...(search ? { search } : {}),
    ...(order ? { order } : {}),
    ...(row !== undefined ? { row } : {}),
  };
}

function writeListing(params: URLSearchParams, { details, search, order, row }: Listing): void {
  if (!details) return;
  params.set('details', details);
  if (search) params.set('search', search);
  if (order) params.set('sort', `${order.by}:${order.direction}`);
  if (row !== undefined) params.set('row', row);
}

/** Decides which days are not in the future. */
type Today = { now: number; zone: string };

const isSpan = (from: string, to: string, { now, zone }: Today) =>
  isPastDay(from, now, zone) && isPastDay(to, now, zone) && from <= to;

function readComparison(params: URLSearchParams, period: Period, today: Today): Compared {
  const compare = params.get('compare') ?? '';
  if (!Object.hasOwn(COMPARISONS, compare)) return { compare: 'previous' };
  if (compare !== 'custom') return { compare: compare as Comparison };
  const [compare_from, compare_to] = [params.get('compare_from') ?? '', params.get('compare_to') ?? ''];
  if (isRolling(period) || !isSpan(compare_from, compare_to, today)) return { compare: 'previous' };
  return { compare, compare_from, compare_to };
}

function readPeriod(params: URLSearchParams, today: Today): AskedPeriod {
  const period = params.get('period') ?? '';
  if (!Object.hasOwn(PERIODS, period)) return { period: 'today' };
  if (period !== 'custom') return { period: period as Period };
  const asked = {
    period: 'custom' as const,
    date_from: params.get('date_from') ?? '',
    date_to: params.get('date_to') ?? '',
  };
  return isSpan(asked.date_from, asked.date_to, today) ? asked : { period: 'today' };
}

/** Of the parts of an address, those that were asked for and not read. An empty part asks for nothing. */
function findUnread(params: URLSearchParams, isRead: Record<string, unknown>): Pick<View, 'unread'> {
  const unread = Object.keys(isRead).flatMap((name) =>
    params.get(name) && !isRead[name] ? `${name}=${params.get(name)}` : [],
  );
  unread.unshift(...params.getAll('f').filter((text) => text && !readFilter(text)));
  return unread.length > 0 ? { unread } : {};
}

/** Turns any address into a valid view. Parts that are not understood are ignored; those that choose numbers are named in `unread`. */
export function readView(params: URLSearchParams, today: Today, panelNames: PanelNames): View {
  const asked = readPeriod(params, today);
  const compare = params.get('compare') ?? '';
  const isVersus = compare === ALL_VISITORS || compare.startsWith(`${SEGMENT}_`);
  const metric = readMetric(params.get('metric') ?? '');
  const areDatesRead = params.get('period') !== 'custom' || asked.period === 'custom';
  const segment = params.get(SEGMENT);
  const interval = INTERVALS.find((name) => name === params.get('interval'));
  const chartType = CHART_TYPES.find((name) => name !== 'area' && name === params.get('chart'));
  const tabs: Record<string, string> = {};
  for (const panel of panelNames.panels) {
    const tab = params.get(panel);
    if (tab) tabs[panel] = tab;
  }
  return {
    ...asked,
    ...readComparison(params, asked.period, today),
    ...(isVersus ? { versus: compare.slice(0, MAX_RECORD_ID) } : {}),
    ...(segment ? { segment: segment.slice(0, MAX_RECORD_ID) } : {}),
    filters: params.getAll('f').flatMap((text) => readFilter(text) ?? []),
    metric: metric ?? usualMetric('events'),
    interval,
    ...(params.get('imported') === 'off' ? { isWithoutImported: true } : {}),
    ...readListing(params, panelNames),
    tabs,
    ...(chartType ? { chartType } : {}),
    ...(params.get('numbers') === 'table' ? { hasTable: true } : {}),
    ...readLines(params.get('lines') ?? ''),
    ai: readAi(params.get('ai_visits') ?? ''),
    journey: readJourney(params),
    ...findUnread(params, {
      period: areDatesRead && Object.hasOwn(PERIODS, params.get('period') ?? ''),
      date_from: areDatesRead,
      date_to: areDatesRead,
      compare: isVersus || Object.hasOwn(COMPARISONS, compare),
      metric,
      interval,
    }),
  };
}

/** `source.referrer`, a list inside of one source, is the list of sources again once the filters no longer name one. */
function writeTab(tab: string, { filters, segment }: View): string {
  const of = /^(\w+)\.\w+$/.exec(tab)?.[1];
  return of === undefined || segment || oneValueOf(filters, of as Dimension) !== undefined ? tab : of;
}

/** The address of a view. Defaults are left out, so the default view has a bare address. */
export function writeView(view: View): URLSearchParams {
  const params = writeAsked(view);
  if (view.interval) params.set('interval', view.interval);
  if (view.chartType) params.set('chart', view.chartType);
  if (view.hasTable) params.set('numbers', 'table');
  if (view.lines?.length) params.set('lines', view.lines.map(({ id, isOff }) => (isOff ? `-${id}` : id)).join(','));
  if (view.ai) params.set('ai_visits', writeAi(view.ai));
  for (const [panel, tab] of Object.entries(view.tabs)) params.set(panel, writeTab(tab, view));
  writeListing(params, view);
  if (view.journey) writeJourney(params, view.journey);
  return params;
}

const isSame = (one: Filter, other: Pick<Filter, 'dimension' | 'operator'>) =>
  one.dimension === other.dimension && one.operator === other.operator;

/** Adds a value to the filter on its dimension, or removes it if it is there already. */
export function toggleFilter(
  filters: Filter[],
  wanted: { dimension: FilterDimension; operator: Operator; value: string },
): Filter[] {
  const existing = filters.find((filter) => isSame(filter, wanted));
  if (!existing)
    return [...filters, { dimension: wanted.dimension, operator: wanted.operator, values: [wanted.value] }];
  const values = existing.values.includes(wanted.value)
    ? existing.values.filter((value) => value !== wanted.value)
    : [...existing.values, wanted.value];
  return filters.flatMap((filter) => (filter !== existing ? filter : values.length > 0 ? { ...filter, values } : []));
}

export const isFilteredBy = (filters: Filter[], dimension: string): boolean =>
  filters.some((filter) => filter.dimension === dimension && filter.operator === 'is');
