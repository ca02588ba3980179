// The form of the directory for more than one machine: PostgreSQL through pg and Kysely's dialect.
import { type Dialect, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { away } from './unavailable.ts';

const INT8 = 20; // type id of bigint and of count(*)

/** Of a host that hangs nobody waits for more: to be let in, and then for each answer, which takes a few ms. */
export const PATIENCE = { connectionTimeoutMillis: 2_000, query_timeout: 2_500 };
/** At the start another process may be changing the schema, and tables may be large. */
export const PATIENCE_AT_START = { connectionTimeoutMillis: 5_000, query_timeout: 120_000 };

export function postgresDialect(url: string, patience: typeof PATIENCE): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'footfall',
    max: 10,
    ...patience, // the socket alone would wait for minutes
    // Every bigint here is an instant or a count, far below 2^53.
    types: { getTypeParser: (id, format) => (id === INT8 ? Number : pg.types.getTypeParser(id, format)) },
  });
  // Without a listener the end of an idle connection ends the process; the pool itself replaces it.
  pool.on('error', () => undefined);
  // TRICKY: the pool listens to idle clients alone. One that is in use, and asks nothing at that moment, must not end it either:
  // its next question tells whoever uses it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({
    pool: {
      connect: () => pool.connect().then(guardClient, raise),
      end: () => pool.end(),
      options: pool.options,
    },
  });
}

function guardClient(client: pg.PoolClient): PostgresPoolClient {
  return {
    // Kysely hands over text and values, and reads rows: the other forms of `query` are for cursors, which are not used.
    query: ((text: string, values: unknown[]) =>
      client.query(text, values).catch(raise)) as unknown as PostgresPoolClient['query'],
    release: (error) => client.release(error ?? lost.has(client)),
  };

  function raise(error: unknown): never {
    if (isPassing(error)) lost.add(client);
    throw asUnavailable(error);
  }
}

/** Clients whose connection broke: given back for destruction, never for reuse. */
const lost = new WeakSet<pg.PoolClient>();

function raise(error: unknown): never {
  throw asUnavailable(error);
}

function asUnavailable(error: unknown): unknown {
  return isPassing(error) ? away(error) : error;
}

/** Connection exceptions (08), lack of resources (53), operator intervention (57P), a standby (25006), and the socket's own. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(08...|53...|57P..|25006|E[A-Z]+)$/.test(code)) return true;
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded|Query read timeout|Client )/i.test(error.message)
  );
}
