// Saves the stored rows as files for a backup, and loads them again. Each table and month is one file: tab-separated text with column
// names, compressed with zstd. Files of an embedded store can be loaded into a server and vice versa. Columns added later get their
// defaults.
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { ClickHouseClient } from '@clickhouse/client';
import { quoted } from './literal.ts';
import { TABLES } from './rows.ts';

type Table = keyof typeof TABLES;

/** Moves rows between the store and a file. The embedded engine and a server do this in different ways. */
export type Mover = {
  /** Writes the whole result of the query to the file, or throws. */
  copyOut(query: string, file: string): Promise<void>;
  copyIn(table: Table, file: string): Promise<void>;
};

const FORMAT = 'TabSeparatedWithNames';
/** Ignores columns that the store no longer has. */
const READ_SETTINGS = { input_format_skip_unknown_fields: 1 } as const;

type Progress = (progress: { done: number; total: number }) => void;
type Ask = <Row>(sql: string) => Promise<Row[]>;

const FILE = /^(?<table>\w+)-(?<month>\d{6})\.tsv\.zst$/;

export async function saveRows({ ask, mover }: { ask: Ask; mover: Mover }, folder: string, onProgress: Progress) {
  const parts: { table: string; month: number }[] = [];
  for (const table of Object.keys(TABLES)) {
    const rows = await ask<{ month: number }>(`SELECT DISTINCT toYYYYMM(time) AS month FROM ${table} ORDER BY month`);
    parts.push(...rows.map(({ month }) => ({ table, month })));
  }
  for (const [done, { table, month }] of parts.entries()) {
    onProgress({ done, total: parts.length });
    const query = `SELECT * FROM ${table} WHERE toYYYYMM(time) = ${month}`;
    await mover.copyOut(query, join(folder, `${table}-${month}.tsv.zst`));
  }
}

export async function loadRows(mover: Mover, folder: string, onProgress: Progress): Promise<void> {
  const files = (await readdir(folder)).sort();
  for (const [done, file] of files.entries()) {
    onProgress({ done, total: files.length });
    const table = FILE.exec(file)?.groups?.['table'];
    if (table === undefined || !isTable(table)) throw new Error(`${file} is not a file of a backup’s events.`);
    await mover.copyIn(table, join(folder, file));
  }
}

function isTable(name: string): name is Table {
  return Object.hasOwn(TABLES, name);
}

/** Moves each file over a connection of its own, so that inserts and queries go on meanwhile. */
async function alone(
  open: () => ClickHouseClient,
  work: (client: ClickHouseClient) => Promise<unknown>,
): Promise<void> {
  const client = open();
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

/** The engine reads and writes the files by itself, without holding them in memory. */
export function embeddedMover(open: () => ClickHouseClient): Mover {
  const run = (query: string) => alone(open, (client) => client.command({ query }));
  const settings = Object.entries(READ_SETTINGS).map(([name, value]) => `${name} = ${value}`);
  return {
    copyOut: (query, file) => run(`${query} INTO OUTFILE ${quoted(file)} FORMAT ${FORMAT}`),
    copyIn: (table, file) =>
      run(`INSERT INTO ${table} FROM INFILE ${quoted(file)} SETTINGS ${settings.join(', ')} FORMAT ${FORMAT}`),
  };
}

export function serverMover(open: () => ClickHouseClient): Mover {
  return {
    copyOut: (query, file) =>
      alone(open, async (client) => {
        // The server must finish the query before it answers: otherwise a result that failed half-way would look like a complete, short
        // one.
        const asked = { query: `${query} FORMAT ${FORMAT}`, clickhouse_settings: { wait_end_of_query: 1 } as const };
        const { stream } = await client.exec(asked);
        await pipeline(stream, createZstdCompress(), createWriteStream(file));
      }),
    copyIn: (table, file) =>
      alone(open, (client) => {
        const values = createReadStream(file).pipe(createZstdDecompress());
        return client.insert({ table, values, format: FORMAT, clickhouse_settings: READ_SETTINGS });
      }),
  };
}
