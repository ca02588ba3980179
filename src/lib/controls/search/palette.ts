// The search palette: its entries, how they are found, and those that every page has.
import { goto } from '$app/navigation';
import { domainName } from '../../formats/domain';
import { isFramed, THEMES, theme, type Theme } from '../../browser/theme.svelte';
import type { Site } from '../../api/types';
import { t, texts } from '../../../../server/vocabulary/habits/messages.ts';

/** The groups of entries, and of what the palette shows besides them. */
export const GROUPS = texts({
  recent: 'Recent',
  segments: 'Segments',
  goals: 'Goals',
  periods: 'Periods',
  panels: 'Panels',
  sites: 'Sites',
  settings: 'Settings',
  actions: 'Actions',
  meant: 'Did you mean',
  values: 'Filter by',
});
export type Group = keyof typeof GROUPS;
/**
 * `id`: stays the same from visit to visit, so that recent entries are found again. `words`: what else people call it, searched and not shown. They
 * are English, and have the entry's English name, which people type who know it.
 */
export type Entry = {
  id: string;
  group: Group;
  label: string;
  hint?: string | undefined;
  words?: string;
  run: () => unknown;
};

export const goTo = (address: string) => () => goto(address);

export function siteEntries(sites: readonly Site[], addressOf: (domain: string) => string): Entry[] {
  return sites.map(({ id, domain }) => {
    return { id, group: 'sites', label: domainName(domain), hint: t('Site'), run: goTo(addressOf(domain)) };
  });
}

export const allSites = (): Entry => ({
  id: 'sites',
  group: 'sites',
  label: t('All sites'),
  words: 'all sites overview home list portfolio groups websites switch',
  run: goTo('/'),
});
export const addSite = (): Entry => ({
  id: 'add site',
  group: 'sites',
  label: t('Add a site'),
  words: 'add a new site create another website domain',
  run: goTo('/sites/new'),
});

type Names = Pick<Entry, 'label' | 'hint' | 'words'>;
/** `english`: the label in English. */
export const action = (english: string, { label, hint, words = '' }: Names, run: () => unknown): Entry => ({
  id: english,
  group: 'actions',
  label,
  hint,
  words: `${english} ${words}`,
  run,
});

const LIVE_WORDS = 'realtime real-time now current visitors wall tv screen online right';
export const liveView = (run: () => unknown, hint?: string): Entry =>
  action('Live view', { label: t('Live view'), hint, words: LIVE_WORDS }, run);

/** What every page of somebody who is signed in offers. */
export const signedInActions = (leave: () => unknown): Entry[] => [
  ...themeEntries(),
  action('Documentation', { label: t('Documentation'), words: 'guides manual handbook docs' }, () =>
    location.assign('/docs/'),
  ),
  action(
    'API documentation',
    { label: t('API documentation'), words: 'rest reference openapi swagger developer docs' },
    () => location.assign('/docs'),
  ),
  action('Log out', { label: t('Log out'), words: 'logout sign out signout exit' }, leave),
];

export function themeEntries(): Entry[] {
  if (isFramed()) return []; // the page around it decides
  const others = (Object.keys(THEMES) as Theme[]).filter((name) => name !== theme.chosen);
  return others.map((name) =>
    action(
      `theme ${name}`,
      { label: t('Theme: {name}', { name: THEMES[name] }), words: 'mode colours colors appearance' },
      () => (theme.chosen = name),
    ),
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
      const place = [...fits, areIn(label, words, hint, group, GROUPS[group])].indexOf(true);
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
    ...first.map((entry): Entry => ({ ...entry, group: 'recent', hint: entry.hint ?? GROUPS[entry.group] })),
    ...entries.filter((entry) => !first.includes(entry)),
  ];
}
