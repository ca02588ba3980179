// API keys through the running server: where they are sent, whose they are, and when they end.
import { describe, expect } from 'vitest';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { createKey, listKeys, revokeKey } from '../../server/accounts/keys.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import type { Site } from '../../server/sites/sites.ts';
import { keyFor } from '../setup/api/rest.ts';
import { test } from '../setup/api/rest-test.ts';

describe('a key', () => {
  const everything = (site: Site) =>
    Object.entries(OPERATIONS).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => [method, path.replace('{site_id}', site.id)] as const),
    );

  test('is needed everywhere, is sent in the header, and every wrong key gets the same answer', async ({
    site,
    key,
    rest,
  }) => {
    const wrong = [null, '', 'x', 'ff_', key.slice(0, -1), `${key}x`, key.toLowerCase(), `ff_${'0'.repeat(40)}`];
    const bodies = new Set<string>();
    for (const [method, path] of everything(site))
      for (const tried of wrong) {
        const answer = await rest.ask(path, { method, key: tried });
        expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
        bodies.add(answer.text);
      }
    expect(bodies.size).toBe(1);
    for (const scheme of ['bearer', 'BEARER', 'Bearer '])
      expect((await rest.ask('/v1/sites', { key: null, headers: { authorization: `${scheme} ${key}` } })).status).toBe(
        200,
      );
    for (const authorization of [`Basic ${key}`, key, `Bearer ${key} ${key}`])
      expect((await rest.ask('/v1/sites', { key: null, headers: { authorization } })).status).toBe(401);
  });

  test('in an address is refused, with and without a key in the header', async ({ key, rest }) => {
    for (const path of [`/v1/sites?key=${key}`, `/v1/sites?${key}=1`, `/v1/stats?site_id=${key}`]) {
      expect((await rest.refused(path, { key: null })).message).toMatch(/never into an address/);
      const withKey = await rest.refused(path);
      expect([withKey.status, withKey.message]).toEqual([400, expect.stringMatching(/never into an address/)]);
      expect(withKey.message).not.toContain(key);
    }
  });

  test('stops working within two seconds of its revocation, and of a change of plan', async ({
    server,
    site,
    rest,
  }) => {
    const { directory } = server.app.services;
    const [made] = await listKeys(directory, site.account_id);
    const works = async () => (await rest.ask('/v1/sites')).status;
    const later = async () => {
      server.clock.now += 1500;
      return works();
    };
    expect(await works()).toBe(200);
    for (const [change, status] of [
      [{ plan: 'starter' }, 403],
      [{ plan: 'pro' }, 200],
      [{ status: 'expired' }, 403],
      [{ status: 'trialing' }, 200],
      [{ status: 'trialing', until: server.clock.now }, 403],
      [{ status: 'cancelled', until: server.clock.now + 60_000 }, 200],
      [{ status: 'cancelled', until: server.clock.now }, 403],
      [{ status: 'active' }, 200],
    ] as const) {
      await setPlan(directory, { accountId: site.account_id, ...change }, server.clock.now);
      expect(await later(), JSON.stringify(change)).toBe(status);
    }
    await revokeKey(directory, { accountId: site.account_id, keyId: made?.id ?? '' }, server.clock.now);
    expect(await later()).toBe(401);
  });

  test('of a plan without the API gets the same 403 everywhere, whether the site exists or not', async ({
    server,
    site,
    rest,
  }) => {
    await setPlan(server.app.services.directory, { accountId: site.account_id, plan: 'starter' }, server.clock.now);
    const bodies = new Set<string>();
    for (const [method, path] of [...everything(site), ['GET', '/v1/nowhere'] as const])
      bodies.add((await rest.ask(path, { method })).text);
    expect([...bodies]).toEqual([
      '{"error":"forbidden","message":"The plan of this account does not include the API, which is part of the Pro plan.","status":403}',
    ]);
  });

  test('of another account sees and changes nothing', async ({ server, site, rest, event, rows }) => {
    const other = await server.addSite(`other-${site.domain}`);
    const foreign = { key: await keyFor(server, other) };
    for (const path of [`/v1/sites/${site.id}`, `/v1/stats?site_id=${site.id}`, `/v1/live?site_id=${site.id}`])
      expect((await rest.refused(path, foreign)).status).toBe(404);
    await rest.ask(`/v1/stats?site_id=${site.id}`); // cached, but not for other keys
    expect((await rest.refused(`/v1/stats?site_id=${site.id}`, foreign)).status).toBe(404);
    expect((await rest.refused('/v1/events', { ...foreign, body: event() })).status).toBe(404);
    expect(
      ((await rest.ask('/v1/sites', foreign)).body as { data: { id: string }[] }).data.map(({ id }) => id),
    ).toEqual([other.id]);
    expect(await rows('name')).toEqual([]);
  });

  test('records when it was last used', async ({ server, site, rest }) => {
    const { directory } = server.app.services;
    await createKey(directory, { accountId: site.account_id, name: 'never used' }, server.clock.now);
    await rest.ask('/v1/sites');
    const keys = await listKeys(directory, site.account_id);
    expect(keys.map(({ last_used_at }) => last_used_at)).toEqual(expect.arrayContaining([server.clock.now, null]));
  });
});
