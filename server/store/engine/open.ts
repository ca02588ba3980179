// ClickHouse without a server (chDB): its process speaks the protocol of a server, and is asked by the same client. The store opens at once.
// Statements wait until the process has opened its folder and its tables are those of this version.
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { type EarlierStore, Unavailable } from '../../errors.ts';
import { dropSnapshot, embeddedMover } from '../archive.ts';
import { type Client, QUIET, ROWS_OR_LINES, textsOf } from '../hosts.ts';
import { knownMigrations, migrateStore } from '../migrate.ts';
import { SCHEMA_SETTINGS } from '../rows.ts';
import { type Connected, OF_ONE_SERVER, readersOf } from '../server.ts';
import { type Engine, superviseEngine, type Using } from './supervisor.ts';

/** Allows the longest lists of filters. A ClickHouse server limits them by its maximum URL length instead. */
const MAX_QUERY_BYTES = 8_000_000;
/** Each query costs ten milliseconds, and a thousand ids another three. Beyond this, answers take too much memory. */
const IDS_A_QUERY = 2_500;
/** A question waits so long for an engine that is away. The engine itself ends one that runs longer. */
const WAIT_MS = 20_000;
/** At the start, a large folder may take longer to open, and another process that holds it is not waited for. */
const AT_START = { waitMs: 60_000, retryMs: 1_500 };
/** A month of a large site takes long to move. */
const TIMEOUT_MS = 3_600_000;
/** More than an insert takes. */
const LEAST_FREE_BYTES = 16_000_000;
/** The migrations that were run in the folder: if they are all, the server need not wait for the engine when it starts. */
const STAMP = 'schema.json';

export type Embedding = {
  path: string;
  ofDeriver: Record<string, number>;
  earlier?: EarlierStore | undefined;
  /** Told in words of an engine that does not open the folder, or has ended by itself. */
  onFault?: (fault: string) => void;
  /** How long the engine is not asked before it ends. */
  quietMs?: number;
  /** How long a statement waits for an engine that is away. */
  waitMs?: number;
};

export async function embed({
  path,
  ofDeriver,
  earlier,
  onFault = () => undefined,
  quietMs,
  waitMs = WAIT_MS,
}: Embedding): Promise<Connected> {
  await mkdir(path, { recursive: true });
  const engine = superviseEngine({ path, onFault, quietMs });
  const bare = openClient(engine, { ...SCHEMA_SETTINGS });
  let preparing: Promise<void> | undefined;
  const prepare = async () => {
    const stamp = join(path, STAMP);
    const isStamped = earlier === 'keep' || (await isCurrent(path));
    if (!isStamped) await rm(stamp, { force: true }); // if this is killed half-way, the next start waits
    await migrateStore(bare, `DATA_DIR: ${path}`, { earlier });
    await dropSnapshot((query) => bare.command({ query })); // of a backup that was killed
    if (!isStamped) await writeFile(stamp, JSON.stringify(await knownMigrations()));
  };
  const prepared = () =>
    (preparing ??= prepare().catch((error: unknown) => {
      preparing = undefined;
      throw error;
    }));
  const use: Use = (work, how = {}) => engine.use(() => prepared().then(work), { waitMs, ...how });
  const open = (settings: Record<string, number | string> = {}): Client =>
    waiting(openClient(engine, { ...SCHEMA_SETTINGS, ...settings }), use);

  const isNew = (await readdir(path)).length === 0;
  if (!isNew && !(await isCurrent(path)))
    await use(() => Promise.resolve(), AT_START).catch(async (error: unknown) => {
      await engine.close();
      throw error instanceof Unavailable
        ? new Error(`The events in ${path} cannot be opened: another process may have them open, and only one may.`, {
            cause: error.cause,
          })
        : error;
    });
  const writer = withSpace(open(), path);
  const deriver = open(ofDeriver);
  return {
    writer,
    deriver: {
      run: async (query, bound) => void (await deriver.command({ query, query_params: bound })),
      close: async () => void (await Promise.all([deriver.close(), bare.close(), engine.close()])),
    },
    openReaders: (count: number, limits: Record<string, number>) =>
      readersOf(
        openClient(engine, { ...SCHEMA_SETTINGS, ...limits, ...OF_READERS }),
        count,
        (ask, { signal, lane }) => {
          const once = () => use(ask, { signal, isAsked: lane !== undefined });
          return once().catch((error: unknown) => {
            // The engine has ended meanwhile: a reading question can be asked again. The second time, the question itself may be what ends it.
            if (error instanceof Unavailable && !signal?.aborted) return once();
            throw error;
          });
        },
      ),
    idsAQuery: IDS_A_QUERY,
    isNew,
    mover: embeddedMover(open),
    statements: OF_ONE_SERVER,
    isAsleep: engine.isAsleep,
    settle: () => Promise.resolve(),
  };
}

const OF_READERS = { max_query_size: MAX_QUERY_BYTES, readonly: 1 };

type Use = <T>(work: () => Promise<T>, how?: Partial<Using>) => Promise<T>;

/** TRICKY: a client closes connections that it has not used for seconds, also while another one uses them. So each has an agent of its own. */
const openClient = ({ socket }: Engine, settings: Record<string, number | string>): Client =>
  createClient({
    url: 'http://engine',
    http_agent: new Agent({ socketPath: socket, keepAlive: true } as object),
    request_timeout: TIMEOUT_MS,
    clickhouse_settings: textsOf(settings),
    log: QUIET,
    json: ROWS_OR_LINES,
  });

/** A client whose statements begin when the engine is ready. */
function waiting(client: Client, use: Use): Client {
  return {
    query: (asked) => use(() => client.query(asked)),
    exec: (asked) => use(() => client.exec(asked)),
    command: (asked) => use(() => client.command(asked)),
    insert: (asked) => use(() => client.insert(asked)),
    close: () => client.close(),
  };
}

/**
 * TRICKY: a disk that fills up in the middle of an insert leaves empty files in it, and the engine says that all is stored. What was stored on a disk that is
 * full now is therefore sent again, and the writer first reads whether it is there.
 */
const withSpace = (client: Client, path: string): Client => ({
  ...client,
  insert: async (asked) => {
    await checkSpace(path);
    const inserted = await client.insert(asked);
    await checkSpace(path);
    return inserted;
  },
});

async function checkSpace(path: string): Promise<void> {
  const disk = await statfs(path).catch(() => undefined); // without its folder, the engine says what is wrong
  if (disk && disk.bavail * disk.bsize < LEAST_FREE_BYTES)
    throw new Unavailable('events', new Error(`${path}: the disk is full`));
}

/** Whether all migrations of this version were run in the folder, and no others. */
async function isCurrent(path: string): Promise<boolean> {
  const stamp = await readFile(join(path, STAMP), 'utf8').catch(() => '');
  return stamp === JSON.stringify(await knownMigrations());
}
