// The columns of a CSV of no known product: what each becomes, by hand, and what this browser remembers of it.
import type { Mapping } from '../../../../server/vocabulary/imports/formats/format.ts';
import { recall, remember } from '../../browser/storage.ts';

const isDate = (target: string) => target === 'date' || target.startsWith('date_');
const isSame = (one: string, other: string) => one === other || (isDate(one) && isDate(other));

/** Gives a column its purpose, and takes it from the one that had it before. */
export function mapColumn(mapping: Mapping, column: string, target: string): Mapping {
  const others = Object.entries(mapping).map(([name, was]) => [name, isSame(was, target) ? '' : was] as const);
  return { ...Object.fromEntries(others), [column]: target };
}

export type Proposed = { column: string; becomes: string | null };

/** What the reader proposes, as a mapping. A column has one purpose in all files, and a purpose one column: the first. */
export function proposedMapping(columns: readonly Proposed[]): Mapping {
  const mapping: Record<string, string> = {};
  for (const { column, becomes } of columns) {
    const isTaken = becomes !== null && Object.values(mapping).some((other) => isSame(other, becomes));
    mapping[column] ||= isTaken ? '' : (becomes ?? '');
  }
  return mapping;
}

const keyOf = (names: readonly string[]) => `footfall-import-columns:${JSON.stringify([...new Set(names)].sort())}`;

export const rememberMapping = (mapping: Mapping): void =>
  remember(keyOf(Object.keys(mapping)), JSON.stringify(mapping));

export function recallMapping(names: readonly string[]): Mapping | undefined {
  const kept = recall(keyOf(names));
  return kept === undefined ? undefined : (JSON.parse(kept) as Mapping);
}
