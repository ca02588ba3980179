// How a web vital reads on the screen: its value, Google's rating of it, and what comes of the chosen one.
import { t, tn } from '../../../../server/vocabulary/habits/messages.ts';
import type { Cell } from '../../../../server/vocabulary/texts/csv.ts';
import type { VitalsConversion, VitalsOverview } from '../../api/types';
import { bucketStart, type Change, changeOf, tenths } from '../../formats/format';
import { type Vital, VITAL_NAMES, VITALS, vitalValue } from '../../../../server/vocabulary/numbers/vitals.ts';

export { RATING_NAMES, ratingOf, RATINGS } from '../../../../server/vocabulary/numbers/vitals.ts';

/** `2.7 s`, `180 ms`, `0.05`; `–` where nothing was measured. */
export function vitalText(vital: Vital, value: number | null): string {
  if (value === null) return '–';
  const isLong = VITALS[vital].unit === 'milliseconds' && value >= 1000;
  return isLong ? t('{seconds} s', { seconds: tenths(value / 1000) }) : vitalValue(vital, value);
}

/** `412 measured views`. */
export const viewsText = (views: number): string => tn(views, '{n} measured view', '{n} measured views');

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
  if (!difference) return sayMissing(fast.visits === 0, slow.visits === 0);
  const { points, low, high } = difference;
  const bounds = { low: signed(low), high: signed(high) };
  if (low <= 0 && high >= 0)
    return t(
      'Too few to tell: the difference of {points} points may be chance (95% interval: {low} to {high} points).',
      { points: signed(points), ...bounds },
    );
  const said = { points: tenths(Math.abs(points)), ...bounds };
  return points > 0
    ? t('Fast visits reach this goal {points} points more often (95% interval: {low} to {high} points).', said)
    : t('Fast visits reach this goal {points} points less often (95% interval: {low} to {high} points).', said);
}

function sayMissing(hasNoFast: boolean, hasNoSlow: boolean): string {
  if (hasNoFast && hasNoSlow) return t('Too few to tell: there are no fast and no slow visits.');
  return hasNoFast ? t('Too few to tell: there are no fast visits.') : t('Too few to tell: there are no slow visits.');
}

const signed = (points: number): string => `${points < 0 ? '−' : '+'}${tenths(Math.abs(points))}`;
