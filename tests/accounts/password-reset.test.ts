/** @module-tag attack */
// Forgotten passwords: what a link does once, what it never does, and what a request says to somebody who guesses addresses.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { makeResetLink } from '../../server/accounts/sign-in/passwords/password-reset.ts';
import { HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { caller, PAGE } from '../setup/accounts/auth.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { ADA, EVE, LINK_IS_OVER, mailedAuth } from '../setup/accounts/mailed.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';
import { startSmtp } from '../setup/internet/smtp.ts';

const NEXT = 'battery staple of ada';

/** A directory with Ada and Eve. */
async function world(directory: TestDirectory) {
  const { clock, auth, mails } = await mailedAuth(directory);
  const ada = await createAccount(directory, ADA, NOON);
  await createAccount(directory, EVE, NOON);
  /** Asks for a link and takes it out of the mail. */
  const link = async (email: string) => {
    await auth.passwordReset.request({ email }, caller());
    const isReset = (one: { kind: string; recipient: string }) =>
      one.kind === 'password_reset' && one.recipient === email;
    return (await mails()).findLast(isReset)?.token ?? '';
  };
  const redeem = (token: string, password = NEXT) => outcome(auth.passwordReset.redeem({ token, password }, caller()));
  return { clock, auth, ada, mails, link, redeem };
}

describe.each(FORMS)('a link to a new password, in %s', (form) => {
  test('works once, and ends all sessions and all other links of that person only', async () => {
    showsRefused('links used twice, late or by another', 3);
    await using directory = await testDirectory(form);
    const { clock, auth, mails, link, redeem } = await world(directory);
    const { setCookies } = await auth.signIn(ADA, caller());
    const eve = await auth.signIn(EVE, caller());
    const older = await link(ADA.email);
    clock.now += 5 * MINUTE_MS;
    const token = await link(ADA.email);
    const ofEve = await link(EVE.email);
    expect(await redeem(token)).toBe('allowed');
    for (const used of [token, older]) expect(await redeem(used, 'yet another password')).toBe(LINK_IS_OVER);
    expect(await auth.identify({ ...PAGE, ...cookieOf(setCookies) })).toBeUndefined();
    expect(await auth.identify({ ...PAGE, ...cookieOf(eve.setCookies) })).toBeDefined();
    expect(await outcome(auth.signIn(ADA, caller()))).toMatch(/^unauthorized/);
    expect((await auth.signIn({ ...ADA, password: NEXT }, caller())).userId).toBeDefined();
    expect(await mails()).toContainEqual({ kind: 'password_changed', recipient: ADA.email, token: '' });
    expect(await redeem(ofEve)).toBe('allowed');
  });

  test('ends when the person changes the password', async () => {
    showsRefused('links used twice, late or by another');
    await using directory = await testDirectory(form);
    const { auth, link, redeem } = await world(directory);
    const token = await link(ADA.email);
    const { setCookies } = await auth.signIn(ADA, caller());
    const changed = { current: ADA.password, next: 'chosen by ada herself' };
    await auth.changePassword(changed, { ...PAGE, ...cookieOf(setCookies) });
    expect(await redeem(token)).toBe(LINK_IS_OVER);
  });

  test('is won by one of many requests at the same time', async () => {
    showsRefused('links used twice, late or by another', 7);
    await using directory = await testDirectory(form);
    const { link, redeem } = await world(directory);
    const token = await link(ADA.email);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => redeem(token, `password number ${n} of eve`)),
    );
    expect(outcomes.filter((one) => one === 'allowed')).toHaveLength(1);
    expect(outcomes.filter((one) => one === LINK_IS_OVER)).toHaveLength(7);
  });

  test('ends after an hour, survives a refused password, and is stored only as a hash', async () => {
    showsRefused('links used twice, late or by another', 1);
    await using directory = await testDirectory(form);
    const { clock, link, redeem } = await world(directory);
    const token = await link(ADA.email);
    const rows = await directory.db.selectFrom('verifications').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await redeem(token, 'password')).toMatch(/^bad_request/);
    clock.now += HOUR_MS - 1;
    expect(await redeem(token)).toBe('allowed');
    const late = await link(ADA.email);
    clock.now += HOUR_MS;
    expect(await redeem(late)).toBe(LINK_IS_OVER);
  });
});

test('a request says nothing about the address, writes as much either way, and mails one person every five minutes', async () => {
  showsRefused('addresses guessed', 1);
  await using directory = await testDirectory('sqlite');
  const { clock, auth, mails } = await world(directory);
  const rows = async () =>
    (await directory.db.selectFrom('verifications').selectAll().execute()).length + (await mails()).length;
  // The second time, the mail of the first time is too young for another one.
  for (const [index, email] of [ADA.email, 'nobody@example.com', ADA.email].entries()) {
    expect(await outcome(auth.passwordReset.request({ email }, caller()))).toBe('allowed');
    expect(await rows()).toBe(2 * (index + 1));
  }
  for (let n = 0; n < 3; n += 1) await auth.passwordReset.request({ email: ADA.email }, caller());
  expect(await mails()).toHaveLength(1);
  clock.now += 5 * MINUTE_MS;
  await auth.passwordReset.request({ email: ADA.email }, caller());
  expect(await mails()).toHaveLength(2);
});

test('requests and guesses are throttled, and come from our own pages', async () => {
  showsRefused('addresses guessed', 2);
  await using directory = await testDirectory('sqlite');
  const { auth, link } = await world(directory);
  const token = await link(ADA.email);
  const evil = caller({ ...PAGE, origin: 'https://evil.example' });
  expect(await outcome(auth.passwordReset.request({ email: ADA.email }, evil))).toMatch(/^forbidden/);
  expect(await outcome(auth.passwordReset.redeem({ token, password: NEXT }, evil))).toMatch(/^forbidden/);
  const asked: string[] = [];
  for (let n = 0; n < 20; n += 1)
    asked.push(await outcome(auth.passwordReset.request({ email: `n${n}@example.com` }, caller(PAGE, '203.0.113.9'))));
  expect(asked.filter((one) => one === 'allowed')).toHaveLength(10);
  expect(asked.at(-1)).toMatch(/^too_many_requests/);
});

test('the mailed link leads to BASE_URL whatever the request says its host is, and wrong links are counted', async () => {
  showsRefused('host headers in mailed links', 3);
  await using smtp = await startSmtp();
  await using server = await testApp({
    env: {
      SMTP_URL: smtp.url,
      MAIL_FROM: 'footfall@stats.example',
      BASE_URL: 'http://localhost:3000',
      TRUST_PROXY: 'loopback',
    },
  });
  await server.addSite();
  const ask = makeAsk(server);
  const hostile: Record<string, string>[] = [
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
    { 'x-original-host': 'evil.example', referer: 'https://evil.example/' },
  ];
  for (const headers of hostile) {
    server.clock.now += 5 * MINUTE_MS;
    await ask('accounts.requestReset', { email: 'owner@example.com' }, { origin: 'http://localhost:3000', ...headers });
  }
  await server.app.runJob('send-mail');
  expect(smtp.mails.length).toBeGreaterThan(0);
  for (const { text, html } of smtp.mails) {
    expect(text).toMatch(/^http:\/\/localhost:3000\/reset\/[0-9A-Za-z]{40}$/m);
    expect(text + html).not.toContain('evil.example');
  }
  const guess = (n: number) =>
    ask(
      'accounts.resetPassword',
      { token: String(n).padStart(40, '0'), password: NEXT },
      { origin: 'http://localhost:3000' },
    );
  const guesses: number[] = [];
  for (let n = 0; n < 15; n += 1) guesses.push((await guess(n)).status);
  expect(guesses).toEqual([...Array<number>(10).fill(404), ...Array<number>(5).fill(429)]);
  // The right link still works from the same network.
  const { directory } = server.app.services;
  const { token } = await makeResetLink(directory, 'owner@example.com', server.clock.now);
  const right = await ask('accounts.resetPassword', { token, password: NEXT }, { origin: 'http://localhost:3000' });
  expect(right.status).toBe(200);
});
