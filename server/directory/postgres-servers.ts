// The servers that DATABASE_URL names. If there are several, one is the primary, which accepts writes, and the others are its standbys. After
// a fail-over, the directory follows to the one that was promoted. pg itself connects to one server only.
import pg from 'pg';

type PostgresServers = {
  /** A connection to the server that accepts writes. */
  connect(): Promise<pg.PoolClient>;
  /** Called after a failure: before the next connection, the servers are asked again which one accepts writes. */
  doubt(): void;
  end(): Promise<void>;
};

/** For a server to say whether it accepts writes. */
const PROBE = { connectionTimeoutMillis: 2000, query_timeout: 2000 };

type Options = { urls: string[]; openPool(url: string): pg.Pool };

export function openServers({ urls, openPool }: Options): PostgresServers {
  const [only = ''] = urls;
  let current = urls.length === 1 ? { url: only, pool: openPool(only) } : undefined;
  let isDoubted = false;
  let isEnded = false;
  let finding: Promise<pg.Pool> | undefined;

  /** Asks all at once, and takes the first in the order of the address, so that all processes take the same. */
  const find = async (): Promise<pg.Pool> => {
    const asked = urls.map((url) => ({ url, refusal: refusesWrites(url) }));
    let cause: unknown;
    for (const { url, refusal } of asked) {
      const reason = await refusal;
      if (reason === undefined && !isEnded) return use(url);
      cause ??= reason;
    }
    throw cause; // what the first server said
  };
  const use = (url: string): pg.Pool => {
    isDoubted = false;
    if (current?.url === url) return current.pool;
    void current?.pool.end().catch(() => undefined);
    current = { url, pool: openPool(url) };
    return current.pool;
  };
  const doubt = () => void (isDoubted = urls.length > 1);
  const known = async () =>
    current && !isDoubted ? current.pool : (finding ??= find().finally(() => (finding = undefined)));

  return {
    async connect() {
      const pool = await known();
      try {
        return await pool.connect();
      } catch (error) {
        doubt();
        if (!isDoubted) throw error;
        return (await known()).connect();
      }
    },
    doubt,
    async end() {
      isEnded = true;
      await finding?.catch(() => undefined);
      await current?.pool.end();
    },
  };
}

/** Resolves to undefined, or to the reason why the server accepts no writes. */
async function refusesWrites(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString, ...PROBE });
  client.on('error', () => undefined); // the query reports it
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    return rows[0]?.transaction_read_only === 'off'
      ? undefined
      : Object.assign(new Error('the server is a standby'), { code: '25006' });
  } catch (error) {
    return error;
  } finally {
    void client.end().catch(() => undefined);
  }
}
