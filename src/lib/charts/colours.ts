// A canvas cannot read var(--colour): the theme's colours, resolved for it.

const NAMES = ['accent', 'ink', 'faint', 'line', 'before', 'surface'] as const;
export type Colours = Record<(typeof NAMES)[number], string>;

export function resolveColours(element: Element): Colours {
  const style = getComputedStyle(element);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

/** The same colour, seen through: `share` from 0 to 1. Tokens are six-digit hex. */
export function fade(hex: string, share: number): string {
  return `${hex}${Math.round(share * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
