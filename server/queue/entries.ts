// Entries as the queue keeps them: JSON under the names of the columns, so that a version reads what an earlier one wrote.
import { BLANK_AI_VISIT, BLANK_EVENT, type Recorded } from '../event.ts';

const EVENT_KEYS = Object.keys(BLANK_EVENT);
const AI_VISIT_KEYS = Object.keys(BLANK_AI_VISIT);

export const writeEntry = (entry: Recorded): string => JSON.stringify(entry);

export const readEntry = (text: string): Recorded => complete(JSON.parse(text) as Recorded);

/** Reads a JSON list of entries. */
export const readEntries = (list: string): Recorded[] => (JSON.parse(list) as Recorded[]).map(complete);

/** Columns that were added after an entry was written are blank in it. */
export function complete(entry: Recorded): Recorded {
  if (entry.kind === 'event') return isWhole(entry, EVENT_KEYS) ? entry : { ...BLANK_EVENT, ...entry };
  return isWhole(entry, AI_VISIT_KEYS) ? entry : { ...BLANK_AI_VISIT, ...entry };
}

/** Entries of this version have its columns in their order, which is quicker to see than whether each is there. */
function isWhole(entry: Recorded, names: string[]): boolean {
  const keys = Object.keys(entry);
  return keys.length === names.length && keys.every((key, index) => key === names[index]);
}
