/** @module-tag attack */
// The export of an account and of a person: complete, without secrets and without ids of visitors, for owners alone, and it stops when the
// client leaves.
import { inflateRawSync } from 'node:zlib';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { parse } from 'devalue';
import { describe, expect, test } from 'vitest';
import { EXPORTED } from '../../server/accounts/account-export.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { personalContent, subscribe } from '../../server/notifications/reports/personal.ts';
import { RAW_COLUMNS } from '../../server/stats/answers/raw-rows.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeAsk, makeWorld, type World } from '../setup/accounts/callers.ts';
import { makeAiVisit, makeEvent } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';

/** The files of a ZIP archive by name, read by its central directory (APPNOTE.TXT, 4.3.12). */
function unzip(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = archive.readUInt32LE(end + 16);
  const files: Record<string, string> = {};
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [packed, offset] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 42)];
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    const text = inflateRawSync(archive.subarray(start, start + packed)).toString();
    files[archive.toString('utf8', at + 46, at + 46 + name)] = text;
    at += 46 + name + extra + comment;
  }
  return files;
}

const lines = (text = '') =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as object);

/** Asks for an export, and returns the address of its download. */
async function addressOf(server: TestApp, headers: Record<string, string>): Promise<string> {
  const { status, body } = await makeAsk(server)('leaving.exportAccount', undefined, headers);
  expect(status).toBe(200);
  return (parse((JSON.parse(body) as { result: { data: string } }).result.data) as { address: string }).address;
}

const get = (server: TestApp, address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${address}`, { headers, method });

/** Mails the numbers of the site to a person, who alone may know of it. */
async function subscribeTo(server: TestApp, { account, site }: World['own'], userId: string): Promise<void> {
  const { directory, mail } = server.app.services;
  const content = personalContent.parse({ name: 'Only mine', frequency: 'daily', hour: 8, timezone: 'UTC' });
  const of = { accountId: account.id, siteId: site.id, userId };
  await subscribe({ directory, mail }, { ...of, content }, server.clock.now);
}

describe('the export of an account', () => {
  test('has every row of every site and of the directory, without secrets and without ids of visitors', async () => {
    await using server = await testApp();
    const { own, other, askers } = await makeWorld(server);
    const { now } = server.clock;
    await subscribeTo(server, own, askers['an admin'].userId);
    const times = [0, 1, 2, 30_000, MINUTE_MS, DAY_MS, 40 * DAY_MS].map((ago) => now - ago);
    const events = times.map((time, index) =>
      makeEvent({
        site_id: own.site.id,
        visitor: `v${index}`,
        time,
        page: `/page-${index}`,
        props: { plan: 'a"b\\' },
        ...(index === 3 && { amount: '12.5', currency: 'EUR' }),
      }),
    );
    const foreign = makeEvent({ site_id: other.site.id, time: now, page: '/foreign' });
    const agents = [makeAiVisit({ site_id: own.site.id, time: now })];
    await server.app.collector.record([...events, foreign, ...agents], now);
    await server.settle();
    const { headers } = own.login;
    const answer = await get(server, await addressOf(server, headers), headers);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="footfall-2026-11-20.zip"');
    const archive = Buffer.from(await answer.arrayBuffer());
    const files = unzip(archive);

    const tables = Object.entries(EXPORTED).flatMap(([name, how]) => ('of' in how ? [`${name}.json`] : []));
    const domains = ['own.example', 'second.example'];
    const ofSites = ['events', 'ai_visits'].flatMap((table) => domains.map((domain) => `${table}/${domain}.ndjson`));
    expect(Object.keys(files).sort()).toEqual(['README.txt', ...tables, ...ofSites].sort());

    const rows = lines(files['events/own.example.ndjson']) as Record<string, unknown>[];
    expect(rows.map(({ page }) => page)).toEqual([6, 5, 4, 3, 2, 1, 0].map((index) => `/page-${index}`));
    expect(rows.map(({ time }) => time)).toEqual(
      times.toReversed().map((time) => new Date(time - (time % MINUTE_MS)).toISOString().replace('.000Z', 'Z')),
    );
    expect(rows[3]).toMatchObject({ amount: 12.5, currency: 'EUR', props: { plan: 'a"b\\' } });
    for (const row of rows) expect(Object.keys(row).sort()).toEqual(['time', ...RAW_COLUMNS.events].sort());
    expect(lines(files['ai_visits/own.example.ndjson'])).toHaveLength(1);

    const text = Object.values(files).join('\n');
    for (const { visitor_id, event_id } of events) {
      expect(text).not.toContain(visitor_id);
      expect(text).not.toContain(BigInt(`0x${visitor_id}`).toString());
      expect(text).not.toContain(event_id);
    }
    const { db } = server.app.services.directory;
    const hashes = [];
    for (const table of ['api_keys', 'share_links', 'ingest_tokens'] as const)
      hashes.push(...(await db.selectFrom(table).select('hash').execute()));
    expect(hashes.length).toBeGreaterThan(5);
    for (const { hash } of hashes) expect(text).not.toContain(hash);
    expect(text).not.toMatch(/other\.example|foreign/);
    const reports = JSON.parse(files['reports.json'] ?? '[]') as { personal: number }[];
    expect(reports.map(({ personal }) => personal)).toEqual([0]);
    expect(text).not.toContain('Only mine');
    const people = JSON.parse(files['members.json'] ?? '[]') as { email: string }[];
    expect(people.map(({ email }) => email)).toContain('admin@own.example');
  });

  test('is for owners alone, once, within a minute, five times an hour, and also after the plan has ended', async () => {
    showsRefused('access to data of other accounts', 6);
    await using server = await testApp();
    const world = await makeWorld(server);
    const owner = world.own.login.headers;
    for (const who of ['nobody', 'a viewer', 'a billing member', 'an admin', 'a share link of the site'] as const) {
      const { status } = await world.ask('leaving.exportAccount', undefined, world.askers[who].headers);
      expect([who, status >= 400]).toEqual([who, true]);
    }
    const first = await addressOf(server, owner);
    expect((await get(server, first)).status).toBe(401);
    expect((await get(server, first, owner, 'POST')).status).toBe(405);
    const done = await get(server, first, owner);
    expect([done.status, (await done.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
    expect((await get(server, first, owner)).status).toBe(404);
    const late = await addressOf(server, owner);
    server.clock.now += MINUTE_MS;
    expect((await get(server, late, owner)).status).toBe(404);
    expect((await get(server, await addressOf(server, owner), world.other.login.headers)).status).toBe(404);
    const { id } = world.own.account;
    await setPlan(server.app.services.directory, { accountId: id, status: 'expired' }, server.clock.now);
    const ended = await get(server, await addressOf(server, owner), owner);
    expect([ended.status, (await ended.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
    await addressOf(server, owner);
    expect((await world.ask('leaving.exportAccount', undefined, owner)).status).toBe(429);
  });

  test('asks the store for nothing more once the client has left, and a failure leaves no archive that looks complete', async () => {
    await using server = await testApp({ env: { LOG_LEVEL: 'silent' } });
    const site = await server.addSite();
    const { now } = server.clock;
    const many = Array.from({ length: 12_000 }, (_, index) =>
      makeEvent({ site_id: site.id, visitor: `v${index}`, time: now - index, page: `/page-${index}` }),
    );
    for (let start = 0; start < many.length; start += 3000)
      await server.app.collector.record(many.slice(start, start + 3000), now);
    await server.settle();
    const headers = { cookie: await server.logIn('owner@example.com') };
    const { store } = server.app;
    const query = store.query.bind(store);
    let pages = 0;
    /** What happens before the second page of events is read. */
    let atSecond = () => Promise.resolve();
    store.query = async (text, bound, asking) => {
      if (text.includes('formatRowNoNewline') && (pages += 1) === 2) await atSecond();
      return query(text, bound, asking);
    };
    const complete = unzip(
      Buffer.from(await (await get(server, await addressOf(server, headers), headers)).arrayBuffer()),
    );
    expect(lines(complete['events/example.com.ndjson'])).toHaveLength(12_000);
    const wholePages = pages;

    pages = 0;
    const address = await addressOf(server, headers);
    const leaving = new AbortController();
    const closed = new Promise<void>((resolve) =>
      server.app.server.once(
        'request',
        (_request, response: ServerResponse) => void once(response, 'close').then(() => resolve()),
      ),
    );
    atSecond = async () => {
      leaving.abort();
      await closed;
    };
    await fetch(`${server.url}${address}`, { headers, signal: leaving.signal })
      .then((answer) => answer.arrayBuffer())
      .catch(() => undefined);
    await closed;
    await query('SELECT 1', {});
    expect([pages, wholePages]).toEqual([2, 3]);

    pages = 0;
    atSecond = () => Promise.reject(new Error('the disk is gone'));
    const broken = await get(server, await addressOf(server, headers), headers);
    await expect(broken.arrayBuffer()).rejects.toThrow();
  });
});

test('the export of a person has what is theirs, and nothing of others', async () => {
  await using server = await testApp();
  const { ask, own, askers } = await makeWorld(server);
  await subscribeTo(server, own, askers['an admin'].userId);
  await subscribeTo(server, own, askers['a viewer'].userId);
  const { status, body } = await ask('leaving.exportUser', undefined, askers['an admin'].headers);
  expect(status).toBe(200);
  const data = parse((JSON.parse(body) as { result: { data: string } }).result.data) as Record<string, object[]>;
  expect(data['profile']).toMatchObject({ email: 'admin@own.example', email_verified: false });
  expect(data['accounts']).toMatchObject([{ id: own.account.id, role: 'admin' }]);
  expect(data['sessions']).toHaveLength(1);
  const shown = { site_id: own.site.id, name: 'Only mine', frequency: 'daily', hour: 8, timezone: 'UTC' };
  const times = { created_at: '2026-11-20T12:00:00.000Z', next_at: '2026-11-21T08:00:00.000Z' };
  const viewed = { filters: [], metric: 'unique_visitors' };
  expect(data['reports']).toEqual([{ ...shown, viewed, ...times }]);
  expect(data['log']).toMatchObject([{ action: 'sign_in', account_id: own.account.id }]);
  const tokens = await server.app.services.directory.db.selectFrom('sessions').select('token').execute();
  for (const { token } of tokens) expect(body).not.toContain(token);
  expect(body).not.toMatch(/owner@|viewer@|password/);
});
