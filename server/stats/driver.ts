// The driver of a change: the value of a dimension that caused most of it, such as a source that sent fewer visitors.
import type { Dimension } from '../vocabulary/dimensions.ts';
import { DRIVERS } from '../vocabulary/drivers.ts';
import type { Metric } from '../vocabulary/metrics.ts';
import type { DriverQuestion } from './query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from './reader.ts';
import type { Scope } from './scope.ts';
import { type Asked, askByLabel, askTotals, comparisonOf, scopeOf, totalMetrics } from './values.ts';

/** The metric's value in the row `name`, now and in the comparison period. */
export type Driver = { dimension: Dimension; name: string; value: number; previous: number };

type Figures = { value: number; previous: number };

/** A driver causes at least this share of the change. */
const LEAST_SHARE = 0.5;
/**
 * Its share of the change must exceed its previous share of the metric by this much. Otherwise a uniform fall would be blamed on the
 * largest value.
 */
const LEAST_EXCESS = 0.15;
/** Smaller changes of a value may be chance. */
const LEAST_MOVE = 3;
/** How many of the largest values to read. A value behind half of a change is among them, unless many small values offset each other. */
const LARGEST = 25;

/** Returns the value that explains the change best; null if no value does. */
export function pickDriver({ value, previous }: Figures, rows: readonly Driver[]): Driver | null {
  const change = value - previous;
  if (change === 0) return null;
  let best: { driver: Driver; excess: number } | null = null;
  for (const driver of rows) {
    const moved = driver.value - driver.previous;
    const share = moved / change;
    const excess = share - (previous > 0 ? driver.previous / previous : 0);
    if (Math.abs(moved) < LEAST_MOVE || share < LEAST_SHARE || excess < LEAST_EXCESS) continue;
    if (!best || excess > best.excess) best = { driver, excess };
  }
  return best && best.driver;
}

/** Returns null without a comparison, for a metric that no value can explain, and if no value caused most of the change. */
export async function askDriver(reader: Reader, asked: Asked<DriverQuestion>): Promise<Driver | null> {
  const { metric } = asked.question;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  return comparison ? driverOf(reader, metric, { scope: scopeOf(asked, range), before: comparison.scope }) : null;
}

/** The same for any two ranges, with the filters of `scope`. */
export async function driverOf(
  reader: Reader,
  metric: Metric,
  { scope, before }: { scope: Scope; before: Scope },
): Promise<Driver | null> {
  const filtered = new Set(scope.filters.map(({ dimension }) => dimension));
  const dimensions = (DRIVERS[metric] ?? []).filter((dimension) => !filtered.has(dimension));
  if (dimensions.length === 0) return null;
  const totals = totalMetrics({ filters: scope.filters, metrics: [metric] });
  const [now, then, ...lists] = await Promise.all([
    askTotals(reader, scope, totals),
    askTotals(reader, before, totals),
    ...dimensions.map((dimension) => askBoth(reader, { metric, dimension, scope, before })),
  ]);
  return pickDriver({ value: now[metric] ?? 0, previous: then[metric] ?? 0 }, lists.flat());
}

type Compared = { metric: Metric; dimension: Dimension; scope: Scope; before: Scope };

/** Returns the largest values of either period, each with its figures in both periods. */
export async function askBoth(reader: Reader, { metric, dimension, scope, before }: Compared): Promise<Driver[]> {
  const largest = (of: Scope) => askByLabel(reader, { scope: of, metric, dimension, limit: LARGEST });
  const named = (of: Scope, labels: string[]) =>
    labels.length === 0
      ? new Map<string, number>()
      : askByLabel(reader, { scope: of, metric, dimension, labels, limit: labels.length });
  const [now, then] = await Promise.all([largest(scope), largest(before)]);
  const missing = (from: Map<string, number>, other: Map<string, number>) =>
    [...other.keys()].filter((name) => !from.has(name));
  const [alsoNow, alsoThen] = await Promise.all([named(scope, missing(now, then)), named(before, missing(then, now))]);
  return [...new Set([...now.keys(), ...then.keys()])].map((name) => ({
    dimension,
    name,
    value: now.get(name) ?? alsoNow.get(name) ?? 0,
    previous: then.get(name) ?? alsoThen.get(name) ?? 0,
  }));
}
