// How a web vital reads on the screen: its value, Google's rating of it, and what comes of the chosen one.
import type { Cell } from '../../../../server/vocabulary/texts/csv.ts';
import type { VitalsConversion, VitalsOverview } from '../../api/types';
import { bucketStart, type Change, changeOf, fullNumber, plural, tenths } from '../../formats/format';
import { type Vital, VITAL_NAMES, VITALS, vitalValue } from '../../../../server/vocabulary/numbers/vitals.ts';

export { RATING_NAMES, ratingOf, RATINGS } from '../../../../server/vocabulary/numbers/vitals.ts';

/** `2.7 s`, `180 ms`, `0.05`; `–` where nothing was measured. */
export function vitalText(vital: Vital, value: number | null): string {
  if (value === null) return '–';
  const isLong = VITALS[vital].unit === 'milliseconds' && value >= 1000;
  return isLong ? `${tenths(value / 1000)} s` : vitalValue(vital, value);
}

/** `412 measured views`. */
export const viewsText = (views: number): string => `${fullNumber(views)} measured ${plural(views, 'view')}`;

/** How a value has changed from the one before; undefined where one of both was not measured. */
export const changeFrom = (before: number | null | undefined, now: number | null): Change | undefined =>
  now === null || before === null || before === undefined
    ? undefined
    : changeOf({ unit: 'ratio', isLessBetter: true }, now, before);

/** The numbers of the chart, one row for each step. Headings are those of the API. */
export function numbersOf({ points, interval }: VitalsOverview): Cell[][] {
  return [
    ['time', 'views', ...VITAL_NAMES],
    ...points.map((point) => [
      bucketStart(point.time, interval),
      point.views,
      ...VITAL_NAMES.map((vital) => point[vital] ?? ''),
    ]),
  ];
}

/** How conversion differs between fast and slow visits, and whether that is more than chance. */
export function sayDifference({ fast, slow, difference }: VitalsConversion): string {
  if (!difference) {
    const missing = [...(fast.visits === 0 ? ['fast'] : []), ...(slow.visits === 0 ? ['slow'] : [])];
    return `Too few to tell: there are no ${missing.join(' and no ')} visits.`;
  }
  const { points, low, high } = difference;
  const bounds = `95% interval: ${signed(low)} to ${signed(high)} points`;
  if (low <= 0 && high >= 0)
    return `Too few to tell: the difference of ${signed(points)} points may be chance (${bounds}).`;
  return `Fast visits reach this goal ${tenths(Math.abs(points))} points ${points > 0 ? 'more' : 'less'} often (${bounds}).`;
}

const signed = (points: number): string => `${points < 0 ? '−' : '+'}${tenths(Math.abs(points))}`;
