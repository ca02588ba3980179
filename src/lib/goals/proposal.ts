// The goal that is proposed for a new site, from the events and pages that were seen.
import { AUTOMATIC } from '../../../server/vocabulary/event.ts';
import type { GoalDefinition } from '../../../server/vocabulary/questions/goals.ts';

/** Automatic events that may be a goal, the most telling first. */
const AUTOMATIC_GOALS = {
  form_submit: 'sent forms',
  file_download: 'downloads',
  outbound_link: 'clicks on links to other sites',
  email_link: 'clicks on e-mail addresses',
  phone_link: 'clicks on phone numbers',
};
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

/** `visits to /pricing`. */
export function proposalWords(goal: GoalDefinition): string {
  if (goal.kind !== 'event') return `visits to ${goal.page}`;
  return AUTOMATIC_GOALS[goal.event as keyof typeof AUTOMATIC_GOALS] ?? `“${goal.event}” events`;
}
