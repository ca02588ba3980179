// The dimensions in SQL, keyed by their rows in the vocabulary. A dimension that is missing here, or has the wrong level, is a type error.
import type { WholeVisitName } from '../../vocabulary/event.ts';
import { type Dimension, DIMENSIONS } from '../../vocabulary/questions/dimensions.ts';
import { type Parameter, readKnownName } from '../../vocabulary/questions/names.ts';
import type { Kind, KINDS } from '../../vocabulary/questions/sources.ts';

/** A dimension with the same value on all rows of a visit. */
type VisitSql = {
  level: 'visit';
  sql: string;
  /** Not a column, but computed from all rows of a visit: see filters.ts. */
  computed?: 'exit_page';
};

/**
 * A dimension where each row has its own value. For the kinds in `narrows`, a filter keeps only the matching rows. For all other kinds, it
 * keeps all rows of the visits that have a matching row.
 */
export type RowSql = {
  level: 'row';
  sql: string;
  /** The kinds of rows that have a value of the dimension. */
  kinds: readonly Kind[];
  /** SQL condition for the rows that have a value, when not all rows of these kinds do. */
  only?: string;
  /** The kinds of rows that a filter narrows. */
  narrows: readonly Kind[];
  /**
   * The effect of a negative filter. `rows`: every page view has a page, so "is not /a" keeps the views of other pages, and the visits that
   * have one. `visits`: most visits have no event at all, so "is not signup" keeps the visits without a signup. Plausible treats pages and
   * goals ("has not done") the same way.
   */
  negativeKeeps: 'rows' | 'visits';
};

export type DimensionSql = VisitSql | RowSql;

/** The kinds of rows that filters by event, property or goal narrow. */
export const NARROWED_BY_EVENTS = ['events', 'orders', 'implausible_orders', 'conversions'] as const;

const ofPage = (sql: string) =>
  ({
    level: 'row',
    sql,
    kinds: ['pageviews', 'events'],
    narrows: ['pageviews', 'events'],
    negativeKeeps: 'rows',
  }) as const;

/** Page views can have properties too, but a filter by property does not narrow them: it keeps all page views of the matching visits. */
const ofEvent = (kinds: readonly Kind[], sql: string, only?: string): RowSql => ({
  level: 'row',
  sql,
  kinds,
  ...(only !== undefined && { only }),
  narrows: NARROWED_BY_EVENTS,
  negativeKeeps: 'visits',
});

const ai = (sql: string) =>
  ({
    level: 'row',
    sql,
    kinds: ['ai_visits'],
    narrows: ['ai_visits'],
    negativeKeeps: 'rows',
  }) as const;

/**
 * A visit-level dimension without a row here is the column of its own name, which event.ts says is one of whole visits. The SQL of a row for one
 * names only such columns, too, as visits of closed days have no others.
 */
const DIMENSION_SQL = {
  page: ofPage('page'),
  exit_page: { level: 'visit', sql: 'exit_page', computed: 'exit_page' },
  hostname: ofPage('hostname'),
  browser_version: {
    level: 'visit',
    sql: "if(browser_version = '', browser, concat(browser, ' ', browser_version))",
  },
  os_version: { level: 'visit', sql: "if(os_version = '', os, concat(os, ' ', os_version))" },
  event: ofEvent(['events'], 'name'),
  prop: (key: string) => ofEvent(['pageviews', 'events'], `props[${key}]`, `mapContains(props, ${key})`),
  /** One row for each goal that a row of the store reaches: see `rowsOf` in sql.ts. */
  goal: ofEvent(['conversions'], 'goal'),
  ai_provider: ai('ai_provider'),
  ai_agent: ai('ai_agent'),
  ai_purpose: ai('ai_purpose'),
  ai_page: ai('ai_page'),
  ai_status: ai("if(status = 0, '', toString(status))"),
} as const satisfies { [Name in OfLevel<'row'>]: RowOf<Name> } & {
  [Name in Exclude<OfLevel<'visit'>, WholeVisitName>]: VisitSql;
} & { [Name in OfLevel<'visit'>]?: VisitSql };

type Rows = typeof DIMENSIONS;
type LevelOf<Of extends Kind> = (typeof KINDS)[Of]['level'];
type OfLevel<Level> = { [Name in keyof Rows]: LevelOf<Rows[Name]['of']> extends Level ? Name : never }[keyof Rows];
/** A row that takes a parameter is a function of the parameter's bound placeholder. */
type RowOf<Name extends keyof Rows> = Rows[Name] extends { parameter: Parameter }
  ? (parameter: string) => RowSql
  : RowSql;

/** `bind` binds the parameter's value and returns its placeholder. */
export function dimensionSql(dimension: Dimension, bind: (value: string) => string): DimensionSql {
  const { row, parameter = '' } = readKnownName(DIMENSIONS, dimension);
  if (!Object.hasOwn(DIMENSION_SQL, row)) return { level: 'visit', sql: row };
  const found = DIMENSION_SQL[row as keyof typeof DIMENSION_SQL];
  return typeof found === 'function' ? found(bind(parameter)) : found;
}
