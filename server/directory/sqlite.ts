// The directory in SQLite: node:sqlite under Kysely's SQLite dialect. Several processes may have the file open: the command line uses it
// while the server runs.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Dialect, SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely';
import { unavailable } from './unavailable.ts';

const BUSY_MS = 5_000; // other processes lock the file for milliseconds only, unless they hang

/** SQLite can roll back schema changes. Kysely's adapter says otherwise because of pragmas, which our migrations do not use. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

export function sqliteDialect(path: string): Dialect {
  const database = openFile(path);
  return new NodeSqliteDialect({ database: asKyselyExpects(database) });
}

function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  // TRICKY: switching to WAL takes a lock that the busy timeout does not cover. If two processes start at the same time on a new file, one
  // gets "locked" until the other is done, which takes milliseconds.
  guard(() => retryWhileLocked(() => database.exec('pragma journal_mode = wal')));
  guard(() => database.exec('pragma synchronous = full; pragma secure_delete = on'));
  return database;
}

function asKyselyExpects(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (sql) => {
      // A transaction that reads before it writes cannot wait for another writer, so every transaction takes the write lock at its start.
      const statement = guard(() => database.prepare(sql === 'begin' ? 'begin immediate' : sql));
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => guard(() => statement.all(...(parameters as SQLInputValue[]))),
        run: (parameters) => guard(() => statement.run(...(parameters as SQLInputValue[]))),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
  };
}

/** Primary result codes that a retry may fix: BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const TEMPORARY = new Set([5, 6, 8, 10, 13, 14]);

function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}

function guard<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw TEMPORARY.has(primaryCode(error)) ? unavailable(error) : error;
  }
}

function retryWhileLocked(run: () => void): void {
  for (let tries = 100; ; tries -= 1) {
    try {
      return run();
    } catch (error) {
      if (tries === 0 || primaryCode(error) !== 5) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); // 20 ms, and only at the first start
    }
  }
}
