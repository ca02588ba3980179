import { describe, expect, it } from 'vitest';
import {
  ago,
  axisParts,
  bucketName,
  change,
  conversionRate,
  dateRange,
  duration,
  isolated,
  metricValue,
  money,
  share,
  shortNumber,
} from './format';
import { METRIC_NAMES } from '../../../server/vocabulary/numbers/metrics.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

describe('numbers', () => {
  it('show every digit up to 9,999, and three significant digits above', () => {
    expect([0, 7, 9_999, 10_000, 12_345, 123_456, 4_567_890].map(shortNumber)).toEqual([
      '0',
      '7',
      '9,999',
      '10k',
      '12.3k',
      '123k',
      '4.57M',
    ]);
  });

  it('show lengths of time in the two units that matter', () => {
    expect([0, 45.4, 65, 3_661, -3].map(duration)).toEqual(['0s', '45s', '1m 05s', '1h 01m', '0s']);
  });

  it('show money in its currency, and an unknown currency as a bare number', () => {
    expect(money(19.5, 'EUR')).toBe('€19.50');
    expect(money(1_886.4, 'EUR')).toBe('€1,886');
    expect(money(1_886.4, 'EUR', 'full')).toBe('€1,886.40');
    expect(money(54_321, 'USD')).toBe('US$54.3k');
    expect(money(5, 'not a currency')).toBe('5');
    expect(money(5, null)).toBe('5');
  });

  it('have a form for every metric', () => {
    for (const metric of METRIC_NAMES) expect(metricValue(metric, 12.5)).toMatch(/\d/);
  });

  it('show a share as at least <1% and at most 100%, and none of nothing', () => {
    expect([share(1, 3), share(1, 1_000), share(0, 10), share(7, 5), share(1, 0)]).toEqual([
      '33%',
      '<1%',
      '',
      '100%',
      '',
    ]);
  });

  it('show a rate as at least <1% where somebody has converted', () => {
    const rates = [conversionRate(0, 20), conversionRate(0.04, 1), conversionRate(0.05, 1), conversionRate(0, 0)];
    expect(rates).toEqual(['<1%', '<1%', '0.1%', '0%']);
  });
});

describe('a change', () => {
  it('is relative for counts, and in points for percentages', () => {
    expect(change('pageviews', 110, 100)).toEqual({ text: '10%', verdict: 'good', direction: 'up' });
    expect(change('bounce_rate', 45, 40)).toEqual({ text: '5 pt', verdict: 'bad', direction: 'up' });
    expect(change('bounce_rate', 36.2, 40)).toEqual({ text: '3.8 pt', verdict: 'good', direction: 'down' });
  });

  it('says “new” when there was nothing before, 0% when nothing changed, and nothing of nothing', () => {
    expect(change('visits', 5, 0)?.text).toBe('new');
    expect(change('visits', 1_000, 1_000)?.text).toBe('0%');
    for (const metric of METRIC_NAMES) expect(change(metric, 0, 0), metric).toBeUndefined();
    expect(change('visits', 1_000, 1_000)?.verdict).toBe('same');
  });

  it('is neither good nor bad within 2 per cent or points, and keeps its arrow', () => {
    expect(change('visits', 1_020, 1_000)).toEqual({ text: '2%', verdict: 'same', direction: 'up' });
    expect(change('visits', 980, 1_000)).toEqual({ text: '2%', verdict: 'same', direction: 'down' });
    expect(change('visits', 1_021, 1_000)?.verdict).toBe('good');
    expect(change('bounce_rate', 42, 40)?.verdict).toBe('same');
    expect(change('bounce_rate', 42.1, 40)?.verdict).toBe('bad');
  });

  it('is neither good nor bad between counts below 10, where it is chance', () => {
    expect(change('visits', 1, 2)).toEqual({ text: '50%', verdict: 'same', direction: 'down' });
    expect(change('visits', 9, 3)?.verdict).toBe('same');
    expect(change('visits', 10, 9)?.verdict).toBe('good');
    expect(change('visits', 0, 10)?.verdict).toBe('bad');
    expect(change('revenue', 1, 2)?.verdict).toBe('bad');
  });

  it('is a factor when it is more than tenfold', () => {
    expect(change('visits', 1_099, 100)?.text).toBe('999%');
    expect(change('visits', 1_100, 100)?.text).toBe('11×');
    expect(change('visits', 50_000, 2)?.text).toBe('25k×');
  });

  it('of a negative amount goes in its own direction, and is no factor where the sign changes', () => {
    expect(change('revenue', 50, -100)).toEqual({ text: '150%', verdict: 'good', direction: 'up' });
    expect(change('revenue', -200, -100)).toEqual({ text: '100%', verdict: 'bad', direction: 'down' });
    expect(change('revenue', -50, -100)).toEqual({ text: '50%', verdict: 'good', direction: 'up' });
    expect(change('revenue', 0, -100)).toEqual({ text: '100%', verdict: 'good', direction: 'up' });
    expect(change('revenue', -100, 50)).toEqual({ text: '300%', verdict: 'bad', direction: 'down' });
    expect(change('revenue', -1_200, -100)).toEqual({ text: '12×', verdict: 'bad', direction: 'down' });
    expect(change('revenue', 200, -10)).toEqual({ text: '2,100%', verdict: 'good', direction: 'up' });
  });

  it('from nothing is new, or a fall below it', () => {
    expect(change('revenue', 50, 0)).toEqual({ text: 'new', verdict: 'good', direction: 'up', isWord: true });
    expect(change('revenue', -50, 0)).toEqual({ text: 'down', verdict: 'bad', direction: 'down', isWord: true });
    expect(change('refunds', 50, 0)).toEqual({ text: 'new', verdict: 'bad', direction: 'up', isWord: true });
  });

  it('is absent without a comparison', () => {
    expect(change('visits', 5, null)).toBeUndefined();
  });
});

describe('times', () => {
  it('are UTC, whatever the browser’s zone', () => {
    expect(axisParts(NOON, 'hour')).toEqual({ label: '12:00', context: '21 Nov' });
    expect(bucketName(NOON, 'hour')).toBe('21 Nov, 12:00–13:00');
    expect(axisParts(Date.UTC(2026, 0, 1), 'month')).toEqual({ label: 'Jan', context: '2026' });
    expect(bucketName(Date.UTC(2026, 10, 16), 'week')).toBe('16 – 22 Nov 2026');
  });

  it('shorten ranges as far as possible', () => {
    expect(dateRange('2026-11-03', '2026-11-09')).toBe('3 – 9 Nov 2026');
    expect(dateRange('2026-11-03', '2026-11-03')).toBe('3 Nov 2026');
    expect(dateRange('nonsense', '2026-11-03')).toBe('');
  });

  it('say how long ago they were', () => {
    expect(ago(NOON - 10_000, NOON)).toBe('just now');
    expect(ago(NOON - 4 * 60_000, NOON)).toBe('4 minutes ago');
    expect(ago(NOON - 26 * 3_600_000, NOON)).toBe('yesterday');
    expect(ago(NOON - 90 * 86_400_000, NOON)).toBe('23 Aug 2026');
  });
});

it('isolates right-to-left text, and leaves all other text unchanged', () => {
  expect(isolated('/pricing')).toBe('/pricing');
  expect(isolated('/עברית/x')).toBe('\u2068/עברית/x\u2069');
  expect(isolated('/مقال')).toBe('\u2068/مقال\u2069');
});
