// Events that servers send: what is stored, what counts once, and what is not accepted.
import { describe, expect } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { createSite, pauseSite } from '../../server/sites/sites.ts';
import { replaced, test } from '../setup/api/rest-test.ts';

describe('an event from a server', () => {
  test('is stored without visitor, place and browser, with its name, page and source', async ({
    site,
    rest,
    event,
    rows,
    data,
  }) => {
    const url = `https://shop.other.example/Pay/%C3%A9?utm_source=news&UTM_Campaign=may&ref=x&gclid=1&card=4111#top`;
    const { status, body } = await rest.ask('/v1/events', {
      body: event({ url, props: { plan: 'pro', seats: 3, zero: -0 } }),
    });
    expect([status, body]).toEqual([202, { data: { accepted: true } }]);
    const [row] = await rows('* EXCEPT (event_id, time)');
    expect(row).toMatchObject({
      name: 'plan_upgraded',
      hostname: 'shop.other.example',
      page: '/Pay/é',
      utm_source: 'news',
      utm_campaign: 'may',
      source: 'news',
      props: { plan: 'pro', seats: '3', zero: '0' },
      country: '',
      region: '',
      city: '',
      browser: '',
      os: '',
      language: '',
      screen: '',
      visit_started: 0,
      bounces: 0,
    });
    expect([Number(row?.['visitor_id']), Number(row?.['visit_id'])]).toEqual([0, 0]);
    expect(JSON.stringify(row)).not.toMatch(/4111|gclid/);
    expect(await data(`/v1/stats?site_id=${site.id}&period=today`)).toMatchObject({ pageviews: 0, unique_visitors: 0 });
  });

  test('keeps keys and values of the maximum length, in any script', async ({ site, rest, event, rows, data }) => {
    const [key, value] = ['🔑'.repeat(64), '😀'.repeat(512)];
    await rest.ask('/v1/events', { body: event({ props: { [key]: value } }) });
    expect(await rows('props')).toEqual([{ props: { [key]: value } }]);
    const list = `/v1/stats/breakdown?site_id=${site.id}&period=today&metrics=events&dimension=`;
    expect(await data(list + encodeURIComponent(`prop:${key}`))).toEqual([{ [`prop:${key}`]: value, events: 1 }]);
    for (const props of [{ [`${key}x`]: 1 }, { x: `${value}x` }, { plan: 'one', 'plan ': 'two' }])
      expect((await rest.refused('/v1/events', { body: event({ props }) })).status).toBe(400);
  });

  test('is refused with a refund that would be stored as nothing', async ({ rest, event, rows }) => {
    const refund = (amount: number) => event({ order_id: 'k1', revenue: { amount, currency: 'EUR' } });
    for (const amount of [-0.00001, -0.00009])
      expect(await rest.refused('/v1/events', { body: refund(amount) })).toMatchObject({ status: 400 });
    expect((await rest.ask('/v1/events', { body: refund(-0.0001) })).status).toBe(202);
    expect(await rows('toFloat64(amount) AS amount')).toEqual([{ amount: -0.0001 }]);
  });

  test('is refused when its address has no domain, which parsers of addresses take from the path', async ({
    rest,
    event,
    rows,
  }) => {
    for (const url of ['https:///pricing', 'https://\\\\pricing', 'https:/pricing'])
      expect(await rest.refused('/v1/events', { body: event({ url }) })).toMatchObject({ status: 400 });
    expect(await rows('hostname')).toEqual([]);
  });

  test('counts once when many come at once with one Idempotency-Key', async ({ rest, event, rows }) => {
    const headers = { 'idempotency-key': 'order-2' };
    const sent = Array.from({ length: 20 }, (_, n) =>
      rest.ask('/v1/events', { body: event({ name: `try_${n}` }), headers }),
    );
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([202]));
    expect(await rows('name')).toHaveLength(1);
  });

  test('has no source when its address names none', async ({ site, rest, event, rows }) => {
    await rest.ask('/v1/events', { body: event({ url: `https://${site.domain}/?q=1` }) });
    expect(await rows('channel, source, referrer')).toEqual([{ channel: '', source: '', referrer: '' }]);
  });

  test('counts once for each Idempotency-Key of a site within 24 hours, whatever browsers send', async ({
    server,
    site,
    rest,
    event,
    rows,
  }) => {
    const headers = { 'idempotency-key': 'order-1' };
    await server.foot({ site: site.domain, name: 'x', url: `https://${site.domain}/`, id: 'order-1' });
    const send = async (more: object = {}) => (await rest.ask('/v1/events', { body: event(more), headers })).status;
    expect([await send(), await send(), await send({ name: 'other' })]).toEqual([202, 202, 202]);
    const other = await createSite(
      server.app.services.directory,
      { accountId: site.account_id, domain: `b.${site.domain}` },
      server.clock.now,
    );
    expect(await send({ site_id: other.id })).toBe(202);
    expect((await rows('name')).map(({ name }) => name)).toEqual(['plan_upgraded', 'x']);
    server.clock.now += 86_400_000;
    await send();
    expect(await rows('name')).toHaveLength(3);
    server.clock.now -= 86_400_000;
    for (const bad of ['x'.repeat(65), 'a b', 'ü'])
      expect((await rest.refused('/v1/events', { body: event(), headers: { 'idempotency-key': bad } })).message).toBe(
        'Idempotency-Key: must be 1 to 64 visible ASCII characters.',
      );
  });

  test('comes in batches, all or none, answered one by one', async ({ rest, event, rows }) => {
    const names = Array.from({ length: 100 }, (_, n) => `event_${n}`);
    const batch = { events: names.map((name) => event({ name })) };
    const headers = { 'idempotency-key': 'batch-1' };
    for (const _ of [1, 2]) {
      const { status, body } = await rest.ask('/v1/events/batch', { body: batch, headers });
      expect([status, body]).toEqual([202, { data: names.map(() => ({ accepted: true })) }]);
    }
    expect(await rows('name')).toHaveLength(100);
    const wrong = { events: [event(), event({ name: 'Wrong' })] };
    expect((await rest.refused('/v1/events/batch', { body: wrong })).message).toMatch(/^events\.1\.name: must be /);
    const foreign = { events: [event(), event({ site_id: 'site_0000000000000000' })] };
    expect((await rest.refused('/v1/events/batch', { body: foreign })).status).toBe(404);
    for (const events of [[], Array.from({ length: 101 }, () => event())])
      expect((await rest.refused('/v1/events/batch', { body: { events } })).message).toBe(
        'events: must be a list of 1 to 100 events.',
      );
    expect(await rows('name')).toHaveLength(100);
  });

  test('is not accepted, and counted as dropped, while the site is paused', async ({
    server,
    site,
    rest,
    event,
    rows,
  }) => {
    await pauseSite(server.app.services.directory, { siteId: site.id, paused: true });
    const { status, body } = await rest.ask('/v1/events', { body: event() });
    expect([status, body]).toEqual([202, { data: { accepted: false } }]);
    expect(await rows('name')).toEqual([]);
    await server.app.collector.flushDrops();
    expect(await dropsOf(server.app.services.directory, site.id, '2026-11-20', '2026-11-20')).toMatchObject([
      { reason: 'paused', count: 1 },
    ]);
  });

  test('is answered with 503 and Retry-After when nothing can be stored', async ({ server, rest, event, rows }) => {
    const { collector } = server.app.services;
    using _ = replaced(collector, 'collectAll', () => Promise.reject(new Unavailable('queue')));
    const answer = await rest.ask('/v1/events', { body: event() });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await rows('name')).toEqual([]);
  });
});
