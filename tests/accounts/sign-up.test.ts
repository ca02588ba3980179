/** @module-tag attack */
// Signing up where anybody may: the address is confirmed first, and the form says nothing about who has a login.
import { describe, expect, test } from 'vitest';
import { accountsOf, createAccount } from '../../server/accounts/accounts.ts';
import { effectivePlan } from '../../server/accounts/billing/plans.ts';
import { verifyPassword } from '../../server/accounts/sign-in/passwords/passwords.ts';
import { forgetSignUps } from '../../server/accounts/people/sign-up.ts';
import { isThrowaway } from '../../server/accounts/people/throwaway-domains.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { caller, PAGE } from '../setup/accounts/auth.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { ADA, LINK_IS_OVER, mailedAuth } from '../setup/accounts/mailed.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';
import { startSmtp } from '../setup/internet/smtp.ts';

const EVE = { email: 'ada@example.com', password: 'chosen by eve herself' };
const HOLDER = { email: 'holder@example.com', password: 'correct horse stable' };
const WRONG = 'bad_request: The password is wrong: enter the one that you chose when you signed up.';

/** A directory in which one address is taken. */
async function world(directory: TestDirectory) {
  const open = { config: { SIGNUP: 'open', TLS_CERT: undefined } } as const;
  const { clock, mail, auth, mails, emails } = await mailedAuth(directory, open);
  await createAccount(directory, HOLDER, NOON);
  let serial = 0;
  /** Each request comes from another network, so that the limit of one network is not what is tested. */
  const elsewhere = () => caller(PAGE, `203.0.113.${(serial += 1)}`);
  const signUp = (who: typeof ADA) => outcome(auth.signUps.request(who, elsewhere()));
  const lastToken = async () => (await mails()).findLast(({ kind }) => kind === 'sign_up')?.token ?? '';
  const confirm = (token: string, password = ADA.password) => auth.signUps.confirm({ token, password }, elsewhere());
  return { clock, auth, mail, mails, signUp, lastToken, confirm, emails };
}

describe.each(FORMS)('signing up with mail, in %s', (form) => {
  test('makes an account once the link of the mail is opened, which logs in and begins the trial', async () => {
    showsRefused('links used twice, late or by another', 2);
    await using directory = await testDirectory(form);
    const { clock, auth, signUp, lastToken, confirm, emails } = await world(directory);
    expect(await signUp(ADA)).toBe('allowed');
    expect(await emails()).toEqual([HOLDER.email]);
    expect(await outcome(auth.signIn(ADA, caller()))).toMatch(/^unauthorized/);
    const token = await lastToken();
    const rows = [
      ...(await directory.db.selectFrom('verifications').selectAll().execute()),
      ...(await directory.db.selectFrom('sign_ups').selectAll().execute()),
    ];
    for (const secret of [token, ADA.password]) expect(JSON.stringify(rows)).not.toContain(secret);
    clock.now += 47 * HOUR_MS;
    expect(await auth.signUps.read(token)).toBe(ADA.email);
    const { userId, setCookies } = await confirm(token);
    expect(await auth.identify(cookieOf(setCookies))).toMatchObject({ userId, email: ADA.email });
    const [account] = await accountsOf(directory, userId);
    expect(account).toMatchObject({ status: 'trialing', role: 'owner', kind: 'customer', created_at: clock.now });
    if (!account) throw new Error('no account');
    expect(effectivePlan(account, clock.now, { billing: 'on' }).endsAt).toBe(clock.now + 14 * DAY_MS);
    const user = directory.db.selectFrom('users').select('email_verified').where('id', '=', userId);
    expect(await user.executeTakeFirst()).toEqual({ email_verified: 1 });
    expect(await directory.db.selectFrom('sign_ups').selectAll().execute()).toEqual([]);
    expect(await outcome(confirm(token))).toBe(LINK_IS_OVER);
    expect(await outcome(auth.signUps.read(token))).toBe(LINK_IS_OVER);
  });

  test('makes one account of many requests with the link at the same time', async () => {
    showsRefused('links used twice, late or by another', 3);
    await using directory = await testDirectory(form);
    const { signUp, lastToken, confirm, emails } = await world(directory);
    await signUp(ADA);
    const token = await lastToken();
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcome(confirm(token))));
    expect(outcomes.sort()).toEqual(['allowed', LINK_IS_OVER, LINK_IS_OVER, LINK_IS_OVER]);
    expect(await emails()).toEqual([ADA.email, HOLDER.email]);
  });

  test('with an address of somebody else gives no way into the account that they make later', async () => {
    showsRefused('links used twice, late or by another', 3);
    await using directory = await testDirectory(form);
    const { auth, clock, signUp, lastToken, confirm } = await world(directory);
    await signUp(EVE);
    const mailed = await lastToken();
    // The person of the mailbox does not know the password that Eve chose.
    expect(await outcome(confirm(mailed))).toBe(WRONG);
    expect(await outcome(confirm(mailed, 'x'.repeat(10_000)))).toBe(WRONG);
    clock.now += MINUTE_MS;
    await signUp(ADA); // no second mail yet: the first link takes the password that was entered last
    expect((await confirm(mailed)).userId).toBeDefined();
    expect(await outcome(auth.signIn(EVE, caller()))).toMatch(/^unauthorized/);
  });

  test('is forgotten after 48 hours without the link, and gives way to whoever had the address first', async () => {
    showsRefused('links used twice, late or by another', 2);
    await using directory = await testDirectory(form);
    const { clock, auth, signUp, lastToken, confirm, emails } = await world(directory);
    await signUp(ADA);
    const late = await lastToken();
    clock.now += 48 * HOUR_MS;
    expect(await outcome(confirm(late))).toBe(LINK_IS_OVER);
    await forgetSignUps(directory, clock.now + 1);
    expect(await directory.db.selectFrom('sign_ups').selectAll().execute()).toEqual([]);
    await signUp(ADA);
    await createAccount(directory, { ...ADA, password: 'made by the operator' }, clock.now);
    expect(await outcome(confirm(await lastToken()))).toMatch(/^bad_request: There is already an account/);
    expect(await emails()).toEqual([ADA.email, HOLDER.email]);
    expect((await auth.signIn({ ...ADA, password: 'made by the operator' }, caller())).userId).toBeDefined();
  });

  test('writes as much for a taken address, whose holder is told, and mails an address once in five minutes and five times a day', async () => {
    showsRefused('addresses guessed', 1);
    await using directory = await testDirectory(form);
    const { clock, mails, signUp } = await world(directory);
    const written = async () => [
      (await directory.db.selectFrom('sign_ups').selectAll().execute()).length,
      (await directory.db.selectFrom('verifications').selectAll().execute()).length,
      (await mails()).length,
    ];
    for (const [index, email] of [ADA.email, HOLDER.email].entries()) {
      expect(await signUp({ email, password: EVE.password })).toBe('allowed');
      expect(await written()).toEqual(Array<number>(3).fill(index + 1));
    }
    expect((await mails()).map(({ kind, recipient }) => `${kind} ${recipient}`).sort()).toEqual([
      `sign_up ${ADA.email}`,
      `sign_up_taken ${HOLDER.email}`,
    ]);
    const count = async () => (await mails()).filter(({ recipient }) => recipient === HOLDER.email).length;
    const again = () => signUp({ email: HOLDER.email, password: EVE.password });
    clock.now += 5 * MINUTE_MS - 1;
    expect(await again()).toBe('allowed');
    const counts = [await count()];
    clock.now += 1;
    for (let n = 0; n < 5; n += 1) {
      expect(await again()).toBe('allowed');
      counts.push(await count());
      clock.now += 5 * MINUTE_MS;
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 5]);
  });
});

test('a throw-away address is answered alike and gets no mail; parts after a plus and dots are addresses of their own', async () => {
  showsRefused('addresses guessed', 3);
  for (const email of ['a@mailinator.com', 'a@any.thing.mailinator.com', 'a@10minutemail.com'])
    expect(await isThrowaway(email), email).toBe(true);
  for (const email of ['a@example.com', 'a@gmail.com', 'mailinator.com@example.org', 'a@notmailinator.com.example'])
    expect(await isThrowaway(email), email).toBe(false);
  await using directory = await testDirectory('sqlite');
  const { clock, mails, signUp, lastToken, confirm, emails } = await world(directory);
  expect(await signUp({ ...ADA, email: 'ada@mailinator.com' })).toBe('allowed');
  expect(await mails()).toEqual([]);
  for (const email of ['holder+one@example.com', 'hol.der@example.com', ' HOLDER+TWO@Example.com']) {
    clock.now += 1;
    expect(await signUp({ ...ADA, email })).toBe('allowed');
    await confirm(await lastToken());
  }
  const own = ['hol.der@example.com', 'holder+one@example.com', 'holder+two@example.com', HOLDER.email];
  expect(await emails()).toEqual(own.sort());
});

test('the form answers a taken address like a new one: status, body, headers, and a hash in both', async () => {
  showsRefused('addresses guessed', 1);
  await using smtp = await startSmtp();
  const env = { SIGNUP: 'open', SMTP_URL: smtp.url, MAIL_FROM: 'footfall@stats.example' };
  await using server = await testApp({ env });
  await server.addSite();
  const send = async (email: string) => {
    const { stringify } = await import('devalue');
    const body = JSON.stringify(stringify({ email, password: ADA.password }));
    const headers = { 'content-type': 'application/json', origin: server.url };
    const answer = await fetch(`${server.url}/trpc/accounts.create`, { method: 'POST', headers, body });
    const text = await answer.text();
    const shown = [...answer.headers].filter(([name]) => name !== 'date');
    return { status: answer.status, text, shown };
  };
  const [taken, free] = [await send('owner@example.com'), await send('nobody@example.com')];
  expect(taken).toEqual(free);
  expect(taken.status).toBe(200);
  expect(taken.shown.map(([name]) => name)).not.toContain('set-cookie');
  // Hashing takes most of the time of an answer, so both addresses have one.
  const hashes = await server.app.services.directory.db.selectFrom('sign_ups').select(['email', 'password']).execute();
  expect(hashes.map(({ email }) => email).sort()).toEqual(['nobody@example.com', 'owner@example.com']);
  for (const { password } of hashes)
    expect(await verifyPassword({ hash: password, password: ADA.password })).toBe(true);
  await server.app.runJob('send-mail');
  const sent = smtp.mails.map(({ to, headers }) => `${to[0]}: ${headers.get('subject')}`);
  expect(sent.sort()).toEqual([
    'nobody@example.com: Confirm your e-mail address to use Footfall',
    'owner@example.com: Somebody tried to sign up with your e-mail address',
  ]);
  const ask = makeAsk(server);
  const guesses: number[] = [];
  for (let n = 0; n < 14; n += 1) {
    const name = n % 2 === 0 ? 'accounts.signUpLink' : 'accounts.confirmSignUp';
    const token = String(n).padStart(40, '0');
    guesses.push((await ask(name, n % 2 === 0 ? { token } : { token, password: 'x' }, {})).status);
  }
  expect(guesses).toEqual([...Array<number>(10).fill(404), ...Array<number>(4).fill(429)]);
});

test('sign-ups and wrong passwords are throttled, and come from our own pages', async () => {
  showsRefused('rate limits exceeded', 4);
  await using directory = await testDirectory('sqlite');
  const { auth, signUp, lastToken } = await world(directory);
  const evil = caller({ ...PAGE, origin: 'https://evil.example' });
  expect(await outcome(auth.signUps.request(ADA, evil))).toMatch(/^forbidden/);
  await signUp(ADA);
  const token = await lastToken();
  expect(await outcome(auth.signUps.confirm({ token, password: ADA.password }, evil))).toMatch(/^forbidden/);
  const guesses: string[] = [];
  for (let n = 0; n < 6; n += 1)
    guesses.push(await outcome(auth.signUps.confirm({ token, password: `guess number ${n}` }, caller())));
  expect(guesses.slice(0, -1)).toEqual(Array<string>(5).fill(WRONG));
  expect(guesses.at(-1)).toMatch(/^too_many_requests/);
  const asked: string[] = [];
  for (let n = 0; n < 11; n += 1)
    asked.push(
      await outcome(auth.signUps.request({ ...ADA, email: `n${n}@example.com` }, caller(PAGE, '198.51.100.9'))),
    );
  expect(asked.slice(0, -1)).toEqual(Array<string>(10).fill('allowed'));
  expect(asked.at(-1)).toMatch(/^too_many_requests/);
});
