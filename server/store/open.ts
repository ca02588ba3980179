// The event store: ClickHouse in-process (chDB) or over HTTP, behind one client. The only place that speaks to it.
import { mkdir } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { type ClickHouseClient, type ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { Unavailable } from '../errors.ts';
import type { AiVisit } from '../event.ts';
import { migrateStore } from './migrate.ts';
import { TABLES, type VisitedEvent } from './rows.ts';

/** Values bound to `{name:Type}` in a query's text. */
export type Bound = Record<string, string | number | string[]>;

export type EventStore = {
  /** Inserts durably, once for each token. Throws Unavailable when it may work later, and RowsRefused when it never will. */
  insert(rows: { events: VisitedEvent[]; ai_visits: AiVisit[] }, token: string): Promise<void>;
  /** Asks through a read-only connection with limits on time, memory and rows. */
  query<Row>(sql: string, bound: Bound): Promise<Row[]>;
  /** Deletes every row of a site. */
  deleteSite(siteId: string): Promise<void>;
  /** Throws Unavailable. */
  ping(): Promise<void>;
  /** Waits for what is under way: chDB aborts the process when a connection closes under a running query. */
  close(): Promise<void>;
};

/** Rows that the store will never take, such as a value out of a column's range. */
export class RowsRefused extends Error {}

/** An abandoned query goes on computing: only these stop one. */
const LIMITS = {
  max_execution_time: 20, // seconds; the largest report over 5 million events takes half a second
  // Of each of READERS, so half of what this machine or container has at most.
  max_memory_usage: Math.min(
    2_000_000_000,
    Math.floor(Math.min(process.constrainedMemory() || Infinity, totalmem()) / 8),
  ),
  max_result_rows: 200_000,
};
type Limits = typeof LIMITS;
/** What `readonly` lets through in chDB, as measured: the function file() reads, and INTO OUTFILE writes, any file of this machine. */
const TOUCHES_FILES = /\b(outfile|file)\b/i;
/** Queries answered at once: each running one holds two of libuv's threads, and UV_THREADPOOL_SIZE is 8. */
const READERS = 4;

/** The client would print what fails by itself; whoever asked says it in the log, once. */
const QUIET = { level: ClickHouseLogLevel.OFF };

export async function openStore(options: {
  url?: string | undefined;
  path: string;
  limits?: Partial<Limits>;
}): Promise<EventStore> {
  const limits = { ...LIMITS, ...options.limits };
  const { writer, readers, renew } = options.url
    ? await connect(options.url, limits)
    : await embed(resolve(options.path), limits);
  return eventStore(writer, pool(readers, renew));
}

async function embed(path: string, limits: Limits) {
  await mkdir(path, { recursive: true });
  const open = () => {
    try {
      return createClient({ connection: createChdbConnection({ path }) as never, log: QUIET });
    } catch (cause) {
      // The engine has said why on stderr; the error that it throws does not.
      throw new Error(`The events in ${path} cannot be opened: another process may have them, and only one may.`, {
        cause,
      });
    }
  };
  const writer = open();
  await migrateStore(writer);
  const openReader = async () => {
    const reader = open();
    for (const [name, value] of Object.entries(limits)) await reader.command({ query: `SET ${name} = ${value}` });
    await reader.command({ query: 'SET readonly = 1' }); // last: nothing can be set after it
    return reader;
  };
  const readers = await Promise.all(Array.from({ length: READERS }, openReader));
  // TRICKY: rows that a failed query had already put out come at the head of the connection's next answer, which may be
  // another account's. A connection that failed is never used again.
  const renew = async (failed: ClickHouseClient) => {
    await failed.close().catch(() => undefined); // closed by an earlier try
    return openReader();
  };
  return { writer, readers, renew };
}

async function connect(url: string, limits: Limits) {
  const writer = createClient({ url, request_timeout: 30_000, log: QUIET });
  try {
    await migrateStore(writer);
  } catch (error) {
    await writer.close();
    throw isNetworkError(error) ? new Unavailable('events', error) : error;
  }
  const reader = createClient({
    url,
    request_timeout: 30_000,
    log: QUIET,
    // Whole answers alone: one that fails half-way would come with 200 and the error's text among its rows.
    clickhouse_settings: { ...settings(limits), readonly: '1', wait_end_of_query: 1 },
  });
  return {
    writer,
    readers: Array.from({ length: READERS }, () => reader),
    renew: (failed: ClickHouseClient) => failed,
  };
}

function settings(limits: Record<string, number>) {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));
}

function eventStore(writer: ClickHouseClient, readers: ReturnType<typeof pool>): EventStore {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  /** Keeps track of work, so that close can wait for it, and says what went wrong in our own terms. */
  const track = async <T>(work: () => Promise<T>): Promise<T> => {
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
  };

  const insertInto = async <T>(name: keyof typeof TABLES, rows: T[], token: string) => {
    if (rows.length === 0) return;
    const { columns, toCells } = TABLES[name] as unknown as {
      columns: [string, ...string[]];
      toCells(row: T): unknown[];
    };
    await writer.insert({
      table: name,
      columns,
      values: rows.map(toCells),
      format: 'JSONCompactEachRow',
      clickhouse_settings: {
        insert_deduplication_token: token,
        insert_deduplicate: 1,
        max_partitions_per_insert_block: '0', // an imported log may hold more months than the 100 that are taken by default
      },
    });
  };

  return {
    insert: (rows, token) =>
      track(async () => {
        await insertInto('events', rows.events, `${token}-events`);
        await insertInto('ai_visits', rows.ai_visits, `${token}-ai`);
      }),
    query: <Row>(sql: string, bound: Bound) =>
      track(async () => {
        if (TOUCHES_FILES.test(sql)) throw new Error('A question to the store must not name files.');
        return readers.use(async (client) => {
          const answer = await client.query({ query: sql, query_params: bound, format: 'JSONEachRow' });
          return answer.json<Row>();
        });
      }),
    deleteSite: (siteId) =>
      track(async () => {
        for (const table of Object.keys(TABLES))
          await writer.command({
            query: `DELETE FROM {table:Identifier} WHERE site_id = {site_id:String}`,
            query_params: { table, site_id: siteId },
          });
      }),
    ping: () => track(async () => void (await writer.command({ query: 'SELECT 1' }))),
    close: async () => {
      closed = true;
      await Promise.allSettled(underWay);
      await Promise.all([writer.close(), ...[...new Set(readers.all())].map((client) => client.close())]);
    },
  };
}

/** Hands out clients one query at a time, in the order asked; one whose query failed is renewed first. */
function pool(
  all: ClickHouseClient[],
  renew: (failed: ClickHouseClient) => ClickHouseClient | Promise<ClickHouseClient>,
) {
  const open = new Set(all);
  const free = [...all];
  const waiting: { resolve: (client: ClickHouseClient) => void; reject: (error: unknown) => void }[] = [];
  /** Clients that could not be opened again: each is tried anew by the next who asks. */
  let missing: ClickHouseClient[] = [];
  const take = async () => {
    const client = free.pop();
    if (client) return client;
    const lost = missing.pop();
    if (lost) return replace(lost);
    return new Promise<ClickHouseClient>((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const replace = async (failed: ClickHouseClient) => {
    try {
      open.delete(failed);
      const fresh = await renew(failed);
      open.add(fresh);
      return fresh;
    } catch (error) {
      missing = [...missing, failed];
      throw error;
    }
  };
  const give = (client: ClickHouseClient) => {
    const next = waiting.shift();
    if (next) next.resolve(client);
    else free.push(client);
  };
  return {
    all: () => [...open],
    use: async <T>(work: (client: ClickHouseClient) => Promise<T>): Promise<T> => {
      const client = await take();
      let answer: T;
      try {
        answer = await work(client);
      } catch (error) {
        await replace(client).then(give, (cause: unknown) => {
          // With no client left nobody would ever be served.
          for (const asked of open.size === 0 ? waiting.splice(0) : []) asked.reject(cause);
        });
        throw error;
      }
      give(client);
      return answer;
    },
  };
}

/** ClickHouse's names for values that do not fit, which no second try mends. */
const REFUSED =
  /CANNOT_PARSE|INCORRECT_DATA|TYPE_MISMATCH|OUT_OF_BOUND|TOO_LARGE|CANNOT_CONVERT|DECIMAL_OVERFLOW|UNEXPECTED_END|NO_SUCH_COLUMN/;
/** What a full disk, a busy or a restarting server says. */
const PASSING =
  /TIMEOUT|MEMORY_LIMIT|NOT_ENOUGH_SPACE|TOO_MANY|NETWORK|SOCKET|CANNOT_(WRITE|OPEN|ALLOCATE|FSYNC|READ_FROM)|ABORTED|SHUTDOWN|READONLY|FILE_DOESNT_EXIST/;

function translate(error: unknown): unknown {
  if (error instanceof Unavailable) return error;
  if (isNetworkError(error)) return new Unavailable('events', error);
  if (!isClickHouseError(error)) return error;
  const type = error.type ?? '';
  if (REFUSED.test(type)) return new RowsRefused(error.message, { cause: error });
  return PASSING.test(type) ? new Unavailable('events', error) : error;
}

/** TRICKY: chDB brings a second copy of the client's error class, so `instanceof` would miss its errors. */
function isClickHouseError(error: unknown): error is ClickHouseError {
  return error instanceof Error && error.constructor.name === 'ClickHouseError';
}

function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error) || isClickHouseError(error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return (
    /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST)/.test(code) || /timeout|socket hang up/i.test(error.message)
  );
}
