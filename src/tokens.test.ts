// Measures the colours of tokens.css: contrast as WCAG 2.2 AA asks for it, and hues of equal lightness.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('.', import.meta.url).pathname;
const read = (path: string) => readFileSync(root + path, 'utf8');

type Oklch = { lightness: number; chroma: number; hue: number };

/** The colours of a theme. The dark theme changes some of those of the light one. */
function coloursOf(theme: 'light' | 'dark'): Map<string, Oklch> {
  const found = new Map<string, Oklch>();
  for (const [, name = '', block = ''] of read('tokens.css').matchAll(/^:root\[data-theme='(\w+)'\] \{\n([^}]*)\}/gm)) {
    if (name === 'dark' && theme === 'light') continue;
    for (const [, token = '', ...parts] of block.matchAll(/^ {2}--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/gm)) {
      const [lightness = NaN, chroma = NaN, hue = NaN] = parts.map(Number);
      found.set(token, { lightness, chroma, hue });
    }
  }
  return found;
}

/** Linear red, green and blue, as CSS Color 4 computes them. A colour that screens can show has all three from 0 to 1. */
function linear({ lightness, chroma, hue }: Oklch): [red: number, green: number, blue: number] {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function luminance(colour: Oklch): number {
  const [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Oklch, other: Oklch): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const TEXT = 4.5;
/** Lines, bars and the edges of controls. */
const GRAPHICS = 3;
const SERIES = [1, 2, 3, 4, 5, 6].map((number) => `series-${number}`);

/** Which colours are used (`of`) on which backgrounds (`on`). */
const PAIRS: { least: number; on: string[]; of: string[] }[] = [
  { least: TEXT, on: ['page', 'surface', 'sunken', 'wash', 'bar', 'bar-hover'], of: ['ink', 'soft'] },
  { least: TEXT, on: ['page', 'surface', 'sunken'], of: ['faint', 'accent-strong', 'bad', 'warn'] },
  { least: TEXT, on: ['page', 'surface'], of: ['accent'] },
  { least: TEXT, on: ['surface', 'bar', 'bar-hover'], of: ['good', 'bad'] },
  { least: TEXT, on: ['wash'], of: ['accent-strong'] },
  { least: TEXT, on: ['bad-wash'], of: ['bad', 'ink'] },
  { least: TEXT, on: ['warn-wash'], of: ['warn', 'ink'] },
  { least: TEXT, on: ['accent', 'accent-strong'], of: ['on-accent'] },
  { least: GRAPHICS, on: ['page', 'surface'], of: [...SERIES, 'accent', 'before', 'edge'] },
];

test('the measure is that of WCAG: black on white is 21 to 1', () => {
  const [black, white] = [0, 1].map((lightness) => ({ lightness, chroma: 0, hue: 0 }));
  expect(contrast(black as Oklch, white as Oklch)).toBeCloseTo(21, 1);
});

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const colours = coloursOf(theme);
  const colour = (name: string) => colours.get(name) ?? { lightness: NaN, chroma: NaN, hue: NaN };

  test('has enough contrast wherever text or a line stands on a background', () => {
    const weak = PAIRS.flatMap(({ least, on, of }) =>
      on.flatMap((ground) =>
        of.flatMap((name) => {
          const ratio = contrast(colour(name), colour(ground));
          return ratio >= least ? [] : [`${name} on ${ground}: ${ratio.toFixed(2)}, at least ${least}`];
        }),
      ),
    );
    expect(weak).toEqual([]);
  });

  test('has six hues of the same lightness and chroma, at least 35° apart', () => {
    const series = SERIES.map(colour);
    expect(new Set(series.map(({ lightness, chroma }) => `${lightness} ${chroma}`)).size).toBe(1);
    const hues = series.map(({ hue }) => hue).sort((a, b) => a - b);
    const apart = hues.map((hue, index) => ((hues[index + 1] ?? (hues[0] ?? 0) + 360) - hue) % 360);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(35);
  });

  test('has only colours that every screen can show, because others would get another lightness', () => {
    const outside = [...colours].filter(([, one]) => linear(one).some((part) => part < -0.001 || part > 1.001));
    expect(outside.map(([name]) => name)).toEqual([]);
    expect(colours.size).toBeGreaterThan(20);
  });
});

test('colours are written only in tokens.css', () => {
  const sheets = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(svelte|css)$/.test(path),
  );
  const styleOf = (path: string) =>
    path.endsWith('.css') ? read(path) : (/<style>[\s\S]*/.exec(read(path))?.[0] ?? '');
  const written = sheets
    .filter((path) => path !== 'tokens.css')
    .flatMap((path) =>
      styleOf(path)
        .split('\n')
        .filter(
          (line) => /#[0-9a-f]{3,8}\b|\b(rgba?|hsla?|oklch|oklab)\((?!var)/i.test(line) && !line.includes('mask-image'),
        )
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(written).toEqual([]);
});

test('the colours of series are for charts, steps and bands, and charts have no colour of action', () => {
  const sheets = readdirSync(`${root}lib/charts`, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.svelte'),
  );
  expect(
    sheets.filter((path) =>
      /var\(--accent(-strong)?\)/.test(read(`lib/charts/${path}`).replace(/\.u-select\)[^}]*/, '')),
    ),
  ).toEqual([]);
});
