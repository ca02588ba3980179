// Accounts, plans, access and sign-in, on both forms of the directory. Sign-in crosses a real socket.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { REFUSALS, Refusal } from '../server/errors.ts';
import { sendError } from '../server/http/respond.ts';
import { openLog } from '../server/log.ts';
import { accountFor, NEEDS, siteFor, type Need, type Viewer } from '../server/sites/access.ts';
import { accountOfEmail, accountsOf, createAccount, hasAccounts, listAccounts } from '../server/sites/accounts.ts';
import { ATTEMPTS_A_MINUTE, AUTH_PATH, openAuth, type Auth } from '../server/sites/auth.ts';
import { openDirectory } from '../server/sites/directory.ts';
import { firstStartToken, isFirstStartToken, redeemFirstStart } from '../server/sites/first-start.ts';
import { changePlan, effectivePlan, PERIOD_MS, setPlan, TRANSITIONS, type Transition } from '../server/sites/plans.ts';
import { ROLES, STATUSES, type Role, type Status } from '../server/sites/schema.ts';
import { createSite } from '../server/sites/sites.ts';
import { NOON } from './setup/clock.ts';
import { directoryPlace, FORMS, testDirectory, type TestDirectory } from './setup/directory.ts';
import { startPostgres } from './setup/postgres.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';
const PAGE = { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' };

afterEach(() => {
  vi.useRealTimers();
});

async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'allowed',
    (error: unknown) => {
      if (error instanceof Refusal) return `${error.code}: ${error.message}`;
      throw error;
    },
  );
}

/** The cookies that a browser would send back. */
function cookieOf(setCookies: string[]): { cookie: string } {
  return { cookie: setCookies.map((cookie) => cookie.split(';')[0]).join('; ') };
}

async function testAuth(
  directory: TestDirectory,
  options: Partial<Parameters<typeof openAuth>[0]> = {},
): Promise<Auth> {
  const config = { SIGNUP: 'closed' as const, TLS_CERT: undefined };
  return openAuth({ directory, config, baseUrl: undefined, now: NOON, ...options });
}

describe.each(FORMS)('accounts in %s', (form) => {
  test('an account comes with its user, its owner and a trial of 14 days', async () => {
    await using directory = await testDirectory(form);
    expect(await hasAccounts(directory)).toBe(false);
    const input = { email: ' Ada@Example.com ', password: PASSWORD };
    const { account, user } = await createAccount(directory, input, NOON);
    expect(user).toEqual({ id: expect.stringMatching(/^user_/) as string, email: 'ada@example.com', name: 'ada' });
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_[0-9A-HJKMNP-TV-Z]{26}$/) as string,
      name: 'ada',
      plan: 'pro',
      status: 'trialing',
      trial_ends_at: NOON + 14 * DAY,
      paid_until: null,
      created_at: NOON,
    });
    expect(await hasAccounts(directory)).toBe(true);
    expect(await accountsOf(directory, user.id)).toEqual([{ ...account, role: 'owner' }]);
    expect(await accountOfEmail(directory, 'ADA@example.com')).toEqual(account);
    const operators = { email: 'bob@example.com', password: PASSWORD, plan: 'starter', status: 'active' } as const;
    const made = await createAccount(directory, { ...operators, name: 'Bob' }, NOON + 1);
    expect(made.account).toMatchObject({ name: 'Bob', plan: 'starter', status: 'active', trial_ends_at: null });
    const emails = (await listAccounts(directory)).map((each) => each.emails);
    expect(emails).toEqual([['ada@example.com'], ['bob@example.com']]);
    const stored = JSON.stringify(await directory.db.selectFrom('credentials').selectAll().execute());
    expect(stored).not.toContain(PASSWORD);
  });

  test('bad input makes no account, and says what is allowed', async () => {
    await using directory = await testDirectory(form);
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const tries: [string, string, string][] = [
      ['ADA@example.com', PASSWORD, 'There is already an account with this e-mail address.'],
      ['ada', PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      ['a\0b@example.com', PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      [`${'a'.repeat(250)}@x.yz`, PASSWORD, 'The e-mail address is malformed: enter one such as name@example.com.'],
      ['bob@example.com', 'short77', 'The password must have 8 to 128 characters.'],
      ['bob@example.com', 'x'.repeat(129), 'The password must have 8 to 128 characters.'],
      ['bob@example.com', 'Bob@example.com', 'The password must differ from the e-mail address.'],
    ];
    for (const [email, password, message] of tries)
      expect(await outcome(createAccount(directory, { email, password }, NOON))).toBe(`bad_request: ${message}`);
    const long = { email: 'bob@example.com', password: PASSWORD, name: 'x'.repeat(101) };
    expect(await outcome(createAccount(directory, long, NOON))).toMatch(/^bad_request: The name/);
    expect(await listAccounts(directory)).toHaveLength(1);
    expect(await directory.db.selectFrom('users').selectAll().execute()).toHaveLength(1);
    expect(await outcome(accountOfEmail(directory, 'bob@example.com'))).toBe(
      'not_found: There is no account with the e-mail address bob@example.com.',
    );
  });

  test('of two that take the same address at once, one gets it, whole', async () => {
    await using directory = await testDirectory(form);
    const input = { email: 'ada@example.com', password: PASSWORD };
    const made = await Promise.allSettled([1, 2].map(() => createAccount(directory, input, NOON)));
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const table of ['users', 'credentials', 'accounts', 'members'] as const)
      expect(await directory.db.selectFrom(table).selectAll().execute()).toHaveLength(1);
  });

  test('the first account is made once, by one of the addresses that a start printed', async () => {
    await using directory = await testDirectory(form);
    const tokens = [await firstStartToken(directory, NOON), await firstStartToken(directory, NOON + 1)] as string[];
    const [first = '', second = ''] = tokens;
    expect(first).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(JSON.stringify(await directory.db.selectFrom('first_start').selectAll().execute())).not.toContain(first);
    expect(await isFirstStartToken(directory, first)).toBe(true);
    expect(await isFirstStartToken(directory, `${first}\0`)).toBe(false);
    const person = { email: 'ada@example.com', password: PASSWORD };
    const closed = 'forbidden: This address is no longer valid: sign in, or start Footfall again to get a new one.';
    expect(await outcome(redeemFirstStart(directory, { ...person, token: 'wrong' }, NOON))).toBe(closed);
    expect(await outcome(redeemFirstStart(directory, { ...person, token: first, password: 'x' }, NOON))).toMatch(
      /^bad_request/,
    );
    const redeemed = await Promise.allSettled(
      [first, second, first].map((token, n) =>
        redeemFirstStart(directory, { ...person, email: `p${n}@example.com`, token }, NOON),
      ),
    );
    expect(redeemed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const [made] = await listAccounts(directory);
    expect(made).toMatchObject({ status: 'trialing', trial_ends_at: NOON + 14 * DAY });
    for (const token of tokens) {
      expect(await isFirstStartToken(directory, token)).toBe(false);
      expect(await outcome(redeemFirstStart(directory, { ...person, token }, NOON))).toBe(closed);
    }
    expect(await firstStartToken(directory, NOON)).toBeUndefined();
  });

  test('an account that the operator made closes the first-start page', async () => {
    await using directory = await testDirectory(form);
    const token = (await firstStartToken(directory, NOON)) ?? '';
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const person = { token, email: 'eve@example.com', password: PASSWORD };
    expect(await outcome(redeemFirstStart(directory, person, NOON))).toMatch(/^forbidden/);
  });

  test('only the newest first-start addresses are kept', async () => {
    await using directory = await testDirectory(form);
    for (let n = 0; n < 12; n += 1) await firstStartToken(directory, NOON + n);
    expect(await directory.db.selectFrom('first_start').selectAll().execute()).toHaveLength(10);
  });

  test('each transition of a plan leads where the table says, from where it says, and from nowhere else', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    for (const name of Object.keys(TRANSITIONS) as Transition[])
      for (const status of STATUSES) {
        await setPlan(directory, { accountId: account.id, plan: 'starter', status, until: NOON + DAY }, NOON);
        const step = TRANSITIONS[name];
        const changed = changePlan(directory, { accountId: account.id, transition: name, plan: 'pro' }, NOON);
        if ((step.from as readonly Status[]).includes(status)) {
          const after = await changed;
          expect(effectivePlan(after, NOON, { billing: 'on' }).status).toBe(step.to);
          expect(after.plan).toBe(step.to === 'active' ? 'pro' : 'starter');
        } else expect(await outcome(changed)).toBe(`bad_request: An account that is ${status} cannot ${name}.`);
      }
  });

  test('a plan lives through trial, subscription, cancellation, end, and subscribing again', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const accountId = account.id;
    const standing = async (at: number) => {
      const now = await accountOfEmail(directory, 'ada@example.com');
      const { status, plan } = effectivePlan(now, at, { billing: 'on' });
      return `${status} ${plan}`;
    };
    expect(await standing(NOON + 14 * DAY - 1)).toBe('trialing pro');
    expect(await standing(NOON + 14 * DAY)).toBe('expired pro');
    const paidUntil = NOON + 50 * DAY;
    await changePlan(directory, { accountId, transition: 'subscribe', plan: 'starter', paidUntil }, NOON + 20 * DAY);
    expect(await standing(NOON + 20 * DAY)).toBe('active starter');
    await changePlan(directory, { accountId, transition: 'cancel' }, NOON + 21 * DAY);
    expect(await standing(paidUntil - 1)).toBe('cancelled starter');
    expect(await standing(paidUntil)).toBe('expired starter');
    const cancelAgain = changePlan(directory, { accountId, transition: 'cancel' }, paidUntil);
    expect(await outcome(cancelAgain)).toBe('bad_request: An account that is expired cannot cancel.');
    await changePlan(directory, { accountId, transition: 'resubscribe', plan: 'pro' }, paidUntil + DAY);
    expect(await standing(paidUntil + 1_000 * DAY)).toBe('active pro');
    // Where no paid period is known, a cancelled account keeps one of a month.
    await changePlan(directory, { accountId, transition: 'cancel' }, paidUntil);
    expect(await standing(paidUntil + PERIOD_MS - 1)).toBe('cancelled pro');
    expect(await standing(paidUntil + PERIOD_MS)).toBe('expired pro');
    const nobody = { accountId: 'acct_0', transition: 'cancel' } as const;
    expect(await outcome(changePlan(directory, nobody, NOON))).toBe('not_found: There is no such account.');
  });
});

describe.each(FORMS)('who may see a site in %s', (form) => {
  /** One account with a person of each role, a foreign one, and a site of each. */
  async function world(directory: TestDirectory) {
    const { account } = await createAccount(directory, { email: 'owner@example.com', password: PASSWORD }, NOON);
    const foreign = await createAccount(directory, { email: 'foreign@example.com', password: PASSWORD }, NOON);
    const people: Partial<Record<Role, string>> = {};
    for (const role of ROLES) {
      const email = `${role}2@example.com`;
      const { user } = await createAccount(directory, { email, password: PASSWORD }, NOON);
      people[role] = user.id;
      await directory.db
        .insertInto('members')
        .values({ account_id: account.id, user_id: user.id, role, created_at: NOON })
        .execute();
    }
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const other = await createSite(directory, { accountId: foreign.account.id, domain: 'foreign.example' }, NOON);
    const user = (userId = ''): Viewer => ({ kind: 'user', userId });
    const viewers: Record<string, Viewer> = {
      owner: user(people.owner),
      admin: user(people.admin),
      viewer: user(people.viewer),
      stranger: user(foreign.user.id),
      nobody: user('user_0'),
      share: { kind: 'share', siteId: site.id },
      'other share': { kind: 'share', siteId: other.id },
      key: { kind: 'key', accountId: account.id },
      'other key': { kind: 'key', accountId: foreign.account.id },
    };
    return { account, foreign: foreign.account, site, other, viewers };
  }

  const NOT_FOUND = 'not_found: There is no such site in this account.';
  const ROLE = 'forbidden: Your role in this account does not allow this: ask an owner of the account.';
  const SHARED = 'forbidden: A shared dashboard can be looked at, not changed.';
  const KEY = 'forbidden: An API key cannot change this: use the dashboard.';
  const GRANTED: Record<string, Record<Need, string>> = {
    owner: { read: 'allowed', admin: 'allowed', owner: 'allowed' },
    admin: { read: 'allowed', admin: 'allowed', owner: ROLE },
    viewer: { read: 'allowed', admin: ROLE, owner: ROLE },
    share: { read: 'allowed', admin: SHARED, owner: SHARED },
    key: { read: 'allowed', admin: KEY, owner: KEY },
  };

  test('every viewer, every need, own and foreign sites, by id and by domain', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site, other } = await world(directory);
    const options = { now: NOON, billing: 'on' } as const;
    const ask = (viewer: Viewer, which: { siteId: string } | { domain: string }, need: Need) =>
      outcome(siteFor(directory, viewer, which, need, options));
    for (const [name, viewer] of Object.entries(viewers))
      for (const need of NEEDS) {
        const expected = GRANTED[name]?.[need] ?? NOT_FOUND;
        expect(`${name} ${need}: ${await ask(viewer, { siteId: site.id }, need)}`).toBe(`${name} ${need}: ${expected}`);
        expect(await ask(viewer, { domain: 'Example.COM' }, need)).toBe(expected);
        // What is unknown and what is somebody else's look the same, to the letter.
        const unknown = await ask(viewer, { siteId: 'site_0000000000000000' }, need);
        expect(unknown).toBe(NOT_FOUND);
        for (const bad of ['', 'site_', '../x', 'site_\0', '%00', '😀', 'x'.repeat(10_000), site.id.toLowerCase()])
          expect(await ask(viewer, { siteId: bad }, need)).toBe(unknown);
        expect(await ask(viewer, { domain: 'unknown.example' }, need)).toBe(unknown);
        if (name in GRANTED) expect(await ask(viewer, { siteId: other.id }, need)).toBe(unknown);
        if (name in GRANTED) expect(await ask(viewer, { domain: 'foreign.example' }, need)).toBe(unknown);
      }
  });

  test('says which site it is, whose, in which role and on what plan', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site, account } = await world(directory);
    const options = { now: NOON, billing: 'on' } as const;
    const access = await siteFor(directory, viewers.admin ?? fail(), { siteId: site.id }, 'read', options);
    expect(access).toEqual({
      site,
      account,
      role: 'admin',
      plan: { status: 'trialing', plan: 'pro', includesApi: true, canSeeDashboard: true },
    });
    const shared = await siteFor(directory, viewers.share ?? fail(), { siteId: site.id }, 'read', options);
    expect(shared.role).toBe('viewer');
  });

  test('an expired account keeps its plan and its export, and nothing is shown; billing off knows no end', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site } = await world(directory);
    const late = { now: NOON + 15 * DAY, billing: 'on' } as const;
    const ask = (name: string, options: Parameters<typeof siteFor>[4], need: Need = 'read') =>
      outcome(siteFor(directory, viewers[name] ?? fail(), { siteId: site.id }, need, options));
    const ended = 'The plan of this account has ended: subscribe to see the dashboard again, or export your data.';
    const noApi = 'The plan of this account does not include the API: change to the Pro plan to use it.';
    for (const name of ['owner', 'admin', 'viewer']) {
      expect(await ask(name, late)).toBe(`forbidden: ${ended}`);
      expect(await ask(name, { ...late, evenExpired: true })).toBe('allowed');
    }
    for (const evenExpired of [false, true]) {
      expect(await ask('share', { ...late, evenExpired })).toBe(
        'forbidden: This dashboard is not available at the moment.',
      );
      expect(await ask('key', { ...late, evenExpired })).toBe(`forbidden: ${noApi}`);
    }
    expect(await ask('owner', { ...late, evenExpired: true }, 'owner')).toBe('allowed');
    expect(await ask('viewer', { ...late, evenExpired: true }, 'owner')).toBe(ROLE);
    for (const name of ['owner', 'admin', 'viewer', 'share', 'key'])
      expect(await ask(name, { ...late, billing: 'off' })).toBe('allowed');
    // An unknown site stays unknown, whatever the plan; but a key hears of its plan first.
    const unknown = { siteId: 'site_0000000000000000' };
    expect(await outcome(siteFor(directory, viewers.owner ?? fail(), unknown, 'read', late))).toBe(NOT_FOUND);
    expect(await outcome(siteFor(directory, viewers.key ?? fail(), unknown, 'read', late))).toBe(`forbidden: ${noApi}`);
  });

  test('a key needs a plan with the API, a dashboard does not', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site, account } = await world(directory);
    await setPlan(directory, { accountId: account.id, plan: 'starter', status: 'active' }, NOON);
    const options = { now: NOON, billing: 'on' } as const;
    const ask = (name: string) =>
      outcome(siteFor(directory, viewers[name] ?? fail(), { siteId: site.id }, 'read', options));
    expect(await ask('key')).toMatch(/^forbidden: The plan of this account does not include the API/);
    expect(await ask('owner')).toBe('allowed');
    expect(await ask('share')).toBe('allowed');
  });

  test('an account is its members’ and nobody else’s', async () => {
    await using directory = await testDirectory(form);
    const { viewers, account } = await world(directory);
    const options = { now: NOON, billing: 'on' } as const;
    const unknown = 'not_found: There is no such account.';
    for (const [name, viewer] of Object.entries(viewers))
      for (const need of NEEDS) {
        const expected = name === 'share' ? unknown : (GRANTED[name]?.[need] ?? unknown);
        expect(await outcome(accountFor(directory, viewer, { accountId: account.id }, need, options))).toBe(expected);
        expect(await outcome(accountFor(directory, viewer, { accountId: 'acct_\0' }, need, options))).toBe(unknown);
      }
  });
});

describe.each(FORMS)('signing in, in %s', (form) => {
  const person = { email: 'ada@example.com', password: PASSWORD };

  test('gives a session that lasts until it is signed out', async () => {
    await using directory = await testDirectory(form);
    const { user } = await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { userId, setCookies } = await auth.signIn({ ...person, email: 'ADA@example.com ' }, PAGE);
    expect(userId).toBe(user.id);
    expect(setCookies).toHaveLength(1);
    expect(setCookies[0]).toMatch(/^footfall_session=[^;]{40,}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const headers = { ...PAGE, ...cookieOf(setCookies), 'user-agent': 'Secret/1.0', 'x-forwarded-for': '203.0.113.9' };
    expect(await auth.identify(headers)).toEqual({
      userId: user.id,
      email: 'ada@example.com',
      name: 'ada',
      sessionId: expect.any(String) as string,
      setCookies: [],
    });
    const stored = JSON.stringify(await directory.db.selectFrom('sessions').selectAll().execute());
    expect(stored).not.toMatch(/Secret|203\.0\.113/);
    // Another process knows the session too, since the key that signs it is in the directory.
    expect(await (await testAuth(directory)).identify(headers)).toMatchObject({ userId: user.id });

    expect(await auth.identify({})).toBeUndefined();
    expect(await auth.identify({ cookie: 'footfall_session=forged' })).toBeUndefined();
    expect(await auth.identify({ cookie: headers.cookie.replace(/.$/, 'x') })).toBeUndefined();
    const gone = await auth.signOut(headers);
    expect(gone[0]).toMatch(/^footfall_session=; Max-Age=0/);
    expect(await auth.identify(headers)).toBeUndefined();
  });

  test('is prolonged once a day, and ends after 30 days without a visit', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const { setCookies } = await auth.signIn(person, PAGE);
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
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    const [first, second] = [await auth.signIn(person, PAGE), await auth.signIn(person, PAGE)];
    const headers = { ...PAGE, ...cookieOf(first.setCookies) };
    const change = (current: string, next: string, from: IncomingHttpHeaders = headers) =>
      auth.changePassword({ current, next }, from);
    expect(await outcome(change('wrong horse', 'battery staple'))).toBe('bad_request: The current password is wrong.');
    expect(await outcome(change(PASSWORD, 'short'))).toBe('bad_request: The password must have 8 to 128 characters.');
    expect(await outcome(change(PASSWORD, 'battery staple', PAGE))).toBe(
      'unauthorized: Sign in to change the password.',
    );
    const renewed = await change(PASSWORD, 'battery staple');
    for (const { setCookies } of [first, second]) expect(await auth.identify(cookieOf(setCookies))).toBeUndefined();
    expect(await auth.identify(cookieOf(renewed.setCookies))).toMatchObject({ email: person.email });
    expect(await outcome(auth.signIn(person, PAGE))).toMatch(/^unauthorized/);
    expect(await outcome(auth.signIn({ ...person, password: 'battery staple' }, PAGE))).toBe('allowed');
  });

  test('a wrong password and an unknown address get the same answer', async () => {
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
      expect(await outcome(auth.signIn(tried, PAGE))).toBe(refused);
  });

  test('at most ten passwords a minute are tried for an account, however many come at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    await using directory = await testDirectory(form);
    await createAccount(directory, person, NOON);
    const auth = await testAuth(directory);
    // The right password does not use up tries.
    for (let n = 0; n < 12; n += 1) expect(await outcome(auth.signIn(person, PAGE))).toBe('allowed');
    const burst = await Promise.all(
      Array.from({ length: 100 }, () => outcome(auth.signIn({ ...person, password: 'wrong horse' }, PAGE))),
    );
    const count = (code: string) => burst.filter((text) => text.startsWith(code)).length;
    expect([count('unauthorized'), count('too_many_requests')]).toEqual([ATTEMPTS_A_MINUTE, 90]);
    // Also the right one has to wait, and another account has not.
    const refused = auth.signIn(person, PAGE).catch((error: unknown) => error);
    expect(await refused).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 60 });
    expect(await outcome(auth.signIn({ ...person, email: 'bob@example.com' }, PAGE))).toMatch(/^unauthorized/);
    vi.setSystemTime(NOON + 60_000);
    expect(await outcome(auth.signIn(person, PAGE))).toBe('allowed');
  });

  test('guesses at many addresses are hashed a few at a time, and the rest is told to wait', async () => {
    await using directory = await testDirectory(form);
    const auth = await testAuth(directory);
    const guesses = Array.from({ length: 60 }, (_, n) =>
      outcome(auth.signIn({ email: `p${n}@example.com`, password: PASSWORD }, PAGE)),
    );
    const codes = (await Promise.all(guesses)).map((text) => text.split(':')[0]);
    expect(new Set(codes)).toEqual(new Set(['unauthorized', 'too_many_requests']));
    expect(codes.filter((code) => code === 'unauthorized').length).toBeGreaterThanOrEqual(22);
  });

  test('signing up is closed unless it is opened, and starts a trial', async () => {
    await using directory = await testDirectory(form);
    const closed = await testAuth(directory);
    expect(await outcome(closed.signUp(person, PAGE, NOON))).toBe('forbidden: Signing up is closed on this server.');
    const auth = await testAuth(directory, { config: { SIGNUP: 'open', TLS_CERT: undefined } });
    const { userId, setCookies } = await auth.signUp(person, PAGE, NOON);
    expect(await auth.identify(cookieOf(setCookies))).toMatchObject({ userId });
    expect(await accountsOf(directory, userId)).toMatchObject([{ status: 'trialing', role: 'owner' }]);
  });
});

describe('where a request comes from', () => {
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
    const signedIn = await outcome(auth.signIn({ email: 'ada@example.com', password: PASSWORD }, headers));
    expect(signedIn).toBe(
      isTrusted
        ? 'allowed'
        : 'forbidden: This request comes from a page of another address. Open Footfall under its own address, the one in BASE_URL.',
    );
  });

  test('with BASE_URL only that address is trusted, and the cookie is bound to it', async () => {
    await using directory = await testDirectory('sqlite');
    await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const auth = await testAuth(directory, { baseUrl: 'https://stats.example.com/' });
    const page = { origin: 'https://stats.example.com', host: 'stats.example.com' };
    for (const origin of ['http://stats.example.com', 'https://example.com', 'http://localhost:3000', 'null'])
      expect(auth.isTrustedOrigin({ origin, host: new URL(page.origin).host })).toBe(false);
    const { setCookies } = await auth.signIn({ email: 'ada@example.com', password: PASSWORD }, page);
    expect(setCookies[0]).toMatch(
      /^__Host-footfall_session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const headers = { ...page, ...cookieOf(setCookies) };
    expect(await auth.identify(headers)).toMatchObject({ email: 'ada@example.com' });
    expect(await outcome(auth.signOut({ ...headers, origin: 'https://evil.example' }))).toMatch(/^forbidden/);
    expect(await auth.identify(headers)).toBeDefined();
  });
});

describe('the doors of sign-in', () => {
  async function serve(directory: TestDirectory) {
    const auth = await testAuth(directory);
    const log = openLog('silent');
    const server = createServer((request, response) => {
      auth.handler(request, response).catch((error: unknown) => {
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

  test('in, who, out', async () => {
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

  test('nothing else of the library is reachable, and bad input is told what is wrong', async () => {
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

test('while the database is away, signing in and being signed in are Unavailable, not refused', async () => {
  await using postgres = await startPostgres({ own: true });
  await using place = await directoryPlace('sqlite');
  const directory = await openDirectory({ path: place.path, databaseUrl: postgres.url });
  await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
  const config = { SIGNUP: 'closed' as const, TLS_CERT: undefined };
  const auth = await openAuth({ directory, config, baseUrl: undefined, now: NOON });
  const { setCookies } = await auth.signIn({ email: 'ada@example.com', password: PASSWORD }, PAGE);
  const headers = { ...PAGE, ...cookieOf(setCookies) };
  await postgres.kill();
  const away = { message: 'The directory store does not answer.' };
  await expect(auth.identify(headers)).rejects.toMatchObject(away);
  await expect(auth.signIn({ email: 'ada@example.com', password: PASSWORD }, PAGE)).rejects.toMatchObject(away);
  await expect(auth.changePassword({ current: PASSWORD, next: 'battery staple' }, headers)).rejects.toMatchObject(away);
  await expect(auth.signOut(headers)).rejects.toMatchObject(away);
  await postgres.restart();
  expect(await auth.identify(headers)).toMatchObject({ email: 'ada@example.com' });
  await directory.close();
});

function fail(): never {
  throw new Error('no such viewer');
}
