// The entries of the search palette besides values: places to go, views to choose and things to do.
import { goto } from '$app/navigation';
import type { Board } from '../board.svelte';
import { domainName } from '../domain';
import { jumpTo } from '../jump';
import { PANELS } from '../panels/panels';
import { THEMES, theme, type Theme } from '../theme.svelte';
import type { Site } from '../api-types';
import type { Metric } from '../../../server/vocabulary/metrics.ts';
import { PERIOD_NAMES, PERIODS } from '../../../server/vocabulary/periods.ts';
import { ALL_VISITORS } from '../../../server/vocabulary/segments.ts';

type Group = 'Recent' | 'Segments' | 'Goals' | 'Periods' | 'Panels' | 'Sites' | 'Settings' | 'Actions';
/** `id`: stays the same from visit to visit, so that recent entries are found again. */
export type Entry = { id: string; group: Group; label: string; hint?: string; run: () => unknown };

/** Actions that need the dashboard, because it shows their dialogs. */
type DashboardActions = {
  filter(): unknown;
  pickDates(): unknown;
  share(): unknown;
  help(): unknown;
  save(): unknown;
  exportDays(): unknown;
  logOut(): unknown;
};
export type PaletteContext = {
  sites: Site[];
  goals: { id: string; name: string }[];
  metrics: Metric[];
  canShare: boolean;
  actions: DashboardActions;
};

export function entriesOf(board: Board, context: PaletteContext): Entry[] {
  return [
    ...segmentEntries(board),
    ...context.goals.map((goal): Entry => {
      const run = () => board.filter('goal', goal.id);
      return { id: goal.id, group: 'Goals', label: goal.name, hint: 'Filter', run };
    }),
    ...periodEntries(board, context.actions),
    ...panelEntries(board, context.metrics),
    ...(board.shareToken ? [] : siteEntries(board, context)),
    ...actionEntries(board, context),
  ];
}

function segmentEntries(board: Board): Entry[] {
  const ids = (board.segments?.data ?? []).map(({ id }) => id);
  if (ids.length === 0) return [];
  const choose = (id: string) => () => board.go({ segment: id === ALL_VISITORS ? undefined : id });
  const shown = board.view.segment ?? ALL_VISITORS;
  return [ALL_VISITORS, ...ids]
    .filter((id) => id !== shown)
    .flatMap((id): Entry[] => {
      const one = { group: 'Segments' as const, label: board.segmentName(id) };
      const compare = () => board.go({ versus: id });
      return [
        { ...one, id, run: choose(id) },
        { ...one, id: `versus ${id}`, hint: 'Compare with', run: compare },
      ];
    });
}

function periodEntries(board: Board, { pickDates }: DashboardActions): Entry[] {
  const noDates = { date_from: undefined, date_to: undefined, interval: undefined };
  return PERIOD_NAMES.map((period) => {
    const { label, key } = PERIODS[period];
    const run = period === 'custom' ? pickDates : () => board.go({ ...noDates, period });
    return { id: `period ${period}`, group: 'Periods', label, hint: key, run };
  });
}

function panelEntries(board: Board, metrics: readonly Metric[]): Entry[] {
  return PANELS.flatMap((panel) =>
    panel.tabs
      .filter(
        (tab) =>
          (!tab.needs || metrics.includes(tab.needs)) && (!tab.isOfProperties || board.shows?.properties !== false),
      )
      .map((tab): Entry => {
        const { [panel.name]: _, ...others } = board.view.tabs;
        const tabs = tab.name === panel.usual ? others : { ...others, [panel.name]: tab.name };
        const run = () => {
          board.go({ tabs });
          jumpTo(`[data-panel="${panel.name}"]`);
        };
        return { id: `${panel.name} ${tab.name}`, group: 'Panels', label: tab.label, hint: panel.title, run };
      }),
  );
}

function siteEntries(board: Board, { sites, canShare }: PaletteContext): Entry[] {
  const to = (address: string) => () => goto(address);
  const settings = `/${board.site.domain}/settings`;
  return [
    ...sites
      .filter(({ id }) => id !== board.site.id)
      .map(({ id, domain }): Entry => {
        return { id, group: 'Sites', label: domainName(domain), hint: 'Site', run: to(board.otherSite(domain)) };
      }),
    { id: 'sites', group: 'Sites', label: 'All sites', run: to('/') },
    ...(canShare
      ? [
          { id: 'add site', group: 'Sites' as const, label: 'Add a site', run: to('/sites/new') },
          {
            id: 'site settings',
            group: 'Settings' as const,
            label: 'Site settings',
            run: to(board.elsewhere(settings)),
          },
        ]
      : []),
    { id: 'account settings', group: 'Settings', label: 'Account settings', run: to('/settings') },
  ];
}

function actionEntries(board: Board, { canShare, actions }: PaletteContext): Entry[] {
  const one = (label: string, run: () => unknown, hint = ''): Entry => ({
    ...{ id: label, group: 'Actions', label, run },
    ...(hint ? { hint } : {}),
  });
  const isFiltered = board.view.filters.length > 0;
  const themes = (Object.keys(THEMES) as Theme[]).filter((name) => name !== theme.chosen);
  return [
    one('Filter …', actions.filter, 'F'),
    ...(isFiltered ? [one('Clear filters', () => board.go({ filters: [] }), 'Esc')] : []),
    ...(isFiltered && !board.shareToken ? [one('Save as segment', actions.save)] : []),
    one('Live view', () => goto(board.elsewhere(`${board.base}/live`)), 'R'),
    one('Turn comparison on or off', board.toggleComparison, 'X'),
    ...(canShare ? [one('Share', actions.share)] : []),
    one('Export as CSV', actions.exportDays),
    ...themes.map((name) => one(`Theme: ${THEMES[name]}`, () => (theme.chosen = name))),
    one('Keyboard shortcuts', actions.help, '?'),
    ...(board.shareToken ? [] : [one('Log out', actions.logOut)]),
  ];
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
