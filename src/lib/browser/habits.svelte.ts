// Whose habits this page is written by, and in which language: the person's, who may have chosen them in the profile, else the browser's. In a shared
// dashboard the address decides: `?lang=de-DE`.
import { browser } from '$app/environment';
import {
  type ChosenHabits,
  followHabits,
  type Habits,
  habitsHere,
  NOTHING_CHOSEN,
  readLocale,
  USUAL_HABITS,
} from '../../../server/vocabulary/habits/habits.ts';
import { languageOf } from '../../../server/vocabulary/habits/languages.ts';
import { followMessages } from '../../../server/vocabulary/habits/messages.ts';
import { remember } from './storage';

export const habitsFor = (chosen: ChosenHabits): Habits => habitsHere(navigator.languages, chosen);

let chosen = $state.raw(NOTHING_CHOSEN);
/** What this person has chosen until now. The session says only what they had chosen when it was loaded. */
export const chosenHabits = (): ChosenHabits => chosen;
/** The language whose messages are here. */
let language = $state(browser ? languageFiles.language : USUAL_HABITS.language); // the build runs this once, outside a browser
/** What is shown again when somebody chooses: formatters and messages read it. */
const current = $derived(browser ? habitsFor({ ...chosen, language }) : USUAL_HABITS);

followHabits(() => current);
if (browser) followMessages((one) => languageFiles.tables[one] ?? {});

/** Everything that is shown changes where it stands. If the messages of a language cannot be loaded, the page keeps its own. */
async function chooseHabits(habits: ChosenHabits): Promise<void> {
  chosen = habits;
  await languageFiles.change(habitsFor(habits).language).catch(() => undefined);
  language = languageFiles.language;
}

/** Those of a person who is logged in. The next page starts with them. */
export function chooseOwnHabits(habits: ChosenHabits): Promise<void> {
  remember('language', habits.language ?? '');
  return chooseHabits(habits);
}

/** Narrowing a shared dashboard changes its address, so the tab remembers what it said at first. */
export async function habitsOfAddress({ searchParams }: URL): Promise<void> {
  let locale = readLocale(searchParams.get('lang') ?? '') ?? null;
  try {
    if (locale === null) locale = sessionStorage.getItem('lang');
    else sessionStorage.setItem('lang', locale);
  } catch {
    // Without storage, the next reload asks the browser.
  }
  await chooseHabits({ ...NOTHING_CHOSEN, locale, language: locale === null ? null : languageOf([locale]) });
}
