// The entries of a dashboard's search palette besides values: places to go, views to choose and things to do.
import { goto } from '$app/navigation';
import type { Board } from '../../view/board.svelte';
import { jumpTo } from '../../browser/jump';
import { PANELS } from '../../panels/panels';
import type { Site } from '../../api/types';
import type { Metric } from '../../../../server/vocabulary/numbers/metrics.ts';
import { PERIOD_NAMES, PERIODS } from '../../../../server/vocabulary/time/periods.ts';
import { ALL_VISITORS } from '../../../../server/vocabulary/questions/segments.ts';
import {
  ACCOUNT_SETTINGS,
  action,
  ADD_SITE,
  ALL_SITES,
  type Entry,
  siteEntries,
  siteSettings,
  themeEntries,
} from './palette';

/** Actions that need the dashboard, because it shows their dialogs. */
type DashboardActions = {
  filter(): unknown;
  pickDates(): unknown;
  share(): unknown;
  report(): unknown;
  help(): unknown;
  save(): unknown;
  purge(): unknown;
  exportDays(): unknown;
  print(): unknown;
  logOut(): unknown;
};
export type PaletteContext = {
  sites: Site[];
  metrics: Metric[];
  canShare: boolean;
  actions: DashboardActions;
};

export function dashboardEntries(board: Board, context: PaletteContext): Entry[] {
  return [
    ...segmentEntries(board),
    ...(board.goals?.data ?? []).map((goal): Entry => {
      const run = () => board.filter('goal', goal.id);
      return { id: goal.id, group: 'Goals', label: goal.name, hint: 'Filter', run };
    }),
    ...periodEntries(board, context.actions),
    ...panelEntries(board, context.metrics),
    ...(board.shareToken ? [] : placeEntries(board, context)),
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
  return PERIOD_NAMES.filter((period) => period === 'custom' || board.allows({ period })).map((period) => {
    const { label, key } = PERIODS[period];
    const run = period === 'custom' ? pickDates : () => board.go({ ...noDates, period });
    return { id: `period ${period}`, group: 'Periods', label, hint: key, run };
  });
}

const panelOf = (name: string) => document.querySelector(`[data-panel="${name}"]`);

function panelEntries(board: Board, metrics: readonly Metric[]): Entry[] {
  return PANELS.flatMap((panel) =>
    panel.tabs
      .filter(
        (tab) =>
          (!tab.needs || metrics.includes(tab.needs)) &&
          board.hasDimension(tab.dimension) &&
          (!tab.isOfProperties || board.shows?.properties !== false) &&
          (!tab.isOfSearch || !board.shows),
      )
      .map((tab): Entry => {
        const { [panel.name]: _, ...others } = board.view.tabs;
        const tabs = tab.name === panel.usual ? others : { ...others, [panel.name]: tab.name };
        const run = () => {
          board.go({ tabs });
          // A chapter that has not been seen yet has no panels.
          jumpTo(panelOf(panel.name) ?? panelOf(panel.chapter ?? ''));
        };
        return { id: `${panel.name} ${tab.name}`, group: 'Panels', label: tab.label, hint: panel.title, run };
      }),
  );
}

function placeEntries(board: Board, { sites, canShare }: PaletteContext): Entry[] {
  const others = sites.filter(({ id }) => id !== board.site.id);
  return [
    ...siteEntries(others, (domain) => board.otherSite(domain)),
    ALL_SITES,
    ...(canShare ? [ADD_SITE, siteSettings(board.linkTo(`/${board.site.domain}/settings`))] : []),
    ACCOUNT_SETTINGS,
  ];
}

function actionEntries(board: Board, { canShare, actions }: PaletteContext): Entry[] {
  const isFiltered = board.view.filters.length > 0;
  return [
    action('Filter …', actions.filter, 'F'),
    ...(isFiltered ? [action('Clear filters', () => board.go({ filters: [] }), 'Esc')] : []),
    ...(isFiltered && !board.shareToken ? [action('Save as segment', actions.save)] : []),
    ...(board.mayEdit && (isFiltered || board.view.segment) ? [action('Purge these visits', actions.purge)] : []),
    ...(board.hasPart('live') ? [action('Live view', () => goto(board.linkTo(`${board.base}/live`)), 'R')] : []),
    action('Turn comparison on or off', board.toggleComparison, 'X'),
    ...(canShare ? [action('Share', actions.share)] : []),
    ...(board.shareToken ? [] : [action('E-mail this view', actions.report)]),
    ...((['pages', 'sources', 'events'] as const).every(board.hasPart)
      ? [action('Export as CSV', actions.exportDays)]
      : []),
    action('Print or make a PDF', actions.print),
    ...themeEntries(),
    action('Keyboard shortcuts', actions.help, '?'),
    ...(board.shareToken ? [] : [action('Log out', actions.logOut)]),
  ];
}
