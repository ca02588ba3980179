// Converts recorded events to rows of the store. The columns are those of event.ts; this file converts each type to and from ClickHouse.
import { stepped } from '../vocabulary/numbers/vitals.ts';
import { dayOf } from '../vocabulary/time/time.ts';
import {
  AI_VISIT_COLUMNS,
  type AiVisit,
  type Column,
  type ColumnType,
  isEmptyList,
  STORED_COLUMNS,
  type Superseded,
  SUPERSEDED_COLUMNS,
  STORED_ERROR_COLUMNS,
  STORED_VITALS_COLUMNS,
  type VisitedError,
  type VisitedEvent,
  type VisitedVitals,
} from '../vocabulary/event.ts';

/** Returns an id as the decimal number that ClickHouse stores; '' becomes 0. */
export const storedId = (id: string) => (id === '' ? '0' : BigInt(`0x${id}`).toString());
/** SQL that turns a stored id back into 16 hex digits. */
export const idText = (sql: string) => `lower(leftPad(hex(${sql}), 16, '0'))`;

/** Converts values to cells, by column type. Some need the row's time. Other types need no conversion. */
const CELLS: Partial<Record<ColumnType, (value: never, time: number) => unknown>> = {
  id: storedId,
  /** ClickHouse reads a DateTime64(3) as seconds with a decimal point. */
  instant: (ms: number) => (ms / 1000).toFixed(3),
  day: (day: string, time) => day || dayOf(time),
  flag: (value: boolean) => (value ? 1 : 0),
  amount: (value: string) => value || '0',
  measure: (value: number | null) => value && stepped(value),
  bigint: (value: bigint) => value.toString(),
};

/** The tables that the writer fills, each with its columns and its row conversion. */
export const TABLES = {
  events: table<VisitedEvent>(STORED_COLUMNS, {
    order_event: { from: 'order_id', convert: ({ order_id, event_id }) => storedId(order_id && event_id) },
  }),
  ai_visits: table<AiVisit>(AI_VISIT_COLUMNS),
  superseded: table<Superseded>(SUPERSEDED_COLUMNS),
  vitals: table<VisitedVitals>(STORED_VITALS_COLUMNS),
  errors: table<VisitedError>(STORED_ERROR_COLUMNS),
};

/** What the statements of schema/, and copies of its tables, need to be allowed: numbers with few values are kept as a list of them (vitals). */
export const SCHEMA_SETTINGS = { allow_suspicious_low_cardinality_types: 1 } as const;

/** Where rows are kept that were taken out of a table: see purged.ts. */
export const PURGED_TABLES = {
  events: 'purged_events',
  ai_visits: 'purged_ai_visits',
  vitals: 'purged_vitals',
  errors: 'purged_errors',
} as const;

/** Where the sums are that other products counted: see imported.ts. */
export const IMPORTED_TABLES = ['imported_sums', 'imported_days'] as const;

/** All tables with rows of sites: those of the writer, those that are derived from them, those of imports, and those of Search Console. */
export const ALL_TABLES = [
  ...Object.keys(TABLES),
  ...Object.values(PURGED_TABLES),
  'day_sums',
  'day_visits',
  'day_goals',
  'summed_days',
  ...IMPORTED_TABLES,
  'search_rows',
  'search_days',
];

/** Columns that the engine computes from others when a row lacks them. They are always sent, since what was recorded may differ. */
const FILLED_IN: readonly string[] = ['day', 'confirmed', 'out_of_order'];

export type Cells = { columns: [string, ...string[]]; values: unknown[][] };

/** A `derived` column has no value of its own in a row. It is blank where the column `from` is blank. */
function table<Row extends { time: number }>(
  columns: Record<Exclude<keyof Row, 'kind'>, Column>,
  derived: Record<string, { from: keyof Row & string; convert(row: Row): unknown }> = {},
) {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const own = names.map((name) => {
    const convert = CELLS[columns[name as Exclude<keyof Row, 'kind'>].type] as Convert | undefined;
    return { name, from: name, cellOf: convert && ((row: Row) => convert(row[name], row.time)) };
  });
  const others = Object.entries(derived).map(([name, { from, convert }]) => ({ name, from, cellOf: convert }));
  const all = [...own, ...others];
  const isFilledIn = (name: string) =>
    FILLED_IN.includes(name) || !isBlank((columns as Record<string, Column>)[name]?.blank ?? '');
  return {
    /** The rows of event.ts that the columns follow from. */
    rows: columns as Record<string, Column>,
    columns: all.map(({ name }) => name) as [string, ...string[]],
    /**
     * Leaves out the columns that are blank in all rows, which are nearly half of them: the engine stores the same without them. `also`: columns that
     * stay.
     */
    toCells: (rows: readonly Row[], also: readonly string[] = []): Cells => {
      const used = all.filter(
        ({ name, from }) => isFilledIn(name) || also.includes(name) || rows.some((row) => !isBlank(row[from])),
      );
      return {
        columns: used.map(({ name }) => name) as [string, ...string[]],
        values: rows.map((row) => used.map(({ from, cellOf }) => (cellOf ? cellOf(row) : row[from]))),
      };
    },
  };
}

type Convert = (value: unknown, time: number) => unknown;

/** Whether a value is what the engine stores when a row lacks it. */
export function isBlank(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === 0n || value === null || isEmptyList(value);
}

/** SQL that reads a column as the value of an event, by type. 64-bit numbers arrive as text. */
const READ: Partial<Record<ColumnType, (name: string) => string>> = {
  id: (name) => `if(${name} = 0, '', ${idText(name)})`,
  instant: (name) => `toUnixTimestamp64Milli(${name})`,
  amount: (name) => `if(currency = '', '', toString(${name}))`,
  bigint: (name) => `toString(${name})`,
};
/** Converts the engine's values to the column's. Other types need no conversion. */
const VALUES: Partial<Record<ColumnType, (value: string | number) => unknown>> = {
  instant: Number,
  number: Number,
  flag: (value) => Number(value) === 1,
  bigint: BigInt,
};
const STORED_EVENT = Object.entries<Column>(STORED_COLUMNS);

/** SQL that reads columns as the values of rows. */
export const readColumns = (columns: Record<string, Column>): string[] =>
  Object.entries(columns).map(([name, { type }]) => READ[type]?.(name) ?? name);

/** The values of a row that has none. */
export const blanksOf = (columns: Record<string, Column>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(columns).map(([name, { blank }]) => [name, blank]));

/** The values of a row that `readColumns` has read. */
export const valuesOf = (columns: Record<string, Column>, cells: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, { type }], index) => {
      const value = cells[index] as string;
      return [name, VALUES[type]?.(value) ?? value];
    }),
  );

/**
 * The select list for whole events. The aliases differ from the column names, since ClickHouse would otherwise take `time` in a condition
 * for the selected number.
 */
export const WHOLE_EVENT = STORED_EVENT.map(([name, { type }]) => `${READ[type]?.(name) ?? name} AS _${name}`).join(
  ', ',
);

/** Turns a row selected by WHOLE_EVENT into the event that was stored. */
export function toEvent(row: Record<string, unknown>): VisitedEvent {
  const values = STORED_EVENT.map(([name, { type }]) => {
    const value = row[`_${name}`] as string;
    return [name, VALUES[type]?.(value) ?? value];
  });
  return { kind: 'event', ...(Object.fromEntries(values) as Omit<VisitedEvent, 'kind'>) };
}
