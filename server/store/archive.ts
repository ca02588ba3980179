// Saves the stored rows as files for a backup, and loads them again. Each table and UTC day is one file: tab-separated text with column
// names, compressed with zstd. Files of an embedded store can be loaded into a server and vice versa. Columns added later get their
// defaults.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Client, textsOf } from './hosts.ts';
import { quoted } from './literal.ts';
import type { Bound } from './pool.ts';
import { type IMPORTED_TABLES, PURGED_TABLES, type TABLES } from './rows.ts';

export type Table =
  keyof typeof TABLES | (typeof PURGED_TABLES)[keyof typeof PURGED_TABLES] | (typeof IMPORTED_TABLES)[number];

/** The rows of one table and day. Two of them have the same fingerprint if they have the same rows. */
type DayOfRows = { table: Table; day: string; rows: number; fingerprint: string };

/** The rows of one moment. Rows that are stored later are not in it. */
export type Snapshot = {
  /** Reads the ids and times of all rows, which takes long for many of them. */
  days(): Promise<DayOfRows[]>;
  /** Writes the rows to a new file whose name ends in `.zst`. */
  copyOut(day: DayOfRows, file: string): Promise<void>;
  drop(): Promise<void>;
};

/** Formats of files for other programs. `lines`: of JSON; `cells`: of JSON without the names of the columns. */
export const FILE_FORMATS = {
  csv: 'CSVWithNames',
  lines: 'JSONEachRow',
  cells: 'JSONCompactEachRow',
  parquet: 'Parquet',
} as const;
export type FileFormat = keyof typeof FILE_FORMATS;

type Copying = { format: string; bound?: Bound; settings?: Record<string, number | string> };

/** Moves rows between the store and a file. The embedded engine and a server do this in different ways. */
export type Mover = {
  /** Writes the whole result of the query to a new file, or throws. The file is compressed if its name ends in `.zst`. */
  copyOut(query: string, file: string, how?: Copying): Promise<void>;
  copyIn(table: Table, file: string): Promise<void>;
  /** Runs a query that may take as long as it needs. */
  ask<Row>(query: string): Promise<Row[]>;
};

const FORMAT = 'TabSeparatedWithNames';
const PLAIN: Copying = { format: FORMAT };
/** Ignores columns that the store no longer has. */
const READ_SETTINGS = { input_format_skip_unknown_fields: 1 } as const;

type Parts = { run(sql: string): Promise<unknown>; mover: Mover };

/**
 * The rows of a snapshot, and the number whose sum identifies them. Rows never change, so their ids are enough. `day`: SQL for the day of a row,
 * if it is not that of its time.
 */
const ROWS: Record<Table, { of: (name: string) => string; sum: string; day?: string }> = {
  events: { of: (name) => name, sum: 'event_id' },
  ai_visits: { of: (name) => name, sum: 'event_id' },
  vitals: { of: (name) => name, sum: 'event_id' },
  errors: { of: (name) => name, sum: 'event_id' },
  // a set, whose rows may be stored more than once
  superseded: { of: (name) => `${name} FINAL`, sum: 'cityHash64(event_id, replaced)' },
  // the same event may be purged, put back, and purged again
  [PURGED_TABLES.events]: { of: (name) => name, sum: 'cityHash64(event_id, purge)' },
  [PURGED_TABLES.ai_visits]: { of: (name) => name, sum: 'cityHash64(event_id, purge)' },
  [PURGED_TABLES.vitals]: { of: (name) => name, sum: 'cityHash64(event_id, purge)' },
  [PURGED_TABLES.errors]: { of: (name) => name, sum: 'cityHash64(event_id, purge)' },
  // TRICKY: the hash of a row with a NULL is NULL, that of its text is not
  imported_sums: { of: (name) => name, sum: 'cityHash64(toString(tuple(*)))', day: 'day' },
  imported_days: { of: (name) => `${name} FINAL`, sum: 'cityHash64(*)', day: 'day' },
};
/** SQL for the day of a row. */
const dayIn = (table: Table): string => ROWS[table].day ?? 'toDate(time)';
/** The tables of a backup. */
export const ARCHIVED = Object.keys(ROWS) as [Table, ...Table[]];

const snapshotOf = (table: Table) => `backup_${table}`;
/** Tables of a backup that is being made, or of one that was killed. */
export const SNAPSHOTS = ARCHIVED.map(snapshotOf);

/**
 * Takes a snapshot: tables of their own that share the files of the stored rows. This takes milliseconds, and hardly any disk space. It
 * holds one moment only if nothing is inserted meanwhile.
 */
export async function openSnapshot({ run, mover }: Parts): Promise<Snapshot> {
  const drop = () => dropSnapshot(run);
  await drop();
  try {
    // A store of an earlier version, which is backed up before it is upgraded, may lack some.
    const names = ARCHIVED.map((name) => `'${name}'`).join(', ');
    const existing = await mover.ask<{ name: Table }>(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN (${names})`,
    );
    const tables = ARCHIVED.filter((table) => existing.some(({ name }) => name === table));
    for (const table of tables) await run(`CREATE TABLE ${snapshotOf(table)} CLONE AS ${table}`);
    return {
      days: async () => {
        // A migration may fill a new column from others, so rows that were saved before it are saved again.
        const [schema] = await mover.ask<{ name: string }>('SELECT max(name) AS name FROM migrations');
        const days = [];
        for (const table of tables) days.push(...(await daysOf(table, schema?.name ?? '', mover)));
        return days;
      },
      copyOut: ({ table, day }, file) =>
        mover.copyOut(
          `SELECT * FROM ${ROWS[table].of(snapshotOf(table))} WHERE ${dayIn(table)} = toDate(${quoted(day)})`,
          file,
        ),
      drop,
    };
  } catch (error) {
    await drop();
    throw error;
  }
}

export async function dropSnapshot(run: Parts['run']): Promise<void> {
  // ClickHouse refuses to drop tables of more than 50 GB, and counts the files that a snapshot shares.
  await run(`DROP TABLE IF EXISTS ${SNAPSHOTS.join(', ')} SYNC SETTINGS max_table_size_to_drop = 0`);
}

async function daysOf(table: Table, schema: string, { ask }: Mover): Promise<DayOfRows[]> {
  const days = await ask<{ on_day: string; row_count: string; ids: string }>(
    `SELECT toString(${dayIn(table)}) AS on_day, toString(count()) AS row_count, toString(sum(${ROWS[table].sum})) AS ids
      FROM ${ROWS[table].of(snapshotOf(table))} GROUP BY ${dayIn(table)} ORDER BY on_day`,
  );
  return days.map(({ on_day: day, row_count, ids }) => ({
    table,
    day,
    rows: Number(row_count),
    fingerprint: createHash('sha256').update([schema, table, day, row_count, ids].join()).digest('hex').slice(0, 32),
  }));
}

/** Moves each file over a connection of its own, so that inserts and queries go on meanwhile. */
async function alone<Value>(open: () => Client, work: (client: Client) => Promise<Value>): Promise<Value> {
  const client = open();
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const asking = (open: () => Client): Pick<Mover, 'ask'> => ({
  ask: <Row>(query: string) =>
    alone(open, async (client) => (await client.query({ query, format: 'JSONEachRow' })).json<Row>()),
});

/** The engine reads and writes the files by itself, without holding them in memory. */
export function embeddedMover(open: (settings?: Record<string, number | string>) => Client): Mover {
  return {
    copyOut: (query, file, { format, bound = {}, settings } = PLAIN) =>
      alone(
        () => open(settings),
        async (client) => {
          await client.command({
            query: `${query} INTO OUTFILE ${quoted(file)} FORMAT ${format}`,
            query_params: bound,
          });
          // The engine would keep what it has freed until something else needs it: some 100 MB after a month of a large site.
          await client.command({ query: 'SYSTEM JEMALLOC PURGE' });
        },
      ),
    ...asking(open),
    copyIn: (table, file) =>
      alone(
        () => open(READ_SETTINGS),
        async (client) =>
          void (await client.command({ query: `INSERT INTO ${table} FROM INFILE ${quoted(file)} FORMAT ${FORMAT}` })),
      ),
  };
}

/** Longer text is written into the statement: bound values are sent in the request's address. */
const MAX_SENT_BYTES = 4_000;

function withLongText(query: string, bound: Bound): { query: string; bound: Bound } {
  const isLong = ([, value]: [string, Bound[string]]) =>
    typeof value === 'string' && Buffer.byteLength(value) > MAX_SENT_BYTES;
  const values = Object.entries(bound);
  return {
    query: values
      .filter(isLong)
      .reduce((sql, [name, value]) => sql.replaceAll(`{${name}:String}`, () => quoted(String(value))), query),
    bound: Object.fromEntries(values.filter((one) => !isLong(one))),
  };
}

export function serverMover(open: () => Client): Mover {
  return {
    copyOut: (given, file, { format, bound: allBound = {}, settings = {} } = PLAIN) =>
      alone(open, async (client) => {
        const { query, bound } = withLongText(given, allBound);
        // The server must finish the query before it answers: otherwise a result that failed half-way would look like a complete, short
        // one.
        const clickhouse_settings = { ...textsOf(settings), wait_end_of_query: 1 } as const;
        const { stream } = await client.exec({
          query: `${query} FORMAT ${format}`,
          query_params: bound,
          clickhouse_settings,
        });
        const zipped = file.endsWith('.zst') ? [createZstdCompress()] : [];
        await pipeline([stream, ...zipped, createWriteStream(file, { mode: 0o600 })]);
      }),
    ...asking(open),
    copyIn: (table, file) =>
      alone(open, async (client) => {
        const values = createReadStream(file).pipe(createZstdDecompress());
        await client.insert({ table, values, format: FORMAT, clickhouse_settings: READ_SETTINGS });
      }),
  };
}
