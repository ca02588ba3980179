// Questions and the views that they mean: questions.txt has one a line, with the address of the view in short. A question mark at its end:
// something in the question is marked, because nobody can be sure of it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { METRIC_NAMES, metricRow } from '../numbers/metrics.ts';
import { CHANNEL_NAMES } from '../questions/channels.ts';
import { DIMENSION_NAMES, dimensionRow } from '../questions/dimensions.ts';
import { PERIOD_NAMES, PERIODS } from '../time/periods.ts';
import { valueName } from '../questions/value-names.ts';
import { DEVICES } from '../event.ts';
import { addressOf } from './address.ts';
import { isSure, readQuestion } from './asking.ts';
import { NO_NAMES, type SiteNames } from './meanings.ts';
import { isTypo, MAX_QUESTION } from './words.ts';

/** A Saturday. */
const NOW = Date.UTC(2026, 10, 28, 12);
const NAMES: SiteNames = {
  goals: [
    { id: 'goal_signup', name: 'Signup' },
    { id: 'goal_demo', name: 'Book a demo' },
    { id: 'goal_trial', name: 'Began a trial', event: 'trial_started' },
  ],
  segments: [{ id: 'segment_readers', name: 'Readers' }],
  values: {
    source: ['Google', 'newsletter', 'Hacker News', 'partner.example'],
    event: ['purchase', 'download'],
    page: ['/', '/pricing', '/docs', '/blog/hello'],
    utm_campaign: ['spring-sale'],
    utm_source: ['newsletter'],
    city: ['Berlin', 'Paris'],
    region: ['Bavaria'],
    language: ['de', 'de-AT', 'en-US'],
    browser: ['Chrome'],
    ai_agent: ['GPTBot'],
  },
  properties: ['plan'],
};
const ask = (question: string, { names = NAMES, zone = 'UTC', now = NOW } = {}) =>
  readQuestion(question, { now, zone, names, shown: { period: '30d', compare: 'previous' } });

/** `period=custom&date_from=A&date_to=B` is A..B. */
const inShort = (address: string): string =>
  decodeURIComponent(address.slice(1).replaceAll('+', ' '))
    .replace(/period=custom&date_from=([\d-]+)&date_to=([\d-]+)/, '$1..$2')
    .replace(/compare=custom&compare_from=([\d-]+)&compare_to=([\d-]+)/, 'vs $1..$2')
    .replace('period=', '')
    .replaceAll('&', ' ');

test('of the questions of questions.txt, at least 95 % mean their view, and no other one is wrong without a mark', () => {
  const lines = readFileSync(new URL('questions.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const wrong = lines.flatMap((line) => {
    const [question = '', wanted = ''] = line.split(' | ');
    const { view, parts } = ask(question);
    const given = `${inShort(addressOf(view))}${isSure(parts) ? '' : ' ?'}`.trim();
    return given === wanted.trim() ? [] : [{ question, wanted, given }];
  });
  expect(lines.length).toBeGreaterThanOrEqual(300);
  expect(wrong.filter(({ given }) => !given.endsWith('?'))).toEqual([]);
  expect(1 - wrong.length / lines.length, JSON.stringify(wrong, undefined, 1)).toBeGreaterThanOrEqual(0.95);
});

describe('every name of our own is understood', () => {
  test.each(METRIC_NAMES)('%s', (metric) => {
    for (const name of [metricRow(metric).label, metric.replaceAll('_', ' ')]) {
      const { view, parts } = ask(`${name} yesterday`);
      expect(view).toMatchObject({ period: 'yesterday', metrics: [metric] });
      expect(isSure(parts)).toBe(true);
    }
  });

  test.each(DIMENSION_NAMES)('by %s', (dimension) => {
    for (const name of [dimensionRow(dimension).label, dimension])
      expect(ask(`by ${name} yesterday`).view).toMatchObject({ period: 'yesterday', by: dimension });
  });

  test.each(PERIOD_NAMES.filter((period) => period !== 'custom'))('period %s', (period) => {
    const { view, parts } = ask(`page views ${PERIODS[period].label}`);
    expect(view).toMatchObject({ period, metrics: ['pageviews'] });
    expect(isSure(parts)).toBe(true);
  });

  test('channels and devices', () => {
    const read = (name: string) => ask(`visitors from ${name}`).view.filters;
    for (const channel of CHANNEL_NAMES)
      expect(read(channel)).toEqual([{ dimension: 'channel', operator: 'is', values: [channel] }]);
    for (const device of DEVICES.filter((one) => one !== 'other'))
      expect(read(valueName('device', device))).toEqual([{ dimension: 'device', operator: 'is', values: [device] }]);
  });
});

describe('what is uncertain is marked', () => {
  test('words that nobody knows, with the nearest that are known', () => {
    const { parts, view } = ask('visitors from germny to the prcing and foobar');
    expect(parts.map(({ text, label, is_guess, problem }) => ({ text, label, is_guess, problem }))).toEqual([
      { text: 'visitors', label: 'Unique visitors', is_guess: false, problem: null },
      { text: 'germny', label: 'Country is Germany', is_guess: true, problem: null },
      { text: 'prcing', label: '', is_guess: true, problem: 'Not understood' },
      { text: 'foobar', label: '', is_guess: false, problem: 'Not understood' },
    ]);
    expect(parts[2]?.nearest[0]).toEqual({ text: '/pricing', label: '/pricing' });
    expect(view.filters).toEqual([{ dimension: 'country', operator: 'is', values: ['DE'] }]);
  });

  test('no word becomes a small one, which has no chip of its own', () => {
    expect(ask('visitors wiht phones').parts.map(({ text, kind }) => `${text} ${kind}`)).toEqual([
      'visitors metric',
      'wiht unknown',
      'phones filter',
    ]);
  });

  test('names of the site never replace our own words', () => {
    const names = { ...NO_NAMES, values: { event: ['yesterday', 'germany', 'visitors', 'from', 'by', 'phones'] } };
    const { view } = ask('pages from germany on phones yesterday', { names });
    expect(inShort(addressOf(view))).toBe('yesterday f=is:country:DE f=is:device:mobile pages=page');
  });
});

test('days are those of the zone', () => {
  const now = Date.UTC(2026, 10, 30, 23, 30);
  const dates = (zone: string) => inShort(addressOf(ask('visitors this week', { zone, now }).view));
  expect([dates('UTC'), dates('Europe/Berlin'), dates('America/New_York')]).toEqual([
    '2026-11-30..2026-11-30',
    '2026-11-30..2026-12-01',
    '2026-11-30..2026-11-30',
  ]);
});

describe('any text is read', () => {
  const HOSTILE = [
    '',
    ' \u0000\u001b[31m ',
    '\u202Egermany\u202C \u200Bphones',
    '<img src=x onerror=alert(1)> visitors',
    '"'.repeat(200),
    'constructor __proto__ toString hasOwnProperty by __proto__',
    '/'.repeat(200),
    '💥 '.repeat(100),
    'by by by not not vs vs or or top from',
    'containing',
    'from to until since between',
    '99 december 2026 31 february 0 weeks ago last 9999 years',
  ];
  test.each(HOSTILE)('%j', (question) => {
    for (const { from, to, text, label } of ask(question).parts) {
      expect(question.slice(from, to)).toBe(text);
      expect(label).not.toMatch(/undefined|NaN|Invalid/);
    }
  });

  test('in steps that grow with its words, and no further', () => {
    const stepsOf = (words: number) =>
      ask(Array.from({ length: words }, (_, at) => `qx${'z'.repeat(at % 2)}`).join(' ')).steps;
    const [some, many] = [stepsOf(20), stepsOf(40)];
    expect(many).toBeLessThanOrEqual(2.2 * some);
    expect(ask('zqxj '.repeat(500)).parts).toHaveLength(MAX_QUESTION / 5);
    expect(ask('zqxj '.repeat(500)).steps).toBeLessThan(200_000);
  });
});

test('a typo is one letter more, less, wrong, or two swapped', () => {
  for (const [one, other] of [
    ['germny', 'germany'],
    ['germanny', 'germany'],
    ['gernany', 'germany'],
    ['gemrany', 'germany'],
  ] as const)
    expect([isTypo(one, other), isTypo(other, one)]).toEqual([true, true]);
  for (const [one, other] of [
    ['germany', 'germany'],
    ['grmny', 'germany'],
    ['gmerayn', 'germany'],
  ] as const)
    expect(isTypo(one, other)).toBe(false);
});
