// The sentence about a figure, beside it in the dashboard and in mails: "today, 31% fewer than yesterday at this time; mostly
// fewer from Google". Its clauses are whole messages. What stands out in one is in tags: `<0>31% fewer</0> than yesterday at this time`.
import { midSentence, t, texts, textsOf, tn } from '../habits/messages.ts';
import type { Dimension } from '../questions/dimensions.ts';
import { type Change, date, dateRange, isolated, isOfFew, type Moved, movedBy } from './format.ts';
import { columnName, type Metric, metricRow, type Unit } from './metrics.ts';
import type { Comparison, Period } from '../time/periods.ts';

const WHEN: Record<Exclude<Period, 'custom'>, string> = texts({
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
});

/** What a figure is compared with: its name, after a comparative, and after "the same". `whole`: its name where it is shown to its end. */
type Compared = { name: string; than: string; as: string; whole?: string };

/** The previous period, by the period that it precedes. */
const BEFORE: Record<Exclude<Period, 'all'>, Compared> = textsOf(['name', 'than', 'as', 'whole'], {
  today: {
    name: 'yesterday at this time',
    than: 'than yesterday at this time',
    as: 'as yesterday at this time',
    whole: 'yesterday',
  },
  yesterday: { name: 'the day before', than: 'than the day before', as: 'as the day before' },
  '60m': { name: 'the 60 minutes before', than: 'than the 60 minutes before', as: 'as the 60 minutes before' },
  '24h': { name: 'the 24 hours before', than: 'than the 24 hours before', as: 'as the 24 hours before' },
  '7d': { name: 'the 7 days before', than: 'than the 7 days before', as: 'as the 7 days before' },
  '30d': { name: 'the 30 days before', than: 'than the 30 days before', as: 'as the 30 days before' },
  '91d': { name: 'the 91 days before', than: 'than the 91 days before', as: 'as the 91 days before' },
  month: {
    name: 'last month at this point',
    than: 'than last month at this point',
    as: 'as last month at this point',
    whole: 'last month',
  },
  last_month: { name: 'the month before', than: 'than the month before', as: 'as the month before' },
  year: {
    name: 'last year at this point',
    than: 'than last year at this point',
    as: 'as last year at this point',
    whole: 'last year',
  },
  '12mo': { name: 'the 12 months before', than: 'than the 12 months before', as: 'as the 12 months before' },
  custom: { name: 'the period before', than: 'than the period before', as: 'as the period before' },
});

const NOTHING: Compared = { name: '', than: '', as: '' };

const OTHERS = textsOf(['name', 'than', 'as'], {
  weekdays: {
    name: 'the same weekdays before',
    than: 'than the same weekdays before',
    as: 'as the same weekdays before',
  },
  sameDay: {
    name: 'the same day last year',
    than: 'than the same day last year',
    as: 'as the same day last year',
  },
  samePeriod: {
    name: 'the same period last year',
    than: 'than the same period last year',
    as: 'as the same period last year',
  },
} satisfies Record<string, Compared>);

type Days = { date_from: string; date_to: string };

/** `days` are those of the answer. */
export function whenName(period: Period, days: Days): string {
  if (period !== 'custom') return WHEN[period];
  return days.date_from === days.date_to ? t('on {date}', { date: date(days.date_from) }) : t('in this period');
}

/** `compared` are the days that the figures are compared with. */
export function comparisonOf({ period, compare }: { period: Period; compare: Comparison }, compared: Days): Compared {
  const isDay = compared.date_from === compared.date_to;
  switch (compare) {
    case 'previous':
      if (period === 'all') return NOTHING;
      return BEFORE[period === 'custom' && isDay ? 'yesterday' : period];
    case 'weekdays':
      return isDay ? sameWeekday(date(compared.date_from)) : OTHERS.weekdays;
    case 'year':
      return isDay ? OTHERS.sameDay : OTHERS.samePeriod;
    case 'custom':
      return theseDays(dateRange(compared.date_from, compared.date_to));
    case 'none':
      return NOTHING;
  }
}

const sameWeekday = (day: string): Compared => ({
  name: t('{date}, the same weekday', { date: day }),
  than: t('than {date}, the same weekday', { date: day }),
  as: t('as {date}, the same weekday', { date: day }),
});

const theseDays = (days: string): Compared => ({
  name: days,
  than: t('than {days}', { days }),
  as: t('as {days}', { days }),
});

/** Other visitors, by the name that somebody gave them. */
export const otherVisitors = (name: string): Compared => ({
  name: '',
  than: t('than <1>“{segment}”</1>', { segment: kept(name) }),
  as: t('as <1>“{segment}”</1>', { segment: kept(name) }),
});

type Figures = { value: number; previous: number | null };
/** `text`: the whole clause, in which the amount is tagged. */
type ChangeWords = { amount: string; text: string; verdict: Change['verdict'] };

/** Says how a metric changed against something; undefined without a value to compare with. */
export function changeWords(metric: Metric, { value, previous }: Figures, compared: Compared): ChangeWords | undefined {
  if (previous === null) return undefined;
  const { unit, isLessBetter = false } = metricRow(metric);
  const moved = movedBy({ unit, isLessBetter }, value, previous);
  const { verdict = 'same', kind = 'none' } = moved ?? {};
  const words = (amount: string, comparison: string) => ({
    amount,
    text: comparison === '' ? `<0>${amount}</0>` : t('<0>{amount}</0> {comparison}', { amount, comparison }),
    verdict,
  });
  if (!moved || kind === 'none') return words(t('the same'), compared.as);
  if (kind === 'from_nothing') {
    const amount = fromNothing(unit, moved);
    const { name: before } = compared;
    return { ...words(amount, ''), ...(before && { text: t('<0>{amount}</0> {before}', { amount, before }) }) };
  }
  if (verdict === 'same' && !isOfFew(unit, value, previous)) return words(t('about the same'), compared.as);
  if (kind === 'factor') {
    const factor = moved.shown;
    return words(unit === 'count' ? t('{factor} as many', { factor }) : t('{factor} as much', { factor }), compared.as);
  }
  return words(amountOf(unit, moved), compared.than);
}

function fromNothing(unit: Unit, { direction }: Moved): string {
  if (direction === 'down') return t('down from nothing');
  return unit === 'count' ? t('up from none') : t('up from nothing');
}

function amountOf(unit: Unit, { kind, direction, shown: size, size: points }: Moved): string {
  const isUp = direction === 'up';
  if (kind === 'points')
    return isUp
      ? tn(points, '{points} point higher', '{points} points higher', { points: size })
      : tn(points, '{points} point lower', '{points} points lower', { points: size });
  switch (unit) {
    case 'count':
      return isUp ? t('{size} more', { size }) : t('{size} fewer', { size });
    case 'money':
      return isUp ? t('{size} more', { size }) : t('{size} less', { size });
    case 'ratio':
    case 'per_cent':
      return isUp ? t('{size} higher', { size }) : t('{size} lower', { size });
    case 'seconds':
      return isUp ? t('{size} longer', { size }) : t('{size} shorter', { size });
  }
}

/** Dimensions that say where more or fewer were counted. Others name what was counted itself, such as an event. */
const PLACES: Partial<Record<Dimension, (value: string, name: string) => string>> = {
  source: (source, name) => (name === '' ? t('from direct visits') : t('from {source}', { source })),
  country: (country, name) => (name === '' ? t('from unknown countries') : t('from {country}', { country })),
  device: (value) => t('on {device}', { device: midSentence(value) }),
  utm_campaign: (campaign) => t('from the campaign {campaign}', { campaign }),
  entry_page: (page) => t('from visits that began on {page}', { page }),
  page: (page) => t('on {page}', { page }),
};

/** `shown`: the name of the value as people read it. */
type Cause = { dimension: Dimension; name: string; shown: string };

/** `from Germany`. */
export function causePlace({ dimension, name, shown }: Cause): string {
  const value = isolated(shown);
  return PLACES[dimension]?.(value, name) ?? t('of “{value}”', { value });
}

/**
 * What caused most of a change, with its place tagged: `mostly fewer <0>from Germany</0>`. It says the direction again, because "31% fewer; mostly
 * Germany" could mean those who are left.
 */
export function causeWords({ metric, isRise, ...cause }: Cause & { metric: Metric; isRise: boolean }): string {
  const place = kept(causePlace(cause));
  if (isRise) return t('mostly more <0>{place}</0>', { place });
  return metricRow(metric).unit === 'money'
    ? t('mostly less <0>{place}</0>', { place })
    : t('mostly fewer <0>{place}</0>', { place });
}

/** `fewer from every major source`: no single source caused the change. */
export function alikeWords(metric: Metric, { value, previous }: { value: number; previous: number }): string {
  if (value > previous) return t('more from every major source');
  return metricRow(metric).unit === 'money' ? t('less from every major source') : t('fewer from every major source');
}

const NONE: Partial<Record<Metric, (when: string) => string>> = {
  unique_visitors: (when) => t('no visitors {when}', { when }),
  visits: (when) => t('no visits {when}', { when }),
  pageviews: (when) => t('no views {when}', { when }),
  events: (when) => t('no events {when}', { when }),
  conversions: (when) => t('no conversions {when}', { when }),
  orders: (when) => t('no orders {when}', { when }),
};

/** `when`: `from 10:00 to 13:00`. */
export const gapWords = (metric: Metric, when: string): string =>
  NONE[metric]?.(when) ?? t('no {metric} {when}', { metric: midSentence(columnName(metric)), when });

/** A part of a clause; `mark`: the number of its tag. `after`: the punctuation that stays on its line. */
type Piece = { text: string; mark?: number; after: string };

const TAG = '<';
/** Stands for what would begin a tag in a name that visitors sent. */
const KEPT_TAG = '\ue000';
const kept = (name: string): string => name.replaceAll(TAG, KEPT_TAG);
const shownAgain = (text: string): string => text.replaceAll(KEPT_TAG, TAG);

const PIECE = /<(\d)>([^<]*)<\/\1>(\p{P}*)|[^<]+/gu;

/** The parts of a clause, for a screen that styles them. */
export const piecesOf = (clause: string): Piece[] =>
  [...clause.matchAll(PIECE)].map(([all, mark, text, after = '']) =>
    mark === undefined || text === undefined
      ? { text: shownAgain(all), after: '' }
      : { text: shownAgain(text), mark: Number(mark), after },
  );

/** The clause without its tags. */
export const plainWords = (clause: string): string =>
  piecesOf(clause)
    .map(({ text, after }) => text + after)
    .join('');
