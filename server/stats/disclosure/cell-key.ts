// How a narrowed number is changed for viewers, so that two answers do not subtract to a person. This is the cell key method of official
// statistics (Fraser and Wooton, "A proposed method for confidentialising tabular output to protect against differencing", 2005; used by the
// census offices of Australia and the United Kingdom for tables that anybody may query).
//
// Each visitor has a key: the last bits of their id, which is random, is theirs for one day, and can be computed by nobody once the day's
// salt is gone. The sum of the keys of those whom a number counts decides how it is changed. The same visitors therefore give the same change,
// however the question is written, and asking again averages nothing away.
import { MOST_CHANGE } from '../../vocabulary/settings/privacy.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';

/** The visitors that a number counts: how many, and the sum of their keys. */
export type Cell = { visitors: number; key: number };

/** FNV-1a, from a state on. */
export function hashOfText(text: string, state = 0x811c9dc5): number {
  let hash = state;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return hash;
}

/**
 * Draws one of the whole numbers from `-most` to `most`, each as likely as the others. `what` is counted: each column has a change of its own,
 * so that the ratio of two does not reveal either.
 */
function draw({ key }: Cell, what: string, most: number): number {
  const ofKey = key % VISITOR_KEYS;
  let hash = hashOfText(`${ofKey} ${what}`, 0x811c9dc5 ^ ofKey);
  for (const shift of [16, 13, 16]) hash = Math.imul(hash ^ (hash >>> shift), 0x85ebca6b);
  return ((hash >>> 0) % (2 * most + 1)) - most;
}

/** The change of a count, in whole visitors. It never leads below `fewest`, nor away from 0, and a count of `fewest` stays as it is. */
const changeOf = (cell: Cell, count: number, { what, fewest }: { what: string; fewest: number }): number =>
  draw(cell, what, Math.max(0, Math.min(MOST_CHANGE, cell.visitors - fewest, count - fewest)));

/** A count of what visitors did changes by what at most `MOST_CHANGE` of them did on average, and by as many at least. */
export function changedCount(cell: Cell, count: number, of: { what: string; fewest: number }): number {
  if (count < of.fewest) return 0; // at most as many visitors did it
  return Math.round(count + changeOf(cell, count, of) * Math.max(1, count / cell.visitors));
}

/** A sum of what `count` of something have, such as the revenue of orders. */
export function changedSum(
  cell: Cell,
  sum: number,
  { count, ...of }: { count: number; what: string; fewest: number },
): number {
  if (count < of.fewest) return 0;
  return Math.round(sum * (1 + changeOf(cell, count, of) / count) * 100) / 100;
}

/** The smallest step of a changed average or rate, by its unit: the rest of its digits would tell the numbers that it was computed from. */
const STEPS = { ratio: 0.1, per_cent: 1, seconds: 1 };

/** An average or a rate changes in proportion, as if at most `MOST_CHANGE` visitors were others. */
export function changedRate(
  cell: Cell,
  rate: number,
  { unit, ...of }: { unit: keyof typeof STEPS; what: string; fewest: number },
): number {
  const step = STEPS[unit];
  const changed = rate * (1 + changeOf(cell, cell.visitors, of) / cell.visitors);
  const rounded = Math.round(Math.round(changed / step) * step * 100) / 100;
  return unit === 'per_cent' ? Math.min(100, rounded) : rounded;
}
