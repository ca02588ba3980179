// The drawing of a site's numbers for a terminal: its width, its colours, and names that would rewrite the screen.
import { stripVTControlCharacters, styleText } from 'node:util';
import { expect, test } from 'vitest';
import type { SiteNumbers } from '../api/rest/site-numbers.ts';
import { drawStats } from './stats-text.ts';

const plain = (width: number): Parameters<typeof drawStats>[2] => ({ width, paint: (_, text) => text });
const QUESTION = { period: '7d' as const, filters: [] };
const DAYS = { date_from: '2026-11-15', date_to: '2026-11-21' };

function numbersOf(
  visitors: number[],
  pages: [name: string, views: number][],
  more: Partial<SiteNumbers> = {},
): SiteNumbers {
  const time = (n: number) => new Date(Date.UTC(2026, 10, 15 + n)).toISOString();
  return {
    site: { id: 'site_A', domain: 'example.com', created_at: '2026-11-01T00:00:00.000Z', tracking: true },
    timezone: 'UTC',
    summary: {
      ...DAYS,
      compare: { date_from: '2026-11-08', date_to: '2026-11-14', counted_since: null },
      currency: null,
      is_currency_proposed: false,
      metrics: [
        { name: 'unique_visitors', value: 1234, previous: 1000 },
        { name: 'bounce_rate', value: 40, previous: 30 },
        { name: 'visit_duration', value: 75, previous: 0 },
      ],
    },
    stats: { data: {} },
    timeseries: {
      data: visitors.map((unique_visitors, n) => ({ time: time(n), unique_visitors })),
      meta: { interval: 'day', ...DAYS },
    },
    breakdowns: {
      page: { data: pages.map(([page, pageviews]) => ({ page, pageviews })), meta: { total: pages.length + 3 } },
      source: { data: [], meta: { total: 0 } },
    },
    ...more,
  };
}

test('tiles, chart and lists', () => {
  const numbers = numbersOf(
    [0, 1, 4, 8, 2, 8, 1000],
    [
      ['/', 40],
      ['/pricing', 10],
      ['', 1],
    ],
  );
  expect(drawStats(numbers, { period: '7d', filters: ['country=DE'] }, plain(60)).split('\n')).toEqual([
    'example.com',
    'Last 7 days: 15 – 21 Nov 2026 (UTC)',
    'Compared with 8 – 14 Nov 2026',
    'Only country=DE',
    '',
    'Unique visitors   Bounce rate   Visit duration',
    '1,234             40%           1m 15s',
    '+23%              +10 pt        new',
    '',
    'Unique visitors by day',
    ' 1,000 ┤                                    █████',
    ...Array.from({ length: 6 }, () => '       │                                    █████'),
    '     0 ┤      ▁▁▁▁▁ ▁▁▁▁▁ ▁▁▁▁▁ ▁▁▁▁▁ ▁▁▁▁▁ █████',
    '        15 Nov                              21 Nov',
    '',
    'Sources  Unique visitors',
    '  None in this period.',
    '',
    'Pages  Page views',
    '  /         40  ███████████████',
    '  /pricing  10  ████',
    '  No page    1  █',
    '  and 3 more',
  ]);
});

test('the speed of a site that is measured', () => {
  const slow = { p75: 2710, views: 10, good: 61.5, needs_improvement: 27, poor: 11.5 };
  const none = { p75: null, views: 0, good: 0, needs_improvement: 0, poor: 0 };
  const vitals = { views: 10, lcp: slow, inp: none, cls: { ...slow, p75: 0.05 }, fcp: none, ttfb: none };
  const drawn = drawStats(numbersOf([1], [], { vitals }), QUESTION, plain(60));
  expect(drawn).toContain(
    ['Speed  75th percentile', '  LCP  2,710 ms  62% good, 12% poor', '  CLS      0.05  62% good, 12% poor'].join('\n'),
  );
  const empty = { ...vitals, views: 0 };
  expect(drawStats(numbersOf([1], [], { vitals: empty }), QUESTION, plain(60))).not.toContain('Speed');
});

test('the errors of a site that records them', () => {
  const errors = { count: 1284, visits: 61, share: 2.3 };
  const drawn = drawStats(numbersOf([1], [], { errors }), QUESTION, plain(60));
  expect(drawn).toContain(['Errors', '  1,284 in 61 visits, 2.3% of all'].join('\n'));
  const none = { count: 0, visits: 0, share: 0 };
  expect(drawStats(numbersOf([1], [], { errors: none }), QUESTION, plain(60))).not.toContain('Errors');
});

test('a site without visitors says so', () => {
  expect(drawStats(numbersOf([0, 0], []), QUESTION, plain(80))).toContain(
    'Unique visitors\n  No visitors in this period.',
  );
});

test('names cannot move the cursor, set colours or titles, reverse text, or leave their line', () => {
  const hostile = [
    '\u001b[2J\u001b[1;1H/owned',
    '\u001b]0;title\u0007/',
    '\u009b31m/c1',
    '/a\r\n\t/b\u0000\b\b',
    '/\u202egnp.exe',
    '/\u2028line\u2029',
    '\ud800/lone',
    '/\u200b\ufeff',
    'x'.repeat(5000),
    '漢字'.repeat(500),
    '👩‍👩‍👧‍👦'.repeat(200),
  ];
  for (const width of [0, 20, 40, 77, 80, 120, 500]) {
    const text = drawStats(
      numbersOf(
        [1],
        hostile.map((name) => [name, 1]),
      ),
      { period: 'custom', filters: hostile.map((name) => `page=${name}`) },
      plain(width),
    );
    expect(text.match(/(?![\n\u200d])[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu), String(width)).toBeNull();
    const widest = Math.max(...text.split('\n').map(columns));
    expect([width, widest <= Math.min(120, Math.max(40, width))]).toEqual([width, true]);
  }
});

test('more days than columns are added up', () => {
  const text = drawStats(
    numbersOf(
      Array.from({ length: 300 }, () => 10),
      [],
    ),
    QUESTION,
    plain(80),
  );
  expect(text).toContain('Unique visitors by day  Each column is 4 days.');
  expect(text).toContain(' 40 ┤');
  expect(Math.max(...text.split('\n').map(columns))).toBeLessThanOrEqual(80);
});

test('colours add nothing but colours', () => {
  const numbers = numbersOf([1, 2], [['/', 3]]);
  const painted = drawStats(numbers, QUESTION, {
    width: 80,
    paint: (style, text) => styleText(style, text, { validateStream: false }),
  });
  expect(painted).not.toBe(stripVTControlCharacters(painted));
  expect(stripVTControlCharacters(painted)).toBe(drawStats(numbers, QUESTION, plain(80)));
});

/** Columns of a line: two for letters of East Asia and emoji. */
function columns(line: string): number {
  const segments = [...new Intl.Segmenter('en').segment(line)];
  return segments.reduce(
    (sum, { segment }) => sum + (/[\p{Script=Han}\p{Emoji_Presentation}]/u.test(segment) ? 2 : 1),
    0,
  );
}
