// Resolves the theme's colours for a canvas, which cannot read CSS variables.

const NAMES = ['accent', 'ink', 'faint', 'line', 'before', 'surface'] as const;
export type Colours = Record<(typeof NAMES)[number], string>;

export function resolveColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

/** Makes a colour transparent: `share` from 0 to 1. The tokens are six-digit hex. */
export function fade(hex: string, share: number): string {
  return `${hex}${Math.round(share * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
