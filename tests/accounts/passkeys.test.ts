/** @module-tag attack */
// Passkeys: logging in with nothing else, and the answers that open nothing.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { resetFactors } from '../../server/accounts/sign-in/factors/second-factor.ts';
import { caller, PAGE, testAuth } from '../setup/accounts/auth.ts';
import { softPasskey } from '../setup/accounts/authenticator.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';

const HERE = { origin: 'http://localhost:3000' };
const LOCALHOST = { ...PAGE, origin: HERE.origin, host: 'localhost:3000' };
const PERSON = { email: 'ada@example.com', password: 'correct horse' };
const MINUTE = 60_000;
const REFUSED = 'unauthorized: This passkey does not open an account here. Log in with your password.';
const NOT_ADDED = 'bad_request: This passkey could not be added: start again.';

async function opened(directory: TestDirectory) {
  const clock = { now: NOON };
  const auth = await testAuth(directory, { now: () => clock.now });
  const join = async (email: string) => {
    const { user } = await createAccount(directory, { ...PERSON, email }, NOON);
    const { setCookies } = await auth.signIn({ ...PERSON, email }, caller(LOCALHOST));
    return { user, session: { ...LOCALHOST, ...cookieOf(setCookies) } };
  };
  const ada = await join(PERSON.email);
  const passkey = softPasskey();
  const options = await auth.factors.startPasskey(PERSON, ada.session);
  const response = passkey.create(options, HERE);
  const codes = await auth.factors.addPasskey({ name: 'laptop', response }, ada.session);
  const logIn = (answer: ReturnType<typeof passkey.get>, address?: string) =>
    auth.signInByPasskey(answer, caller(LOCALHOST, address));
  return { auth, clock, join, ...ada, passkey, response, codes, logIn, start: () => auth.startPasskey(LOCALHOST) };
}

describe.each(FORMS)('a passkey, in %s', (form) => {
  test('logs in with nothing else, and makes the password alone too little', async () => {
    showsRefused('second factor passed by');
    await using directory = await testDirectory(form);
    const { auth, user, session, passkey, codes, logIn, start } = await opened(directory);
    expect(codes).toHaveLength(10);
    const options = await start();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: undefined });
    const { userId, setCookies } = await logIn(passkey.get(options, HERE));
    expect(userId).toBe(user.id);
    expect(await auth.identify(cookieOf(setCookies))).toMatchObject({ email: PERSON.email });
    const byPassword = await auth.signIn(PERSON, caller(LOCALHOST));
    expect(byPassword.needed).toEqual({ authenticator: false, passkey: true });
    expect(await auth.identify(cookieOf(byPassword.setCookies))).toBeUndefined();
    const headers = { ...LOCALHOST, ...cookieOf(byPassword.setCookies) };
    expect(await outcome(auth.finishSignIn({ code: codes[0] ?? '' }, caller(headers)))).toBe('allowed');

    const [row] = (await auth.factors.list(session)).passkeys;
    expect(row).toEqual({
      id: expect.stringMatching(/^passkey_/) as string,
      name: 'laptop',
      created_at: NOON,
      last_used_at: NOON,
    });
    await auth.factors.renamePasskey({ id: row?.id ?? '', name: 'phone' }, session);
    expect((await auth.factors.list(session)).passkeys).toMatchObject([{ name: 'phone' }]);
    expect(await outcome(auth.factors.removePasskey({ id: row?.id ?? '', password: 'wrong horse' }, session))).toBe(
      'bad_request: The password is wrong.',
    );
    await auth.factors.removePasskey({ id: row?.id ?? '', ...PERSON }, session);
    expect(await outcome(logIn(passkey.get(await start(), HERE)))).toBe(REFUSED);
    expect(await auth.factors.list(session)).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
    expect((await auth.signIn(PERSON, caller(LOCALHOST))).needed).toBeUndefined();
  });

  test('are at most twenty, also if more were begun and are added at the same time', async () => {
    showsRefused('rate limits exceeded', 3);
    await using directory = await testDirectory(form);
    const { auth, session } = await opened(directory);
    const answers: ReturnType<ReturnType<typeof softPasskey>['create']>[] = [];
    while (answers.length < 22)
      answers.push(softPasskey().create(await auth.factors.startPasskey(PERSON, session), HERE));
    const added = await Promise.all(
      answers.map((response) => outcome(auth.factors.addPasskey({ name: 'one more', response }, session))),
    );
    expect(added.filter((one) => one === 'allowed')).toHaveLength(19);
    expect((await auth.factors.list(session)).passkeys).toHaveLength(20);
  });

  test('answers each challenge once, also in parallel, and within five minutes', async () => {
    showsRefused('codes used twice, late or by another', 9);
    await using directory = await testDirectory(form);
    const { clock, passkey, logIn, start } = await opened(directory);
    const answer = passkey.get(await start(), HERE);
    const burst = await Promise.all(Array.from({ length: 6 }, () => outcome(logIn(answer))));
    expect(burst.filter((text) => text === 'allowed')).toHaveLength(1);
    expect(await outcome(logIn(answer))).toBe(REFUSED);
    const late = passkey.get(await start(), HERE);
    const justInTime = passkey.get(await start(), HERE);
    clock.now += 5 * MINUTE - 1;
    expect(await outcome(logIn(justInTime))).toBe('allowed');
    clock.now += 1;
    for (const again of [late, answer]) expect(await outcome(logIn(again))).toBe(REFUSED);
  });

  test('opens nothing with an answer for another address, user or purpose', async () => {
    showsRefused('second factor passed by', 10);
    await using directory = await testDirectory(form);
    const { auth, join, session, passkey, logIn, start } = await opened(directory);
    const eve = await join('eve@example.com');
    const good = async () => passkey.get(await start(), HERE);
    const other = softPasskey();
    const forAda = await auth.factors.startPasskey(PERSON, session);
    const wrong = [
      passkey.get(await start(), { origin: 'https://evil.example', rpId: 'localhost' }),
      passkey.get(await start(), { ...HERE, rpId: 'evil.example' }),
      passkey.get(await start(), { ...HERE, isVerified: false }),
      passkey.get(await start(), { ...HERE, userHandle: Buffer.from(eve.user.id).toString('base64url') }),
      passkey.get({ challenge: Buffer.alloc(38).toString('base64url') }, HERE),
      passkey.get({ challenge: '' }, HERE),
      passkey.get(forAda, HERE), // a challenge for adding a passkey
      other.get(await start(), HERE), // a passkey that nobody added
      { ...(await good()), id: other.get(await start(), HERE).id },
    ];
    for (const answer of wrong) expect(await outcome(logIn(answer))).toBe(REFUSED);
    const { response, ...rest } = await good();
    const forged = { ...rest, response: { ...response, signature: other.get(await start(), HERE).response.signature } };
    expect(await outcome(logIn(forged))).toBe(REFUSED);
    expect(await outcome(logIn(await good()))).toBe('allowed');
  });

  test('is added only from our page, once, by the user whose challenge it answers', async () => {
    showsRefused('codes used twice, late or by another', 8);
    await using directory = await testDirectory(form);
    const { auth, clock, join, session, response, start } = await opened(directory);
    const eve = await join('eve@example.com');
    const { factors } = auth;
    const add = (answer: typeof response, from = session) =>
      outcome(factors.addPasskey({ name: 'x', response: answer }, from));
    const begin = () => factors.startPasskey(PERSON, session);
    expect(await outcome(factors.startPasskey({ password: 'wrong horse' }, session))).toMatch(/^bad_request/);
    expect(await add(response)).toBe(NOT_ADDED); // used before
    expect(await add(softPasskey().create(await begin(), HERE), eve.session)).toBe(NOT_ADDED);
    expect(await add(softPasskey().create(await begin(), { origin: 'https://evil.example', rpId: 'localhost' }))).toBe(
      NOT_ADDED,
    );
    expect(await add(softPasskey().create(await begin(), { ...HERE, isVerified: false }))).toBe(NOT_ADDED);
    const { user, challenge } = { ...(await begin()), ...(await start()) };
    expect(await add(softPasskey().create({ user: user, challenge }, HERE))).toBe(NOT_ADDED);
    const late = softPasskey().create(await begin(), HERE);
    clock.now += 5 * MINUTE;
    expect(await add(late)).toBe(NOT_ADDED);
    const answer = softPasskey().create(await begin(), HERE);
    const burst = await Promise.all([add(answer), add(answer), add(answer)]);
    expect(burst.filter((text) => text === 'allowed')).toHaveLength(1);
    const own = (await factors.list(session)).passkeys[0]?.id ?? '';
    expect(await outcome(factors.renamePasskey({ id: own, name: 'mine' }, eve.session))).toBe(
      'not_found: You have no such passkey.',
    );
    expect(await outcome(factors.removePasskey({ id: own, ...PERSON }, eve.session))).toBe(
      'not_found: You have no such passkey.',
    );
  });

  test('is not guessed for long, and is removed by a reset', async () => {
    showsRefused('guessing passwords and keys', 10);
    await using directory = await testDirectory(form);
    const { auth, clock, passkey, logIn, start } = await opened(directory);
    const wrong = softPasskey().get(await start(), HERE);
    const guesses = await Promise.all(Array.from({ length: 40 }, () => outcome(logIn(wrong, '198.51.100.7'))));
    expect(guesses.filter((text) => text === REFUSED)).toHaveLength(30);
    expect(await outcome(logIn(passkey.get(await start(), HERE)))).toBe('allowed'); // from another address
    clock.now += MINUTE;
    expect(await resetFactors(directory, PERSON.email)).toMatchObject({ removed: 1 });
    expect(await outcome(logIn(passkey.get(await start(), HERE)))).toBe(REFUSED);
    expect((await auth.signIn(PERSON, caller(LOCALHOST))).needed).toBeUndefined();
  });
});
