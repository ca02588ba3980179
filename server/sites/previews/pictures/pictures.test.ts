import { expect, it } from 'vitest';
import { DAY_MS } from '../../../vocabulary/time/time.ts';
import { COLOURS } from '../colours.ts';
import type { Asked } from './asked.ts';
import { drawCalendar } from './calendar.ts';
import { drawBadge, drawLineChart, drawSparkline } from './lines.ts';
import { drawMap } from './map.ts';
import world from './world.json' with { type: 'json' };

const ASKED: Asked = {
  domain: 'own.example',
  metric: 'unique_visitors',
  period: '30d',
  theme: 'auto',
  currency: null,
  hasCredit: true,
};
const over = (points: number[], isUnfinished = false) => ({
  total: points.reduce((sum, value) => sum + value, 0),
  points,
  isUnfinished,
  ends: ['1 Nov', '30 Nov'] as const,
});
const textsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words]) => words);

it('draws a badge as wide as its words, in units of its metric', () => {
  const badge = drawBadge(ASKED, 12_345);
  expect(textsOf(badge)).toEqual(['unique visitors, last 30 days', '12.3k']);
  const widthOf = (svg: string) => Number(/width="(\d+)"/.exec(svg)?.[1]);
  expect(widthOf(drawBadge(ASKED, 7))).toBeLessThan(widthOf(badge));
  expect(textsOf(drawBadge({ ...ASKED, metric: 'visit_duration', period: 'all' }, 75))).toEqual([
    'visit duration, all time',
    '1m 15s',
  ]);
  expect(textsOf(drawBadge({ ...ASKED, metric: 'ai_visits', period: 'today' }, 3))[0]).toBe('AI visits, today');
  expect(textsOf(drawBadge({ ...ASKED, metric: 'revenue', currency: 'EUR' }, 1200))[1]).toBe('€1,200');
});

it('divides the chart into equal parts with whole numbers, and dashes what is not over yet', () => {
  const labels = (points: number[], metric: Asked['metric'] = 'visits') =>
    textsOf(drawLineChart({ ...ASKED, metric }, over(points))).slice(4, 9);
  expect(labels([0])).toEqual(['0', '1', '2', '3', '4']);
  expect(labels([3, 1])).toEqual(['0', '1', '2', '3', '4']);
  expect(labels([9])).toEqual(['0', '3', '6', '9', '12']);
  expect(labels([77])).toEqual(['0', '20', '40', '60', '80']);
  expect(labels([970])).toEqual(['0', '250', '500', '750', '1,000']);
  expect(labels([1.1], 'views_per_visit')).toEqual(['0.0', '0.3', '0.6', '0.9', '1.2']);
  expect(drawLineChart(ASKED, over([1, 2, 3]))).not.toContain('dasharray');
  expect(
    drawLineChart(ASKED, over([1, 2, 3], true))
      .match(/<polyline points="([^"]*)"/)?.[1]
      ?.split(' '),
  ).toHaveLength(2);
  expect(drawSparkline(ASKED, over([]))).not.toContain('<poly');
});

it('colours countries by a logarithmic scale, and names the first three', () => {
  const countries = [
    { name: 'DE', value: 1000 },
    { name: 'FR', value: 30 },
    { name: '', value: 20 },
    { name: 'LI', value: 2 },
    { name: 'XX', value: 2 },
    { name: 'US', value: 1 },
    { name: 'toString', value: 1 },
  ];
  const map = drawMap(ASKED, countries);
  expect(textsOf(map)).toContain('Germany 1,000 · France 30 · Liechtenstein 2');
  const pathOf = (step: number) => new RegExp(`class="n${step} e" d="([^"]*)"`).exec(map)?.[1];
  expect([pathOf(5), pathOf(3), pathOf(1)]).toEqual([world.outlines.DE, world.outlines.FR, world.outlines.US]);
  expect(map.match(/<circle/g)).toHaveLength(1);
  expect(textsOf(drawMap(ASKED, []))).toContain('Nobody yet');
  for (let value = 1; value < 3000; value += 1)
    expect(drawMap(ASKED, [{ name: 'US', value }])).toContain(`class="n5 e" d="${world.outlines.US}"`);
});

it('has every country of the dashboard’s map, in less than 20 kB even if all of them have visitors', async () => {
  const { default: whole } = await import('../../../../src/lib/panels/map/outlines.json', { with: { type: 'json' } });
  const all = [...Object.keys(world.outlines), ...Object.keys(world.dots)].sort();
  expect(all).toEqual([...Object.keys(whole.outlines), ...Object.keys(whole.dots)].sort());
  const long = { ...ASKED, domain: 'long'.repeat(60) };
  expect(
    drawMap(
      long,
      all.map((name, index) => ({ name, value: 2 ** (index % 20) })),
    ).length,
  ).toBeLessThan(20_000);
});

it('draws a square for each day of the calendar, in four groups of equal size, and the names of the months', () => {
  const start = Date.UTC(2025, 10, 24); // a Monday
  const days = Array.from({ length: 365 }, (_, index) => ({
    time: start + index * DAY_MS,
    value: index < 5 ? 0 : index,
  }));
  const calendar = drawCalendar(ASKED, days);
  const countOf = (step: number) =>
    new RegExp(`<path class="n${step}" d="([^"]{60,})"`).exec(calendar)?.[1]?.match(/M/g)?.length;
  expect([0, 1, 2, 3, 4].map(countOf)).toEqual([5, 90, 90, 90, 90]);
  expect(textsOf(calendar).filter((words = '') => /^[A-Z][a-z]{2,3}$/.test(words))).toEqual(
    'Dec Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Mon Wed Fri'.split(' '),
  );
  expect(calendar.length).toBeLessThan(20_000);
});

it('has the colours of the dashboard', async () => {
  const { readFile } = await import('node:fs/promises');
  const tokens = await readFile(new URL('../../../../src/tokens.css', import.meta.url), 'utf8');
  const names = {
    page: 'page',
    back: 'surface',
    edge: 'line',
    ink: 'ink',
    soft: 'soft',
    line: 'accent',
    wash: 'wash',
  } as const;
  for (const theme of ['light', 'dark'] as const) {
    const block = new RegExp(`^:root\\[data-theme='${theme}'\\] \\{\\n([^}]*)\\}`, 'm').exec(tokens)?.[1] ?? '';
    for (const [name, token] of Object.entries(names)) {
      const [, l, c, h] = new RegExp(`--${token}: oklch\\(([\\d.]+) ([\\d.]+) ([\\d.]+)\\)`).exec(block) ?? [];
      expect([theme, name, COLOURS[theme][name as keyof typeof names]]).toEqual([
        theme,
        name,
        hexOf(Number(l), Number(c), Number(h)),
      ]);
    }
  }
});

/** As CSS Color 4 converts oklch(). */
function hexOf(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const bytes = linear.map((light) => {
    const value = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
    return Math.round(Math.min(1, Math.max(0, value)) * 255);
  });
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
