// From POST /v1/events to the numbers, with the writer running on its own as in the server.
import { expect, test } from 'vitest';
import { createKey } from '../../server/accounts/keys.ts';
import { testApp } from '../setup/app.ts';
import { eventually } from '../setup/eventually.ts';

test('an event from a server appears in the numbers by itself, under the given name, without visitor and place', async () => {
  await using server = await testApp({ start: true });
  const site = await server.addSite();
  const { key } = await createKey(
    server.app.services.directory,
    { accountId: site.account_id, name: 'server' },
    server.clock.now,
  );
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = await fetch(`${server.url}/v1/events`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      site_id: site.id,
      name: 'invoice_paid',
      url: 'https://example.com/billing?utm_source=mail',
      props: { plan: 'pro' },
    }),
  });
  expect([sent.status, await sent.json()]).toEqual([202, { data: { accepted: true } }]);
  const query = `site_id=${site.id}&period=today&dimension=event&metrics=events,unique_visitors`;
  await eventually(async () => {
    server.clock.now += 61_000; // longer than an answer is cached
    const answer = await fetch(`${server.url}/v1/stats/breakdown?${query}`, { headers });
    const { data } = (await answer.json()) as { data: unknown };
    expect(data).toEqual([{ event: 'invoice_paid', events: 1, unique_visitors: 0 }]);
  });
  const rows = await server.app.store.query('SELECT country, visit_id, page, utm_source, props FROM events', {});
  expect(rows).toEqual([{ country: '', visit_id: 0, page: '/billing', utm_source: 'mail', props: { plan: 'pro' } }]);
});
