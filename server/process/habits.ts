// Whose habits a text is written by on a server, and in which language, which writes for many readers at a time: those of the one whom it was begun for, also after it
// has waited for numbers. Otherwise the usual ones.
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import {
  currentHabits,
  followHabits,
  type Habits,
  habitsHere,
  habitsOf,
  readLocale,
  USUAL_HABITS,
} from '../vocabulary/habits/habits.ts';
import { isRightToLeft, type Language, languageOf } from '../vocabulary/habits/languages.ts';
import { followMessages, type Messages } from '../vocabulary/habits/messages.ts';

const reading = new AsyncLocalStorage<Habits>();
/** English stands in the code. A catalogue is read once somebody reads its language. */
const catalogues = new Map<Language, Messages>([['en', {}]]);
function messagesOf(language: Language): Messages {
  const known = catalogues.get(language);
  if (known) return known;
  const path = new URL(`../../languages/${language}.json`, import.meta.url);
  const read = JSON.parse(readFileSync(path, 'utf8')) as Messages;
  catalogues.set(language, read);
  return read;
}

/** Done once here; a test that reads in another language does it again at its end. */
export function followReaders(): void {
  followHabits(() => reading.getStore() ?? USUAL_HABITS);
  followMessages(messagesOf);
}
followReaders();

/** Those of whoever sends a request, by its `Accept-Language`: the dashboard names the language that it shows. */
export function habitsOfRequest(acceptLanguage: string | undefined): Habits {
  const language = languageOf(
    (acceptLanguage ?? '')
      .slice(0, MAX_HEADER)
      .split(',')
      .map((tag) => tag.split(';', 1)[0]?.trim() ?? ''),
  );
  return language === 'en' ? USUAL_HABITS : habitsOf(language, { language });
}
const MAX_HEADER = 200;

/** Those that an address asks for, with its language: `?lang=de-AT`. */
export const habitsOfAddress = (lang: string | undefined): Habits => habitsHere(lang === undefined ? [] : [lang]);

/** Of a page for people without an account: what its address asks for, otherwise their browser's. */
export function habitsOfVisitor(lang: string | null, acceptLanguage: string | undefined): Habits {
  const asked = readLocale(lang ?? '');
  return asked === undefined ? habitsOfRequest(acceptLanguage) : habitsOfAddress(asked);
}

/** Of a page, for its element `html`. */
export const languageAttributes = (language: Language = currentHabits().language): string =>
  `lang="${language}"${isRightToLeft(language) ? ' dir="rtl"' : ''}`;

/** Writes a text for a reader. What it returns is text: whatever is kept for others must not depend on who read it first. */
export const inHabits = <Text>(habits: Habits, write: () => Text): Text => reading.run(habits, write);
