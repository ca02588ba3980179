import { describe, expect, it } from 'vitest';
import { type Metric, metricRow, metricsOf } from '../../../../server/vocabulary/numbers/metrics.ts';
import { fits, gridOf, needsRight, rightUnit, rightWords, shortDuration } from './axes';

const METRICS = metricsOf('events');
const unitOf = (metric: Metric) => metricRow(metric).unit;

describe('the axis of a metric', () => {
  it('is the left one exactly if its values can be read there', () => {
    const FEW = new Set<Metric>(['conversions', 'converted_visitors', 'orders']);
    for (const own of METRICS)
      for (const metric of METRICS) {
        const isAlike = unitOf(own) === unitOf(metric) && FEW.has(own) === FEW.has(metric);
        expect(needsRight(metric, own), `${metric} beside ${own}`).toBe(!isAlike);
      }
  });

  it('is the right one for a single unit: that of the first line that is switched on', () => {
    const on = (metric: Metric) => ({ metric, isOff: false });
    expect(rightUnit([on('visits'), on('pageviews')], 'unique_visitors')).toBeUndefined();
    const lines = [on('visits'), { metric: 'revenue' as const, isOff: true }, on('bounce_rate'), on('conversions')];
    expect(rightUnit(lines, 'unique_visitors')).toBe('per_cent');
    expect(rightUnit(lines, 'bounce_rate')).toBe('count');
    const shown = (own: Metric, right: Parameters<typeof fits>[2]) =>
      (['visits', 'scroll_depth', 'conversions', 'revenue'] as const).filter((metric) => fits(metric, own, right));
    expect(shown('unique_visitors', 'per_cent')).toEqual(['visits', 'scroll_depth']);
    expect(shown('unique_visitors', 'count')).toEqual(['visits', 'conversions']);
    expect(shown('bounce_rate', 'count')).toEqual(['visits', 'scroll_depth', 'conversions']);
    expect(shown('unique_visitors', undefined)).toEqual(['visits', 'scroll_depth', 'conversions', 'revenue']);
  });

  it('is named where it is the right one, each metric once', () => {
    expect(rightWords([])).toBeUndefined();
    expect(rightWords(['bounce_rate'])).toBe('On the right axis: bounce rate.');
    expect(rightWords(['conversions', 'conversions', 'orders', 'ai_visits'])).toBe(
      'On the right axis: conversions, orders and AI visits.',
    );
  });
});

describe('the grid', () => {
  const of = (metric: Metric, most: number) => ({ metric, most });

  it('is that of the left axis, with round values in its own unit at the right', () => {
    expect(gridOf(of('visits', 97), undefined)).toEqual({ left: [0, 25, 50, 75, 100], right: [] });
    expect(gridOf(of('visits', 97), of('bounce_rate', 64)).right).toEqual([0, 20, 40, 60, 80]);
    expect(gridOf(of('visits', 97), of('visit_duration', 154)).right).toEqual([0, 60, 120, 180, 240]);
    expect(gridOf(of('visits', 97), of('views_per_visit', 1.9)).right).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(gridOf(of('visits', 97), of('orders', 3)).right).toEqual([0, 1, 2, 3, 4]);
    expect(gridOf(of('visit_duration', 154), of('revenue', 910))).toEqual({
      left: [0, 60, 120, 180],
      right: [0, 500, 1000, 1500],
    });
  });

  it('reaches the largest values, and no percentage above 100', () => {
    const mosts = [0, 0.4, 1, 2, 3, 7, 26, 51, 76, 99, 100];
    for (const own of METRICS)
      for (const other of METRICS)
        for (const most of mosts)
          for (const otherMost of mosts) {
            const { left, right } = gridOf(of(own, most), of(other, otherMost));
            const name = `${own} up to ${most}, ${other} up to ${otherMost}`;
            expect(right.length, name).toBe(left.length);
            expect(left.at(-1), name).toBeGreaterThanOrEqual(most);
            expect(right.at(-1), name).toBeGreaterThanOrEqual(otherMost);
            if (unitOf(other) === 'per_cent') expect(right.at(-1), name).toBeLessThanOrEqual(100);
          }
  });

  it('has ticks enough for the right axis while nothing is on the left one', () => {
    expect(gridOf(of('revenue', 0), of('visits', 40))).toEqual({ left: [0, 1, 2, 3, 4], right: [0, 10, 20, 30, 40] });
    expect(gridOf(of('revenue', 0), undefined).left).toEqual([0, 1]);
  });
});

it('durations on an axis are as short as they can be', () => {
  expect([0, 30, 60, 90, 120, 3600, 5400, 7200, 90_000].map(shortDuration)).toEqual([
    '0s',
    '30s',
    '1m',
    '1m 30s',
    '2m',
    '1h',
    '1h 30m',
    '2h',
    '25h',
  ]);
});
