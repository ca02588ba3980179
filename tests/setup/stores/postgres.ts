// Real PostgreSQL for a test: `await using postgres = await startPostgres()`. One server for the whole run, a database for each call. `{
// own: true }` starts a separate server (1 s), which the test may kill, stop and restart.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort, programOf, startProgram, type Running } from '../processes/process.ts';
import { tempFolder } from '../folder.ts';
import { askShared } from '../run/made-once.ts';

type TestPostgres = AsyncDisposable & { url: string };
type OwnPostgres = TestPostgres & Running;

export async function startPostgres(options: { own: true }): Promise<OwnPostgres>;
export async function startPostgres(options?: { own?: false }): Promise<TestPostgres>;
export async function startPostgres(options: { own?: boolean } = {}): Promise<TestPostgres> {
  const shared = options.own ? undefined : await askShared('postgres');
  if (shared === undefined) return startCluster();
  const port = Number(shared);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(port, `CREATE DATABASE ${name}`);
  return {
    url: urlOf(port, name),
    [Symbol.asyncDispose]: () => query(port, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

export type Cluster = OwnPostgres & { port: number };

export async function startCluster(): Promise<Cluster> {
  return startOwn(async ({ data, user }) => {
    const options = ['--no-sync', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C'];
    await promisify(execFile)(programOf('initdb'), [...options, '-D', data], { ...user, cwd: dirname(data) });
  });
}

/** A server with a copy of another one's data, which it follows until it is promoted. It refuses writes, and nothing else. */
export async function startStandby(primary: Cluster): Promise<Cluster & { promote(): Promise<void> }> {
  const standby = await startOwn(async ({ data, user }) => {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
    const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    await promisify(execFile)(programOf('pg_basebackup'), [...from, ...options, '-D', data], user);
  });
  return { ...standby, promote: () => query(standby.port, 'SELECT pg_promote()') };
}

/** From now on, the server answers a commit once its standby has it on disk, too. */
export async function makeSynchronous({ port }: Cluster): Promise<void> {
  await query(port, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(port, 'SELECT pg_reload_conf()');
}

type User = { uid: number; gid: number } | undefined;

async function startOwn(fill: (place: { data: string; user: User }) => Promise<void>): Promise<Cluster> {
  const folder = await tempFolder();
  const user = await unprivilegedUser(); // PostgreSQL refuses to run as root
  if (user) await chown(folder.path, user.uid, user.gid);
  const data = join(folder.path, 'data');
  await fill({ data, user });
  const port = await freePort();
  // fsync matters only for a power cut, which no test has: a SIGKILL loses nothing without it.
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: '200' };
  const running = await startProgram({
    path: programOf('postgres'),
    args: [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ],
    user,
    isReady: () => isPostgres(port),
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

/**
 * PgBouncer in front of a server, which gives each transaction the connection that has waited longest: hardly ever two of them the same.
 * What belongs to a session, such as a lock, an unpooled server would keep.
 */
export async function startPgBouncer(postgres: TestPostgres): Promise<TestPostgres> {
  const { port: ofServer, pathname } = new URL(postgres.url);
  const folder = await tempFolder();
  const user = await unprivilegedUser(); // PgBouncer refuses to run as root, too
  const port = await freePort();
  const file = join(folder.path, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${ofServer} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 5',
    'max_client_conn = 200',
    'server_round_robin = 1',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  if (user) for (const path of [folder.path, file]) await chown(path, user.uid, user.gid);
  const name = pathname.slice(1);
  const running = await startProgram({
    path: programOf('pgbouncer'),
    args: [file],
    user,
    isReady: () => isPostgres(port, name),
  });
  const url = urlOf(port, name);
  // as many connections as it may open, so that they take turns
  const pool = new pg.Pool({ connectionString: url, max: 5 });
  await Promise.all(Array.from({ length: 5 }, () => pool.query('SELECT pg_sleep(0.1)')));
  await pool.end();
  return {
    url,
    async [Symbol.asyncDispose]() {
      await running.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const isPostgres = (port: number, database?: string) =>
  query(port, 'SELECT 1', database).then(
    () => true,
    () => false,
  );

const urlOf = (port: number, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

async function query(port: number, sql: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port, database), connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // errors of a server that goes away are the test's business
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function unprivilegedUser(): Promise<User> {
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
