// Resolves the theme's colours for a canvas, which cannot read CSS variables.

const NAMES = [
  ...(['accent', 'ink', 'faint', 'line', 'before', 'surface'] as const),
  ...(['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6'] as const),
] as const;
export type Colours = Record<(typeof NAMES)[number], string>;

export function resolveColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

/** Makes a colour transparent: `share` from 0 to 1. For tokens that are six-digit hex: not those of series. */
export function fade(hex: string, share: number): string {
  return `${hex}${Math.round(share * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
