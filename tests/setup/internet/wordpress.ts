// Debian's WordPress with a database of its own, as a visitor and its owner have it: `http://shop.test:PORT`. PHP answers one request at a time, so
// several of it stand behind a small server, which also is the proxy that takes WordPress to itself.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { accepts, freePort, programOf, startProgram } from '../processes/process.ts';
import { tempFolder } from '../folder.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/share/wordpress';
const AT_A_TIME = 3;
export const HOST = 'shop.test';
export const ADMIN = { user: 'admin', password: 'correct horse battery' };

export type WordPress = AsyncDisposable & {
  url: string;
  /** The same for programs, which do not know the name. */
  local: string;
  /** Rows of the database, with tabs between their values. */
  query(sql: string): Promise<string[]>;
  /** Lines of PHP's log that name a file of this plugin. */
  notices(plugin: string): Promise<string[]>;
};

/** `mu`: a file that always runs, before the plugins. */
export async function startWordPress({ mu }: { mu: string }): Promise<WordPress> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await tempFolder());
  const socket = join(folder, 'sql');
  const client = ['--no-defaults', `--socket=${socket}`, '--user=root', '--batch', '--skip-column-names', '--execute'];
  const query = async (sql: string) =>
    (await run(programOf('mariadb'), [...client, sql, 'wordpress'])).stdout.trim().split('\n').filter(Boolean);
  const [, front] = await Promise.all([
    startDatabase(join(folder, 'data'), socket).then((running) => stack.use(running)),
    fillRoot(join(folder, 'root'), mu)
      .then(openFront)
      .then((running) => stack.use(running)),
  ]);
  await run(programOf('mariadb'), [...client, 'CREATE DATABASE wordpress']);
  const [url, local] = [HOST, '127.0.0.1'].map((host) => `http://${host}:${front.port}`) as [string, string];
  await writeFile(join(folder, 'root/wp-config.php'), configOf({ socket, port: front.port }));
  const answers = { weblog_title: 'Shoes', user_name: ADMIN.user, admin_email: 'admin@shop.test', blog_public: '1' };
  const passwords = { admin_password: ADMIN.password, admin_password2: ADMIN.password, pw_weak: '1' };
  const ask = (path: string, body?: URLSearchParams) => fetch(local + path, { ...(body && { method: 'POST', body }) });
  await ask('/wp-admin/install.php?step=2', new URLSearchParams({ ...answers, ...passwords }));
  return {
    url,
    local,
    query,
    notices: async (plugin) => {
      const lines = (await readFile(join(folder, 'root/notices'), 'utf8').catch(() => '')).split('\n');
      return lines.filter((line) => line.includes(`/plugins/${plugin}/`));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startDatabase(data: string, socket: string): Promise<AsyncDisposable> {
  const user = `--user=${userInfo().username}`;
  const installed = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', user];
  await run(programOf('mariadb-install-db'), [...installed, '--skip-test-db']);
  const running = await startProgram({
    path: programOf('mariadbd'),
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--pid-file=${data}/pid`,
      '--skip-networking',
      user,
    ],
    isReady: () => Promise.resolve(existsSync(socket)),
  });
  return { [Symbol.asyncDispose]: () => running.kill() };
}

/** WordPress as it is installed, with plugins, themes and settings of its own. */
async function fillRoot(root: string, mu: string): Promise<string> {
  const content = join(root, 'wp-content');
  for (const name of ['plugins', 'mu-plugins', 'uploads', 'themes/plain'])
    await mkdir(join(content, name), { recursive: true });
  await copyFile(mu, join(content, 'mu-plugins/always.php'));
  for (const name of await readdir(INSTALLED))
    if (name !== 'wp-content' && name !== 'wp-config.php') await symlink(join(INSTALLED, name), join(root, name));
  await writeFile(join(content, 'themes/plain/style.css'), '/* Theme Name: Plain */');
  const [head, body] = [
    '<!doctype html><html lang="en"><head><title>Shoes</title><?php wp_head(); ?></head>',
    '<h1>Shoes</h1>',
  ];
  await writeFile(
    join(content, 'themes/plain/index.php'),
    `${head}<body>${body}<?php do_action( 'plain_page' ); wp_footer();`,
  );
  // Behind links, WordPress would take itself to be where it is installed.
  await writeFile(join(root, 'before.php'), `<?php defined( 'ABSPATH' ) || define( 'ABSPATH', '${root}/' );`);
  await writeFile(
    join(root, 'router.php'),
    `<?php
require '${root}/before.php';
$path = '${root}' . parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
if ( is_file( $path ) || is_file( $path . 'index.php' ) && $path !== '${root}/' ) return false;
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require '${root}/index.php';`,
  );
  return root;
}

const configOf = ({ socket, port }: { socket: string; port: number }) => `<?php
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:${socket}' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'WP_HOME', 'http://${HOST}:${port}' );
define( 'WP_SITEURL', WP_HOME );
define( 'WP_DEFAULT_THEME', 'plain' );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', false );
define( 'WP_DEBUG_LOG', ABSPATH . 'notices' );
define( 'FS_METHOD', 'direct' );
define( 'DISABLE_WP_CRON', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'WP_ACCESSIBLE_HOSTS', '127.0.0.1' );
define( 'WP_PROXY_HOST', '127.0.0.1' );
define( 'WP_PROXY_PORT', '${port}' );
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
`;

/** Gives each request to a PHP that is free. */
async function openFront(root: string): Promise<AsyncDisposable & { port: number }> {
  const php = programOf('php');
  const settings = ['opcache.enable_cli=1', `auto_prepend_file=${root}/before.php`, 'upload_max_filesize=8M'];
  const starting = Array.from({ length: AT_A_TIME }, async () => {
    const port = await freePort();
    const args = [
      ...settings.flatMap((one) => ['-d', one]),
      '-S',
      `127.0.0.1:${port}`,
      '-t',
      root,
      join(root, 'router.php'),
    ];
    return { port, running: await startProgram({ path: php, args, isReady: () => accepts(port) }) };
  });
  const workers = await Promise.all(starting);
  const free = workers.map(({ port }) => port);
  const waiting: ((port: number) => void)[] = [];
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const port = free.pop() ?? (await new Promise<number>((resolve) => waiting.push(resolve)));
    outgoing.once('close', () => {
      const next = waiting.shift();
      if (next) next(port);
      else free.push(port);
    });
    const { pathname, search } = new URL(incoming.url ?? '/', `http://${HOST}`); // to a proxy, the address is whole
    const { method, headers } = incoming;
    const passed = forward({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.once('error', (error) => outgoing.destroy(error));
    incoming.pipe(passed);
  };
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
      await Promise.all(workers.map(({ running }) => running.kill()));
    },
  };
}
