// The sentence about a figure, beside it in the dashboard and in mails: "today, 31% fewer than yesterday at this time; mostly
// fewer from Google".
import type { Dimension } from '../questions/dimensions.ts';
import { type Change, change, date, dateRange, isOfFew, isolated } from './format.ts';
import { type Metric, metricRow, type Unit } from './metrics.ts';
import type { Comparison, Period } from '../time/periods.ts';

const WHEN: Record<Exclude<Period, 'custom'>, string> = {
  today: 'today',
  yesterday: 'yesterday',
  '60m': 'in the last 60 minutes',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
  '91d': 'in the last 91 days',
  month: 'this month',
  last_month: 'last month',
  year: 'this year',
  '12mo': 'in the last 12 months',
  all: 'in all',
};

/** The previous period, by the period that it precedes. */
const BEFORE: Record<Period, string> = {
  today: 'yesterday at this time',
  yesterday: 'the day before',
  '60m': 'the 60 minutes before',
  '24h': 'the 24 hours before',
  '7d': 'the 7 days before',
  '30d': 'the 30 days before',
  '91d': 'the 91 days before',
  month: 'last month at this point',
  last_month: 'the month before',
  year: 'last year at this point',
  '12mo': 'the 12 months before',
  all: '',
  custom: 'the period before',
};

type Days = { date_from: string; date_to: string };

/** `days` are those of the answer. */
export function whenName(period: Period, days: Days): string {
  if (period !== 'custom') return WHEN[period];
  return days.date_from === days.date_to ? `on ${date(days.date_from)}` : 'in this period';
}

/** `compared` are the days that the figures are compared with. */
export function comparedName({ period, compare }: { period: Period; compare: Comparison }, compared: Days): string {
  const isDay = compared.date_from === compared.date_to;
  switch (compare) {
    case 'previous':
      return period === 'custom' && isDay ? 'the day before' : BEFORE[period];
    case 'weekdays':
      return isDay ? `${date(compared.date_from)}, the same weekday` : 'the same weekdays before';
    case 'year':
      return isDay ? 'the same day last year' : 'the same period last year';
    case 'custom':
      return dateRange(compared.date_from, compared.date_to);
    case 'none':
      return '';
  }
}

/** More and less, for a rise and a fall. */
const WORDS: Record<Unit, readonly [more: string, less: string]> = {
  count: ['more', 'fewer'],
  money: ['more', 'less'],
  ratio: ['higher', 'lower'],
  per_cent: ['higher', 'lower'],
  seconds: ['longer', 'shorter'],
};

type Figures = { value: number; previous: number | null };
/** `amount` is the part that stands out: "31% fewer". */
type ChangeWords = { amount: string; than: string; verdict: Change['verdict'] };

/** Says how a metric changed against what `before` names; undefined without a value to compare with. */
export function changeWords(metric: Metric, { value, previous }: Figures, before: string): ChangeWords | undefined {
  const changed = change(metric, value, previous);
  if (previous === null) return undefined;
  const { text = '', verdict = 'same', direction = 'none' } = changed ?? {};
  const { unit } = metricRow(metric);
  const words = (amount: string, than: string) => ({ amount, than: `${than} ${before}`.trim(), verdict });
  if (direction === 'none') return words('the same', 'as');
  if (text === 'new') return words(`up from ${unit === 'count' ? 'none' : 'nothing'}`, '');
  if (verdict === 'same' && !isOfFew(unit, value, previous)) return words('about the same', 'as');
  if (text.endsWith('×')) return words(`${text} as ${unit === 'count' ? 'many' : 'much'}`, 'as');
  const [more, less] = WORDS[unit];
  const size = text.replace(/ pt$/, text === '1 pt' ? ' point' : ' points');
  return words(`${size} ${direction === 'up' ? more : less}`, 'than');
}

/** Dimensions that say where more or fewer were counted. Others name what was counted itself, such as an event. */
const PLACES: Partial<Record<Dimension, (value: string, name: string) => string>> = {
  source: (value, name) => (name === '' ? 'from direct visits' : `from ${value}`),
  country: (value, name) => (name === '' ? 'from unknown countries' : `from ${value}`),
  device: (value, name) => `on ${name === 'tv' ? value : value.toLowerCase()}`,
  utm_campaign: (value) => `from the campaign ${value}`,
  entry_page: (value) => `from visits that began on ${value}`,
  page: (value) => `on ${value}`,
};

/** `shown`: the name of the value as people read it. */
type Cause = { metric: Metric; isRise: boolean; dimension: Dimension; name: string; shown: string };

/**
 * What caused most of a change: "fewer", "from Germany". It says the direction again, because "31% fewer; mostly Germany" could mean
 * those who are left.
 */
export function causeWords({ metric, isRise, dimension, name, shown }: Cause): { moved: string; place: string } {
  const [more, less] = WORDS[metricRow(metric).unit];
  const value = isolated(shown);
  return { moved: isRise ? more : less, place: PLACES[dimension]?.(value, name) ?? `of “${value}”` };
}

/** `fewer from every major source`: no single source caused the change. */
export function alikeWords(metric: Metric, { value, previous }: { value: number; previous: number }): string {
  const [more, less] = WORDS[metricRow(metric).unit];
  return `${value > previous ? more : less} from every major source`;
}

/** `when`: `from 10:00 to 13:00`. */
export function gapWords(metric: Metric, when: string): string {
  const { column, label } = metricRow(metric);
  return `no ${(column ?? label).toLowerCase()} ${when}`;
}
