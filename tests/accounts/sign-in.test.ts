/** @module-tag attack */
// Signing in: sessions, passwords, origins of requests, and the addresses, across a real socket.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { REFUSALS } from '../../server/errors.ts';
import { sendError } from '../../server/process/http/respond.ts';
import { openLog } from '../../server/process/log.ts';
import { accountsOf, createAccount } from '../../server/accounts/accounts.ts';
import { AUTH_PATH } from '../../server/accounts/sign-in/auth-library.ts';
import { openDirectory } from '../../server/directory/open.ts';
import { hashToken } from '../../server/directory/ids.ts';
import { forgetSessions } from '../../server/accounts/sign-in/expired-sessions.ts';
import { caller, PAGE, testAuth } from '../setup/accounts/auth.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';
import { showsRefused } from '../setup/run/harness.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';

afterEach(() => {
  vi.useRealTimers();
});

describe.each(FORMS)('signing in, in %s', (form) => {
  const person = { email: 'ada@example.com', password: PASSWORD };

  test('gives a session that lasts until sign-out', async () => {
    showsRefused('sessions reused', 4);
    await using directory = await testDirectory(form);
    const { user } = await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { userId, setCookies } = await auth.signIn({ ...person, email: 'ADA@example.com ' }, caller());
    expect(userId).toBe(user.id);
    expect(setCookies.map((cookie) => cookie.split('=')[0])).toEqual(['footfall_session', 'footfall_browser']);
    expect(setCookies[0]).toMatch(/^footfall_session=[^;]{40,}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const headers = {
      ...PAGE,
      ...cookieOf(setCookies.slice(0, 1)),
      'user-agent': 'Secret/1.0',
      'x-forwarded-for': '203.0.113.9',
    };
    expect(await auth.identify(headers)).toEqual({
      userId: user.id,
      email: 'ada@example.com',
      name: 'ada',
      sessionId: expect.any(String) as string,
      setCookies: [],
    });
    const stored = JSON.stringify(await directory.db.selectFrom('sessions').selectAll().execute());
    expect(stored).not.toMatch(/Secret|203\.0\.113/);
    // Another process knows the session too, because the signing key is in the directory.
    expect(await (await testAuth(directory)).identify(headers)).toMatchObject({ userId: user.id });

    expect(await auth.identify({})).toBeUndefined();
    expect(await auth.identify({ cookie: 'footfall_session=forged' })).toBeUndefined();
    expect(await auth.identify({ cookie: headers.cookie.replace(/.$/, 'x') })).toBeUndefined();
    const gone = await auth.signOut(headers);
    expect(gone[0]).toMatch(/^footfall_session=; Max-Age=0/);
    expect(await auth.identify(headers)).toBeUndefined();
  });

  test('stores no token in the database that would open a session', async () => {
    showsRefused('secrets left behind');
    await using directory = await testDirectory(form);
    const { user } = await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { setCookies } = await auth.signIn(person, caller());
    const headers = cookieOf(setCookies.slice(0, 1));
    const [token = '', signature = ''] = decodeURIComponent(headers.cookie).split('=').slice(1).join('=').split('.');
    expect(await auth.identify(headers)).toMatchObject({ userId: user.id });
    const [stored] = await directory.db.selectFrom('sessions').selectAll().execute();
    expect(stored?.token).toBe(hashToken(token));
    expect(JSON.stringify(stored)).not.toContain(token);
    // Even with the key that signs cookies, which is in the same database, the stored hash opens no session.
    const { value } = await directory.db
      .selectFrom('secrets')
      .selectAll()
      .where('name', '=', 'sessions')
      .executeTakeFirstOrThrow();
    const sign = (text: string) => createHmac('sha256', value).update(text).digest('base64');
    expect(signature).toBe(sign(token));
    const forged = `${stored?.token}.${sign(stored?.token ?? '')}`;
    expect(await auth.identify({ cookie: `footfall_session=${encodeURIComponent(forged)}` })).toBeUndefined();
  });

  test('stores a session that a job deletes once it has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    await auth.signIn(person, caller());
    vi.setSystemTime(NOON + DAY);
    const { setCookies } = await auth.signIn(person, caller());
    const code = { identifier: 'x', value: 'y', created_at: NOON, updated_at: NOON };
    for (const days of [29, 31])
      await directory.db
        .insertInto('verifications')
        .values({ id: `code_${days}`, ...code, expires_at: NOON + days * DAY })
        .execute();
    expect(await forgetSessions(directory, NOON + 30 * DAY)).toBe(1);
    expect(await forgetSessions(directory, NOON + 30 * DAY + 1)).toBe(1);
    expect(await auth.identify(cookieOf(setCookies))).toMatchObject({ email: person.email });
    const left = await directory.db.selectFrom('verifications').select('id').execute();
    expect(left).toEqual([{ id: 'code_31' }]);
  });

  test('gives a session that is prolonged once a day, and ends after 30 days without a visit', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { setCookies } = await auth.signIn(person, caller());
    const headers = cookieOf(setCookies);
    vi.setSystemTime(NOON + DAY + 1_000);
    expect((await auth.identify(headers))?.setCookies[0]).toMatch(/^footfall_session=.*Max-Age=2592000/);
    expect((await auth.identify(headers))?.setCookies).toEqual([]);
    vi.setSystemTime(NOON + 31 * DAY);
    expect(await auth.identify(headers)).toMatchObject({ email: person.email });
    vi.setSystemTime(NOON + 62 * DAY);
    expect(await auth.identify(headers)).toBeUndefined();
  });

  test('a new password ends every session and the old password', async () => {
    showsRefused('sessions reused');
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const [first, second] = [await auth.signIn(person, caller()), await auth.signIn(person, caller())];
    const headers = { ...PAGE, ...cookieOf(first.setCookies) };
    const change = (current: string, next: string, from: IncomingHttpHeaders = headers) =>
      auth.changePassword({ current, next }, from);
    expect(await outcome(change('wrong horse', 'battery staple'))).toBe('bad_request: The current password is wrong.');
    expect(await outcome(change(PASSWORD, 'short'))).toBe('bad_request: The password must have 8 to 128 characters.');
    expect(await outcome(change(PASSWORD, 'battery staple', PAGE))).toBe(
      'unauthorized: Log in to change the password.',
    );
    const renewed = await change(PASSWORD, 'battery staple');
    for (const { setCookies } of [first, second]) expect(await auth.identify(cookieOf(setCookies))).toBeUndefined();
    expect(await auth.identify(cookieOf(renewed.setCookies))).toMatchObject({ email: person.email });
    expect(await outcome(auth.signIn(person, caller()))).toMatch(/^unauthorized/);
    expect(await outcome(auth.signIn({ ...person, password: 'battery staple' }, caller()))).toBe('allowed');
  });

  test('a wrong password and an unknown address get the same answer', async () => {
    showsRefused('timing');
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const refused = 'unauthorized: The e-mail address or the password is wrong.';
    for (const tried of [
      { ...person, password: 'wrong horse' },
      { ...person, password: '' },
      { ...person, password: 'x'.repeat(10_000) },
      { ...person, email: 'nobody@example.com' },
    ])
      expect(await outcome(auth.signIn(tried, caller()))).toBe(refused);
  });

  test('at most ten passwords a minute are tried for an account, five of them from one address', async () => {
    showsRefused('guessing passwords and keys');
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    // The right password uses up no attempts.
    for (let n = 0; n < 12; n += 1) expect(await outcome(auth.signIn(person, caller()))).toBe('allowed');
    const burst = await Promise.all(
      [1, 2, 3].flatMap((host) =>
        Array.from({ length: 30 }, () =>
          outcome(auth.signIn({ ...person, password: 'wrong horse' }, caller(PAGE, `198.51.100.${host}`))),
        ),
      ),
    );
    const count = (code: string) => burst.filter((text) => text.startsWith(code)).length;
    expect([count('unauthorized'), count('too_many_requests')]).toEqual([10, 80]);
    // The right one has to wait, too; another account does not.
    const refused = auth.signIn(person, caller()).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 60 });
    const bob = { ...person, email: 'bob@example.com' };
    expect(await outcome(auth.signIn(bob, caller()))).toMatch(/^unauthorized/);
    vi.setSystemTime(NOON + 60_000);
    expect(await outcome(auth.signIn(person, caller()))).toBe('allowed');
  });

  test('wrong passwords from one address do not block the right one from another', async () => {
    showsRefused('sign-in denied to its owner');
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    for (let n = 0; n < 30; n += 1)
      await outcome(auth.signIn({ ...person, password: 'wrong horse' }, caller(PAGE, '198.51.100.1')));
    for (let n = 0; n < 12; n += 1) expect(await outcome(auth.signIn(person, caller()))).toBe('allowed');
    expect(await outcome(auth.signIn(person, caller(PAGE, '198.51.100.1')))).toMatch(/^too_many_requests/);
  });

  test('a browser that has signed in before gets in while its address and its account are out of attempts', async () => {
    showsRefused('sign-in denied to its owner');
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory, { now: Date.now });
    const { setCookies } = await auth.signIn(person, caller());
    const known = setCookies.filter((cookie) => cookie.startsWith('footfall_browser='));
    expect(known).toEqual([
      expect.stringMatching(
        /^footfall_browser=[\w-]{22}\.\d+\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const browser = { ...PAGE, ...cookieOf(known) };
    expect(await auth.identify(browser)).toBeUndefined(); // it opens no session
    const wrong = { ...person, password: 'wrong horse' };
    for (const host of [1, 2, 3])
      for (let n = 0; n < 10; n += 1) await outcome(auth.signIn(wrong, caller(PAGE, `203.0.113.${host}`)));
    for (let n = 0; n < 12; n += 1) expect(await outcome(auth.signIn(person, caller(browser)))).toBe('allowed');
    // Another person's cookie does not help, nor a forged one, nor one older than browsers keep it.
    await createAccount(directory, { ...person, email: 'eve@example.com' }, NOON);
    const eve = await auth.signIn({ ...person, email: 'eve@example.com' }, caller(PAGE, '192.0.2.1'));
    for (const cookie of [cookieOf(eve.setCookies).cookie, browser.cookie.replace(/.$/, 'x'), 'footfall_browser=a.1.b'])
      expect(await outcome(auth.signIn(person, caller({ ...PAGE, cookie }, '192.0.2.1')))).toMatch(/^too_many/);
    // The browser does not bypass the limit: its own wrong passwords count, too.
    const tried = [];
    for (let n = 0; n < 12; n += 1) tried.push((await outcome(auth.signIn(wrong, caller(browser)))).split(':')[0]);
    expect(tried).toEqual([...Array<string>(10).fill('unauthorized'), 'too_many_requests', 'too_many_requests']);
    vi.setSystemTime(NOON + 401 * DAY);
    for (let n = 0; n < 5; n += 1) await outcome(auth.signIn(wrong, caller(browser)));
    expect(await outcome(auth.signIn(person, caller(browser)))).toMatch(/^too_many/);
  });

  test('works with the right password while 40 connections send nonsense', async () => {
    showsRefused('sign-in denied to its owner', 40);
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { setCookies } = await auth.signIn(person, caller());
    const browser = { ...PAGE, ...cookieOf(setCookies) };
    let isOver = false;
    let nonsense = 0;
    const connection = async (host: number) => {
      for (let n = 0; !isOver; n += 1) {
        nonsense += 1;
        const guess = { email: `p${host}-${n}@example.com`, password: PASSWORD };
        await outcome(auth.signIn(guess, caller(PAGE, `198.51.100.${host}`)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const attack = Array.from({ length: 40 }, (_, host) => connection(host));
    // From a new browser at its own address, and from the known browser at the attackers' address.
    for (let n = 0; n < 6; n += 1) {
      expect(await outcome(auth.signIn(person, caller()))).toBe('allowed');
      expect(await outcome(auth.signIn(person, caller(browser, '198.51.100.1')))).toBe('allowed');
    }
    isOver = true;
    await Promise.all(attack);
    expect(nonsense).toBeGreaterThan(40);
  });

  test('guesses at many accounts from one address end after thirty', async () => {
    showsRefused('guessing passwords and keys');
    await using directory = await testDirectory(form);
    const auth = await testAuth(directory);
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 60; n += 1) {
      const guess = { email: `p${n}@example.com`, password: PASSWORD };
      codes.push((await outcome(auth.signIn(guess, caller()))).split(':')[0]);
    }
    const limit = 30;
    expect(codes).toEqual([
      ...Array<string>(limit).fill('unauthorized'),
      ...Array<string>(60 - limit).fill('too_many_requests'),
    ]);
  });

  test('signing up is closed unless it is opened, and starts a trial', async () => {
    await using directory = await testDirectory(form);
    const closed = await testAuth(directory);
    expect(await outcome(closed.signUps.request(person, caller()))).toBe(
      'forbidden: Signing up is closed on this server.',
    );
    const auth = await testAuth(directory, { config: { SIGNUP: 'open', TLS_CERT: undefined } });
    const { userId = '', setCookies = [] } = (await auth.signUps.request(person, caller())) ?? {};
    expect(await auth.identify(cookieOf(setCookies))).toMatchObject({ userId });
    expect(await accountsOf(directory, userId)).toMatchObject([{ status: 'trialing', role: 'owner' }]);
  });
});

describe('the origin of a request', () => {
  const loopback: [string, IncomingHttpHeaders, boolean][] = [
    ['no browser', { host: 'localhost:3000' }, true],
    ['the same page', { origin: 'http://localhost:3000', host: 'localhost:3000' }, true],
    ['the same page by number', { origin: 'http://127.0.0.1:8123', host: '127.0.0.1:8123' }, true],
    ['the same page by IPv6', { origin: 'http://[::1]:3000', host: '[::1]:3000' }, true],
    ['another port', { origin: 'http://localhost:8080', host: 'localhost:3000' }, false],
    ['another name of this machine', { origin: 'http://localhost:3000', host: '127.0.0.1:3000' }, false],
    ['another site', { origin: 'https://evil.example', host: 'localhost:3000' }, false],
    ['a name that was made to point here', { origin: 'http://evil.example', host: 'evil.example' }, false],
    ['a look-alike', { origin: 'http://localhost.evil.example', host: 'localhost.evil.example' }, false],
    ['a sandbox', { origin: 'null', host: 'localhost:3000' }, false],
    ['a form elsewhere', { 'sec-fetch-site': 'cross-site', host: 'localhost:3000' }, false],
    ['nonsense', { origin: 'http://localhost:3000/path', host: 'localhost:3000' }, false],
    ['a file', { origin: 'file://', host: '' }, false],
  ];

  test.each(loopback)('without BASE_URL: %s', async (_name, headers, isTrusted) => {
    await using directory = await testDirectory('sqlite');
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const auth = await testAuth(directory);
    expect(auth.isTrustedOrigin(headers)).toBe(isTrusted);
    const signedIn = await outcome(auth.signIn({ email: 'ada@example.com', password: PASSWORD }, caller(headers)));
    expect(signedIn).toBe(
      isTrusted
        ? 'allowed'
        : 'forbidden: This request comes from a page of another address. Open Footfall at its own address, the one in BASE_URL.',
    );
  });

  test('with BASE_URL only that address is trusted, and the cookie is bound to it', async () => {
    showsRefused('cookies without protection');
    await using directory = await testDirectory('sqlite');
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const auth = await testAuth(directory, { baseUrl: 'https://stats.example.com/' });
    const page = { origin: 'https://stats.example.com', host: 'stats.example.com' };
    for (const origin of ['http://stats.example.com', 'https://example.com', 'http://localhost:3000', 'null'])
      expect(auth.isTrustedOrigin({ origin, host: new URL(page.origin).host })).toBe(false);
    const { setCookies } = await auth.signIn({ email: 'ada@example.com', password: PASSWORD }, caller(page));
    expect(setCookies[0]).toMatch(
      /^__Host-footfall_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const headers = { ...page, ...cookieOf(setCookies) };
    expect(await auth.identify(headers)).toMatchObject({ email: 'ada@example.com' });
    expect(await outcome(auth.signOut({ ...headers, origin: 'https://evil.example' }))).toMatch(/^forbidden/);
    expect(await auth.identify(headers)).toBeDefined();
  });
});

describe('the addresses of sign-in', () => {
  async function serve(directory: TestDirectory) {
    const auth = await testAuth(directory);
    const log = openLog('silent');
    const server = createServer((request, response) => {
      auth
        .handler(request, response, () => '203.0.113.1')
        .catch((error: unknown) => {
          sendError(response, error, log);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      send: (path: string, init: RequestInit = {}) =>
        fetch(`${base}${AUTH_PATH}${path}`, { ...init, headers: { origin: base, ...init.headers } }),
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }
  const json = (body: unknown) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  test('sign in, say who is signed in, and sign out', async () => {
    await using directory = await testDirectory('sqlite');
    const { user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    await using server = await serve(directory);
    const signedIn = await server.send('/sign-in/email', json({ email: 'ada@example.com', password: PASSWORD }));
    expect([signedIn.status, await signedIn.json()]).toEqual([200, { data: { id: user.id } }]);
    expect(signedIn.headers.get('cache-control')).toBe('no-store');
    const headers = cookieOf(signedIn.headers.getSetCookie());
    const me = await server.send('/get-session', { headers });
    expect(await me.json()).toEqual({ data: { id: user.id, email: 'ada@example.com', name: 'ada' } });
    const out = await server.send('/sign-out', { method: 'POST', headers });
    expect([out.status, await out.json()]).toEqual([200, { data: { signed_out: true } }]);
    expect(await (await server.send('/get-session', { headers })).json()).toEqual({ data: null });
  });

  test('reach nothing else of the library, and explain bad input', async () => {
    await using directory = await testDirectory('sqlite');
    await using server = await serve(directory);
    const library = [
      '/sign-up/email',
      '/update-user',
      '/delete-user',
      '/list-sessions',
      '/change-email',
      '/ok',
      '/error',
    ];
    const other = [
      '',
      '/',
      '/sign-in',
      '/sign-in/social',
      '/sign-in/email/',
      '/%2e%2e/x',
      '/__proto__',
      '/constructor',
    ];
    for (const path of [...library, ...other])
      for (const init of [{}, json({ email: 'eve@example.com', password: PASSWORD, name: 'Eve' })]) {
        const answer = await server.send(path, init);
        expect(`${path} ${answer.status}`).toBe(`${path} 404`);
      }
    const cases: [number, RequestInit & { path?: string }][] = [
      [405, { method: 'GET' }],
      [405, { path: '/get-session', method: 'POST' }],
      [415, { method: 'POST', body: 'email=a&password=b' }],
      [415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }],
      [400, { ...json({}), body: '{' }],
      [400, json([])],
      [400, json({ email: ['a'], password: {} })],
      [400, json({ email: 'nonsense', password: PASSWORD })],
      [400, json({ email: 'a\0@example.com', password: PASSWORD })],
      [401, json({ email: 'ada@example.com', password: '\ud800' })],
      [413, json({ email: 'a'.repeat(5_000), password: PASSWORD })],
      [403, { ...json({}), headers: { 'content-type': 'application/json', origin: 'https://evil.example' } }],
      [403, { path: '/sign-out', method: 'POST', headers: { origin: 'https://evil.example' } }],
    ];
    for (const [status, { path = '/sign-in/email', ...init }] of cases) {
      const body = {
        ...init,
        ...(status === 403 && path !== '/sign-out' && { body: json({ email: 'a@b.cd', password: 'x' }).body }),
      };
      const answer = await server.send(path, body);
      const error = (await answer.json()) as { error: keyof typeof REFUSALS; status: number; message: string };
      expect(answer.status).toBe(status);
      expect(error.status).toBe(status);
      expect(REFUSALS[error.error].status).toBe(status);
      expect(error.message).toMatch(/\.$/);
    }
  });
});

test('while the database is away, signing in and using a session are Unavailable, not refused', async () => {
  await using postgres = await startPostgres({ own: true });
  await using place = await directoryPlace('sqlite');
  const directory = await openDirectory({ path: place.path, databaseUrl: postgres.url });
  await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
  const auth = await testAuth(directory);
  const { setCookies } = await auth.signIn({ email: 'ada@example.com', password: PASSWORD }, caller());
  const headers = { ...PAGE, ...cookieOf(setCookies) };
  await postgres.kill();
  const away = { message: 'The directory store does not answer.' };
  await expect(auth.identify(headers)).rejects.toMatchObject(away);
  await expect(auth.signIn({ email: 'ada@example.com', password: PASSWORD }, caller())).rejects.toMatchObject(away);
  await expect(auth.changePassword({ current: PASSWORD, next: 'battery staple' }, headers)).rejects.toMatchObject(away);
  await expect(auth.signOut(headers)).rejects.toMatchObject(away);
  await postgres.restart();
  expect(await auth.identify(headers)).toMatchObject({ email: 'ada@example.com' });
  await directory.close();
});
