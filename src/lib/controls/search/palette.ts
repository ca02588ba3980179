// The search palette: its entries, how they are found, and those that every page has.
import { goto } from '$app/navigation';
import { domainName } from '../../formats/domain';
import { isFramed, THEMES, theme, type Theme } from '../../browser/theme.svelte';
import type { Site } from '../../api/types';

type Group = 'Recent' | 'Segments' | 'Goals' | 'Periods' | 'Panels' | 'Sites' | 'Settings' | 'Actions';
/** `id`: stays the same from visit to visit, so that recent entries are found again. `words`: what else people call it, searched and not shown. */
export type Entry = { id: string; group: Group; label: string; hint?: string; words?: string; run: () => unknown };

export const goTo = (address: string) => () => goto(address);

export function siteEntries(sites: readonly Site[], addressOf: (domain: string) => string): Entry[] {
  return sites.map(({ id, domain }) => {
    return { id, group: 'Sites', label: domainName(domain), hint: 'Site', run: goTo(addressOf(domain)) };
  });
}

export const ALL_SITES: Entry = {
  id: 'sites',
  group: 'Sites',
  label: 'All sites',
  words: 'overview home list portfolio groups websites switch',
  run: goTo('/'),
};
export const ADD_SITE: Entry = {
  id: 'add site',
  group: 'Sites',
  label: 'Add a site',
  words: 'new site create another website domain',
  run: goTo('/sites/new'),
};

export const action = (label: string, run: () => unknown, more: Pick<Entry, 'hint' | 'words'> = {}): Entry => ({
  id: label,
  group: 'Actions',
  label,
  run,
  ...more,
});

/** What else people call the live view. */
export const LIVE_WORDS = 'realtime real-time now current visitors wall tv screen online right';

/** What every page of somebody who is signed in offers. */
export const signedInActions = (leave: () => unknown): Entry[] => [
  ...themeEntries(),
  action('Documentation', () => location.assign('/docs/'), { words: 'guides manual handbook docs' }),
  action('API documentation', () => location.assign('/docs'), {
    words: 'rest reference openapi swagger developer docs',
  }),
  action('Log out', leave, { words: 'logout sign out signout exit' }),
];

export function themeEntries(): Entry[] {
  if (isFramed()) return []; // the page around it decides
  const others = (Object.keys(THEMES) as Theme[]).filter((name) => name !== theme.chosen);
  return others.map((name) =>
    action(`Theme: ${THEMES[name]}`, () => (theme.chosen = name), { words: 'mode colours colors appearance' }),
  );
}

/** Finds entries with a word that begins with each typed word. Best first: in the label, in what else people call it, anywhere. */
export function findEntries<E extends Entry>(entries: readonly E[], typed: string): E[] {
  const wanted = wordsOf(typed);
  const text = typed.trim().toLowerCase();
  const areIn = (...texts: (string | undefined)[]) => {
    const words = texts.flatMap((one) => wordsOf(one ?? ''));
    return wanted.every((part) => words.some((word) => word.startsWith(part)));
  };
  return entries
    .flatMap((entry) => {
      const { label, words, hint, group } = entry;
      const start = label.toLowerCase();
      const fits = [start === text, start.startsWith(text), areIn(label), areIn(label, words)];
      const place = [...fits, areIn(label, words, hint, group)].indexOf(true);
      return place < 0 ? [] : [{ entry, place }];
    })
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry);
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}.]+/u)
    .filter(Boolean);

/** How many recent entries come first. */
const RECENT = 5;

export const withRecent = (recent: readonly string[], id: string): string[] =>
  [id, ...recent.filter((other) => other !== id)].slice(0, RECENT);

/** All entries, those that were used last first. */
export function recentFirst(entries: readonly Entry[], recent: readonly string[]): Entry[] {
  const first = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
  return [
    ...first.map((entry): Entry => ({ ...entry, group: 'Recent', hint: entry.hint ?? entry.group })),
    ...entries.filter((entry) => !first.includes(entry)),
  ];
}
