// Connects to ClickHouse over HTTP: to one server, or to the hosts of a cluster.
import type { ClickHouseSettings } from '@clickhouse/client';
import { type EarlierStore, Unavailable } from '../errors.ts';
import { addressesOf } from '../vocabulary/addresses/clickhouse.ts';
import { type Mover, serverMover } from './archive.ts';
import { READS, statementsOf } from './cluster.ts';
import { openCluster } from './cluster-client.ts';
import { isNetworkError } from './errors.ts';
import { type Client, openHosts, textsOf } from './hosts.ts';
import { migrateStore } from './migrate.ts';
import type { Asking, Bound, Reader } from './pool.ts';
import { ALL_TABLES, SCHEMA_SETTINGS } from './rows.ts';

type Deriver = { run(sql: string, bound: Bound): Promise<void>; close(): Promise<void> };
type Readers = { readers: Reader[]; renew: (failed: Reader) => Promise<Reader> };
/** `masked` finds the tables with parts that hold deleted rows, since a deletion only marks rows. */
export type Statements = { ping: string; masked: string };
/** `idsAQuery`, `isNew`, `isAsleep` and `settle`: see EventStore. */
export type Connected = {
  writer: Client;
  deriver: Deriver;
  openReaders(count: number, limits: Record<string, number>): Readers;
  idsAQuery: number;
  isNew: boolean;
  isAsleep(): boolean;
  mover: Mover;
  statements: Statements;
  settle(): Promise<void>;
};

export const OF_ONE_SERVER: Statements = {
  ping: 'SELECT 1',
  masked: `SELECT DISTINCT table FROM system.parts
  WHERE database = currentDatabase() AND active AND has_lightweight_delete AND table IN {tables:Array(String)}`,
};

const TIMEOUT_MS = 30_000;
/** Ids and sites are sent in the request's URL, and URLs of up to 16 KiB work everywhere. */
const IDS_A_QUERY = 250;
/** A month of a large site takes long to move. */
const MOVE_TIMEOUT_MS = 3_600_000;
/** Replaced files are kept this long, so that the system has time to write the new ones to disk. */
const OLD_FILES_S = 30;

type Run = <Answer>(ask: () => Promise<Answer>, asking: Asking) => Promise<Answer>;

/** Readers that share a client, of which a failed query leaves nothing behind. `run` does what each asks. */
export function readersOf(client: Client, count: number, run: Run = (ask) => ask()): Readers {
  const reader: Reader = {
    ask: <Row>(query: string, query_params: Bound, asking: Asking = {}) =>
      run(async () => {
        const { signal } = asking;
        const answer = await client.query({
          query,
          query_params,
          format: 'JSONEachRow',
          ...(signal && { abort_signal: signal }),
        });
        return answer.json<Row>();
      }, asking),
    close: () => client.close(),
  };
  return {
    readers: Array.from({ length: count }, () => ({ ...reader })),
    renew: (failed: Reader) => Promise.resolve(failed),
  };
}

type Options = {
  url: string;
  cluster: string | undefined;
  ofDeriver: Record<string, number>;
  earlier: EarlierStore | undefined;
};

export async function connect({ url, cluster: name, ofDeriver, earlier }: Options): Promise<Connected> {
  const openClient = openHosts(addressesOf(url));
  const cluster = name === undefined ? undefined : await orUnavailable(openCluster(name, openClient));
  const open = (request_timeout: number, clickhouse_settings?: ClickHouseSettings) => {
    const options = { request_timeout, clickhouse_settings: { ...AT_ONCE, ...clickhouse_settings } };
    return cluster ? cluster.open(options) : openClient(options);
  };
  const writer = open(TIMEOUT_MS);
  // A server goes on with a statement whose client has left, so a slow one must not be given up and run again.
  const slow = open(MOVE_TIMEOUT_MS);
  try {
    await orUnavailable(prepare(writer, earlier));
  } catch (error) {
    await Promise.all([writer.close(), slow.close()]);
    throw error;
  }
  const openReaders = (count: number, limits: Record<string, number>) => {
    const client = openClient({
      request_timeout: TIMEOUT_MS,
      // The server must finish the query before it answers: otherwise a failure half-way would come as status 200 with the error among the
      // rows.
      clickhouse_settings: {
        ...textsOf(limits),
        ...(cluster && READS),
        cancel_http_readonly_queries_on_client_close: 1,
        readonly: '1',
        wait_end_of_query: 1,
      },
    });
    return readersOf(client, count);
  };
  return {
    writer,
    deriver: {
      run: async (query, bound) => {
        await slow.command({ query, query_params: bound, clickhouse_settings: textsOf(ofDeriver) });
      },
      close: () => slow.close(),
    },
    openReaders,
    idsAQuery: IDS_A_QUERY,
    isNew: false,
    isAsleep: () => false,
    mover: serverMover(() => open(MOVE_TIMEOUT_MS, cluster && ONE_REPLICA)),
    statements: cluster ? statementsOf(cluster) : OF_ONE_SERVER,
    settle: () => cluster?.settle(writer) ?? Promise.resolve(),
  };
}

/**
 * ClickHouse 26.2 and later collect inserts by default, and store those of several clients together. They then have other rules for tokens, so
 * a batch that is sent again could be stored twice, or dropped.
 */
const AT_ONCE: ClickHouseSettings = { async_insert: 0, ...SCHEMA_SETTINGS };

/** The replicas of a cluster take their snapshots one by one, so a backup reads all rows of a shard from the same one. */
const ONE_REPLICA: ClickHouseSettings = { load_balancing: 'in_order', prefer_localhost_replica: 0 };

async function prepare(writer: Client, earlier: EarlierStore | undefined): Promise<void> {
  await migrateStore(writer, 'CLICKHOUSE_URL: this database', { earlier });
  if (earlier === 'keep') return;
  // By default, a server keeps replaced files for eight minutes, and the embedded engine for half a minute (measured).
  for (const table of ALL_TABLES)
    await writer.command({ query: `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = ${OLD_FILES_S}` });
}

async function orUnavailable<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw isNetworkError(error) ? new Unavailable('events', error) : error;
  }
}
