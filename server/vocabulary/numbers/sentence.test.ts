import { describe, expect, test } from 'vitest';
import type { Dimension } from '../questions/dimensions.ts';
import { DRIVERS } from './drivers.ts';
import { type Metric, METRIC_NAMES } from './metrics.ts';
import { COMPARISON_NAMES, PERIOD_NAMES } from '../time/periods.ts';
import {
  alikeWords,
  causeWords,
  changeWords,
  comparisonOf,
  gapWords,
  otherVisitors,
  piecesOf,
  plainWords,
  whenName,
} from './sentence.ts';
import { valueName } from '../questions/value-names.ts';

const DAY = { date_from: '2026-11-20', date_to: '2026-11-20' };
const WEEK = { date_from: '2026-11-14', date_to: '2026-11-20' };

describe('the change in words', () => {
  const before = { name: 'yesterday by now', than: 'than yesterday by now', as: 'as yesterday by now' };
  const of = (metric: Metric, value: number, previous: number | null) => {
    const words = changeWords(metric, { value, previous }, before);
    return words && plainWords(words.text);
  };

  test('names amount and direction in the words of the unit', () => {
    expect(of('unique_visitors', 69, 100)).toBe('31% fewer than yesterday by now');
    expect(of('unique_visitors', 131, 100)).toBe('31% more than yesterday by now');
    expect(of('revenue', 69, 100)).toBe('31% less than yesterday by now');
    expect(of('views_per_visit', 3, 2)).toBe('50% higher than yesterday by now');
    expect(of('bounce_rate', 40, 53)).toBe('13 points lower than yesterday by now');
    expect(of('bounce_rate', 53.5, 50)).toBe('3.5 points higher than yesterday by now');
    expect(of('visit_duration', 60, 120)).toBe('50% shorter than yesterday by now');
  });

  test('within 2 per cent is about the same', () => {
    expect(of('visits', 102, 100)).toBe('about the same as yesterday by now');
    expect(of('visits', 103, 100)).toBe('3% more than yesterday by now');
    expect(of('visits', 100, 100)).toBe('the same as yesterday by now');
    expect(of('visits', 0, 0)).toBe('the same as yesterday by now');
  });

  test('has no percentage when there was nothing before, and factors above tenfold', () => {
    expect(of('visits', 12, 0)).toBe('up from none yesterday by now');
    expect(of('revenue', 12, 0)).toBe('up from nothing yesterday by now');
    expect(of('visits', 1200, 100)).toBe('12× as many as yesterday by now');
    expect(of('revenue', 1200, 100)).toBe('12× as much as yesterday by now');
    expect(of('visits', 0, 40)).toBe('100% fewer than yesterday by now');
  });

  test('says which way a negative amount has gone', () => {
    expect(of('revenue', 50, -100)).toBe('150% more than yesterday by now');
    expect(of('revenue', -200, -100)).toBe('100% less than yesterday by now');
    expect(of('revenue', -50, 0)).toBe('down from nothing yesterday by now');
  });

  test('needs something to compare with, for every metric', () => {
    for (const metric of METRIC_NAMES) {
      expect(of(metric, 3, null)).toBeUndefined();
      expect(of(metric, 3, 2)).toMatch(/ than yesterday by now$| as yesterday by now$/);
    }
  });
});

test('every period has words, and so has every comparison with it', () => {
  for (const period of PERIOD_NAMES) {
    expect(whenName(period, WEEK)).toMatch(/^\w/);
    for (const compare of COMPARISON_NAMES.filter((name) => name !== 'none' && period !== 'all'))
      for (const words of Object.values(comparisonOf({ period, compare }, WEEK))) expect(words).toMatch(/^\w/);
  }
  expect(whenName('custom', DAY)).toBe('on 20 Nov 2026');
  expect(whenName('custom', WEEK)).toBe('in this period');
  expect(comparisonOf({ period: 'custom', compare: 'previous' }, DAY).name).toBe('the day before');
  expect(comparisonOf({ period: 'today', compare: 'weekdays' }, DAY)).toEqual({
    name: '20 Nov 2026, the same weekday',
    than: 'than 20 Nov 2026, the same weekday',
    as: 'as 20 Nov 2026, the same weekday',
  });
  expect(comparisonOf({ period: '7d', compare: 'custom' }, WEEK).name).toBe('14 – 20 Nov 2026');
});

test('a cause says the direction again, in the words of the unit and of its dimension', () => {
  const words = (metric: Metric, isRise: boolean, [dimension, name]: [Dimension, string]) =>
    plainWords(causeWords({ metric, isRise, dimension, name, shown: valueName(dimension, name) }));
  const all = Object.entries(DRIVERS).flatMap(([metric, dimensions]) =>
    dimensions.map((dimension) => [dimension, words(metric as Metric, false, [dimension, 'x'])]),
  );
  expect(Object.fromEntries(all.filter(([, text]) => text?.includes('fewer')))).toEqual({
    source: 'mostly fewer from x',
    utm_campaign: 'mostly fewer from the campaign x',
    entry_page: 'mostly fewer from visits that began on x',
    country: 'mostly fewer from x',
    device: 'mostly fewer on x',
    page: 'mostly fewer on x',
    event: 'mostly fewer of “x”',
    goal: 'mostly fewer of “x”',
  });
  expect(words('visits', true, ['source', ''])).toBe('mostly more from direct visits');
  expect(words('revenue', false, ['country', 'DE'])).toBe('mostly less from Germany');
  expect(words('visits', true, ['device', 'tv'])).toBe('mostly more on TV');
});

test('a change at every major source and a gap are said in the words of the metric', () => {
  expect(alikeWords('visits', { value: 60, previous: 100 })).toBe('fewer from every major source');
  expect(alikeWords('visits', { value: 100, previous: 60 })).toBe('more from every major source');
  expect(gapWords('unique_visitors', 'from 10:00 to 13:00')).toBe('no visitors from 10:00 to 13:00');
  expect(gapWords('visits', 'on 12 Mar')).toBe('no visits on 12 Mar');
});

test('a clause comes apart where the screen styles it, whatever visitors or people call something', () => {
  const words = changeWords('visits', { value: 69, previous: 100 }, otherVisitors('<b>1</b>'));
  expect(piecesOf(`${words?.text};`)).toEqual([
    { text: '31% fewer', mark: 0, after: '' },
    { text: ' than ', after: '' },
    { text: '“<b>1</b>”', mark: 1, after: ';' },
  ]);
  const cause = causeWords({
    metric: 'visits',
    isRise: false,
    dimension: 'utm_campaign',
    name: '</0>',
    shown: '</0>',
  });
  expect(piecesOf(cause)).toEqual([
    { text: 'mostly fewer ', after: '' },
    { text: 'from the campaign </0>', mark: 0, after: '' },
  ]);
});
