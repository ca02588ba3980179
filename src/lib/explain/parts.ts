// The numbers that each metric is made of, as a sentence: "412 of 9,774 visits". One row for each metric.
import { fullNumber, metricValue } from '../../../server/vocabulary/numbers/format.ts';
import { type Metric, metricRow, METRICS } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { readKnownName } from '../../../server/vocabulary/questions/names.ts';
import { plural, quantity } from '../formats/format';

export type Values = Partial<Record<Metric, number>>;

type Given = {
  values: Values;
  currency: string | null;
  /** The days whose numbers are added up. */
  days: number;
  /** False for numbers that are rounded for privacy, each by itself: what is computed from several of them would be wrong. */
  isExact: boolean;
  /** The answer to `counts`, if the viewer may ask for it. */
  counted: number | undefined;
};

type Words = {
  /** A metric's value; 0 if the answer leaves it out. */
  value: (metric: Metric) => number;
  /** `9,774 visits`. */
  count: (metric: Metric, value?: number) => string;
  /** An amount of money. */
  sum: (amount: number) => string;
} & Omit<Given, 'values'>;

type PartsRow = {
  /** Other metrics that the sentence names. */
  needs: readonly Metric[];
  /** A further number: of the measured views, or of the values of a dimension. */
  counts?: 'measured_views' | Dimension;
  say: (words: Words) => string;
};

/** The whole that a rate or an average is a part of, or the part. Exact, since the server divides whole numbers and does not round. */
export const partOf = (rate: number, whole: number): number => Math.round((rate * whole) / 100);
export const wholeOf = (rate: number, part: number): number => Math.round((100 * part) / rate);
const paidIn = ({ value }: Words): number => value('revenue') + value('refunds');
const paymentsIn = (words: Words): number => Math.round(paidIn(words) / words.value('average_order'));

/** Visitors who reached a goal, of all who match the other filters. */
function converted({ value, count, isExact }: Words): string {
  const [visitors, rate] = [value('converted_visitors'), value('conversion_rate')];
  if (!isExact || rate === 0) return `${count('converted_visitors')}, ${count('conversions')}`;
  return `${fullNumber(visitors)} of ${count('unique_visitors', wholeOf(rate, visitors))}`;
}

const ofMeasured = ({ counted }: Words): string =>
  `The median of ${counted === undefined ? 'the measured page views' : quantity(counted, 'measured page view')}`;

export const PARTS: Record<keyof typeof METRICS, PartsRow> = {
  unique_visitors: {
    needs: ['visits'],
    say: ({ count, days }) => (days > 1 ? `The sum of ${days} days, in ${count('visits')}` : `In ${count('visits')}`),
  },
  visits: { needs: ['unique_visitors'], say: ({ count }) => `By ${count('unique_visitors')}` },
  pageviews: { needs: ['visits'], say: ({ count }) => `In ${count('visits')}` },
  views_per_visit: {
    needs: ['pageviews', 'visits'],
    say: ({ count }) => `${count('pageviews')} in ${count('visits')}`,
  },
  bounce_rate: {
    needs: ['visits'],
    say: ({ value, count, isExact }) =>
      `${isExact ? `${fullNumber(partOf(value('bounce_rate'), value('visits')))} of` : 'Of'} ${count('visits')}`,
  },
  visit_duration: {
    needs: ['visits'],
    say: ({ value, count, isExact }) =>
      isExact
        ? `${quantity(Math.round(value('visit_duration') * value('visits')), 'second')} in total over ${count('visits')}`
        : `Over ${count('visits')}`,
  },
  time_on_page: { needs: [], counts: 'measured_views', say: ofMeasured },
  scroll_depth: { needs: [], counts: 'measured_views', say: ofMeasured },
  events: {
    needs: ['visits'],
    counts: 'event',
    say: ({ count, counted }) =>
      counted === undefined
        ? `Beside ${count('visits')}`
        : `With ${quantity(counted, 'name')}, beside ${count('visits')}`,
  },
  conversions: { needs: ['converted_visitors'], say: ({ count }) => `By ${count('converted_visitors')}` },
  converted_visitors: { needs: ['conversion_rate', 'conversions'], say: converted },
  conversion_rate: { needs: ['converted_visitors', 'conversions'], say: converted },
  revenue: {
    needs: ['refunds'],
    say: (words) => `${words.sum(paidIn(words))} paid − ${words.sum(words.value('refunds'))} refunded`,
  },
  revenue_confirmed: { needs: ['revenue'], say: ({ value, sum }) => `Of ${sum(value('revenue'))} revenue` },
  orders: {
    needs: ['average_order', 'revenue', 'refunds'],
    say: (words) =>
      words.isExact && words.currency && words.value('average_order') > 0
        ? `${fullNumber(paymentsIn(words))} of them in ${words.currency}: ${words.sum(paidIn(words))} paid`
        : 'Payments in any currency',
  },
  average_order: {
    needs: ['revenue', 'refunds'],
    say: (words) =>
      words.isExact && words.value('average_order') > 0
        ? `${words.sum(paidIn(words))} in ${quantity(paymentsIn(words), 'payment')}`
        : `${words.sum(paidIn(words))} paid`,
  },
  refunds: { needs: ['revenue'], say: (words) => `Of ${words.sum(paidIn(words))} paid` },
  implausible_orders: { needs: ['orders'], say: ({ count }) => `Beside ${count('orders')} that count` },
  ai_visits: {
    needs: [],
    counts: 'ai_provider',
    say: ({ counted }) =>
      counted === undefined ? 'By AI crawlers and assistants' : `By ${quantity(counted, 'provider')}`,
  },
};

export const partsRow = (metric: Metric): PartsRow => PARTS[readKnownName(METRICS, metric).row];

/** `9,774 visits`, and `1 visit`. */
export function countWords(metric: Metric, value: number, currency: string | null = null): string {
  const { unit, label } = metricRow(metric);
  const name = label.toLowerCase();
  const text = metricValue(metric, value, { currency, style: 'full' });
  return `${text} ${unit === 'count' ? plural(value, name.replace(/s$/, ''), name) : name}`;
}

export function sayParts(metric: Metric, { values, ...given }: Given): string {
  const value = (name: Metric) => values[name] ?? 0;
  return partsRow(metric).say({
    ...given,
    value,
    count: (name, number = value(name)) => countWords(name, number),
    sum: (amount) => metricValue('revenue', amount, { currency: given.currency, style: 'full' }),
  });
}
