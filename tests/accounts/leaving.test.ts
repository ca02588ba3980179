/** @module-tag promise */
// Leaving: an account and a login are deleted from every store, not before their time, and nobody else loses anything.
import { describe, expect, test } from 'vitest';
import { askExport } from '../../server/accounts/exports.ts';
import { createInvitation } from '../../server/accounts/people/invitations.ts';
import { makeResetLink } from '../../server/accounts/sign-in/passwords/password-reset.ts';
import { addMember, changeMember, listMembers } from '../../server/accounts/people/people.ts';
import { insertAccount, prepareAccount } from '../../server/accounts/accounts.ts';
import type { Directory } from '../../server/directory/open.ts';
import type { Tables } from '../../server/directory/schema.ts';
import { saveRules } from '../../server/integrations/mentions/rules.ts';
import { noteClaim } from '../../server/sites/domains/claims.ts';
import { addDrops } from '../../server/sites/drops.ts';
import { importSecret, startImport } from '../../server/sites/imports.ts';
import { DAY_MS, dayOf, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { saveDraft } from '../../server/sites/sharing/drafts.ts';
import { makeFeed } from '../../server/sites/sharing/feeds.ts';
import { arrangeOwn } from '../../server/sites/arrangements.ts';
import { noteView } from '../../server/sites/sharing/uses.ts';
import { makeAsk, makeWorld, type World } from '../setup/accounts/callers.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { makeAiVisit, makeEvent } from '../setup/event.ts';
import { filesWith } from '../setup/files.ts';
import { showsKept } from '../setup/run/harness.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { startSmtp } from '../setup/internet/smtp.ts';
import { startStripe } from '../setup/internet/stripe.ts';

const WEEK_MS = 7 * DAY_MS;
const NOW = Date.UTC(2026, 10, 20, 12);
const VIEW = { domain: 'own.example', path: '/own-page' };

/** A server with accounts, each with everything that an account can have, Stripe and mail. */
async function makePlace(form: 'embedded' | 'servers') {
  const stack = new AsyncDisposableStack();
  const clock = { now: NOW };
  const stripe = stack.use(await startStripe({ now: () => clock.now }));
  const smtp = stack.use(await startSmtp());
  const stores = form === 'servers' && {
    DATABASE_URL: stack.use(await startPostgres()).url,
    REDIS_URL: stack.use(await startRedis()).url,
    CLICKHOUSE_URL: stack.use(await startClickHouse()).url,
  };
  const mailing = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>', LOG_LEVEL: 'silent' };
  const server = stack.use(await testApp({ now: NOW, env: { ...stripe.env, ...mailing, ...stores } }));
  const world = await makeWorld(server);
  const pass = (ms: number) => {
    server.clock.now += ms;
    clock.now = server.clock.now;
  };
  return { server, world, stripe, smtp, pass, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Filling = (place: { server: TestApp; world: World; directory: Directory; owner: string }) => Promise<unknown>;

/**
 * How each table gets rows of the account `own`. A new table needs a row: `world` if `makeWorld` fills it, or the reason why its rows
 * belong to nobody's account.
 */
const FILLED: Record<keyof Tables, 'world' | { because: string } | Filling> = {
  users: 'world',
  sessions: 'world',
  credentials: 'world',
  accounts: 'world',
  members: 'world',
  member_sites: 'world',
  sites: 'world',
  api_keys: 'world',
  share_links: 'world',
  share_views: ({ directory, world: { own } }) =>
    noteView(directory, { linkId: own.named.linkId, siteId: own.site.id }, NOW),
  share_drafts: ({ directory, world: { own }, owner }) =>
    saveDraft(directory, { siteId: own.site.id, userId: owner }, NOW),
  arrangements: ({ directory, world: { own }, owner }) =>
    arrangeOwn(directory, { siteId: own.site.id, userId: owner }, { folded: ['mentions'] }),
  feeds: ({ directory, world: { own }, owner }) =>
    makeFeed(directory, { siteId: own.site.id, userId: owner, kind: 'notes' }, NOW),
  ingest_tokens: 'world',
  goals: 'world',
  funnels: 'world',
  segments: 'world',
  notes: 'world',
  account_log: 'world',
  exports: async ({ directory, world: { own }, owner }) => {
    const wish = { accountId: own.account.id, siteId: null, userId: owner, kind: 'open' as const, recipient: null };
    const { id } = await askExport(directory, wish, NOW);
    await directory.db
      .insertInto('export_parts')
      .values({ export_id: id, part: 0, content: Buffer.from('part') })
      .execute();
  },
  export_parts: { because: 'exports fills it' },
  purges: async ({ server, world: { own } }) => {
    const filters = [{ dimension: 'event' as const, operator: 'is' as const, values: ['purged'] }];
    await server.app.collector.record([makeEvent({ site_id: own.site.id, name: 'purged', visitor: '' })], NOW);
    await server.settle();
    const question = { site_id: own.site.id, period: 'today' as const, compare: 'none' as const, filters };
    const rows = await server.app.services.stats.purgeable(question, own.site, NOW);
    await server.app.services.purging.purge({ siteId: own.site.id, name: 'Purged', definition: { filters }, rows });
  },
  alerts: 'world',
  mention_rules: ({ directory, world }) => {
    const feeds = ['https://127.0.0.1/feed'];
    return saveRules(directory, { siteId: world.own.site.id, rules: { places: ['feed'], words: [], feeds } }, NOW);
  },
  mention_searches: 'world', // its rules make them
  mention_pauses: { because: 'a place of the internet is nobody’s' },
  mentions: 'world',
  incidents: async ({ directory: { db } }) => {
    const { id: alert_id, site_id } = await db.selectFrom('alerts').selectAll().executeTakeFirstOrThrow();
    const at = { started_at: NOW, ended_at: NOW, created_at: NOW };
    await db
      .insertInto('incidents')
      .values({ id: 'inc_1', alert_id, site_id, key: 'spike 1', facts: '{}', told: 'all', ...at })
      .execute();
  },
  search_connections: async ({ directory: { db }, owner }) => {
    const { id: site_id } = await db.selectFrom('sites').select('id').executeTakeFirstOrThrow();
    const days = { pass_from: null, pass_to: null, next_day: null, oldest_day: null, latest_day: null };
    const read = { read_at: null, read_days: 0, read_rows: 0, failure: null, failed_at: null };
    const grant = {
      connected_by: owner,
      token: 'x',
      grant_id: 'grant_1',
      google_account: null,
      property: null,
      created_at: NOW,
      next_at: NOW,
    };
    await db
      .insertInto('search_connections')
      .values({ site_id, id: 'search_1', ...grant, ...days, ...read })
      .execute();
  },
  authenticators: ({ directory: { db }, owner }) =>
    db
      .insertInto('authenticators')
      .values({ user_id: owner, secret: 'x', confirmed_at: null, last_step: 0, created_at: NOW })
      .execute(),
  recovery_codes: ({ directory: { db }, owner }) =>
    db.insertInto('recovery_codes').values({ id: 'code_1', user_id: owner, hash: 'x', used_at: null }).execute(),
  identities: ({ directory: { db }, owner }) =>
    db
      .insertInto('identities')
      .values({ issuer: 'https://login.example', subject: 'ada', user_id: owner, created_at: NOW })
      .execute(),
  email_changes: ({ directory: { db }, owner }) =>
    db
      .insertInto('email_changes')
      .values({ user_id: owner, email: 'new@own.example', old_confirmed: 0, new_confirmed: 0, expires_at: NOW })
      .execute(),
  sign_ups: ({ directory: { db } }) =>
    db.insertInto('sign_ups').values({ email: 'owner@own.example', password: 'hash', expires_at: NOW }).execute(),
  passkeys: ({ directory: { db }, owner }) =>
    db
      .insertInto('passkeys')
      .values({
        id: 'passkey_1',
        user_id: owner,
        name: 'Laptop',
        credential_id: 'x',
        public_key: 'x',
        counter: 0,
        created_at: NOW,
        last_used_at: null,
      })
      .execute(),
  verifications: ({ directory }) => makeResetLink(directory, 'owner@own.example', NOW),
  billing_customers: ({ server, world }) => {
    const payer = { accountId: world.own.account.id, name: 'own', email: 'owner@own.example' };
    return server.app.services.payments?.choose(payer, { plan: 'pro', origin: server.url }) ?? Promise.reject();
  },
  invitations: ({ directory, world, owner }) =>
    createInvitation(
      directory,
      {
        accountId: world.own.account.id,
        by: owner,
        place: { role: 'viewer', siteIds: null },
        email: 'eve@own.example',
      },
      NOW,
    ),
  mails: async ({ server, world }) => {
    const input = { role: 'viewer', email: 'mail@own.example' };
    const asked = await world.ask('people.invite', input, world.own.login.headers);
    expect(asked.status).toBe(200);
    await server.app.runJob('send-mail');
  },
  mail_refusals: ({ server }) => {
    const { mail } = server.app.services;
    return mail.unsubscribe(mail.unsubscribePath('owner@own.example', 'plan').split('/').at(-1) ?? '');
  },
  transfers: async ({ world }) => {
    const input = { site_id: world.own.site.id, email: 'eve@own.example' };
    expect((await world.ask('transfers.offer', input, world.own.login.headers)).status).toBe(200);
  },
  webhooks: ({ directory: { db }, world }) =>
    db
      .insertInto('webhooks')
      .values({
        id: 'hook_1',
        account_id: world.own.account.id,
        name: 'Shop',
        format: 'slack',
        host: 'x',
        url: 'x',
        secret: null,
        previous_secret: null,
        rotated_at: null,
        disabled_at: null,
        next_at: 0,
        created_at: NOW,
      })
      .execute(),
  webhook_deliveries: ({ directory: { db }, world }) =>
    db
      .insertInto('webhook_deliveries')
      .values({
        id: 'delivery_1',
        webhook_id: 'hook_1',
        site_id: world.own.site.id,
        key: 'x',
        message: '{}',
        state: 'delivered',
        created_at: NOW,
        queued_at: NOW,
        due_at: NOW,
        attempts: 1,
        attempted_at: NOW,
        status: 200,
        answer: null,
        ended_at: NOW,
      })
      .execute(),
  site_groups: ({ directory: { db }, world }) =>
    db
      .insertInto('site_groups')
      .values({ id: 'group_1', account_id: world.own.account.id, name: 'x', created_at: NOW })
      .execute(),
  group_sites: ({ directory: { db }, world }) =>
    db.insertInto('group_sites').values({ group_id: 'group_1', site_id: world.own.site.id, position: 0 }).execute(),
  reports: ({ directory: { db }, world }) =>
    db
      .insertInto('reports')
      .values({
        id: 'report_1',
        account_id: world.own.account.id,
        site_id: world.own.site.id,
        created_by: null,
        name: 'Shop',
        frequency: 'daily',
        hour: 8,
        timezone: 'UTC',
        viewed: '{}',
        webhooks: '[]',
        personal: 0,
        paused: 1,
        created_at: NOW,
        next_from: dayOf(NOW),
        due_at: NOW,
        attempts: 0,
        trouble: null,
        group_id: null,
      })
      .execute(),
  report_recipients: ({ directory: { db }, owner }) =>
    db
      .insertInto('report_recipients')
      .values({ id: 'recipient_1', report_id: 'report_1', user_id: owner, email: null })
      .execute(),
  report_runs: ({ directory: { db }, world }) =>
    db
      .insertInto('report_runs')
      .values({
        id: 'run_1',
        key: 'x',
        report_id: 'report_1',
        account_id: world.own.account.id,
        date_from: dayOf(NOW),
        date_to: dayOf(NOW),
        state: 'queued',
        mails: 1,
        created_at: NOW,
      })
      .execute(),
  domain_claims: ({ directory, world }) =>
    noteClaim(directory, { accountId: world.own.account.id, domain: 'other.example' }, NOW),
  released_domains: ({ world }) =>
    world.ask('sites.rename', { site_id: world.second.id, domain: 'second2.own.example' }, world.own.login.headers),
  drops: ({ directory, world }) =>
    addDrops(directory, [{ site_id: world.own.site.id, day: dayOf(NOW), reason: 'bot', count: 1 }]),
  imports: ({ directory, world }) => startImport(directory, { siteId: world.own.site.id, fingerprint: 'x' }, NOW),
  import_secrets: async ({ directory, world }) => {
    const ofSite = directory.db.selectFrom('imports').select('id').where('site_id', '=', world.own.site.id);
    const { id } = await ofSite.executeTakeFirstOrThrow();
    return importSecret(directory, id, NOW);
  },
  billing_events: { because: 'ids of Stripe’s events alone' },
  salts: { because: 'random secrets of days' },
  search_withdrawals: { because: 'grants that Google withdraws, without the site or account that they were for' },
  deletions: { because: 'ids of deleted sites, until nothing of them can arrive any more' },
  packages: { because: 'the files of the package' },
  releases: { because: 'versions of Footfall' },
  favicons: { because: 'icons of public hosts, by a keyed hash' },
  leases: { because: 'work of processes' },
  jobs: { because: 'work of processes' },
  first_start: { because: 'the token of the first start' },
  secrets: { because: 'keys of the server itself' },
};
const TABLES = Object.keys(FILLED) as (keyof Tables)[];

async function ownerOf(directory: Directory, accountId: string): Promise<string> {
  const owner = (await listMembers(directory, accountId)).find(({ role }) => role === 'owner');
  return owner?.userId ?? '';
}

/** Everything by which the account and its people can be recognised. */
async function marksOf({ server, world }: { server: TestApp; world: World }): Promise<string[]> {
  const { directory } = server.app.services;
  const { account, site } = world.own;
  const people = await listMembers(directory, account.id);
  const rows = await directory.db.selectFrom('imports').select('id').where('site_id', '=', site.id).execute();
  const refused = await directory.db.selectFrom('mail_refusals').select('recipient').execute();
  return [
    account.id,
    site.id,
    world.second.id,
    '"own.example"',
    '"second.example"',
    ...people.flatMap(({ userId, email }) => [userId, email]),
    ...rows.map(({ id }) => id),
    ...refused.map(({ recipient }) => recipient),
  ];
}

/** The tables with a row that names one of the marks. */
async function tablesWith({ server }: { server: TestApp }, marks: string[]): Promise<string[]> {
  const { db } = server.app.services.directory;
  const found = [];
  for (const table of TABLES) {
    const text = JSON.stringify(await db.selectFrom(table).selectAll().execute());
    if (marks.some((mark) => text.includes(mark))) found.push(table);
  }
  return found.sort();
}

const eventsOf = async ({ server }: { server: TestApp }, siteId: string): Promise<number[]> => {
  const counts = [];
  for (const table of ['events', 'ai_visits']) {
    const text = `SELECT count() AS rows FROM ${table} WHERE site_id = {id:String}`;
    const [row] = await server.app.store.query<{ rows: number }>(text, { id: siteId });
    counts.push(Number(row?.rows));
  }
  return counts;
};

describe.each(['embedded', 'servers'] as const)('an account that is deleted, with %s stores', (form) => {
  test('works for seven days, can be kept, and is then gone from Stripe, from every table and from every store', async () => {
    showsKept('a deleted site leaves data, queue, dead letters and caches within a minute');
    await using place = await makePlace(form);
    const { server, world, stripe, smtp, pass } = place;
    const { directory } = server.app.services;
    const { own, other } = world;
    const owner = await ownerOf(directory, own.account.id);
    for (const filling of Object.values(FILLED))
      if (typeof filling === 'function') await filling({ server, world, directory, owner });
    const view = () => server.foot({ site: VIEW.domain, name: 'pageview', url: `https://${VIEW.domain}${VIEW.path}` });
    await view();
    const kept = makeEvent({ site_id: other.site.id, time: server.clock.now });
    const agent = makeAiVisit({ site_id: own.site.id, time: server.clock.now });
    await server.app.collector.record([kept, agent], server.clock.now);
    await server.settle();
    // A member of another account stays there.
    const staying = world.askers['a viewer'].userId;
    await addMember(
      directory.db,
      { accountId: other.account.id, userId: staying, place: { role: 'admin', siteIds: null } },
      NOW,
    );
    const marks = (await marksOf(place)).filter((mark) => mark !== staying && mark !== 'viewer@own.example');
    const filled = TABLES.filter((name) => !(typeof FILLED[name] === 'object')).sort();
    expect(await tablesWith(place, marks)).toEqual(filled);

    const ask = (name: string, input?: object) => world.ask(name, input, own.login.headers);
    const erase = () => server.app.runJob('erase-accounts');
    const left = async () => (await tablesWith(place, [own.account.id])).includes('accounts');
    const name = own.account.name;
    expect((await ask('leaving.deleteAccount', { typed: name, password: 'wrong' })).body).toContain(
      'password is wrong',
    );
    expect((await ask('leaving.deleteAccount', { typed: 'nobody', password: PASSWORD })).status).toBe(400);
    const asked = async () => {
      const answer = await ask('leaving.deleteAccount', { typed: ` ${name} `, password: PASSWORD });
      await server.app.runJob('send-mail');
      return answer;
    };
    expect((await asked()).status).toBe(200);
    expect((await ask('billing.choose', { plan: 'starter' })).body).toContain('keep the account first');
    pass(MINUTE_MS);
    await view();
    pass(WEEK_MS - MINUTE_MS - 1);
    await erase();
    expect(await left()).toBe(true);
    expect((await ask('leaving.keepAccount')).status).toBe(200);
    pass(DAY_MS);
    await erase();
    expect(await left()).toBe(true);
    await server.settle();
    expect((await eventsOf(place, own.site.id))[0]).toBe(2);

    expect((await asked()).status).toBe(200);
    expect((await asked()).status).toBe(200); // changes nothing
    pass(WEEK_MS);
    stripe.mood.isDown = true;
    await erase();
    expect(await left()).toBe(true);
    expect((await ask('leaving.keepAccount')).body).toContain('The seven days are over');
    expect(await eventsOf(place, own.site.id)).toEqual([2, 1]);
    stripe.mood.isDown = false;
    await erase();
    await server.app.runJob('erase-deleted');
    await server.app.runJob('send-mail');
    pass(6 * MINUTE_MS);
    await server.app.runJob('finish-deletions');

    expect(await tablesWith(place, marks)).toEqual(['released_domains']); // for 90 days, so that nobody else gets the visits
    expect(await eventsOf(place, own.site.id)).toEqual([0, 0]);
    expect(await eventsOf(place, other.site.id)).toEqual([1, 0]);
    expect([...stripe.customers.values()].map(({ deleted }) => deleted)).toEqual([true]);
    const said = smtp.mails.filter(({ to }) => to[0] === 'owner@own.example').map(({ text }) => saidIn(text));
    expect(said).toEqual(['asked to delete', 'asked to delete', 'was deleted']);
    const users = await directory.db.selectFrom('users').select('email').orderBy('email').execute();
    expect(users.map(({ email }) => email)).toEqual([
      'left@own.example',
      'owner@ended.example',
      'owner@other.example',
      'viewer@own.example',
    ]);
    expect((await listMembers(directory, other.account.id)).map(({ role }) => role).sort()).toEqual(['admin', 'owner']);
    if (form === 'embedded') expect(await filesWith(server.folder, 'named@own.example')).toEqual([]);
  });
});

const saidIn = (text: string) => /asked to delete|was deleted/.exec(text.replaceAll(/\s+/g, ' '))?.[0];

describe('a login that is deleted', () => {
  test('ends at once, unless an account would have no owner, and is nobody in the logs', async () => {
    await using server = await testApp();
    const world = await makeWorld(server);
    const { directory } = server.app.services;
    const { own, other } = world;
    const owner = await ownerOf(directory, own.account.id);
    const ask = makeAsk(server);
    const remove = (headers: Record<string, string>, typed: string, password = PASSWORD) =>
      ask('leaving.deleteUser', { typed, password }, headers);
    const mine = own.login.headers;
    expect((await remove(mine, 'owner@own.example')).body).toContain(
      'You are the only owner of “owner”. First make somebody else an owner under People, or delete the account.',
    );
    const heir = world.askers['an admin'];
    const place = { role: 'owner', siteIds: null } as const;
    await changeMember(directory, { accountId: own.account.id, by: owner, userId: heir.userId, place });
    await addMember(directory.db, { accountId: other.account.id, userId: owner, place }, NOW);
    expect((await remove(mine, 'another@own.example')).body).toContain('Type your e-mail address');
    expect((await remove(mine, 'owner@own.example', 'wrong')).body).toContain('The password is wrong');
    const second = { cookie: await server.logIn('owner@own.example') };
    expect((await remove(mine, ' Owner@own.example')).status).toBe(200);

    for (const headers of [mine, second]) expect((await ask('sessions.list', undefined, headers)).status).toBe(401);
    expect(await tablesWith({ server }, [owner, 'owner@own.example'])).toEqual([]);
    expect(await filesWith(server.folder, owner)).toEqual([]);
    const log = await ask('accounts.log', { page: 1, action: 'login_deleted' }, heir.headers);
    expect(log.body).toContain('login_deleted');
    expect(log.body).not.toContain('owner@own.example');
    // Its accounts go on without it.
    expect((await ask('sites.list', undefined, heir.headers)).body).toContain('own.example');
    expect((await ask('sites.list', undefined, other.login.headers)).body).toContain('other.example');
  });

  test('of two owners who delete theirs at the same moment, one stays', async () => {
    await using server = await testApp();
    const site = await server.addSite();
    const { directory } = server.app.services;
    const prepared = await prepareAccount({ email: 'second@example.com', password: PASSWORD });
    const { user } = await directory.db.transaction().execute((db) => insertAccount(db, prepared, NOW));
    await directory.db.deleteFrom('accounts').where('name', '=', 'second').execute();
    const member = { accountId: site.account_id, userId: user.id, place: { role: 'owner', siteIds: null } } as const;
    await addMember(directory.db, member, NOW);
    const emails = ['owner@example.com', 'second@example.com'];
    const cookies = await Promise.all(emails.map((email) => server.logIn(email)));
    const answers = await Promise.all(
      emails.map((typed, index) =>
        makeAsk(server)('leaving.deleteUser', { typed, password: PASSWORD }, { cookie: cookies[index] ?? '' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await listMembers(directory, site.account_id)).map(({ role }) => role)).toEqual(['owner']);
  });
});

test('the account of whoever runs the server cannot be deleted', async () => {
  await using server = await testApp();
  const site = await server.addSite();
  const { directory } = server.app.services;
  await directory.db.updateTable('accounts').set({ kind: 'operator' }).where('id', '=', site.account_id).execute();
  const headers = { cookie: await server.logIn('owner@example.com') };
  const asked = await makeAsk(server)('leaving.deleteAccount', { typed: 'owner', password: PASSWORD }, headers);
  expect([asked.status, asked.body]).toEqual([400, expect.stringContaining('belongs to whoever runs this server')]);
});
