// The open form of Footfall's own export: the daily sums of each value of each dimension, and of each goal. Values are those of the other server, word
// for word. See jobs/exporting/.
import { DIMENSION_NAMES, type Dimension } from '../../../questions/dimensions.ts';
import { FORMULA } from '../../../texts/formula.ts';
import { dayReader } from '../../values/dates.ts';
import { isTold, readCount, readSeconds } from '../../values/numbers.ts';
import { becomesBy, hasColumns, indexesOf, NO_NUMBERS, type CsvFormat, type Format, type Table } from '../format.ts';
import { sumOf, widthProblem } from '../sums.ts';

const SUMS = {
  date: 'day',
  dimension: 'dimension',
  value: 'value',
  unique_visitors: 'visitors',
  visits: 'visits',
  pageviews: 'pageviews',
  events: 'events',
  bounces: 'bounces',
  visit_seconds: 'visit_seconds',
} as const;
const GOALS = {
  date: 'day',
  goal_id: null,
  goal: null,
  conditions: 'goal',
  conversions: 'events',
  converted_visitors: 'visitors',
  revenue: null,
  currency: null,
} as const;

const columnsOf = <Name extends string>(meanings: Record<Name, string | null>) => Object.keys(meanings) as Name[];
const isDimension = (text: string): text is '' | Dimension =>
  text === '' || DIMENSION_NAMES.some((name) => name === text);
/** Text as it was before it was made harmless for spreadsheets. */
const plainOf = (text: string) => (text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text);
/** Days that the other server had imported may not tell every number. */
const readTold = (cell: string, read: (text: string) => number | undefined) => (isTold(cell) ? read(cell) : null);
const readDay = dayReader('day_first');

const csv: CsvFormat = {
  kind: 'sums',
  open({ header }) {
    if (hasColumns(header, columnsOf(SUMS))) return sums(header);
    return hasColumns(header, columnsOf(GOALS)) ? goals(header) : undefined;
  },
};

export const footfall: Format = { product: 'Footfall', csv };

function sums(header: readonly string[]): Table {
  const at = indexesOf(header, columnsOf(SUMS));
  const row = { width: header.length, needed: Math.max(...Object.values(at)) + 1 };
  return {
    becomes: becomesBy(header, SUMS),
    put(cells, batch) {
      const problem = widthProblem(cells, row);
      if (problem) return problem;
      const cell = (name: keyof typeof SUMS) => cells[at[name]] ?? '';
      const day = readDay(cell('date'));
      if (day === undefined) return 'no_date';
      const dimension = cell('dimension');
      if (!isDimension(dimension)) return 'unreadable';
      const numbers = {
        visitors: readCount(cell('unique_visitors')),
        visits: readTold(cell('visits'), readCount),
        pageviews: readTold(cell('pageviews'), readCount),
        events: readCount(cell('events')),
        bounces: readTold(cell('bounces'), readCount),
        visit_seconds: readTold(cell('visit_seconds'), readSeconds),
      };
      const { visitors, visits, pageviews, events, bounces, visit_seconds } = numbers;
      if (
        visitors === undefined ||
        visits === undefined ||
        pageviews === undefined ||
        events === undefined ||
        bounces === undefined ||
        visit_seconds === undefined
      )
        return 'bad_number';
      const read = { visitors, visits, pageviews, events, bounces, visit_seconds };
      batch.sums.push(sumOf(day, dimension, plainOf(cell('value')), read));
      return undefined;
    },
  };
}

function goals(header: readonly string[]): Table {
  const at = indexesOf(header, columnsOf(GOALS));
  const row = { width: header.length, needed: Math.max(...Object.values(at)) + 1 };
  return {
    becomes: becomesBy(header, GOALS),
    put(cells, batch) {
      const problem = widthProblem(cells, row);
      if (problem) return problem;
      const cell = (name: keyof typeof GOALS) => cells[at[name]] ?? '';
      const day = readDay(cell('date'));
      const [events, visitors] = [readCount(cell('conversions')), readCount(cell('converted_visitors'))];
      if (day === undefined) return 'no_date';
      if (events === undefined || visitors === undefined) return 'bad_number';
      batch.sums.push(sumOf(day, 'goal', cell('conditions'), { ...NO_NUMBERS, visitors, events }));
      return undefined;
    },
  };
}
