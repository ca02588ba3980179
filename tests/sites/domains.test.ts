/** @module-tag attack */
// Who may use a domain: an account keeps a released domain for a while, and has at most its limit of sites.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { forgetReleased, RESERVED_MS } from '../../server/sites/domains/released-domains.ts';
import { createSite, deleteSite, renameSite } from '../../server/sites/sites.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';

describe.each(FORMS)('a domain that was given up, in %s', (form) => {
  test('stays reserved for its account for 90 days after the site was deleted or renamed, and is free after that', async () => {
    showsRefused('domain taken over', 6);
    await using directory = await testDirectory(form);
    const make = async (email: string) =>
      (await createAccount(directory, { email, password: PASSWORD }, NOON)).account.id;
    const [ada, bob] = [await make('ada@example.com'), await make('bob@example.com')];
    const add = (accountId: string, domain: string, now: number) => createSite(directory, { accountId, domain }, now);
    const deleted = await add(ada, 'deleted.example', NOON);
    const renamed = await add(ada, 'renamed.example', NOON);
    await deleteSite(directory, { siteId: deleted.id }, NOON);
    await renameSite(directory, { siteId: renamed.id, domain: 'new.example' }, NOON);
    const bobs = await add(bob, 'bob.example', NOON);
    for (const domain of ['deleted.example', 'renamed.example'])
      for (const now of [NOON, NOON + RESERVED_MS - 1]) {
        const says = `The domain ${domain} is reserved for another account: it can be registered from 2026-08-19 on.`;
        await expect(add(bob, domain, now)).rejects.toThrow(says);
        if (now === NOON) await expect(renameSite(directory, { siteId: bobs.id, domain }, now)).rejects.toThrow(says);
      }
    // Its own account may take it back at any time. If it gives the domain up again, the 90 days start again.
    const again = await add(ada, 'deleted.example', NOON + 1);
    await renameSite(directory, { siteId: renamed.id, domain: 'renamed.example' }, NOON + 1);
    await expect(add(bob, 'deleted.example', NOON + RESERVED_MS)).rejects.toThrow('is already registered');
    await deleteSite(directory, { siteId: again.id }, NOON + 2);
    await expect(add(bob, 'new.example', NOON + RESERVED_MS)).rejects.toThrow('is reserved for another account');
    expect((await add(bob, 'new.example', NOON + 1 + RESERVED_MS)).account_id).toBe(bob);
    expect((await add(bob, 'deleted.example', NOON + 2 + RESERVED_MS)).account_id).toBe(bob);
  });

  test('is not remembered for longer than it is reserved', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    await deleteSite(directory, { siteId: site.id }, NOON);
    const rows = () => directory.db.selectFrom('released_domains').select('domain').execute();
    await forgetReleased(directory, NOON);
    expect(await rows()).toEqual([{ domain: 'example.com' }]);
    await forgetReleased(directory, NOON + 1);
    expect(await rows()).toEqual([]);
  });

  test('an account never has more sites than its limit, also when they are added at the same moment', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const tries = Array.from({ length: 8 }, (_, n) =>
      createSite(directory, { accountId: account.id, domain: `n${n}.example`, maxSites: 5 }, NOON).then(
        () => 'made',
        (error: Error) => error.message,
      ),
    );
    const made = await Promise.all(tries);
    expect(made.filter((one) => one === 'made')).toHaveLength(5);
    expect(new Set(made)).toEqual(new Set(['made', 'An account can have 5 sites: delete one to add another.']));
  });
});

test('the dashboard adds as many sites as SITES_PER_ACCOUNT says', async () => {
  await using server = await testApp({ env: { SITES_PER_ACCOUNT: '2' } });
  await server.addSite('one.example');
  const cookie = await server.logIn('owner@one.example');
  const add = async (domain: string) => {
    const headers = { 'content-type': 'application/json', origin: server.url, cookie };
    const body = JSON.stringify(JSON.stringify([{ domain: 1 }, domain]));
    return fetch(`${server.url}/trpc/sites.create`, { method: 'POST', headers, body });
  };
  expect((await add('two.example')).status).toBe(200);
  const refused = await add('three.example');
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('An account can have 2 sites')]);
});
