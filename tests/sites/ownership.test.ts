// Two accounts that want one domain, on a server where anybody can sign up: it belongs to the one that proves that it is its own.
import type { RequestListener } from 'node:http';
import { parse } from 'devalue';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { openOutgoing } from '../../server/process/outgoing/client.ts';
import { openOwnership, type Ownership } from '../../server/sites/checks/ownership.ts';
import { forgetClaims, noteClaim } from '../../server/sites/domains/claims.ts';
import { createSite, deleteSite, listSites, pauseSite, renameSite, type Site } from '../../server/sites/sites.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { OWNERSHIP } from '../../server/vocabulary/settings/ownership.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { openInternet } from '../setup/internet/internet.ts';

const CLAIM = { accountId: 'acct_ada', domain: 'example.com' };
const { tokenOf } = openOwnership({ ...openParts(), secret: 'secret' });
const TOKEN = tokenOf(CLAIM);
const OTHER = tokenOf({ ...CLAIM, accountId: 'acct_bob' });

function openParts() {
  const network = { resolveTxt: () => Promise.resolve([]) };
  return { outgoing: openOutgoing(), network };
}

type Served = { texts?: string[] | Error; front?: string; file?: string; redirect?: string };
const tag = (token: string) => `<meta name="${OWNERSHIP.name}" content="${token}">`;

/** A site's server: its front page, its file, or a redirect of every request. */
const serve =
  ({ front, file, redirect }: Served): RequestListener =>
  (request, response) => {
    const text = request.url === OWNERSHIP.path ? file : front;
    if (redirect !== undefined && request.headers.host === 'example.com')
      response.writeHead(302, { location: new URL(request.url ?? '/', redirect).href }).end();
    else response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(text);
  };

type Seen = Awaited<ReturnType<Ownership['check']>>;
async function look(served: Served): Promise<Seen> {
  await using internet = await openInternet(serve(served), undefined, (hostname) => {
    if (served.texts instanceof Error) throw served.texts;
    return hostname === 'example.com' ? (served.texts ?? []) : [];
  });
  const { network } = internet;
  return await openOwnership({ outgoing: openOutgoing({ network }), network, secret: 'secret' }).check(CLAIM);
}

const CASES: [string, Served, Partial<Seen>][] = [
  ['nothing is there', { front: '<h1>Hello</h1>' }, {}],
  [
    'a TXT record, among others',
    { texts: ['v=spf1 -all', ` ${OWNERSHIP.name}=${OTHER}`, `${OWNERSHIP.name}=${TOKEN}`] },
    { dns: 'found' },
  ],
  ['a TXT record of another account', { texts: [`${OWNERSHIP.name}=${OTHER}`] }, { dns: 'other' }],
  ['a TXT record under another name', { texts: [`other-verification=${TOKEN}`, TOKEN] }, {}],
  ['name servers that do not answer', { texts: new Error('ETIMEOUT') }, { dns: 'no_answer' }],
  ['a tag', { front: `<!doctype html><html><head><title>x</title>${tag(TOKEN)}</head>` }, { page: 'found' }],
  ['a tag of another account', { front: tag(OTHER) }, { page: 'other' }],
  ['tags of both accounts', { front: tag(OTHER) + tag(TOKEN) }, { page: 'found' }],
  ['a tag in the body, where anybody may write', { front: `<head></head><body>${tag(TOKEN)}` }, {}],
  ['a tag after an element of the body', { front: `<p>a comment:</p>${tag(TOKEN)}` }, {}],
  ['a tag in a comment', { front: `<!-- ${tag(TOKEN)} -->` }, {}],
  ['a file', { file: `${TOKEN}\n` }, { file: 'found' }],
  ['a file of another account', { file: OTHER }, { file: 'other' }],
  ['a page at the address of the file', { file: `<p>${TOKEN}</p>` }, {}],
  ['a redirect to www', { file: TOKEN, redirect: 'http://www.example.com' }, { file: 'found' }],
  [
    'a redirect to another host',
    { file: TOKEN, front: tag(TOKEN), redirect: 'http://elsewhere.example' },
    { file: 'redirected', page: 'redirected' },
  ],
];

test.each(CASES)('what is seen: %s', async (_name, served, seen) => {
  expect(await look(served)).toEqual({ dns: 'missing', page: 'missing', file: 'missing', ...seen });
});

test('a token belongs to one account and one domain', () => {
  expect(TOKEN).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set([TOKEN, OTHER, tokenOf({ ...CLAIM, domain: 'example.org' })]).size).toBe(3);
});

describe.each(FORMS)('a domain that another account has verified, in %s', (form) => {
  test('leaves its site with the history and a name of its own, and without counting', async () => {
    await using directory = await testDirectory(form);
    const make = async (email: string) =>
      (await createAccount(directory, { email, password: PASSWORD }, NOON)).account.id;
    const [ada, bob, eve] = [
      await make('ada@example.com'),
      await make('bob@example.com'),
      await make('eve@example.com'),
    ];
    const take = (accountId: string) =>
      createSite(directory, { accountId, domain: 'example.com', isVerified: true }, NOON);
    const first = await createSite(directory, { accountId: ada, domain: 'example.com' }, NOON);
    const second = await take(bob);
    const third = await take(eve);
    expect([third.domain, third.verified_at, third.lost_at]).toEqual(['example.com', NOON, null]);
    const [adas, bobs] = [(await listSites(directory, ada))[0], (await listSites(directory, bob))[0]];
    const lost = { paused: true, lost_at: NOON, verified_at: null };
    expect([adas, bobs]).toMatchObject([
      { id: first.id, domain: 'example.com.until-2026-05-20', ...lost },
      { id: second.id, domain: 'example.com.until-2026-05-20-2', ...lost },
    ]);
    await expect(pauseSite(directory, { siteId: first.id, paused: false })).rejects.toThrow('rename the site first');
    // The lost name is not reserved, neither by renaming nor by deleting.
    const renamed = await renameSite(directory, { siteId: first.id, domain: 'ada.example' }, NOON);
    expect([renamed.domain, renamed.paused, renamed.lost_at]).toEqual(['ada.example', false, null]);
    await deleteSite(directory, { siteId: second.id }, NOON);
    expect(await directory.db.selectFrom('released_domains').selectAll().execute()).toEqual([]);
    // A domain that another account released is no longer reserved for it either.
    await deleteSite(directory, { siteId: third.id }, NOON);
    await expect(createSite(directory, { accountId: ada, domain: 'example.com' }, NOON)).rejects.toThrow('is reserved');
    expect((await take(ada)).account_id).toBe(ada);
  });

  test('goes to one account when two verify it at the same moment, and nobody has it twice', async () => {
    await using directory = await testDirectory(form);
    const accounts = await Promise.all(
      ['ada', 'bob'].map(
        async (who) =>
          (await createAccount(directory, { email: `${who}@example.com`, password: PASSWORD }, NOON)).account.id,
      ),
    );
    const taking = accounts.flatMap((accountId) =>
      Array.from({ length: 3 }, () =>
        createSite(directory, { accountId, domain: 'example.com', isVerified: true }, NOON),
      ),
    );
    await Promise.allSettled(taking);
    const all = (await Promise.all(accounts.map((account) => listSites(directory, account)))).flat();
    expect(all.filter(({ domain }) => domain === 'example.com')).toHaveLength(1);
    expect(all.filter(({ lost_at }) => lost_at === null)).toHaveLength(1);
  });

  test('a claim is forgotten after 30 days', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const count = async () => (await directory.db.selectFrom('domain_claims').selectAll().execute()).length;
    for (const at of [NOON, NOON + 1]) await noteClaim(directory, { domain: 'example.com', accountId: account.id }, at);
    await forgetClaims(directory, NOON + 1 + 30 * DAY_MS);
    expect(await count()).toBe(1);
    await forgetClaims(directory, NOON + 2 + 30 * DAY_MS);
    expect(await count()).toBe(0);
  });
});

/** Calls a procedure, and returns what it answers or the sentence of its refusal. */
async function caller(server: TestApp, email: string) {
  const [ask, cookie] = [makeAsk(server), await server.logIn(email)];
  return async (name: string, input: object): Promise<Record<string, unknown> & { error?: string }> => {
    const answer = JSON.parse((await ask(name, input, { cookie })).body) as {
      result?: { data: string };
      error?: string;
    };
    if (answer.result) return parse(answer.result.data) as Record<string, unknown>;
    return { error: (parse(answer.error ?? '') as { message: string }).message };
  };
}

test('the account that verifies a domain gets it; the other is told, keeps its history, and gets it back by proof alone', async () => {
  const texts: string[] = [];
  await using internet = await openInternet(serve({ front: '<h1>Hello</h1>' }), undefined, () => texts);
  const env = { SIGNUP: 'open', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'footfall@stats.example' };
  await using server = await testApp({ env, network: internet.network });
  const site = await server.addSite('example.com');
  server.clock.now -= 1; // lists are in the order of creation
  await server.addSite('bob.example');
  server.clock.now += 1;
  const ada = await caller(server, 'owner@example.com');
  const bob = await caller(server, 'owner@bob.example');
  const view = { site: 'example.com', name: 'pageview', url: 'https://example.com/' };
  /** Sends one page view, and returns how many events this site has. */
  const viewsOf = async (id: SiteId) => {
    server.clock.now += 1_000; // the collector caches a site for a second
    await server.foot(view);
    await server.settle();
    return server.app.services.stats.countEvents([id], { from: 0, to: server.clock.now + 1 });
  };
  expect(await viewsOf(site.id)).toBe(1);

  expect(await ada('session.current', {})).toMatchObject({ verifies_domains: true, wanted_domains: [] });
  expect(await bob('sites.create', { domain: 'example.com' })).toEqual({
    error: 'The domain example.com is already registered: a domain can belong to only one site.',
  });
  const claim = await bob('sites.claim', { domain: 'https://Example.com/' });
  expect(claim).toEqual({ domain: 'example.com', is_taken: true, token: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(await ada('session.current', {})).toMatchObject({ wanted_domains: ['example.com'] });
  expect(await bob('session.current', {})).toMatchObject({ wanted_domains: [] });
  const unseen = { dns: 'missing', page: 'missing', file: 'missing' };
  expect(await bob('sites.verify', { domain: 'example.com' })).toEqual({ seen: unseen, site: null });

  texts.push(`${OWNERSHIP.name}=${String(claim['token'])}`);
  const verified = await bob('sites.verify', { domain: 'example.com' });
  expect(verified).toMatchObject({
    seen: { ...unseen, dns: 'found' },
    site: { domain: 'example.com', is_lost: false },
  });
  expect(await ada('sites.ownership', { site_id: site.id })).toMatchObject({ is_lost: true, is_wanted: false });
  expect(await ada('sites.list', {})).toMatchObject([
    { id: site.id, domain: 'example.com.until-2026-11-20', is_lost: true, paused: true },
  ]);
  const { db } = server.app.services.directory;
  const mails = await db.selectFrom('mails').select(['kind', 'recipient', 'data']).execute();
  expect(mails).toEqual([
    {
      kind: 'domain_lost',
      recipient: 'owner@example.com',
      data: JSON.stringify({ domain: 'example.com', name: 'example.com.until-2026-11-20' }),
    },
  ]);
  const losses = db.selectFrom('account_log').select(['account_id', 'actor', 'user_id', 'domain', 'name']);
  expect(await losses.where('action', '=', 'domain_lost').execute()).toEqual([
    {
      account_id: site.account_id,
      actor: 'other_account',
      user_id: null,
      domain: 'example.com',
      name: 'example.com.until-2026-11-20',
    },
  ]);
  const bobs = (verified['site'] as unknown as Site).id;
  expect(await viewsOf(site.id)).toBe(1);
  expect(await viewsOf(bobs)).toBe(2);

  // Ada puts her token beside Bob's: his proof still stands. Then he takes it away, and she gets the domain back as a new site.
  const { token } = await ada('sites.claim', { domain: 'example.com' });
  texts.push(`${OWNERSHIP.name}=${String(token)}`);
  expect(await ada('sites.verify', { domain: 'example.com' })).toEqual({
    error: 'Another account has verified example.com too, and its token is still there: remove that one first.',
  });
  texts.shift();
  expect(await ada('sites.verify', { domain: 'example.com' })).toMatchObject({ site: { domain: 'example.com' } });
  expect(await bob('sites.list', {})).toMatchObject([
    { domain: 'bob.example', is_lost: false },
    { id: bobs, is_lost: true },
  ]);
  const [first, second] = (await ada('sites.list', {})) as unknown as Site[];
  expect([first?.id, second?.domain]).toEqual([site.id, 'example.com']);
  expect(await ada('sites.ownership', { site_id: second?.id })).toMatchObject({
    verified_at: new Date(server.clock.now).toISOString(),
  });
});

test('a domain that another account gave up is offered for verification too', async () => {
  await using server = await testApp({ env: { SIGNUP: 'open' } });
  const site = await server.addSite('example.com');
  await server.addSite('bob.example');
  const bob = await caller(server, 'owner@bob.example');
  expect(await bob('sites.claim', { domain: 'bob.example' })).toMatchObject({ is_taken: false });
  expect(await bob('sites.claim', { domain: 'free.example' })).toMatchObject({ is_taken: false });
  await server.app.services.deleteSite(site.id);
  expect(await bob('sites.claim', { domain: 'example.com' })).toMatchObject({ is_taken: true });
});

test('without open sign-up nobody verifies anything', async () => {
  await using server = await testApp();
  const site = await server.addSite('example.com');
  const ada = await caller(server, 'owner@example.com');
  const error = 'Domains are not verified on this server, because signing up is closed.';
  for (const name of ['sites.claim', 'sites.verify'])
    expect(await ada(name, { domain: 'example.com' })).toEqual({ error });
  expect(await ada('sites.ownership', { site_id: site.id })).toBe(null);
  expect(await ada('session.current', {})).toMatchObject({ verifies_domains: false, wanted_domains: [] });
});
