/** @module-tag attack */
// Tests every address of the server, and who may read it from another origin.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MCP_PATH } from '../../server/api/mcp/address.ts';
import { OIDC_CALLBACK_PATH } from '../../server/accounts/sign-in/single-sign-on/oidc-issuer.ts';
import { SEARCH_CALLBACK_PATH } from '../../server/integrations/search-console/google.ts';
import { OIDC_START_PATH } from '../../server/api/pages/oidc.ts';
import { REPORT_PREVIEW_PATH } from '../../server/api/dashboard/reports.ts';
import { OEMBED_PATH } from '../../server/api/pages/share-page.ts';
import { SECURITY_TXT_PATH } from '../../server/api/pages/security-txt.ts';
import { STRIPE_WEBHOOK_PATH } from '../../server/api/pages/stripe-webhook.ts';
import { REPORTS_PATH } from '../../server/process/http/content-policy.ts';
import { FEEDS_PATH } from '../../server/sites/sharing/feeds.ts';
import { UNSUBSCRIBE_PATH } from '../../server/messages/mail/unsubscribe.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import type { Site } from '../../server/sites/sites.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let login: { cookie: string };

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  site = await server.addSite('own.example');
  login = { cookie: await server.logIn('owner@own.example') };
});
afterAll(async () => server[Symbol.asyncDispose]());

/** Every address of the server, with who may read it from another origin. A new route needs a row here. */
const ROUTES: Record<string, 'anybody' | 'our pages'> = {
  '/foot': 'anybody',
  '/foot.gif': 'our pages',
  '/foot.js': 'anybody',
  '/footfall.tgz': 'our pages',
  '/footfall-VERSION.tgz': 'our pages',
  '/footfall-gtm.tpl': 'our pages',
  '/healthz': 'our pages',
  '/icons/': 'our pages',
  '/feeds/': 'our pages',
  '/oembed': 'our pages',
  '/readyz': 'our pages',
  '/metrics': 'our pages',
  '/report-preview/': 'our pages',
  '/share/': 'our pages',
  '/trpc/': 'our pages',
  '/v1/': 'our pages',
  '/mcp': 'our pages',
  '/export/': 'our pages',
  '/docs/': 'our pages',
  '/auth/': 'our pages',
  '/policy-reports': 'our pages',
  '/.well-known/': 'our pages',
  '/.well-known/security.txt': 'our pages',
  '/unsubscribe/': 'our pages',
  '/oidc/start': 'our pages',
  '/oidc/callback': 'our pages',
  '/search-console/callback': 'our pages',
  '/webhooks/stripe': 'our pages',
};

const NAMED: Record<string, string> = {
  FEEDS_PATH,
  MCP_PATH,
  OEMBED_PATH,
  OIDC_CALLBACK_PATH,
  SEARCH_CALLBACK_PATH,
  OIDC_START_PATH,
  REPORT_PREVIEW_PATH,
  REPORTS_PATH,
  SECURITY_TXT_PATH,
  STRIPE_WEBHOOK_PATH,
  UNSUBSCRIBE_PATH,
};

describe('addresses', () => {
  test('are a closed list', async () => {
    showsRefused('hidden routes');
    const source = await readFile(new URL('../../server/api/routes.ts', import.meta.url), 'utf8');
    const table = /const routes: Record<string, Handler> = \{([\s\S]*?)\n {2}\};/.exec(source)?.[1] ?? '';
    const doors = [...table.matchAll(/^ {4}(?:'([^']+)'|\[`\$\{AUTH_PATH\}(\/)`\]|\[(\w+_PATH)\]):/gm)].map(
      ([, path, auth, named]) => path ?? (named === undefined ? `/auth${auth}` : NAMED[named]),
    );
    expect(doors.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  test('that are not on the list are the dashboard’s page, or 404', async () => {
    showsRefused('hidden routes');
    const page = await (await fetch(`${server.url}/login`)).text();
    const tried =
      `admin api api/users graphql debug debug/pprof metrics status actuator/env console storybook trpc-panel panel
      swagger openapi.json socket.io/socket.io.js @vite/client src/app.html server/main.ts
      node_modules/zod/package.json package.json .env .git/HEAD data/directory.sqlite build/app/index.html
      phpmyadmin wp-login.php server-status foot.js.map _app/immutable/x.js.map control.sock healthz/x foot/x
      v2/sites public setup/../data`.split(/\s+/);
    for (const path of tried)
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${server.url}/${path}`, { method });
        const text = await answer.text();
        expect([path, method, answer.status === 404 || answer.status === 400 || text === page]).toEqual([
          path,
          method,
          true,
        ]);
      }
  });

  test('that scanners try are 404, and those of the dashboard are not', async () => {
    const statusOf = async (path: string) => (await fetch(`${server.url}${path}`)).status;
    const tried = `/.env /wp-login.php /data/directory.db /.git/HEAD /admin /config.json /backup.sql /127.0.0.1 /index.html.bak /a..b /com`;
    for (const path of tried.split(' ')) expect([path, await statusOf(path)]).toEqual([path, 404]);
    const routes = ['', '(app)', '(signed-out)'].flatMap((group) =>
      readdirSync(`src/routes/${group}`, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && /^[a-z-]+$/.test(entry.name))
        .map(({ name }) => `/${name}`),
    );
    expect(routes.length).toBeGreaterThan(10);
    const sites = [
      '/',
      '/own.example',
      '/own.example/settings/goals',
      '/xn--mnchen-3ya.de',
      '/m%C3%BCnchen.de',
      '/a-b.co.uk/live',
    ];
    for (const path of [...routes, ...sites]) expect([path, await statusOf(path)]).toEqual([path, 200]);
  });

  const ORIGINS = `https://evil.example null http://127.0.0.1 http://localhost https://127.0.0.1 http://127.0.0.1:1
    http://127.0.0.1.evil.example http://evil127.0.0.1 http://own.example https://own.example
    https://sub.own.example file:// chrome-extension://abc http://[::1] *`.split(/\s+/);

  test('let pages of other origins read public answers only, and never with credentials', async () => {
    showsRefused('CORS');
    expect(ORIGINS.length).toBe(15);
    const samples =
      `/foot /foot.gif?site=own.example /foot.js /footfall.tgz /footfall-1.0.0.tgz /footfall-gtm.tpl /healthz /readyz
      /trpc/session.current /trpc/sites.list /v1/sites /v1/openapi.json /mcp /export/${site.id}.csv /docs/ /auth/get-session
      /webhooks/stripe /unsubscribe/x / /login /own.example /socket.io/?EIO=4&transport=polling /unknown`.split(/\s+/);
    for (const path of samples)
      for (const origin of ORIGINS)
        for (const method of ['GET', 'OPTIONS', 'POST']) {
          const headers = { origin, ...login, 'access-control-request-method': 'POST' };
          const answer = await fetch(`${server.url}${path}`, { method, headers, redirect: 'manual' });
          await answer.arrayBuffer();
          const door = Object.keys(ROUTES).find((one) =>
            one.endsWith('/') ? path.startsWith(one) : path.split('?')[0] === one,
          );
          const expected = door !== undefined && ROUTES[door] === 'anybody' ? '*' : null;
          const { headers: got } = answer;
          expect([method, path, origin, got.get('access-control-allow-origin')]).toEqual([
            method,
            path,
            origin,
            expected,
          ]);
          expect(got.get('access-control-allow-credentials')).toBeNull();
        }
  });
});
