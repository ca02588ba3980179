// The width class of the window, by Bootstrap 5's breakpoints, which layouts and reports commonly use. Only the class is kept: the exact
// width would add to a fingerprint.

const CLASSES = [
  { name: 'XS', below: 576 },
  { name: 'SM', below: 768 },
  { name: 'MD', below: 992 },
  { name: 'LG', below: 1200 },
  { name: 'XL', below: 1400 },
  { name: '2XL', below: 100_000 }, // anything wider is made up: no wall of screens is that wide
] as const;

/** Returns the class of a width in CSS pixels: XS, SM, MD, LG, XL or 2XL; '' if it is unknown or impossible. */
export function screenClass(width: number | undefined): string {
  if (width === undefined || !(width >= 1)) return '';
  return CLASSES.find(({ below }) => width < below)?.name ?? '';
}
