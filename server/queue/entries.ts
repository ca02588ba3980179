// Queue entries as they are stored: JSON with column names as keys, so that each version can read the entries of earlier versions.
import { BLANK_AI_VISIT, BLANK_EVENT, type Recorded } from '../event.ts';

const EVENT_KEYS = Object.keys(BLANK_EVENT);
const AI_VISIT_KEYS = Object.keys(BLANK_AI_VISIT);

export const writeEntry = (entry: Recorded): string => JSON.stringify(entry);

export const readEntry = (text: string): Recorded => complete(JSON.parse(text) as Recorded);

/** Reads a JSON list of entries. */
export const readEntries = (list: string): Recorded[] => (JSON.parse(list) as Recorded[]).map(complete);

/** Fills in columns that were added after the entry was written, with blank values. */
export function complete(entry: Recorded): Recorded {
  if (entry.kind === 'event') return isWhole(entry, EVENT_KEYS) ? entry : { ...BLANK_EVENT, ...entry };
  return isWhole(entry, AI_VISIT_KEYS) ? entry : { ...BLANK_AI_VISIT, ...entry };
}

/** Entries of this version have all columns in order. Comparing the order is faster than looking up each column. */
function isWhole(entry: Recorded, names: string[]): boolean {
  const keys = Object.keys(entry);
  return keys.length === names.length && keys.every((key, index) => key === names[index]);
}
