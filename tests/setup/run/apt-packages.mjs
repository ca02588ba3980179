// The Debian packages that the tests drive for real: finds their programs, and installs what is missing where it may.
// Plain JavaScript that also runs on Node 20 without node_modules, since set-up calls it before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Package → the program, or the file, that shows that it is there. */
const PACKAGES = {
  'redis-server': 'redis-server',
  postgresql: 'postgres',
  pgbouncer: 'pgbouncer',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  // The samples of the API's description are run as they stand.
  'php-cli': 'php',
  python3: 'python3',
  curl: 'curl',
  // The recipes for proxies of one's own are run as they stand.
  nginx: 'nginx',
  caddy: 'caddy',
  'apache2-bin': 'apache2',
  haproxy: 'haproxy',
  // The plugin for WordPress runs in the real one.
  wordpress: '/usr/share/wordpress/wp-load.php',
  'mariadb-server': 'mariadbd',
  // The dashboard is drawn in languages whose letters it does not bring.
  'fonts-wqy-microhei': '/usr/share/fonts/truetype/wqy/wqy-microhei.ttc',
  'fonts-kacst-one': '/usr/share/fonts/truetype/kacst-one/KacstOne.ttf',
  // What deploy/ ships is checked by the programs themselves.
  prometheus: 'promtool',
  systemd: 'systemd-analyze',
};

/** Absolute path of a program, or undefined. PostgreSQL's server programs are not on Debian's PATH: the newest version wins. */
export function findProgram(name) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/usr/sbin',
    '/usr/local/bin',
    ...postgresFolders(),
  ];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function postgresFolders() {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => `/usr/lib/postgresql/${version}/bin`);
  } catch {
    return [];
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function missingPackages() {
  const isThere = (shown) => (isAbsolute(shown) ? existsSync(shown) : findProgram(shown) !== undefined);
  return Object.keys(PACKAGES).filter((name) => !isThere(PACKAGES[name]));
}

/** Installs what is missing. Throws an Error with one sentence for people when it may not, or cannot. */
export async function installMissing() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  const elevate = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const mayInstall = findProgram('apt-get') && (elevate.length === 0 || spawnSync('sudo', ['-n', 'true']).status === 0);
  if (!mayInstall)
    throw new Error(`The tests need ${missing.join(', ')}: install with \`sudo apt-get ${install.join(' ')}\`.`);

  console.log(`Installing ${missing.join(', ')} for the tests.`);
  // RUNLEVEL=1 keeps the packages from starting services of their own; the lock timeout is for two runs that start at once.
  const start = [...elevate, 'env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', '-qq'];
  const apt = async (args) => {
    const all = [...start.slice(1), '-o', 'DPkg::Lock::Timeout=300', ...args];
    const child = spawn(start[0], all, { stdio: ['ignore', 'ignore', 'pipe'] });
    return text(child.stderr);
  };
  await apt(['update']);
  const said = await apt(install);
  const still = missingPackages();
  if (still.length > 0)
    throw new Error(`The tests need ${still.join(', ')}, which apt-get could not install: ${said.trim()}`);
}
