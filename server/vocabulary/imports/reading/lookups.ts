// What one file of an export tells and another one needs, such as the paths of numbered pages. Bounded, since a file may name any number of them.
import { ImportError } from '../import.ts';

/** Characters, with those that an entry costs besides its text: half a million pages, and a hundred megabytes. */
const MAX_SIZE = 50_000_000;
const ENTRY_SIZE = 60;

export type Lookup = { set(id: string, value: string): void; get(id: string): string | undefined };
/** A list by its name, the same for all files of one reading. `file` is named when the lists are too long. */
export type Lookups = (list: string, file: string) => Lookup;

export function openLookups(): Lookups {
  const lists = new Map<string, Map<string, string>>();
  let size = 0;
  return (list, file) => {
    const known = lists.get(list) ?? new Map<string, string>();
    lists.set(list, known);
    return {
      get: (id) => known.get(id),
      set(id, value) {
        size += id.length + value.length + ENTRY_SIZE;
        if (size > MAX_SIZE) throw new ImportError({ what: 'many_names', name: file });
        known.set(id, value);
      },
    };
  };
}
