/** @module-tag attack */
// The people of an account: who may change whom, invitations that are used twice, late, by others and in parallel, and the last owner.
import { describe, expect, test } from 'vitest';
import { accountsOf, createAccount, prepareAccount } from '../../server/accounts/accounts.ts';
import {
  createInvitation,
  forgetInvitations,
  invitationOf,
  join,
  listInvitations,
  withdrawInvitation,
} from '../../server/accounts/people/invitations.ts';
import { addMember, changeMember, listMembers, type Place, removeMember } from '../../server/accounts/people/people.ts';
import { type Directory, openDirectory } from '../../server/directory/open.ts';
import { ROLES, type Role } from '../../server/vocabulary/accounts/roles.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { startSmtp } from '../setup/internet/smtp.ts';

const WEEK_MS = 7 * DAY_MS;
const all = (role: Role): Place => ({ role, siteIds: null });
const OVER =
  'not_found: This invitation is not valid: it was used or withdrawn, or its seven days are over. Ask for a new one.';
const DENIED = 'forbidden: Your role in this account does not allow this: ask an owner of the account.';
const LAST = 'bad_request: An account needs an owner: make somebody else an owner first.';
const UNKNOWN = 'not_found: There is no such person in this account.';

/** An account with an owner, and a way to add others. */
async function makePeople(directory: Directory) {
  const { account, user } = await createAccount(directory, { email: 'owner@example.com', password: PASSWORD }, NOON);
  const make = async (name: string) =>
    (await createAccount(directory, { email: `${name}@example.com`, password: PASSWORD }, NOON)).user.id;
  const add = async (name: string, place: Place) => {
    const userId = await make(name);
    await addMember(directory.db, { accountId: account.id, userId, place }, NOON);
    return userId;
  };
  const invite = (place: Place, email?: string, by = user.id) =>
    createInvitation(directory, { accountId: account.id, by, place, email }, NOON);
  return { accountId: account.id, owner: user.id, make, add, invite };
}

describe.each(FORMS)('people in %s', (form) => {
  test('owners change everybody, admins everybody but owners, and others nobody', async () => {
    showsRefused('access to data of other accounts');
    await using directory = await testDirectory(form);
    const { accountId, owner, add, make, invite } = await makePeople(directory);
    const stranger = await make('stranger');
    for (const by of [...ROLES, 'stranger'] as const)
      for (const before of ROLES)
        for (const after of ROLES) {
          const name = `${by} ${before} ${after}`.replaceAll(' ', '-');
          const actor =
            { owner, stranger, admin: '', billing: '', viewer: '' }[by] || (await add(`by-${name}`, all(by as Role)));
          const userId = await add(name, all(before));
          const mayDo = by === 'owner' || (by === 'admin' && before !== 'owner' && after !== 'owner');
          const place = all(after);
          const changed = await outcome(changeMember(directory, { accountId, by: actor, userId, place }));
          expect([name, changed]).toEqual([name, mayDo ? 'allowed' : DENIED]);
          const mayInvite = by === 'owner' || (by === 'admin' && after !== 'owner');
          if (before === 'viewer') {
            const invited = await outcome(invite(place, undefined, actor));
            expect([name, invited]).toEqual([name, mayInvite ? 'allowed' : DENIED]);
            await directory.db.deleteFrom('invitations').execute();
          }
          const removed = await outcome(removeMember(directory, { accountId, by: actor, userId }));
          const mayRemove = by === 'owner' || (by === 'admin' && before !== 'owner');
          expect([name, removed]).toEqual([name, mayRemove ? 'allowed' : DENIED]);
          await directory.db.deleteFrom('users').where('email', '=', `${name}@example.com`).execute();
        }
    const other = await createAccount(directory, { email: 'other@example.com', password: PASSWORD }, NOON);
    for (const userId of [other.user.id, 'user_0']) {
      expect(await outcome(removeMember(directory, { accountId, by: owner, userId }))).toBe(UNKNOWN);
      expect(await outcome(changeMember(directory, { accountId, by: owner, userId, place: all('viewer') }))).toBe(
        UNKNOWN,
      );
    }
  });

  test('the last owner stays, also when two owners leave or step down at the same time', async () => {
    await using directory = await testDirectory(form);
    // Another process. Two connections to one SQLite file in one process would wait for each other in vain.
    const other = form === 'postgres' ? await openDirectory(directory.place) : directory;
    await using closing = new AsyncDisposableStack();
    if (other !== directory) closing.defer(() => other.close());
    const { accountId, owner, add } = await makePeople(directory);
    await add('admin', all('admin'));
    expect(await outcome(removeMember(directory, { accountId, by: owner, userId: owner }))).toBe(LAST);
    for (const role of ['admin', 'billing', 'viewer'] as const)
      expect(await outcome(changeMember(directory, { accountId, by: owner, userId: owner, place: all(role) }))).toBe(
        LAST,
      );

    for (let round = 0; round < 5; round += 1) {
      await add(`second${round}`, all('owner'));
      const owners = (await listMembers(directory, accountId)).filter(({ role }) => role === 'owner');
      expect(owners).toHaveLength(2);
      const [one, two] = owners as [(typeof owners)[number], (typeof owners)[number]];
      const outcomes = await Promise.all([
        outcome(removeMember(directory, { accountId, by: one.userId, userId: one.userId })),
        outcome(
          round % 2 === 0
            ? removeMember(other, { accountId, by: two.userId, userId: two.userId })
            : changeMember(other, { accountId, by: two.userId, userId: two.userId, place: all('viewer') }),
        ),
      ]);
      expect(outcomes.sort()).toEqual(['allowed', LAST]);
      const left = (await listMembers(directory, accountId)).filter(({ role }) => role === 'owner');
      expect(left).toHaveLength(1);
    }
  });

  test('ownership is handed over: the new owner may then step the old one down', async () => {
    await using directory = await testDirectory(form);
    const { accountId, owner, add } = await makePeople(directory);
    const heir = await add('heir', all('admin'));
    await changeMember(directory, { accountId, by: owner, userId: heir, place: all('owner') });
    await changeMember(directory, { accountId, by: heir, userId: owner, place: all('billing') });
    const roles = (await listMembers(directory, accountId)).map(({ userId, role }) => [userId, role]);
    expect(Object.fromEntries(roles)).toEqual({ [owner]: 'billing', [heir]: 'owner' });
  });

  test('an invitation works once, for seven days, and of many at the same time one gets in', async () => {
    showsRefused('codes used twice, late or by another', 12);
    await using directory = await testDirectory(form);
    const { accountId, owner, make, invite } = await makePeople(directory);
    const { token } = await invite(all('viewer'));
    const people = await Promise.all(Array.from({ length: 5 }, (_, number) => make(`person${number}`)));
    const outcomes = await Promise.all(
      people.map((userId) => outcome(join(directory, { token, who: { userId } }, NOON))),
    );
    expect(outcomes.sort()).toEqual(['allowed', ...Array<string>(4).fill(OVER)]);
    expect((await listMembers(directory, accountId)).map(({ role }) => role).sort()).toEqual(['owner', 'viewer']);

    const late = await invite(all('viewer'));
    const userId = await make('late');
    const joinAt = (now: number) => outcome(join(directory, { token: late.token, who: { userId } }, now));
    expect(await invitationOf(directory, late.token, NOON + WEEK_MS)).toBeUndefined();
    expect(await joinAt(NOON + WEEK_MS)).toBe(OVER);
    expect(await joinAt(NOON + WEEK_MS - 1)).toBe('allowed');

    const withdrawn = await invite(all('viewer'));
    await withdrawInvitation(directory, { accountId, by: owner, id: withdrawn.id });
    const other = { userId: await make('other') };
    for (const text of [withdrawn.token, token, late.token, '', 'x', "' or 1=1 --", withdrawn.id])
      expect(await outcome(join(directory, { token: text, who: other }, NOON))).toBe(OVER);
    const rows = JSON.stringify(await directory.db.selectFrom('invitations').selectAll().execute());
    const kept = await invite(all('admin'));
    expect(rows).not.toContain(kept.token);
    await forgetInvitations(directory, NOON + WEEK_MS + 1);
    expect(await listInvitations(directory, accountId, NOON)).toEqual([]);
  });

  test('an invitation for an address admits nobody else, and a member twice in vain; both keep it usable', async () => {
    await using directory = await testDirectory(form);
    const { accountId, owner, make, invite } = await makePeople(directory);
    const { token } = await invite(all('viewer'), 'Ada@Example.com');
    const eve = await make('eve');
    const other = 'forbidden: This invitation is for another e-mail address: log in with that one.';
    expect(await outcome(join(directory, { token, who: { userId: eve } }, NOON))).toBe(other);
    const user = await prepareAccount({ email: 'mallory@example.com', password: PASSWORD });
    expect(await outcome(join(directory, { token, who: { user } }, NOON))).toBe(other);
    expect(await directory.db.selectFrom('users').select('id').where('email', '=', user.email).execute()).toEqual([]);
    // The answer is the same for an address that has a login here.
    const known = await prepareAccount({ email: 'owner@example.com', password: PASSWORD });
    expect(await outcome(join(directory, { token, who: { user: known } }, NOON))).toBe(other);
    const ada = await prepareAccount({ email: 'ada@example.com', password: PASSWORD });
    const joined = await join(directory, { token, who: { user: ada } }, NOON);
    expect((await accountsOf(directory, joined.userId)).map(({ id, role }) => [id, role])).toEqual([
      [accountId, 'viewer'],
    ]);

    const again = await invite(all('admin'));
    const twice = join(directory, { token: again.token, who: { userId: owner } }, NOON);
    expect(await outcome(twice)).toBe('bad_request: You already belong to this account.');
    const taken = await prepareAccount({ email: 'owner@example.com', password: PASSWORD });
    expect(await outcome(join(directory, { token: again.token, who: { user: taken } }, NOON))).toBe(
      'bad_request: There is already an account with this e-mail address.',
    );
    expect(await outcome(join(directory, { token: again.token, who: { userId: eve } }, NOON))).toBe('allowed');
  });

  test('invitations end with the right of those who sent them', async () => {
    await using directory = await testDirectory(form);
    const { accountId, owner, add, invite } = await makePeople(directory);
    const admin = await add('admin', all('admin'));
    const [one, kept] = [await invite(all('admin'), undefined, admin), await invite(all('viewer'))];
    await changeMember(directory, { accountId, by: owner, userId: admin, place: all('viewer') });
    expect((await listInvitations(directory, accountId, NOON)).map(({ id }) => id)).toEqual([kept.id]);
    expect(await invitationOf(directory, one.token, NOON)).toBeUndefined();

    // An owner who becomes an admin may still invite, but no owners.
    const second = await add('second', all('owner'));
    const [asOwner, asAdmin] = [
      await invite(all('owner'), undefined, second),
      await invite(all('admin'), undefined, second),
    ];
    await changeMember(directory, { accountId, by: owner, userId: second, place: all('admin') });
    expect(await invitationOf(directory, asOwner.token, NOON)).toBeUndefined();
    expect(await invitationOf(directory, asAdmin.token, NOON)).toBeDefined();
  });

  test('a viewer sees named sites, and none once they are deleted', async () => {
    await using directory = await testDirectory(form);
    const { accountId, owner, add, invite } = await makePeople(directory);
    const site = await createSite(directory, { accountId, domain: 'example.com' }, NOON);
    const foreign = await createAccount(directory, { email: 'foreign@example.com', password: PASSWORD }, NOON);
    const wish = { accountId: foreign.account.id, domain: 'foreign.example' };
    const theirs = await createSite(directory, wish, NOON);
    const userId = await add('viewer', { role: 'viewer', siteIds: [site.id] });
    const seen = async () => (await listMembers(directory, accountId)).find((one) => one.userId === userId)?.siteIds;
    expect(await seen()).toEqual([site.id]);
    const change = (place: Place) => outcome(changeMember(directory, { accountId, by: owner, userId, place }));
    expect(await change({ role: 'viewer', siteIds: [theirs.id] })).toBe(
      'not_found: There is no such site in this account.',
    );
    expect(await change({ role: 'admin', siteIds: [site.id] })).toBe(
      'bad_request: Only viewers can be limited to some sites.',
    );
    expect(await outcome(invite({ role: 'viewer', siteIds: [theirs.id] }))).toBe(
      'not_found: There is no such site in this account.',
    );
    await deleteSite(directory, { siteId: site.id }, NOON);
    expect(await seen()).toEqual([]);
    expect(await change(all('viewer'))).toBe('allowed');
    expect(await seen()).toBeNull();
  });
});

test('guessed invitations are throttled by address, and hostile names are shown as they are', async () => {
  showsRefused('guessing passwords and keys', 20);
  await using server = await testApp();
  const ask = makeAsk(server);
  const { directory } = server.app.services;
  const hostile = '<img src=x onerror=alert(1)>\u202e"; drop table users';
  const who = { email: 'owner@example.com', password: PASSWORD, name: hostile };
  const { account, user } = await createAccount(directory, who, server.clock.now);
  const wish = { accountId: account.id, by: user.id, place: all('viewer') };
  const { token } = await createInvitation(directory, wish, server.clock.now);
  const guesses = [];
  for (let number = 0; number < 20; number += 1)
    guesses.push((await ask('people.invitation', { token: `${number}`.padStart(32, '0') }, {})).status);
  expect(guesses).toEqual([...Array<number>(10).fill(404), ...Array<number>(10).fill(429)]);
  const valid = await ask('people.invitation', { token }, {});
  expect(valid.status).toBe(200);
  expect(valid.body).not.toContain('owner@example.com');

  // A person joins with a password, is logged in, and sees the account. Afterwards the link is over.
  const credentials = { email: 'new@example.com', password: PASSWORD };
  expect((await ask('people.join', { token, user: credentials }, {})).status).toBe(200);
  const cookie = await server.logIn(credentials.email);
  const session = await ask('session.current', undefined, { cookie });
  expect(session.body).toContain(account.id);
  expect((await ask('people.join', { token }, { cookie })).status).toBe(429); // still from the address that guessed
});

test('a person with two accounts switches between them, and an unknown account changes nothing', async () => {
  await using server = await testApp();
  const ask = makeAsk(server);
  const { directory } = server.app.services;
  const [first, second] = [await server.addSite('first.example'), await server.addSite('second.example')];
  const people = await listMembers(directory, first.account_id);
  const place = { accountId: second.account_id, userId: people[0]?.userId ?? '', place: all('admin') };
  await addMember(directory.db, place, server.clock.now + 1);
  const cookie = await server.logIn('owner@first.example');
  const sitesWith = async (chosen: string) =>
    (await ask('sites.list', undefined, { cookie: chosen ? `${cookie}; footfall_account=${chosen}` : cookie })).body;
  expect(await sitesWith('')).toContain(first.id);
  expect(await sitesWith(second.account_id)).toContain(second.id);
  expect(await sitesWith(second.account_id)).not.toContain(first.id);
  for (const odd of ['acct_0', 'x', '../..', `acct_${'0'.repeat(26)}`])
    expect(await sitesWith(odd)).toContain(first.id);
  expect((await ask('people.switch', { account_id: second.account_id }, { cookie })).status).toBe(200);
  const stranger = await server.addSite('third.example');
  expect((await ask('people.switch', { account_id: stranger.account_id }, { cookie })).status).toBe(404);
});

test('new users of an invitation are limited by address, as those who sign up', async () => {
  showsRefused('guessing passwords and keys', 5);
  await using server = await testApp();
  const ask = makeAsk(server);
  const site = await server.addSite('example.com');
  const [owner] = await listMembers(server.app.services.directory, site.account_id);
  const wish = { accountId: site.account_id, by: owner?.userId ?? '', place: all('viewer') };
  const { token } = await createInvitation(server.app.services.directory, wish, server.clock.now);
  const user = { email: 'owner@example.com', password: PASSWORD }; // has a login already, so that the invitation stays
  const statuses = [];
  for (let number = 0; number < 15; number += 1) statuses.push((await ask('people.join', { token, user }, {})).status);
  expect(statuses).toEqual([...Array<number>(10).fill(400), ...Array<number>(5).fill(429)]);
});

test('an account mails at most 20 invitations an hour, withdrawn ones included', async () => {
  showsRefused('rate limits exceeded', 2);
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <f@stats.example>' };
  await using server = await testApp({ env });
  const ask = makeAsk(server);
  await server.addSite('example.com');
  const cookie = await server.logIn('owner@example.com');
  const invite = (email?: string) => ask('people.invite', { role: 'viewer', ...(email && { email }) }, { cookie });
  const statuses = [];
  for (let number = 0; number < 22; number += 1) {
    const { status, body } = await invite(`p${number}@example.com`);
    statuses.push(status);
    const id = /invite_\w+/.exec(body)?.[0];
    if (id) await ask('people.withdraw', { id }, { cookie });
  }
  expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429]);
  expect((await invite()).status).toBe(200);
  await server.app.runJob('send-mail');
  expect(smtp.mails).toHaveLength(20);
});

test('a page that shows another account than the one chosen since changes nothing', async () => {
  showsRefused('access to data of other accounts');
  await using server = await testApp();
  const ask = makeAsk(server);
  const [own, other] = [await server.addSite('own.example'), await server.addSite('other.example')];
  const cookie = await server.logIn('owner@own.example');
  const create = (shown: string, domain: string) =>
    ask('sites.create', { domain }, { cookie, 'x-footfall-account': shown });
  expect((await create(other.account_id, 'first.example')).status).toBe(400);
  expect((await create(own.account_id, 'second.example')).status).toBe(200);
  expect((await ask('sites.list', undefined, { cookie })).body).not.toContain('first.example');
});
