// Who may see a site, and how the account's plan limits that, on both directory databases.
import { describe, expect, test } from 'vitest';
import {
  accountFor,
  memberOf,
  NEEDS,
  type Need,
  seesAll,
  siteFor,
  sitesFor,
  type Viewer,
} from '../../server/sites/access.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { changeMember } from '../../server/accounts/people/people.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { NO_RULES } from '../../server/vocabulary/settings/share-links.ts';
import { ROLES, type Role } from '../../server/vocabulary/accounts/roles.ts';
import { createSite } from '../../server/sites/sites.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory, type TestDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';

describe.each(FORMS)('who may see a site in %s', (form) => {
  /** One account with a person of each role, a foreign account, and a site of each. */
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
      billing: user(people.billing),
      viewer: user(people.viewer),
      stranger: user(foreign.user.id),
      nobody: user('user_0'),
      share: {
        kind: 'share',
        siteId: site.id,
        linkId: 'share_x',
        shows: { properties: false, fewest: 3, credit: true, embedded_on: [] },
        rules: NO_RULES,
      },
      'other share': {
        kind: 'share',
        siteId: other.id,
        linkId: 'share_x',
        shows: { properties: false, fewest: 3, credit: true, embedded_on: [] },
        rules: NO_RULES,
      },
      key: { kind: 'key', accountId: account.id },
      'other key': { kind: 'key', accountId: foreign.account.id },
    };
    return { account, foreign: foreign.account, site, other, viewers };
  }

  const NOT_FOUND = 'not_found: There is no such site in this account.';
  const ROLE = 'forbidden: Your role in this account does not allow this: ask an owner of the account.';
  const SHARED = 'forbidden: A shared dashboard is read-only: log in to change it.';
  const KEY = 'forbidden: An API key cannot change this: use the dashboard.';
  const GRANTED: Record<string, Record<Need, string>> = {
    owner: { read: 'allowed', own: 'allowed', admin: 'allowed', plan: 'allowed', owner: 'allowed' },
    admin: { read: 'allowed', own: 'allowed', admin: 'allowed', plan: ROLE, owner: ROLE },
    billing: { read: ROLE, own: ROLE, admin: ROLE, plan: 'allowed', owner: ROLE },
    viewer: { read: 'allowed', own: 'allowed', admin: ROLE, plan: ROLE, owner: ROLE },
    share: { read: 'allowed', own: SHARED, admin: SHARED, plan: SHARED, owner: SHARED },
    key: { read: 'allowed', own: KEY, admin: KEY, plan: KEY, owner: KEY },
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
        // Unknown sites and sites of others get exactly the same answer.
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
      siteIds: null,
      plan: { status: 'trialing', plan: 'pro', endsAt: NOON + 14 * DAY, includesApi: true, canSeeDashboard: true },
    });
    const shared = await siteFor(directory, viewers.share ?? fail(), { siteId: site.id }, 'read', options);
    expect(shared.role).toBe('viewer');
  });

  test('an expired account sees only its plan and its export; where nothing can be bought, a trial has no end', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site } = await world(directory);
    const late = { now: NOON + 15 * DAY, billing: 'on' } as const;
    const ask = (name: string, options: Parameters<typeof siteFor>[4], need: Need = 'read') =>
      outcome(siteFor(directory, viewers[name] ?? fail(), { siteId: site.id }, need, options));
    const ended =
      'The plan of this account has ended. You can still export its data. To see the dashboard again, subscribe in the settings.';
    const noApi =
      'The plan of this account has ended: to use the API again, subscribe in the settings of the dashboard.';
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
      for (const billing of ['off', 'unset'] as const) expect(await ask(name, { ...late, billing })).toBe('allowed');
    // An unknown site stays unknown on any plan, but a key hears about its plan first.
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

  test('a person of some sites sees these alone, and not the numbers of the whole account', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site, account } = await world(directory);
    const second = await createSite(directory, { accountId: account.id, domain: 'second.example' }, NOON + 1);
    const { owner, viewer, admin, billing } = viewers;
    if (viewer?.kind !== 'user' || owner?.kind !== 'user') throw new Error('no such viewer');
    const { userId } = viewer;
    const place = { role: 'viewer' as const, siteIds: [second.id] };
    await changeMember(directory, { accountId: account.id, by: owner.userId, userId, place });
    const options = { now: NOON, billing: 'on' } as const;
    const ask = (siteId: string) => outcome(siteFor(directory, viewer, { siteId }, 'read', options));
    expect([await ask(site.id), await ask(second.id)]).toEqual([NOT_FOUND, 'allowed']);
    const seen = async (who = fail() as Viewer) => {
      const member = (await memberOf(directory, who, account.id)) ?? fail();
      const sites = await sitesFor(directory, member);
      return { sites: sites.map(({ domain }) => domain), all: seesAll(member) };
    };
    expect(await seen(viewer)).toEqual({ sites: ['second.example'], all: false });
    expect(await seen(admin)).toEqual({ sites: ['example.com', 'second.example'], all: true });
    expect(await seen(billing)).toEqual({ sites: [], all: false });
  });

  test('a person who lacks a required second factor must set it up first', async () => {
    await using directory = await testDirectory(form);
    const { viewers, site, account } = await world(directory);
    const owner = { ...(viewers.owner ?? fail()), lacksFactor: true } as Viewer;
    const options = { now: NOON, billing: 'on' } as const;
    const needed = 'forbidden: Your account requires a second factor: set one up in the settings, under Security.';
    expect(await outcome(siteFor(directory, owner, { siteId: site.id }, 'read', options))).toBe(needed);
    expect(await outcome(accountFor(directory, owner, { accountId: account.id }, 'read', options))).toBe(needed);
  });

  test('an account belongs to its members only', async () => {
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

function fail(): never {
  throw new Error('no such viewer');
}
