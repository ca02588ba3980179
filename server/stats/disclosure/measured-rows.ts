// Measurements and errors as viewers of a share link see them: no rows of few visitors, and changed counts.
import type { Rows } from '../sql/sql.ts';
import { changedCount } from './cell-key.ts';
import { isLimited, type ViewerRule } from './rule.ts';

/** `changes`: what becomes of a value; `changed` is the count in its place. */
export const measuredForViewers =
  (changes: (name: string, value: Rows[number][string], changed: () => number) => Rows[number][string]) =>
  (rows: Rows, rule: ViewerRule): Rows => {
    if (!isLimited(rule)) return rows;
    const { fewest } = rule;
    return rows
      .filter((row) => Number(row['unique_visitors']) >= fewest)
      .map((row) => {
        const cell = { visitors: Number(row['unique_visitors']), key: Number(row['visitor_key']) };
        const shown = Object.entries(row).map(([name, value]) => [
          name,
          changes(name, value, () => changedCount(cell, Number(value), { what: name, fewest })),
        ]);
        return Object.fromEntries(shown) as Rows[number];
      });
  };
