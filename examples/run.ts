// Installs the package in each example as a user does, builds and starts it, and opens it in Chromium: a view, a navigation by its router and
// an event must reach a Footfall of this process. Frameworks come from npm's registry, in a temporary folder: the project does not depend on them.
// npm run examples, npm run examples -- next astro
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { testApp, type TestApp } from '../tests/setup/app.ts';
import { hideHeadless, type OpenBrowser, openBrowser } from '../tests/setup/browser/chromium.ts';
import { CHROME } from '../tests/setup/browser/user-agent.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { accepts, freePort } from '../tests/setup/processes/process.ts';

type Place = { server: TestApp; origin: string; domain: string };

/** What else an example shows. */
const MORE: Record<string, (place: Place) => Promise<void>> = { next: passesOnVisitors };
const EXPECTED = ['pageview /', 'pageview /pricing', 'signup /pricing pro'];
const PATIENCE_MS = 60_000;

const run = promisify(execFile);
const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };

/** A copy of the example in which Footfall and the site are those of this process. */
async function copyOf(name: string, folder: string, { server, domain }: Omit<Place, 'origin'>): Promise<void> {
  await cp(join(import.meta.dirname, name), folder, { recursive: true });
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll('https://stats.example.com', server.url).replaceAll('example.com', domain));
  }
}

/** `npm start` of a folder, with all of its own processes. */
async function start(folder: string, domain: string): Promise<AsyncDisposable & { origin: string }> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: domain };
  const child = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const gone = once(child, 'exit');
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await gone;
  };
  for (const giveUpAt = Date.now() + PATIENCE_MS; !(await accepts(port)); await wait(50))
    if (child.exitCode !== null || Date.now() > giveUpAt) {
      await end();
      throw new Error(`It did not start: ${output}`);
    }
  return { origin: `http://${domain}:${port}`, [Symbol.asyncDispose]: end };
}

/** Opens the front page, follows the link and clicks the button, each once Footfall has accepted what the step before it sent. */
async function visit(page: Page, origin: string): Promise<void> {
  const sends = async (name: string, step: () => Promise<unknown>) => {
    const isSent = page.waitForResponse(
      (answer) =>
        answer.request().method() === 'POST' && (answer.request().postData() ?? '').includes(`"name":"${name}"`),
    );
    await step();
    const status = (await isSent).status();
    if (status !== 202) throw new Error(`${name} was answered with ${status}.`);
  };
  await sends('pageview', () => page.goto(origin));
  await page.waitForLoadState('networkidle'); // until then, the router of a page that a server rendered may not be there
  await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
  await sends('pageview', () => page.getByRole('link', { name: 'Pricing' }).click());
  await page.getByRole('heading', { name: 'Pricing' }).waitFor();
  await sends('signup', () => page.getByRole('button', { name: 'Sign up' }).click());
  if (!(await page.evaluate(() => 'isSameDocument' in window))) throw new Error('The link loaded a new document.');
}

/** Two visitors through the route of the site, as the proxy in front of Next.js names them: no cookie reaches Footfall. */
async function passesOnVisitors({ server, origin, domain }: Place): Promise<void> {
  const local = origin.replace(domain, '127.0.0.1');
  const cookies: (string | undefined)[] = [];
  server.app.server.prependListener('request', ({ headers }: { headers: Record<string, string> }) => {
    cookies.push(headers['cookie']);
  });
  const body = JSON.stringify({ site: domain, name: 'pageview', url: `${origin}/passed-on` });
  for (const visitor of ['198.51.100.1', '198.51.100.2', '198.51.100.2']) {
    const headers = {
      'content-type': 'text/plain',
      'user-agent': CHROME,
      cookie: 'session=1',
      'x-forwarded-for': visitor,
    };
    const answer = await fetch(`${local}/walk/foot`, { method: 'POST', headers, body });
    if (answer.status !== 202) throw new Error(`/walk/foot answered ${answer.status}.`);
    server.clock.now += 1000; // the same page again at once would be a repeat
  }
  const paths = ['foot.gif', 'foot.js', 'login'].map((file) => fetch(`${local}/walk/${file}?site=${domain}`));
  const statuses = (await Promise.all(paths)).map(({ status }) => status).join(' ');
  if (statuses !== '200 200 404') throw new Error(`image, script and another path answer ${statuses}.`);
  await server.settle();
  const [row] = await server.app.store.query<{ visitors: number }>(
    `SELECT toUInt32(uniqExact(visitor_id)) AS visitors FROM events WHERE page = '/passed-on' AND hostname = {domain:String}`,
    { domain },
  );
  if (row?.visitors !== 2) throw new Error(`Two visitors count as ${row?.visitors}.`);
  if (cookies.length !== 5 || cookies.some((cookie) => cookie !== undefined))
    throw new Error(`Cookies are passed on: ${JSON.stringify(cookies)}`);
}

async function check(name: string, { server, chromium }: { server: TestApp; chromium: OpenBrowser }): Promise<void> {
  const domain = `${name}.test`;
  const site = await server.addSite(domain);
  await using folder = await tempFolder();
  await copyOf(name, folder.path, { server, domain });
  const env = { ...process.env, ...quiet };
  await run('npm', ['install', '--ignore-scripts'], { cwd: folder.path, env });
  await run('npm', ['run', 'build'], { cwd: folder.path, env });
  await using app = await start(folder.path, domain);
  const context = await chromium.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await hideHeadless(page);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await visit(page, app.origin);
  await context.close();
  await server.settle();
  const rows = await server.app.store.query<{ said: string }>(
    `SELECT concat(name, ' ', page, if(props['plan'] = '', '', ' '), props['plan']) AS said FROM events
     WHERE site_id = {id:String} AND name != 'engagement' ORDER BY said`,
    { id: site.id },
  );
  const said = rows.map((row) => row.said);
  if (said.join() !== EXPECTED.join()) throw new Error(`Footfall counted ${JSON.stringify(said)}.`);
  if (errors.length > 0) throw new Error(`Errors on the page: ${errors.join('; ')}`);
  await MORE[name]?.({ server, origin: app.origin, domain });
}

const folders = await readdir(import.meta.dirname, { withFileTypes: true });
const all = folders.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const asked = process.argv.slice(2);
await using server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
await using chromium = await openBrowser({ isPerson: true });
for (const name of asked.length > 0 ? asked : all) {
  const startedAt = performance.now();
  const failure = await check(name, { server, chromium }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${failure ? 'FAIL' : 'ok  '} ${name}: ${EXPECTED.join(', ')}, ${seconds} s`);
  if (failure) {
    console.log(failure);
    process.exitCode = 1;
  }
}
