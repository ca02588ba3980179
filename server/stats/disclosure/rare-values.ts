// Values that hardly anybody has. If all rare values of a dimension together have fewer visitors than a number must have, whoever takes the other
// values of a narrowed list from its total is left with these visitors. Narrowed numbers therefore count them under the most frequent
// value. Which one that is depends on the unfiltered list alone, so that every question counts them alike.
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import type { PlainDimension } from '../../vocabulary/questions/segments.ts';
import { dimensionSql } from '../dimensions.ts';
import { isPlain } from '../filters.ts';
import { VISITOR_KEYS } from '../metrics.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../scope.ts';
import { hashOfText } from './cell-key.ts';
import { LONGEST } from '../lists.ts';
import type { Ask, Rows, Select } from '../sql.ts';

/** The rare values of a dimension, and the one that their visitors count under. */
export type Rare = { values: readonly string[]; into: string };
export type AskRare = (dimension: PlainDimension) => Promise<Rare | undefined>;

/** True for a dimension that a visit has one value of. */
const isOfWholeVisit = (dimension: PlainDimension): dimension is Dimension =>
  dimension !== FURTHEST_STEP && dimensionSql(dimension, String).level === 'visit';

/** Asks for each dimension once. `scope`: without filters. */
export function openRare(ask: Ask, { scope, fewest }: { scope: Scope; fewest: number }): AskRare {
  const known = new Map<PlainDimension, Promise<Rare | undefined>>();
  const find = async (dimension: Dimension): Promise<Rare | undefined> => {
    const asked: Select = { scope, metrics: ['unique_visitors'], by: { dimension } };
    const common = await ask({ ...asked, limit: LONGEST });
    const [first] = common;
    if (!first || common.length < LONGEST) return rareAmong(common, fewest);
    // If as many values as a number needs visitors are rare, their visitors are enough.
    const order = { by: 'unique_visitors', direction: 'asc' } as const;
    return rareAmong([first, ...(await ask({ ...asked, order, limit: fewest }))], fewest);
  };
  const askOnce = (dimension: Dimension) => {
    const asked = known.get(dimension) ?? find(dimension);
    known.set(dimension, asked);
    return asked;
  };
  return async (dimension) => (isOfWholeVisit(dimension) ? askOnce(dimension) : undefined);
}

function rareAmong(rows: Rows, fewest: number): Rare | undefined {
  const visitorsOf = (row: Rows[number]) => Number(row['unique_visitors']);
  const few = rows.filter((row) => visitorsOf(row) > 0 && visitorsOf(row) < fewest);
  const visitors = few.reduce((sum, row) => sum + visitorsOf(row), 0);
  if (visitors === 0 || visitors >= fewest) return undefined;
  const common = rows.filter((row) => visitorsOf(row) >= fewest);
  const [into] = common.toSorted(
    (one, other) => visitorsOf(other) - visitorsOf(one) || byText(String(one['label']), String(other['label'])),
  );
  return into && { values: few.map((row) => String(row['label'])), into: String(into['label']) };
}

/** The values of a filter with those that count under one of them. */
export const withRare = (values: readonly string[], rare: Rare | undefined): string[] =>
  rare && values.includes(rare.into) ? [...values, ...rare.values] : [...values];

/**
 * What rare values that are counted add to a cell key, so that numbers which count them are changed independently of those which do not. Which
 * values are rare is decided for each range: otherwise a day within a longer one, and the day alone, would be equal exactly if the visitors
 * that only one of them joins are not among those whom a filter leaves.
 */
export const keyOfRare = ({ values, into }: Rare): number =>
  (hashOfText(JSON.stringify([into, ...values.toSorted()])) >>> 0) % VISITOR_KEYS;

/** What the rare values of some filters add to the cell keys of all numbers that they leave. */
export const keyOfFilters = (filters: readonly Filter[]): number =>
  filters
    .flatMap((filter): WithRare[] => (isPlain(filter) ? [filter] : (filter.segments ?? []).flat()))
    .reduce((sum, { rare, values }) => sum + (rare && values.includes(rare.into) ? keyOfRare(rare) : 0), 0);
type WithRare = Pick<Filter, 'values' | 'rare'>;

const isKey = (column: string): boolean => /key(?:_\d+)?$/.test(column);

/** Rows with this added to each of their cell keys. */
export const addToKeys = (rows: Rows, key: number): Rows =>
  rows.map((row) => ({
    ...row,
    ...Object.fromEntries(
      Object.keys(row)
        .filter(isKey)
        .map((column) => [column, Number(row[column]) + key]),
    ),
  }));

/**
 * The rows of a list with those of rare values added to the one that they count under. Averages and rates stay those of the larger row.
 * TRICKY: the joined row must be changed exactly as a filter by its value is, which counts the same visitors. Two questions that answer alike only
 * if the visitors of rare values are not among them tell whether they are.
 */
export function joinRare(rows: Rows, rare: Rare | undefined, isSum: (column: string) => boolean): Rows {
  if (!rare) return rows;
  const isRare = (row: Rows[number]) => rare.values.includes(String(row['label']));
  const few = rows.filter(isRare);
  return rows
    .filter((row) => !isRare(row))
    .flatMap((row) => {
      if (row['label'] !== rare.into) return [row];
      const joined: Rows[number] = { ...row };
      for (const other of few.filter((one) => one['bucket'] === row['bucket']))
        for (const column of Object.keys(row).filter(isSum))
          joined[column] = Number(joined[column]) + Number(other[column]);
      const isTotal = !rows.some((one) => one !== row && !isRare(one) && one['bucket'] === row['bucket']);
      return isTotal ? [joined] : addToKeys([joined], keyOfRare(rare)); // the only row is the total, and changed as that is
    });
}
