// The export of a person: what is held about them, and nothing of others.
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import { personalContent, subscribe } from '../../server/notifications/reports/personal.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeWorld, type World } from '../setup/accounts/callers.ts';

/** Mails the numbers of the site to a person, who alone may know of it. */
async function subscribeTo(server: TestApp, { account, site }: World['own'], userId: string): Promise<void> {
  const { directory, mail } = server.app.services;
  const content = personalContent.parse({ name: 'Only mine', frequency: 'daily', hour: 8, timezone: 'UTC' });
  const of = { accountId: account.id, siteId: site.id, userId };
  await subscribe({ directory, mail }, { ...of, content }, server.clock.now);
}

test('the export of a person has what is theirs, and nothing of others', async () => {
  await using server = await testApp();
  const { ask, own, askers } = await makeWorld(server);
  await subscribeTo(server, own, askers['an admin'].userId);
  await subscribeTo(server, own, askers['a viewer'].userId);
  const { status, body } = await ask('leaving.exportUser', undefined, askers['an admin'].headers);
  expect(status).toBe(200);
  const data = parse((JSON.parse(body) as { result: { data: string } }).result.data) as Record<string, object[]>;
  expect(data['profile']).toMatchObject({ email: 'admin@own.example', email_verified: false });
  expect(data['accounts']).toMatchObject([{ id: own.account.id, role: 'admin' }]);
  expect(data['sessions']).toHaveLength(1);
  const shown = { site_id: own.site.id, name: 'Only mine', frequency: 'daily', hour: 8, timezone: 'UTC' };
  const times = { created_at: '2026-11-20T12:00:00.000Z', next_at: '2026-11-21T08:00:00.000Z' };
  const viewed = { filters: [], metric: 'unique_visitors' };
  expect(data['reports']).toEqual([{ ...shown, viewed, ...times }]);
  expect(data['log']).toMatchObject([{ action: 'sign_in', account_id: own.account.id }]);
  const tokens = await server.app.services.directory.db.selectFrom('sessions').select('token').execute();
  for (const { token } of tokens) expect(body).not.toContain(token);
  expect(body).not.toMatch(/owner@|viewer@|password/);
});
