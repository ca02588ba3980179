// Rows of daily sums, whichever product they are from: a day, values of dimensions, numbers.
import type { ImportedSum, RejectReason } from '../import.ts';
import { dimensionRow, type Dimension } from '../../questions/dimensions.ts';
import type { Numbers, Table } from './format.ts';
import type { ReadLabel } from './labels.ts';

export type SumRow = {
  /** Columns of the header. */
  width: number;
  /** Cells that a row must have at least. */
  needed: number;
  dayAt: number;
  readDay(text: string): string | undefined;
  labels: { dimension: Dimension; read: ReadLabel }[];
  readNumbers(cells: readonly string[]): Numbers | undefined;
};

type Width = { width: number; needed: number };

/** Cells that a row has and the header does not, except for empty ones, mean that a separator stands in a value. */
export function widthProblem(cells: readonly string[], { width, needed }: Width): RejectReason | undefined {
  if (cells.length < needed) return 'short_row';
  for (let index = width; index < cells.length; index++) if (cells[index] !== '') return 'unreadable';
  return undefined;
}

const TOTAL = /^(?:grand total|totals?|gesamt(?:summe)?|summe|insgesamt|total général|total general)$/i;
/** Google Analytics and spreadsheets add a row of totals, which is no day. */
const isTotal = (cells: readonly string[]) => cells.some((cell) => TOTAL.test(cell.trim()));

export function sumTable(row: SumRow, becomes: (string | null)[], totalsRank: number | undefined): Table {
  const labels = row.labels.map(({ dimension, read }) => ({
    dimension,
    read,
    isOptional: dimension === 'event' || dimensionRow(dimension).isOptional === true,
  }));
  const isOfVisits = row.labels.every(({ dimension }) => dimensionRow(dimension).of === 'visits');
  const table: Table = {
    becomes,
    totalsRank,
    put(cells, { sums }) {
      const day = row.readDay(cells[row.dayAt] ?? '');
      if (day === undefined && isTotal(cells)) return undefined;
      const problem = widthProblem(cells, row);
      if (problem) return problem;
      if (day === undefined) return 'no_date';
      const numbers = row.readNumbers(cells);
      if (!numbers) return 'bad_number';
      if (table.givesTotals) sums.push(sumOf(day, '', '', isOfVisits ? numbers : withoutVisits(numbers)));
      for (const { dimension, read, isOptional } of labels) {
        const label = read(cells);
        if (label !== '' || !isOptional) sums.push(sumOf(day, dimension, label, numbers));
      }
      return undefined;
    },
  };
  return table;
}

/** What events add to the totals of a day. */
const NOTHING_MORE: Readonly<Numbers> = Object.freeze({
  visitors: 0,
  visits: 0,
  pageviews: 0,
  events: 0,
  bounces: 0,
  visit_seconds: 0,
});

/** A table of events by name: the totals of a day are in another one, which does not count events. */
export const withEventTotals = ({ put, ...table }: Table): Table => ({
  ...table,
  put: (cells, batch, line) => {
    const rejected = put(cells, batch, line);
    const last = batch.sums.at(-1);
    if (!rejected && last?.dimension === 'event')
      batch.sums.push(sumOf(last.day, '', '', { ...NOTHING_MORE, events: last.events }));
    return rejected;
  },
});

/** A visit stands under each of its pages, so that the visits of pages do not add up to those of a day. */
const withoutVisits = (numbers: Numbers): Numbers => ({ ...numbers, visits: null, bounces: null, visit_seconds: null });

// Written out: a spread of the numbers takes three times as long.
export function sumOf(day: string, dimension: ImportedSum['dimension'], label: string, numbers: Numbers): ImportedSum {
  return {
    day,
    dimension,
    label,
    visitors: numbers.visitors,
    visits: numbers.visits,
    pageviews: numbers.pageviews,
    events: numbers.events,
    bounces: numbers.bounces,
    visit_seconds: numbers.visit_seconds,
  };
}
