// The formatters of the product, for server and dashboard, each made once for the habits of a reader: making one takes longer than a chart has for
// all of its labels. Nothing else formats by itself, which tests/project/habits.test.ts checks.
import { currentHabits, type Habits, isKnown, likely } from './habits.ts';
import { isRightToLeft, type Language } from './languages.ts';

/** Kinds of readers at a time. A server writes mails for many. */
const MOST = 100;

function forReader<Made>(make: (habits: Habits) => Made): () => Made {
  const known = new Map<Habits, Made>();
  return () => {
    const habits = currentHabits();
    const before = known.get(habits);
    if (before !== undefined) return before;
    const made = make(habits);
    if (known.size === MOST) known.clear();
    known.set(habits, made);
    return made;
  };
}

const RIGHT_TO_LEFT = /^(Adlm|Arab|Hebr|Nkoo|Rohg|Syrc|Thaa)$/;

/**
 * Numbers are those of the region's own language, with Latin digits: the English of a region, such as en-DE, has its separators only for some
 * of its currencies. What is written from right to left would turn an English sentence around.
 */
function figuresOf({ language: spoken, locale }: Habits): string {
  const { language, region } = new Intl.Locale(locale);
  const own = language === 'en' ? likely(`und-${region}`) : locale;
  const isTurned = RIGHT_TO_LEFT.test(new Intl.Locale(own).maximize().script ?? '');
  const isUsable = isKnown(own) && (!isTurned || isRightToLeft(spoken));
  return isUsable ? `${own}-u-nu-latn` : englishOf(region);
}

/** English as the region writes it, or as the world does. */
const englishOf = (region = ''): string => (isKnown(`en-${region}`) ? `en-${region}` : 'en-001');
const wordsOf = (habits: Habits): string => `${wordLocale(habits)}-u-ca-gregory-nu-latn`;

/** The reader's language as their region writes it, or as most of its speakers do. */
function wordLocale({ language, locale }: Habits): string {
  const { region } = new Intl.Locale(locale);
  if (language === 'en') return englishOf(region);
  const here = `${language}-${region}`;
  return isKnown(here) ? here : likely(language);
}

export function numberFormat(options: Intl.NumberFormatOptions): (value: number) => string {
  const current = forReader((habits) => new Intl.NumberFormat(figuresOf(habits), options));
  return (value) => current().format(value);
}

/** Three digits, and a letter or word for the rest: 12.3k, €4.57M, 1,23 Mio., 1.58万. All of them where the language has no word for thousands. */
function shortFormat(figures: string, options: Intl.NumberFormatOptions): (value: number) => string {
  const digits = { ...options, maximumSignificantDigits: 3 };
  if (currentHabits().language === 'en') {
    const format = new Intl.NumberFormat(figures, digits);
    return (value) => withLetter(format, value);
  }
  const short = new Intl.NumberFormat(figures, { ...digits, notation: 'compact' });
  const whole = new Intl.NumberFormat(figures, { ...options, maximumFractionDigits: 0 });
  return (value) => {
    const parts = short.formatToParts(value);
    const isWhole = Math.abs(value) >= 1000 && parts.every(({ type }) => type !== 'compact');
    return isWhole ? whole.format(value) : parts.map((part) => part.value).join('');
  };
}

const SIZES = ['', 'k', 'M', 'B', 'T'];

/** In English, a region may have K, k or m for the same: here all of them read the same letters. */
function withLetter(format: Intl.NumberFormat, value: number): string {
  const size = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.abs(value)) / 3)));
  const digits = Number((value / 1000 ** size).toPrecision(3));
  const isNext = Math.abs(digits) >= 1000 && size < SIZES.length - 1; // 999,950 is 1M
  const parts = format.formatToParts(isNext ? digits / 1000 : digits);
  const last = parts.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
  const letter = SIZES[isNext ? size + 1 : size] ?? '';
  return parts.map((part, index) => (index === last ? part.value + letter : part.value)).join('');
}

export function compactFormat(): (value: number) => string {
  const current = forReader((habits) => shortFormat(figuresOf(habits), {}));
  return (value) => current()(value);
}

const moneyFormats = forReader(() => new Map<string, (value: number) => string>());

type Money = { currency: string | null; isCompact: boolean; fractions: 0 | 2 };

/** A currency that the browser does not know is left out: the bare number is still right. */
export function formatMoney(value: number, { currency, isCompact, fractions }: Money): string {
  const known = moneyFormats();
  const key = `${currency} ${isCompact} ${fractions}`;
  let format = known.get(key);
  if (!format) {
    format = moneyFormat({ currency, isCompact, fractions });
    if (known.size === MOST) known.clear();
    known.set(key, format);
  }
  return format(value);
}

function moneyFormat({ currency, isCompact, fractions }: Money): (value: number) => string {
  const figures = figuresOf(currentHabits());
  const open = (style: Intl.NumberFormatOptions): ((value: number) => string) => {
    if (isCompact) return shortFormat(figures, style);
    const digits = { minimumFractionDigits: fractions, maximumFractionDigits: fractions };
    return new Intl.NumberFormat(figures, { ...style, ...digits }).format;
  };
  try {
    if (currency) return open({ style: 'currency', currency });
  } catch {
    // Not three letters.
  }
  return open({});
}

type DateFormat = { format(time: number): string; formatRange(from: number, to: number): string };

/** In UTC, unless a zone is named; the zone `undefined` is the reader's own. Hours are written in 12 or 24 as the reader does. */
export function dateFormat(options: Intl.DateTimeFormatOptions): DateFormat {
  const current = forReader((habits) => {
    const clock = options.hour && clockOf(habits, options);
    return new Intl.DateTimeFormat(wordsOf(habits), { timeZone: 'UTC', ...options, ...clock });
  });
  return {
    format: (time) => current().format(time),
    formatRange: (from, to) => current().formatRange(from, to),
  };
}

/** A full hour is `2 PM` or `14:00`: an hour alone would be `14`. */
function clockOf({ hours }: Habits, { minute }: Intl.DateTimeFormatOptions): Intl.DateTimeFormatOptions {
  if (hours === 12) return { hour: 'numeric', hourCycle: 'h12', ...(minute && { minute }) };
  return { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

const relative = forReader((habits) => new Intl.RelativeTimeFormat(wordsOf(habits), { numeric: 'auto' }));
/** `4 minutes ago`, `yesterday`. */
export const timeAgo = (count: number, unit: 'minute' | 'hour' | 'day'): string => relative().format(-count, unit);

const all = forReader((habits) => new Intl.ListFormat(wordsOf(habits)));
const any = forReader((habits) => new Intl.ListFormat(wordsOf(habits), { type: 'disjunction' }));
/** `Germany, France and Spain`. */
export const listOf = (names: Iterable<string>): string => all().format(names);
/** `Germany, France or Spain`. */
export const choiceOf = (names: Iterable<string>): string => any().format(names);

const SCRIPTS: Partial<Record<Language, string>> = { zh: 'zh-Hans', pt: 'pt-BR' };

/** Names by code, in the reader's language. Undefined for a code without one. */
export function nameFormat(type: Intl.DisplayNamesType, options: { languageDisplay?: 'standard' } = {}) {
  const current = forReader(
    ({ language }) => new Intl.DisplayNames(SCRIPTS[language] ?? language, { type, fallback: 'none', ...options }),
  );
  return (code: string): string | undefined => current().of(code);
}
