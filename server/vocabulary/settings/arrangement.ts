// How a dashboard is arranged: which chapters it shows, in which order, and which figures come first. A site has an arrangement for everybody, each
// share link may have one for its viewers, and each member one of their own. What one leaves open, the one beneath it decides.
import { texts } from '../habits/messages.ts';
import type { Metric } from '../numbers/metrics.ts';

/** The chapters of a dashboard, in their usual order. */
export const CHAPTERS = texts({
  figures: 'Figures',
  reading: 'Reading depth',
  sources: 'Sources',
  pages: 'Pages',
  places: 'Places',
  devices: 'Devices',
  events: 'Events',
  payments: 'Payments',
  goals: 'Goals',
  funnels: 'Funnels',
  journeys: 'Journeys',
  speed: 'Speed',
  ai: 'AI visits',
  mentions: 'Mentions',
} as const);
export type Chapter = keyof typeof CHAPTERS;
export const CHAPTER_NAMES = Object.keys(CHAPTERS) as [Chapter, ...Chapter[]];

/** `order`: those left out follow in their usual order. `folded`: only their titles are shown. `figures`: those that come first. */
export type Arrangement = {
  order?: Chapter[] | undefined;
  folded?: Chapter[] | undefined;
  hidden?: Chapter[] | undefined;
  figures?: Metric[] | undefined;
};
/** The steps offered after the first visit to a site: a goal, a report by mail, a share link. */
export const NEXT_STEPS = ['goal', 'report', 'link'] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** `tabs`: the chosen tab of each panel. `next_steps`: those that are done or put away, and are never offered again. */
export type OwnArrangement = Arrangement & {
  tabs?: Record<string, string> | undefined;
  next_steps?: NextStep[] | undefined;
};

/** More than a dashboard has panels and lists with tabs. */
export const MAX_KEPT_TABS = 20;

type Given<Fields> = { [Name in keyof Fields]?: Fields[Name] | null };

/** Null takes a field back, and leaves it to the arrangement beneath. */
export const rearranged = <Fields extends OwnArrangement>(before: Fields, change: Given<Fields>): Fields =>
  Object.fromEntries(
    Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined),
  ) as Fields;

/** The names in `order` first; each of the others behind the one that it usually follows. */
export function inOrder<Name extends string>(order: readonly Name[], usual: readonly Name[]): Name[] {
  const all = [...new Set(order)].filter((name) => usual.includes(name));
  for (const [place, name] of usual.entries())
    if (!all.includes(name)) all.splice(place === 0 ? 0 : all.indexOf(usual[place - 1] as Name) + 1, 0, name);
  return all;
}
