// News of a newer release: asked for only where the operator has named an address, and told to them alone.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runOperation } from '../../server/operator/operations.ts';
import type { Log } from '../../server/process/log.ts';
import { isNewer, isReleased } from '../../server/vocabulary/texts/version.ts';
import { openDashboard } from '../setup/browser/dashboard.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { testApp } from '../setup/app.ts';
import { openInternet } from '../setup/internet/internet.ts';
import { openLog } from '../../server/process/log.ts';

const PAGE = 'https://forge.example/footfall/releases/tag/v99.1.0';
const NEWER = { tag_name: 'v99.1.0', html_url: PAGE, name: 'Footfall 99.1.0', assets: [] };

const asked: IncomingHttpHeaders[] = [];
let answer: { status: number; body: string };
const forge = createServer((request, response) => {
  asked.push({ ...request.headers, path: request.url });
  response.writeHead(answer.status).end(answer.body);
});
let UPDATE_URL: string;
beforeAll(async () => {
  forge.listen(0, '127.0.0.1');
  await once(forge, 'listening');
  UPDATE_URL = `http://127.0.0.1:${(forge.address() as AddressInfo).port}/releases/latest`;
});
afterAll(() => void forge.close());

/** A log that keeps its lines. */
function openLines(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const keep = (details: object, text: string) => void lines.push(`${text} ${JSON.stringify(details)}`);
  return { log: { ...openLog('silent'), info: keep, warn: keep } as unknown as Log, lines };
}
const aboutReleases = (lines: readonly string[]) => lines.filter((line) => /release/.test(line));

test('versions are compared by their numbers, and candidates are no releases', () => {
  expect(
    ['1.0.0', '1.2.0', '1.10.0', '2.0.0'].every((version, at, all) => at === 0 || isNewer(version, all[at - 1] ?? '')),
  ).toBe(true);
  expect([isNewer('1.2.0', '1.2.0'), isNewer('1.9.9', '1.10.0')]).toEqual([false, false]);
  for (const none of ['1.2', 'v1.2.0', '1.2.0-rc.1', '1.2.0.1', '', '<b>'])
    expect([none, isReleased(none)]).toEqual([none, false]);
});

test('without an address no request leaves the server, whatever is known', async () => {
  await using internet = await openInternet((_, response) => response.end());
  await using server = await testApp({ network: internet.network });
  await server.app.services.directory.db
    .insertInto('releases')
    .values({ version: '99.1.0', page: PAGE, found_at: 0 })
    .execute();
  await server.app.runJob('check-release');
  expect([internet.resolved, internet.dialled, internet.requests, asked]).toEqual([[], [], [], []]);
  expect(await server.app.services.releases.newer()).toBeUndefined();
});

test('with one it is asked, says nothing about the server, and a newer release is logged once', async () => {
  const { log, lines } = openLines();
  await using server = await testApp({ env: { UPDATE_URL }, log });
  const { releases } = server.app.services;
  answer = { status: 200, body: JSON.stringify(NEWER) };
  for (let day = 0; day < 3; day += 1) await server.app.runJob('check-release');
  expect(asked).toHaveLength(3);
  const [{ host: _, path, ...headers } = {}] = asked;
  expect([path, headers]).toEqual([
    '/releases/latest',
    {
      'user-agent': 'Footfall (web analytics)',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      connection: 'close',
    },
  ]);
  expect(aboutReleases(lines)).toEqual([
    `a newer release of Footfall is available ${JSON.stringify({ version: '99.1.0', page: PAGE })}`,
  ]);
  answer = { status: 200, body: JSON.stringify({ ...NEWER, tag_name: '99.0.0' }) };
  await server.app.runJob('check-release');
  expect(await releases.newer()).toEqual({ version: '99.1.0', page: PAGE });
  const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  expect(await runOperation('status', server.app, {}, run)).toMatchObject({ newer_release: '99.1.0' });
});

describe('an answer of no use is a line in the log', () => {
  const ANSWERS: Record<string, { status: number; body: string }> = {
    'is an error': { status: 503, body: JSON.stringify(NEWER) },
    'is not JSON': { status: 200, body: '<html>' },
    'names a candidate': { status: 200, body: JSON.stringify({ ...NEWER, tag_name: 'v99.2.0-rc.1' }) },
    'names no version': { status: 200, body: JSON.stringify({ ...NEWER, tag_name: '<script>' }) },
    'leads to no page': { status: 200, body: JSON.stringify({ ...NEWER, html_url: 'javascript:alert(1)' }) },
    'is too large': { status: 200, body: JSON.stringify({ ...NEWER, body: 'x'.repeat(1_100_000) }) },
  };
  test('whatever is wrong with it', async () => {
    const { log, lines } = openLines();
    await using server = await testApp({ env: { UPDATE_URL }, log });
    for (const [name, wrong] of Object.entries(ANSWERS)) {
      answer = wrong;
      await server.app.runJob('check-release');
      expect([name, await server.app.services.releases.newer()]).toEqual([name, undefined]);
    }
    expect(aboutReleases(lines)).toHaveLength(Object.keys(ANSWERS).length);
  });

  test('and this release, or an earlier one, is no news', async () => {
    const { log, lines } = openLines();
    await using server = await testApp({ env: { UPDATE_URL }, log });
    for (const tag_name of [`v${manifest.version}`, '0.9.0']) {
      answer = { status: 200, body: JSON.stringify({ ...NEWER, tag_name }) };
      await server.app.runJob('check-release');
    }
    expect([aboutReleases(lines), await server.app.services.releases.newer()]).toEqual([[], undefined]);
  });
});

test('the dashboard tells the owners of the operator’s account, and nobody else', async () => {
  await using dashboard = await openDashboard({ env: { UPDATE_URL }, traffic: false });
  const { server, page, site } = dashboard;
  const { db } = server.app.services.directory;
  answer = { status: 200, body: JSON.stringify(NEWER) };
  await server.app.runJob('check-release');
  const cookie = await server.logIn('owner@example.com');
  const told = async () => (await makeAsk(server)('session.current', undefined, { cookie })).body.includes('99.1.0');
  const change = (kind: 'operator' | 'customer', role: 'owner' | 'admin') =>
    Promise.all([
      db.updateTable('accounts').set({ kind }).where('id', '=', site.account_id).execute(),
      db.updateTable('members').set({ role }).where('account_id', '=', site.account_id).execute(),
    ]);
  expect(await told()).toBe(false);
  await change('operator', 'admin');
  expect(await told()).toBe(false);
  await change('operator', 'owner');
  expect(await told()).toBe(true);
  await page.reload();
  const link = page.locator('[data-newer]');
  await link.waitFor();
  expect([await link.innerText(), await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    '99.1.0 is available',
    PAGE,
    'noopener',
  ]);
});
