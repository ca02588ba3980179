// Who can see a site: exactly what is listed for one that is reached in every way, and for one that nobody else sees.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { listAccess } from '../../server/api/access/list.ts';
import { manage } from '../../server/operator/manage.ts';
import { createReport, reportContent } from '../../server/notifications/reports/definitions.ts';
import type { Site } from '../../server/sites/sites.ts';
import { addMember } from '../../server/accounts/people/people.ts';
import { insertUser, prepareAccount } from '../../server/accounts/accounts.ts';
import { ACCESS_KINDS, type AccessKind, type AccessRow } from '../../server/vocabulary/settings/access.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { giveAccess, VIEWER } from '../setup/accounts/access.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { openSharing } from '../setup/accounts/sharing.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';
import { startSmtp } from '../setup/internet/smtp.ts';
import { speakForeign, wordsLeft } from '../setup/notifications/foreign.ts';

const FROM = { MAIL_FROM: 'Footfall <footfall@stats.example>' };
const OIDC = {
  OIDC_ISSUER: 'https://login.guest.example',
  OIDC_CLIENT_ID: 'footfall',
  OIDC_CLIENT_SECRET: 'secret',
  OIDC_ALLOWED_DOMAINS: 'guest.example',
  OIDC_NAME: 'ACME',
  BASE_URL: 'https://stats.example',
};

let smtp: Awaited<ReturnType<typeof startSmtp>>;
let server: TestApp;
let site: Site;
let given: Awaited<ReturnType<typeof giveAccess>>;
let cookie: string;
beforeAll(async () => {
  smtp = await startSmtp();
  server = await testApp({ env: { SMTP_URL: smtp.url, ...FROM } });
  site = await server.addSite('own.example');
  given = await giveAccess(server, site);
  cookie = await server.logIn('owner@own.example');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});

const list = async (headers: Record<string, string> = { cookie }) =>
  (await openSharing(server, site).ask<AccessRow[]>('access.list', {}, headers)).data;
const lines = (rows: readonly AccessRow[]) =>
  rows.map(({ kind, who, how, last_used_at, may_end, note }) =>
    [kind, who, how, last_used_at ?? '-', may_end ? 'ends' : 'stays', note ?? '-'].join(' | '),
  );
/** As the operator's configuration and the kind of the account make it. */
const listedWith = async (env: Record<string, string>, kind: 'operator' | 'demo' | 'customer') => {
  const { directory, mail } = server.app.services;
  await directory.db.updateTable('accounts').set({ kind }).where('id', '=', site.account_id).execute();
  const rows = await listAccess({ directory, mail, config: readConfig(env) }, { site, now: server.clock.now });
  await directory.db.updateTable('accounts').set({ kind: 'customer' }).where('id', '=', site.account_id).execute();
  return rows.filter((row) => ['single_sign_on', 'demo'].includes(row.kind));
};

const BOARD = '“Board” every week';
const DELETED = 'Nobody else gets this alert, so it is deleted.';

test('every way in which numbers reach somebody is listed, with when it was last used', async () => {
  const { now } = server.clock;
  const expected = (
    at: Partial<Record<'viewer' | 'link' | 'report' | 'own' | 'alert' | 'webhook' | 'key', number>>,
  ) => [
    `person | owner@own.example | Owner: sees everything, and manages the account | ${now} | stays | An account needs an owner.`,
    `person | ${VIEWER} | Viewer of this site and 1 more: sees everything | ${at.viewer ?? '-'} | ends | They keep their other sites.`,
    'invitation | ivan@guest.example | Admin: sees everything, and changes settings · open until 27 Nov 2026 | - | ends | -',
    `link | For ACME | Sees the dashboard: only visits where Segment is Readers; exact numbers · until 3 Mar 2036${at.link ? ' · opened once in 30 days' : ''} | ${at.link ?? '-'} | ends | -`,
    'page | Everybody | Reads at /share/own.example/privacy what is counted, without any numbers | - | ends | -',
    `report | board@guest.example | Gets ${BOARD} · without small numbers | ${at.report ?? '-'} | ends | -`,
    `own_report | owner@own.example | Mails this site to themselves every day | ${at.own ?? '-'} | ends | -`,
    'feed | owner@own.example | Reads what alerts noticed and mentions found, in a feed reader | - | ends | -',
    `alert | oncall@guest.example | Is told of “Traffic spike” | ${at.alert ?? '-'} | ends | ${DELETED}`,
    `webhook | Team at hooks.guest.example | Gets ${BOARD} | ${at.webhook ?? '-'} | ends | -`,
    `key | Wallboard | Reads everything of all sites, by the API and as an AI assistant (MCP) | ${at.key ?? '-'} | ends | It stops for all sites of the account.`,
    'export | Owners of the account, asked for by owner@own.example | Can download everything of this site, being made | - | ends | -',
    'transfer | buyer@guest.example | May take the site into another account, until 27 Nov 2026 | - | ends | -',
  ];
  // Sessions have the time of the machine.
  const { db } = server.app.services.directory;
  const seen = (user: string, time: number) =>
    db.updateTable('sessions').set({ updated_at: time }).where('user_id', '=', user).execute();
  await seen(given.owner, now);
  expect(lines(await list())).toEqual(expected({}));

  server.clock.now += HOUR_MS;
  const at = server.clock.now;
  const sharing = openSharing(server, site);
  await server.logIn(VIEWER);
  await seen(given.viewer, at);
  expect((await sharing.ask('shares.site', {}, { 'x-share-token': given.link.token })).status).toBe(200);
  for (const id of [given.report.id, given.own.id]) {
    const sent = await sharing.change('reports.sendNow', { site_id: site.id, id, to: 'all' }, { cookie });
    expect([id, sent.status]).toEqual([id, id === given.own.id ? 404 : 200]); // nobody else can send a personal one
  }
  await given.notice();
  const delivered = db.updateTable('webhook_deliveries');
  await delivered.set({ state: 'delivered', ended_at: at }).where('webhook_id', '=', given.webhook.id).execute();
  const headers = { authorization: `Bearer ${given.key.key}` };
  expect((await fetch(`${server.url}/v1/sites`, { headers })).status).toBe(200);
  expect(smtp.mails.flatMap(({ to }) => to).sort()).toEqual(['board@guest.example', 'oncall@guest.example']);

  const used = { viewer: at, link: at, report: at, alert: at, webhook: at, key: at };
  expect(lines(await list())).toEqual(expected(used));
});

test('what the operator sets up is listed too: every kind has been seen', async () => {
  const joining = await listedWith(OIDC, 'operator');
  const SET = 'Set by whoever runs this server, as OIDC_ALLOWED_DOMAINS.';
  expect(lines(joining)).toEqual([
    `single_sign_on | Everybody with an address at guest.example | Join the account at their first log-in with ACME, as viewer | - | stays | ${SET}`,
  ]);
  const byClaim = { ...OIDC, OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: 'money=billing' };
  expect(await listedWith(byClaim, 'operator')).toEqual([]); // they see no numbers
  expect(await listedWith(OIDC, 'customer')).toEqual([]); // they join another account
  const shown = await listedWith({ DEMO: 'on' }, 'demo');
  expect(lines(shown)).toEqual([
    'demo | Everybody | Sees everything at /share/demo | - | stays | Switched on by whoever runs this server, with DEMO=on.',
  ]);
  const kinds = new Set<AccessKind>([...(await list()), ...joining, ...shown].map(({ kind }) => kind));
  expect(ACCESS_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
});

test('an admin is told what only owners end, and a hostile name stays a name', async () => {
  const { directory, mail } = server.app.services;
  const user = await insertUser(
    directory.db,
    await prepareAccount({ email: 'admin@own.example', password: PASSWORD }),
    0,
  );
  const who = { accountId: site.account_id, userId: user.id };
  await addMember(directory.db, { ...who, place: { role: 'admin', siteIds: null } }, server.clock.now);
  const content = reportContent.parse({
    name: '\u202eevil <b>',
    of: 'account',
    frequency: 'monthly',
    hour: 8,
    timezone: 'UTC',
    recipients: [VIEWER, 'all@guest.example'],
  });
  await createReport({ directory, mail }, { ...who, siteId: site.id, content }, server.clock.now);
  const rows = await list({ cookie: await server.logIn('admin@own.example') });
  const fixed = rows.filter(({ may_end }) => !may_end).map(({ kind, who: name, note }) => `${kind} ${name}: ${note}`);
  expect(fixed).toEqual([
    'person owner@own.example: An account needs an owner.',
    'own_report owner@own.example: Only they can stop it. It ends when they no longer see this site.',
    'feed owner@own.example: Only they can end it. It ends when they no longer see this site.',
    'key Wallboard: An owner can revoke it.',
    'export Owners of the account, asked for by owner@own.example: An owner can delete it.',
    'transfer buyer@guest.example: An owner can withdraw the offer.',
  ]);
  expect(rows.find(({ is_self }) => is_self)).toMatchObject({
    who: 'admin@own.example',
    note: 'You leave the account, with all of its sites.',
  });
  // The viewer sees both sites of the account, and gets the report of all of them.
  const ofAll = rows.filter(({ kind, how }) => kind === 'report' && how.includes('evil'));
  expect(ofAll.map(({ who: name, how }) => `${name}: ${how}`).sort()).toEqual([
    'all@guest.example: Gets “evil <b>” every month with 2 sites · without small numbers',
    `${VIEWER}: Gets “evil <b>” every month with 2 sites`,
  ]);
});

test('everything is said in the reader’s language, but for names and addresses', async () => {
  using _foreign = speakForeign();
  const rows = await list({ cookie, 'accept-language': 'de' });
  expect(rows.length).toBeGreaterThan(10);
  const known =
    'own example guest viewer vera ivan Nov März For ACME Readers board Board evil all admin oncall Team hooks Wallboard owner buyer share privacy';
  expect(rows.flatMap(({ who, how, note }) => wordsLeft([who, how, note ?? ''].join(' '), known))).toEqual([]);
});

test('a site that nobody else sees has one row, and offers that are over have none', async () => {
  const lonely = await server.newSite();
  const owner = { cookie: await server.logIn(`owner@${lonely.domain}`) };
  const rows = await openSharing(server, lonely).ask<AccessRow[]>('access.list', {}, owner);
  expect(rows.data.map(({ kind }) => kind)).toEqual(['person']);
  server.clock.now += 8 * DAY_MS;
  const left = (await list({ cookie: await server.logIn('owner@own.example') })).map(({ kind }) => kind);
  expect(left.filter((kind) => kind === 'invitation' || kind === 'transfer')).toEqual([]);
  server.clock.now -= 8 * DAY_MS;
});

test('only those who may change the site are told, whatever they ask with', async () => {
  const ask = makeAsk(server);
  const asked: Record<string, string>[] = [
    { cookie: await server.logIn(VIEWER) },
    { 'x-share-token': given.link.token },
  ];
  for (const headers of asked) expect((await ask('access.list', { site_id: site.id }, headers)).status).toBe(403);
});

test('the operator reads the same by a command', async () => {
  const context = { config: readConfig({ DATA_DIR: server.folder }), now: server.clock.now, say: () => undefined };
  const { access } = (await manage(['access', 'own.example'], context)) as { access: Record<string, unknown>[] };
  expect(access.map(({ kind, who }) => [kind, who])).toEqual((await list()).map(({ kind, who }) => [kind, who]));
  expect(access.find(({ kind }) => kind === 'key')).toEqual({
    kind: 'key',
    id: given.key.id,
    of: null,
    who: 'Wallboard',
    how: 'Reads everything of all sites, by the API and as an AI assistant (MCP)',
    last_used_at: '2026-11-20T13:00:00.000Z',
  });
});
