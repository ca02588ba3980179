/** @module-tag attack */
// An account that requires a second factor shows nothing to members without one, by any door.
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import { requireFactor } from '../../server/accounts/sign-in/factors/required-factor.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { outcome } from '../setup/outcome.ts';
import { codeAt } from '../setup/accounts/totp.ts';
import { NOON } from '../setup/clock.ts';

test('a member without a second factor sees nothing until they have set one up', async () => {
  showsRefused('second factor passed by', 4);
  await using server = await testApp();
  const { directory } = server.app.services;
  const site = await server.addSite('example.com');
  const { account, user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
  await directory.db.deleteFrom('accounts').where('id', '=', account.id).execute();
  const member = { account_id: site.account_id, user_id: user.id, role: 'admin' as const, created_at: NOON };
  await directory.db.insertInto('members').values(member).execute();
  const cookie = await server.logIn('ada@example.com');
  const ask = (name: string, input?: unknown) => makeAsk(server)(name, input, { cookie });
  const query = { site_id: site.id, period: 'today' };
  expect((await ask('stats.summary', query)).status).toBe(200);

  await directory.db.updateTable('accounts').set({ requires_factor: 1 }).where('id', '=', site.account_id).execute();
  const current = async () => {
    const { body } = await ask('session.current');
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Record<string, unknown>;
  };
  const csv = () =>
    fetch(`${server.url}/export/${site.id}.csv?date_from=2026-11-19&date_to=2026-11-20`, { headers: { cookie } });
  expect(await ask('stats.summary', query)).toMatchObject({
    status: 403,
    body: expect.stringContaining('second factor') as string,
  });
  expect((await ask('sites.create', { domain: 'new.example' })).status).toBe(403);
  expect((await csv()).status).toBe(403);
  expect(await current()).toMatchObject({ needs_second_factor: true, sites: [] });

  const begun = await ask('factors.startAuthenticator', { password: PASSWORD });
  const { secret } = parse((JSON.parse(begun.body) as { result: { data: string } }).result.data) as { secret: string };
  expect((await ask('factors.confirmAuthenticator', { code: codeAt(secret, server.clock.now) })).status).toBe(200);
  expect((await ask('stats.summary', query)).status).toBe(200);
  expect((await csv()).status).toBe(200);
  expect(await current()).toMatchObject({ needs_second_factor: false, sites: [{ domain: 'example.com' }] });
});

test.each(FORMS)('an owner without a second factor cannot require one, in %s', async (form) => {
  await using directory = await testDirectory(form);
  const { account, user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
  const whose = { accountId: account.id, userId: user.id };
  expect(await outcome(requireFactor(directory, { ...whose, isRequired: true }))).toBe(
    'bad_request: Set up your own second factor first.',
  );
  expect(await outcome(requireFactor(directory, { ...whose, isRequired: false }))).toBe('allowed');
});
