// Cuts the rows of an import into the parts that are sent. The same files give the same parts, so that an import can go on where it ended.
import type { ImportBatch, ImportedHit, ImportedSum } from './import.ts';
import { MAX_IMPORTED_COUNT, MAX_PART_CHARACTERS, MAX_PART_ROWS } from '../settings/imports.ts';
import { NUMBER_NAMES, OF_RATES } from './formats/format.ts';

export type Part = Pick<ImportBatch, 'hits' | 'sums'>;

/** Of the texts that can be long. */
const charactersOf = (row: ImportedHit | ImportedSum): number =>
  'label' in row
    ? row.label.length
    : row.visitor.length + row.hostname.length + row.path.length + row.referrer.length + ofRequest(row);
const ofRequest = ({ request }: ImportedHit): number =>
  request ? request.address.length + request.user_agent.length : 0;

const emptyPart = (): Part => ({ hits: [], sums: [] });

export async function* inParts(batches: AsyncIterable<Part>): AsyncGenerator<Part> {
  let part = emptyPart();
  let rows = 0;
  let characters = 0;
  for await (const { hits, sums } of batches)
    for (const row of [...merged(sums), ...hits]) {
      const more = charactersOf(row);
      if (rows === MAX_PART_ROWS || (rows > 0 && characters + more > MAX_PART_CHARACTERS)) {
        yield part;
        part = emptyPart();
        rows = 0;
        characters = 0;
      }
      if ('label' in row) part.sums.push(row);
      else part.hits.push(row);
      rows += 1;
      characters += more;
    }
  if (rows > 0) yield part;
}

/** Adds up the rows of a batch that stand for the same: those of a table of sources all have the totals of their day. */
function merged(sums: readonly ImportedSum[]): ImportedSum[] {
  const rows: ImportedSum[] = [];
  const known = new Map<string, ImportedSum>();
  for (const sum of sums) {
    // What tells a number is not added to what does not.
    const key = `${sum.day}${sum.dimension}\n${OF_RATES.map((name) => (sum[name] === null ? '-' : '+')).join('')}${sum.label}`;
    const row = known.get(key);
    if (row && NUMBER_NAMES.every((name) => (row[name] ?? 0) + (sum[name] ?? 0) <= MAX_IMPORTED_COUNT)) {
      for (const name of NUMBER_NAMES) if (row[name] !== null) row[name] += sum[name] ?? 0;
      continue;
    }
    const fresh = { ...sum };
    known.set(key, fresh);
    rows.push(fresh);
  }
  return rows;
}
