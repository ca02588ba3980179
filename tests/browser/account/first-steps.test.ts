/** @module-tag long */
// A newcomer's story, as the README tells it, on the real server and in a real browser: the printed address, an account, a site, the
// snippet on a page, and a visitor who appears live on somebody else's screen, without a reload.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openBrowser, type OpenBrowser } from '../../setup/browser/chromium.ts';
import { startClickHouse } from '../../setup/stores/clickhouse.ts';
import { startPostgres } from '../../setup/stores/postgres.ts';
import { startRedis } from '../../setup/stores/redis.ts';
import { tempFolder } from '../../setup/folder.ts';
import { COMPILED } from '../../setup/processes/manage.ts';
import { formsOf } from '../../setup/run/harness.ts';
import { NODE_FLAGS } from '../../setup/server.ts';

const root = new URL('../../..', import.meta.url).pathname;
const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

/** `npm start` without npm: the same program, on its own port and folder. */
async function start(
  env: Record<string, string>,
): Promise<AsyncDisposable & { address: string; base: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'build/server/main.js'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...COMPILED, PORT: '0', LOG_LEVEL: 'error', ...env },
  });
  let printed = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /http:\/\/\S+/.exec(printed);
      if (found) resolve(found[0]);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${printed}`)));
  });
  return {
    address,
    base: new URL(address).origin,
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A web site: every page has the snippet as the dashboard gave it. */
async function openWebSite(): Promise<AsyncDisposable & { port: number; snippet: string }> {
  const site = { snippet: '' };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html><head><title>Shop</title>${site.snippet}</head><body><h1>${request.url?.slice(0, 50)}</h1></body></html>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(site, {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

const PEOPLE = {
  chrome: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  firefox: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** A browser that does not say that it is automated: headless Chromium and webdriver are dropped as bots. */
async function openPage(browser: OpenBrowser, userAgent = PEOPLE.chrome) {
  const context = await browser.newContext({ userAgent });
  await context.addInitScript('Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false })');
  return context.newPage();
}

const FORMS = {
  'embedded stores': () => Promise.resolve({ env: {}, [Symbol.asyncDispose]: () => Promise.resolve() }),
  'Redis, PostgreSQL and ClickHouse': async () => {
    const stack = new AsyncDisposableStack();
    const redis = stack.use(await startRedis());
    const postgres = stack.use(await startPostgres());
    const clickhouse = stack.use(await startClickHouse());
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
    return { env, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  },
};

test.each(formsOf(Object.keys(FORMS) as (keyof typeof FORMS)[]))(
  'from the first start to the first visitor, on %s',
  async (form) => {
    await using folder = await tempFolder();
    await using stores = await FORMS[form]();
    await using shop = await openWebSite();
    await using browser = await openBrowser({ isWhole: true });
    const env = { DATA_DIR: folder.path, ...stores.env };
    let base: string;
    {
      await using server = await start(env);
      base = server.base;
      const owner = await openPage(browser);

      // The printed address leads to the first account.
      expect(server.address).toContain('/setup?token=');
      await owner.goto(server.address);
      await owner.fill('[name=email]', OWNER.email);
      await owner.fill('[name=password]', OWNER.password);
      await owner.click('button[type=submit]');
      await owner.waitForURL((url) => url.pathname !== '/setup');

      // The first site, and its snippet.
      await owner.goto(`${base}/sites/new`);
      await owner.fill('[name=domain]', 'shop.test');
      await owner.click('button[type=submit]');
      const snippet = owner.locator('[data-snippet]').first();
      await snippet.waitFor();
      shop.snippet = (await snippet.textContent()) ?? '';
      expect(shop.snippet).toContain(`data-site="shop.test"`);

      // A visitor arrives: the waiting page opens the dashboard by itself, and shows them.
      const visitor = await openPage(browser);
      await visitor.goto(`http://shop.test:${shop.port}/welcome`);
      await owner.waitForURL(`${base}/shop.test`);
      await owner.waitForSelector('[data-live="current_visitors"][data-value="1"]');
      await owner.waitForSelector('[data-metric="pageviews"][data-value="1"]');
      await owner.waitForSelector('[data-panel="pages"] [data-row="/welcome"][data-value="1"]');
      await owner.waitForSelector('[data-panel="pages"][data-state="ready"]');
      await owner.waitForSelector('[data-connection][data-state="online"]');

      // Everything moves without a reload: a second visitor, an event, a payment.
      await owner.evaluate(() => Object.assign(globalThis, { notReloaded: true }));
      const other = await openPage(browser, PEOPLE.firefox);
      await other.goto(`http://shop.test:${shop.port}/pricing`);
      await other.evaluate(
        "footfall('purchase', { props: { plan: 'pro' }, revenue: { amount: 19.9, currency: 'EUR' } })",
      );
      await owner.waitForSelector('[data-live="current_visitors"][data-value="2"]');
      await owner.waitForSelector('[data-metric="unique_visitors"][data-value="2"]');
      await owner.waitForSelector('[data-panel="events"] [data-row="purchase"][data-value="1"]');
      await owner.waitForSelector('[data-metric="revenue"][data-value="19.9"]');
      expect(await owner.evaluate('notReloaded')).toBe(true);

      // Nobody else sees it.
      const stranger = await openPage(browser);
      await stranger.goto(`${base}/shop.test`);
      await stranger.waitForURL((url) => url.pathname === '/login');

      // A kill at this moment loses nothing.
      const ended = once(server.child, 'exit');
      server.child.kill('SIGKILL');
      await ended;
    }
    {
      await using server = await start(env);
      expect(server.address).not.toContain('token');
      const owner = await openPage(browser);
      await owner.goto(`${server.base}/login`);
      await owner.fill('[name=email]', OWNER.email);
      await owner.fill('[name=password]', OWNER.password);
      await owner.click('button[type=submit]');
      await owner.waitForURL((url) => url.pathname !== '/login');
      await owner.goto(`${server.base}/shop.test`);
      await owner.waitForSelector('[data-metric="pageviews"][data-value="2"]');
      await owner.waitForSelector('[data-metric="revenue"][data-value="19.9"]');
      await owner.waitForSelector('[data-live="current_visitors"][data-value="2"]');
    }
  },
);
