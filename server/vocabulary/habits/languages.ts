// The languages in which Footfall speaks to people. Each has a catalogue of messages in `languages/`; English stands in the code.

/** By tag: the language's own name, as its readers look for it. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  pt: 'Português (Brasil)',
  tr: 'Türkçe',
  ja: '日本語',
  zh: '简体中文',
  ar: 'العربية',
} as const;

export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as Language[];

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

export const isRightToLeft = (language: Language): boolean => language === 'ar';
/** A letter that is written from right to left, in any language. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;

/** Traditional Chinese is another language to its readers. */
const OTHER_CHINESE = /^zh-(hant|hk|mo|tw)\b/i;

/** The first of these language tags that is spoken here: `de` for de-AT. English for none. */
export function languageOf(tags: readonly string[]): Language {
  for (const tag of tags) {
    const language = tag.toLowerCase().split('-', 1)[0] ?? '';
    if (isLanguage(language) && !OTHER_CHINESE.test(tag)) return language;
  }
  return 'en';
}
