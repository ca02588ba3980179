/** @module-tag attack */
// Giving a site to another account: who may, once, within seven days, what moves along and what ends, and no event is lost.
import { askExport } from '../../server/accounts/exports.ts';
import { describe, expect, test } from 'vitest';
import { listActions } from '../../server/accounts/account-log.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { askDeletion, beginDeletions } from '../../server/accounts/account-deletion.ts';
import { addMember, changeMember } from '../../server/accounts/people/people.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import type { Directory } from '../../server/directory/open.ts';
import { sql } from 'kysely';
import { saveRules } from '../../server/integrations/mentions/rules.ts';
import { addMentions } from '../../server/integrations/mentions/stored.ts';
import { createSegment, listSegments } from '../../server/sites/definitions/segments.ts';
import { beginImport, listImports } from '../../server/sites/import-list.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { configureSite, createSite, listSites, verifySite } from '../../server/sites/sites.ts';
import { withRules } from '../../server/sites/left-out.ts';
import { leaveOut } from '../../server/collect/left-out.ts';
import {
  acceptSite,
  MOVES,
  offerOf,
  offerSite,
  openOffer,
  OFFER_OVER,
  withdrawOffer,
} from '../../server/sites/transfers.ts';
import { countMonth, countMonths } from '../../server/stats/answers/month.ts';
import { DAY_MS, MINUTE_MS, startOfMonth } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeEvent } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';

const WEEK_MS = 7 * DAY_MS;
const OVER = `not_found: ${OFFER_OVER}`;
const DENIED = 'forbidden: Your role in this account does not allow this: ask an owner of the account.';
const LIMITS = { maxSites: 3, billing: 'on' as const };

/** Two accounts, the first with a site that it offers to the owner of the second. */
async function makePlace(directory: Directory) {
  const make = async (name: string) => {
    const email = `${name}@example.com`;
    const { account, user } = await createAccount(directory, { email, password: PASSWORD, status: 'active' }, NOON);
    return { accountId: account.id, userId: user.id, email };
  };
  const [ada, bob] = [await make('ada'), await make('bob')];
  const site = await createSite(directory, { accountId: ada.accountId, domain: 'ada.example' }, NOON);
  const offered = { siteId: site.id, accountId: ada.accountId, by: ada.userId };
  const offer = async (email = bob.email, by = ada.userId) =>
    (await offerSite(directory, { ...offered, by, email, notify: () => Promise.resolve() }, NOON)).token;
  const accept = (token: string, who = bob, now = NOON, limits = LIMITS) =>
    outcome(acceptSite(directory, { ...who, token }, { ...limits, now }));
  const domains = async ({ accountId }: { accountId: string }) =>
    (await listSites(directory, accountId)).map(({ domain }) => domain);
  return { ada, bob, site, offered, make, offer, accept, domains };
}

describe.each(FORMS)('a site that is given away, in %s', (form) => {
  test('moves once, within seven days, to an account of the person it was offered to', async () => {
    showsRefused('codes used twice, late or by another', 8);
    await using directory = await testDirectory(form);
    const { ada, bob, site, offered, make, offer, accept, domains } = await makePlace(directory);
    const [eve, carl] = [await make('eve'), await make('carl')];
    const viewer = { role: 'viewer', siteIds: null } as const;
    await addMember(directory.db, { accountId: carl.accountId, userId: bob.userId, place: viewer }, NOON);

    const replaced = await offer();
    const token = await offer(' Bob@Example.com');
    expect(await offerOf(directory, token, NOON)).toEqual({
      domain: 'ada.example',
      account: 'ada',
      email: bob.email,
      expiresAt: NOON + WEEK_MS,
    });
    expect(await accept(replaced)).toBe(OVER);
    expect(await accept('x'.repeat(32))).toBe(OVER);
    expect(await accept(token, bob, NOON + WEEK_MS)).toBe(OVER);
    expect(await accept(token, eve)).toBe('forbidden: This offer is for another e-mail address: log in with that one.');
    expect(await accept(token, { ...bob, accountId: eve.accountId })).toBe('not_found: There is no such account.');
    expect(await accept(token, { ...bob, accountId: carl.accountId })).toBe(DENIED);
    // A refusal uses nothing up.
    expect(await accept(token, bob, NOON + WEEK_MS - 1)).toBe('allowed');
    expect(await accept(token)).toBe(OVER);
    expect([await domains(ada), await domains(bob)]).toEqual([[], ['ada.example']]);
    expect(await outcome(offer())).toBe('not_found: There is no such site in this account.');
    expect(await outcome(withdrawOffer(directory, offered))).toBe('not_found: There is no such site in this account.');
    for (const [{ accountId }, action] of [
      [ada, 'site_given'],
      [bob, 'site_taken_over'],
    ] as const) {
      const { entries } = await listActions(directory, accountId, { page: 1 });
      expect(entries).toMatchObject([{ action, by: bob.email, domain: 'ada.example' }]);
    }
    expect(await openOffer(directory, site.id, NOON)).toBe(undefined);
  });

  test('is offered by owners alone, and no more once the offer is withdrawn or its maker is no owner', async () => {
    showsRefused('access to data of other accounts', 4);
    await using directory = await testDirectory(form);
    const { ada, bob, offered, make, offer, accept } = await makePlace(directory);
    const carl = await make('carl');
    const owner = { role: 'owner', siteIds: null } as const;
    const admin = { role: 'admin', siteIds: null } as const;
    await addMember(directory.db, { accountId: ada.accountId, userId: carl.userId, place: admin }, NOON);
    expect(await outcome(offer(bob.email, carl.userId))).toBe(DENIED);
    expect(await outcome(offer(bob.email, bob.userId))).toBe(DENIED);
    expect(await outcome(offer('nobody'))).toContain('bad_request: The e-mail address is malformed');

    const withdrawn = await offer();
    expect(await withdrawOffer(directory, offered)).toBe(true);
    expect(await withdrawOffer(directory, offered)).toBe(false);
    expect(await accept(withdrawn)).toBe(OVER);

    const change = (place: typeof owner | typeof admin) =>
      changeMember(directory, { accountId: ada.accountId, by: ada.userId, userId: carl.userId, place });
    await change(owner);
    const token = await offer(bob.email, carl.userId);
    await change(admin);
    expect(await accept(token)).toBe(OVER);

    const late = await offer();
    const asked = { accountId: ada.accountId, by: ada.userId, typed: 'ada', notify: () => Promise.resolve() };
    await askDeletion(directory, asked, NOON);
    await beginDeletions(directory, NOON + WEEK_MS);
    expect(await accept(late)).toBe(OVER);
  });

  test('fits the limits of the account that takes it', async () => {
    await using directory = await testDirectory(form);
    const { ada, bob, offer, accept, domains } = await makePlace(directory);
    const token = await offer();
    for (const domain of ['one.example', 'two.example', 'three.example'])
      await createSite(directory, { accountId: bob.accountId, domain }, NOON);
    expect(await accept(token)).toBe('bad_request: An account can have 3 sites: delete one to add another.');
    await setPlan(directory, { accountId: bob.accountId, status: 'expired' }, NOON);
    expect(await accept(token)).toContain('bad_request: The plan of this account has ended');
    await setPlan(directory, { accountId: bob.accountId, status: 'active' }, NOON);
    const asked = { accountId: bob.accountId, by: bob.userId, typed: 'bob', notify: () => Promise.resolve() };
    await askDeletion(directory, asked, NOON);
    expect(await accept(token, bob, NOON, { ...LIMITS, maxSites: 4 })).toContain('is going to be deleted');
    const own = await offer(ada.email);
    expect(await accept(own, ada)).toBe('bad_request: The site is in this account already: choose another one.');
    expect(await domains(ada)).toEqual(['ada.example']);
  });

  test('moves once a month, so that its events are counted for somebody', async () => {
    await using directory = await testDirectory(form);
    const { ada, bob, site, offer, accept, domains } = await makePlace(directory);
    expect(await accept(await offer())).toBe('allowed');
    const next = startOfMonth(NOON, 1);
    const back = { siteId: site.id, accountId: bob.accountId, by: bob.userId, email: ada.email };
    const { token } = await offerSite(directory, { ...back, notify: () => Promise.resolve() }, next - 1);
    expect(await accept(token, ada, next - 1)).toBe(
      'bad_request: This site came from another account this month: it can move again next month.',
    );
    expect(await domains(bob)).toEqual(['ada.example']);
    expect(await accept(token, ada, next)).toBe('allowed');
  });

  test('takes along what is shared and defined, and ends what is of people of the old account', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const { ada, bob, site, make, offer, accept } = await makePlace(directory);
    const both = await make('both');
    for (const { accountId } of [ada, bob])
      await addMember(db, { accountId, userId: both.userId, place: { role: 'viewer', siteIds: null } }, NOON);
    const named = await make('named');
    const place = { role: 'viewer', siteIds: [site.id] } as const;
    await addMember(
      db,
      { accountId: ada.accountId, userId: named.userId, place: { ...place, siteIds: [site.id] } },
      NOON,
    );
    const filters = [{ dimension: 'country' as const, operator: 'is' as const, values: ['DE'] }];
    for (const owner of [null, ada.userId, both.userId])
      await createSegment(directory, { siteId: site.id, owner, name: `of ${owner}`, filters }, NOON);
    await createShareLink(directory, { siteId: site.id, name: 'press' }, NOON);
    await verifySite(directory, { siteId: site.id, domain: site.domain }, NOON);
    const rules = { countries: ['DE'], pages: [], hostnames: [] };
    const transparency = { shown: true, contact: 'ada@example.com', opt_out_page: '' };
    await configureSite(
      directory,
      { siteId: site.id, settings: { ...leaveOut(withRules({}, rules), '198.51.100.213'), transparency } },
      NOON,
    );
    await saveRules(directory, { siteId: site.id, rules: { places: ['lobsters'], words: [], feeds: [] } }, NOON);
    const score = { points: 1, comments: 0, said: '' };
    const thread = { thread: 'a', title: 'A', url: 'https://lobste.rs/s/a', postedAt: NOON, ...score };
    await addMentions(db, { siteId: site.id, place: 'lobsters', found: [thread] }, NOON);
    const ofOldAccount = { accountId: ada.accountId, userId: ada.userId, recipient: null };
    for (const siteId of [site.id, null]) await askExport(directory, { ...ofOldAccount, siteId, kind: 'open' }, NOON);
    const importers = [ada.userId, both.userId].map((user_id) => ({ actor: 'person' as const, user_id }));
    for (const importer of importers)
      await beginImport(
        directory,
        { siteId: site.id, format: 'csv', file: 'a.csv', fingerprint: importer.user_id, importer },
        NOON,
      );
    expect(await accept(await offer())).toBe('allowed');

    const emails = (await listImports(directory, site.id)).map(({ actor, by }) => [actor, by]);
    expect(emails.sort()).toEqual([
      ['person', undefined], // of the old account alone
      ['person', 'both@example.com'],
    ]);
    expect(await db.selectFrom('exports').select('id').execute()).toEqual([]);
    const count = async (
      table: 'share_links' | 'member_sites' | 'segments' | 'mentions' | 'mention_rules' | 'mention_searches',
    ) => (await db.selectFrom(table).selectAll().where('site_id', '=', site.id).execute()).length;
    expect([await count('share_links'), await count('member_sites'), await count('segments')]).toEqual([1, 0, 2]);
    expect([await count('mentions'), await count('mention_rules'), await count('mention_searches')]).toEqual([1, 0, 0]);
    expect(await listSegments(directory, { siteId: site.id, userId: both.userId })).toHaveLength(2);
    const [moved] = await listSites(directory, bob.accountId);
    expect(moved).toMatchObject({ id: site.id, created_at: NOON, moved_at: NOON, verified_at: null });
    expect(moved?.settings).toEqual({ left_out: { ...rules, networks: [], key: '' } });
    // A new table with rows of sites must say what becomes of them.
    const tables = await db.introspection.getTables();
    const ofSites = tables
      .filter(({ columns }) => columns.some(({ name }) => name === 'site_id'))
      .map(({ name }) => name);
    const before = ['deletions']; // of sites that are gone
    expect(ofSites.filter((name) => !before.includes(name)).sort()).toEqual(Object.keys(MOVES).sort());
  });

  test('goes to one of two people who accept at the same moment, and meets no deadlock', async () => {
    await using directory = await testDirectory(form);
    const { ada, bob, offer, accept, domains } = await makePlace(directory);
    for (let round = 0; round < 3; round += 1) {
      const [from, to] = round % 2 === 0 ? [ada, bob] : [bob, ada];
      const [site] = await listSites(directory, from.accountId);
      if (!site) throw new Error('The site is lost.');
      const offered = { siteId: site.id, accountId: from.accountId, by: from.userId };
      const time = NOON + round * 31 * DAY_MS; // a site moves once a month
      const { token } = await offerSite(
        directory,
        { ...offered, email: to.email, notify: () => Promise.resolve() },
        time,
      );
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => accept(token, to, time)));
      expect(outcomes.sort()).toEqual(['allowed', OVER, OVER, OVER]);
      expect([await domains(from), await domains(to)]).toEqual([[], ['ada.example']]);
    }
    await expect(offer()).rejects.toThrow();
    await sql`select 1`.execute(directory.db);
  });
});

test('a site that moves keeps its history, loses no event, and counts for its new account from then on', async () => {
  await using server = await testApp();
  const site = await server.addSite('moving.example');
  const other = await server.addSite('other.example');
  const { directory, stats } = server.app.services;
  const ask = makeAsk(server);
  const cookies = {
    from: { cookie: await server.logIn('owner@moving.example') },
    to: { cookie: await server.logIn('owner@other.example') },
  };
  let views = 0;
  const view = async () => {
    views += 1;
    const url = `https://moving.example/page-${views}`;
    expect((await server.foot({ site: 'moving.example', name: 'pageview', url })).status).toBe(202);
  };
  const old = makeEvent({ site_id: site.id, time: server.clock.now - 40 * DAY_MS });
  await server.app.collector.record([old], server.clock.now);
  await view();
  server.clock.now += MINUTE_MS;
  const link = await ask('transfers.offer', { site_id: site.id, email: 'owner@other.example' }, cookies.from);
  const token = /[0-9A-Za-z]{32}/.exec(link.body)?.[0] ?? '';
  await server.settle();
  const accepting = ask('transfers.accept', { token, account_id: other.account_id }, cookies.to);
  await Promise.all([view(), view(), accepting]);
  expect((await accepting).status).toBe(200);
  server.clock.now += MINUTE_MS;
  await view();
  await server.settle();

  const summary = { site_id: site.id, period: 'all' };
  expect((await ask('stats.summary', summary, cookies.from)).status).toBe(404);
  expect((await ask('stats.summary', summary, cookies.to)).status).toBe(200);
  const arrived = await stats.countEvents([site.id], { from: 0, to: server.clock.now + 1 });
  expect(arrived).toBe(1 + views);
  // The first view and the old event were counted before the move.
  const own = await listSites(directory, other.account_id);
  expect(await countMonth(stats, own, server.clock.now)).toBe(views - 1);
  const months = await countMonths(stats, new Map([[other.account_id, own]]), server.clock.now);
  expect(months.get(other.account_id)).toBe(views - 1);
});
