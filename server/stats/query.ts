// Questions: what may be asked of the stats, checked at the boundary. tRPC, REST and CSV all end here.
import { z } from 'zod';
import { DIMENSION_NAMES, type Dimension, isDimension } from './dimensions.ts';
import { METRIC_NAMES } from './metrics.ts';
import { readDay } from '../vocabulary/time.ts';
import { INTERVALS } from '../vocabulary/intervals.ts';
import { COMPARISON_NAMES, DAY_RULE, PERIOD_NAMES } from '../vocabulary/periods.ts';

export const dimension = z.custom<Dimension>(
  (value) => typeof value === 'string' && isDimension(value),
  `must be one of ${DIMENSION_NAMES.join(', ')}, or prop:KEY`,
);

export const metric = z.enum(METRIC_NAMES);

export const OPERATORS = ['is', 'is_not', 'contains', 'contains_not'] as const;

export const filter = z.strictObject({
  dimension,
  operator: z.enum(OPERATORS),
  values: z.array(z.string().max(2048)).min(1).max(50),
});
export type Filter = z.output<typeof filter>;

const day = z.string().refine((text) => readDay(text) !== undefined, DAY_RULE);

const askedPeriod = {
  site_id: z.string().max(64),
  period: z.enum(PERIOD_NAMES).default('30d'),
  date_from: day.optional(),
  date_to: day.optional(),
  compare: z.enum(COMPARISON_NAMES).default('none'),
  filters: z.array(filter).max(20).default([]),
};

export const summaryQuestion = z.strictObject(askedPeriod);
export type SummaryQuestion = z.output<typeof summaryQuestion>;

export const timeseriesQuestion = z.strictObject({
  ...askedPeriod,
  metric,
  interval: z.enum(INTERVALS).optional(),
});
export type TimeseriesQuestion = z.output<typeof timeseriesQuestion>;

export const searchQuestion = z.strictObject({
  site_id: askedPeriod.site_id,
  period: askedPeriod.period,
  date_from: day.optional(),
  date_to: day.optional(),
  search: z.string().min(1).max(256),
  /** Dimensions of which all values are wanted, since the asker knows them by other names. */
  whole: z.array(dimension).max(DIMENSION_NAMES.length).default([]),
});
export type SearchQuestion = z.output<typeof searchQuestion>;

export const breakdownQuestion = z.strictObject({
  ...askedPeriod,
  dimension,
  metrics: z.array(metric).min(1).max(METRIC_NAMES.length),
  page: z.int().min(1).max(100_000).default(1),
  per_page: z.int().min(1).max(1000).default(10),
  search: z.string().max(256).optional(),
  order: z.strictObject({ by: z.union([metric, z.literal('name')]), direction: z.enum(['asc', 'desc']) }).optional(),
});
export type BreakdownQuestion = z.output<typeof breakdownQuestion>;
