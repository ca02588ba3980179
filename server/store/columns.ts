// The columns of the stored tables follow from the rows of event.ts: a table that lacks one of them gets it when the store is opened, in every
// table that has rows of events. Columns that need more than that, such as an index, have a file in schema/, which runs before.
import type { Column, ColumnType } from '../vocabulary/event.ts';
import type { Client } from './hosts.ts';
import { quoted } from './literal.ts';
import { isBlank, PURGED_TABLES, TABLES } from './rows.ts';

const SQL_TYPES: Record<ColumnType, string> = {
  text: 'LowCardinality(String)',
  id: 'UInt64',
  instant: "DateTime64(3, 'UTC')",
  day: 'Date',
  number: 'Int32',
  flag: 'UInt8',
  amount: 'Decimal(18, 4)',
  texts: 'Map(LowCardinality(String), String)',
  bigint: 'UInt64',
};

const ofWholeVisits = Object.entries(TABLES.events.rows).filter(([, { of }]) => of !== undefined);

/** Each table that copies columns of event.ts, with these. */
const COPIES: [table: string, columns: Record<string, Column>][] = [
  ...Object.entries(TABLES).map(([table, { rows }]): [string, Record<string, Column>] => [table, rows]),
  [PURGED_TABLES.events, TABLES.events.rows],
  [PURGED_TABLES.ai_visits, TABLES.ai_visits.rows],
  ['day_visits', Object.fromEntries(ofWholeVisits)],
];

/** Adds what is missing. Earlier rows then have the blank value. Days are summed again if they lack a dimension: see stats/days/. */
export async function addColumns(client: Client): Promise<void> {
  const tables = COPIES.map(([table]) => `'${table}'`).join(', ');
  const answer = await client.query({
    query: `SELECT table, name FROM system.columns WHERE database = currentDatabase() AND table IN (${tables})`,
    format: 'JSONEachRow',
  });
  const found = new Set(
    (await answer.json<{ table: string; name: string }>()).map(({ table, name }) => `${table}.${name}`),
  );
  for (const [table, columns] of COPIES)
    for (const [name, column] of Object.entries(columns))
      if (!found.has(`${table}.${name}`))
        await client.command({
          query: `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${name} ${definitionOf(column)}`,
        });
}

function definitionOf({ type, blank }: Column): string {
  const otherwise = isBlank(blank) ? '' : ` DEFAULT ${quoted(String(blank))}`;
  return `${SQL_TYPES[type]}${otherwise} CODEC(ZSTD(1))`;
}
