// Resolves the theme's colours for a canvas, which cannot read CSS variables.

/** The hues of all lines and layers but the chart's own line, which has the first one. */
export const HUES = ['series-2', 'series-3', 'series-4', 'series-5', 'series-6'] as const;
export type Hue = (typeof HUES)[number];

const NAMES = ['ink', 'faint', 'line', 'before', 'surface', 'sunken', 'series-1', ...HUES] as const;
export type Colours = Record<(typeof NAMES)[number], string>;

export function resolveColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

/** Makes an opaque colour transparent: `share` from 0 to 1. */
export const fade = (colour: string, share: number): string => colour.replace(')', ` / ${share})`);
