// The panels and their tabs: which dimension each lists, by which metric, and what it says when empty.
import { AI_ERRORS } from '../../../server/vocabulary/ai.ts';
import { type Dimension, dimensionRow, isProperty, sourceOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { type Metric, METRIC_NAMES, metricRow } from '../../../server/vocabulary/numbers/metrics.ts';
import { isOfAi } from '../formats/dimensions.ts';
import type { BreakdownAsked } from '../view/lists.ts';
import type { Filter } from '../view/view.ts';
import type { PanelName } from './panel-names.ts';

/** `address`: below `/DOMAIN/`. */
type Guide = { address: string; label: string };

export type PanelTab = {
  /** The tab's name in the address: its dimension, or a word of its own. */
  name: string;
  label: string;
  /** The label on the tab itself, where six stand in a line. */
  short?: string;
  dimension: Dimension;
  metric: Metric;
  /** Other dimensions of the same tab, chosen in a select. */
  variants?: Dimension[];
  /** What the select chooses, for screen readers. */
  choice?: string;
  /** The properties of payments are among the variants: `NAME:KEY` in the address. */
  hasProperties?: true;
  /** A second number of each row. */
  beside?: Metric;
  /** Lists the values of one event property, `prop:KEY` in the address. Defaults to the most common one. */
  isOfProperties?: true;
  /** Limits the list. */
  filter?: Filter;
  isMap?: true;
  /** Lists search terms of Google, which belong to no dimension. Share links do not show it. */
  isOfSearch?: true;
  /** Shown only if the summary has this metric. */
  needs?: Metric;
  /** Says which rows the list will have. */
  empty: string;
  /** A line to copy that would fill the list. */
  code?: string;
  /** The card of the site's settings that helps to fill the list. */
  settings?: Guide;
};

export type PanelRow = {
  name: PanelName;
  title: string;
  /** The name of the tab that is shown first. */
  usual: string;
  tabs: PanelTab[];
  /** Part of the chapter of this name, instead of the dashboard's own grid. */
  chapter?: 'ai';
};

const ASSISTANTS: Filter = { dimension: 'channel', operator: 'is', values: ['AI assistants'] };
const SNIPPET: Guide = { address: 'settings#snippet', label: 'Show the snippet' };
const AGENTS: Guide = { address: 'settings/integrations#agents', label: 'Add the lines to your server' };
const CITY_DATABASE = 'GEOIP_DB=/path/to/city.mmdb';
const UTM: Dimension[] = ['utm_campaign', 'utm_source', 'utm_medium', 'utm_content', 'utm_term'];

/** Each tab shows how to fill it. Most lists only need the snippet. */
function tab(
  dimension: Dimension,
  label: string,
  metric: Metric,
  empty: string,
  more: Partial<PanelTab> = {},
): PanelTab {
  return { name: dimension, label, dimension, metric, empty, ...(more.code ? {} : { settings: SNIPPET }), ...more };
}

export const PANELS: PanelRow[] = [
  {
    name: 'sources',
    title: 'Sources',
    usual: 'source',
    tabs: [
      tab(
        'channel',
        'Channels',
        'unique_visitors',
        'Kinds of traffic, such as search, social and email, appear with the first visit.',
      ),
      tab('source', 'Sources', 'unique_visitors', 'Sources of traffic appear with the first visit.'),
      tab('referrer', 'Referrers', 'visits', 'Pages that link here appear once someone follows a link.'),
      tab(
        'utm_campaign',
        'Campaigns',
        'unique_visitors',
        'Tag the links you share to see how many visitors each brings.',
        {
          code: '?utm_campaign=spring&utm_source=newsletter',
          variants: UTM,
          choice: 'Campaign tag',
        },
      ),
      tab(
        'source',
        'AI assistants',
        'unique_visitors',
        'Visitors from ChatGPT, Claude, Perplexity and other assistants appear here.',
        {
          name: 'assistants',
          short: 'AI',
          filter: ASSISTANTS,
        },
      ),
      // Its own component says how to fill it.
      tab('source', 'Search terms', 'visits', 'Search terms appear here.', { name: 'search_terms', isOfSearch: true }),
    ],
  },
  {
    name: 'pages',
    title: 'Pages',
    usual: 'page',
    tabs: [
      tab('page', 'Top', 'pageviews', 'Pages appear as soon as they are viewed.'),
      tab('entry_page', 'Entry', 'visits', 'The pages on which visits begin appear here.'),
      tab('exit_page', 'Exit', 'visits', 'The pages on which visits end appear here.'),
      tab('hostname', 'Hostnames', 'pageviews', 'The hosts on which the snippet runs appear here.'),
    ],
  },
  {
    name: 'places',
    title: 'Places',
    usual: 'map',
    tabs: [
      tab('country', 'Map', 'unique_visitors', 'Countries light up as visitors arrive.', {
        name: 'map',
        isMap: true,
      }),
      tab('country', 'Countries', 'unique_visitors', 'Countries appear with the first visit.'),
      tab('region', 'Regions', 'unique_visitors', 'Regions appear where the location database has them.', {
        code: CITY_DATABASE,
      }),
      tab(
        'city',
        'Cities',
        'unique_visitors',
        'Cities need a city database. The operator of this server can set one in its environment:',
        { code: CITY_DATABASE },
      ),
      tab('language', 'Languages', 'unique_visitors', 'Browser languages appear with the first visit.'),
    ],
  },
  {
    name: 'devices',
    title: 'Devices',
    usual: 'browser',
    tabs: [
      tab('browser', 'Browsers', 'unique_visitors', 'Browsers appear with the first visit.'),
      tab('os', 'Systems', 'unique_visitors', 'Operating systems appear with the first visit.'),
      tab('device', 'Devices', 'unique_visitors', 'Phones, tablets and desktops appear with the first visit.'),
      tab('screen', 'Screens', 'unique_visitors', 'Window sizes appear with the first visit.'),
    ],
  },
  {
    name: 'events',
    title: 'Events',
    usual: 'event',
    tabs: [
      tab('event', 'Events', 'events', 'Send an event from your page, and it appears here within a second.', {
        code: "footfall('signup')",
      }),
      tab('event', 'Properties', 'events', 'Send properties with an event, and their values are counted here.', {
        name: 'properties',
        isOfProperties: true,
        code: "footfall('signup', { props: { plan: 'pro' } })",
      }),
    ],
  },
  {
    name: 'payments',
    title: 'Payments',
    usual: 'payments',
    tabs: [
      tab(
        'source',
        'Payments',
        'revenue',
        'Send revenue with an event to see how much each source, campaign, country and product brings in.',
        {
          name: 'payments',
          code: "footfall('purchase', { revenue: { amount: 29, currency: 'EUR' } })",
          needs: 'orders',
          variants: ['source', 'channel', 'utm_campaign', 'entry_page', 'country', 'device'],
          choice: 'Payments by',
          hasProperties: true,
          beside: 'orders',
        },
      ),
    ],
  },
  {
    name: 'ai_pages',
    title: 'Pages AI reads most',
    usual: 'ai_page',
    chapter: 'ai',
    tabs: [tab('ai_page', 'Pages', 'ai_visits', 'The pages that AI agents read appear here.', { settings: AGENTS })],
  },
  {
    name: 'ai_errors',
    title: 'Missing pages AI asks for',
    usual: 'ai_errors',
    chapter: 'ai',
    tabs: [
      tab(
        'ai_page',
        'Errors',
        'ai_visits',
        'Pages that answered AI agents with an error, such as 404 or 500, appear here. Reports from your server and access logs contain them.',
        {
          name: 'ai_errors',
          filter: { dimension: 'ai_status', operator: 'is', values: [...AI_ERRORS] },
          settings: AGENTS,
        },
      ),
    ],
  },
  {
    name: 'ai_agents',
    title: 'Agents',
    usual: 'ai_agent',
    chapter: 'ai',
    tabs: [
      tab('ai_agent', 'Agents', 'ai_visits', 'The names of AI agents appear here.', { settings: AGENTS }),
      tab(
        'ai_purpose',
        'Purposes',
        'ai_visits',
        'The reasons why AI providers read this site appear here: training, a search index, or a user’s request.',
        { settings: AGENTS },
      ),
    ],
  },
];

/**
 * The address of a tab's full list. A tab that lists part of a dimension, or begins with another metric, has a full list of its own;
 * the other tabs share that of their dimension.
 */
export const detailsOf = (tab: PanelTab, dimension: Dimension = tab.dimension): string =>
  tab.filter || tab.isOfSearch || (tab.needs && dimension === tab.dimension) ? tab.name : dimension;

/** A list of a panel: of the tab, by this dimension. */
export type PanelList = { tab: PanelTab; dimension: Dimension };

/**
 * What a panel lists below its own list where there is room: the next of a tab's variants, or the next tabs that list all of a dimension and need
 * nothing to be set up. Two at most.
 */
export function listsAfter(tabs: readonly PanelTab[], { tab, dimension }: PanelList): PanelList[] {
  const following = <T>(all: readonly T[], one: T) => {
    const at = all.indexOf(one);
    return [...all.slice(at + 1), ...all.slice(0, Math.max(0, at))];
  };
  const lists = tab.variants
    ? following(tab.variants, dimension).map((next) => ({ tab, dimension: next }))
    : following(tabs, tab).map((next) => ({ tab: next, dimension: next.dimension }));
  const isPlain = ({ isMap, isOfSearch, filter, code, variants }: PanelTab) =>
    !isMap && !isOfSearch && !filter && !code && !variants;
  return lists.filter((one) => one.dimension !== dimension && (one.tab === tab || isPlain(one.tab))).slice(0, 2);
}

/** What the list of a tab asks. `hasRates`: each row has its own conversion rate, under a filter by goal. */
export const listedBy = (tab: PanelTab, dimension: Dimension, { hasRates }: { hasRates: boolean }): BreakdownAsked => ({
  dimension,
  metrics: [
    tab.metric,
    ...(tab.beside ? [tab.beside] : []),
    ...(hasRates && !isOfAi(dimension) ? (['conversion_rate'] as const) : []),
  ],
  ...(tab.filter ? { also: tab.filter } : {}),
});

/** The panel and the tab that a full list belongs to; no tab for a dimension that no panel lists. */
export function placeOf(details: string): { panel?: PanelRow; tab?: PanelTab } {
  const isIts: ((tab: PanelTab) => boolean)[] = [
    (tab) => detailsOf(tab) === details,
    (tab) => tab.name === details || tab.dimension === details,
    (tab) => tab.isOfProperties === true && isProperty(details),
    (tab) => tab.variants?.some((one) => one === details) === true,
  ];
  for (const belongs of isIts)
    for (const panel of PANELS) {
      const tab = panel.tabs.find(belongs);
      if (tab) return { panel, tab };
    }
  return {};
}

/** The columns of a dimension's full list. Payments have columns of their own, and so do conversions under a filter on a goal. */
export function detailMetrics(
  dimension: Dimension,
  first: Metric,
  options: { hasOrders: boolean; hasRates?: boolean },
): Metric[] {
  const { of } = dimensionRow(dimension);
  const others = METRIC_NAMES.filter((name) => name !== first);
  const isPayment = (name: Metric) => metricRow(name).counts === 'orders';
  const listed = others.filter((name) => metricRow(name).listedFor.includes(of));
  // Pages have them among their own.
  const reading = ['entry_page', 'goal'].includes(dimension)
    ? others.filter((name) => metricRow(name).isOfReading)
    : [];
  const rates = options.hasRates && dimension !== 'goal' && sourceOf(dimension) === 'events';
  return [
    first,
    ...listed.filter((name) => !isPayment(name)),
    ...reading,
    ...(options.hasOrders ? listed.filter(isPayment) : []),
    ...(rates ? (['conversions', 'conversion_rate'] as const) : []),
  ];
}
