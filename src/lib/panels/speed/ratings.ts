// How a web vital reads on the screen: its value, Google's rating of it, and what comes of the chosen one.
import { fullNumber } from '../../formats/format';
import { type Vital, VITALS, vitalValue } from '../../../../server/vocabulary/numbers/vitals.ts';

export { RATING_NAMES, ratingOf, RATINGS } from '../../../../server/vocabulary/numbers/vitals.ts';

/** `2.7 s`, `180 ms`, `0.05`; `–` where nothing was measured. */
export function vitalText(vital: Vital, value: number | null): string {
  if (value === null) return '–';
  const isLong = VITALS[vital].unit === 'milliseconds' && value >= 1000;
  return isLong ? `${(value / 1000).toFixed(1)} s` : vitalValue(vital, value);
}

/** `412 measured views`. */
export const viewsText = (views: number): string => `${fullNumber(views)} measured ${views === 1 ? 'view' : 'views'}`;
