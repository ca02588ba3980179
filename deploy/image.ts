// `npm run image`: builds deploy/Dockerfile and tries the image as an operator has it, in a container without rights, with 1 GB and one core. Its base
// is made of Debian's packages and the Node of this project, so no registry of images is needed. Needs root, and Debian's buildah, podman,
// runc, catatonit and debootstrap. `-- --minutes 10`: how long it is under load; `-- --keep`: keeps the image as footfall:VERSION.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { io } from 'socket.io-client';
import { parseAllDocuments, stringify } from 'yaml';
import { ARCHIVES } from '../tests/project/released/data.ts';
import { openStream, sendPageview } from '../tests/setup/processes/stream.ts';
import { signIn } from '../tests/setup/accounts/sign-in.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, keep: { type: 'boolean', default: false } },
});
const MOST_MB = 330;
const READY_WITHIN_MS = 3_000;
/** What a small server has, and what it must stand. */
const SMALL = ['--memory', '1g', '--cpus', '1'];
const EVENTS_A_SECOND = 50;
const DASHBOARDS = 3;

const DOMAIN = 'demo.example';
const OWNER = { email: 'demo@example.com', password: randomBytes(12).toString('base64url') };
const IMAGE = `localhost/footfall:${version}`;
const BASE = 'localhost/footfall-base';
/** Some sandboxes let nobody raise a limit. */
const LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const RUNTIME = ['--runtime', 'runc'];
const podman = (...args: string[]) => run('podman', ...RUNTIME, ...args);
const succeeds = (...args: string[]) => spawnSync('podman', [...RUNTIME, ...args]).status === 0;
const say = (text: string) => void process.stdout.write(`${text}\n`);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What was found to be wrong. The trial goes on, so that one run says all of it. */
const faults: string[] = [];
function check(isRight: boolean, what: string): void {
  say(`${isRight ? 'ok  ' : 'FAIL'} ${what}`);
  if (!isRight) faults.push(what);
}

function requirePrograms(): void {
  const needed = ['buildah', 'podman', 'runc', 'catatonit', 'debootstrap'];
  const missing = needed.filter((name) => spawnSync(name, ['--version']).error);
  if (missing.length === 0 && process.getuid?.() === 0) return;
  process.stderr.write(`Run as root, after \`apt-get install ${needed.join(' ')}\`. Missing: ${missing.join(', ')}\n`);
  process.exit(1);
}

/** Debian with Node, npm and the user `node`, as the official image of Node has them. */
function makeBase(): void {
  if (run('buildah', 'images', '--format', '{{.Name}}').split('\n').includes(BASE)) return;
  const container = run('buildah', 'from', 'scratch');
  const place = run('buildah', 'mount', container);
  run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', place);
  for (const folder of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/man', 'usr/share/locale'])
    rmSync(join(place, folder), { recursive: true, force: true });
  const modules = join(place, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(realpathSync(join(root, 'node_modules/.bin/node')), join(place, 'usr/local/bin/node'));
  const npm = dirname(dirname(realpathSync(run('sh', '-c', 'command -v npm'))));
  cpSync(npm, join(modules, 'npm'), { recursive: true, verbatimSymlinks: true });
  run('ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', join(place, 'usr/local/bin/npm'));
  run('chroot', place, 'groupadd', '--gid', '1000', 'node');
  run('chroot', place, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node');
  run('buildah', 'commit', '--rm', container, BASE);
}

/** With 1,024 open files, as some hosts allow. The certificates are those of this machine, whose registry of packages may have its own. */
function build(scratch: string): void {
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  const settings = join(scratch, 'npmrc');
  writeFileSync(settings, `cafile=${certificates}\n`);
  const volumes = [`${certificates}:${certificates}:ro`, `${settings}:/usr/local/etc/npmrc:ro`];
  const options = ['--pull-never', '--network', 'host', '--isolation', 'chroot', '--format', 'docker', ...LIMITS];
  const files = ['--file', 'deploy/Dockerfile', '--ignorefile', 'deploy/Dockerfile.dockerignore'];
  const given = volumes.flatMap((volume) => ['--volume', volume]);
  run('buildah', 'bud', ...options, ...given, ...files, '--build-arg', `BASE=${BASE}`, '--tag', IMAGE, root);
}

/** The compressed image, and what takes more than 10 MB of it uncompressed. */
function measure(scratch: string): void {
  const archive = join(scratch, 'image.tar');
  run('buildah', 'push', IMAGE, `oci-archive:${archive}`);
  const megabytes = Math.round(statSync(archive).size / 1e6);
  check(megabytes <= MOST_MB, `compressed, it has ${megabytes} MB of at most ${MOST_MB}`);
  const listed = 'du -xBM -d 3 / 2>/dev/null | sort -rn | awk \'$1+0 >= 10 {print "     " $1, $2}\'';
  say(podman('run', '--rm', ...LIMITS, '--network', 'none', '--user', 'root', IMAGE, 'sh', '-c', listed));
}

type Container = { url: string; name: string; readyMs: number };

async function start(volume: string, port: number): Promise<Container> {
  const name = `footfall-${randomBytes(4).toString('hex')}`;
  const rights = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'];
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    TRUST_PROXY: 'loopback',
    FLOOD_VISITORS: '100000',
    FLOOD_EVENTS: '100000',
  };
  const given = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const began = performance.now();
  const place = ['--network', 'host', '--volume', `${volume}:/data`];
  podman('run', '--detach', '--name', name, ...rights, ...SMALL, ...LIMITS, ...place, ...given, IMAGE);
  return { url: `http://127.0.0.1:${port}`, name, readyMs: await ready(name, port, began) };
}

/** Resolves once the container answers, with how long that took. */
async function ready(name: string, port: number, began: number): Promise<number> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (performance.now() - began > 60_000) throw new Error(podman('logs', name));
    await wait(20);
  }
  return Math.round(performance.now() - began);
}

const manage = ({ name }: Container, ...args: string[]): unknown =>
  JSON.parse(
    podman('exec', name, 'node', 'build/server/manage.js', ...args)
      .split('\n')
      .at(-1) ?? '',
  );

type Site = { id: string; domain: string };

/** The first site. */
function siteOf(container: Container): Site {
  const { accounts } = manage(container, 'list') as { accounts: { sites: Site[] }[] };
  const [site] = accounts.flatMap(({ sites }) => sites);
  if (!site) throw new Error('The server has no site.');
  return site;
}

/** Resolves once every event is stored. */
async function settle(container: Container): Promise<void> {
  for (let { waiting } = { waiting: 1 }; waiting > 0; await wait(200))
    ({ waiting } = manage(container, 'status') as { waiting: number });
}

async function pageviewsOf(container: Container): Promise<number> {
  await settle(container);
  const asked = manage(container, 'stats', '--site', DOMAIN, '--period', 'today', '--json') as {
    stats: { data: { pageviews: number } };
  };
  return asked.stats.data.pageviews;
}

/** The volume of each release is backed up, upgraded, and shows the numbers that the release did. */
async function tryUpgrade(scratch: string, port: number): Promise<void> {
  type Numbers = { stats: { data: { pageviews: number; date_from: string; date_to: string } } };
  const folder = join(root, 'tests/project/released');
  const archives = readdirSync(folder).filter((name) => name.endsWith(`.${ARCHIVES.sqlite}`));
  for (const archive of archives) {
    const release = archive.replace(`.${ARCHIVES.sqlite}`, '');
    const volume = join(scratch, `data-${release}`);
    mkdirSync(volume);
    run('tar', '--extract', '--gzip', '--file', join(folder, archive), '--directory', volume);
    run('chown', '--recursive', '1000:1000', volume);
    const container = await start(volume, port);
    await settle(container);
    const told = (JSON.parse(readFileSync(join(folder, `${release}.numbers.json`), 'utf8')) as Numbers).stats.data;
    const days = ['--period', 'custom', '--date-from', told.date_from, '--date-to', told.date_to];
    const { stats } = manage(container, 'stats', '--site', siteOf(container).domain, ...days, '--json') as Numbers;
    check(
      isDeepStrictEqual(stats.data, told) && existsSync(join(volume, 'upgrade-backup')),
      `the volume of ${release} is backed up and upgraded: ready after ${container.readyMs} ms, ${stats.data.pageviews} of ${told.pageviews} page views`,
    );
    podman('rm', '--force', container.name);
  }
}

type Pod = { metadata: { name?: string }; spec: { containers: [PodContainer]; volumes: object[] } };
type PodContainer = { image: string; env: { name: string; value: string }[]; ports?: object } & Record<string, unknown>;

/** The pod of the example for Kubernetes runs as it stands, but for its disk and its port, which are of this machine. */
async function tryPod(scratch: string, port: number): Promise<void> {
  const disk = join(scratch, 'pod-data');
  const limits = join(scratch, 'containers.conf');
  const file = join(scratch, 'pod.yaml');
  mkdirSync(disk);
  run('chown', '1000:1000', disk);
  writeFileSync(limits, '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n');
  const [set] = parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes/one-machine.yaml'), 'utf8'));
  const { metadata, spec } = (set?.toJS() as { spec: { template: Pod } }).spec.template;
  const { ports: _, ...container } = spec.containers[0];
  const probe = { httpGet: { path: '/healthz', port } };
  const own = {
    image: IMAGE,
    imagePullPolicy: 'Never',
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
  };
  const containers = [{ ...container, ...own, env: [...container.env, { name: 'PORT', value: String(port) }] }];
  const volumes = [...spec.volumes, { name: 'data', hostPath: { path: disk, type: 'Directory' } }];
  const pod = { ...metadata, name: 'footfall-pod' };
  const text = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: pod,
    spec: { ...spec, containers, volumes, hostNetwork: true },
  };
  writeFileSync(file, stringify(text));
  const began = performance.now();
  try {
    run('env', `CONTAINERS_CONF=${limits}`, 'podman', ...RUNTIME, 'kube', 'play', '--log-driver', 'k8s-file', file);
    const name = 'footfall-pod-footfall';
    const readyMs = await ready(name, port, began);
    const inside = podman(
      'exec',
      name,
      'sh',
      '-c',
      'id -u; grep -c "CapEff:.0*$" /proc/1/status; stat -c %a /data/footfall',
    );
    check(
      inside === '1000\n1\n700' && !succeeds('exec', name, 'touch', '/app/x'),
      `the pod of deploy/kubernetes/one-machine.yaml is ready after ${readyMs} ms, without rights, and writes only to its disk`,
    );
  } finally {
    succeeds('kube', 'down', file); // also what was begun
  }
}

/** Killed under load, it has every event that it accepted, once. */
async function tryKill(volume: string, port: number): Promise<void> {
  let container = await start(volume, port);
  say(`     ready ${container.readyMs} ms after \`podman run\`, of ${READY_WITHIN_MS} wanted: depends on the machine`);
  check(podman('exec', container.name, 'id', '-u') === '1000', 'runs as a user without rights');
  check(!succeeds('exec', container.name, 'touch', '/app/x'), 'its root cannot be written');
  check(succeeds('healthcheck', 'run', container.name), 'its health check passes');
  manage(container, 'account', 'create', '--email', OWNER.email, '--password', OWNER.password, '--plan', 'pro');
  manage(container, 'site', 'create', '--account', OWNER.email, '--domain', DOMAIN);
  const stream = openStream({ domains: [DOMAIN], urlOf: () => container.url, senders: 4 });
  await wait(3_000);
  podman('kill', '--signal', 'KILL', container.name);
  podman('rm', '--force', container.name);
  container = await start(volume, port);
  await wait(3_000);
  await stream.stop();
  const counted = await pageviewsOf(container);
  const accepted = stream.accepted.size;
  check(
    counted === accepted && stream.retries() > 0,
    `killed and started again: ${accepted} events accepted, ${counted} counted`,
  );
  podman('stop', '--time', '40', container.name);
  podman('rm', container.name);
}

/** The demo, dashboards that follow it live, and a steady stream of events. */
async function tryLoad(volume: string, port: number, minutes: number): Promise<void> {
  const container = await start(volume, port);
  const before = await pageviewsOf(container);
  const cookie = await signIn(container.url, OWNER);
  const sockets = Array.from({ length: DASHBOARDS }, () =>
    io(container.url, { transports: ['websocket'], extraHeaders: { cookie, origin: container.url } }),
  );
  const site = siteOf(container);
  let pushes = 0;
  for (const socket of sockets) {
    socket.onAny(() => void (pushes += 1));
    socket.on('connect', () => socket.emit('watch', site.id, () => undefined));
  }
  const [answers, taken]: [Promise<number | undefined>[], number[]] = [[], []];
  const ends = Date.now() + minutes * 60_000;
  for (let sent = 0; Date.now() < ends; sent += 1) {
    const began = performance.now();
    const answer = sendPageview(container.url, { domain: DOMAIN, id: `load-${sent}` });
    answers.push(answer.finally(() => taken.push(performance.now() - began)));
    await wait(Math.max(0, 1000 / EVENTS_A_SECOND - (performance.now() - began)));
  }
  const accepted = (await Promise.all(answers)).filter((status) => status === 202).length;
  for (const socket of sockets) socket.disconnect();
  const counted = (await pageviewsOf(container)) - before;
  const p99 = Math.round(taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? 0);
  const { State } =
    (JSON.parse(podman('inspect', container.name)) as { State: { OOMKilled: boolean; Running: boolean } }[])[0] ?? {};
  check(
    accepted === answers.length && counted === accepted,
    `${minutes} min of load: ${answers.length} events, ${accepted} accepted, ${counted} counted`,
  );
  check(pushes > 0, `${DASHBOARDS} dashboards got ${pushes} pushes; /foot took ${p99} ms (p99)`);
  check(
    State?.Running === true && !State.OOMKilled,
    `it has used ${podman('stats', '--no-stream', '--format', '{{.MemUsage}}', container.name)}`,
  );
  podman('rm', '--force', container.name);
}

requirePrograms();
const scratch = mkdtempSync(join(tmpdir(), 'footfall-image-'));
const volume = join(scratch, 'data');
try {
  makeBase();
  say(`building ${IMAGE} …`);
  build(scratch);
  measure(scratch);
  mkdirSync(volume);
  run('chown', '1000:1000', volume);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  await tryUpgrade(scratch, port);
  await tryPod(scratch, port);
  await tryKill(volume, port);
  await tryLoad(volume, port, Number(values.minutes));
} finally {
  for (const name of podman('ps', '--all', '--quiet', '--filter', `ancestor=${IMAGE}`).split('\n').filter(Boolean))
    podman('rm', '--force', name);
  if (!values.keep) succeeds('rmi', IMAGE);
  rmSync(scratch, { recursive: true, force: true });
}
say(faults.length === 0 ? 'The image is as it should be.' : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
