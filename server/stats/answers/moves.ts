// What moved in a list: the values that rose and fell most against the comparison period, and those that were not there before.
import { NEW_SOURCE_DAYS } from '../../vocabulary/settings/reports.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { askBoth, type Driver } from './driver.ts';
import type { MovesQuestion } from '../query.ts';
import { askRange } from './ranges.ts';
import type { Reader } from '../reader.ts';
import { type Asked, askByLabel, askTotals, comparisonOf, scopeOf } from './values.ts';

/** Most first. Empty without a comparison. */
export type Moves = { rose: Driver[]; fell: Driver[] };
export type Newcomer = { name: string; value: number };

/** The largest values are looked at: a value behind them moves little. */
const LARGEST = 50;

export async function askMoves(reader: Reader, asked: Asked<MovesQuestion>): Promise<Moves> {
  const { metric, dimension } = asked.question;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  if (!comparison) return { rose: [], fell: [] };
  const rows = await askBoth(reader, { metric, dimension, scope: scopeOf(asked, range), before: comparison.scope });
  const byName = (one: Driver, other: Driver) => (one.name < other.name ? -1 : 1);
  const moved = ({ value, previous }: Driver) => value - previous;
  const sorted = rows.sort((one, other) => moved(other) - moved(one) || byName(one, other));
  return {
    rose: sorted.filter((row) => moved(row) > 0),
    fell: sorted.filter((row) => moved(row) < 0).reverse(),
  };
}

/** Values that had nothing in the eight weeks before the period. None if the site had nothing at all then: everything would be new. */
export async function askNewcomers(reader: Reader, asked: Asked<MovesQuestion>): Promise<Newcomer[]> {
  const { metric, dimension } = asked.question;
  const range = await askRange(reader, asked);
  const before = scopeOf(asked, { ...range, from: range.from - NEW_SOURCE_DAYS * DAY_MS, to: range.from });
  const [found, total] = await Promise.all([
    askByLabel(reader, { scope: scopeOf(asked, range), metric, dimension, limit: LARGEST }),
    askTotals(reader, before, [metric]),
  ]);
  const names = [...found.keys()].filter((name) => name !== '');
  if (names.length === 0 || !total[metric]) return [];
  const known = await askByLabel(reader, { scope: before, metric, dimension, labels: names, limit: names.length });
  return names.filter((name) => !known.get(name)).map((name) => ({ name, value: found.get(name) ?? 0 }));
}
