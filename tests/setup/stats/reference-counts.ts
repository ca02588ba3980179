// The same numbers as server/stats, counted in the slow and obvious way: visits as lists of rows in memory, no SQL, no code in common.
// Rows that reach goals must be marked with `markGoals` first, and those of visits in funnels with `markFunnels`.
import type { AiVisit, VisitedEvent } from '../../../server/vocabulary/event.ts';
import type { DIMENSION_NAMES, Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Goal } from '../../../server/stats/sql/goals.ts';
import type { Filter } from '../../../server/stats/query.ts';
import type { SavedFunnel } from '../../../server/stats/funnels/funnel-sql.ts';
import { FURTHEST_STEP } from '../../../server/vocabulary/questions/furthest-step.ts';
import type { PlainDimension, PlainFilter } from '../../../server/vocabulary/questions/segments.ts';
import { followAll } from './reference-funnels.ts';
import { slowConversions } from './reference-goals.ts';

type Row = VisitedEvent | AiVisit;
type Visit<T extends Row> = { rows: T[]; isVisit: boolean };
type Value = string | undefined;
export type Counts = Partial<Record<Metric, number>>;

/** The ids of the goals that each row reaches. */
const reached = new WeakMap<Row, string[]>();

export function markGoals(rows: readonly VisitedEvent[], goals: readonly Goal[]): void {
  for (const goal of goals)
    for (const row of slowConversions(rows, goal)) reached.set(row, [...(reached.get(row) ?? []), goal.id]);
}

/** For each row of the visits in which a visitor got furthest: these steps, as a filter names them (`FUNNEL_ID:STEP`). */
const furthest = new WeakMap<Row, string[]>();

/** Marks the visits in which each visitor got furthest. */
export function markFunnels(rows: readonly VisitedEvent[], funnels: readonly SavedFunnel[]): void {
  for (const funnel of funnels)
    for (const own of Map.groupBy(followAll(rows, funnel), ({ group }) => group[0]?.visitor_id).values()) {
      const last = Math.max(...own.map(({ reached: steps }) => steps.length));
      const there = own.filter(({ reached: steps }) => steps.length === last).flatMap(({ group }) => group);
      for (const row of there) furthest.set(row, [...(furthest.get(row) ?? []), `${funnel.id}:${last}`]);
    }
}

const isView = (row: VisitedEvent) => row.name === 'pageview';
const isEvent = (row: VisitedEvent) => !isView(row) && row.name !== 'engagement';
const isOrder = (row: VisitedEvent) => row.currency !== '';
const MAX_AMOUNT = 100_000;
const isPlausible = ({ amount }: VisitedEvent) => Math.abs(Number(amount)) <= MAX_AMOUNT;
const isRefund = ({ amount }: VisitedEvent) => Number(amount) < 0;
const isPayment = (row: VisitedEvent) => !isRefund(row);
const isEuro = (row: VisitedEvent) => row.currency === 'EUR';
const inEuro = (orders: VisitedEvent[]) => orders.filter(isEuro).reduce((sum, { amount }) => sum + Number(amount), 0);
const withVersion = (name: string, version: string) => (version === '' ? name : `${name} ${version}`);
const HOUR_MS = 3_600_000;

/** A row's value of a dimension, undefined when it has none. A new dimension does not compile until it is here. */
const OF_EVENT: Record<
  Exclude<(typeof DIMENSION_NAMES)[number], 'goal' | `ai_${string}`>,
  (row: VisitedEvent) => Value
> = {
  page: (row) => (isView(row) || isEvent(row) ? row.page : undefined),
  hostname: (row) => (isView(row) || isEvent(row) ? row.hostname : undefined),
  event: (row) => (isEvent(row) ? row.name : undefined),
  entry_page: (row) => row.entry_page,
  exit_page: () => undefined, // the visit's, see `valueOf`
  channel: (row) => row.channel,
  source: (row) => row.source,
  referrer: (row) => row.referrer,
  utm_source: (row) => row.utm_source,
  utm_medium: (row) => row.utm_medium,
  utm_campaign: (row) => row.utm_campaign,
  utm_content: (row) => row.utm_content,
  utm_term: (row) => row.utm_term,
  country: (row) => row.country,
  region: (row) => row.region,
  city: (row) => row.city,
  language: (row) => row.language,
  browser: (row) => row.browser,
  browser_version: (row) => withVersion(row.browser, row.browser_version),
  os: (row) => row.os,
  os_version: (row) => withVersion(row.os, row.os_version),
  device: (row) => row.device,
  screen: (row) => row.screen,
};

/** Lists leave out empty values of these. */
const WITHOUT_EMPTY =
  /^(entry_page|exit_page|channel|referrer|utm_source|utm_medium|utm_campaign|utm_content|utm_term|region|city)$/;

function valueOf(row: Row, dimension: Dimension, visit: readonly Row[]): Value {
  if (row.kind === 'ai_visit' && dimension === 'ai_status') return row.status === 0 ? '' : String(row.status);
  if (row.kind === 'ai_visit') return String(row[dimension as 'ai_agent']);
  if (dimension.startsWith('prop:')) {
    const key = dimension.slice('prop:'.length);
    return row.name !== 'engagement' && Object.hasOwn(row.props, key) ? row.props[key] : undefined;
  }
  if (dimension !== 'exit_page') return OF_EVENT[dimension as keyof typeof OF_EVENT](row);
  const views = visit.filter((one): one is VisitedEvent => one.kind === 'event' && one.visit_id !== 0n && isView(one));
  return views.toSorted((one, other) => one.time - other.time).at(-1)?.page ?? '';
}

const isOfPage = (dimension: PlainDimension) => dimension === 'page' || dimension === 'hostname';
const isOfEvent = (dimension: PlainDimension) =>
  dimension === 'event' || dimension === 'goal' || dimension.startsWith('prop:');
const isNegative = ({ operator }: Filter) => operator === 'is_not' || operator === 'contains_not';

/** A row has one value of a dimension or none, and any number of goals. */
export function valuesOf(row: Row, dimension: PlainDimension, visit: readonly Row[]): string[] {
  if (dimension === 'goal') return reached.get(row) ?? [];
  if (dimension === FURTHEST_STEP) return furthest.get(row) ?? [];
  const value = valueOf(row, dimension, visit);
  return value === undefined ? [] : [value];
}

function matches(filter: PlainFilter, value: string): boolean {
  const contains = () => filter.values.some((part) => value.toLowerCase().includes(part.toLowerCase()));
  if (filter.operator === 'is') return filter.values.includes(value);
  if (filter.operator === 'is_not') return !filter.values.includes(value);
  return filter.operator === 'contains' ? contains() : !contains();
}

const isPlain = (filter: Filter): filter is PlainFilter => filter.dimension !== 'segment';

export function keepsVisit(filter: Filter, visit: readonly Row[]): boolean {
  if (!isPlain(filter)) {
    const isIn = (filter.segments ?? []).some((own) => own.every((one) => keepsVisit(one, visit)));
    return isIn !== isNegative(filter);
  }
  const has = (one: PlainFilter) => visit.some((row) => matchesRow(one, row, visit));
  const isOptional = isOfEvent(filter.dimension) || filter.dimension === FURTHEST_STEP;
  if (!isOptional || !isNegative(filter)) return has(filter);
  return !has({ ...filter, operator: filter.operator === 'is_not' ? 'is' : 'contains' });
}

function matchesRow(filter: PlainFilter, row: Row, visit: readonly Row[] = []): boolean {
  return valuesOf(row, filter.dimension, visit).some((value) => matches(filter, value));
}

function visitsOf<T extends Row>(rows: readonly T[]): Visit<T>[] {
  const keyOf = (row: Row) =>
    row.kind === 'event' && row.visit_id !== 0n ? `visit ${row.visit_id}` : `row ${row.event_id}`;
  return [...Map.groupBy(rows, keyOf)].map(([key, own]) => ({ rows: own, isVisit: key.startsWith('visit') }));
}

type Reading = { engaged_ms: number; scroll: number };
const isEngagement = (row: VisitedEvent) => row.name === 'engagement' && row.visit_id !== 0n;

/** The engagement of each measured view: what came after it, before the visit's next view of the same page. */
export function slowReadings(rows: readonly VisitedEvent[]): Map<VisitedEvent, Reading> {
  const readings = new Map<VisitedEvent, Reading>();
  for (const engagement of rows.filter(isEngagement)) {
    const earlier = rows.filter(
      (row) =>
        isView(row) &&
        row.visit_id === engagement.visit_id &&
        row.page === engagement.page &&
        row.time < engagement.time,
    );
    const view = earlier.toSorted((one, other) => one.time - other.time).at(-1);
    if (!view) continue;
    const before = readings.get(view) ?? { engaged_ms: 0, scroll: 0 };
    readings.set(view, {
      engaged_ms: before.engaged_ms + engagement.engaged_ms,
      scroll: Math.max(before.scroll, engagement.scroll),
    });
  }
  return readings;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[sorted.length / 2 - 1] ?? 0) + upper) / 2;
}

/** The rows of people that count as page views, events and orders, and the remaining visits. */
function narrowed(rows: readonly VisitedEvent[], filters: readonly Filter[]) {
  const visits = visitsOf(rows).filter((visit) => filters.every((filter) => keepsVisit(filter, visit.rows)));
  const left = visits.flatMap((visit) => visit.rows);
  const match = (row: VisitedEvent, which: (dimension: PlainDimension) => boolean) =>
    filters
      .filter(isPlain)
      .filter((filter) => which(filter.dimension) && !(isOfEvent(filter.dimension) && isNegative(filter)))
      .every((filter) => matchesRow(filter, row));
  return {
    visits,
    left,
    views: left.filter((row) => isView(row) && match(row, isOfPage)),
    events: left.filter((row) => isEvent(row) && match(row, (one) => isOfPage(one) || isOfEvent(one))),
    orders: left.filter((row) => isOrder(row) && match(row, isOfEvent)),
    conversions: left.filter((row) => reached.has(row) && match(row, isOfEvent)),
    readings: slowReadings(rows),
  };
}

type Narrowed = ReturnType<typeof narrowed>;

const visitorsIn = (rows: readonly VisitedEvent[]) => new Set(rows.map((row) => row.visitor_id).filter(Boolean)).size;

function count({ visits, left, views, events, orders, conversions, readings }: Narrowed): Counts {
  const real = visits.filter((visit) => visit.isVisit).map(({ rows }) => rows);
  const bounced = real.filter(
    (visit) => visit.filter(isView).length === 1 && !visit.some((row) => !isView(row) && row.interactive),
  );
  const lengths = real.map(
    (visit) => Math.max(...visit.map(({ time }) => time)) - Math.min(...visit.map(({ time }) => time)),
  );
  const payments = orders.filter(isPlausible).filter(isPayment);
  const read = views.flatMap((view) => readings.get(view) ?? []);
  const mean = (total: number) => (real.length === 0 ? 0 : total / real.length);
  return {
    unique_visitors: visitorsIn(left),
    visits: real.length,
    pageviews: views.length,
    views_per_visit: mean(views.length),
    bounce_rate: 100 * mean(bounced.length),
    visit_duration: mean(lengths.reduce((sum, length) => sum + length, 0)) / 1000,
    time_on_page: median(read.map(({ engaged_ms }) => engaged_ms)) / 1000,
    scroll_depth: median(read.map(({ scroll }) => scroll)),
    events: events.length,
    conversions: conversions.length,
    converted_visitors: visitorsIn(conversions),
    revenue: inEuro(orders.filter(isPlausible)),
    revenue_confirmed: inEuro(orders.filter((row) => isPlausible(row) && row.confirmed)),
    orders: payments.length,
    average_order: inEuro(payments) / (payments.filter(isEuro).length || 1),
    refunds: -inEuro(orders.filter(isPlausible).filter(isRefund)),
    implausible_orders: orders.filter((row) => !isPlausible(row)).length,
  };
}

/** All metrics of a question, over its whole period. */
export function slowTotals(rows: readonly VisitedEvent[], filters: readonly Filter[]): Counts {
  const everyone = count(narrowed(rows, beforeGoals(filters)));
  return withRate(count(narrowed(rows, filters)), everyone);
}

const beforeGoals = (filters: readonly Filter[]) => filters.filter(({ dimension }) => dimension !== 'goal');

/** The rate is a share of all visitors that pass the other filters. */
function withRate(counts: Counts, everyone: Counts | undefined): Counts {
  const { converted_visitors = 0 } = counts;
  const visitors = everyone?.unique_visitors ?? 0;
  return { ...counts, conversion_rate: visitors === 0 ? 0 : (100 * converted_visitors) / visitors };
}

function withRates<Key>(counts: Map<Key, Counts>, everyoneOf: (key: Key) => Counts | undefined): Map<Key, Counts> {
  return new Map([...counts].map(([key, own]) => [key, withRate(own, everyoneOf(key))]));
}

export function slowAiTotals(rows: readonly AiVisit[], filters: readonly Filter[]): Counts {
  const kept = rows.filter((row) => filters.filter(isPlain).every((filter) => matchesRow(filter, row)));
  return { ai_visits: kept.length };
}

export function slowList(
  rows: readonly VisitedEvent[],
  filters: readonly Filter[],
  dimension: Dimension,
): Map<string, Counts> {
  const everyone = listOf(narrowed(rows, beforeGoals(filters)), dimension);
  const whole = count(narrowed(rows, beforeGoals(filters)));
  const list = listOf(narrowed(rows, filters), dimension);
  return withRates(list, (label) => (dimension === 'goal' ? whole : everyone.get(label)));
}

function listOf(all: Narrowed, dimension: Dimension): Map<string, Counts> {
  if (isOfPage(dimension) || isOfEvent(dimension)) return rowList(all, dimension);
  const labelOf = (visit: Visit<VisitedEvent>) => valueOf(visit.rows[0] as VisitedEvent, dimension, visit.rows) ?? '';
  const groups = Map.groupBy(all.visits, labelOf);
  const counts = [...groups].map(([label, visits]): [string, Counts] => {
    return [label, count(onlyIn(all, visits))];
  });
  return new Map(counts.filter(([label]) => label !== '' || !WITHOUT_EMPTY.test(dimension)));
}

/** Groups by each row's own value: the page views and events that pass the filters. A conversion is in the group of each goal that it reaches. */
function rowList(all: Narrowed, dimension: Dimension): Map<string, Counts> {
  const shown = dimension === 'goal' ? all.conversions : [...all.views, ...all.events];
  const labels = new Set(shown.flatMap((row) => valuesOf(row, dimension, [])));
  const groups = [...labels].map(
    (label) => [label, shown.filter((row) => valuesOf(row, dimension, []).includes(label))] as const,
  );
  return new Map(
    groups.map(([label, own]): [string, Counts] => {
      const only = (list: VisitedEvent[]) => list.filter((row) => own.includes(row));
      const visits = visitsOf(own);
      // No event is a page view: the list shows the page views of the events' visits.
      const ids = new Set(visits.filter((visit) => visit.isVisit).map((visit) => visit.rows[0]?.visit_id));
      const ofVisits = (list: VisitedEvent[]) => list.filter((row) => ids.has(row.visit_id) || own.includes(row));
      const hasViews = dimension !== 'event' && dimension !== 'goal';
      const views = hasViews ? only(all.views) : ofVisits(all.views);
      // A filter on a page does not narrow conversions, and neither does a list of pages: they are those of the visits.
      const conversions = isOfPage(dimension) ? ofVisits(all.conversions) : only(all.conversions);
      const parts = { views, events: only(all.events), orders: only(all.orders), conversions, readings: all.readings };
      return [label, count({ visits, left: [...own], ...parts })];
    }),
  );
}

/** The same for each value of a dimension. For dimensions of single rows, an hour has its own rows, and the visits with one of them. */
export function slowHoursOf(
  rows: readonly VisitedEvent[],
  filters: readonly Filter[],
  dimension: Dimension,
): Map<string, Map<number, Counts>> {
  const all = narrowed(rows, filters);
  if (!isOfPage(dimension) && !isOfEvent(dimension)) {
    const labels = new Set(listOf(all, dimension).keys());
    const labelOf = ({ rows: own }: Visit<VisitedEvent>) => valuesOf(own[0] as VisitedEvent, dimension, own)[0] ?? '';
    const groups = [...Map.groupBy(all.visits, labelOf)].filter(([label]) => labels.has(label));
    return new Map(groups.map(([label, visits]) => [label, hoursOf(onlyIn(all, visits))]));
  }
  const hourOf = ({ time }: VisitedEvent) => Math.floor(time / HOUR_MS) * HOUR_MS;
  const found = new Map<string, Map<number, Counts>>();
  for (const hour of new Set(all.left.map(hourOf))) {
    const own = new Set(all.left.filter((row) => hourOf(row) === hour));
    for (const [label, counts] of rowList(narrowedTo(all, own), dimension))
      found.set(label, (found.get(label) ?? new Map<number, Counts>()).set(hour, counts));
  }
  return found;
}

function onlyIn(all: Narrowed, visits: Narrowed['visits']): Narrowed {
  const own = new Set(visits.flatMap((visit) => visit.rows));
  return { ...narrowedTo(all, own), visits };
}

function narrowedTo(all: Narrowed, own: ReadonlySet<VisitedEvent>): Narrowed {
  const only = (list: VisitedEvent[]) => list.filter((row) => own.has(row));
  return {
    ...all,
    left: only(all.left),
    views: only(all.views),
    events: only(all.events),
    orders: only(all.orders),
    conversions: only(all.conversions),
  };
}

/** By hour: rows count in their own hour; visits, with their bounce and length, in the hour in which they start. */
export function slowHours(rows: readonly VisitedEvent[], filters: readonly Filter[]): Map<number, Counts> {
  const everyone = hoursOf(narrowed(rows, beforeGoals(filters)));
  return withRates(hoursOf(narrowed(rows, filters)), (hour) => everyone.get(hour));
}

function hoursOf(all: Narrowed): Map<number, Counts> {
  const hourOf = ({ time }: VisitedEvent) => Math.floor(time / HOUR_MS) * HOUR_MS;
  const startOf = (visit: Visit<VisitedEvent>) => Math.min(...visit.rows.map(hourOf));
  const hours = new Set(all.left.map(hourOf));
  return new Map(
    [...hours].map((hour): [number, Counts] => {
      const inHour = (list: VisitedEvent[]) => list.filter((row) => hourOf(row) === hour);
      const visits = all.visits.filter((visit) => startOf(visit) === hour);
      const parts = {
        views: inHour(all.views),
        events: inHour(all.events),
        orders: inHour(all.orders),
        conversions: inHour(all.conversions),
        readings: all.readings,
      };
      return [hour, count({ visits, left: inHour(all.left), ...parts })];
    }),
  );
}
