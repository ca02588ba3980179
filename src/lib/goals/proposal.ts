// The goal that is proposed for a new site, from the events and pages that were seen.
import { AUTOMATIC } from '../../../server/vocabulary/event.ts';
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';
import { t, texts } from '../../../server/vocabulary/habits/messages.ts';

/** Automatic events that may be a goal, the most telling first, and how each is proposed. */
const AUTOMATIC_GOALS = texts({
  form_submit: 'Count sent forms as a goal',
  file_download: 'Count downloads as a goal',
  outbound_link: 'Count clicks on links to other sites as a goal',
  email_link: 'Count clicks on e-mail addresses as a goal',
  phone_link: 'Count clicks on phone numbers as a goal',
});
/** Pages that visitors see when they have done what the site is for, or begin to. */
const TELLING =
  /(^|[/_-])(thank-?(you|s)|thanks|danke|merci|gracias|success|confirm(ed|ation)?|welcome|order-received|checkout|cart|basket|sign-?up|register|subscribe|trial|book(ing)?|demo|contact)([/_.-]|$)/i;

/** `events`, `pages`: by name, the most frequent first. Undefined while only the front page was seen. */
export function proposeGoal({ events, pages }: { events: string[]; pages: string[] }): GoalDefinition | undefined {
  const event =
    events.find((name) => !AUTOMATIC.has(name)) ?? Object.keys(AUTOMATIC_GOALS).find((name) => events.includes(name));
  if (event !== undefined) return { kind: 'event', event, props: {} };
  const others = pages.filter((path) => /^\/[^*]+$/.test(path)); // a star would make it a pattern
  const page = others.find((path) => TELLING.test(path)) ?? others[0];
  return page === undefined ? undefined : { kind: 'page', page };
}

/** `Count visits to /pricing as a goal`. */
export function proposalWords(goal: GoalDefinition): string {
  if (goal.kind !== 'event') return t('Count visits to {page} as a goal', { page: goal.page });
  const { event } = goal;
  return Object.hasOwn(AUTOMATIC_GOALS, event)
    ? AUTOMATIC_GOALS[event as keyof typeof AUTOMATIC_GOALS]
    : t('Count “{event}” events as a goal', { event });
}
