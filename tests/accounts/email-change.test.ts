/** @module-tag attack */
// A new e-mail address: both mailboxes confirm it, and nothing else changes it. What a request tells somebody who guesses addresses.
import { describe, expect, test } from 'vitest';
import { UNSUBSCRIBE_PATH } from '../../server/messages/mail/unsubscribe.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { changeEmailByOperator, forgetEmailChanges } from '../../server/accounts/people/email-change.ts';
import { listActions } from '../../server/accounts/account-log.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { caller, PAGE, testAuth } from '../setup/accounts/auth.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { ADA, EVE, LINK_IS_OVER, mailedAuth } from '../setup/accounts/mailed.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';

const NEXT = 'ada@example.org';
const REFUSED = 'links used twice, late or by another';

/** A directory with Ada and Eve, who are logged in. */
async function world(directory: TestDirectory) {
  const { clock, mail, auth, mails, emails } = await mailedAuth(directory);
  const ada = await createAccount(directory, ADA, NOON);
  const eve = await createAccount(directory, EVE, NOON);
  const logIn = async (who: typeof ADA) => ({ ...PAGE, ...cookieOf((await auth.signIn(who, caller())).setCookies) });
  const headers = { ada: await logIn(ADA), eve: await logIn(EVE) };
  const start = (email = NEXT, password = ADA.password) => auth.emailChanges.start({ email, password }, headers.ada);
  /** Starts a change, and takes both links out of the mails. */
  const links = async (email = NEXT) => {
    clock.now += 1;
    await start(email);
    return lastLinks();
  };
  const lastLinks = async () => {
    const sent = await mails();
    const tokenOf = (kind: string) => sent.findLast((one) => one.kind === kind)?.token ?? '';
    return { old: tokenOf('email_change_old'), new: tokenOf('email_change_new') };
  };
  const confirm = (token: string, as: Record<string, string> = PAGE) =>
    auth.emailChanges.confirm(token, as).then(
      ({ isDone }) => (isDone ? 'done' : 'waiting'),
      (error: unknown) => outcome(Promise.reject(error as Error)),
    );
  const refuse = (email: string) =>
    mail.unsubscribe(mail.unsubscribePath(email, 'plan').slice(UNSUBSCRIBE_PATH.length));
  const refused = (email: string) => mail.hasRefused(directory.db, email, 'plan');
  return {
    clock,
    auth,
    mail,
    ada,
    eve,
    headers,
    logIn,
    mails,
    start,
    links,
    lastLinks,
    confirm,
    emails,
    refuse,
    refused,
  };
}

describe.each(FORMS)('a new e-mail address, in %s', (form) => {
  test.each(['old', 'new'] as const)('is set once both mailboxes confirmed it, the %s one first', async (first) => {
    showsRefused(REFUSED, 3);
    await using directory = await testDirectory(form);
    const { auth, ada, eve, headers, logIn, mails, links, confirm, emails, refuse, refused } = await world(directory);
    const phone = await logIn(ADA);
    await auth.passwordReset.request({ email: ADA.email }, caller());
    const reset = (await mails()).find(({ kind }) => kind === 'password_reset')?.token ?? '';
    await refuse(ADA.email);
    const both = await links();
    const second = first === 'old' ? 'new' : 'old';
    expect(await auth.emailChanges.read(both[second])).toEqual({ from: ADA.email, to: NEXT, side: second });
    expect(await confirm(both[first], headers.ada)).toBe('waiting');
    expect(await emails()).toEqual([ADA.email, EVE.email]);
    expect(await auth.emailChanges.pending(ada.user.id)).toMatchObject({
      email: NEXT,
      old_confirmed: first === 'old',
      new_confirmed: first === 'new',
    });
    expect(await confirm(both[first], headers.ada)).toBe(LINK_IS_OVER);
    expect(await confirm(both[second], headers.ada)).toBe('done');
    expect(await confirm(both[second], headers.ada)).toBe(LINK_IS_OVER);
    expect(await emails()).toEqual([NEXT, EVE.email]);
    expect(await auth.emailChanges.pending(ada.user.id)).toBeNull();
    // The browser that opened the last link stays logged in, as after a new password.
    expect((await auth.identify(headers.ada))?.email).toBe(NEXT);
    expect(await auth.identify(phone)).toBeUndefined();
    expect((await auth.identify(headers.eve))?.email).toBe(EVE.email);
    const late = auth.passwordReset.redeem({ token: reset, password: 'battery staple of ada' }, caller());
    expect(await outcome(late)).toBe(LINK_IS_OVER);
    expect(await outcome(auth.signIn(ADA, caller()))).toMatch(/^unauthorized/);
    expect((await auth.signIn({ ...ADA, email: NEXT }, caller())).userId).toBe(ada.user.id);
    const told = (await mails()).filter(({ kind }) => kind === 'email_changed').map(({ recipient }) => recipient);
    expect(told.sort()).toEqual([ADA.email, NEXT]);
    const actionsOf = async (accountId: string) =>
      (await listActions(directory, accountId, { page: 1, action: 'email_changed' })).entries;
    expect(await actionsOf(ada.account.id)).toMatchObject([{ by: NEXT, actor: 'person' }]);
    expect(await actionsOf(eve.account.id)).toEqual([]);
    expect([await refused(ADA.email), await refused(NEXT), await refused(EVE.email)]).toEqual([false, true, false]);
  });

  test('is set once, whichever of many requests at the same time is first', async () => {
    showsRefused(REFUSED, 6);
    await using directory = await testDirectory(form);
    const { links, confirm, emails } = await world(directory);
    const both = await links();
    const asked = [both.old, both.new].flatMap((token) => [1, 2, 3, 4].map(() => confirm(token)));
    const outcomes = (await Promise.all(asked)).sort();
    expect(outcomes).toEqual(['done', ...Array<string>(6).fill(LINK_IS_OVER), 'waiting']);
    expect(await emails()).toEqual([NEXT, EVE.email]);
  });

  test('goes to one of two people who confirm it at the same time', async () => {
    showsRefused(REFUSED);
    await using directory = await testDirectory(form);
    const { auth, clock, headers, links, lastLinks, confirm, emails } = await world(directory);
    const ofAda = await links();
    clock.now += 1;
    await auth.emailChanges.start({ email: NEXT, password: EVE.password }, headers.eve);
    const ofEve = await lastLinks();
    expect(await confirm(ofAda.old)).toBe('waiting');
    expect(await confirm(ofEve.old)).toBe('waiting');
    const outcomes = await Promise.all([confirm(ofAda.new), confirm(ofEve.new)]);
    expect(outcomes.filter((one) => one === 'done')).toHaveLength(1);
    expect(outcomes.filter((one) => one.startsWith('bad_request: Somebody else logs in with'))).toHaveLength(1);
    expect((await emails()).filter((email) => email === NEXT)).toHaveLength(1);
  });

  test('ends its links after a day, with another change, with a new password, and when it is cancelled', async () => {
    showsRefused(REFUSED, 12);
    await using directory = await testDirectory(form);
    const { clock, auth, headers, links, confirm, emails } = await world(directory);
    const areOver = async (both: { old: string; new: string }) => {
      expect([await confirm(both.old), await confirm(both.new)]).toEqual([LINK_IS_OVER, LINK_IS_OVER]);
      expect(await outcome(auth.emailChanges.read(both.old))).toBe(LINK_IS_OVER);
    };
    const late = await links();
    expect(await confirm(late.old)).toBe('waiting');
    clock.now += DAY_MS;
    await areOver(late);
    await forgetEmailChanges(directory, clock.now + 1);
    expect(await directory.db.selectFrom('email_changes').selectAll().execute()).toEqual([]);
    const replaced = await links();
    expect(await confirm(replaced.new)).toBe('waiting');
    const cancelled = await links('ada@example.net');
    await areOver(replaced);
    await auth.emailChanges.cancel(headers.ada);
    await areOver(cancelled);
    const before = await links();
    await auth.changePassword({ current: ADA.password, next: 'chosen by ada herself' }, headers.ada);
    await areOver(before);
    expect(await emails()).toEqual([ADA.email, EVE.email]);
  });

  test('is set by the operator for a mailbox that nobody can read, which logs the person out', async () => {
    showsRefused(REFUSED);
    await using directory = await testDirectory(form);
    const { auth, mail, ada, headers, links, confirm, emails, mails, refuse, refused } = await world(directory);
    await refuse(ADA.email);
    const both = await links();
    const change = (from: string, to: string) => changeEmailByOperator({ directory, mail }, { from, to }, NOON);
    expect(await outcome(change('nobody@example.com', NEXT))).toBe(
      'not_found: Nobody has the e-mail address nobody@example.com.',
    );
    expect(await outcome(change(ADA.email, EVE.email))).toMatch(/^bad_request: Somebody else logs in/);
    expect(await outcome(change(ADA.email, 'no address'))).toMatch(/^bad_request: The e-mail address is malformed/);
    await change(' ADA@example.com', NEXT);
    expect(await emails()).toEqual([NEXT, EVE.email]);
    expect([await refused(ADA.email), await refused(NEXT)]).toEqual([false, true]);
    expect(await auth.identify(headers.ada)).toBeUndefined();
    expect(await confirm(both.old)).toBe(LINK_IS_OVER);
    const { entries } = await listActions(directory, ada.account.id, { page: 1, action: 'email_changed' });
    expect(entries).toMatchObject([{ actor: 'operator', by: null, member: NEXT }]);
    expect((await mails()).filter(({ kind }) => kind === 'email_changed')).toHaveLength(2);
  });
});

test('links work for the person of the change only, and are stored as hashes', async () => {
  showsRefused(REFUSED, 2);
  await using directory = await testDirectory('sqlite');
  const { headers, links, confirm, emails } = await world(directory);
  const both = await links();
  for (const token of [both.old, both.new])
    expect(await confirm(token, headers.eve)).toBe(
      'forbidden: This link is for another login: log out, then open it again.',
    );
  const rows = JSON.stringify(await directory.db.selectFrom('verifications').selectAll().execute());
  for (const token of [both.old, both.new]) expect(rows).not.toContain(token);
  expect(await confirm(both.old)).toBe('waiting');
  expect(await confirm(both.new)).toBe('done');
  expect(await emails()).toEqual([NEXT, EVE.email]);
});

test('a taken address is answered like a free one: the same mail to the old address, the same rows, and its holder is told', async () => {
  showsRefused('addresses guessed', 1);
  await using directory = await testDirectory('sqlite');
  const { auth, ada, mails, start, confirm, clock } = await world(directory);
  const seen = async () => ({
    pending: { ...(await auth.emailChanges.pending(ada.user.id)), email: '', expires_at: 0 },
    rows: (await directory.db.selectFrom('verifications').selectAll().execute()).length,
    mails: (await mails()).length,
  });
  await start(NEXT);
  const free = await seen();
  await auth.emailChanges.cancel((await directoryHeaders()).ada);
  await directory.db.deleteFrom('mails').execute();
  clock.now += 1;
  await start(EVE.email);
  expect(await seen()).toEqual(free);
  const sent = await mails();
  expect(sent.map(({ kind, recipient }) => [kind, recipient]).sort()).toEqual([
    ['email_change_old', ADA.email],
    ['email_taken', EVE.email],
  ]);
  expect(await confirm(sent.find(({ kind }) => kind === 'email_change_old')?.token ?? '')).toBe('waiting');

  async function directoryHeaders() {
    return { ada: { ...PAGE, ...cookieOf((await auth.signIn(ADA, caller())).setCookies) } };
  }
});

test('a change needs the password, our own page, mail, and another address, and is throttled by person and by address', async () => {
  showsRefused('rate limits exceeded', 2);
  await using directory = await testDirectory('sqlite');
  const { auth, headers, start, emails, mails } = await world(directory);
  expect(await outcome(start(NEXT, 'wrong horse'))).toBe('bad_request: The password is wrong.');
  expect(await outcome(start('ADA@example.com'))).toBe('bad_request: This is your e-mail address already.');
  expect(await outcome(start('no address'))).toMatch(/^bad_request: The e-mail address is malformed/);
  const evil = { ...headers.ada, origin: 'https://evil.example' };
  const started = auth.emailChanges.start({ email: NEXT, password: ADA.password }, evil);
  expect(await outcome(started)).toMatch(/^forbidden/);
  expect(await outcome(auth.emailChanges.cancel(evil))).toMatch(/^forbidden/);
  expect(await outcome(auth.emailChanges.cancel(PAGE))).toMatch(/^unauthorized/);
  expect(await mails()).toEqual([]);
  const silent = await testAuth(directory);
  expect(await outcome(silent.emailChanges.start({ email: NEXT, password: ADA.password }, headers.ada))).toMatch(
    /^bad_request: This server sends no mail/,
  );
  const asked: string[] = [];
  for (let n = 0; n < 5; n += 1) asked.push(await outcome(start(NEXT)));
  expect(new Set(asked)).toEqual(new Set(['allowed']));
  expect(await outcome(start('ada@example.net'))).toMatch(/^too_many_requests/);
  const byEve = auth.emailChanges.start({ email: NEXT, password: EVE.password }, headers.eve);
  expect(await outcome(byEve)).toMatch(/^too_many_requests/);
  expect(await emails()).toEqual([ADA.email, EVE.email]);
});

test('guessed links are counted, by both procedures together', async () => {
  showsRefused('guessing passwords and keys', 4);
  await using server = await testApp();
  const ask = makeAsk(server);
  const statuses: number[] = [];
  for (let n = 0; n < 14; n += 1) {
    const name = n % 2 === 0 ? 'profile.emailLink' : 'profile.confirmEmail';
    statuses.push((await ask(name, { token: String(n).padStart(40, '0') }, {})).status);
  }
  expect(statuses).toEqual([...Array<number>(10).fill(404), ...Array<number>(4).fill(429)]);
});
