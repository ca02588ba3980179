// The schemas of stats queries, checked at the boundary. tRPC, REST and CSV all use them.
import { z } from 'zod';
import { type Dimension, DIMENSION_NAMES, DIMENSIONS, isDimension } from '../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP_RULE, FURTHEST_STEP, isFurthestStep } from '../vocabulary/questions/furthest-step.ts';
import { GROUP_PERIODS } from '../vocabulary/settings/groups.ts';
import { INTERVALS, isWithinDay } from '../vocabulary/time/intervals.ts';
import {
  CURRENCY,
  CURRENCY_RULE,
  MAX_FILTER_VALUE,
  MAX_FILTER_VALUES,
  MAX_FILTERS,
  MAX_PAGE,
  MAX_ROWS,
  MAX_SEARCH,
  MAX_RECORD_ID,
  MAX_TRENDS,
} from '../vocabulary/limits.ts';
import {
  JOURNEY_DIRECTIONS,
  JOURNEY_STARTS,
  MAX_JOURNEY_STEPS,
  MIN_JOURNEY_STEPS,
  USUAL_JOURNEY_STEPS,
} from '../vocabulary/questions/journeys.ts';
import { MAX_QUESTION } from '../vocabulary/asking/words.ts';
import { isMetric, type Metric, METRIC_NAMES, METRICS } from '../vocabulary/numbers/metrics.ts';
import { ERROR_KINDS, ERROR_ORDERS, ERROR_SHAPE } from '../vocabulary/numbers/errors.ts';
import { OWN_SPLITS, VITAL_NAMES, VITALS_ORDERS, VITALS_SPLITS } from '../vocabulary/numbers/vitals.ts';
import { listNames } from '../vocabulary/questions/names.ts';
import { type Operator, OPERATOR_NAMES } from '../vocabulary/questions/operators.ts';
import { COMPARISON_NAMES, DAY_RULE, PERIOD_NAMES } from '../vocabulary/time/periods.ts';
import { MAX_SEARCH_PAGE, SEARCH_METRICS } from '../vocabulary/settings/search-console.ts';
import {
  type FilterDimension,
  isFilterDimension,
  isPlainDimension,
  operatorsOf,
  type PlainDimension,
  type PlainFilter,
  SEGMENT,
} from '../vocabulary/questions/segments.ts';
import { readDay } from '../vocabulary/time/time.ts';
import type { Rare } from './disclosure/joined-values.ts';

const dimension = z.custom<Dimension>(
  (value) => typeof value === 'string' && isDimension(value),
  `must be one of ${listNames(DIMENSIONS)}`,
);

const metric = z.custom<Metric>(
  (value) => typeof value === 'string' && isMetric(value),
  `must be one of ${listNames(METRICS)}`,
);

const VALUES = `must be a list of 1 to ${MAX_FILTER_VALUES} texts of at most ${MAX_FILTER_VALUE} characters`;
const compared = {
  operator: z.enum(OPERATOR_NAMES, { error: `operator must be one of ${OPERATOR_NAMES.join(', ')}` }),
  values: z
    .array(z.string({ error: VALUES }).max(MAX_FILTER_VALUE, { error: VALUES }), { error: VALUES })
    .min(1, { error: VALUES })
    .max(MAX_FILTER_VALUES, { error: VALUES }),
};
type Compared<Of extends FilterDimension> = { dimension: Of; operator: Operator; values: string[] };

function checkFilter({
  value: { dimension, operator, values },
  issues,
}: z.core.ParsePayload<Compared<FilterDimension>>) {
  const operators = operatorsOf(dimension);
  const add = (path: string, message: string) => issues.push({ code: 'custom', path: [path], message, input: values });
  if (!operators.includes(operator)) add('operator', `must be ${operators.join(' or ')} for ${dimension}`);
  if (dimension === FURTHEST_STEP && !values.every(isFurthestStep)) add('values', FURTHEST_STEP_RULE);
}

export const plainFilter: z.ZodType<PlainFilter> = z
  .strictObject({
    dimension: z.custom<PlainDimension>(
      (value) => typeof value === 'string' && isPlainDimension(value),
      `must be ${FURTHEST_STEP}, or one of ${listNames(DIMENSIONS)}`,
    ),
    ...compared,
  })
  .check(checkFilter);

const FILTERS = 'must be a list of filters in JSON';
const FILTERED = `dimension must be ${SEGMENT}, ${FURTHEST_STEP}, or one of ${listNames(DIMENSIONS)}`;
const filter = z
  .strictObject(
    {
      // a string in the description of the API
      dimension: z.string({ error: FILTERED }).refine(isFilterDimension, { error: FILTERED }) as unknown as z.ZodType<
        FilterDimension,
        FilterDimension
      >,
      ...compared,
    },
    { error: FILTERS },
  )
  .check(checkFilter);
const TOO_MANY = `at most ${MAX_FILTERS} filters are allowed`;
export const filterList = z.array(filter, { error: FILTERS }).max(MAX_FILTERS, { error: TOO_MANY });
/**
 * `segments`: the filters of each segment that this filter names. The callers of stats look them up. `keepsVisits`: the filter narrows rows,
 * such as page views, but visits need no match. `isOfPart`: the values are those that contain a part of a name. `rare`: values of its dimension
 * whose visitors count under another one (see disclosure/rare-values.ts). `isFixed`: a share link adds it to every question, so it is never left out.
 */
export type Filter = z.output<typeof filter> & {
  segments?: PlainFilter[][];
  keepsVisits?: true;
  isOfPart?: true;
  rare?: Rare;
  isFixed?: true;
};

export const day = z.string().refine((text) => readDay(text) !== undefined, DAY_RULE);

const askedPeriod = {
  site_id: z.string().max(MAX_RECORD_ID),
  /**
   * The currency of revenue, refunds and the average order; the site's by default. If it is given, orders are those in it, too: else they are
   * those in all currencies.
   */
  currency: z.string().regex(CURRENCY, CURRENCY_RULE).optional(),
  period: z.enum(PERIOD_NAMES).default('30d'),
  date_from: day.optional(),
  date_to: day.optional(),
  compare: z.enum(COMPARISON_NAMES).default('none'),
  compare_from: day.optional(),
  compare_to: day.optional(),
  filters: filterList.default([]),
  /** False: without the days that were imported from another product. */
  include_imported: z.boolean().optional(),
};

/** Filters to compare with in the same period, instead of another period. */
type Versus = { versus?: Filter[] | undefined };

/** A question in plain words. `period` and `compare`: those of a question that names none. */
export const askedInWords = z.strictObject({
  q: z.string().min(1).max(MAX_QUESTION),
  site_id: askedPeriod.site_id,
  period: askedPeriod.period,
  date_from: askedPeriod.date_from,
  date_to: askedPeriod.date_to,
  compare: z.enum(COMPARISON_NAMES).default('previous'),
  compare_from: askedPeriod.compare_from,
  compare_to: askedPeriod.compare_to,
});

export const summaryQuestion = z.strictObject(askedPeriod);
export type SummaryQuestion = z.output<typeof summaryQuestion> & Versus;

/** Several sites together: periods of whole days, and no filters, which belong to one site. */
export const groupQuestion = z.strictObject({
  period: z.enum(GROUP_PERIODS).default('30d'),
  date_from: askedPeriod.date_from,
  date_to: askedPeriod.date_to,
  compare: askedPeriod.compare,
  compare_from: askedPeriod.compare_from,
  compare_to: askedPeriod.compare_to,
  interval: z.enum(INTERVALS.filter((interval) => !isWithinDay(interval))).optional(),
  include_imported: askedPeriod.include_imported,
});
export type GroupQuestion = z.output<typeof groupQuestion>;

/** `interval`: the usual one of the period by default. */
export const aiSeriesQuestion = z.strictObject({ ...askedPeriod, interval: z.enum(INTERVALS).optional() });
export type AiSeriesQuestion = z.output<typeof aiSeriesQuestion> & Versus;

/** `of`: the events or the payments whose properties are asked for. */
export const propertiesQuestion = z.strictObject({
  ...askedPeriod,
  of: z.enum(['events', 'orders']).default('events'),
});
export type PropertiesQuestion = z.output<typeof propertiesQuestion> & Versus;

export const timeseriesQuestion = z.strictObject({
  ...askedPeriod,
  metric,
  interval: z.enum(INTERVALS).optional(),
});
export type TimeseriesQuestion = z.output<typeof timeseriesQuestion> & Versus;

/** `names`: the rows of the dimension whose values over time are asked for. `interval`: the usual one of the period by default. */
export const trendsQuestion = z.strictObject({
  ...askedPeriod,
  dimension,
  metric,
  interval: z.enum(INTERVALS).optional(),
  names: z.array(z.string().max(MAX_FILTER_VALUE)).min(1).max(MAX_TRENDS),
});
export type TrendsQuestion = z.output<typeof trendsQuestion> & Versus;

/** `metric`: counted by weekday and hour. */
export const weekQuestion = z.strictObject({ ...askedPeriod, metric });
export type WeekQuestion = z.output<typeof weekQuestion> & Versus;

export const driverQuestion = z.strictObject({ ...askedPeriod, metric });
export type DriverQuestion = z.output<typeof driverQuestion> & Versus;

/** `dimension`: the one whose values are compared. */
export type MovesQuestion = DriverQuestion & { dimension: Dimension };

/** `by`: also splits the counts by this dimension. */
export const funnelQuestion = z.strictObject({ ...askedPeriod, by: dimension.optional() });
export type FunnelQuestion = z.output<typeof funnelQuestion> & Versus;

export const searchQuestion = z.strictObject({
  site_id: askedPeriod.site_id,
  period: askedPeriod.period,
  date_from: day.optional(),
  date_to: day.optional(),
  search: z.string().min(1).max(MAX_SEARCH),
  /** Dimensions to return with all values: the client shows them under other names and searches those itself. */
  whole: z.array(dimension).max(DIMENSION_NAMES.length).default([]),
});
export type SearchQuestion = z.output<typeof searchQuestion>;

/** `only`: the page views with this value of one of their own columns, which no filter names. Not for viewers who see no small numbers. */
const measured = {
  ...askedPeriod,
  only: z.strictObject({ split: z.enum(OWN_SPLITS), name: z.string().max(MAX_FILTER_VALUE) }).optional(),
};

/** Web vitals of all measured page views. `interval`: the usual one of the period by default. */
export const vitalsQuestion = z.strictObject({ ...measured, interval: z.enum(INTERVALS).optional() });
export type VitalsQuestion = z.output<typeof vitalsQuestion> & Versus;

/** `split`: what the page views are listed by. `vital`: only its figures are counted, which is faster; the others have no views then. */
export const vitalsListQuestion = z.strictObject({
  ...measured,
  split: z.enum(VITALS_SPLITS).default('page'),
  vital: z.enum(VITAL_NAMES).optional(),
  page: z.int().min(1).max(MAX_PAGE).default(1),
  per_page: z.int().min(1).max(MAX_ROWS).default(10),
  search: z.string().max(MAX_SEARCH).optional(),
  order: z.strictObject({ by: z.enum([...VITALS_ORDERS, 'name']), direction: z.enum(['asc', 'desc']) }).optional(),
});
export type VitalsListQuestion = z.output<typeof vitalsListQuestion> & Versus;

/** How the values of one vital are spread. */
export const vitalsHistogramQuestion = z.strictObject({ ...askedPeriod, vital: z.enum(VITAL_NAMES) });
export type VitalsHistogramQuestion = z.output<typeof vitalsHistogramQuestion> & Versus;

/** Whether visits with a good value reach a goal more often than those with a poor one. */
export const vitalsConversionQuestion = z.strictObject({
  ...askedPeriod,
  goal_id: z.string().max(MAX_RECORD_ID),
  vital: z.enum(VITAL_NAMES).default('lcp'),
});
export type VitalsConversionQuestion = z.output<typeof vitalsConversionQuestion> & Versus;

/** The shapes of errors. `search`: a part of their message or file. Most errors first by default. */
export const errorsQuestion = z.strictObject({
  ...askedPeriod,
  kind: z.enum(ERROR_KINDS).optional(),
  page: z.int().min(1).max(MAX_PAGE).default(1),
  per_page: z.int().min(1).max(MAX_ROWS).default(10),
  search: z.string().max(MAX_SEARCH).optional(),
  order: z.strictObject({ by: z.enum(ERROR_ORDERS), direction: z.enum(['asc', 'desc']) }).optional(),
});
export type ErrorsQuestion = z.output<typeof errorsQuestion> & Versus;

/** Where the errors of one shape happened. */
export const errorsDetailQuestion = z.strictObject({
  ...askedPeriod,
  shape: z.string().regex(ERROR_SHAPE, 'must be the id of a shape: 12 hex digits'),
});
export type ErrorsDetailQuestion = z.output<typeof errorsDetailQuestion> & Versus;

export const breakdownQuestion = z.strictObject({
  ...askedPeriod,
  dimension,
  metrics: z.array(metric).min(1).max(METRIC_NAMES.length),
  page: z.int().min(1).max(MAX_PAGE).default(1),
  per_page: z.int().min(1).max(MAX_ROWS).default(10),
  search: z.string().max(MAX_SEARCH).optional(),
  order: z.strictObject({ by: z.union([metric, z.literal('name')]), direction: z.enum(['asc', 'desc']) }).optional(),
});
export type BreakdownQuestion = z.output<typeof breakdownQuestion> & Versus;

export const searchTermsQuestion = z.strictObject({
  ...askedPeriod,
  page: z.int().min(1).max(MAX_PAGE).default(1),
  per_page: z.int().min(1).max(MAX_SEARCH_PAGE).default(10),
  search: z.string().max(MAX_SEARCH).optional(),
  order: z.strictObject({ by: z.enum([...SEARCH_METRICS, 'name']), direction: z.enum(['asc', 'desc']) }).optional(),
});
export type SearchTermsQuestion = z.output<typeof searchTermsQuestion> & Versus;

export const journeyQuestion = z.strictObject({
  ...askedPeriod,
  start: z.strictObject({ kind: z.enum(JOURNEY_STARTS), value: z.string().min(1).max(MAX_FILTER_VALUE) }),
  direction: z.enum(JOURNEY_DIRECTIONS).default('forwards'),
  steps: z.int().min(MIN_JOURNEY_STEPS).max(MAX_JOURNEY_STEPS).default(USUAL_JOURNEY_STEPS),
});
export type JourneyQuestion = z.output<typeof journeyQuestion>;
