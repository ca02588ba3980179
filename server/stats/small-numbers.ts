// Limits what viewers of a share link see. When a filter, or a list of properties, cities or versions, narrows numbers to fewer than three
// visitors, those numbers are withheld. This wraps the one function that all queries go through.
import { Refusal } from '../errors.ts';
import { type Dimension, propertyKey } from '../vocabulary/dimensions.ts';
import { type Metric, metricRow, sourceOfMetric } from '../vocabulary/metrics.ts';
import { negatedBy } from '../vocabulary/operators.ts';
import { SOURCES } from '../vocabulary/sources.ts';
import { type GoalDefinition, hasPropertyConditions } from '../vocabulary/goals.ts';
import { startOfDay } from '../vocabulary/time.ts';
import { isPlain } from './filters.ts';
import type { Filter } from './query.ts';
import type { Scope } from './scope.ts';
import type { Ask, Rows, Select } from './sql.ts';

/** What the owner allows a share link to show. */
export type Sight = {
  /** Properties of events, which may contain anything that the site sends. */
  properties: boolean;
  /** Numbers of fewer than three visitors too. */
  few: boolean;
};

const FEWEST = 3;
const TELLING: readonly Dimension[] = ['city', 'browser_version', 'os_version', 'goal'];
/** Rows read at most. Small numbers are removed here and not in SQL, so longer lists are cut. */
export const MAX_ROWS = 20_000;
/** Rows read for each day, of which 100 are shown. */
const MAX_ROWS_A_DAY = 1_000;

/** The fewest visitors that a row of a narrowed list may have. */
export const leastVisitorsOf = (sight: Sight | undefined): number => (sight && !sight.few ? FEWEST : 0);

export function inSight(ask: Ask, { properties, few }: Sight): Ask {
  const answer = few ? ask : amongCrowds(ask);
  return (asked) => {
    const select = properties ? asked : withoutTellingGoals(asked);
    const dimensions = [...select.scope.filters.flatMap(dimensionsOf), ...dimensionOf(select)];
    if (!properties && dimensions.some(isProperty)) throw withoutProperties();
    return answer(select);
  };
}

/** A goal with property conditions tells as much as the properties: without them, it is as unknown as a deleted one. */
function withoutTellingGoals(select: Select): Select {
  const { goals = [] } = select.scope;
  return { ...select, scope: { ...select.scope, goals: goals.filter((goal) => !hasPropertyConditions(goal)) } };
}

/** Throws forbidden for the step of a funnel that looks at properties which the link does not show. */
export function checkConditions({ properties }: Sight, steps: readonly GoalDefinition[]): void {
  if (!properties && steps.some(hasPropertyConditions)) throw withoutProperties();
}

function withoutProperties(): Refusal {
  return new Refusal('forbidden', 'This shared dashboard does not show properties of events.');
}

/**
 * Each step narrows the numbers like a filter. A step that fewer than three visitors took shows nobody, and one that fewer than three left
 * shows those of the step before.
 */
export function withoutFewSteps<Step extends { visitors: number; visits: number }>(steps: readonly Step[]): Step[] {
  const shown: Step[] = [];
  for (const step of steps) {
    const { visitors, visits } = shown.at(-1) ?? { visitors: Infinity, visits: Infinity };
    if (step.visitors < FEWEST) shown.push({ ...step, visitors: 0, visits: 0 });
    else if (visitors - step.visitors < FEWEST) shown.push({ ...step, visitors, visits });
    else shown.push(step);
  }
  return shown;
}

/** Withheld numbers are left out and so count as zero: nobody can tell one visitor from none. */
function amongCrowds(ask: Ask): Ask {
  return async (wanted) => {
    const asked = { ...wanted, fewestReaders: FEWEST };
    const { filters } = asked.scope;
    filters.forEach(checkTelling);
    if (asked.metrics.some((metric) => !SOURCES[sourceOfMetric(metric)].hasVisitors)) return ask(asked);
    const countsGoals = asked.metrics.some(isOfGoals);
    const select = filters.length > 0 || countsGoals ? { ...asked, scope: ofWholeDays(asked.scope) } : asked;
    if (filters.length > 0 && !(await isCrowd(select, ask))) return [];
    if (countsGoals) return withoutFewConverted(select, ask);
    const isNarrow = [...filters.flatMap(dimensionsOf), ...dimensionOf(select)].some(isTelling);
    return isNarrow && select.by ? withoutFew(select, ask) : ask(select);
  };
}

/**
 * Cuts the range to whole days. An unfinished day is normally compared with the same hours of a past day. Repeated every minute, that query
 * would reveal in which minute a visitor came, so here the comparison ends with the last whole day. A range that rolls would reveal it
 * with both of its ends.
 */
export function ofWholeDays(scope: Scope): Scope {
  const { range } = scope;
  if (range.rolls)
    throw new Refusal('bad_request', 'period: a shared dashboard shows this for whole days only, not up to now.');
  return { ...scope, range: { ...range, to: startOfDay(range.to) } };
}

/**
 * Allows only one value at a time. Otherwise the difference between two queries whose lists of values differ by one, or a filter on all
 * values but one, would reveal a withheld number. A part of a name may match several values too.
 */
function checkTelling(filter: Filter): void {
  const { operator, values, segments = [] } = filter;
  segments.flat().forEach(checkTelling);
  if (dimensionsOf(filter).some(isTelling) && (operator !== 'is' || values.length > 1))
    throw new Refusal(
      'bad_request',
      'filters: a shared dashboard can be filtered to one property value, city or version at a time.',
    );
  // The difference between two segments, and the two of them together, may be a single visitor.
  if (values.length > 1 && segments.length > 0)
    throw new Refusal('bad_request', 'filters: a shared dashboard can be filtered to one segment at a time.');
}

/** True when enough visitors match, and every negative filter excludes enough: otherwise the difference would reveal the excluded ones. */
async function isCrowd(select: Select, ask: Ask): Promise<boolean> {
  const { filters } = select.scope;
  const visitors = async (of: Filter[]) => {
    const [row] = await ask({ scope: { ...select.scope, filters: of }, metrics: ['unique_visitors'] });
    return Number(row?.['unique_visitors'] ?? 0);
  };
  const matching = await visitors(filters);
  if (matching < FEWEST) return false;
  for (const others of withoutOneNegative(filters)) {
    const excluded = Math.abs((await visitors(others)) - matching); // fewer match if the filter was in a negated segment
    if (excluded > 0 && excluded < FEWEST) return false;
  }
  return true;
}

/** The filters without one of the negative ones, for each of these, also of those in segments. */
function withoutOneNegative(filters: Filter[]): Filter[][] {
  return filters.flatMap((filter, at) => {
    const { segments = [] } = filter;
    const inside = segments.flatMap((own, which) =>
      own.filter(isNegative).map((negative) => {
        const rest = own.filter((other) => other !== negative);
        return filters.with(at, { ...filter, segments: segments.with(which, rest) });
      }),
    );
    return isNegative(filter) ? [filters.toSpliced(at, 1), ...inside] : inside;
  });
}

const isOfGoals = (metric: Metric): boolean => metricRow(metric).isOfGoals === true;

/** Conversions are made by few visitors of a row that many see. The rate also tells how many visitors the other filters let through. */
async function withoutFewConverted(select: Select, ask: Ask): Promise<Rows> {
  const others = select.scope.filters.filter(({ dimension }) => dimension !== 'goal');
  const ofOthers = { ...select, scope: { ...select.scope, filters: others } };
  if (others.length > 0 && !(await isCrowd(ofOthers, ask))) return [];
  return withoutFew(select, ask, 'converted_visitors');
}

/** Returns only the rows or time buckets with enough visitors. Total and paging count these rows. */
async function withoutFew(
  select: Select,
  ask: Ask,
  visitors: 'unique_visitors' | 'converted_visitors' = 'unique_visitors',
): Promise<Rows> {
  const metrics = [...new Set([...select.metrics, visitors])];
  const { by, limit = 10, offset = 0 } = select;
  const isOfDays = by !== undefined && 'each' in by;
  const found = await ask({ ...select, metrics, offset: 0, limit: isOfDays ? MAX_ROWS_A_DAY : MAX_ROWS });
  const rows = found.filter((row) => Number(row[visitors]) >= FEWEST);
  if (!by || 'interval' in by) return rows;
  if (isOfDays)
    return [...Map.groupBy(rows, (row) => row['on_day']).values()].flatMap((ofDay) => ofDay.slice(0, limit));
  return rows.slice(offset, offset + limit).map((row) => ({ ...row, total: rows.length }));
}

const isNegative = ({ operator }: Filter): boolean => negatedBy(operator) !== undefined;

/** Those of a filter by segment are those of the segment's own filters. */
function dimensionsOf(filter: Filter): Dimension[] {
  return isPlain(filter) ? [filter.dimension] : (filter.segments ?? []).flat().map(({ dimension }) => dimension);
}

function dimensionOf({ by }: Select): Dimension[] {
  return by && 'dimension' in by ? [by.dimension] : [];
}

function isProperty(dimension: Dimension): boolean {
  return propertyKey(dimension) !== undefined;
}

function isTelling(dimension: Dimension): boolean {
  return isProperty(dimension) || TELLING.includes(dimension);
}
