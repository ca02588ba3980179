// The directory in PostgreSQL, for more than one machine: pg under Kysely's dialect.
import { PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { readDatabaseAddress } from '../vocabulary/addresses/postgres.ts';
import { openServers } from './postgres-servers.ts';
import { unavailable } from './unavailable.ts';

const INT8 = 20; // type id of bigint and of count(*)

/** How long to wait for a connection and for an answer. Answers normally take a few ms. */
export const PATIENCE = { connectionTimeoutMillis: 2_000, query_timeout: 2_500 };
/** Longer at the start: migrations of large tables take time, and another process may be running them. */
export const PATIENCE_AT_START = { connectionTimeoutMillis: 5_000, query_timeout: 120_000 };

export function postgresDialect(address: string, patience: typeof PATIENCE): Dialect {
  const options: pg.PoolConfig = {
    application_name: 'footfall',
    max: 10,
    ...patience, // without it a hanging socket would wait for minutes
    // All our bigints are instants or counts, far below 2^53.
    types: { getTypeParser: (id, format) => (id === INT8 ? Number : pg.types.getTypeParser(id, format)) },
  };
  const openPool = (url: string) => {
    const pool = new pg.Pool({ ...options, connectionString: url });
    // Without a listener, losing an idle connection would end the process. The pool replaces the connection.
    pool.on('error', () => servers.doubt());
    // TRICKY: the pool listens only to idle clients. A client that is checked out but idle must not end the process either: its next query
    // reports the error.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  };
  const servers = openServers({ urls: readDatabaseAddress(address), openPool });
  return new Dialect({
    pool: {
      connect: () => servers.connect().then((client) => guardClient(client, servers.doubt), raise),
      end: () => servers.end(),
      options,
    },
  });
}

/** `migrate` of open.ts takes the lock of the migrations itself. */
class Dialect extends PostgresDialect {
  override createAdapter() {
    return Object.assign(super.createAdapter(), { acquireMigrationLock: noLock, releaseMigrationLock: noLock });
  }
}
const noLock = () => Promise.resolve();

/** Calls `onLost` when a query fails because of the connection or its server. */
function guardClient(client: pg.PoolClient, onLost: () => void): PostgresPoolClient {
  return {
    // Kysely passes text and values and reads rows. The other overloads of `query` are for cursors, which we do not use.
    query: ((text: string, values: unknown[]) =>
      client.query(text, values).catch(raiseLost)) as unknown as PostgresPoolClient['query'],
    release: (error) => client.release(error ?? lost.has(client)),
  };

  function raiseLost(error: unknown): never {
    if (isTemporary(error)) {
      lost.add(client);
      onLost();
    }
    throw asUnavailable(error);
  }
}

/** Clients with a broken connection. They are destroyed when released, and never reused. */
const lost = new WeakSet<pg.PoolClient>();

function raise(error: unknown): never {
  throw asUnavailable(error);
}

function asUnavailable(error: unknown): unknown {
  return isTemporary(error) ? unavailable(error) : error;
}

/**
 * Errors that a retry may fix: connection exceptions (08), insufficient resources (53), operator intervention (57P), a standby (25006), and
 * socket errors.
 */
function isTemporary(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(08...|53...|57P..|25006|E[A-Z]+)$/.test(code)) return true;
  return (
    error instanceof Error &&
    /^(Connection terminated|timeout exceeded|Query read timeout|Client )/i.test(error.message)
  );
}
