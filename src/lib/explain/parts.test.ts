import { expect, test } from 'vitest';
import { type Metric, METRIC_NAMES } from '../../../server/vocabulary/numbers/metrics.ts';
import { partOf, type PARTS, partsRow, sayParts, wholeOf } from './parts';

/** A month of a shop, under a filter by goal. */
const VALUES: Record<Metric, number> = {
  unique_visitors: 8811,
  visits: 9774,
  pageviews: 12_345,
  views_per_visit: 12_345 / 9774,
  bounce_rate: (100 * 412) / 9774,
  visit_duration: 432_105 / 9774,
  time_on_page: 31,
  scroll_depth: 62,
  events: 1204,
  conversions: 380,
  converted_visitors: 320,
  conversion_rate: (100 * 320) / 8812,
  revenue: 12_000.5,
  revenue_confirmed: 9000,
  orders: 120,
  average_order: 12_300.75 / 110,
  refunds: 300.25,
  implausible_orders: 3,
  ai_visits: 1204,
} as Record<Metric, number>;

/** What is said of each metric, of exact numbers and of rounded ones. */
const SAID: Record<keyof typeof PARTS, [exact: string, rounded?: string]> = {
  unique_visitors: ['The sum of 30 days, in 9,774 visits'],
  visits: ['By 8,811 unique visitors'],
  pageviews: ['In 9,774 visits'],
  views_per_visit: ['12,345 page views in 9,774 visits'],
  bounce_rate: ['412 of 9,774 visits', 'Of 9,774 visits'],
  visit_duration: ['432,105 seconds in total over 9,774 visits', 'Over 9,774 visits'],
  time_on_page: ['The median of 6 measured page views'],
  scroll_depth: ['The median of 6 measured page views'],
  events: ['With 6 names, beside 9,774 visits'],
  conversions: ['By 320 converted visitors'],
  converted_visitors: ['320 of 8,812 unique visitors', '320 converted visitors, 380 conversions'],
  conversion_rate: ['320 of 8,812 unique visitors', '320 converted visitors, 380 conversions'],
  revenue: ['€12,300.75 paid − €300.25 refunded'],
  revenue_confirmed: ['Of €12,000.50 revenue'],
  orders: ['110 of them in EUR: €12,300.75 paid', 'Payments in any currency'],
  average_order: ['€12,300.75 in 110 payments', '€12,300.75 paid'],
  refunds: ['Of €12,300.75 paid'],
  implausible_orders: ['Beside 120 orders that count'],
  ai_visits: ['By 6 providers'],
};

test.each(METRIC_NAMES)('%s says what it is made of, from the metrics that it names', (metric) => {
  const { needs, counts } = partsRow(metric);
  const values = Object.fromEntries([metric, ...needs].map((name) => [name, VALUES[name]]));
  const given = { values, currency: 'EUR', days: 30, counted: counts && 6 };
  const [exact, rounded = exact] = SAID[metric as keyof typeof PARTS];
  expect(sayParts(metric, { ...given, isExact: true })).toBe(exact);
  expect(sayParts(metric, { ...given, isExact: false })).toBe(rounded);
  // Without any value, no sentence has a number that does not exist.
  const nothing = { values: {}, currency: null, days: 1, counted: undefined };
  for (const isExact of [true, false]) expect(sayParts(metric, { ...nothing, isExact })).not.toMatch(/NaN|∞|undefined/);
});

test('one of something is said so', () => {
  const given = { currency: null, days: 1, isExact: true, counted: undefined };
  expect(sayParts('bounce_rate', { ...given, values: { bounce_rate: 100, visits: 1 } })).toBe('1 of 1 visit');
});

test('the part of a rate and the whole of a share are the counted ones, at any size', () => {
  for (let whole = 1; whole < 1e12; whole = Math.ceil(whole * 1.7))
    for (const part of [1, Math.ceil(whole / 3), Math.ceil(whole / 2), whole]) {
      const rate = (100 * part) / whole;
      expect([partOf(rate, whole), wholeOf(rate, part)]).toEqual([part, whole]);
    }
});
