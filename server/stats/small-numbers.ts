// Limits what the viewers of a share link see: numbers that a filter, or a list of properties, cities or versions, narrows to fewer than
// three visitors are withheld. This wraps the one function that all queries go through.
import { Refusal } from '../errors.ts';
import { type Dimension, propertyKey } from '../vocabulary/dimensions.ts';
import { FURTHEST_STEP, readFurthestStep, writeFurthestStep } from '../vocabulary/furthest-step.ts';
import { type Metric, metricRow, sourceOfMetric } from '../vocabulary/metrics.ts';
import { negatedBy } from '../vocabulary/operators.ts';
import { SOURCES } from '../vocabulary/sources.ts';
import { type GoalDefinition, hasPropertyConditions } from '../vocabulary/goals.ts';
import type { PlainDimension, PlainFilter } from '../vocabulary/segments.ts';
import { startOfDay } from '../vocabulary/time.ts';
import { isPlain } from './filters.ts';
import type { Filter } from './query.ts';
import type { Scope } from './scope.ts';
import type { Ask, Rows, Select } from './sql.ts';

/** The data that a share link may show, as its owner decided. */
export type Sight = {
  /** Properties of events, which may contain anything that the site sends. */
  properties: boolean;
  /** Numbers of fewer than three visitors. */
  few: boolean;
};

const FEWEST = 3;
const IDENTIFYING: readonly PlainDimension[] = ['city', 'browser_version', 'os_version', 'goal', FURTHEST_STEP];
/** Most rows to read. Small numbers are removed here and not in SQL, so longer lists are cut. */
export const MAX_ROWS = 20_000;
/** Rows read for each day, of which 100 are shown. */
const MAX_ROWS_A_DAY = 1_000;

/** The fewest visitors that a row of a narrowed list may have. */
export const leastVisitorsOf = (sight: Sight | undefined): number => (sight && !sight.few ? FEWEST : 0);

export function inSight(ask: Ask, { properties, few }: Sight): Ask {
  const answer = few ? ask : withoutSmallNumbers(ask);
  return (select) => {
    const dimensions = [...select.scope.filters.flatMap(dimensionsOf), ...dimensionOf(select)];
    if (!properties && dimensions.some(isProperty)) throw withoutProperties();
    return answer(select);
  };
}

/**
 * A goal with property conditions, or a funnel with such a step, reveals as much as the properties do. Viewers who may not see properties get
 * no figures for it, as if it were unknown.
 */
export function visibleTo<Defined extends GoalDefinition | { steps: readonly GoalDefinition[] }>(
  sight: Sight | undefined,
  all: readonly Defined[],
): readonly Defined[] {
  if (!sight || sight.properties) return all;
  return all.filter((one) => {
    const conditions: readonly GoalDefinition[] = 'steps' in one ? one.steps : [one];
    return !conditions.some(hasPropertyConditions);
  });
}

/** The same for the deleted goals that a segment keeps. */
export function withVisibleGoals(sight: Sight | undefined, filters: readonly Filter[]): Filter[] {
  const visible = <Kept extends PlainFilter | Filter>(filter: Kept): Kept => ({
    ...filter,
    ...('deleted_goals' in filter && { deleted_goals: visibleTo(sight, filter.deleted_goals ?? []) }),
  });
  return filters.map((filter) => ({
    ...visible(filter),
    ...(filter.segments && { segments: filter.segments.map((own) => own.map(visible)) }),
  }));
}

/** Throws forbidden if a step of a funnel has a property condition and the link hides properties. */
export function checkConditions({ properties }: Sight, steps: readonly GoalDefinition[]): void {
  if (!properties && steps.some(hasPropertyConditions)) throw withoutProperties();
}

function withoutProperties(): Refusal {
  return new Refusal('forbidden', 'This shared dashboard does not show properties of events.');
}

/**
 * Each step narrows the numbers as a filter does. A step that fewer than three visitors took shows zero. A step that fewer than three
 * visitors failed to take shows the numbers of the step before.
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

/** Withheld rows are left out and so count as zero: nobody can tell one visitor from none. */
function withoutSmallNumbers(ask: Ask): Ask {
  return async (wanted) => {
    const asked = { ...wanted, fewestReaders: FEWEST };
    const { filters } = asked.scope;
    filters.forEach(checkIdentifying);
    if (asked.metrics.some((metric) => !SOURCES[sourceOfMetric(metric)].hasVisitors)) return ask(asked);
    const countsGoals = asked.metrics.some(isOfGoals);
    const select = filters.length > 0 || countsGoals ? { ...asked, scope: ofWholeDays(asked.scope) } : asked;
    if (filters.length > 0 && !(await hasEnoughVisitors(select, ask))) return [];
    if (countsGoals) return withoutFewConverted(select, ask);
    const isNarrow =
      isOfTrends(select) ||
      isFilteredWeek(select) ||
      [...filters.flatMap(dimensionsOf), ...dimensionOf(select)].some(isIdentifying);
    return isNarrow && select.by ? withoutFew(select, ask) : ask(select);
  };
}

/**
 * Cuts the range to whole days. An unfinished day is normally compared with the same hours of a past day. Repeated every minute, that query
 * would reveal in which minute a visitor came, so here the comparison ends with the last whole day. Rolling periods are refused: both of
 * their ends would reveal it.
 */
export function ofWholeDays(scope: Scope): Scope {
  const { range } = scope;
  if (range.rolls)
    throw new Refusal('bad_request', 'period: a shared dashboard shows this for whole days only, not up to now.');
  return { ...scope, range: { ...range, to: startOfDay(range.to) } };
}

/**
 * Allows only one value at a time. Otherwise the difference between two queries could reveal a withheld number: for example if their lists
 * of values differ by one. Part of a name may match several values, so that is refused too.
 */
function checkIdentifying(filter: Filter): void {
  const { operator, values, segments = [] } = filter;
  segments.flat().forEach(checkIdentifying);
  if (dimensionsOf(filter).some(isIdentifying) && (operator !== 'is' || values.length > 1))
    throw new Refusal(
      'bad_request',
      'filters: a shared dashboard can be filtered to one property value, city, version, goal or step at a time.',
    );
  // The difference between two segments, and their union, may come down to a single visitor.
  if (values.length > 1 && segments.length > 0)
    throw new Refusal('bad_request', 'filters: a shared dashboard can be filtered to one segment at a time.');
}

/**
 * True if enough visitors match, and every negative filter excludes enough. Otherwise the difference would reveal the excluded visitors.
 */
async function hasEnoughVisitors(select: Select, ask: Ask): Promise<boolean> {
  const { filters } = select.scope;
  const visitors = async (of: Filter[]) => {
    const [row] = await ask({ scope: { ...select.scope, filters: of }, metrics: ['unique_visitors'] });
    return Number(row?.['unique_visitors'] ?? 0);
  };
  const matching = await visitors(filters);
  if (matching < FEWEST) return false;
  for (const others of withoutOneNegative(filters)) {
    const excluded = Math.abs((await visitors(others)) - matching); // can be negative: inside a negated segment, removing a filter leaves fewer matches
    if (excluded > 0 && excluded < FEWEST) return false;
  }
  for (const there of atEachStep(select.scope)) {
    const left = await visitors(there);
    if (left > 0 && left < FEWEST) return false;
  }
  return true;
}

/**
 * Returns the filters once for each step of the funnel that they name. The funnel's figures hide where fewer than three visitors left, and
 * the numbers of visitors at the other steps would reveal those.
 */
function atEachStep({ filters, funnels = [] }: Scope): Filter[][] {
  const stepsOf = (value = ''): string[] => {
    const { funnel: id } = readFurthestStep(value);
    const steps = funnels.find((funnel) => funnel.id === id)?.steps ?? [];
    return steps.map((_, index) => writeFurthestStep({ funnel: id, step: index + 1 }));
  };
  return filters.flatMap((filter, at) => {
    const others = filters.toSpliced(at, 1);
    const named = isPlain(filter) ? [[filter]] : (filter.segments ?? []);
    return named.flatMap((own) =>
      own.flatMap((one, index) =>
        one.dimension === FURTHEST_STEP
          ? stepsOf(one.values[0]).map((value) => [...others, ...own.with(index, { ...one, values: [value] })])
          : [],
      ),
    );
  });
}

/** For each negative filter, also inside segments: all filters without that one. */
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

/**
 * Only a few of the many visitors of a row may convert, so those are counted too. The conversion rate also reveals how many visitors match
 * the other filters.
 */
async function withoutFewConverted(select: Select, ask: Ask): Promise<Rows> {
  const others = select.scope.filters.filter(({ dimension }) => dimension !== 'goal');
  const ofOthers = { ...select, scope: { ...select.scope, filters: others } };
  if (others.length > 0 && !(await hasEnoughVisitors(ofOthers, ask))) return [];
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
  const isOfBuckets = by !== undefined && 'each' in by;
  const found = await ask({ ...select, metrics, offset: 0, limit: isOfBuckets ? MAX_ROWS_A_DAY : MAX_ROWS });
  const rows = found.filter((row) => Number(row[visitors]) >= FEWEST);
  if (!by || 'interval' in by || 'hoursOfWeek' in by) return rows;
  if (isOfBuckets)
    return [...Map.groupBy(rows, (row) => row['bucket']).values()].flatMap((ofBucket) => ofBucket.slice(0, limit));
  return rows.slice(offset, offset + limit).map((row) => ({ ...row, total: rows.length }));
}

/** A point of a row's trend is narrowed twice: by the row and by its bucket. */
const isOfTrends = ({ by, labels }: Select): boolean => labels !== undefined && by !== undefined && 'each' in by;

/** An hour of a filtered week is narrowed twice, too. */
const isFilteredWeek = ({ scope, by }: Select): boolean =>
  scope.filters.length > 0 && by !== undefined && 'hoursOfWeek' in by;

const isNegative = ({ operator }: Filter): boolean => negatedBy(operator) !== undefined;

/** The dimensions of a filter. For a filter by segment, these are the dimensions of the segment's own filters. */
function dimensionsOf(filter: Filter): PlainDimension[] {
  return isPlain(filter) ? [filter.dimension] : (filter.segments ?? []).flat().map(({ dimension }) => dimension);
}

function dimensionOf({ by }: Select): Dimension[] {
  return by && 'dimension' in by ? [by.dimension] : [];
}

function isProperty(dimension: PlainDimension): boolean {
  return propertyKey(dimension) !== undefined;
}

function isIdentifying(dimension: PlainDimension): boolean {
  return isProperty(dimension) || IDENTIFYING.includes(dimension);
}
