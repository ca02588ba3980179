// The language of a reader, and how they write numbers, dates and hours, and on which day their weeks begin: the habits of their region. An English
// reader in Berlin sees "8.811" and "27 Oct". Formatters are made in formatters.ts and nowhere else.
import { isRightToLeft, type Language, languageOf } from './languages.ts';

/** 1 is Monday, 7 is Sunday. */
export type FirstDay = 1 | 2 | 3 | 4 | 5 | 6 | 7;
export type Hours = 12 | 24;

/** `locale`: a language and a region, such as de-CH, from which the others follow unless somebody chooses them. */
export type Habits = { language: Language; locale: string; hours: Hours; firstDay: FirstDay };
/** The choices of a person for their account. Null: as their browser. */
export type ChosenHabits = {
  language: Language | null;
  locale: string | null;
  hours: Hours | null;
  first_day: FirstDay | null;
};

export const NOTHING_CHOSEN: ChosenHabits = { language: null, locale: null, hours: null, first_day: null };

/** `de-DE` for de, de-de and de-Latn-DE; undefined for text that is no language tag. */
export function readLocale(tag: string): string | undefined {
  try {
    const locale = likely(tag);
    if (isKnown(locale)) return locale;
    // Nobody has described German in Japan: the region's own language has its habits.
    const region = locale.slice(locale.indexOf('-'));
    const usual = likely(`und${region}`);
    return usual.endsWith(region) && isKnown(usual) ? usual : undefined;
  } catch {
    return undefined;
  }
}

/** With the region where most people speak the language, or the language that most people of the region speak. */
export function likely(tag: string): string {
  const { language, region } = new Intl.Locale(tag).maximize();
  return `${language === 'nb' ? 'no' : language}-${region}`; // the tables of Norway are under the older name
}

/** Whether `Intl` has data of this very region, instead of those of its language alone. */
export const isKnown = (locale: string): boolean => new Intl.NumberFormat(locale).resolvedOptions().locale === locale;

/** The language that most people of the region speak. */
export const localeOfRegion = (region: string): string | undefined => readLocale(`und-${region}`);

/** Regions whose weeks begin on a Saturday or Sunday (CLDR), for browsers without `getWeekInfo`. */
const SATURDAY = 'AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY';
const SUNDAY =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW';

type WeekInfo = { getWeekInfo?(): { firstDay: number }; weekInfo?: { firstDay: number } };

function firstDayOf(locale: string): FirstDay {
  const known = new Intl.Locale(locale) as Intl.Locale & WeekInfo;
  const region = known.region ?? '';
  const listed = SATURDAY.includes(region) ? 6 : 1;
  return (known.getWeekInfo?.() ?? known.weekInfo ?? { firstDay: SUNDAY.includes(region) ? 7 : listed })
    .firstDay as FirstDay;
}

function hoursOf(locale: string): Hours {
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions();
  return hourCycle === 'h11' || hourCycle === 'h12' ? 12 : 24;
}

/** Written out: to ask `Intl` takes 20 ms of each start. */
export const USUAL_HABITS: Habits = { language: 'en', locale: 'en-GB', hours: 24, firstDay: 1 };

const keyOf = ({ language, locale, hours, firstDay }: Habits) => `${language} ${locale} ${hours} ${firstDay}`;
const made = new Map([[keyOf(USUAL_HABITS), USUAL_HABITS]]);

/** Those of British English where nothing is known. Words are English unless a language is chosen. The same habits are the same object, by which formatters are kept. */
export function habitsOf(tag: string | null | undefined, chosen: Partial<ChosenHabits> = {}): Habits {
  const locale = readLocale(tag ?? '') ?? USUAL_HABITS.locale;
  const habits = {
    language: chosen.language ?? 'en',
    locale,
    hours: chosen.hours ?? hoursOf(locale),
    firstDay: chosen.first_day ?? firstDayOf(locale),
  };
  const known = made.get(keyOf(habits)) ?? habits;
  made.set(keyOf(known), known);
  return known;
}

/** The habits of a browser with these languages. English alone says nothing about a place, so a language after it does. */
export const habitsHere = (languages: readonly string[], chosen: ChosenHabits = NOTHING_CHOSEN): Habits =>
  habitsOf(chosen.locale ?? languages.find((one) => one !== 'en') ?? languages[0], {
    ...chosen,
    language: chosen.language ?? languageOf(languages),
  });

let reader = (): Habits => USUAL_HABITS;
/** Of whoever reads what is written now. */
export const currentHabits = (): Habits => reader();
/** True where they read from right to left. */
export const isTurned = (): boolean => isRightToLeft(currentHabits().language);
/** Says once, at the start, who that is: a dashboard has one reader, a server one for each text. */
export function followHabits(of: () => Habits): void {
  reader = of;
}
