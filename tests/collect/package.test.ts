// The package `footfall` as customers install it, with real npm and strict TypeScript: no network except the server, and through upgrades.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { keepPackage } from '../../server/sites/packages.ts';
import { testApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;

/** npm on a customer's machine: no registry, no cache of this machine, no settings of its user. */
async function npm(folder: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_cache: join(folder, '.npm-cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
  return (await run('npm', args, { cwd: folder, env })).stdout;
}

const newest = async (url: string) => (await fetch(`${url}/footfall.tgz`)).url;

test('an address of the package names its version and never changes, and the short one leads to the newest', async () => {
  await using server = await testApp();
  const short = await fetch(`${server.url}/footfall.tgz`, { redirect: 'manual' });
  expect([short.status, short.headers.get('cache-control')]).toEqual([302, 'no-cache']);
  const address = new URL(short.headers.get('location') ?? '', server.url);
  expect(address.pathname).toMatch(/^\/footfall-\d+\.\d+\.\d+-h[0-9a-f]{8}\.tgz$/);
  const answer = await fetch(address);
  expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('content-encoding')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
    null,
  ]);
  const head = await fetch(address, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String((await answer.arrayBuffer()).byteLength));
  for (const path of ['/footfall-9.9.9.tgz', '/footfall-1.0.0-h00000000.tgz', '/footfall-..%2f..%2fpackage.json.tgz'])
    expect((await fetch(server.url + path)).headers.get('content-type')).not.toBe('application/gzip');
});

test('a lock file from before an upgrade still installs after it, and the package contains its README and license', async () => {
  await using folder = await tempFolder();
  const customer = join(folder.path, 'customer');
  const data = join(folder.path, 'data');
  await mkdir(customer);
  await writeFile(join(customer, 'package.json'), '{ "name": "customer", "private": true, "type": "module" }');

  // an earlier version of Footfall ran here, with another content
  const earlier = join(folder.path, 'earlier');
  await mkdir(earlier);
  await writeFile(
    join(earlier, 'package.json'),
    '{ "name": "footfall", "version": "0.0.9-h0badc0de", "type": "module" }',
  );
  await npm(earlier, 'pack');
  const name = 'footfall-0.0.9-h0badc0de.tgz';
  const archive = await readFile(join(earlier, name));
  {
    await using before = await testApp({ folder: data });
    await keepPackage(before.app.services.directory, { name, archive }, before.clock.now);
  }
  await using server = await testApp({ folder: data });
  await npm(customer, 'install', `${server.url}/${name}`);
  await npm(customer, 'ci');
  const installed = async () =>
    (JSON.parse(await readFile(join(customer, 'node_modules/footfall/package.json'), 'utf8')) as { version: string })
      .version;
  expect(await installed()).toBe('0.0.9-h0badc0de');

  await npm(customer, 'install', await newest(server.url));
  const lock = await readFile(join(customer, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"peerDependencies'); // npm would ask its registry for each, and try again for a minute
  expect(lock).toContain(await newest(server.url));
  await npm(customer, 'ci');
  expect(await installed()).toBe(/footfall-(.*)\.tgz/.exec(await newest(server.url))?.[1]);
  expect((await readdir(join(customer, 'node_modules/footfall'))).sort()).toEqual([
    'LICENSE',
    'README.md',
    'api',
    'attributes.d.ts',
    'attributes.js',
    'footfall.mjs',
    'frameworks',
    'module.d.ts',
    'module.js',
    'package.json',
    'payload.d.ts',
    'payload.js',
    'server',
  ]);
  const script = `console.log(...Object.keys(await import('footfall/server')).sort(), ...Object.keys(await import('footfall')).sort())`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: customer });
  const help = await run('npx', ['footfall', '--help'], { cwd: customer });
  expect(help.stdout).toMatch(/^footfall: the numbers of a site in the terminal$/m);
  expect(stdout.trim()).toBe(
    'FootfallError fetchHandler nodeMiddleware openEvents svelteHandle AUTOMATIC_EVENTS footfall start',
  );
});

const SAMPLES: Record<string, string> = {
  'a token of the environment, with node:http': `
    import { createServer } from 'node:http';
    import { nodeMiddleware } from 'footfall/server';
    const footfall = nodeMiddleware({ site: 'example.com', server: 'https://stats.example.com', token: process.env.FOOTFALL_TOKEN });
    createServer((request, response) => { footfall(request, response); response.end(); });
    export const stop = (): Promise<void> => footfall.flush();`,
  'Options that are optional and undefined': `
    import { nodeMiddleware, type Options } from 'footfall/server';
    export const options: Options = { site: 'a.example', server: 'https://b.example', token: undefined, onError: undefined, fetch: undefined };
    export const middleware = nodeMiddleware({ ...options, onError: (error) => console.error(error.message) });`,
  'SvelteKit’s Handle': `
    import type { Handle } from '@sveltejs/kit';
    import { svelteHandle } from 'footfall/server';
    export const handle: Handle = svelteHandle({ site: 'a.example', server: 'https://b.example', token: process.env['TOKEN'] });`,
  'a Worker with secrets in its environment': `
    import { fetchHandler } from 'footfall/server';
    type Env = { FOOTFALL_TOKEN?: string };
    interface ExecutionContext { waitUntil(promise: Promise<any>): void; passThroughOnException(): void; props: unknown }
    export default {
      fetch: fetchHandler((request: Request, _env: Env, _context: ExecutionContext) => fetch(request),
        (env) => ({ site: 'a.example', server: 'https://b.example', token: env.FOOTFALL_TOKEN })),
    };`,
  'hooks that return nothing, an event, or false': `
    import { start, footfall, type Before, type Payload } from 'footfall';
    function scrub(event: Payload): void { event.url = event.url.replace(/\\d+/, 'ID'); }
    const inline: Before = (event) => { event.props = {}; };
    const some: Before = (event) => { if (event.name === 'x') return false; return event; };
    const given = { site: 'a.example', source: 'https://b.example/foot.js' };
    start({ ...given, before: scrub }); start({ ...given, before: inline }); start({ ...given, before: some });
    start({ ...given, before: (event) => { event.url = ''; } }); start({ ...given, before: () => false });
    start({ ...given, endpoint: process.env.ENDPOINT, before: undefined });
    footfall('signup', { props: { plan: 'pro', seats: 2 }, interactive: undefined });`,
  'Next, Nuxt and Astro': `
    import { createElement, type ReactElement } from 'react';
    import footfall from 'footfall/astro';
    import { Footfall, footfallRoute, useFootfall } from 'footfall/next';
    import module from 'footfall/nuxt';
    const settings = { site: 'a.example', source: 'https://b.example/foot.js' };
    export const layout: ReactElement = createElement(Footfall, { ...settings, nonce: undefined, notFound: true });
    export const { GET, POST }: Record<'GET' | 'POST', (request: Request) => Promise<Response>> = footfallRoute('https://b.example');
    export const integrations = [footfall({ ...settings, off: ['phone_link'] })];
    export const { configKey }: { configKey: 'footfall' } = await module.getMeta();
    useFootfall()('signup', { props: { plan: 'pro' } });
    // @ts-expect-error: a function cannot be written into a page
    export const wrong = () => footfall({ ...settings, before: () => false });`,
  'React, Vue and Svelte': `
    import { createElement, StrictMode } from 'react';
    import { createApp } from '@vue/runtime-dom';
    import { Footfall, useFootfall } from 'footfall/react';
    import { footfallPlugin } from 'footfall/vue';
    import { useFootfall as inSvelte } from 'footfall/svelte';
    const settings = { site: 'a.example', source: 'https://b.example/foot.js' };
    export const layout = createElement(StrictMode, null, createElement(Footfall, { ...settings, off: ['phone_link'] }));
    export const app = createApp({}).use(footfallPlugin, settings);
    inSvelte(settings)('signup');
    useFootfall()('signup', { props: { plan: 'pro' } });`,
  'events and payments from a server, and the numbers': `
    import { openApi, type Answer } from 'footfall/api';
    import { FootfallError, openEvents } from 'footfall/server';
    const access = { server: 'https://stats.example.com', key: process.env.FOOTFALL_KEY };
    const { event, payment, refund } = openEvents({ ...access, site_id: 'site_1' });
    await event('signup', { url: 'https://example.com/', props: { plan: 'pro' } });
    const order = { url: 'https://example.com/thanks', order_id: '1001', amount: 19.9, currency: 'EUR' };
    await payment(order);
    await refund(order, { idempotencyKey: 'refund-1' }).catch((error: unknown) => error instanceof FootfallError && error.code);
    const { data }: Answer<'getTimeseries'> = await openApi(access).getTimeseries({
      site_id: 'site_1', period: '7d', metrics: ['unique_visitors'], filters: [{ dimension: 'page', operator: 'is', values: ['/'] }],
    });
    for (const { unique_visitors } of data) console.log(unique_visitors);
    // @ts-expect-error: a metric that does not exist
    export const wrong = () => openApi(access).getTimeseries({ site_id: 'site_1', metrics: ['visits_of_cats'] });`,
};

test('strict TypeScript accepts the documented examples', async () => {
  // below the project, so that the types of Node and SvelteKit are found as in a customer's project
  const folder = join(root, 'node_modules/.cache/footfall-types');
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  const { cp } = await import('node:fs/promises');
  await cp(join(root, 'build/package'), join(folder, 'node_modules/footfall'), { recursive: true });
  const files = Object.values(SAMPLES).map((code, index) => ({ name: `sample${index}.ts`, code }));
  for (const { name, code } of files) await writeFile(join(folder, name), code);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false']).catch(
    (error: unknown) => error as { stdout: string },
  );
  const mistakes = stdout.split('\n').filter((line) => /sample\d|footfall\//.test(line));
  expect(mistakes).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});
