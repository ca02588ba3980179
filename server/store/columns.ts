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
  measure: 'LowCardinality(Nullable(Float32))',
};

const ofWholeVisits = Object.entries(TABLES.events.rows).filter(([, { of }]) => of !== undefined);

/** Each table that copies columns of event.ts, with these. */
const COPIES: [table: string, columns: Record<string, Column>][] = [
  ...Object.entries(TABLES).map(([table, { rows }]): [string, Record<string, Column>] => [table, rows]),
  ...Object.entries(PURGED_TABLES).map(([table, purged]): [string, Record<string, Column>] => [
    purged,
    TABLES[table as keyof typeof PURGED_TABLES].rows,
  ]),
  ['day_visits', Object.fromEntries(ofWholeVisits)],
];

type Missing = { table: string; name: string; column: Column };

/** How the table of migrations calls the columns that were added, so that a version which does not know one refuses the store. */
const stampOf = ({ table, name }: Pick<Missing, 'table' | 'name'>): string => `column ${table}.${name}`;
export const COLUMN_STAMPS = COPIES.flatMap(([table, columns]) =>
  Object.keys(columns).map((name) => stampOf({ table, name })),
);

/** The columns that the tables of the store lack. */
export async function missingColumns(client: Client): Promise<Missing[]> {
  const tables = COPIES.map(([table]) => `'${table}'`).join(', ');
  const answer = await client.query({
    query: `SELECT table, name FROM system.columns WHERE database = currentDatabase() AND table IN (${tables})`,
    format: 'JSONEachRow',
  });
  const found = new Set(
    (await answer.json<{ table: string; name: string }>()).map(({ table, name }) => `${table}.${name}`),
  );
  return COPIES.flatMap(([table, columns]) =>
    Object.entries(columns).flatMap(([name, column]) =>
      found.has(`${table}.${name}`) ? [] : [{ table, name, column }],
    ),
  );
}

/** Earlier rows then have the blank value. Days are summed again if they lack a dimension: see stats/days/. */
export async function addColumn(client: Client, missing: Missing): Promise<void> {
  const { table, name, column } = missing;
  await client.insert({
    table: 'migrations',
    values: [{ name: stampOf(missing) }],
    columns: ['name'],
    format: 'JSONEachRow',
  });
  await client.command({ query: `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${name} ${definitionOf(column)}` });
}

function definitionOf({ type, blank }: Column): string {
  const otherwise = isBlank(blank) ? '' : ` DEFAULT ${quoted(String(blank))}`;
  return `${SQL_TYPES[type]}${otherwise} CODEC(ZSTD(1))`;
}
