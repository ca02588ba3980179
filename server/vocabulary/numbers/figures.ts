// When the figures of a summary mean something, in the dashboard and in mails.
import { type Metric, metricRow, type Unit } from './metrics.ts';

/** Units of averages and rates. */
const OF_VISITS: ReadonlySet<Unit> = new Set(['ratio', 'per_cent', 'seconds']);

type Figures = { metrics: { name: Metric; value: number; untold?: true }[] };

/**
 * Without visits, averages and rates do not exist; they are not 0. Nor do a mean of payments or of measured views without any, and what other products
 * do not tell of their days.
 */
export function isMeaningless(metric: Metric, summary: Figures): boolean {
  if (summary.metrics.some(({ name, untold }) => name === metric && untold)) return true;
  const has = (wanted: Metric) => summary.metrics.some(({ name, value }) => name === wanted && value > 0);
  const { unit, isOfReading } = metricRow(metric);
  return isOfReading || metric === 'average_order' ? !has(metric) : OF_VISITS.has(unit) && !has('visits');
}

/** False if the site had no data yet in the whole comparison period. */
export const hasCounterpart = (
  answer: { compare: { date_to: string; counted_since: string | null } | null } | undefined,
): boolean => !answer?.compare?.counted_since || answer.compare.counted_since <= answer.compare.date_to;
