// The entries of a dashboard's search palette besides values: places to go, views to choose and things to do.
import { tick } from 'svelte';
import { goto } from '$app/navigation';
import type { Board } from '../../view/board.svelte';
import { leave } from '../../account/sign-in/auth';
import { printView } from '../../browser/print-view';
import { jumpTo } from '../../browser/jump';
import { chooseTab, put } from '../../dashboard/arranging/arrange';
import { chaptersOf } from '../../dashboard/chapters';
import { PANELS } from '../../panels/panels';
import type { Metric } from '../../../../server/vocabulary/numbers/metrics.ts';
import { type Chapter, CHAPTERS } from '../../../../server/vocabulary/settings/arrangement.ts';
import { COMPARISONS, NAMED_COMPARISONS, PERIOD_NAMES, PERIODS } from '../../../../server/vocabulary/time/periods.ts';
import { ALL_VISITORS } from '../../../../server/vocabulary/questions/segments.ts';
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import type { Session, Site } from '../../api/types';
import { action, addSite, allSites, type Entry, liveView, signedInActions, siteEntries, themeEntries } from './palette';
import { settingsEntries } from './settings-entries';

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
};
export type PaletteContext = {
  sites: Site[];
  metrics: Metric[];
  canShare: boolean;
  actions: DashboardActions;
};

/** `session`: undefined for viewers of a share link. */
export function dashboardEntries(board: Board, context: PaletteContext, session: Session | undefined): Entry[] {
  const addressOf = (path: string) => board.linkTo(`/${board.site.domain}/settings${path}`);
  return [
    ...segmentEntries(board),
    ...(board.goals?.data ?? []).map((goal): Entry => {
      const run = () => board.filter('goal', goal.id);
      return { id: goal.id, group: 'goals', label: goal.name, hint: t('Filter'), run };
    }),
    ...periodEntries(board, context.actions),
    ...panelEntries(board, context),
    ...chapterEntries(board, context),
    ...(session ? placeEntries(board, context) : []),
    ...actionEntries(board, context),
    ...(session ? signedInActions(leave) : themeEntries()),
    ...(session ? settingsEntries(session, { id: 'site settings', label: t('Site settings'), addressOf }) : []),
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
      const one = { group: 'segments' as const, label: board.segmentName(id) };
      const compare = () => board.go({ versus: id });
      return [
        { ...one, id, run: choose(id) },
        { ...one, id: `versus ${id}`, hint: t('Compare with'), run: compare },
      ];
    });
}

function periodEntries(board: Board, { pickDates }: DashboardActions): Entry[] {
  const noDates = { date_from: undefined, date_to: undefined, interval: undefined };
  return PERIOD_NAMES.filter((period) => period === 'custom' || board.allows({ period })).map((period) => {
    const { label, key } = PERIODS[period];
    const run = period === 'custom' ? pickDates : () => board.go({ ...noDates, period });
    return { id: `period ${period}`, group: 'periods', label, hint: key, words: period, run };
  });
}

/** What else people call the chapters. */
const CHAPTER_WORDS: Record<Chapter, string> = {
  figures: 'numbers chart graph trend overview metrics',
  reading: 'scroll depth how far read',
  sources: 'traffic referrers channels',
  pages: 'urls content',
  places: 'geography countries map',
  devices: 'browsers systems technology',
  events: 'custom events actions',
  payments: 'revenue money sales orders',
  goals: 'conversions conversion rate targets',
  funnels: 'steps drop-off conversion',
  journeys: 'paths flow navigation sankey where visitors go',
  speed: 'web vitals performance fast slow loading lcp inp cls fcp ttfb',
  ai: 'crawlers robots bots gptbot chatgpt llm',
  mentions: 'hacker news reddit threads',
};
/** What else people call the tabs of panels, by panel and tab. */
const TAB_WORDS: Partial<Record<string, string>> = {
  'sources utm_campaign': 'utm tags ads',
  'sources referrer': 'referer backlinks links',
  'sources search_terms': 'keywords queries seo google',
  'sources assistants': 'chatgpt claude perplexity llm',
  'pages page': 'top pages urls content paths',
  'pages entry_page': 'landing pages',
  'pages exit_page': 'last pages leave',
  'places map': 'world geography location',
  'devices screen': 'size resolution width',
  'devices os': 'operating windows macos ios android linux',
  'devices device': 'mobile desktop tablet phone',
  'devices browser': 'chrome firefox safari',
  'events event': 'custom clicks',
  'payments payments': 'revenue money sales orders',
};

/** Goes to a chapter, which is shown and unfolded for it. */
async function open(board: Board, chapter: Chapter): Promise<void> {
  if (board.is('hidden', chapter)) put(board, 'hidden', chapter, false);
  if (board.is('folded', chapter)) put(board, 'folded', chapter, false);
  await tick();
  jumpTo(document.querySelector(`[data-chapter="${chapter}"]`), 'start');
}

function panelEntries(board: Board, { metrics }: PaletteContext): Entry[] {
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
        const run = () => {
          chooseTab(board, panel.name, tab.name === panel.usual ? undefined : tab.name);
          void open(board, panel.chapter ?? (panel.name as Chapter));
        };
        const id = `${panel.name} ${tab.name}`;
        const words = `${tab.name} ${tab.dimension} ${TAB_WORDS[id] ?? ''}`;
        return { id, group: 'panels', label: tab.label, hint: panel.title, words, run };
      }),
  );
}

function chapterEntries(board: Board, { metrics }: PaletteContext): Entry[] {
  return chaptersOf(board, { metrics }).map((name): Entry => {
    const hint = board.is('hidden', name) ? t('Hidden') : '';
    const words = `${name} ${CHAPTER_WORDS[name]}`;
    return { id: `chapter ${name}`, group: 'panels', label: CHAPTERS[name], hint, words, run: () => open(board, name) };
  });
}

function placeEntries(board: Board, { sites, canShare }: PaletteContext): Entry[] {
  const others = sites.filter(({ id }) => id !== board.site.id);
  return [...siteEntries(others, (domain) => board.otherSite(domain)), allSites(), ...(canShare ? [addSite()] : [])];
}

function actionEntries(board: Board, { canShare, actions }: PaletteContext): Entry[] {
  const isFiltered = board.view.filters.length > 0;
  const isNarrowed = isFiltered || board.view.segment !== undefined;
  const isExported = (['pages', 'sources', 'events'] as const).every(board.hasPart);
  const live = () => goto(board.linkTo(`${board.base}/live`));
  const when = (condition: boolean, ...entries: Entry[]) => (condition ? entries : []);
  return [
    action('Filter', { label: t('Filter …'), hint: 'F', words: 'narrow only where' }, actions.filter),
    ...when(
      isFiltered,
      action('Clear filters', { label: t('Clear filters'), hint: 'Esc', words: 'reset remove' }, () =>
        board.go({ filters: [] }),
      ),
    ),
    ...when(isFiltered && !board.shareToken, action('Save as segment', { label: t('Save as segment') }, actions.save)),
    ...when(
      board.mayEdit && isNarrowed,
      action('Purge these visits', { label: t('Purge these visits'), words: 'remove delete' }, actions.purge),
    ),
    ...when(board.hasPart('live'), liveView(live, 'R')),
    action(
      'Turn comparison on or off',
      { label: t('Turn comparison on or off'), hint: 'X', words: 'compare versus vs' },
      board.toggleComparison,
    ),
    ...comparisonEntries(board),
    ...when(
      canShare,
      action(
        'Share',
        { label: t('Share'), words: 'public link embed iframe badge picture client send' },
        actions.share,
      ),
    ),
    ...when(
      board.mayEdit,
      action('New goal', { label: t('New goal'), words: 'add create conversion' }, () => board.openGoalForm()),
    ),
    ...when(
      !board.shareToken,
      action(
        'E-mail this view',
        { label: t('E-mail this view'), words: 'email mail report schedule send' },
        actions.report,
      ),
    ),
    ...when(
      isExported,
      action(
        'Export as CSV',
        { label: t('Export as CSV'), words: 'download excel spreadsheet data save file' },
        actions.exportDays,
      ),
    ),
    ...pageActions(board, actions),
  ];
}

/** Those that every reader of the page has. */
const pageActions = (board: Board, { help }: DashboardActions): Entry[] => [
  action(
    'Arrange this dashboard',
    {
      label: t('Arrange this dashboard'),
      words: 'order hide show fold chapters panels figures customise customize layout',
    },
    () => (board.arranging = 'chapters'),
  ),
  action('Print or make a PDF', { label: t('Print or make a PDF'), words: 'paper printer save' }, printView),
  action('Keyboard shortcuts', { label: t('Keyboard shortcuts'), hint: '?', words: 'help hotkeys keys' }, help),
];

function comparisonEntries(board: Board): Entry[] {
  return NAMED_COMPARISONS.map((name): Entry => {
    const { label } = COMPARISONS[name];
    const words = name === 'none' ? 'compare stop no' : `compare comparison ${name} versus vs year over year yoy`;
    const run = () => board.compare(name);
    return { id: `compare ${name}`, group: 'periods', label, hint: t('Compare'), words, run };
  });
}
