// The periods that people name: today, last week, October, 3 November, since Monday, from 1 to 15 October. Days are those of a given zone.
import { type AskedPeriod, FIRST_DAY, type Period, PERIODS } from '../time/periods.ts';
import { addMonths, DAY_MS, dayOf, readDay, startOfDay, startOfMonth } from '../time/time.ts';
import type { Word } from './words.ts';

/** Both ends are midnights, half-open. `name`: the period of the dashboard that has these days. */
export type Span = { from: number; to: number; name?: Period };
/** `length`: how many words it takes. */
type Found = { span: Span; length: number };

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const UNITS = ['hour', 'minute', 'day', 'week', 'month', 'quarter', 'year'] as const;
type Unit = (typeof UNITS)[number];
const ORDINALS: Record<string, number> = { first: 1, second: 2, third: 3, fourth: 4 };

/** The periods with a name of their own in the dashboard. */
const NAMED: Record<string, Period> = {
  ...Object.fromEntries(Object.entries(PERIODS).map(([name, { label }]) => [label.toLowerCase(), name as Period])),
  'so far today': 'today',
  tonight: 'today',
  now: '60m',
  'right now': '60m',
  'last hour': '60m',
  'past hour': '60m',
  'last day': 'yesterday',
  'past week': '7d',
  'past month': '30d',
  'this month': 'month',
  'current month': 'month',
  'this month so far': 'month',
  mtd: 'month',
  'previous month': 'last_month',
  'this year': 'year',
  'current year': 'year',
  'this year so far': 'year',
  'so far this year': 'year',
  'so far this month': 'month',
  ytd: 'year',
  'past year': '12mo',
  'last 24h': '24h',
  'last 24 h': '24h',
  'past day': '24h',
  '24 hours': '24h',
  'last 60 min': '60m',
  'last quarter year': '91d',
  ever: 'all',
  'of all time': 'all',
  'since the beginning': 'all',
  'since the start': 'all',
  alltime: 'all',
  overall: 'all',
};
delete NAMED['custom range'];
const LONGEST_NAME = 4;

/** Every word of a period, so that a wrong letter in one is understood. */
export const PERIOD_WORDS: readonly string[] = [
  ...Object.keys(NAMED).flatMap((name) => name.split(' ')),
  ...[MONTHS, WEEKDAYS, NUMBERS.slice(1)].flat(),
  ...UNITS.flatMap((unit) => [unit, `${unit}s`]),
  ...'weekend since until till between through previous current beginning ago'.split(' '),
].filter((word) => /^[a-z]+$/.test(word));

const beginsLike = (names: readonly string[], text: string): number =>
  text.length < 3 ? -1 : names.findIndex((name) => name === text || (name.startsWith(text) && text.length <= 4));
const monthOf = (text = ''): number => beginsLike(MONTHS, text);
const weekdayOf = (text = ''): number => beginsLike(WEEKDAYS, text.replace(/s$/, ''));
const yearOf = (text = ''): number | undefined => (/^20\d\d$/.test(text) ? Number(text) : undefined);
const dayNumber = (text = ''): number | undefined => {
  const found = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text)?.[1];
  return found !== undefined && Number(found) >= 1 && Number(found) <= 31 ? Number(found) : undefined;
};
const numberOf = (text = ''): number | undefined => {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const at = NUMBERS.indexOf(text);
  return at > 0 ? at : undefined;
};
const unitOf = (text = ''): Unit | undefined =>
  UNITS.find((unit) => text === unit || text === `${unit}s`) ??
  ({ h: 'hour', hrs: 'hour', min: 'minute', mins: 'minute', d: 'day', mo: 'month' } as const)[text];

const startOfYear = (year: number) => Date.UTC(year, 0, 1);
const startOfWeek = (day: number) => day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
const startOfQuarter = (day: number) => startOfMonth(day, -(new Date(day).getUTCMonth() % 3));

/** The calendar week, month, quarter or year, some of them before the one of `today`. */
function calendar(unit: Unit, ago: number, today: number): Span {
  switch (unit) {
    case 'week':
      return { from: startOfWeek(today) - ago * 7 * DAY_MS, to: startOfWeek(today) - (ago - 1) * 7 * DAY_MS };
    case 'month':
      return { from: startOfMonth(today, -ago), to: startOfMonth(today, 1 - ago) };
    case 'quarter':
      return {
        from: startOfMonth(startOfQuarter(today), -3 * ago),
        to: startOfMonth(startOfQuarter(today), 3 - 3 * ago),
      };
    case 'year': {
      const year = new Date(today).getUTCFullYear() - ago;
      return { from: startOfYear(year), to: startOfYear(year + 1) };
    }
    case 'day':
    case 'hour':
    case 'minute':
      return { from: today - ago * DAY_MS, to: today - (ago - 1) * DAY_MS };
  }
}

/** The last full days, weeks, months, quarters or years before today's. */
function lastOf(count: number, unit: Unit, today: number): Span | undefined {
  if (count < 1 || count > 4000) return undefined;
  if (unit === 'minute') return count === 60 ? { from: today, to: today, name: '60m' } : undefined;
  if (unit === 'hour')
    return count === 1 || count === 24 ? { from: today, to: today, name: count === 1 ? '60m' : '24h' } : undefined;
  if (unit === 'day' || unit === 'week') {
    const days = unit === 'day' ? count : count * 7;
    const name =
      days === 1 ? 'yesterday' : days === 7 || days === 30 || days === 91 ? (`${days}d` as const) : undefined;
    return { from: today - days * DAY_MS, to: today, ...(name && { name }) };
  }
  const spans = { from: calendar(unit, count, today).from, to: calendar(unit, 0, today).from };
  if (unit === 'month' && count === 12) return { ...spans, name: '12mo' };
  return unit === 'month' && count === 1 ? { ...spans, name: 'last_month' } : spans;
}

/** A reader of the words that follow: `at` is the place of the first. */
type Reading = { words: readonly Word[]; at: number; today: number };
const textAt = ({ words, at }: Reading, plus = 0): string | undefined => {
  const word = words[at + plus];
  return word && !word.isQuoted ? word.text : undefined;
};

function named(reading: Reading): Found | undefined {
  for (let length = LONGEST_NAME; length >= 1; length--) {
    const text = Array.from({ length }, (_, plus) => textAt(reading, plus) ?? '').join(' ');
    const name = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
    if (name) return { span: spanOfName(name, reading.today), length };
  }
  return undefined;
}

function spanOfName(name: Period, today: number): Span {
  const { from, to } = PERIODS[name].range({ now: today, firstAt: FIRST_DAY });
  return { from, to, name };
}

/** Last 14 days, the past two weeks, 3 weeks ago, this week, the previous quarter, last Monday, last October, last weekend. */
function relative(reading: Reading): Found | undefined {
  const { today } = reading;
  const [first = '', second, third] = [0, 1, 2].map((plus) => textAt(reading, plus));
  const count = numberOf(first) ?? (first === 'a' || first === 'an' ? 1 : undefined);
  const unit = unitOf(second);
  if (count !== undefined && unit && third === 'ago' && unit !== 'hour' && unit !== 'minute' && count <= 400)
    return { span: calendar(unit, count, today), length: 3 };
  if (!['last', 'past', 'previous', 'this', 'current', 'recent', 'preceding'].includes(first)) return undefined;
  const isNow = first === 'this' || first === 'current';
  const many = numberOf(second);
  const ofMany = unitOf(third);
  if (!isNow && many !== undefined && ofMany) {
    const span = lastOf(many, ofMany, today);
    return span && { span, length: 3 };
  }
  if (unit === 'day') return isNow ? { span: spanOfName('today', today), length: 2 } : undefined;
  if (unit && unit !== 'hour' && unit !== 'minute') return { span: calendar(unit, isNow ? 0 : 1, today), length: 2 };
  if (second === 'weekend') return { span: weekend(today, isNow), length: 2 };
  const weekday = weekdayOf(second);
  if (weekday >= 0) return { span: onWeekday(weekday, today), length: 2 };
  const month = monthOf(second);
  if (month < 0) return undefined;
  const year = new Date(today).getUTCFullYear();
  const isOver = month < new Date(today).getUTCMonth();
  return { span: monthSpan(isNow || isOver ? year : year - 1, month), length: 2 };
}

/** The last one that has begun; with `isNow`, that of this week if it has. */
function weekend(today: number, isNow: boolean): Span {
  const saturday = startOfWeek(today) + 5 * DAY_MS;
  const hasEnded = today >= saturday + 2 * DAY_MS;
  const from = (isNow && today >= saturday) || hasEnded ? saturday : saturday - 7 * DAY_MS;
  return { from, to: from + 2 * DAY_MS };
}

/** The last one before today. */
function onWeekday(weekday: number, today: number): Span {
  const ago = ((new Date(today).getUTCDay() - weekday + 6) % 7) + 1;
  return calendar('day', ago, today);
}

const monthSpan = (year: number, month: number): Span => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + 1, 1),
});

/** The last year in which a day or month has begun. */
const latestYear = (month: number, day: number, today: number): number => {
  const year = new Date(today).getUTCFullYear();
  return Date.UTC(year, month, day) > today ? year - 1 : year;
};

/** The year that follows: 2025, this year, last year. */
function yearAfter(reading: Reading): { year: number; length: number } | undefined {
  const [first, second] = [textAt(reading), textAt(reading, 1)];
  const skipped = first === 'in' || first === 'of' ? 1 : 0;
  const year = yearOf(skipped ? second : first);
  if (year !== undefined) return { year, length: 1 + skipped };
  const own = new Date(reading.today).getUTCFullYear();
  if (second !== 'year') return undefined;
  if (first === 'this') return { year: own, length: 2 };
  return first === 'last' || first === 'previous' ? { year: own - 1, length: 2 } : undefined;
}

function dayIn(year: number, month: number, day: number): Span | undefined {
  const at = readDay(`${year}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`);
  return at === undefined ? undefined : { from: at, to: at + DAY_MS };
}

/** 3 November, Nov 3rd 2025, the 3rd of November, October, October 2025. */
function dayOrMonth(reading: Reading): Found | undefined {
  const { today } = reading;
  const day = dayNumber(textAt(reading));
  const ofAt = textAt(reading, 1) === 'of' ? 2 : 1;
  const [month, length] =
    day !== undefined && monthOf(textAt(reading, ofAt)) >= 0
      ? [monthOf(textAt(reading, ofAt)), ofAt + 1]
      : [monthOf(textAt(reading)), 1];
  if (month < 0) return undefined;
  const after = length === 1 ? dayNumber(textAt(reading, 1)) : day;
  const words = length === 1 && after !== undefined ? 2 : length;
  const year = yearAfter({ ...reading, at: reading.at + words });
  const whole = words + (year?.length ?? 0);
  if (after === undefined) return { span: monthSpan(year?.year ?? latestYear(month, 1, today), month), length: whole };
  const span = dayIn(year?.year ?? latestYear(month, after, today), month, after);
  return span && { span, length: whole };
}

/** 2025, 2025-11, 2025-11-03, 3.11.2025, Q3, Q3 2025, third quarter of 2025, Monday. */
function written(reading: Reading): Found | undefined {
  const { today } = reading;
  const text = textAt(reading) ?? '';
  const year = yearOf(text);
  if (year !== undefined) return { span: { from: startOfYear(year), to: startOfYear(year + 1) }, length: 1 };
  const [, ofIso = '', month = '', day] = /^(20\d\d)-(\d\d)(?:-(\d\d))?$/.exec(text) ?? [];
  if (day !== undefined) return found(dayIn(Number(ofIso), Number(month) - 1, Number(day)), 1);
  if (ofIso !== '' && Number(month) >= 1 && Number(month) <= 12)
    return { span: monthSpan(Number(ofIso), Number(month) - 1), length: 1 };
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(20\d\d)$/.exec(text);
  if (dotted) return found(dayIn(Number(dotted[3]), Number(dotted[2]) - 1, Number(dotted[1])), 1);
  const ordinal =
    textAt(reading, 1) === 'quarter' ? ORDINALS[text.replace(/^([1-4])(?:st|nd|rd|th)$/, '$1')] : undefined;
  const quarter = ordinal ?? (/^q[1-4]$/.test(text) ? Number(text[1]) : undefined);
  if (quarter !== undefined) {
    const words = ordinal === undefined ? 1 : 2;
    const after = yearAfter({ ...reading, at: reading.at + words });
    const from = Date.UTC(after?.year ?? latestYear(3 * (quarter - 1), 1, today), 3 * (quarter - 1), 1);
    return { span: { from, to: startOfMonth(from, 3) }, length: words + (after?.length ?? 0) };
  }
  const weekday = weekdayOf(text);
  return weekday >= 0 ? { span: onWeekday(weekday, today), length: 1 } : undefined;
}

const found = (span: Span | undefined, length: number): Found | undefined => span && { span, length };

/** The longest of the readings. */
function oneSpan(reading: Reading): Found | undefined {
  const the = textAt(reading) === 'the' ? 1 : 0;
  const from = { ...reading, at: reading.at + the };
  const all = [named(from), relative(from), dayOrMonth(from), written(from)].flatMap((one) => one ?? []);
  const longest = all.reduce<Found | undefined>(
    (best, one) => (best && best.length >= one.length ? best : one),
    undefined,
  );
  return longest && { ...longest, length: longest.length + the };
}

const UNTIL = ['to', 'until', 'till', 'through', '-', '–', 'and', 'up'];

/** From 1 to 15 October: the first day has no month of its own. */
function bareDayThen(reading: Reading): Found | undefined {
  const day = dayNumber(textAt(reading));
  if (day === undefined || !UNTIL.includes(textAt(reading, 1) ?? '')) return undefined;
  const last = oneSpan({ ...reading, at: reading.at + 2 });
  if (!last || last.span.to - last.span.from !== DAY_MS) return undefined;
  const from = startOfMonth(last.span.from) + (day - 1) * DAY_MS;
  return from <= last.span.from ? { span: { from, to: last.span.to }, length: last.length + 2 } : undefined;
}

/** 1-15 October, in one word. */
function joinedDays(reading: Reading): Found | undefined {
  const [, first, last] = /^(\d{1,2})[-–](\d{1,2})$/.exec(textAt(reading) ?? '') ?? [];
  if (first === undefined || last === undefined) return undefined;
  const words = [...reading.words];
  const word = words[reading.at];
  if (word) words[reading.at] = { ...word, text: last };
  const end = oneSpan({ ...reading, words });
  if (!end || end.span.to - end.span.from !== DAY_MS) return undefined;
  const from = startOfMonth(end.span.from) + (Number(first) - 1) * DAY_MS;
  return from <= end.span.from ? { ...end, span: { from, to: end.span.to } } : undefined;
}

const MOST_YEARS = 30;

/**
 * The period that begins with a word; undefined if none does. `today`: midnight of the zone's day, as a wall time. `isOne`: what follows is
 * another period, as in "compare October to September".
 */
export function periodAt(words: readonly Word[], at: number, today: number, isOne = false): Found | undefined {
  const reading = { words, at, today };
  const first = textAt(reading);
  const opens = first === 'from' || first === 'between' ? 1 : 0;
  const since = first === 'since' || first === 'after' ? 1 : 0;
  const skipped =
    opens || since || (['in', 'on', 'during', 'for', 'over', 'within', 'of'].includes(first ?? '') ? 1 : 0);
  const start = { ...reading, at: at + skipped };
  const from = named(reading) ?? joinedDays(start) ?? bareDayThen(start) ?? oneSpan(start);
  if (!from) return undefined;
  const length = named(reading) === from ? from.length : from.length + skipped;
  if (since) return { span: { from: from.span.from, to: today + DAY_MS }, length };
  if (isOne) return { span: from.span, length };
  const joiner = UNTIL.includes(textAt(reading, length) ?? '') ? (textAt(reading, length) === 'up' ? 2 : 1) : 0;
  const isAnd = textAt(reading, length) === 'and' && first !== 'between';
  const until = joiner && !isAnd ? oneSpan({ ...reading, at: at + length + joiner }) : undefined;
  if (!until) return { span: from.span, length };
  // "March to May 2025", "October to March": the year of the first follows from the second.
  let { from: begins } = from.span;
  for (let years = 0; begins >= until.span.to && years < MOST_YEARS; years++) begins = addMonths(begins, -12);
  if (begins >= until.span.to) return { span: from.span, length };
  return { span: { from: begins, to: until.span.to }, length: length + joiner + until.length };
}

/** What the dashboard is asked for. Days that are still to come are left out; undefined if the span has no others. */
export function askedPeriod(span: Span, today: number): AskedPeriod | undefined {
  if (span.name) return { period: span.name };
  const to = Math.min(span.to, today + DAY_MS);
  if (span.from > today || span.from < FIRST_DAY) return undefined;
  return { period: 'custom', date_from: dayOf(span.from), date_to: dayOf(to - DAY_MS) };
}

/** The same days a year before. */
export const yearBefore = ({ from, to }: Span): Span => ({
  from: addMonths(from, -12),
  to: addMonths(to - DAY_MS, -12) + DAY_MS,
});

export const todayOf = (wall: number): number => startOfDay(wall);
