// How a web vital reads on the screen: its value, Google's rating of it, and what comes of the chosen one.
import { fullNumber } from '../../formats/format';
import { type Vital, VITALS, vitalValue } from '../../../../server/vocabulary/numbers/vitals.ts';

/** Each with the words that stand beside its colour. */
export const RATINGS = { good: 'good', needs_improvement: 'needs improvement', poor: 'poor' } as const;
type Rating = keyof typeof RATINGS;
export const RATING_NAMES = Object.keys(RATINGS) as Rating[];

export function ratingOf(vital: Vital, value: number): Rating {
  const { good, poor } = VITALS[vital];
  if (value <= good) return 'good';
  return value <= poor ? 'needs_improvement' : 'poor';
}

/** `2.7 s`, `180 ms`, `0.05`; `–` where nothing was measured. */
export function vitalText(vital: Vital, value: number | null): string {
  if (value === null) return '–';
  const isLong = VITALS[vital].unit === 'milliseconds' && value >= 1000;
  return isLong ? `${(value / 1000).toFixed(1)} s` : vitalValue(vital, value);
}

/** `412 measured views`. */
export const viewsText = (views: number): string => `${fullNumber(views)} measured ${views === 1 ? 'view' : 'views'}`;
