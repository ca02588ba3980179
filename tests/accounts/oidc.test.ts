/** @module-tag attack */
// Single sign-on against a real OpenID Connect issuer: who gets in and as whom, and the answers that open nothing.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { openIssuer } from '../../server/accounts/sign-in/single-sign-on/oidc-issuer.ts';
import { makeResetLink } from '../../server/accounts/sign-in/passwords/password-reset.ts';
import { oidcOf, readConfig } from '../../server/config.ts';
import { createSite } from '../../server/sites/sites.ts';
import type { Role } from '../../server/vocabulary/accounts/roles.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { caller } from '../setup/accounts/auth.ts';
import { softPasskey } from '../setup/accounts/authenticator.ts';
import { FORMS, type Form } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { type Claims, startIssuer, Surfer, type TestIssuer } from '../setup/internet/issuer.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { freePort } from '../setup/processes/process.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';
import { codeAt } from '../setup/accounts/totp.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ADA = { email: 'ada@company.example', email_verified: true, name: 'Ada' };

type Place = AsyncDisposable & {
  server: TestApp;
  issuer: TestIssuer;
  accountId: string;
  /** Logs in from the first click to the page where it ends. Returns its path. */
  logIn(surfer: Surfer, subject: string, more?: { amr?: string[]; query?: string }): Promise<string>;
  /** The issuer's answer, not yet opened. */
  answerFor(surfer: Surfer, subject: string): Promise<string>;
  current(
    surfer: Surfer,
  ): Promise<{ user: { id: string; email: string }; account: { role: Role }; needs_second_factor: boolean } | null>;
  call(surfer: Surfer, name: string, input?: unknown): Promise<{ status: number; data: unknown; message: string }>;
  people(): Promise<{ email: string; email_verified: number }[]>;
};

async function openPlace(form: Form, env: Record<string, string> = {}): Promise<Place> {
  await using opened = new AsyncDisposableStack();
  const postgres = form === 'postgres' ? opened.use(await startPostgres()) : undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const issuer = opened.use(await startIssuer(`${url}/oidc/callback`));
  const database = postgres && { DATABASE_URL: postgres.url };
  const server = opened.use(
    await testApp({
      port,
      now: Date.now(),
      env: { BASE_URL: url, LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback', ...issuer.env, ...database, ...env },
    }),
  );
  const { directory } = server.app.services;
  const operator = { email: 'boss@company.example', password: PASSWORD, kind: 'operator', status: 'active' } as const;
  const { account } = await createAccount(directory, operator, server.clock.now);

  const isEnd = (target: URL) => target.origin === url && !target.pathname.startsWith('/oidc/');
  const call: Place['call'] = async (surfer, name, input) => {
    const isQuery = name === 'session.current' || name === 'sessions.proof' || name.endsWith('.list');
    const given = input === undefined ? undefined : JSON.stringify(stringify(input));
    const query = isQuery && given !== undefined ? `?input=${encodeURIComponent(given)}` : '';
    const answer = await fetch(`${url}/trpc/${name}${query}`, {
      headers: { cookie: surfer.cookieFor(url), origin: url, 'content-type': 'application/json' },
      ...(!isQuery && { method: 'POST', body: given ?? '' }),
    });
    const body = (await answer.json()) as { result?: { data: string }; error?: { message?: string } | string };
    const data: unknown = body.result && parse(body.result.data);
    return { status: answer.status, data, message: JSON.stringify(body.error ?? '') };
  };
  const place = {
    server,
    issuer,
    accountId: account.id,
    call,
    logIn: async (surfer: Surfer, subject: string, { amr, query = '' }: { amr?: string[]; query?: string } = {}) => {
      issuer.next = { subject, ...(amr && { amr }) };
      const end = new URL(await surfer.follow(`${url}/oidc/start${query}`, isEnd));
      return end.pathname + end.search;
    },
    answerFor: async (surfer: Surfer, subject: string) => {
      issuer.next = { subject };
      return surfer.follow(`${url}/oidc/start`, ({ pathname }) => pathname === '/oidc/callback');
    },
    current: async (surfer: Surfer) => (await call(surfer, 'session.current')).data as never,
    people: () => directory.db.selectFrom('users').select(['email', 'email_verified']).orderBy('email').execute(),
  };
  const moved = opened.move();
  return { ...place, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Where the issuer's answer leads to. */
const landing = async (surfer: Surfer, answer: string) => (await surfer.open(answer)).headers.get('location');

let place: Place;
const reopen = (form: Form, env?: Record<string, string>) => {
  beforeAll(async () => {
    place = await openPlace(form, env);
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(() => {
    Object.assign(place.issuer, { forge: undefined, intercept: undefined, isThin: false });
  });
};

describe.each(FORMS)('single sign-on, in %s', (form) => {
  reopen(form);

  test('makes a viewer of the operator’s account, and knows them by their subject afterwards', async () => {
    const { issuer, logIn, current } = place;
    issuer.people['ada'] = ADA;
    const surfer = new Surfer();
    expect(await logIn(surfer, 'ada', { query: '?to=/example.com%3Fperiod=7d' })).toBe('/example.com?period=7d');
    const first = await current(surfer);
    expect(first).toMatchObject({ user: { email: ADA.email }, account: { id: place.accountId, role: 'viewer' } });
    issuer.people['ada'] = { ...ADA, email: 'ada.byron@company.example' };
    issuer.isThin = true; // the claims are then at the userinfo endpoint
    expect(await logIn(new Surfer(), 'ada')).toBe('/');
    const again = new Surfer();
    await logIn(again, 'ada');
    expect((await current(again))?.user).toEqual(first?.user);
  });

  test('does not give the user of a former person to a new one with the same address', async () => {
    showsRefused('access to data of other accounts');
    const { issuer, logIn, people } = place;
    issuer.people['old'] = { ...ADA, email: 'office@company.example' };
    issuer.people['new'] = { ...ADA, email: 'office@company.example' };
    expect(await logIn(new Surfer(), 'old')).toBe('/');
    const before = await people();
    expect(await logIn(new Surfer(), 'new')).toBe('/login?sso=taken');
    expect(await people()).toEqual(before);
  });

  test('takes an unconfirmed address over from whoever typed it, and leaves a confirmed user their password', async () => {
    showsRefused('sessions reused', 4);
    const { server, issuer, logIn, current } = place;
    const { directory } = server.app.services;
    for (const email of ['typed@company.example', 'confirmed@company.example'])
      await createAccount(directory, { email, password: PASSWORD }, server.clock.now);
    await directory.db
      .updateTable('users')
      .set({ email_verified: 1 })
      .where('email', '=', 'confirmed@company.example')
      .execute();
    const links: string[] = [];
    for (const name of ['typed', 'confirmed']) {
      const made = await makeResetLink(directory, `${name}@company.example`, server.clock.now);
      links.push(made.token);
      const change = { email: `${name}@elsewhere.example`, old_confirmed: 0, new_confirmed: 0 } as const;
      await directory.db
        .insertInto('email_changes')
        .values({ user_id: made.userId, expires_at: server.clock.now + HOUR, ...change })
        .execute();
    }
    const cookies = await Promise.all(['typed', 'confirmed'].map((name) => server.logIn(`${name}@company.example`)));
    for (const name of ['typed', 'confirmed']) {
      issuer.people[name] = { ...ADA, email: `${name}@company.example` };
      const surfer = new Surfer();
      expect(await logIn(surfer, name)).toBe('/');
      expect((await current(surfer))?.user.email).toBe(`${name}@company.example`);
    }
    const { auth } = server.app.services;
    const still = await Promise.all(cookies.map((cookie) => auth.identify({ cookie })));
    expect(still.map((identity) => identity?.email)).toEqual([undefined, 'confirmed@company.example']);
    await expect(server.logIn('typed@company.example')).rejects.toThrow('401');
    await server.logIn('confirmed@company.example');
    const changes = await directory.db.selectFrom('email_changes').select('email').execute();
    expect(changes).toEqual([{ email: 'confirmed@elsewhere.example' }]);
    const redeem = (token = '') =>
      auth.passwordReset.redeem(
        { token, password: 'chosen by the stranger' },
        caller({ origin: server.url, host: new URL(server.url).host }),
      );
    await expect(redeem(links[0])).rejects.toThrow('This link has expired or was used already');
    await redeem(links[1]);
  });

  test('makes one user of several first log-ins at the same time', async () => {
    const { issuer, answerFor, people } = place;
    issuer.people['twin'] = { ...ADA, email: 'twin@company.example' };
    const surfers = Array.from({ length: 4 }, () => new Surfer());
    const answers: string[] = [];
    for (const surfer of surfers) answers.push(await answerFor(surfer, 'twin'));
    const landings = await Promise.all(answers.map((answer, index) => landing(surfers[index] ?? new Surfer(), answer)));
    expect(landings).toEqual(['/', '/', '/', '/']);
    expect((await people()).filter(({ email }) => email === 'twin@company.example')).toHaveLength(1);
  });

  test('takes each state once, also in parallel, within ten minutes, and in the browser that started', async () => {
    showsRefused('codes used twice, late or by another', 10);
    const { server, issuer, answerFor, current } = place;
    issuer.people['ada'] = ADA;
    const surfer = new Surfer();
    const answer = await answerFor(surfer, 'ada');
    const other = new Surfer();
    await answerFor(other, 'ada');
    const OVER = '/login?sso=over';
    expect(await landing(other, answer)).toBe(OVER);
    expect(await landing(new Surfer(), answer)).toBe(OVER);
    const burst = await Promise.all(Array.from({ length: 5 }, () => landing(surfer, answer)));
    expect(burst.filter((location) => location === '/')).toHaveLength(1);
    expect(burst.filter((location) => location === OVER)).toHaveLength(4);
    expect(await landing(surfer, answer)).toBe(OVER);
    const late = await answerFor(surfer, 'ada');
    server.clock.now += 10 * MINUTE;
    expect(await landing(surfer, late)).toBe(OVER);
    for (const query of [
      '',
      '?state=x',
      '?code=x&state=',
      `?state=${'0'.repeat(40)}`,
      "?state=' or 1=1 --",
      '?error=access_denied',
    ])
      expect(await landing(surfer, `${server.url}/oidc/callback${query}`)).toBe(OVER);
    expect(await current(other)).toBeNull();
  });
});

describe('single sign-on refuses', () => {
  reopen('sqlite');

  test.each<[string, (token: { header: Claims; claims: Claims; signWith: string }) => void]>([
    ['another audience', ({ claims }) => (claims['aud'] = 'another-app')],
    ['another issuer', ({ claims }) => (claims['iss'] = 'https://evil.example')],
    ['an expired one', ({ claims }) => (claims['exp'] = Math.floor(Date.now() / 1_000) - 90)],
    ['one that is not valid yet', ({ claims }) => (claims['nbf'] = Math.floor(Date.now() / 1_000) + 90)],
    ['the nonce of another log-in', ({ claims }) => (claims['nonce'] = 'x'.repeat(43))],
    ['no nonce', ({ claims }) => delete claims['nonce']],
    ['no subject', ({ claims }) => delete claims['sub']],
    ['another authorised party', ({ claims }) => Object.assign(claims, { aud: ['footfall', 'b'], azp: 'b' })],
    ['no signature', (token) => Object.assign(token, { header: { alg: 'none' }, signWith: 'nothing' })],
    ['the signature of another key', (token) => (token.signWith = 'other key')],
    [
      'the client secret as a key',
      (token) => Object.assign(token, { header: { alg: 'HS256' }, signWith: 'client secret' }),
    ],
    [
      'a key that the token brings',
      (token) => Object.assign(token.header, { kid: 'mine', jku: 'https://evil.example/jwks' }),
    ],
  ])('an id token with %s', async (_name, forge) => {
    showsRefused('guessing passwords and keys');
    const { issuer, logIn, people } = place;
    issuer.people['forged'] = { ...ADA, email: 'forged@company.example' };
    issuer.forge = forge as TestIssuer['forge'];
    const surfer = new Surfer();
    expect(await logIn(surfer, 'forged')).toBe('/login?sso=refused');
    expect(await place.current(surfer)).toBeNull();
    expect((await people()).map(({ email }) => email)).not.toContain('forged@company.example');
  });

  test('no id token of an issuer whose clock is half a minute behind', async () => {
    place.issuer.people['slow'] = { ...ADA, email: 'slow@company.example' };
    place.issuer.forge = ({ claims }) => (claims['exp'] = Math.floor(Date.now() / 1_000) - 30);
    expect(await place.logIn(new Surfer(), 'slow')).toBe('/');
  });

  test.each<[string, Claims, string]>([
    ['no e-mail address', {}, 'unverified'],
    ['an address that is not confirmed', { email: 'a@company.example', email_verified: false }, 'unverified'],
    ['no word on whether it is', { email: 'b@company.example' }, 'unverified'],
    ['a list of addresses', { email: ['c@company.example'], email_verified: true }, 'unverified'],
    ['two addresses in one', { email: 'd@company.example,e@evil.example', email_verified: true }, 'unverified'],
    ['a quoted address', { email: '"x@evil.example"@company.example', email_verified: true }, 'unverified'],
    ['another domain', { email: 'f@evil.example', email_verified: true }, 'domain'],
    ['a subdomain', { email: 'g@sub.company.example', email_verified: true }, 'domain'],
    ['a domain that ends alike', { email: 'h@notcompany.example', email_verified: true }, 'domain'],
  ])('a person with %s', async (_name, claims, reason) => {
    showsRefused('guessing passwords and keys');
    place.issuer.people['nobody'] = claims;
    const before = await place.people();
    expect(await place.logIn(new Surfer(), 'nobody')).toBe(`/login?sso=${reason}`);
    expect(await place.people()).toEqual(before);
  });

  test('no person of an allowed domain in capitals', async () => {
    place.issuer.people['upper'] = { ...ADA, email: 'Upper@SISTER.Example' };
    const surfer = new Surfer();
    expect(await place.logIn(surfer, 'upper')).toBe('/');
    expect((await place.current(surfer))?.user.email).toBe('upper@sister.example');
  });

  test('the answer of another issuer, one without its name, and the code of another log-in', async () => {
    showsRefused('guessing passwords and keys', 3);
    const { issuer, answerFor, current } = place;
    issuer.people['ada'] = ADA;
    const changed = async (change: (answer: URLSearchParams) => void | Promise<void>) => {
      const surfer = new Surfer();
      const answer = new URL(await answerFor(surfer, 'ada'));
      await change(answer.searchParams);
      expect(await landing(surfer, answer.href)).toBe('/login?sso=refused');
      expect(await current(surfer)).toBeNull();
    };
    await changed((answer) => answer.set('iss', 'https://evil.example'));
    await changed((answer) => answer.delete('iss'));
    await changed(async (answer) => {
      const stolen = new URL(await answerFor(new Surfer(), 'ada'));
      answer.set('code', stolen.searchParams.get('code') ?? '');
    });
  });

  test('somebody who cancels, and more than sixty steps a minute from one address', async () => {
    showsRefused('rate limits exceeded');
    const { server, issuer } = place;
    issuer.next = undefined;
    const isEnd = ({ pathname }: URL) => pathname === '/login';
    const end = await new Surfer().follow(`${server.url}/oidc/start`, isEnd);
    expect(end).toBe(`${server.url}/login?sso=denied`);
    const surfer = new Surfer();
    for (let step = 0; step < 60; step += 1) await landing(surfer, `${server.url}/oidc/callback`);
    expect(await landing(surfer, `${server.url}/oidc/start`)).toBe('/login?sso=limited');
  });
});

describe('single sign-on', () => {
  reopen('sqlite');

  test('never leads to another server', async () => {
    showsRefused('open redirects', 7);
    place.issuer.people['ada'] = ADA;
    const surfer = new Surfer();
    for (const to of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      'x',
      '\r\nx: y',
    ])
      expect(await place.logIn(surfer, 'ada', { query: `?to=${encodeURIComponent(to)}` })).toBe('/');
  });

  test('keeps the path to go to, which may hold the token of an invitation, from whoever reads the directory', async () => {
    showsRefused('secrets left behind');
    const { server } = place;
    await fetch(`${server.url}/oidc/start?to=/invite/SECRET`, { redirect: 'manual' });
    const rows = await server.app.services.directory.db.selectFrom('verifications').selectAll().execute();
    expect(rows.filter(({ identifier }) => identifier.startsWith('oidc '))).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain('invite');
  });

  test('keeps its cookie from scripts, and answers other methods with 405', async () => {
    showsRefused('cookies without protection');
    const { server } = place;
    const answer = await fetch(`${server.url}/oidc/start`, { redirect: 'manual' });
    expect(answer.headers.getSetCookie().join()).toMatch(
      /^footfall_oidc=\w{40}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const sent = new URL(answer.headers.get('location') ?? '');
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile',
      redirect_uri: `${server.url}/oidc/callback`,
    });
    for (const path of ['/oidc/start', '/oidc/callback'])
      expect((await fetch(`${server.url}${path}`, { method: 'POST', redirect: 'manual' })).status).toBe(405);
  });

  test('asks for the second factor that a user has here, unless the issuer has checked one', async () => {
    showsRefused('second factor passed by', 3);
    const { server, issuer, logIn, current, call } = place;
    const { user } = await createAccount(
      server.app.services.directory,
      { email: 'careful@company.example', password: PASSWORD },
      server.clock.now,
    );
    issuer.people['careful'] = { ...ADA, email: 'careful@company.example' };
    const owner = new Surfer();
    const set = (await server.logIn('careful@company.example')).split('; ');
    const headers = { cookie: set.join('; '), origin: server.url, host: new URL(server.url).host };
    const { factors } = server.app.services.auth;
    const { secret } = await factors.startAuthenticator({ password: PASSWORD }, headers);
    await factors.confirmAuthenticator({ code: codeAt(secret, server.clock.now) }, headers);

    const NEEDED = '/login?sso=second_factor&to=%2F&authenticator=1';
    const identities = () =>
      server.app.services.directory.db
        .selectFrom('identities')
        .select('user_id')
        .where('user_id', '=', user.id)
        .execute();
    // At the first log-in, the issuer's second factor is not enough to take the user over.
    expect(await logIn(owner, 'careful', { amr: ['pwd', 'mfa'] })).toBe(NEEDED);
    expect([await current(owner), await identities()]).toEqual([null, []]);
    const answerCode = (surfer: Surfer, code: string) =>
      fetch(`${server.url}/auth/sign-in/code`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, cookie: surfer.cookieFor(server.url) },
        body: JSON.stringify({ code }),
      });
    expect((await answerCode(owner, '000000')).status).toBe(401);
    expect(await identities()).toEqual([]);
    server.clock.now += MINUTE;
    expect((await answerCode(owner, codeAt(secret, server.clock.now))).status).toBe(200);
    expect(await identities()).toEqual([{ user_id: user.id }]);
    expect(await logIn(new Surfer(), 'careful', { amr: ['pwd'] })).toBe(NEEDED);
    const trusted = new Surfer();
    expect(await logIn(trusted, 'careful', { amr: ['pwd', 'mfa'] })).toBe('/');
    expect((await current(trusted))?.user.id).toBe(user.id);
    expect((await call(trusted, 'factors.list')).status).toBe(200);
  });

  test('counts as a proof of who somebody is if a passkey was the second factor', async () => {
    const { server, issuer, logIn } = place;
    const { auth, directory } = server.app.services;
    const email = 'keyed@company.example';
    await createAccount(directory, { email, password: PASSWORD }, server.clock.now);
    const here = { origin: server.url };
    const headers = { ...here, host: new URL(server.url).host };
    const own = { ...headers, cookie: await server.logIn(email) };
    const passkey = softPasskey();
    const response = passkey.create(await auth.factors.startPasskey({ password: PASSWORD }, own), here);
    await auth.factors.addPasskey({ name: 'laptop', response }, own);

    issuer.people['keyed'] = { ...ADA, email };
    server.clock.now = Date.now(); // the clock of the issuer is the real one
    const surfer = new Surfer();
    expect(await logIn(surfer, 'keyed', { query: '?again=1' })).toBe('/login?sso=second_factor&to=%2F&passkey=1');
    const challenged = { ...headers, cookie: surfer.cookieFor(server.url) };
    const answer = async () => passkey.get(await auth.startPasskey(headers), here);
    const { setCookies } = await auth.signInByPasskey(await answer(), caller(challenged));
    const { issuer: proof } = (await auth.identify(cookieOf(setCookies))) ?? {};
    expect(Math.abs((proof?.provedAt ?? 0) - server.clock.now)).toBeLessThan(MINUTE);
    // The challenge is used up, so another log-in with its cookie is one without the issuer.
    expect(setCookies.join()).toContain('footfall_challenge=; Max-Age=0');
    const later = await auth.signInByPasskey(await answer(), caller(challenged));
    expect((await auth.identify(cookieOf(later.setCookies)))?.issuer).toBeUndefined();
  });

  test('satisfies an account that requires a second factor only if the issuer has checked one', async () => {
    showsRefused('second factor passed by');
    const { server, issuer, accountId, logIn, current } = place;
    issuer.people['new'] = { ...ADA, email: 'new@company.example' };
    const { db } = server.app.services.directory;
    await db.updateTable('accounts').set({ requires_factor: 1 }).where('id', '=', accountId).execute();
    for (const [amr, needs] of [
      [['pwd'], true],
      [['pwd', 'otp'], true],
      [['mfa'], false],
    ] as const) {
      const surfer = new Surfer();
      await logIn(surfer, 'new', { amr: [...amr] });
      expect(await current(surfer)).toMatchObject({ needs_second_factor: needs });
    }
    await db.updateTable('accounts').set({ requires_factor: 0 }).where('id', '=', accountId).execute();
  });

  test('makes no feed that would be refused: it is read without what the issuer said', async () => {
    showsRefused('second factor passed by');
    const { server, issuer, accountId, logIn, current, call } = place;
    const { directory, auth } = server.app.services;
    issuer.people['reader'] = { ...ADA, email: 'reader@company.example' };
    const site = await createSite(directory, { accountId, domain: 'company.example' }, server.clock.now);
    const setRequired = (requires_factor: 0 | 1) =>
      directory.db.updateTable('accounts').set({ requires_factor }).where('id', '=', accountId).execute();
    await setRequired(1);
    server.clock.now = Date.now(); // the clock of the issuer is the real one
    const surfer = new Surfer();
    await logIn(surfer, 'reader', { amr: ['mfa'], query: '?again=1' });
    expect(await current(surfer)).toMatchObject({ needs_second_factor: false });
    const make = () => call(surfer, 'feeds.make', { site_id: site.id, kind: 'news' });
    const refused = await make();
    expect([refused.status, refused.message]).toEqual([
      403,
      expect.stringContaining('Your account requires a second factor: set one up in the settings, under Security.'),
    ]);
    expect((await call(surfer, 'feeds.list', { site_id: site.id })).data).toEqual([]);
    const headers = { cookie: surfer.cookieFor(server.url), origin: server.url, host: new URL(server.url).host };
    const { secret } = await auth.factors.startAuthenticator({ password: '' }, headers);
    await auth.factors.confirmAuthenticator({ code: codeAt(secret, server.clock.now) }, headers);
    const { status, data } = await make();
    expect(status).toBe(200);
    expect((await fetch(server.url + (data as { path: string }).path)).status).toBe(200);
    await setRequired(0);
  });

  test('ends after a day, renews the session of somebody who logs in again, and starts none for somebody who was removed', async () => {
    showsRefused('sessions reused', 3);
    const { server, issuer, accountId, logIn, current, call } = place;
    issuer.people['gone'] = { ...ADA, email: 'gone@company.example' };
    const surfer = new Surfer();
    await logIn(surfer, 'gone');
    const before = surfer.cookieFor(server.url);
    await logIn(surfer, 'gone');
    expect(await server.app.services.auth.identify({ cookie: before })).toBeUndefined();
    const { data } = await call(surfer, 'sessions.list');
    expect(data).toHaveLength(1);
    const start = server.clock.now;
    server.clock.now = start + 23 * HOUR;
    expect(await current(surfer)).not.toBeNull();
    server.clock.now = start + 25 * HOUR;
    expect(await current(surfer)).toBeNull();
    const { db } = server.app.services.directory;
    const user = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'gone@company.example')
      .executeTakeFirstOrThrow();
    await db.deleteFrom('members').where('user_id', '=', user.id).where('account_id', '=', accountId).execute();
    expect(await logIn(surfer, 'gone')).toBe('/login?sso=not_a_member');
  });

  test('lets somebody without a password change their factors for ten minutes after a log-in at the issuer', async () => {
    showsRefused('second factor passed by', 3);
    const { server, issuer, logIn, call } = place;
    issuer.people['prover'] = { ...ADA, email: 'prover@company.example' };
    const surfer = new Surfer();
    server.clock.now = Date.now(); // the clock of the issuer is the real one
    await logIn(surfer, 'prover', { query: '?again=1' });
    const sso = { name: 'Company Login', address: `${server.url}/oidc/start` };
    const proof = async () => (await call(surfer, 'sessions.proof')).data;
    const start = (password: string) => call(surfer, 'factors.startAuthenticator', { password });
    expect(await proof()).toEqual({ by: 'issuer', again: false, sso });
    expect((await start('')).status).toBe(200);
    expect((await start(PASSWORD)).message).toContain('The password is wrong.');
    server.clock.now += 11 * MINUTE;
    expect(await proof()).toEqual({ by: 'issuer', again: true, sso });
    expect((await start('')).message).toContain('Log in again first');
    server.clock.now = Date.now();
    await logIn(surfer, 'prover', { query: '?again=1' });
    expect((await start('')).status).toBe(200);
    const owner = await server.logIn('boss@company.example');
    const headers = { cookie: owner, origin: server.url, host: new URL(server.url).host };
    await expect(server.app.services.auth.factors.startAuthenticator({ password: '' }, headers)).rejects.toThrow(
      'Enter your password.',
    );
  });

  test('asks the issuer to check a person anew, and believes when it last did', async () => {
    const { server, issuer, logIn, call } = place;
    const answer = await fetch(`${server.url}/oidc/start?again=1`, { redirect: 'manual' });
    const sent = new URL(answer.headers.get('location') ?? '').searchParams;
    expect([sent.get('prompt'), sent.get('max_age')]).toEqual(['login', '0']);
    // Without a time, an ordinary log-in may come from a session at the issuer that is days old. One that was asked for is believed.
    issuer.people['timeless'] = { ...ADA, email: 'timeless@company.example' };
    issuer.forge = ({ claims }) => delete claims['auth_time'];
    const timeless = new Surfer();
    for (const [query, again] of [
      ['', true],
      ['?again=1', false],
    ] as const) {
      await logIn(timeless, 'timeless', { query });
      expect((await call(timeless, 'sessions.proof')).data).toMatchObject({ by: 'issuer', again });
    }
    issuer.people['stale'] = { ...ADA, email: 'stale@company.example' };
    issuer.forge = ({ claims }) => (claims['auth_time'] = Math.floor(server.clock.now / 1_000) - 660);
    const surfer = new Surfer();
    await logIn(surfer, 'stale', { query: '?again=1' });
    expect((await call(surfer, 'factors.startAuthenticator', { password: '' })).message).toContain(
      'Log in again first',
    );
  });

  test('writes who came, and why others did not, to the logs', async () => {
    const { server, issuer, accountId, logIn, current } = place;
    issuer.people['logged'] = { ...ADA, email: 'logged@company.example' };
    const surfer = new Surfer();
    await logIn(surfer, 'logged');
    const id = (await current(surfer))?.user.id;
    const rows = await server.app.services.directory.db
      .selectFrom('account_log')
      .select(['action', 'actor', 'name'])
      .where('account_id', '=', accountId)
      .where('user_id', '=', id ?? '')
      .orderBy('action')
      .execute();
    expect(rows).toEqual([
      { action: 'issuer_linked', actor: 'person', name: 'Company Login' },
      { action: 'member_joined', actor: 'person', name: 'viewer' },
      { action: 'sign_in', actor: 'person', name: null },
    ]);
  });
});

describe('an issuer that', () => {
  reopen('sqlite');
  const UNREACHABLE = '/login?sso=unreachable';
  const html = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>');
    return true;
  };
  const impostor = (_request: IncomingMessage, response: ServerResponse) => {
    const metadata = { issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/authorize' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    return true;
  };
  const atToken =
    (answer: (response: ServerResponse) => void) => (request: IncomingMessage, response: ServerResponse) => {
      const isToken = request.url === '/token';
      if (isToken) answer(response);
      return isToken;
    };

  test('answers with a page, an error, a flood or the name of another is reported, and works again later', async () => {
    const { server, issuer, logIn } = place;
    issuer.people['ada'] = ADA;
    server.clock.now += 2 * HOUR; // the issuer's addresses are read again
    for (const wrong of [html, impostor]) {
      issuer.intercept = wrong;
      expect(await landing(new Surfer(), `${server.url}/oidc/start`)).toBe(UNREACHABLE);
    }
    issuer.intercept = undefined;
    expect(await logIn(new Surfer(), 'ada')).toBe('/');
    for (const answer of [
      (response: ServerResponse) => response.writeHead(503).end('down'),
      (response: ServerResponse) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(600_000)}"`),
    ]) {
      issuer.intercept = atToken(answer);
      expect(await logIn(new Surfer(), 'ada')).toBe(UNREACHABLE);
    }
    issuer.intercept = undefined;
    expect(await logIn(new Surfer(), 'ada')).toBe('/');
  });

  test('never answers is given up', async () => {
    const { issuer } = place;
    issuer.intercept = () => true;
    const config = readConfig({ ...issuer.env, BASE_URL: 'http://localhost:3000' });
    const oidc = oidcOf(config);
    if (!oidc) throw new Error('single sign-on is not set up');
    const silent = openIssuer(oidc, { now: () => 0, timeoutSeconds: 0.05 });
    const checks = { state: 's', nonce: 'n', verifier: 'v'.repeat(43), isAgain: false };
    await expect(silent.addressFor(checks)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('roles by claim', () => {
  reopen('sqlite', { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: 'it=admin, staff=viewer, pay=billing' });
  const join = async (subject: string, groups: unknown) => {
    place.issuer.people[subject] = { ...ADA, email: `${subject}@company.example`, groups };
    const surfer = new Surfer();
    const end = await place.logIn(surfer, subject);
    return end === '/' ? (await place.current(surfer))?.account.role : end;
  };

  test('follow each log-in, the first that matches counts, and without one nobody comes in', async () => {
    showsRefused('mass assignment', 6);
    expect(await join('eve', ['staff', 'x'])).toBe('viewer');
    expect(await join('eve', ['pay', 'staff', 'it'])).toBe('admin');
    expect(await join('eve', 'pay')).toBe('billing');
    for (const groups of [undefined, [], ['owner'], 'IT', { it: true }, [['it']]])
      expect(await join('eve', groups)).toBe('/login?sso=role');
    const { db } = place.server.app.services.directory;
    const log = db.selectFrom('account_log').select(['actor', 'name']).where('action', '=', 'role_changed');
    expect(await log.orderBy('created_at').orderBy('name').execute()).toEqual([
      { actor: 'issuer', name: 'admin' },
      { actor: 'issuer', name: 'billing' },
    ]);
  });

  test('never take the last owner away', async () => {
    showsRefused('sign-in denied to its owner');
    expect(await join('boss', ['staff'])).toBe('owner');
    const { db } = place.server.app.services.directory;
    const { accountId } = place;
    const second = await createAccount(
      place.server.app.services.directory,
      { email: 'second@company.example', password: PASSWORD },
      place.server.clock.now,
    );
    const member = { account_id: accountId, user_id: second.user.id, role: 'owner', created_at: 1 } as const;
    await db.insertInto('members').values(member).execute();
    expect(await join('boss', ['staff'])).toBe('viewer');
  });
});
