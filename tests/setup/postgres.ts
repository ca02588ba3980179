// Real PostgreSQL for a test: `await using postgres = await startPostgres()`. One server for the whole run, a database for each call. `{
// own: true }` starts a separate server (1 s), which the test may kill, stop and restart.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown } from 'node:fs/promises';
import { request } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findProgram } from './apt-packages.mjs';
import { freePort, startProgram, type Running } from './process.ts';
import { tempFolder } from './folder.ts';

export type TestPostgres = AsyncDisposable & { url: string };
export type OwnPostgres = TestPostgres & Running;

/** Set by global.ts for the workers of a run: a socket that tells the port of the run's one server. */
export const STORES_SOCKET = 'FOOTFALL_TEST_STORES';

export async function startPostgres(options: { own: true }): Promise<OwnPostgres>;
export async function startPostgres(options?: { own?: false }): Promise<TestPostgres>;
export async function startPostgres(options: { own?: boolean } = {}): Promise<TestPostgres> {
  const runSocket = process.env[STORES_SOCKET];
  if (options.own || !runSocket) return startCluster();
  const port = await askPort(runSocket);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(port, `CREATE DATABASE ${name}`);
  return {
    url: urlOf(port, name),
    [Symbol.asyncDispose]: () => query(port, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export type Cluster = OwnPostgres & { port: number };

export async function startCluster(): Promise<Cluster> {
  const postgres = findProgram('postgres');
  const initdb = findProgram('initdb');
  if (!postgres || !initdb) throw new Error('The tests need postgresql.');
  const folder = await tempFolder();
  const user = await unprivilegedUser(); // PostgreSQL refuses to run as root
  if (user) await chown(folder.path, user.uid, user.gid);
  const data = join(folder.path, 'data');
  await promisify(execFile)(
    initdb,
    ['--no-sync', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '-D', data],
    {
      ...user,
      cwd: folder.path,
    },
  );
  const port = await freePort();
  // fsync matters only for a power cut, which no test has: a SIGKILL loses nothing without it.
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: '200' };
  const running = await startProgram({
    path: postgres,
    args: [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    user,
    isReady: () =>
      query(port, 'SELECT 1').then(
        () => true,
        () => false,
      ),
  });
  return {
    ...running,
    port,
    url: urlOf(port, 'postgres'),
    async [Symbol.asyncDispose]() {
      await running.stop('SIGQUIT');
      await folder[Symbol.asyncDispose]();
    },
  };
}

const urlOf = (port: number, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

async function query(port: number, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, 'postgres'), connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // errors of a server that goes away are the test's business
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, name]))).catch(
      () => undefined,
    );
    const [uid, gid] = ids?.map(({ stdout }) => Number(stdout)) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody.');
}

function askPort(socketPath: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/postgres' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => (response.statusCode === 200 ? resolve(Number(body)) : reject(new Error(body))));
    })
      .on('error', reject)
      .end();
  });
}
