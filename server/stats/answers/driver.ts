// Explains a change: by its driver, the value of a dimension that caused most of it, such as a source that sent fewer visitors, or by no
// value alone, where all large sources moved alike.
import { isBeyondChance } from '../../vocabulary/numbers/chance.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { DRIVERS } from '../../vocabulary/numbers/drivers.ts';
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import type { DriverQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import type { Scope } from '../sql/scope.ts';
import { type Asked, askByLabel, askTotals, comparisonOf, scopeOf, totalMetrics } from './values.ts';

type Figures = { value: number; previous: number };

/** The metric's value in the row `name`, now and in the comparison period. */
export type Driver = { dimension: Dimension; name: string } & Figures;

/** No single value caused the change of the whole: it was about as large at every major source. */
type Alike = { alike: 'source' } & Figures;
export type Explanation = Driver | Alike;

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

/** As many as a card shows. */
const MOST_MOVERS = 6;

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

/** A source is major with this share of the metric in the comparison, and this much of it: less may move by chance. */
const MAJOR = { share: 0.05, least: 20 };
/** The major sources together. The others may have moved in any way. */
const LEAST_COVERED = 0.6;
/** A smaller change is not worth an explanation. */
const LEAST_RATE = 0.05;
/** How much a source moved, as a part of how much the whole moved. */
const ALIKE = { from: 0.5, to: 1.5 };

/** Whether all major sources, at least two, moved like the whole. */
export function movedAlike({ value, previous }: Figures, sources: readonly Driver[]): boolean {
  const moved = value - previous;
  const major = sources.filter((source) => source.previous >= Math.max(MAJOR.least, MAJOR.share * previous));
  const covered = major.reduce((sum, source) => sum + source.previous, 0);
  if (major.length < 2 || covered < LEAST_COVERED * previous) return false;
  if (Math.abs(moved) < LEAST_RATE * previous || !isBeyondChance(moved, value + previous)) return false;
  const parts = major.map((source) => ((source.value - source.previous) * previous) / (moved * source.previous));
  return parts.every((part) => part >= ALIKE.from && part <= ALIKE.to);
}

/** Returns null without a comparison, for a metric that nothing can explain, and if nothing explains the change. */
export async function askExplanation(reader: Reader, asked: Asked<DriverQuestion>): Promise<Explanation | null> {
  const { metric } = asked.question;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  if (!comparison) return null;
  const { whole, rows } = await askChange(reader, metric, {
    scope: scopeOf(asked, range),
    before: comparison.scope,
  });
  const sources = rows.filter(({ dimension }) => dimension === 'source');
  const mayBeAlike = metricRow(metric).unit === 'count'; // for money, a few orders are chance
  return pickDriver(whole, rows) ?? (mayBeAlike && movedAlike(whole, sources) ? { alike: 'source', ...whole } : null);
}

/** The values of all dimensions that moved most between the period and its comparison, in either direction. Empty without a comparison. */
export async function askMovers(reader: Reader, asked: Asked<DriverQuestion>): Promise<Driver[]> {
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  if (!comparison) return [];
  const ranges = { scope: scopeOf(asked, range), before: comparison.scope };
  const { rows } = await askChange(reader, asked.question.metric, ranges);
  const moved = ({ value, previous }: Driver) => Math.abs(value - previous);
  return rows
    .filter((row) => moved(row) > 0)
    .sort((one, other) => moved(other) - moved(one)) // stable: in the order of the dimensions
    .slice(0, MOST_MOVERS);
}

/** Returns the driver of the change between any two ranges, with the filters of `scope`. */
export async function driverOf(reader: Reader, metric: Metric, ranges: Ranges): Promise<Driver | null> {
  const { whole, rows } = await askChange(reader, metric, ranges);
  return pickDriver(whole, rows);
}

type Ranges = { scope: Scope; before: Scope };

/** The metric as a whole, and at the largest values of each dimension that can explain it. */
async function askChange(reader: Reader, metric: Metric, { scope, before }: Ranges) {
  const filtered = new Set(scope.filters.map(({ dimension }) => dimension));
  const dimensions = (DRIVERS[metric] ?? []).filter((dimension) => !filtered.has(dimension));
  if (dimensions.length === 0) return { whole: { value: 0, previous: 0 }, rows: [] };
  const totals = totalMetrics({ filters: scope.filters, metrics: [metric] });
  const [now, then, ...lists] = await Promise.all([
    askTotals(reader, scope, totals),
    askTotals(reader, before, totals),
    ...dimensions.map((dimension) => askBoth(reader, { metric, dimension, scope, before })),
  ]);
  return { whole: { value: now[metric] ?? 0, previous: then[metric] ?? 0 }, rows: lists.flat() };
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
