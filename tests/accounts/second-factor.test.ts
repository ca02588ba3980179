/** @module-tag attack */
// The second factor: codes of an authenticator app and recovery codes, and what does not get past them.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { hasSecondFactor, resetFactors } from '../../server/accounts/sign-in/factors/second-factor.ts';
import { openEncryption } from '../../server/directory/encryption.ts';
import { caller, PAGE, testAuth } from '../setup/accounts/auth.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';
import { codeAt } from '../setup/accounts/totp.ts';

const PERSON = { email: 'ada@example.com', password: 'correct horse' };
const STEP = 30_000;
const WRONG = 'This code is not valid. Each code works once: wait for the next one, or check the clock of the device.';
const EXPIRED = 'forbidden: This log-in has expired: start again.';

afterEach(() => {
  vi.useRealTimers();
});

/** A user with an authenticator app, whose last used code is that of `NOON`. */
async function enrolled(directory: TestDirectory) {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  const { user } = await createAccount(directory, PERSON, NOON);
  const auth = await testAuth(directory, { now: Date.now });
  const { setCookies } = await auth.signIn(PERSON, caller());
  const session = { ...PAGE, ...cookieOf(setCookies) };
  const { secret, uri } = await auth.factors.startAuthenticator({ password: PERSON.password }, session);
  const codes = await auth.factors.confirmAuthenticator({ code: codeAt(secret, NOON) }, session);
  /** Gives the password, as a new browser. Returns what the browser then sends. */
  const begin = async () => {
    const { setCookies } = await auth.signIn(PERSON, caller());
    return { ...PAGE, ...cookieOf(setCookies) };
  };
  const finish = (code: string, headers: typeof session) => auth.finishSignIn({ code }, caller(headers));
  return { auth, user, session, secret, uri, codes, begin, finish };
}

describe.each(FORMS)('the second factor, in %s', (form) => {
  test('without it, the right password starts no session', async () => {
    showsRefused('second factor passed by', 2);
    await using directory = await testDirectory(form);
    const { auth, user, secret, begin, finish } = await enrolled(directory);
    await directory.db.deleteFrom('sessions').execute();
    const answer = await auth.signIn(PERSON, caller());
    expect(answer.needed).toEqual({ authenticator: true, passkey: false });
    expect(answer.setCookies.map((cookie) => cookie.split('=')[0])).toEqual(['footfall_challenge']);
    expect(answer.setCookies[0]).toMatch(/Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const headers = await begin();
    expect(await auth.identify(headers)).toBeUndefined();
    expect(await directory.db.selectFrom('sessions').select('id').execute()).toEqual([]);

    vi.setSystemTime(NOON + STEP);
    const done = await finish(codeAt(secret, NOON + STEP), headers);
    expect(done.userId).toBe(user.id);
    expect(await auth.identify(cookieOf(done.setCookies))).toMatchObject({ email: PERSON.email });
    expect(done.setCookies).toContainEqual(expect.stringMatching(/^footfall_challenge=; Max-Age=0/));
    // The challenge is used up.
    vi.setSystemTime(NOON + 2 * STEP);
    expect(await outcome(finish(codeAt(secret, NOON + 2 * STEP), headers))).toBe(EXPIRED);
  });

  test('a code works once, also in parallel, and a phone may be 30 seconds ahead or behind', async () => {
    showsRefused('codes used twice, late or by another', 11);
    await using directory = await testDirectory(form);
    const { secret, begin, finish } = await enrolled(directory);
    const at = NOON + 10 * STEP;
    vi.setSystemTime(at);
    const [early, first, second, late] = [await begin(), await begin(), await begin(), await begin()];
    for (const steps of [-2, 2])
      expect(await outcome(finish(codeAt(secret, at + steps * STEP), early))).toBe(`unauthorized: ${WRONG}`);
    expect(await outcome(finish(codeAt(secret, at - STEP), early))).toBe('allowed');
    const burst = await Promise.all(
      [first, second, ...Array<typeof late>(8).fill(late)].map((headers) =>
        outcome(finish(codeAt(secret, at), headers)),
      ),
    );
    expect(burst.filter((text) => text === 'allowed')).toHaveLength(1);
    // A code that is older than the last used one is refused too.
    expect(await outcome(finish(codeAt(secret, at - STEP), await begin()))).toBe(`unauthorized: ${WRONG}`);
    expect(await outcome(finish(codeAt(secret, at + STEP), await begin()))).toBe('allowed');
  });

  test('each recovery code works once, also in parallel, and new ones replace the old', async () => {
    showsRefused('codes used twice, late or by another', 6);
    await using directory = await testDirectory(form);
    const { auth, session, codes, begin, finish } = await enrolled(directory);
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    const [one = '', two = '', three = ''] = codes;
    expect(one).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}$/);
    const pending = await Promise.all(Array.from({ length: 5 }, begin));
    const burst = await Promise.all(pending.map((headers) => outcome(finish(one, headers))));
    expect(burst.filter((text) => text === 'allowed')).toHaveLength(1);
    expect(await outcome(finish(two.toLowerCase().replaceAll('-', ' '), await begin()))).toBe('allowed');
    expect(await auth.factors.list(session)).toMatchObject({ recovery_codes_left: 8 });
    const renewed = await auth.factors.renewRecoveryCodes({ password: PERSON.password }, session);
    expect(await outcome(finish(three, await begin()))).toBe(`unauthorized: ${WRONG}`);
    expect(await outcome(finish(renewed[0] ?? '', await begin()))).toBe('allowed');
  });

  test('of one user does not help another', async () => {
    showsRefused('codes used twice, late or by another', 2);
    await using directory = await testDirectory(form);
    const { auth, secret, codes, finish } = await enrolled(directory);
    const eve = { email: 'eve@example.com', password: PERSON.password };
    await createAccount(directory, eve, NOON);
    const session = { ...PAGE, ...cookieOf((await auth.signIn(eve, caller())).setCookies) };
    const own = await auth.factors.startAuthenticator({ password: eve.password }, session);
    await auth.factors.confirmAuthenticator({ code: codeAt(own.secret, NOON) }, session);
    vi.setSystemTime(NOON + STEP);
    const headers = { ...PAGE, ...cookieOf((await auth.signIn(eve, caller())).setCookies) };
    for (const code of [codeAt(secret, NOON + STEP), codes[0] ?? ''])
      expect(await outcome(finish(code, headers))).toBe(`unauthorized: ${WRONG}`);
  });

  test('is asked for within ten minutes, and not after a new password', async () => {
    showsRefused('codes used twice, late or by another', 4);
    await using directory = await testDirectory(form);
    const { auth, session, secret, begin, finish } = await enrolled(directory);
    const [late, old] = [await begin(), await begin()];
    await auth.changePassword({ current: PERSON.password, next: 'battery staple' }, session);
    vi.setSystemTime(NOON + STEP);
    const code = codeAt(secret, NOON + STEP);
    for (const headers of [old, PAGE, { ...PAGE, cookie: `footfall_challenge=${'x'.repeat(40)}` }])
      expect(await outcome(finish(code, headers as typeof session))).toBe(EXPIRED);
    await directory.db
      .updateTable('verifications')
      .set({ expires_at: NOON + STEP })
      .execute();
    expect(await outcome(finish(code, late))).toBe(EXPIRED);
  });

  test('guesses end after twenty an hour, except for a browser that has logged in before', async () => {
    showsRefused('guessing passwords and keys', 30);
    await using directory = await testDirectory(form);
    const { session, secret, begin, finish } = await enrolled(directory);
    vi.setSystemTime(NOON + STEP);
    const headers = await begin();
    const guesses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => outcome(finish(String(n).padStart(6, '0'), headers))),
    );
    const code = codeAt(secret, NOON + STEP);
    expect(guesses.filter((text) => text.startsWith('unauthorized'))).toHaveLength(20);
    expect(await outcome(finish(code, headers))).toBe(
      'too_many_requests: Too many wrong codes: wait up to an hour, then try again.',
    );
    const known = { ...headers, cookie: `${headers.cookie}; ${session.cookie}` };
    expect(await outcome(finish(code, known))).toBe('allowed');
  });

  test('is set up and removed only with the password, and ends the other sessions', async () => {
    showsRefused('second factor passed by', 5);
    await using directory = await testDirectory(form);
    const { auth, session, uri, secret, begin, finish } = await enrolled(directory);
    expect(uri).toBe(
      `otpauth://totp/Footfall:ada%40example.com?issuer=Footfall&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect(secret).toMatch(/^[A-Z2-7]{32}$/); // 160 bits
    const { factors } = auth;
    const wrong = 'bad_request: The password is wrong.';
    expect(await outcome(factors.startAuthenticator({ password: 'wrong horse' }, session))).toBe(wrong);
    expect(await outcome(factors.renewRecoveryCodes({ password: 'wrong horse' }, session))).toBe(wrong);
    expect(await outcome(factors.startAuthenticator(PERSON, session))).toBe(
      'bad_request: An authenticator app is already set up: remove it first.',
    );
    vi.setSystemTime(NOON + STEP);
    const code = codeAt(secret, NOON + STEP);
    expect(await outcome(factors.removeAuthenticator({ password: 'wrong horse', code }, session))).toBe(wrong);
    expect(await outcome(factors.removeAuthenticator({ ...PERSON, code: '000000' }, session))).toBe(
      `bad_request: ${WRONG}`,
    );
    const other = cookieOf((await finish(code, await begin())).setCookies);
    expect(await auth.identify(other)).toBeDefined();
    vi.setSystemTime(NOON + 2 * STEP);
    await factors.removeAuthenticator({ ...PERSON, code: codeAt(secret, NOON + 2 * STEP) }, session);
    expect(await factors.list(session)).toEqual({ authenticator_since: null, passkeys: [], recovery_codes_left: 0 });
    const again = await factors.startAuthenticator(PERSON, session);
    // A secret that no code has confirmed asks nobody for a code.
    expect((await auth.signIn(PERSON, caller())).needed).toBeUndefined();
    await factors.confirmAuthenticator({ code: codeAt(again.secret, NOON + 2 * STEP) }, session);
    expect(await auth.identify(other)).toBeUndefined();
    expect(await auth.identify(session)).toBeDefined();
  });

  test('leaves neither secret nor codes in the directory, and can be reset for who is locked out', async () => {
    showsRefused('secrets left behind', 2);
    await using directory = await testDirectory(form);
    const { auth, user, secret, codes } = await enrolled(directory);
    const stored = JSON.stringify([
      await directory.db.selectFrom('authenticators').selectAll().execute(),
      await directory.db.selectFrom('recovery_codes').selectAll().execute(),
    ]);
    expect(stored).not.toContain(secret);
    for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''));
    expect(await outcome(resetFactors(directory, 'eve@example.com'))).toMatch(/^not_found/);
    expect(await resetFactors(directory, 'ADA@example.com')).toEqual({ userId: user.id, removed: 1 });
    expect((await auth.signIn(PERSON, caller())).needed).toBeUndefined();
  });

  test('may be one passkey, which can be reset, too', async () => {
    await using directory = await testDirectory(form);
    const { user } = await createAccount(directory, PERSON, NOON);
    expect(await hasSecondFactor(directory.db, user.id)).toBe(false);
    const passkey = { id: 'passkey_1', user_id: user.id, name: 'Key', credential_id: 'one', public_key: 'key' };
    await directory.db
      .insertInto('passkeys')
      .values({ ...passkey, counter: 0, created_at: NOON, last_used_at: null })
      .execute();
    expect(await hasSecondFactor(directory.db, user.id)).toBe(true);
    expect(await resetFactors(directory, PERSON.email)).toEqual({ userId: user.id, removed: 1 });
    expect(await hasSecondFactor(directory.db, user.id)).toBe(false);
  });
});

test('an encrypted secret can be read with its key and in its place alone', async () => {
  await using directory = await testDirectory('sqlite');
  const own = await openEncryption(directory, undefined, NOON);
  const given = await openEncryption(directory, 'k'.repeat(32), NOON);
  const [before, after] = [own.encrypt('secret', 'user_1'), given.encrypt('secret', 'user_1')];
  expect(own.encrypt('secret', 'user_1')).not.toBe(before);
  expect([given.decrypt(before, 'user_1'), given.decrypt(after, 'user_1')]).toEqual(['secret', 'secret']);
  const other = await openEncryption(directory, 'x'.repeat(32), NOON);
  expect(() => other.decrypt(after, 'user_1')).toThrow();
  expect(() => own.decrypt(after, 'user_1')).toThrow('SECRET_KEY is not set');
  expect(() => given.decrypt(after, 'user_2')).toThrow();
  expect(() => given.decrypt(`${after.slice(0, -4)}AAAA`, 'user_1')).toThrow();
});
