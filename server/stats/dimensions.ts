// The dimensions: each defined once, under its public name. Nothing but this table says what a dimension is in SQL.

type DimensionRow = {
  of: 'events' | 'ai_visits';
  /** `visit`: the same on all events of a visit. `row`: each event has its own. */
  level: 'visit' | 'row';
  sql: string;
  /** Rows that have this dimension at all. */
  only?: string;
  /** Breakdowns leave out rows where it is empty: not every visit has a campaign, and "none" is no answer. */
  skipsEmpty?: true;
  /** Known only when a visit is over: worked out for each visit, see sql.ts. */
  worked?: 'exit_page';
};

const visit = (sql: string): DimensionRow => ({ of: 'events', level: 'visit', sql });
const visitIfAny = (sql: string): DimensionRow => ({ of: 'events', level: 'visit', sql, skipsEmpty: true });
const ai = (sql: string): DimensionRow => ({ of: 'ai_visits', level: 'row', sql });

export const DIMENSIONS = {
  page: { of: 'events', level: 'row', sql: 'page' },
  entry_page: visitIfAny('entry_page'),
  exit_page: { of: 'events', level: 'visit', sql: 'exit_page', skipsEmpty: true, worked: 'exit_page' },
  hostname: { of: 'events', level: 'row', sql: 'hostname' },
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
  event: { of: 'events', level: 'row', sql: 'name', only: "name NOT IN ('pageview', 'engagement')" },
  ai_provider: ai('ai_provider'),
  ai_agent: ai('ai_agent'),
  ai_purpose: ai('ai_purpose'),
  ai_page: ai('ai_page'),
} as const satisfies Record<string, DimensionRow>;

export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [keyof typeof DIMENSIONS, ...(keyof typeof DIMENSIONS)[]];

/** A name of the table, or `prop:KEY` for a property of custom events. */
export type Dimension = keyof typeof DIMENSIONS | `prop:${string}`;

/** The row of a dimension; `bind` takes a property's key as a bound value and gives its place in the SQL. */
export function dimensionRow(dimension: Dimension, bind: (value: string) => string): DimensionRow {
  if (!dimension.startsWith('prop:')) return DIMENSIONS[dimension as keyof typeof DIMENSIONS];
  const key = bind(dimension.slice('prop:'.length));
  return { of: 'events', level: 'row', sql: `props[${key}]`, only: `mapContains(props, ${key})` };
}

export function isDimension(name: string): name is Dimension {
  return Object.hasOwn(DIMENSIONS, name) || /^prop:.{1,64}$/su.test(name);
}
