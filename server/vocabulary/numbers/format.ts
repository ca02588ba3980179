// Formats numbers, durations and days for people, in the dashboard and in mails, as their region does. Days are the site's, given as midnight
// UTC whatever the site's time zone.
import { compactFormat, dateFormat, formatMoney, numberFormat } from '../habits/formatters.ts';
import { isTurned } from '../habits/habits.ts';
import { RIGHT_TO_LEFT } from '../habits/languages.ts';
import { t } from '../habits/messages.ts';
import { metricRow, type Metric, type Unit } from './metrics.ts';

const whole = numberFormat({ maximumFractionDigits: 0 });
const digit = numberFormat({ maximumFractionDigits: 1 });
const fixedDigit = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const ratio = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 2 });
const compact = compactFormat();
const ofHundred = { style: 'unit', unit: 'percent' } as const;
const wholePercent = numberFormat({ ...ofHundred, maximumFractionDigits: 0 });
const tenthsPercent = numberFormat({ ...ofHundred, maximumFractionDigits: 1 });

/** Every digit, grouped. */
export const fullNumber = (value: number): string => whole(value);

/** One digit behind the point, if it is not 0. */
export const oneDigit = (value: number): string => digit(value);
/** Always one digit behind the point, for columns of numbers. */
export const tenths = (value: number): string => fixedDigit(value);

/** All digits up to 9,999; three significant digits above: 12.3k, 4.56M. */
export const shortNumber = (value: number): string => (Math.abs(value) < 10_000 ? whole(value) : compact(value));

export function duration(seconds: number): string {
  const total = Math.max(0, Math.round(seconds));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const rest = total % 60;
  if (hours > 0) return t('{hours}h {minutes}m', { hours, minutes: String(minutes).padStart(2, '0') });
  if (minutes > 0) return t('{minutes}m {seconds}s', { minutes, seconds: String(rest).padStart(2, '0') });
  return t('{seconds}s', { seconds: rest });
}

export function money(value: number, currency: string | null, style: 'short' | 'full' = 'short'): string {
  const isCompact = style === 'short' && Math.abs(value) >= 10_000;
  const isWhole = Number.isInteger(value) || (style === 'short' && Math.abs(value) >= 1000);
  return formatMoney(value, { currency, isCompact, fractions: isWhole ? 0 : 2 });
}

export const percent = (value: number): string => (Math.abs(value) < 10 ? tenthsPercent(value) : wholePercent(value));

/** A metric's value in its own unit; `full` keeps every digit, for tooltips and screen readers. */
export function metricValue(
  metric: Metric,
  value: number,
  options: { currency?: string | null; style?: 'short' | 'full' } = {},
): string {
  switch (metricRow(metric).unit) {
    case 'count':
      return options.style === 'full' ? fullNumber(value) : shortNumber(value);
    case 'ratio':
      return ratio(value);
    case 'per_cent':
      return percent(value);
    case 'seconds':
      return duration(value);
    case 'money':
      return money(value, options.currency ?? null, options.style);
  }
}

/** Changes up to this many per cent, or points, are neither good nor bad: days differ by that much anyway. */
const NEUTRAL = 2;

const FEW = 10;
/** A change between two small counts is chance, and no alarm: from 2 to 1 is half as many. It is neither good nor bad. */
export const isOfFew = (unit: Unit, value: number, previous: number): boolean =>
  unit === 'count' && value < FEW && previous < FEW;

/** `isWord`: there was nothing before, so the text says the direction, without an amount. */
export type Change = {
  text: string;
  verdict: 'good' | 'bad' | 'same';
  direction: 'up' | 'down' | 'none';
  isWord?: true;
};

/** The change from the previous value; percentages change by points. Undefined if there is nothing to compare, or to compare with. */
export const change = (metric: Metric, value: number, previous: number | null): Change | undefined =>
  changeOf(metricRow(metric), value, previous);

type Measure = { unit: Unit; isLessBetter?: boolean };

/** The same for a number that is not a metric. */
export function changeOf(measure: Measure, value: number, previous: number | null): Change | undefined {
  const moved = movedBy(measure, value, previous);
  if (!moved) return undefined;
  const { kind, verdict, direction, shown } = moved;
  if (kind === 'from_nothing')
    return { text: direction === 'up' ? t('new') : t('down'), verdict, direction, isWord: true };
  const isPoints = measure.unit === 'per_cent' && kind !== 'factor';
  return { text: isPoints ? t('{points} pt', { points: shown }) : shown, verdict, direction };
}

/** `size`: of the change in its kind. `shown`: the same for people. */
export type Moved = Pick<Change, 'verdict' | 'direction'> & {
  kind: 'none' | 'from_nothing' | 'points' | 'percent' | 'factor';
  size: number;
  shown: string;
};

/** What `changeOf` says, before it is in words. Money may be negative: refunds are subtracted from it. */
export function movedBy(
  { unit, isLessBetter = false }: Measure,
  value: number,
  previous: number | null,
): Moved | undefined {
  if (previous === null || (value === 0 && previous === 0)) return undefined; // nothing, as before, is no news
  const isPoints = unit === 'per_cent';
  const isRise = value > previous;
  const isGood = isRise !== isLessBetter;
  const direction = isRise ? 'up' : 'down';
  if (!isPoints && previous === 0)
    return { kind: 'from_nothing', size: Math.abs(value), shown: '', verdict: isGood ? 'good' : 'bad', direction };
  const difference = isPoints ? value - previous : ((value - previous) / Math.abs(previous)) * 100;
  const rounded = Math.abs(difference) < 10 ? Math.round(difference * 10) / 10 : Math.round(difference);
  const size = Math.abs(rounded);
  const inUnit = isPoints ? digit(size) : tenthsPercent(size);
  if (size === 0) return { kind: 'none', size, shown: inUnit, verdict: 'same', direction: 'none' };
  // Above tenfold, a factor is clearer than a percentage, unless the sign has changed.
  const factor = value / previous;
  const isFactor = size > 999 && factor > 0;
  const isQuiet = size <= NEUTRAL || isOfFew(unit, value, previous);
  return {
    kind: isFactor ? 'factor' : isPoints ? 'points' : 'percent',
    size,
    shown: isFactor ? `${shortNumber(Math.round(factor))}×` : inUnit,
    verdict: isQuiet ? 'same' : isGood ? 'good' : 'bad',
    direction,
  };
}

/** The share of the whole in per cent. A tiny share is shown as <1%, never as 0%. Nothing has no share. */
export function share(part: number, sum: number): string {
  if (sum <= 0 || part === 0) return '';
  const value = (part / sum) * 100;
  return value > 0 && value < 0.5 ? tiny() : wholePercent(Math.min(100, value));
}

/** In per cent. Where somebody has converted, it is never shown as 0%, also not on links, which have whole per cents. */
export const conversionRate = (rate: number, converted: number): string =>
  rate < 0.05 && converted > 0 ? tiny() : metricValue('conversion_rate', rate);

const tiny = (): string => leftToRight(`<${percent(1)}`);

/** In a language from right to left, a sign would stand behind its number, and point the other way. */
const leftToRight = (text: string): string => (isTurned() ? `\u2066${text}\u2069` : text);

const dayMonthYear = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });

/** `3 – 9 May 2026`, from two days as YYYY-MM-DD. */
export function dateRange(dateFrom: string, dateTo: string): string {
  const from = Date.parse(dateFrom);
  const to = Date.parse(dateTo);
  if (Number.isNaN(from) || Number.isNaN(to)) return '';
  if (from === to) return dayMonthYear.format(from);
  return dayMonthYear
    .formatRange(from, to)
    .split('–')
    .map((day) => day.trim())
    .join(' – ');
}

/** Visitors may send right-to-left text. Isolation keeps it from reordering the rest of a sentence (Unicode, UAX #9). */
export const isolated = (text: string): string => (RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text);

export const date = (time: number | string): string =>
  dayMonthYear.format(typeof time === 'number' ? time : Date.parse(time));
