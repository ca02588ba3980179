// The SQL of a value as viewers see it: rare ones count under another value on their day (see rare-values.ts).
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';

/** The values of a day that count under another one. `day`: such as 2026-11-27. */
export type Joined = { day: string; values: readonly string[]; into: string };

/** What adds to the cell keys of the numbers that count under a value from a time on. */
export type Keyed = { into: string; from: number; key: number };

export type Rare = {
  joined: readonly Joined[];
  /** SQL for the day of an event. */
  dayOfEvents: string;
  /** Where others may count otherwise at another time, or in another range. */
  keyed: readonly Keyed[];
};

/** A dimension, and its values that count under others. */
export type OfValues = { dimension: Dimension; rare?: Rare | undefined };

type Options = {
  /** SQL for the day of a row, if it is not one of `events`. */
  day?: string;
  bind(values: string[]): string;
};

/** `value`: SQL for the value of a row. Returns SQL for the one that it counts as. */
export function joinedSql(value: string, rare: Rare | undefined, { day = rare?.dayOfEvents, bind }: Options): string {
  if (!rare || rare.joined.length === 0) return value;
  const each = rare.joined.flatMap(({ day, values, into }) =>
    values.map((one) => ({ on: `${day} ${one}`, one, into })),
  );
  const isRare = `${value} IN ${bind([...new Set(each.map(({ one }) => one))])}`;
  const [from, to] = [bind(each.map(({ on }) => on)), bind(each.map(({ into }) => into))];
  return `if(${isRare}, transform(concat(toString(${day}), ' ', ${value}), ${from}, ${to}, toString(${value})), toString(${value}))`;
}
