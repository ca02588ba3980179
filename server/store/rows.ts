// Turns recorded events into rows of the store. The columns are those of event.ts; this file converts each type to and from ClickHouse.
import { dayOf } from '../vocabulary/time.ts';
import {
  AI_VISIT_COLUMNS,
  type AiVisit,
  type Column,
  type ColumnType,
  EVENT_COLUMNS,
  VISIT_COLUMNS,
  type VisitedEvent,
} from '../event.ts';

/** An id as the decimal number that ClickHouse stores; '' becomes 0. */
export const storedId = (id: string) => (id === '' ? '0' : BigInt(`0x${id}`).toString());
/** SQL that turns a stored id back into 16 hex digits. */
export const idText = (sql: string) => `lower(leftPad(hex(${sql}), 16, '0'))`;

/** Converts values to cells by column type, given the row's time. Other types need no conversion. */
const CELLS: Partial<Record<ColumnType, (value: never, time: number) => unknown>> = {
  id: storedId,
  /** ClickHouse reads a DateTime64(3) from seconds with a decimal point. */
  instant: (ms: number) => (ms / 1000).toFixed(3),
  day: (day: string, time) => day || dayOf(time),
  flag: (value: boolean) => (value ? 1 : 0),
  amount: (value: string) => value || '0',
  bigint: (value: bigint) => value.toString(),
};

/** The tables that the writer fills, each with its columns and its conversion of rows. */
export const TABLES = {
  events: table<VisitedEvent>({ ...EVENT_COLUMNS, ...VISIT_COLUMNS }),
  ai_visits: table<AiVisit>(AI_VISIT_COLUMNS),
};

function table<Row extends { time: number }>(columns: Record<Exclude<keyof Row, 'kind'>, Column>) {
  const names = Object.keys(columns) as [keyof Row & string, ...(keyof Row & string)[]];
  const converted = Object.values<Column>(columns).flatMap(({ type }, index) => {
    const convert = CELLS[type] as ((value: unknown, time: number) => unknown) | undefined;
    return convert ? [{ index, convert }] : [];
  });
  return {
    columns: names,
    toCells: (row: Row): unknown[] => {
      const cells: unknown[] = names.map((name) => row[name]);
      for (const { index, convert } of converted) cells[index] = convert(cells[index], row.time);
      return cells;
    },
  };
}
