// What almost everybody has. Visitors have several pages, events and goals, so rows of these do not add up to a total. But a row that all visitors have
// except one would differ from the total exactly if this one is among those whom filters leave. Such a row counts everybody, as a filter by it
// does (see conditions.ts), and as a step of a funnel does.
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import type { Rows } from '../sql/sql.ts';

export const hasSeveral = (dimension: Dimension | undefined): boolean =>
  dimension !== undefined && dimensionSql(dimension, String).level === 'row';

type Row = Rows[number];
type Lacking = { fewest: number; isGoals: boolean };

/** The rows of a list, with everybody in those that too few visitors lack. `totals`: those of the same filters, or of each bucket of time. */
export function countAlmostAll(rows: Rows, totals: Rows, { fewest, isGoals }: Lacking): Rows {
  const everybody = new Map(totals.map((total) => [total['label'], total]));
  return rows.map((row) => {
    const total = everybody.get(row['bucket']);
    if (!total) return row;
    return isGoals ? convertedOf(row, total, fewest) : visitorsOf(row, total, fewest);
  });
}

const numberIn = (row: Row, column: string): number => Number(row[column]);

/** True if too few visitors lack what a row is of. One that too few have is withheld. `had`: the column of those who have it. */
function isOfAlmostAll(row: Row, had: string, { total, fewest }: { total: Row; fewest: number }): boolean {
  const visitors = numberIn(row, had);
  return visitors >= fewest && numberIn(total, 'unique_visitors') - visitors < fewest;
}

function visitorsOf(row: Row, total: Row, fewest: number): Row {
  if (!isOfAlmostAll(row, 'unique_visitors', { total, fewest })) return row;
  const columns = ['unique_visitors', 'visitor_key', ...('visits' in row ? ['visits'] : [])];
  return { ...row, ...Object.fromEntries(columns.map((column) => [column, numberIn(total, column)])) };
}

/** The same for visitors who reached goals: a row in which all but a few did. */
export function convertedOf(row: Row, total: Row, fewest: number): Row {
  if (!isOfAlmostAll(row, 'converted_visitors', { total, fewest })) return row;
  const [all, rate] = [numberIn(total, 'unique_visitors'), row['conversion_rate']];
  return {
    ...row,
    converted_visitors: all,
    converted_key: numberIn(total, 'visitor_key'),
    ...(rate !== undefined && { conversion_rate: (Number(rate) * all) / numberIn(row, 'converted_visitors') }),
  };
}
