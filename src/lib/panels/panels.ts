// The panels and their tabs: which dimension each lists, by which metric, and what it says when empty.
import { textsOf } from '../../../server/vocabulary/habits/messages.ts';
import { AI_ERRORS } from '../../../server/vocabulary/ai.ts';
import { type Dimension, dimensionRow, isProperty, sourceOf } from '../../../server/vocabulary/questions/dimensions.ts';
import { type Metric, METRIC_NAMES, metricRow } from '../../../server/vocabulary/numbers/metrics.ts';
import { isOfAi } from '../formats/dimensions.ts';
import type { BreakdownAsked } from '../view/lists.ts';
import type { Filter } from '../view/view.ts';
import type { PanelName } from './panel-names.ts';

/** Pages of the site's settings. `address`: below `/DOMAIN/`. */
export const GUIDES = textsOf(['label'], {
  snippet: { address: 'settings#snippet', label: 'Show the snippet' },
  agents: { address: 'settings/integrations#agents', label: 'Add the lines to your server' },
});

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
  /** The card of the site's settings that helps to fill the list. Most lists only need the snippet. */
  settings?: keyof typeof GUIDES;
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
const CITY_DATABASE = 'GEOIP_DB=/path/to/city.mmdb';
const UTM: Dimension[] = ['utm_campaign', 'utm_source', 'utm_medium', 'utm_content', 'utm_term'];

export const PANELS: PanelRow[] = textsOf(['title', 'label', 'short', 'choice', 'empty'], [
  {
    name: 'sources',
    title: 'Sources',
    usual: 'source',
    tabs: [
      {
        name: 'channel',
        label: 'Channels',
        dimension: 'channel',
        metric: 'unique_visitors',
        empty: 'Kinds of traffic, such as search, social and email, appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'source',
        label: 'Sources',
        dimension: 'source',
        metric: 'unique_visitors',
        empty: 'Sources of traffic appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'referrer',
        label: 'Referrers',
        dimension: 'referrer',
        metric: 'visits',
        empty: 'Pages that link here appear once someone follows a link.',
        settings: 'snippet',
      },
      {
        name: 'utm_campaign',
        label: 'Campaigns',
        dimension: 'utm_campaign',
        metric: 'unique_visitors',
        empty: 'Tag the links you share to see how many visitors each brings.',
        code: '?utm_campaign=spring&utm_source=newsletter',
        variants: UTM,
        choice: 'Campaign tag',
      },
      {
        name: 'assistants',
        label: 'AI assistants',
        short: 'AI',
        dimension: 'source',
        metric: 'unique_visitors',
        empty: 'Visitors from ChatGPT, Claude, Perplexity and other assistants appear here.',
        filter: ASSISTANTS,
        settings: 'snippet',
      },
      // Its own component says how to fill it.
      {
        name: 'search_terms',
        label: 'Search terms',
        dimension: 'source',
        metric: 'visits',
        empty: 'Search terms appear here.',
        isOfSearch: true,
        settings: 'snippet',
      },
    ],
  },
  {
    name: 'pages',
    title: 'Pages',
    usual: 'page',
    tabs: [
      {
        name: 'page',
        label: 'Top',
        dimension: 'page',
        metric: 'pageviews',
        empty: 'Pages appear as soon as they are viewed.',
        settings: 'snippet',
      },
      {
        name: 'entry_page',
        label: 'Entry',
        dimension: 'entry_page',
        metric: 'visits',
        empty: 'The pages on which visits begin appear here.',
        settings: 'snippet',
      },
      {
        name: 'exit_page',
        label: 'Exit',
        dimension: 'exit_page',
        metric: 'visits',
        empty: 'The pages on which visits end appear here.',
        settings: 'snippet',
      },
      {
        name: 'hostname',
        label: 'Hostnames',
        dimension: 'hostname',
        metric: 'pageviews',
        empty: 'The hosts on which the snippet runs appear here.',
        settings: 'snippet',
      },
    ],
  },
  {
    name: 'places',
    title: 'Places',
    usual: 'map',
    tabs: [
      {
        name: 'map',
        label: 'Map',
        dimension: 'country',
        metric: 'unique_visitors',
        empty: 'Countries light up as visitors arrive.',
        isMap: true,
        settings: 'snippet',
      },
      {
        name: 'country',
        label: 'Countries',
        dimension: 'country',
        metric: 'unique_visitors',
        empty: 'Countries appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'region',
        label: 'Regions',
        dimension: 'region',
        metric: 'unique_visitors',
        empty: 'Regions appear where the location database has them.',
        code: CITY_DATABASE,
      },
      {
        name: 'city',
        label: 'Cities',
        dimension: 'city',
        metric: 'unique_visitors',
        empty: 'Cities need a city database. The operator of this server can set one in its environment:',
        code: CITY_DATABASE,
      },
      {
        name: 'language',
        label: 'Languages',
        dimension: 'language',
        metric: 'unique_visitors',
        empty: 'Browser languages appear with the first visit.',
        settings: 'snippet',
      },
    ],
  },
  {
    name: 'devices',
    title: 'Devices',
    usual: 'browser',
    tabs: [
      {
        name: 'browser',
        label: 'Browsers',
        dimension: 'browser',
        metric: 'unique_visitors',
        empty: 'Browsers appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'os',
        label: 'Systems',
        dimension: 'os',
        metric: 'unique_visitors',
        empty: 'Operating systems appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'device',
        label: 'Devices',
        dimension: 'device',
        metric: 'unique_visitors',
        empty: 'Phones, tablets and desktops appear with the first visit.',
        settings: 'snippet',
      },
      {
        name: 'screen',
        label: 'Screens',
        dimension: 'screen',
        metric: 'unique_visitors',
        empty: 'Window sizes appear with the first visit.',
        settings: 'snippet',
      },
    ],
  },
  {
    name: 'events',
    title: 'Events',
    usual: 'event',
    tabs: [
      {
        name: 'event',
        label: 'Events',
        dimension: 'event',
        metric: 'events',
        empty: 'Send an event from your page, and it appears here within a second.',
        code: "footfall('signup')",
      },
      {
        name: 'properties',
        label: 'Properties',
        dimension: 'event',
        metric: 'events',
        empty: 'Send properties with an event, and their values are counted here.',
        isOfProperties: true,
        code: "footfall('signup', { props: { plan: 'pro' } })",
      },
    ],
  },
  {
    name: 'payments',
    title: 'Payments',
    usual: 'payments',
    tabs: [
      {
        name: 'payments',
        label: 'Payments',
        dimension: 'source',
        metric: 'revenue',
        empty: 'Send revenue with an event to see how much each source, campaign, country and product brings in.',
        code: "footfall('purchase', { revenue: { amount: 29, currency: 'EUR' } })",
        needs: 'orders',
        variants: ['source', 'channel', 'utm_campaign', 'entry_page', 'country', 'device'],
        choice: 'Payments by',
        hasProperties: true,
        beside: 'orders',
      },
    ],
  },
  {
    name: 'ai_pages',
    title: 'Pages AI reads most',
    usual: 'ai_page',
    chapter: 'ai',
    tabs: [
      {
        name: 'ai_page',
        label: 'Pages',
        dimension: 'ai_page',
        metric: 'ai_visits',
        empty: 'The pages that AI agents read appear here.',
        settings: 'agents',
      },
    ],
  },
  {
    name: 'ai_errors',
    title: 'Missing pages AI asks for',
    usual: 'ai_errors',
    chapter: 'ai',
    tabs: [
      {
        name: 'ai_errors',
        label: 'Errors',
        dimension: 'ai_page',
        metric: 'ai_visits',
        empty:
          'Pages that answered AI agents with an error, such as 404 or 500, appear here. Reports from your server and access logs contain them.',
        filter: { dimension: 'ai_status', operator: 'is', values: [...AI_ERRORS] },
        settings: 'agents',
      },
    ],
  },
  {
    name: 'ai_agents',
    title: 'Agents',
    usual: 'ai_agent',
    chapter: 'ai',
    tabs: [
      {
        name: 'ai_agent',
        label: 'Agents',
        dimension: 'ai_agent',
        metric: 'ai_visits',
        empty: 'The names of AI agents appear here.',
        settings: 'agents',
      },
      {
        name: 'ai_purpose',
        label: 'Purposes',
        dimension: 'ai_purpose',
        metric: 'ai_visits',
        empty:
          'The reasons why AI providers read this site appear here: training, a search index, or a user’s request.',
        settings: 'agents',
      },
    ],
  },
] satisfies PanelRow[]);

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
