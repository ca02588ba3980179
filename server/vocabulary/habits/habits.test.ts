import { afterEach, describe, expect, it } from 'vitest';
import { openRandom } from '../../jobs/demo/random.ts';
import { date, dateRange, fullNumber, money, percent, share, shortNumber, tenths } from '../numbers/format.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../time/time.ts';
import { choiceOf, dateFormat, listOf, nameFormat } from './formatters.ts';
import { followHabits, habitsHere, habitsOf, likely, NOTHING_CHOSEN, readLocale, USUAL_HABITS } from './habits.ts';
import { LANGUAGE_TAGS } from './languages.ts';

afterEach(() => followHabits(() => USUAL_HABITS));

const time = dateFormat({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const hour = dateFormat({ hour: 'numeric' });
const AFTERNOON = Date.UTC(2026, 9, 27, 14);

it.each([
  ['en-US', '8,811', '$54.3k', '6.4%', 'Oct 27, 2:00 PM', '2 PM', 'Oct 3 – 9, 2026', 'a, b, and c'],
  ['en-GB', '8,811', 'US$54.3k', '6.4%', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
  ['de', '8.811', '54,3k $', '6,4 %', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
  ['en-DE', '8.811', '54,3k $', '6,4 %', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
  ['fr-CA', '8 811', '54,3k $ US', '6,4 %', 'Oct 27, 14:00', '14:00', 'Oct 3 – 9, 2026', 'a, b and c'],
  ['pt-BR', '8.811', 'US$ 54,3k', '6,4%', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
  ['nb', '8 811', '54,3k USD', '6,4 %', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
  ['ar-EG', '8,811', 'US$54.3k', '6.4%', '27 Oct, 2:00 pm', '2 pm', '3 – 9 Oct 2026', 'a, b and c'],
  ['tr', '8.811', '$54,3k', '%6,4', '27 Oct, 14:00', '14:00', '3 – 9 Oct 2026', 'a, b and c'],
])('%s has English words and the habits of its region', (tag, ...expected) => {
  const habits = habitsOf(tag);
  followHabits(() => habits);
  const written = [
    fullNumber(8811),
    money(54_321, 'USD'),
    percent(6.4),
    time.format(AFTERNOON),
    hour.format(AFTERNOON),
    dateRange('2026-10-03', '2026-10-09'),
    listOf('abc'),
  ];
  expect(written.map((text) => text.replaceAll(/\s/g, ' '))).toEqual(expected);
});

describe('habits', () => {
  it('have the first day and the hours of the region, unless they are chosen', () => {
    const shown = (tag: string) => Object.values(habitsOf(tag)).slice(1).join(' ');
    expect(['en-US', 'de', 'ar-EG', 'pt-BR', 'en-CA', 'fr-CA', 'en-AU'].map(shown)).toEqual([
      'en-US 12 7',
      'de-DE 24 1',
      'ar-EG 12 6',
      'pt-BR 24 7',
      'en-CA 12 7',
      'fr-CA 24 7',
      'en-AU 12 1',
    ]);
    expect(habitsOf('en-US', { hours: 24, first_day: 1 })).toMatchObject({ locale: 'en-US', hours: 24, firstDay: 1 });
  });

  it('are those of the browser’s first language, in which English alone says nothing about a place', () => {
    const here = (...languages: string[]) => habitsHere(languages).locale;
    expect(here('de', 'en-US', 'en')).toBe('de-DE');
    expect(here('en', 'de-AT')).toBe('de-AT');
    expect(here('en')).toBe('en-US');
    expect(here()).toBe('en-GB');
    expect(habitsHere(['de'], { ...NOTHING_CHOSEN, locale: 'fr-CH' }).locale).toBe('fr-CH');
  });

  it('take no tag that names nothing, and one object for all spellings', () => {
    for (const tag of ['', 'C', '!', 'de_DE', 'x'.repeat(40), '<b>', 'zz-ZZ']) expect(readLocale(tag)).toBeUndefined();
    expect(['de-JP', 'xx-DE', 'DE', 'zh-Hant-TW'].map(readLocale)).toEqual(['ja-JP', 'de-DE', 'de-DE', 'zh-TW']);
    expect(habitsOf('de')).toBe(habitsOf('de-Latn-DE'));
    expect(habitsOf('nowhere at all')).toBe(USUAL_HABITS);
  });

  it('say a choice as English does', () => expect(choiceOf(['a', 'b', 'c'])).toBe('a, b or c'));
});

/** What `Intl` itself writes, as the module promises: numbers by the language of the region, words by its English. */
const LOCALES = [
  'en-US',
  'en-GB',
  'de-DE',
  'de-AT',
  'fr-FR',
  'fr-CH',
  'es-ES',
  'it-IT',
  'nl-NL',
  'pl-PL',
  'ja-JP',
  'hi-IN',
  'sv-SE',
  'id-ID',
];
const ZONES = ['UTC', 'America/Chicago', 'Asia/Kolkata', 'Australia/Lord_Howe'];

it('writes random numbers, days, ranges and hours of zones as `Intl` does', () => {
  const random = openRandom(35);
  const clocks = ZONES.map((timeZone) => ({
    timeZone,
    ...dateFormat({ timeZone, hour: 'numeric', minute: '2-digit' }),
  }));
  for (const locale of LOCALES) {
    const habits = habitsOf(locale);
    followHabits(() => habits);
    const english = `en-${locale.slice(3)}`;
    const days = new Intl.DateTimeFormat(english, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });
    const latin = `${locale}-u-nu-latn`;
    const numbers = new Intl.NumberFormat(latin, { maximumFractionDigits: 0 });
    const digit = new Intl.NumberFormat(latin, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    const euros = new Intl.NumberFormat(latin, { style: 'currency', currency: 'EUR' });
    for (let round = 0; round < 40; round += 1) {
      const value = random.between(0, 10 ** random.between(0, 12)) / 100;
      const at = Date.UTC(1990, 0, 1) + random.between(0, 20_000) * DAY_MS + random.between(0, 24) * HOUR_MS;
      const later = at + random.between(0, 800) * DAY_MS;
      expect(fullNumber(value)).toBe(numbers.format(value));
      expect(tenths(value)).toBe(digit.format(value));
      expect(money(value + 0.5, 'EUR', 'full').replace(/[,.]00(?=\D*$)/, '')).toBe(
        euros.format(value + 0.5).replace(/[,.]00(?=\D*$)/, ''),
      );
      expect(date(at)).toBe(days.format(at));
      expect(dateRange(dayOf(at), dayOf(later)).replaceAll(/\s/g, '')).toBe(
        days.formatRange(Date.parse(dayOf(at)), Date.parse(dayOf(later))).replaceAll(/\s/g, ''),
      );
      for (const { timeZone, format } of clocks) {
        const hourCycle = habits.hours === 12 ? 'h12' : 'h23';
        const hours = habits.hours === 12 ? 'numeric' : '2-digit';
        const clock = new Intl.DateTimeFormat(english, { timeZone, hourCycle, hour: hours, minute: '2-digit' });
        expect(format(at)).toBe(clock.format(at));
      }
    }
  }
});

it.each(LANGUAGE_TAGS)('writes random days, ranges, hours, lists and names in %s as `Intl` does', (language) => {
  const random = openRandom(37);
  const tag = language === 'en' ? 'en-GB' : likely(language);
  const habits = habitsOf(tag, { language });
  followHabits(() => habits);
  const words = `${tag}-u-ca-gregory-nu-latn`;
  const days = new Intl.DateTimeFormat(words, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });
  const hours =
    habits.hours === 12 ? ({ hourCycle: 'h12' } as const) : ({ hour: '2-digit', hourCycle: 'h23' } as const);
  const clock = new Intl.DateTimeFormat(words, { timeZone: 'UTC', hour: 'numeric', minute: '2-digit', ...hours });
  const shown = dateFormat({ hour: 'numeric', minute: '2-digit' });
  const names = new Intl.DisplayNames(language === 'zh' ? 'zh-Hans' : tag, { type: 'region', fallback: 'none' });
  const nameOf = nameFormat('region');
  const solid = (text: string) => text.replaceAll(/\s/g, '');
  for (let round = 0; round < 40; round += 1) {
    const at = Date.UTC(1990, 0, 1) + random.between(0, 20_000) * DAY_MS + random.between(0, 86_400) * 1000;
    const [from, to] = [dayOf(at), dayOf(at + random.between(0, 800) * DAY_MS)];
    expect(date(at)).toBe(days.format(at));
    expect(solid(dateRange(from, to))).toBe(solid(days.formatRange(Date.parse(from), Date.parse(to))));
    expect(shown.format(at)).toBe(clock.format(at));
  }
  for (const region of ['DE', 'US', 'JP', 'EG', 'BR']) expect(nameOf(region)).toBe(names.of(region));
  expect(listOf(['a', 'b', 'c'])).toBe(new Intl.ListFormat(words).format(['a', 'b', 'c']));
});

it.each(LANGUAGE_TAGS.filter((tag) => tag !== 'en'))(
  'shortens numbers as %s does, and loses no digit without a word for it',
  (tag) => {
    const random = openRandom(37);
    const locale = likely(tag);
    const habits = habitsOf(locale, { language: tag });
    followHabits(() => habits);
    const short = new Intl.NumberFormat(`${locale}-u-nu-latn`, { notation: 'compact', maximumSignificantDigits: 3 });
    const whole = new Intl.NumberFormat(`${locale}-u-nu-latn`);
    for (let round = 0; round < 200; round += 1) {
      const value = 10_000 + random.between(0, 10 ** random.between(5, 13));
      const usual = short.format(value);
      expect(shortNumber(value)).toBe(/\p{L}/u.test(usual) ? usual : whole.format(value));
    }
  },
);

it('shortens numbers as English does, in every size', () => {
  const random = openRandom(36);
  const usual = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
  for (const value of [10_000, 999_499, 999_500, 999_999, 1e6, 999_999_999, 1e12, -54_321])
    expect(shortNumber(value)).toBe(usual.format(value).replace('K', 'k'));
  for (let round = 0; round < 500; round += 1) {
    const value = 10_000 + random.between(0, 10 ** random.between(5, 13));
    expect(shortNumber(value)).toBe(usual.format(value).replace('K', 'k'));
  }
  expect(share(1, 1000)).toBe('<1%');
});
