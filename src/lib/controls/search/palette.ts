// The search palette: its entries, how they are found, and those that every page has.
import { goto } from '$app/navigation';
import { ACCOUNT_SETTINGS_PATH } from '../../account/pages';
import { domainName } from '../../formats/domain';
import { isFramed, THEMES, theme, type Theme } from '../../browser/theme.svelte';
import type { Site } from '../../api/types';

type Group = 'Recent' | 'Segments' | 'Goals' | 'Periods' | 'Panels' | 'Sites' | 'Settings' | 'Actions';
/** `id`: stays the same from visit to visit, so that recent entries are found again. */
export type Entry = { id: string; group: Group; label: string; hint?: string; run: () => unknown };

export const goTo = (address: string) => () => goto(address);

export function siteEntries(sites: readonly Site[], addressOf: (domain: string) => string): Entry[] {
  return sites.map(({ id, domain }) => {
    return { id, group: 'Sites', label: domainName(domain), hint: 'Site', run: goTo(addressOf(domain)) };
  });
}

export const ALL_SITES: Entry = { id: 'sites', group: 'Sites', label: 'All sites', run: goTo('/') };
export const ADD_SITE: Entry = { id: 'add site', group: 'Sites', label: 'Add a site', run: goTo('/sites/new') };
export const ACCOUNT_SETTINGS: Entry = {
  id: 'account settings',
  group: 'Settings',
  label: 'Account settings',
  run: goTo(ACCOUNT_SETTINGS_PATH),
};
export const siteSettings = (address: string): Entry => {
  return { id: 'site settings', group: 'Settings', label: 'Site settings', run: goTo(address) };
};

export const action = (label: string, run: () => unknown, hint = ''): Entry => ({
  id: label,
  group: 'Actions',
  label,
  run,
  ...(hint ? { hint } : {}),
});

export function themeEntries(): Entry[] {
  if (isFramed()) return []; // the page around it decides
  const others = (Object.keys(THEMES) as Theme[]).filter((name) => name !== theme.chosen);
  return others.map((name) => action(`Theme: ${THEMES[name]}`, () => (theme.chosen = name)));
}

/** Finds entries with a word that begins with each typed word. Best first: at the start of the label, elsewhere in it, anywhere. */
export function findEntries(entries: readonly Entry[], typed: string): Entry[] {
  const wanted = wordsOf(typed);
  return entries
    .flatMap((entry) => {
      const words = wordsOf(`${entry.label} ${entry.hint ?? ''} ${entry.group}`);
      if (!wanted.every((part) => words.some((word) => word.startsWith(part)))) return [];
      const label = entry.label.toLowerCase();
      const place = label.startsWith(typed.trim().toLowerCase())
        ? 0
        : wanted.every((part) => wordsOf(label).some((word) => word.startsWith(part)))
          ? 1
          : 2;
      return [{ entry, place }];
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
