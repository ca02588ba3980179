// The sessions of a dump, which its events name. Each of their values is kept once, and a session as numbers: 60 bytes for each.
import { ImportError } from '../../import.ts';
import { hashOf, newSeed } from '../../values/hash.ts';
import { numberMap } from '../../values/number-map.ts';

/** A hundred megabytes and more. */
const MAX_SESSIONS = 2_000_000;
/** Screens, cities, and so on. */
const MAX_VALUES = 500_000;
const MAX_VALUE = 255;

export type Sessions = {
  add(id: string, values: readonly string[]): void;
  /** Its value in a column; '' for a session that is not known. */
  get(id: string, column: number): string;
};

/** Keeps `width` values of each session. `file` is named when there are too many. */
export function openSessions(width: number, file: string): Sessions {
  const numbers = new Map([['', 0]]);
  const values = [''];
  const seed = newSeed();
  const rows = numberMap();
  let cells = new Uint32Array(1_024 * width);
  const numberOf = (whole: string): number => {
    const text = whole.slice(0, MAX_VALUE);
    const known = numbers.get(text);
    if (known !== undefined) return known;
    if (values.length === MAX_VALUES)
      throw new ImportError({ what: 'many_session_values', name: file, most: MAX_VALUES });
    const copy = ` ${text}`.slice(1); // TRICKY: see memo.ts
    numbers.set(copy, values.length);
    return values.push(copy) - 1;
  };
  return {
    add(id, all) {
      const hash = hashOf(id, seed);
      const row = rows.get(hash) ?? rows.size();
      if (row === MAX_SESSIONS) throw new ImportError({ what: 'many_sessions', name: file, most: MAX_SESSIONS });
      if ((row + 1) * width > cells.length) {
        const more = new Uint32Array(cells.length * 2);
        more.set(cells);
        cells = more;
      }
      rows.set(hash, row);
      for (let column = 0; column < width; column++) cells[row * width + column] = numberOf(all[column] ?? '');
    },
    get(id, column) {
      const row = rows.get(hashOf(id, seed));
      return row === undefined ? '' : (values[cells[row * width + column] ?? 0] ?? '');
    },
  };
}
