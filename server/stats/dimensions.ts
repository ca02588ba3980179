// The dimensions: each defined once, under its public name. Nothing but this table says what a dimension is in SQL.
import type { Kind, Table } from './kinds.ts';

type VisitDimension = {
  of: Table;
  /** The same on all rows of a visit. */
  level: 'visit';
  sql: string;
  /** Breakdowns leave out rows where it is empty: not every visit has a campaign, and "none" is no answer. */
  skipsEmpty?: true;
  /** Known only when a visit is over: worked out for each visit, see filters.ts. */
  worked?: 'exit_page';
};

/**
 * Each row has its own value. A filter narrows the rows of some kinds to those that match, and everything else to the visits
 * that have a matching row.
 */
export type RowDimension = {
  of: Table;
  level: 'row';
  sql: string;
  /** The kinds of rows that have a value. */
  kinds: readonly Kind[];
  /** Which of these rows have one, where not all do. */
  only?: string;
  /** The kinds of rows that a filter narrows. */
  narrows: readonly Kind[];
  /**
   * What a negative filter keeps. `rows`: every page view has a page, so "is not /a" means the views of other pages, and the visits
   * that have one. `visits`: most visits have no event at all, so "is not signup" means the visits without a signup. Plausible does
   * the same with pages, and with goals ("has not done").
   */
  negativeKeeps: 'rows' | 'visits';
};

export type DimensionRow = VisitDimension | RowDimension;

const visit = (sql: string) => ({ of: 'events', level: 'visit', sql }) as const;
const visitIfAny = (sql: string) => ({ ...visit(sql), skipsEmpty: true }) as const;

const ofPage = (sql: string) =>
  ({
    of: 'events',
    level: 'row',
    sql,
    kinds: ['pageviews', 'events'],
    narrows: ['pageviews', 'events'],
    negativeKeeps: 'rows',
  }) as const;

/** Page views can have properties too. A filter on one does not narrow them: it keeps the page views of the visits. */
const ofEvent = (kinds: readonly Kind[], sql: string, only?: string): RowDimension => ({
  of: 'events',
  level: 'row',
  sql,
  kinds,
  ...(only !== undefined && { only }),
  narrows: ['events', 'orders', 'implausible_orders'],
  negativeKeeps: 'visits',
});

const ai = (sql: string) =>
  ({
    of: 'ai_visits',
    level: 'row',
    sql,
    kinds: ['ai_visits'],
    narrows: ['ai_visits'],
    negativeKeeps: 'rows',
  }) as const;

export const DIMENSIONS = {
  page: ofPage('page'),
  entry_page: visitIfAny('entry_page'),
  exit_page: { ...visitIfAny('exit_page'), worked: 'exit_page' },
  hostname: ofPage('hostname'),
  channel: visitIfAny('channel'),
  source: visit('source'),
  referrer: visitIfAny('referrer'),
  utm_source: visitIfAny('utm_source'),
  utm_medium: visitIfAny('utm_medium'),
  utm_campaign: visitIfAny('utm_campaign'),
  utm_content: visitIfAny('utm_content'),
  utm_term: visitIfAny('utm_term'),
  country: visit('country'),
  region: visitIfAny('region'),
  city: visitIfAny('city'),
  language: visit('language'),
  browser: visit('browser'),
  browser_version: visit("if(browser_version = '', browser, concat(browser, ' ', browser_version))"),
  os: visit('os'),
  os_version: visit("if(os_version = '', os, concat(os, ' ', os_version))"),
  device: visit('device'),
  screen: visit('screen'),
  event: ofEvent(['events'], 'name'),
  ai_provider: ai('ai_provider'),
  ai_agent: ai('ai_agent'),
  ai_purpose: ai('ai_purpose'),
  ai_page: ai('ai_page'),
} as const satisfies Record<string, DimensionRow>;

export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [keyof typeof DIMENSIONS, ...(keyof typeof DIMENSIONS)[]];

/** A name of the table, or `prop:KEY` for a property of page views and events. */
export type Dimension = keyof typeof DIMENSIONS | `prop:${string}`;

/** The row of a dimension; `bind` takes a property's key as a bound value and gives its place in the SQL. */
export function dimensionRow(dimension: Dimension, bind: (value: string) => string): DimensionRow {
  if (!dimension.startsWith('prop:')) return DIMENSIONS[dimension as keyof typeof DIMENSIONS];
  const key = bind(dimension.slice('prop:'.length));
  return ofEvent(['pageviews', 'events'], `props[${key}]`, `mapContains(props, ${key})`);
}

export function isDimension(name: string): name is Dimension {
  return Object.hasOwn(DIMENSIONS, name) || /^prop:.{1,64}$/su.test(name);
}
