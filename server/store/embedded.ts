// ClickHouse in this process (chDB): its connections for writing, reading and deriving.
import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import type { EarlierStore } from '../errors.ts';
import { openMutex } from '../process/mutex.ts';
import { dropSnapshot, embeddedMover } from './archive.ts';
import { restoreFatalSignals } from './engine-signals.ts';
import { QUIET, ROWS_OR_LINES } from './hosts.ts';
import { bindTo } from './literal.ts';
import { migrateStore } from './migrate.ts';
import type { Bound, Reader } from './pool.ts';
import { SCHEMA_SETTINGS } from './rows.ts';
import { type Connected, OF_ONE_SERVER } from './server.ts';

/** Allows the longest lists of filters. A ClickHouse server limits them by its maximum URL length instead. */
const MAX_QUERY_BYTES = 8_000_000;
/** Each query costs ten milliseconds, and a thousand ids another three. Beyond this, answers take too much memory. */
const IDS_A_QUERY = 2_500;
/**
 * The engine compiles an expression that it meets for the fourth time, for 40 to 140 ms of CPU, and again when a constant of it differs.
 * Our answers are over before that pays: on 5 million events they take as long without.
 */
const UNCOMPILED = { compile_expressions: 0, compile_aggregate_expressions: 0, compile_sort_description: 0 };

type Options = { path: string; ofDeriver: Record<string, number>; earlier?: EarlierStore | undefined };

export async function embed({ path, ofDeriver, earlier }: Options): Promise<Connected> {
  await mkdir(path, { recursive: true });
  const open = () => {
    try {
      return createClient({ connection: createChdbConnection({ path }) as never, log: QUIET, json: ROWS_OR_LINES });
    } catch (cause) {
      // The engine prints the reason to stderr; its error does not contain it.
      throw new Error(`The events in ${path} cannot be opened: another process may have them open, and only one may.`, {
        cause,
      });
    }
  };
  const writer = open();
  restoreFatalSignals();
  await set(writer, SCHEMA_SETTINGS);
  await migrateStore(writer, `DATA_DIR: ${path}`, { earlier }).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  await dropSnapshot((query) => writer.command({ query })); // of a backup that was killed
  const deriver = open();
  await set(deriver, { ...UNCOMPILED, ...SCHEMA_SETTINGS, ...ofDeriver });
  const exclusively = openMutex(); // the next statement's values would replace those of one that has not begun
  const ender = openEnder(open);
  const openReader = (limits: Record<string, number>) =>
    embeddedReader(async () => {
      const client = open();
      await set(client, { ...UNCOMPILED, ...limits, max_query_size: MAX_QUERY_BYTES, readonly: 1 });
      return client;
    }, ender);
  return {
    writer,
    deriver: {
      run: (query, bound) =>
        exclusively(async () => {
          await bindTo(deriver, bound);
          await deriver.command({ query });
        }),
      close: async () => void (await Promise.all([deriver.close(), ender.close()])),
    },
    // TRICKY: rows that a query had already returned when it failed appear at the start of the connection's next result, which may be
    // another account's. A connection whose query failed is therefore never used again.
    openReaders: (count: number, limits: Record<string, number>) => ({
      readers: Array.from({ length: count }, () => openReader(limits)),
      renew: async (failed: Reader) => {
        await failed.close().catch(() => undefined); // an earlier attempt may have closed it
        return openReader(limits);
      },
    }),
    idsAQuery: IDS_A_QUERY,
    mover: embeddedMover(open),
    statements: OF_ONE_SERVER,
    settle: () => Promise.resolve(),
  };
}

/** In one statement: after `readonly`, no setting can be changed any more. */
async function set(client: ClickHouseClient, settings: Record<string, number>): Promise<void> {
  const each = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await client.command({ query: `SET ${each.join(', ')}` });
}

/** Connects with its first query: a connection has five threads, and small servers never need all readers. */
function embeddedReader(connect: () => Promise<ClickHouseClient>, { endable }: Ender): Reader {
  let connecting: Promise<ClickHouseClient> | undefined;
  return {
    ask: async <Row>(sql: string, bound: Bound, signal?: AbortSignal) => {
      // Parameters of earlier queries are still set, so a query that lacks a value must not run with an old one.
      for (const [, name = ''] of sql.matchAll(/\{(\w+):/g))
        if (!Object.hasOwn(bound, name)) throw new Error(`A query lacks its value ${name}.`);
      const client = await (connecting ??= connect());
      await bindTo(client, bound);
      return endable(sql, signal, async (query) => {
        const answer = await client.query({ query, format: 'JSONEachRow' });
        return answer.json<Row>();
      });
    },
    close: async () => (await connecting)?.close(),
  };
}

type Ender = ReturnType<typeof openEnder>;

/** A query may not be known to the engine yet when its requester leaves. */
const RETRY_MS = 20;

/** Ends queries whose requester has left. Only another connection can, and the engine has ids of its own, so each query has a mark in its text. */
function openEnder(open: () => ClickHouseClient) {
  let client: ClickHouseClient | undefined;
  let marks = 0;
  /** Returns whether the query is running. */
  const end = async (mark: string): Promise<boolean> => {
    client ??= open();
    const query = `KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`;
    const answer = await client.query({ query, format: 'JSONEachRow' });
    return (await answer.json()).length > 0;
  };
  return {
    endable: async <Answer>(
      sql: string,
      signal: AbortSignal | undefined,
      run: (query: string) => Promise<Answer>,
    ): Promise<Answer> => {
      signal?.throwIfAborted();
      const mark = `/* ${(marks += 1)} */`;
      let isOver = false;
      const endIt = async () => {
        while (!isOver && !(await end(mark).catch(() => true))) await pause(RETRY_MS); // the limits end it, too
      };
      let ending: Promise<void> | undefined;
      const leave = () => void (ending = endIt());
      signal?.addEventListener('abort', leave, { once: true });
      try {
        return await run(`${mark} ${sql}`);
      } finally {
        isOver = true;
        signal?.removeEventListener('abort', leave);
        await ending; // the engine must not be closed meanwhile
      }
    },
    close: async () => client?.close(),
  };
}
