// Whose habits this page is written by: the person's, who may have chosen them in the profile, else the browser's. In a shared dashboard the address
// decides: `?lang=de-DE`.
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

export const habitsFor = (chosen: ChosenHabits): Habits => habitsHere(navigator.languages, chosen);

let chosen = $state.raw(NOTHING_CHOSEN);
/** What is shown again when somebody chooses: formatters read it. */
const current = $derived(browser ? habitsFor(chosen) : USUAL_HABITS); // the build runs this once, outside a browser

followHabits(() => current);

export function chooseHabits(habits: ChosenHabits): void {
  chosen = habits;
}

/** Narrowing a shared dashboard changes its address, so the tab remembers what it said at first. */
export function habitsOfAddress({ searchParams }: URL): void {
  let locale = readLocale(searchParams.get('lang') ?? '') ?? null;
  try {
    if (locale === null) locale = sessionStorage.getItem('lang');
    else sessionStorage.setItem('lang', locale);
  } catch {
    // Without storage, the next reload asks the browser.
  }
  chooseHabits({ ...NOTHING_CHOSEN, locale });
}
