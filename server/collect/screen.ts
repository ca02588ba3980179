// Width class of the window, by the breakpoints of Bootstrap 5, which the field's layouts and reports share.
// The class alone is kept: an exact width is one more part of a fingerprint.

const CLASSES = [
  { name: 'XS', below: 576 },
  { name: 'SM', below: 768 },
  { name: 'MD', below: 992 },
  { name: 'LG', below: 1200 },
  { name: 'XL', below: 1400 },
  { name: '2XL', below: 100_000 }, // wider than any wall of screens: a made-up number
] as const;

/** Class of a width in CSS pixels: XS, SM, MD, LG, XL or 2XL; '' when it is unknown or absurd. */
export function screenClass(width: number | undefined): string {
  if (width === undefined || !(width >= 1)) return '';
  return CLASSES.find(({ below }) => width < below)?.name ?? '';
}
