// Stores the sums of days that another product counted: see schema/004-imports.sql.
import type { Client } from './hosts.ts';
import type { AiVisit, EventId, VisitedError, VisitedEvent, VisitedVitals } from '../vocabulary/event.ts';
import type { Bound } from './pool.ts';
import { type Cells, PURGED_TABLES, storedId, TABLES } from './rows.ts';

const NUMBERS = ['unique_visitors', 'visits', 'pageviews', 'events', 'bounces', 'visit_ms'] as const;

/** The numbers of one value of a dimension on one day, null for one that the other product does not tell. Several rows of the same value and day add up. */
export type ImportedSumRow = { dimension: string; day: string; label: string } & Record<
  'unique_visitors' | 'events',
  number
> &
  Record<'visits' | 'pageviews' | 'bounces' | 'visit_ms', number | null>;

type ImportOf = { site_id: string; summing: string };

const COLUMNS = ['site_id', 'summing', 'dimension', 'day', 'label', ...NUMBERS] as const;

/** Nothing counts before its days are published. `token`: a repeated call with the same one changes nothing. */
async function saveImportedSums(
  writer: Client,
  { site_id, summing }: ImportOf,
  { rows, token }: { rows: readonly ImportedSumRow[]; token: string },
): Promise<void> {
  if (rows.length === 0) return;
  await writer.insert({
    table: 'imported_sums',
    columns: [...COLUMNS],
    values: rows.map((row) => [site_id, summing, ...COLUMNS.slice(2).map((name) => row[name as keyof ImportedSumRow])]),
    format: 'JSONCompactEachRow',
    clickhouse_settings: {
      insert_deduplication_token: token,
      insert_deduplicate: 1,
      max_partitions_per_insert_block: '0', // an import spans years
    },
  });
}

type ImportedRows = {
  events: readonly VisitedEvent[];
  aiVisits: readonly AiVisit[];
  vitals?: readonly VisitedVitals[];
  errors?: readonly VisitedError[];
};
/** Rows of a table as texts of lines of JSON. */
export type HitLines = { table: string; columns: [string, ...string[]]; texts: string[] }[];

/** Writes the rows of an import as lines, some at a time, so that their objects need not stay until all of a part are there. */
export function openHitLines(summing: string): { add(rows: ImportedRows): void; all(): HitLines } {
  const written = {
    events: openLines('events', summing),
    ai_visits: openLines('ai_visits', summing),
    vitals: openLines('vitals', summing),
    errors: openLines('errors', summing),
  };
  return {
    add: ({ events, aiVisits, vitals = [], errors = [] }) => {
      written.events.add((also) => TABLES.events.toCells(events, also));
      written.ai_visits.add((also) => TABLES.ai_visits.toCells(aiVisits, also));
      written.vitals.add((also) => TABLES.vitals.toCells(vitals, also));
      written.errors.add((also) => TABLES.errors.toCells(errors, also));
    },
    all: () => Object.values(written).flatMap(({ all }) => all()),
  };
}

function openLines(table: HitTable, summing: string) {
  const full: HitLines = [];
  let lines: HitLines[number] | undefined;
  let known: readonly string[] = [];
  return {
    add: (toCells: (also: readonly string[]) => Cells) => {
      const { columns, values } = toCells(known);
      if (values.length === 0) return;
      // Rows that have a column which those before have not are inserted after them.
      if (columns.length > known.length || !lines) {
        lines = { table: PURGED_TABLES[table], columns: [...columns, 'import_id', 'purge'], texts: [] };
        full.push(lines);
        known = columns;
      }
      for (const row of values) row.push(summing, summing);
      lines.texts.push(values.map((row) => JSON.stringify(row)).join('\n'));
    },
    all: () => full,
  };
}

/** Keeps events and AI visits of the import's site apart, where they count nowhere: see purged.ts. */
async function saveImportedHits(writer: Client, all: HitLines): Promise<void> {
  for (const { table, columns, texts } of all)
    await writer.insert({
      table,
      columns,
      values: texts,
      format: 'JSONCompactEachRow',
      clickhouse_settings: { max_partitions_per_insert_block: '0' },
    });
}

/** `change` runs a statement that may take long. */
type Parts = { change(sql: string, bound: Bound): Promise<void> };

/** What other products counted. Nothing counts before it is published. */
export type Imported = {
  save(of: ImportOf, part: { rows: readonly ImportedSumRow[]; token: string }): Promise<void>;
  saveHits(lines: HitLines): Promise<void>;
  dropKept(of: ImportOf, which: Kept): Promise<void>;
  dropHeld(of: ImportOf): Promise<void>;
  publish(of: ImportOf, how: { days: readonly string[]; replaced: readonly string[]; version: number }): Promise<void>;
  drop(of: ImportOf, onGone: () => void): Promise<void>;
};

export const openImported = (
  writer: Client,
  parts: Parts,
  track: <T>(work: () => Promise<T>) => Promise<T>,
): Imported => ({
  save: (of, part) => track(() => saveImportedSums(writer, of, part)),
  saveHits: (lines) => track(() => saveImportedHits(writer, lines)),
  dropKept: (of, which) => track(() => dropKept(parts, of, which)),
  dropHeld: (of) => track(() => dropHeld(parts, of)),
  publish: (of, how) => track(() => publishImport(writer, of, how)),
  drop: (of, onGone) => track(() => dropImport(parts, of, onGone)),
});

/** From now on, the days count that have a row of totals. `replaced`: days whose own events the import takes the place of. */
async function publishImport(
  writer: Client,
  { site_id, summing }: ImportOf,
  { days, replaced, version }: { days: readonly string[]; replaced: readonly string[]; version: number },
): Promise<void> {
  if (days.length === 0) return;
  const inPlace = new Set(replaced);
  await writer.insert({
    table: 'imported_days',
    columns: ['site_id', 'day', 'summing', 'replaces', 'version'],
    values: days.map((day) => [site_id, day, summing, inPlace.has(day) ? 1 : 0, version]),
    format: 'JSONCompactEachRow',
  });
}

/** `tables`: all, if none are named. */
type Kept = {
  ids?: readonly EventId[];
  days?: readonly string[];
  tables?: readonly HitTable[];
};
/** The tables that hits go to. */
export const HIT_TABLES = ['events', 'ai_visits', 'vitals', 'errors'] as const satisfies (keyof typeof PURGED_TABLES)[];
export type HitTable = (typeof HIT_TABLES)[number];

/** Deletes hits that are not in the tables that count yet, by their ids or days. */
async function dropKept(
  { change }: Parts,
  { site_id, summing }: ImportOf,
  { ids = [], days = [], tables = HIT_TABLES }: Kept,
): Promise<void> {
  for (const table of tables)
    await change(
      `DELETE FROM ${PURGED_TABLES[table]} WHERE site_id = {site_id:String} AND purge = {summing:String}
        AND (toString(event_id) IN {ids:Array(String)} OR toString(day) IN {days:Array(String)})`,
      { site_id, summing, ids: ids.map(storedId), days: [...days] },
    );
}

/** Deletes the hits of an import that purges hold, and those that never came into the tables that count. */
async function dropHeld({ change }: Parts, { site_id, summing }: ImportOf): Promise<void> {
  for (const table of HIT_TABLES)
    await change(
      `DELETE FROM ${PURGED_TABLES[table]} WHERE site_id = {site_id:String} AND (import_id = {summing:String} OR purge = {summing:String})`,
      { site_id, summing },
    );
}

/** Takes sums out of all numbers at once, and then out of the files. `onGone` is called between. */
async function dropImport({ change }: Parts, of: ImportOf, onGone: () => void): Promise<void> {
  for (const table of ['imported_days', 'imported_sums']) {
    await change(
      `ALTER TABLE ${table} DELETE WHERE site_id = {site_id:String} AND summing = {summing:String} SETTINGS mutations_sync = 1`,
      of,
    );
    onGone();
  }
}
