// Paying over HTTP: who may, Stripe's webhook, and a dashboard that does not wait for Stripe.
import { parse, stringify } from 'devalue';
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { mayDo } from '../../server/sites/access.ts';
import { ROLES } from '../../server/vocabulary/accounts/roles.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { isMutation, PROCEDURE_NAMES } from '../setup/api/procedures.ts';
import { startStripe } from '../setup/internet/stripe.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

/** Calls a procedure as the dashboard does. */
async function ask(server: TestApp, name: string, { cookie, input }: { cookie: string; input?: object }) {
  const headers = { cookie, origin: server.url, 'content-type': 'application/json' };
  const text = input && JSON.stringify(stringify(input));
  const answer = isMutation(name)
    ? await fetch(`${server.url}/trpc/${name}`, { method: 'POST', headers, ...(text && { body: text }) })
    : await fetch(`${server.url}/trpc/${name}`, { headers });
  const { result } = (await answer.json()) as { result?: { data?: string } };
  return { status: answer.status, data: result?.data === undefined ? undefined : (parse(result.data) as unknown) };
}

const BILLING = PROCEDURE_NAMES.filter((name) => name.startsWith('billing.'));

describe('paying over HTTP', () => {
  test('is for owners and the role billing, also after the plan has ended, and never for the operator’s account', async () => {
    await using stripe = await startStripe({ now: () => NOW });
    await using server = await testApp({ env: stripe.env, now: NOW });
    const site = await server.addSite();
    const { directory } = server.app.services;
    const cookie = await server.logIn('owner@example.com');
    const choose = { cookie, input: { plan: 'pro' } };
    await setPlan(directory, { accountId: site.account_id, status: 'expired' }, NOW);
    const refused = await fetch(`${server.url}/trpc/sites.list`, { headers: { cookie } });
    expect(await refused.text()).toContain('To see the dashboard again, subscribe in the settings.');
    const chosen = await ask(server, 'billing.choose', choose);
    expect(chosen).toMatchObject({ status: 200, data: { url: expect.stringContaining('/c/pay/') as string } });
    const [session] = [...stripe.sessions.values()];
    expect(session).toMatchObject({
      success_url: `${server.url}/settings/plan?from=stripe`,
      cancel_url: `${server.url}/settings/plan`,
      reference: site.account_id,
    });
    expect([...stripe.customers.values()]).toMatchObject([{ email: 'owner@example.com' }]);
    const inputs: Record<string, object> = { 'billing.choose': { plan: 'pro' } };
    const statuses = async (who: string) => {
      const all = [];
      for (const name of BILLING)
        all.push((await ask(server, name, { cookie: who, ...(inputs[name] && { input: inputs[name] }) })).status);
      return [...new Set(all)].sort();
    };
    expect(await statuses(cookie)).toEqual([200, 400]); // there is no subscription to cancel
    expect((await ask(server, 'billing.choose', { cookie, input: { plan: 'gold' } })).status).toBe(400);

    await setPlan(directory, { accountId: site.account_id, status: 'active' }, NOW);
    for (const role of ROLES.filter((name) => name !== 'owner')) {
      const email = `${role}@example.com`;
      const { user, account } = await createAccount(directory, { email, password: PASSWORD }, NOW);
      const member = { account_id: site.account_id, user_id: user.id, role, created_at: NOW };
      await directory.db.deleteFrom('accounts').where('id', '=', account.id).execute();
      await directory.db.insertInto('members').values(member).execute();
      expect(await statuses(await server.logIn(email)), role).toEqual(mayDo(role, 'plan') ? [200, 400] : [403]);
    }
    await directory.db.updateTable('accounts').set({ kind: 'operator' }).where('id', '=', site.account_id).execute();
    expect(await statuses(cookie)).toEqual([404]);
  });

  test('hears of changes at the webhook, which takes nothing but signed events', async () => {
    await using stripe = await startStripe({ now: () => NOW });
    await using server = await testApp({ env: { ...stripe.env, LOG_LEVEL: 'silent' }, now: NOW });
    const site = await server.addSite();
    const cookie = await server.logIn('owner@example.com');
    const status = async () =>
      ((await ask(server, 'session.current', { cookie })).data as { account: { status: string } }).account.status;
    await setPlan(server.app.services.directory, { accountId: site.account_id, status: 'expired' }, NOW);
    await ask(server, 'billing.choose', { cookie, input: { plan: 'pro' } });
    stripe.pay([...stripe.sessions.keys()][0] ?? '');
    const { payload, signature } = stripe.signed(stripe.events.at(-1) ?? {});
    const post = async (body: string, headers: Record<string, string> = {}, method = 'POST') => {
      const answer = await fetch(`${server.url}/webhooks/stripe`, {
        method,
        headers,
        ...(method === 'POST' && { body }),
      });
      return answer.status;
    };
    const signed = { 'stripe-signature': signature };
    expect(await post(payload)).toBe(400);
    expect(await post(`${payload} `, signed)).toBe(400); // the exact bytes are signed
    expect(await post('', signed, 'GET')).toBe(405);
    expect(await post('x'.repeat(600_000), signed)).toBe(413);
    expect(await status()).toBe('expired');
    stripe.mood.isDown = true;
    expect(await post(payload, signed)).toBe(503); // Stripe sends it again
    stripe.mood.isDown = false;
    expect([await post(payload, signed), await post(payload, signed)]).toEqual([200, 200]);
    expect(await status()).toBe('active');
  });

  test('never keeps the dashboard waiting while Stripe is slow', async () => {
    await using stripe = await startStripe({ now: () => NOW });
    await using server = await testApp({ env: stripe.env, now: NOW });
    const site = await server.addSite();
    const cookie = await server.logIn('owner@example.com');
    const asked = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    stripe.mood.hold = () => {
      asked.resolve(undefined);
      return release.promise;
    };
    const prices = ask(server, 'billing.prices', { cookie });
    await asked.promise;
    const others = [
      ask(server, 'session.current', { cookie }),
      ask(server, 'session.start', { cookie: '' }),
      ask(server, 'billing.subscription', { cookie }),
      server.foot({ site: 'example.com', name: 'pageview', url: 'https://example.com/' }),
    ];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 202]);
    release.resolve(undefined);
    expect(await prices).toMatchObject({ status: 200, data: { pro: { amount: 19, currency: 'EUR' } } });
    const start = await ask(server, 'session.start', { cookie: '' });
    expect(start.data).toMatchObject({ prices: { starter: { amount: 9, currency: 'EUR', per: 'month' } } });
    expect(site.domain).toBe('example.com');
  });

  test('does not exist without Stripe', async () => {
    await using server = await testApp();
    const answer = await fetch(`${server.url}/webhooks/stripe`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
    expect((await ask(server, 'session.start', { cookie: '' })).data).toMatchObject({
      sells: false,
      prices: undefined,
    });
  });
});
