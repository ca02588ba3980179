// Queue entries as they are stored: JSON with column names as keys, so that each version can read the entries of earlier versions. Columns
// with their blank value are left out, which is half of an entry.
import {
  BLANK_AI_VISIT,
  BLANK_ERROR,
  BLANK_EVENT,
  BLANK_VITALS,
  isEmptyList,
  type Recorded,
  type RecordedKind,
} from '../vocabulary/event.ts';

type Column = { name: string; blank: unknown; key: string };

const BLANKS: Record<RecordedKind, Recorded> = {
  event: BLANK_EVENT,
  ai_visit: BLANK_AI_VISIT,
  vitals: BLANK_VITALS,
  error: BLANK_ERROR,
};
const COLUMNS = Object.fromEntries(Object.entries(BLANKS).map(([kind, blank]) => [kind, columnsOf(blank)])) as Record<
  RecordedKind,
  Column[]
>;

/** Measured: writing the columns one by one takes as long as JSON.stringify takes for all of them. */
export function writeEntry(entry: Recorded): string {
  let text = `{"kind":"${entry.kind}"`;
  for (const { name, blank, key } of COLUMNS[entry.kind]) {
    const value = entry[name as keyof Recorded] as unknown;
    if (value !== blank && value !== undefined && !isEmptyList(value)) text += key + JSON.stringify(value);
  }
  return `${text}}`;
}

export const readEntry = (text: string): Recorded => complete(JSON.parse(text) as Recorded);

/** Reads a JSON list of entries. */
export const readEntries = (list: string): Recorded[] => (JSON.parse(list) as Recorded[]).map(complete);

/** Fills in the columns that an entry lacks, because they were blank or are newer than the entry. */
export function complete(entry: Recorded): Recorded {
  return { ...BLANKS[entry.kind], ...entry } as Recorded;
}

function columnsOf({ kind: _, ...blank }: Recorded): Column[] {
  return Object.entries(blank).map(([name, value]) => ({ name, blank: value, key: `,${JSON.stringify(name)}:` }));
}
