// Checks which metrics, dimension and filters can be combined: they must have the same source, and must not split whole visits.
import { Refusal } from '../../errors.ts';
import { type Dimension, dimensionRow, sourceOf } from '../../vocabulary/questions/dimensions.ts';
import { METRIC_NAMES, metricsOf } from '../../vocabulary/numbers/metrics.ts';
import { type FilterDimension, sourceOfFilter } from '../../vocabulary/questions/segments.ts';
import { type Kind, KINDS, type Source, SOURCES } from '../../vocabulary/questions/sources.ts';
import { type Column, columnRow, sourceOfColumn } from './metrics.ts';
import type { Filter } from '../query.ts';

type Asked = { metrics: readonly Column[]; dimension?: Dimension | undefined; filters?: readonly Filter[] };

/** The source of the dimension, or else of the first metric. */
function expectedSource(metric: Column | undefined, dimension: Dimension | undefined): Source {
  if (dimension) return sourceOf(dimension);
  return metric ? sourceOfColumn(metric) : 'events';
}

/** Returns the source of a query. Throws bad_request when it mixes sources. */
export function sourceOfQuestion({ metrics, dimension, filters = [] }: Asked): Source {
  const source = expectedSource(metrics[0], dimension);
  const foreign = metrics.find((metric) => sourceOfColumn(metric) !== source);
  if (foreign)
    throw new Refusal(
      'bad_request',
      `metrics: ${foreign} is a metric of ${SOURCES[sourceOfColumn(foreign)].label}; ${dimension ?? metrics[0] ?? ''} can be combined only with ${metricsOf(source).join(', ')}.`,
    );
  for (const filter of filters) {
    const problem = filterProblem(filter.dimension, source);
    if (problem) throw new Refusal('bad_request', `filters: ${filter.dimension} ${problem}.`);
  }
  if (dimension && splitsVisits(dimension) && metrics.some(isOfWholeVisits))
    throw new Refusal(
      'bad_request',
      `metrics: ${METRIC_NAMES.filter(isOfWholeVisits).join(' and ')} describe whole visits, which this dimension splits.`,
    );
  if (dimension && !hasReading(dimension) && metrics.some(isOfReading))
    throw new Refusal(
      'bad_request',
      `metrics: ${METRIC_NAMES.filter(isOfReading).join(' and ')} describe page views, which this dimension does not list.`,
    );
  return source;
}

/** Returns why a query of this source cannot be filtered by a dimension; undefined if it can. */
export function filterProblem(dimension: FilterDimension, source: Source): string | undefined {
  const own = sourceOfFilter(dimension);
  return own === source ? undefined : `can be combined only with metrics of ${SOURCES[own].label}`;
}

export const isOfWholeVisits = (metric: Column): boolean => columnRow(metric).isOfWholeVisits === true;

export const isOfReading = (metric: Column): boolean => columnRow(metric).isOfReading === true;

/** True if a list by this dimension can have reading metrics. A goal has those of the page views in the visits that reached it. */
export const hasReading = (dimension: Dimension): boolean =>
  dimension === 'goal' || (['visits', 'pageviews'] as Kind[]).includes(dimensionRow(dimension).of);

export const splitsVisits = (dimension: Dimension): boolean => KINDS[dimensionRow(dimension).of].level === 'row';
