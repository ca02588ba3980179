// The log of an account: each action is recorded when somebody really does it, and nothing in the log is an address.
import { expect, test } from 'vitest';
import { parse } from 'devalue';
import { ACCOUNT_ACTIONS, type AccountAction } from '../../server/vocabulary/accounts/account-actions.ts';
import { forgetActions, listActions, logAction } from '../../server/accounts/account-log.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { changeEmailByOperator } from '../../server/accounts/people/email-change.ts';
import { makeResetLink } from '../../server/accounts/sign-in/passwords/password-reset.ts';
import { resetFactors } from '../../server/accounts/sign-in/factors/second-factor.ts';
import { listMembers } from '../../server/accounts/people/people.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { createSite, type Site } from '../../server/sites/sites.ts';
import { dayOf } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, type TestApp, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { startGoogle } from '../setup/internet/google.ts';
import { startIssuer, Surfer, type TestIssuer } from '../setup/internet/issuer.ts';
import { freePort } from '../setup/processes/process.ts';
import { codeAt } from '../setup/accounts/totp.ts';

const OWNER = 'owner@example.com';

type Place = {
  server: TestApp;
  site: Site;
  issuer: TestIssuer;
  /** Calls a procedure as the owner. */
  call(name: string, input?: unknown): Promise<Record<string, string>>;
  cookie: string;
};

let imports = 0;

async function importOf({ site, call }: Place): Promise<string> {
  imports += 1;
  const of = { site_id: site.id };
  const { id = '' } = await call('imports.begin', { ...of, format: 'csv', file: 'old.csv', content: String(imports) });
  const counts = { visitors: 1, visits: 1, pageviews: 1, events: 0, bounces: 1, visit_seconds: 0 };
  const sums = [{ day: '2026-01-31', dimension: '', label: '', ...counts }];
  await call('imports.add', { ...of, id, part: 0, sums });
  await call('imports.finish', { ...of, id });
  return id;
}

async function purgeOf({ server, site, call }: Place): Promise<Record<string, string>> {
  await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/purged` });
  await server.settle();
  const filters = [{ dimension: 'page', operator: 'is', values: ['/purged'] }];
  return call('purges.create', { site_id: site.id, period: 'today', filters, name: 'Bots' });
}

/** How each action happens. A new action needs a row. Returns what its entry must show. */
const DEEDS: Record<
  AccountAction,
  (place: Place) => Promise<{ by?: string | null; member?: string; name?: string; domain?: string }>
> = {
  sign_in: async ({ server }) => {
    await server.logIn(OWNER);
    return {};
  },
  password_changed: async ({ server }) => {
    const cookie = await server.logIn(OWNER);
    const passwords = { current_password: PASSWORD, new_password: `${PASSWORD} again` };
    await callAs(server, cookie)('accounts.changePassword', passwords);
    return {};
  },
  issuer_linked: async ({ server, site, issuer }) => {
    const { db } = server.app.services.directory;
    const account = db.updateTable('accounts').where('id', '=', site.account_id);
    await account.set({ kind: 'operator' }).execute();
    await db.updateTable('users').set({ email_verified: 1 }).where('email', '=', OWNER).execute();
    issuer.people['owner'] = { email: OWNER, email_verified: true };
    issuer.next = { subject: 'owner' };
    await new Surfer().follow(`${server.url}/oidc/start`, ({ pathname }) => pathname === '/');
    await account.set({ kind: 'customer' }).execute();
    return { name: 'Company Login' };
  },
  session_ended: async ({ server, call }) => {
    await server.logIn(OWNER);
    await call('sessions.endOthers');
    return {};
  },
  password_reset: async ({ server }) => {
    const { token } = await makeResetLink(server.app.services.directory, OWNER, server.clock.now);
    await callAs(server, '')('accounts.resetPassword', { token, password: `${PASSWORD} anew` });
    return {};
  },
  email_changed: async ({ server }) => {
    const { directory, mail } = server.app.services;
    const change = (from: string, to: string) =>
      changeEmailByOperator({ directory, mail }, { from, to }, server.clock.now);
    await change(OWNER, 'owner@example.org');
    server.clock.now += 1;
    await change('owner@example.org', OWNER);
    return { by: null, member: OWNER };
  },
  factor_added: async (place) => {
    await addAuthenticator(place);
    return { name: 'Authenticator app' };
  },
  factor_removed: async (place) => {
    const [code] = await addAuthenticator(place, { isKept: true });
    await place.call('factors.removeAuthenticator', { password: PASSWORD, code });
    return { name: 'Authenticator app' };
  },
  factor_required: async (place) => {
    await addAuthenticator(place, { isKept: true });
    await place.call('accounts.requireSecondFactor', { required: true });
    await place.call('accounts.requireSecondFactor', { required: false });
    await resetFactors(place.server.app.services.directory, OWNER);
    return {};
  },
  factor_optional: async ({ call }) => {
    await call('accounts.requireSecondFactor', { required: false });
    return {};
  },
  recovery_codes_made: async (place) => {
    await addAuthenticator(place);
    return {};
  },
  recovery_code_used: async (place) => {
    const [code] = await addAuthenticator(place, { isKept: true });
    const { server } = place;
    const headers = { 'content-type': 'application/json', origin: server.url, cookie: await server.logIn(OWNER) };
    const init = { method: 'POST', headers, body: JSON.stringify({ code }) };
    expect((await fetch(`${server.url}/auth/sign-in/code`, init)).status).toBe(200);
    await resetFactors(server.app.services.directory, OWNER);
    return {};
  },
  member_invited: async ({ call }) => {
    await call('people.invite', { role: 'viewer' });
    return { name: 'viewer' };
  },
  invitation_withdrawn: async ({ call }) => {
    const { id } = await call('people.invite', { role: 'billing' });
    await call('people.withdraw', { id });
    return { name: 'billing' };
  },
  member_joined: async (place) => {
    const { email } = await joining(place, 'joined');
    return { by: email, name: 'admin' };
  },
  member_left: async (place) => {
    const { email } = await joining(place, 'left');
    const cookie = await place.server.logIn(email);
    await callAs(place.server, cookie)('people.leave', { account_id: place.site.account_id });
    return { by: email };
  },
  role_changed: async (place) => {
    const { email, user_id } = await joining(place, 'changed');
    await place.call('people.change', { user_id, role: 'viewer' });
    return { member: email, name: 'viewer' };
  },
  member_removed: async (place) => {
    const { email, user_id } = await joining(place, 'removed');
    await place.call('people.remove', { user_id });
    return { member: email };
  },
  login_deleted: async (place) => {
    const { email } = await joining(place, 'deleted');
    const cookie = await place.server.logIn(email);
    await callAs(place.server, cookie)('leaving.deleteUser', { typed: email, password: PASSWORD });
    return { by: null };
  },
  deletion_asked: async ({ call }) => {
    await call('leaving.deleteAccount', { typed: 'owner', password: PASSWORD });
    return {};
  },
  deletion_taken_back: async ({ call }) => {
    await call('leaving.deleteAccount', { typed: 'owner', password: PASSWORD });
    await call('leaving.keepAccount');
    return {};
  },
  site_made: async ({ call }) => {
    await call('sites.create', { domain: 'made.example' });
    return { domain: 'made.example' };
  },
  domain_lost: async ({ server, site }) => {
    const { directory } = server.app.services;
    const now = server.clock.now;
    await createSite(directory, { accountId: site.account_id, domain: 'lost.example' }, now);
    const { account } = await createAccount(directory, { email: 'eve@example.com', password: PASSWORD }, now);
    await createSite(directory, { accountId: account.id, domain: 'lost.example', isVerified: true }, now);
    return { by: null, domain: 'lost.example', name: `lost.example.until-${dayOf(now)}` };
  },
  site_deleted: async ({ call }) => {
    const { id } = await call('sites.create', { domain: 'gone.example' });
    await call('sites.delete', { site_id: id, confirm_domain: 'gone.example' });
    return { domain: 'gone.example' };
  },
  site_offered: async ({ call, site }) => {
    await call('transfers.offer', { site_id: site.id, email: 'bob@example.com' });
    return { domain: 'example.com' };
  },
  offer_withdrawn: async ({ call, site }) => {
    await call('transfers.offer', { site_id: site.id, email: 'bob@example.com' });
    await call('transfers.withdraw', { site_id: site.id });
    return { domain: 'example.com' };
  },
  site_given: async (place) => {
    const { email } = await moving(place, 'given.example', 'to');
    return { by: email, domain: 'given.example' };
  },
  site_taken_over: async (place) => {
    await moving(place, 'taken.example', 'from');
    return { domain: 'taken.example' };
  },
  exported: async ({ call, site }) => {
    await call('exports.make', { site: site.id, kind: 'open' });
    return { domain: site.domain };
  },
  data_exported: async ({ server, site, cookie }) => {
    const address = `${server.url}/export/${site.id}.csv?date_from=2026-11-19&date_to=2026-11-20`;
    expect((await fetch(address, { headers: { cookie } })).status).toBe(200);
    return { domain: 'example.com' };
  },
  history_imported: async (place) => {
    await importOf(place);
    return { name: 'old.csv', domain: 'example.com' };
  },
  import_removed: async (place) => {
    const id = await importOf(place);
    await place.call('imports.remove', { site_id: place.site.id, id });
    return { name: 'old.csv', domain: 'example.com' };
  },
  visits_purged: async (place) => {
    await purgeOf(place);
    return { name: 'Bots', domain: 'example.com' };
  },
  purge_undone: async (place) => {
    const { id = '' } = await purgeOf(place);
    await place.call('purges.undo', { site_id: place.site.id, id });
    return { name: 'Bots', domain: 'example.com' };
  },
  key_made: async ({ call }) => {
    await call('keys.create', { name: 'shop' });
    return { name: 'shop' };
  },
  key_revoked: async ({ call }) => {
    const { id } = await call('keys.create', { name: 'old' });
    await call('keys.revoke', { id });
    return { name: 'old' };
  },
  ingest_token_made: async ({ call, site }) => {
    const { prefix } = await call('sites.ingestToken.create', { site_id: site.id });
    return { name: prefix ?? '', domain: 'example.com' };
  },
  ingest_token_revoked: async ({ call, site }) => {
    const { id, prefix } = await call('sites.ingestToken.create', { site_id: site.id });
    await call('sites.ingestToken.revoke', { site_id: site.id, id });
    return { name: prefix ?? '', domain: 'example.com' };
  },
  share_link_made: async ({ call, site }) => {
    await call('shares.create', { site_id: site.id, name: 'press' });
    return { name: 'press', domain: 'example.com' };
  },
  share_link_changed: async ({ call, site }) => {
    const { id } = await call('shares.create', { site_id: site.id, name: 'client' });
    await call('shares.change', { site_id: site.id, id, paused: true });
    return { name: 'client', domain: 'example.com' };
  },
  feed_made: async ({ call, site }) => {
    await call('feeds.make', { site_id: site.id, kind: 'notes' });
    return { name: 'Calendar', domain: site.domain };
  },
  feed_ended: async ({ call, site }) => {
    await call('feeds.make', { site_id: site.id, kind: 'news' });
    await call('feeds.end', { site_id: site.id, kind: 'news' });
    return { name: 'Feed', domain: site.domain };
  },
  share_link_revoked: async ({ call, site }) => {
    const { id } = await call('shares.create', { site_id: site.id, name: 'board' });
    await call('shares.revoke', { site_id: site.id, id });
    return { name: 'board', domain: 'example.com' };
  },
  webhook_made: async ({ call }) => {
    await call('webhooks.create', { ...WEBHOOK, name: 'chat' });
    return { name: 'chat' };
  },
  webhook_changed: async ({ call }) => {
    const { id } = await call('webhooks.create', { ...WEBHOOK, name: 'made' });
    await call('webhooks.change', { id, name: 'changed' });
    return { name: 'changed' };
  },
  webhook_rotated: async ({ call }) => {
    const { id } = await call('webhooks.create', { ...WEBHOOK, name: 'rotated' });
    await call('webhooks.rotate', { id });
    return { name: 'rotated' };
  },
  webhook_resumed: async ({ call }) => {
    const { id } = await call('webhooks.create', { ...WEBHOOK, name: 'resumed' });
    await call('webhooks.resume', { id });
    return { name: 'resumed' };
  },
  webhook_deleted: async ({ call }) => {
    const { id } = await call('webhooks.create', { ...WEBHOOK, name: 'deleted' });
    await call('webhooks.delete', { id });
    return { name: 'deleted' };
  },
  search_connected: async ({ server, call, cookie, site }) => {
    const { address = '' } = await call('searchConsole.connect', { site_id: site.id });
    const consent = await fetch(address, { redirect: 'manual' });
    await fetch(consent.headers.get('location') ?? '', { headers: { cookie }, redirect: 'manual' });
    expect(await server.app.services.directory.db.selectFrom('search_connections').selectAll().execute()).toHaveLength(
      1,
    );
    return { domain: 'example.com' };
  },
  search_disconnected: async ({ call, site }) => {
    await call('searchConsole.disconnect', { site_id: site.id });
    return { domain: 'example.com' };
  },
  report_saved: async ({ call, site }) => {
    await call('reports.create', { site_id: site.id, content: { ...REPORT, name: 'board' } });
    return { name: 'board', domain: 'example.com' };
  },
  report_deleted: async ({ call, site }) => {
    const { id } = await call('reports.create', { site_id: site.id, content: { ...REPORT, name: 'old' } });
    await call('reports.delete', { site_id: site.id, id });
    return { name: 'old', domain: 'example.com' };
  },
  plan_changed: async ({ server, site }) => {
    const { directory } = server.app.services;
    await setPlan(directory, { accountId: site.account_id, plan: 'starter' }, server.clock.now);
    return { by: null, name: 'starter, active' };
  },
};

const WEBHOOK = { format: 'standard', url: 'https://hooks.example/secret' };
const REPORT = { frequency: 'weekly', hour: 8, timezone: 'UTC', recipients: ['ada@example.com'] };

/** Returns the recovery codes. Without `isKept` the app is removed again, so that the owner still logs in by password. */
async function addAuthenticator({ call, server }: Place, { isKept = false } = {}): Promise<string[]> {
  const { secret = '' } = await call('factors.startAuthenticator', { password: PASSWORD });
  const codes = await call('factors.confirmAuthenticator', { code: codeAt(secret, server.clock.now) });
  if (!isKept) await resetFactors(server.app.services.directory, OWNER);
  return Object.values(codes);
}

/** Invites somebody, who joins as a new user. */
async function joining({ server, site, call }: Place, name: string): Promise<{ email: string; user_id: string }> {
  const { token } = await call('people.invite', { role: 'admin' });
  const email = `${name}@example.com`;
  await callAs(server, '')('people.join', { token, user: { email, password: PASSWORD } });
  const members = await listMembers(server.app.services.directory, site.account_id);
  return { email, user_id: members.find((one) => one.email === email)?.userId ?? '' };
}

/** Moves a site between the account and that of somebody else. */
async function moving({ server, call, site }: Place, domain: string, way: 'to' | 'from'): Promise<{ email: string }> {
  const other = await server.addSite(way === 'to' ? `new.${domain}` : domain);
  const email = `owner@${other.domain}`;
  const callOther = callAs(server, await server.logIn(email));
  if (way === 'to') {
    const { id } = await call('sites.create', { domain });
    const { token } = await call('transfers.offer', { site_id: id, email });
    await callOther('transfers.accept', { token, account_id: other.account_id });
  } else {
    const { token } = await callOther('transfers.offer', { site_id: other.id, email: OWNER });
    await call('transfers.accept', { token, account_id: site.account_id });
  }
  return { email };
}

const callAs =
  (server: TestApp, cookie: string): Place['call'] =>
  async (name, input) => {
    const { status, body } = await makeAsk(server)(name, input, { cookie });
    expect([name, status]).toEqual([name, 200]);
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Record<string, string>;
  };

test('each action is in the log once it is done, with who did it and to what, and without addresses', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using issuer = await startIssuer(`${url}/oidc/callback`);
  await using google = await startGoogle();
  const env = {
    ...issuer.env,
    ...google.env,
    BASE_URL: url,
    OIDC_ALLOWED_DOMAINS: 'example.com',
    TRUST_PROXY: 'loopback',
  };
  await using server = await testApp({ port, env });
  const site = await server.addSite('example.com');
  const cookie = await server.logIn(OWNER);
  const place = { server, site, issuer, cookie, call: callAs(server, cookie) };
  const { directory } = server.app.services;
  // Its own session ends when the password or the address changes.
  const isLast = (action: AccountAction) => ['password_changed', 'email_changed', 'password_reset'].indexOf(action);
  const actions = (Object.keys(ACCOUNT_ACTIONS) as AccountAction[]).sort((a, b) => isLast(a) - isLast(b));
  for (const action of actions) {
    server.clock.now += 1000;
    const shown = await DEEDS[action](place);
    const { entries } = await listActions(directory, site.account_id, { page: 1, action });
    const expected = { by: OWNER, member: null, name: null, domain: null, action, created_at: server.clock.now };
    expect(entries[0]).toMatchObject({ ...expected, ...shown });
  }
  const rows = await directory.db.selectFrom('account_log').selectAll().execute();
  const text = JSON.stringify(rows);
  expect(text).not.toContain('@');
  expect(text).not.toMatch(/\b127\.0\.0\.1|::1|ff_[0-9A-Za-z]{10}/);
});

test.each(FORMS)('has pages and filters, and forgets old entries, in %s', async (form) => {
  await using directory = await testDirectory(form);
  const people = [];
  for (const name of ['ada', 'bob'])
    people.push(await createAccount(directory, { email: `${name}@example.com`, password: PASSWORD }, NOON));
  const [ada, bob] = people;
  if (!ada || !bob) throw new Error('nobody');
  const account_id = ada.account.id;
  for (let number = 0; number < 60; number += 1) {
    const user_id = number % 3 === 0 ? bob.user.id : ada.user.id;
    const entry = { action: 'key_made', account_id, actor: 'person', user_id, name: `key ${number}` } as const;
    await logAction(directory.db, entry, NOON + number);
  }
  await logAction(directory.db, { action: 'sign_in', account_id: bob.account.id, actor: 'person' }, NOON);

  const namesOf = async (asked: Parameters<typeof listActions>[2]) => {
    const { entries, total } = await listActions(directory, account_id, asked);
    return { names: entries.map(({ name }) => name), total };
  };
  const named = (numbers: number[]) => numbers.map((number) => `key ${number}`);
  const down = Array.from({ length: 60 }, (_, number) => 59 - number);
  expect(await namesOf({ page: 1 })).toEqual({ names: named(down.slice(0, 50)), total: 60 });
  expect(await namesOf({ page: 2 })).toEqual({ names: named(down.slice(50)), total: 60 });
  expect(await namesOf({ page: 1, user: bob.user.id })).toEqual({
    names: named(down.filter((number) => number % 3 === 0)),
    total: 20,
  });
  expect((await namesOf({ page: 1, action: 'key_revoked' })).names).toEqual([]);

  // An entry outlives its user, whose id then disappears.
  await directory.db.deleteFrom('users').where('id', '=', bob.user.id).execute();
  const { entries } = await listActions(directory, account_id, { page: 1 });
  expect(entries.slice(0, 3).map(({ by }) => by)).toEqual(['ada@example.com', 'ada@example.com', null]);

  await forgetActions(directory, NOON + 58);
  expect((await namesOf({ page: 1 })).names).toEqual(named([59, 58]));
});
