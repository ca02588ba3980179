// The numbers that each metric is made of, as a sentence: "412 of 9,774 visits". One row for each metric.
import { t, tn } from '../../../server/vocabulary/habits/messages.ts';
import { fullNumber, metricValue, share } from '../../../server/vocabulary/numbers/format.ts';
import { type Metric, METRICS } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Dimension } from '../../../server/vocabulary/questions/dimensions.ts';
import { readKnownName } from '../../../server/vocabulary/questions/names.ts';

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
function converted({ value, isExact }: Words): string {
  const [visitors, rate] = [value('converted_visitors'), value('conversion_rate')];
  if (isExact && rate !== 0)
    return tn(wholeOf(rate, visitors), '{part} of {n} unique visitor', '{part} of {n} unique visitors', {
      part: fullNumber(visitors),
    });
  return t('{visitors}, {conversions}', {
    visitors: tn(visitors, '{n} converted visitor', '{n} converted visitors'),
    conversions: tn(value('conversions'), '{n} conversion', '{n} conversions'),
  });
}

const ofMeasured = ({ counted }: Words): string =>
  counted === undefined
    ? t('The median of the measured page views')
    : tn(counted, 'The median of {n} measured page view', 'The median of {n} measured page views');

const inVisits = ({ value }: Words): string => tn(value('visits'), 'In {n} visit', 'In {n} visits');

export const PARTS: Record<keyof typeof METRICS, PartsRow> = {
  unique_visitors: {
    needs: ['visits'],
    say: (words) =>
      words.days > 1
        ? tn(words.value('visits'), 'The sum of {days} days, in {n} visit', 'The sum of {days} days, in {n} visits', {
            days: words.days,
          })
        : inVisits(words),
  },
  visits: {
    needs: ['unique_visitors'],
    say: ({ value }) => tn(value('unique_visitors'), 'By {n} unique visitor', 'By {n} unique visitors'),
  },
  pageviews: { needs: ['visits'], say: inVisits },
  views_per_visit: {
    needs: ['pageviews', 'visits'],
    say: ({ value }) =>
      tn(value('visits'), '{views} in {n} visit', '{views} in {n} visits', {
        views: tn(value('pageviews'), '{n} page view', '{n} page views'),
      }),
  },
  bounce_rate: {
    needs: ['visits'],
    say: ({ value, isExact }) =>
      isExact
        ? tn(value('visits'), '{part} of {n} visit', '{part} of {n} visits', {
            part: fullNumber(partOf(value('bounce_rate'), value('visits'))),
          })
        : tn(value('visits'), 'Of {n} visit', 'Of {n} visits'),
  },
  visit_duration: {
    needs: ['visits'],
    say: ({ value, isExact }) =>
      isExact
        ? tn(value('visits'), '{time} in total over {n} visit', '{time} in total over {n} visits', {
            time: tn(Math.round(value('visit_duration') * value('visits')), '{n} second', '{n} seconds'),
          })
        : tn(value('visits'), 'Over {n} visit', 'Over {n} visits'),
  },
  time_on_page: { needs: [], counts: 'measured_views', say: ofMeasured },
  scroll_depth: { needs: [], counts: 'measured_views', say: ofMeasured },
  events: {
    needs: ['visits'],
    counts: 'event',
    say: ({ value, counted }) =>
      counted === undefined
        ? tn(value('visits'), 'Beside {n} visit', 'Beside {n} visits')
        : tn(value('visits'), 'With {names}, beside {n} visit', 'With {names}, beside {n} visits', {
            names: tn(counted, '{n} name', '{n} names'),
          }),
  },
  conversions: {
    needs: ['converted_visitors'],
    say: ({ value }) => tn(value('converted_visitors'), 'By {n} converted visitor', 'By {n} converted visitors'),
  },
  converted_visitors: { needs: ['conversion_rate', 'conversions'], say: converted },
  conversion_rate: { needs: ['converted_visitors', 'conversions'], say: converted },
  revenue: {
    needs: ['refunds'],
    say: (words) =>
      t('{paid} paid − {refunded} refunded', {
        paid: words.sum(paidIn(words)),
        refunded: words.sum(words.value('refunds')),
      }),
  },
  revenue_confirmed: {
    needs: ['revenue'],
    say: ({ value, sum }) => t('Of {revenue} revenue', { revenue: sum(value('revenue')) }),
  },
  orders: {
    needs: ['average_order', 'revenue', 'refunds'],
    say: (words) =>
      words.isExact && words.currency && words.value('average_order') > 0
        ? t('{count} of them in {currency}: {paid} paid', {
            count: fullNumber(paymentsIn(words)),
            currency: words.currency,
            paid: words.sum(paidIn(words)),
          })
        : t('Payments in any currency'),
  },
  average_order: {
    needs: ['revenue', 'refunds'],
    say: (words) => {
      const paid = words.sum(paidIn(words));
      return words.isExact && words.value('average_order') > 0
        ? tn(paymentsIn(words), '{paid} in {n} payment', '{paid} in {n} payments', { paid })
        : t('{paid} paid', { paid });
    },
  },
  refunds: { needs: ['revenue'], say: (words) => t('Of {paid} paid', { paid: words.sum(paidIn(words)) }) },
  implausible_orders: {
    needs: ['orders'],
    say: ({ value }) => tn(value('orders'), 'Beside {n} order that counts', 'Beside {n} orders that count'),
  },
  ai_visits: {
    needs: [],
    counts: 'ai_provider',
    say: ({ counted }) =>
      counted === undefined ? t('By AI crawlers and assistants') : tn(counted, 'By {n} provider', 'By {n} providers'),
  },
};

export const partsRow = (metric: Metric): PartsRow => PARTS[readKnownName(METRICS, metric).row];

type Share = { part: string; share: string };

const OF: Partial<Record<Metric, (whole: number, of: Share) => string>> = {
  unique_visitors: (whole, of) =>
    tn(whole, '{part} of {n} unique visitor, {share}', '{part} of {n} unique visitors, {share}', of),
  visits: (whole, of) => tn(whole, '{part} of {n} visit, {share}', '{part} of {n} visits, {share}', of),
  pageviews: (whole, of) => tn(whole, '{part} of {n} page view, {share}', '{part} of {n} page views, {share}', of),
  events: (whole, of) => tn(whole, '{part} of {n} event, {share}', '{part} of {n} events, {share}', of),
  conversions: (whole, of) => tn(whole, '{part} of {n} conversion, {share}', '{part} of {n} conversions, {share}', of),
  converted_visitors: (whole, of) =>
    tn(whole, '{part} of {n} converted visitor, {share}', '{part} of {n} converted visitors, {share}', of),
  orders: (whole, of) => tn(whole, '{part} of {n} order, {share}', '{part} of {n} orders, {share}', of),
  implausible_orders: (whole, of) =>
    tn(whole, '{part} of {n} implausible order, {share}', '{part} of {n} implausible orders, {share}', of),
  ai_visits: (whole, of) => tn(whole, '{part} of {n} AI visit, {share}', '{part} of {n} AI visits, {share}', of),
};

/** `412 of 9,774 visits, 4%`. Undefined for what is not counted, and for nothing. */
export const sayShare = (metric: Metric, part: number, whole: number): string | undefined =>
  part > 0 ? OF[metric]?.(whole, { part: fullNumber(part), share: share(part, whole) }) : undefined;

export function sayParts(metric: Metric, { values, ...given }: Given): string {
  const value = (name: Metric) => values[name] ?? 0;
  return partsRow(metric).say({
    ...given,
    value,
    sum: (amount) => metricValue('revenue', amount, { currency: given.currency, style: 'full' }),
  });
}
