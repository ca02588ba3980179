// The event store: ClickHouse in-process (chDB) or over HTTP, behind one client. No other file talks to ClickHouse.
import { resolve } from 'node:path';
import { hasLittleMemory, memoryOfMachine } from '../process/bounded-memory.ts';
import { Unavailable } from '../errors.ts';
import type { AiVisit, Superseded, VisitedError, VisitedEvent, VisitedVitals } from '../vocabulary/event.ts';
import { FILE_FORMATS, type FileFormat, openSnapshot, type Snapshot, SNAPSHOTS, type Table } from './archive.ts';
import { type Embedding, embed } from './engine/open.ts';
import { isClickHouseError, translate } from './errors.ts';
import { type Asking, type Bound, openPool, type Pool } from './pool.ts';
import { openPurged, type PurgedRows } from './purged.ts';
import { ALL_TABLES, type Cells, TABLES } from './rows.ts';
import { type Imported, openImported } from './imported.ts';
import { dropSearches, saveSearchDay, type SearchDay } from './search-days.ts';
import { connect, type Connected } from './server.ts';

export type EventStore = {
  /** Inserts durably, and only once per token. Throws Unavailable if a retry may work, and RowsRefused if it never will. */
  insert(
    rows: { events: VisitedEvent[]; ai_visits: AiVisit[]; vitals?: VisitedVitals[]; errors?: VisitedError[] },
    token: string,
  ): Promise<void>;
  /** Marks events that better reports of the same order replace. Marking one again changes nothing. */
  supersede(superseded: Superseded[]): Promise<void>;
  /**
   * Runs a query on a read-only connection with limits on time, memory and rows. The queries of one lane never take all connections, and
   * viewers of share links have connections of their own. A query whose requester leaves is ended. Throws service_unavailable if too many
   * queries are waiting or the requester has left, and too_many_requests if a viewer has used too much query time.
   */
  query<Row>(sql: string, bound: Bound, asking?: Asking): Promise<Row[]>;
  /** How many ids may be bound to one query. */
  readonly idsAQuery: number;
  /** True if nothing was stored when it was opened, as far as that is known at once. */
  readonly isNew: boolean;
  /** Runs one statement that writes rows which are derived from others. It runs beside inserts, on a single thread. */
  derive(statement: { sql: string; bound: Bound }): Promise<void>;
  /** Rows that are taken out of every answer, and can be put back. */
  readonly purged: PurgedRows;
  /** Stores the search terms of a day in place of those that were stored before. */
  saveSearchDay(day: SearchDay): Promise<void>;
  /** Deletes a site's search terms, except those of one connection. */
  dropSearches(of: { site_id: string; except: string }): Promise<void>;
  /** What other products counted: see imported.ts. */
  readonly imported: Imported;
  /** Fixes the rows of this moment for a backup, until they are dropped. There is one snapshot at a time: the next replaces it. */
  snapshot(): Promise<Snapshot>;
  /** Stores the rows of a file that a snapshot wrote. */
  load(table: Table, file: string): Promise<void>;
  /** Writes the whole result of a query to a new file, on a single thread. */
  copyOut(statement: { sql: string; bound: Bound }, to: { file: string; format: FileFormat }): Promise<void>;
  /** Deletes every row of a site: no later query finds them. */
  deleteSite(siteId: string): Promise<void>;
  /** Rewrites the files that still hold deleted rows. ClickHouse removes the old files within half a minute. */
  eraseDeleted(): Promise<void>;
  /**
   * Waits until every later query finds whatever was stored before, by any process and also if its insert failed half-way: in a cluster,
   * replicas may differ until then.
   */
  settle(): Promise<void>;
  /** Throws Unavailable if the store does not answer, or a shard of it. */
  ping(): Promise<void>;
  /** True if the engine has ended because nothing was stored or asked for minutes: the next statement starts it. */
  isAsleep(): boolean;
  /** Waits for running queries first. */
  close(): Promise<void>;
};

/** Concurrent queries. One lane gets at most half of them. */
export const READERS = hasLittleMemory() ? 2 : 6;
/** Extra connections for viewers of share links. One link gets all but one. */
const VIEWERS_READERS = hasLittleMemory() ? 2 : 3;

const LIMITS = {
  max_execution_time: 20, // seconds; the largest report over 5 million events takes half a second
  // Per reader: together they use at most half of the memory of the machine or container.
  max_memory_usage: Math.min(2_000_000_000, Math.floor(memoryOfMachine() / (2 * (READERS + VIEWERS_READERS)))),
  max_result_rows: 200_000,
};
type Limits = typeof LIMITS;
/** Anybody may have a share link, so viewers' queries get less time and a single thread. */
const VIEWERS_LIMITS = { max_execution_time: 5, max_threads: 1 };
/** Sums of days are not urgent: they take one core, and leave the others to queries. */
const OF_DERIVER = {
  max_threads: 1,
  max_memory_usage: LIMITS.max_memory_usage,
  // The visits of a very large day are grouped on disk.
  max_bytes_before_external_group_by: Math.floor(LIMITS.max_memory_usage / 4),
  max_bytes_before_external_sort: Math.floor(LIMITS.max_memory_usage / 4),
};
/**
 * A file is written in small blocks, and its rows are sorted on disk, so that a month of a large site takes little memory. What people have written on a
 * site is part of one statement: segments alone may take megabytes.
 */
const OF_COPIES = {
  ...OF_DERIVER,
  format_csv_null_representation: '', // what other programs read
  max_query_size: 64_000_000,
  max_block_size: 8_192,
  max_bytes_before_external_sort: 30_000_000,
  max_bytes_before_external_group_by: 30_000_000,
  output_format_parquet_row_group_size: 50_000,
  // Several blocks would be formatted at once, which takes as many buffers and more CPU.
  output_format_parallel_formatting: 0,
  output_format_parquet_parallel_encoding: 0,
  output_format_csv_crlf_end_of_line: 1,
};
/** Measured: despite `readonly`, chDB lets file() read, and INTO OUTFILE write, any file of this machine. */
const TOUCHES_FILES = /\b(outfile|file)\b/i;
/** `cluster`: the name under which the servers of `url` know each other. */
export async function openStore({
  url,
  cluster,
  limits: given,
  ...embedding
}: {
  url?: string | undefined;
  cluster?: string | undefined;
  limits?: Partial<Limits>;
} & Omit<Embedding, 'ofDeriver'>): Promise<EventStore> {
  const limits = { ...LIMITS, ...given };
  const connected = await (url
    ? connect({ url, cluster, ofDeriver: OF_DERIVER, earlier: embedding.earlier })
    : embed({ ...embedding, path: resolve(embedding.path), ofDeriver: OF_DERIVER }));
  const { openReaders } = connected;
  const members = openReaders(READERS, limits);
  const viewers = openReaders(VIEWERS_READERS, { ...limits, ...VIEWERS_LIMITS });
  const pools = {
    members: openPool(members.readers, { renew: members.renew, ofLane: READERS / 2 }),
    viewers: openPool(viewers.readers, { renew: viewers.renew, ofLane: VIEWERS_READERS - 1 }),
  };
  return eventStore({ ...connected, pools });
}

type Track = ReturnType<typeof openTracking>['track'];

function trackedPurged(purged: PurgedRows, track: Track): PurgedRows {
  return {
    choose: (chosen) => track(() => purged.choose(chosen)),
    takeOut: (of, since) => track(() => purged.takeOut(of, since)),
    putBack: (of) => track(() => purged.putBack(of)),
    drop: (of) => track(() => purged.drop(of)),
    erase: (of) => track(() => purged.erase(of)),
    counts: (of) => track(() => purged.counts(of)),
    visitors: (of, since) => track(() => purged.visitors(of, since)),
    orders: (of, after) => track(() => purged.orders(of, after)),
    all: () => track(() => purged.all()),
  };
}

const EXISTING = 'SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}';

/** Tracks running work, so that the end can wait for it, and translates its errors into ours. */
function openTracking() {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  return {
    async track<T>(work: () => Promise<T>): Promise<T> {
      if (closed) throw new Unavailable('events', new Error('closed'));
      const running = work().catch((error: unknown) => {
        throw translate(error);
      });
      underWay.add(running);
      try {
        return await running;
      } finally {
        underWay.delete(running);
      }
    },
    /** Refuses new work, and waits for what is under way. */
    async end(): Promise<void> {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}

function openDeletion({ writer, pools, statements }: Pick<Parts, 'writer' | 'pools' | 'statements'>) {
  /** A backup that ends drops its snapshot at any time. */
  const change = (query: string, table: string, bound: Bound = {}) =>
    writer.command({ query, query_params: { table, ...bound } }).catch((error: unknown) => {
      const isDropped = SNAPSHOTS.includes(table) && isClickHouseError(error) && error.type === 'UNKNOWN_TABLE';
      if (!isDropped) throw error;
    });
  return {
    async deleteSite(siteId: string): Promise<void> {
      const snapshots = await pools.members.ask<{ name: string }>(EXISTING, { tables: SNAPSHOTS });
      for (const table of [...ALL_TABLES, ...snapshots.map(({ name }) => name)])
        await change('DELETE FROM {table:Identifier} WHERE site_id = {site_id:String}', table, { site_id: siteId });
    },
    async eraseDeleted(): Promise<void> {
      const tables = await pools.members.ask<{ table: string }>(statements.masked, {
        tables: [...ALL_TABLES, ...SNAPSHOTS],
      });
      for (const { table } of tables)
        await change('ALTER TABLE {table:Identifier} APPLY DELETED MASK SETTINGS mutations_sync = 1', table);
    },
  };
}

type Parts = Omit<Connected, 'openReaders'> & { pools: { members: Pool; viewers: Pool } };

function eventStore({
  writer,
  deriver,
  pools,
  idsAQuery,
  isNew,
  isAsleep,
  mover,
  statements,
  settle,
}: Parts): EventStore {
  const { track, end } = openTracking();
  const insertInto = async <T>(name: keyof typeof TABLES, rows: T[], token?: string) => {
    if (rows.length === 0) return;
    const { toCells } = TABLES[name] as unknown as { toCells(rows: T[]): Cells };
    await writer.insert({
      table: name,
      ...toCells(rows),
      format: 'JSONCompactEachRow',
      clickhouse_settings: {
        ...(token !== undefined && { insert_deduplication_token: token, insert_deduplicate: 1 as const }),
        max_partitions_per_insert_block: '0', // an imported log may span more months than the default limit of 100
      },
    });
  };

  const deletion = openDeletion({ writer, pools, statements });
  const change = (sql: string, bound: Bound) => deriver.run(sql, bound);
  const purged = openPurged({
    change,
    ask: (sql, bound) => pools.members.ask(sql, bound),
  });

  return {
    insert: (rows, token) =>
      track(async () => {
        await insertInto('events', rows.events, `${token}-events`);
        await insertInto('ai_visits', rows.ai_visits, `${token}-ai`);
        await insertInto('vitals', rows.vitals ?? [], `${token}-vitals`);
        await insertInto('errors', rows.errors ?? [], `${token}-errors`);
      }),
    supersede: (superseded) => track(() => insertInto('superseded', superseded)),
    query: <Row>(sql: string, bound: Bound, asking?: Asking) =>
      track(() => {
        if (TOUCHES_FILES.test(sql)) throw new Error('A query must not name files.');
        const pool = asking?.viewer === undefined ? pools.members : pools.viewers;
        return pool.ask<Row>(sql, bound, asking);
      }),
    idsAQuery,
    isNew,
    derive: ({ sql, bound }) => track(() => deriver.run(sql, bound)),
    purged: trackedPurged(purged, track),
    imported: openImported(writer, { change }, track),
    saveSearchDay: (day) => track(() => saveSearchDay(writer, day)),
    dropSearches: (of) => track(() => dropSearches(writer, of)),
    snapshot: () =>
      track(async () => {
        const { days, copyOut, drop } = await openSnapshot({ run: (query) => writer.command({ query }), mover });
        return {
          days: () => track(days),
          copyOut: (day, file) => track(() => copyOut(day, file)),
          drop: () => track(drop),
        };
      }),
    copyOut: ({ sql, bound }, { file, format }) =>
      track(() => mover.copyOut(sql, file, { format: FILE_FORMATS[format], bound, settings: OF_COPIES })),
    load: (table, file) => track(() => mover.copyIn(table, file)),
    deleteSite: (siteId) => track(() => deletion.deleteSite(siteId)),
    eraseDeleted: () => track(deletion.eraseDeleted),
    settle: () => track(settle),
    isAsleep,
    ping: () => track(async () => void (isAsleep() || (await writer.command({ query: statements.ping })))),
    close: async () => {
      await end();
      await Promise.all(
        [writer, deriver, ...pools.members.all(), ...pools.viewers.all()].map((client) => client.close()),
      );
    },
  };
}
