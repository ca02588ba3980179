// The API through the running server: each operation, each refusal, each header, held against the published description.
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TABLE } from '../server/api/rest/table.ts';
import { Unavailable } from '../server/errors.ts';
import { dropsOf } from '../server/sites/drops.ts';
import { createKey, listKeys, revokeKey } from '../server/sites/keys.ts';
import { setPlan } from '../server/sites/plans.ts';
import { createSite, pauseSite, type Site } from '../server/sites/sites.ts';
import { testApp, type TestApp } from './setup/app.ts';
import { keyFor, type Rest, restOf } from './setup/rest.ts';

let it: TestApp;
let site: Site;
let rest: Rest;
let key: string;
let serial = 0;

beforeAll(async () => {
  it = await testApp({ env: { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_PER_MINUTE: '100000' } });
});
afterAll(async () => it[Symbol.asyncDispose]());
beforeEach(async () => {
  serial += 1;
  it.clock.now += 2000; // past whatever was remembered for a moment
  site = await it.addSite(`site${serial}.example`);
  key = await keyFor(it, site);
  rest = await restOf(it, key);
});

const event = (more: object = {}) => ({
  site_id: site.id,
  name: 'plan_upgraded',
  url: `https://${site.domain}/account`,
  ...more,
});
const view = (path = '/', more: object = {}) =>
  it.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}${path}`, ...more });
const rows = async (columns: string) => {
  await it.settle();
  return it.app.store.query<Record<string, unknown>>(
    `SELECT ${columns} FROM events WHERE site_id = {id:String} ORDER BY time, name`,
    { id: site.id },
  );
};
const data = async <Data>(path: string) => {
  const { status, body } = await rest.ask(path);
  expect(status).toBe(200);
  return (body as { data: Data }).data;
};

describe('sites', () => {
  test('are listed in order of creation, page by page, each as it is alone', async () => {
    const sites = [site];
    for (const n of [1, 2])
      sites.push(
        await createSite(
          it.app.services.directory,
          { accountId: site.account_id, domain: `more${n}.${site.domain}` },
          (it.clock.now += 1),
        ),
      );
    const all = (await rest.ask('/v1/sites')).body as { data: { id: string }[]; meta: unknown };
    expect(all.data.map(({ id }) => id)).toEqual(sites.map(({ id }) => id));
    expect(all.meta).toEqual({ page: 1, per_page: 50, total: 3 });
    expect((await rest.ask('/v1/sites?page=2&per_page=2')).body).toEqual({
      data: [all.data[2]],
      meta: { page: 2, per_page: 2, total: 3 },
    });
    expect((await rest.ask('/v1/sites?page=9')).body).toEqual({ data: [], meta: { page: 9, per_page: 50, total: 3 } });
    expect(await data(`/v1/sites/${site.id}`)).toEqual({
      id: site.id,
      domain: site.domain,
      created_at: new Date(site.created_at).toISOString(),
      tracking: false,
    });
  });

  test('of others are not found, to the letter as those that nobody has', async () => {
    const foreign = await it.addSite(`foreign${serial}.example`);
    const ids = [foreign.id, 'site_0000000000000000', 'x', '%00', '%F0%9F%92%A9', '%zz', 'a%2Fb', 'x'.repeat(3000)];
    const paths = ids.flatMap((id) => [
      [`/v1/sites/${id}`],
      ...(id.length <= 64 && id !== '%zz'
        ? ['stats', 'stats/timeseries', 'stats/breakdown', 'live'].map((name) => [
            `/v1/${name}?site_id=${id}${name.endsWith('breakdown') ? '&dimension=page' : ''}`,
          ])
        : []),
      ...(/^\w+$/.test(id) && id.length <= 64 ? [['/v1/events', event({ site_id: id })] as const] : []),
    ]);
    const answers = new Set<string>();
    for (const [path = '', body] of paths) answers.add((await rest.ask(String(path), body ? { body } : {})).text);
    expect([...answers]).toEqual([
      '{"error":"not_found","message":"There is no such site in this account.","status":404}',
    ]);
    expect(await rows('name')).toEqual([]);
  });
});

describe('stats', () => {
  beforeEach(async () => {
    for (const path of ['/', '/', '/b', '/a']) await view(path);
    await it.settle();
  });

  test('are totals and top pages, with what was asked for alone', async () => {
    const days = { date_from: '2026-11-20', date_to: '2026-11-20' };
    const asked = `/v1/stats?site_id=${site.id}&period=today`;
    // Three views: the repeat within half a second is one.
    const top_pages = ['/', '/a', '/b'].map((path) => ({ path, views: 1 }));
    expect(await data(asked)).toEqual({ pageviews: 3, unique_visitors: 1, top_pages, ...days });
    expect(await data(`${asked}&metric=pageviews`)).toEqual({ pageviews: 3, top_pages, ...days });
    expect(await data(`${asked}&metric=visitors`)).toEqual({ unique_visitors: 1, top_pages, ...days });
    expect(await data(`${asked}&limit=1`)).toMatchObject({ pageviews: 3, top_pages: [{ path: '/', views: 1 }] });
    expect(await data(`${asked}&filter[page]=/a`)).toMatchObject({ pageviews: 1, top_pages: [{ path: '/a' }] });
  });

  test('say which days a period has', async () => {
    for (const [period, date_from, date_to] of [
      ['period=today', '2026-11-20', '2026-11-20'],
      ['period=7d', '2026-11-13', '2026-11-19'],
      ['period=30d', '2026-10-21', '2026-11-19'],
      ['metric=both', '2026-10-21', '2026-11-19'],
      ['period=custom&date_from=2000-01-01&date_to=2026-11-20', '2000-01-01', '2026-11-20'],
      ['period=custom&date_from=2024-02-29&date_to=2024-02-29', '2024-02-29', '2024-02-29'],
    ])
      expect(await data(`/v1/stats?site_id=${site.id}&${period}`)).toMatchObject({ date_from, date_to });
  });

  test('may be kept for a minute, and are asked for again with their tag', async () => {
    const asked = `/v1/stats?site_id=${site.id}&period=today`;
    const first = await rest.ask(asked);
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    const etag = first.headers.get('etag') ?? '';
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect((await rest.ask(asked, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await rest.ask(asked, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    await view('/new');
    await it.settle();
    const changed = await rest.ask(asked, { headers: { 'if-none-match': etag } });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    const head = await rest.ask(asked, { method: 'HEAD' });
    expect(head.headers.get('etag')).toBe(changed.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(changed.text)));
  });

  test('step by step and value by value are those of the dashboard', async () => {
    await rest.ask('/v1/events', { body: event({ props: { plan: 'pro' } }) });
    await it.settle();
    const series = await rest.ask(
      `/v1/stats/timeseries?site_id=${site.id}&period=custom&date_from=2026-11-19&date_to=2026-11-20&interval=day&metrics=pageviews,events,ai_visits`,
    );
    expect(series.body).toEqual({
      data: [
        { time: '2026-11-19T00:00:00.000Z', pageviews: 0, events: 0, ai_visits: 0 },
        { time: '2026-11-20T00:00:00.000Z', pageviews: 3, events: 1, ai_visits: 0 },
      ],
      meta: { interval: 'day', date_from: '2026-11-19', date_to: '2026-11-20' },
    });
    const list = (query: string) => rest.ask(`/v1/stats/breakdown?site_id=${site.id}&period=today&${query}`);
    const meta = { page: 1, per_page: 100, date_from: '2026-11-20', date_to: '2026-11-20' };
    expect((await list('dimension=page&metrics=pageviews,unique_visitors')).body).toEqual({
      data: ['/', '/a', '/b'].map((page) => ({ page, pageviews: 1, unique_visitors: 1 })),
      meta: { ...meta, total: 3 },
    });
    expect((await list('dimension=page&metrics=pageviews&page=2&per_page=2')).body).toEqual({
      data: [{ page: '/b', pageviews: 1 }],
      meta: { ...meta, page: 2, per_page: 2, total: 3 },
    });
    expect((await list('dimension=page&metrics=pageviews&page=7&per_page=2')).body).toMatchObject({
      data: [],
      meta: { total: 3 },
    });
    expect((await list('dimension=prop:plan&metrics=events')).body).toMatchObject({
      data: [{ 'prop:plan': 'pro', events: 1 }],
    });
    expect((await list('dimension=event&metrics=events&filter[prop:plan]=pro')).body).toMatchObject({
      data: [{ event: 'plan_upgraded', events: 1 }],
    });
    expect((await list('dimension=ai_provider')).body).toMatchObject({ data: [], meta: { total: 0 } });
  });

  test('of who is there now do not wait for the store', async () => {
    expect(await data(`/v1/live?site_id=${site.id}`)).toEqual({
      current_visitors: 1,
      pages: [{ page: '/a', visitors: 1 }],
    });
    expect((await rest.ask(`/v1/live?site_id=${site.id}`)).headers.get('cache-control')).toBe('no-store');
  });
});

describe('an event from a server', () => {
  test('is kept without visitor, place and browser, with its name, page and source', async () => {
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

  test('comes from nowhere where its address says nothing', async () => {
    await rest.ask('/v1/events', { body: event({ url: `https://${site.domain}/?q=1` }) });
    expect(await rows('channel, source, referrer')).toEqual([{ channel: '', source: '', referrer: '' }]);
  });

  test('counts once for each Idempotency-Key of a site within 24 hours, whatever browsers send', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    await it.foot({ site: site.domain, name: 'x', url: `https://${site.domain}/`, id: 'order-1' });
    const send = async (more: object = {}) => (await rest.ask('/v1/events', { body: event(more), headers })).status;
    expect([await send(), await send(), await send({ name: 'other' })]).toEqual([202, 202, 202]);
    const other = await createSite(
      it.app.services.directory,
      { accountId: site.account_id, domain: `b.${site.domain}` },
      it.clock.now,
    );
    expect(await send({ site_id: other.id })).toBe(202);
    expect((await rows('name')).map(({ name }) => name)).toEqual(['plan_upgraded', 'x']);
    it.clock.now += 86_400_000;
    await send();
    expect(await rows('name')).toHaveLength(3);
    it.clock.now -= 86_400_000;
    for (const bad of ['x'.repeat(65), 'a b', 'ü'])
      expect((await rest.refused('/v1/events', { body: event(), headers: { 'idempotency-key': bad } })).message).toBe(
        'Idempotency-Key: must be 1 to 64 visible ASCII characters.',
      );
  });

  test('comes in batches, all or none, answered one by one', async () => {
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

  test('is not accepted, and counted as dropped, while the site is paused', async () => {
    await pauseSite(it.app.services.directory, { siteId: site.id, paused: true });
    const { status, body } = await rest.ask('/v1/events', { body: event() });
    expect([status, body]).toEqual([202, { data: { accepted: false } }]);
    expect(await rows('name')).toEqual([]);
    await it.app.collector.flushDrops();
    expect(await dropsOf(it.app.services.directory, site.id, '2026-11-20', '2026-11-20')).toMatchObject([
      { reason: 'paused', count: 1 },
    ]);
  });

  test('is answered with 503 and Retry-After when nothing can be kept', async () => {
    const { collector } = it.app.services;
    using _ = replaced(collector, 'record', () => Promise.reject(new Unavailable('queue')));
    const answer = await rest.ask('/v1/events', { body: event() });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await rows('name')).toEqual([]);
  });
});

describe('what is checked comes in one order', () => {
  test('key, plan, rate, path, method, content type, size, fields, existence', async () => {
    const big = JSON.stringify(event({ props: { a: 'x'.repeat(40_000) } }));
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const foreign = { site_id: 'site_0000000000000000' };
    // Each line is wrong in all that is left to check: what comes first decides.
    const steps: [number, string, Parameters<Rest['ask']>[1]][] = [
      [401, '/v1/nowhere', { key: null, body: big, headers: form }],
      [401, '/v1/events', { key: 'ff_wrong', body: big, headers: form }],
      [404, '/v1/nowhere', { body: big, headers: form }],
      [405, '/v1/events', { method: 'PUT', body: big, headers: form }],
      [415, '/v1/events', { body: big, headers: form }],
      [413, '/v1/events', { body: big }],
      [400, '/v1/events', { body: event({ ...foreign, name: 'Bad' }) }],
      [404, '/v1/events', { body: event(foreign) }],
      [400, '/v1/stats?site_id=site_0000000000000000&period=x', {}],
      [404, '/v1/stats?site_id=site_0000000000000000', {}],
    ];
    for (const [status, path, sent] of steps) expect((await rest.refused(path, sent)).status, path).toBe(status);
    await setPlan(it.app.services.directory, { accountId: site.account_id, plan: 'starter' }, it.clock.now);
    it.clock.now += 2000;
    expect((await rest.refused('/v1/nowhere', { body: big, headers: form })).status).toBe(403);
  });

  test('a path that knows the method not says which it knows', async () => {
    for (const [path, operations] of Object.entries(TABLE)) {
      const asked = path.replace('{site_id}', site.id);
      const allowed = operations.POST ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (method in operations) continue;
        const { status, headers } = await rest.ask(asked, { method });
        expect([status, headers.get('allow')], `${method} ${path}`).toEqual([
          method === 'OPTIONS' ? 204 : 405,
          allowed,
        ]);
      }
    }
  });
});

describe('a key', () => {
  const everything = () =>
    Object.entries(TABLE).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => [method, path.replace('{site_id}', site.id)] as const),
    );

  test('is needed for everything, goes into the header, and is told apart from nothing else', async () => {
    const wrong = [null, '', 'x', 'ff_', key.slice(0, -1), `${key}x`, key.toLowerCase(), `ff_${'0'.repeat(40)}`];
    const bodies = new Set<string>();
    for (const [method, path] of everything())
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

  test('in an address is refused, with and without a key in the header', async () => {
    for (const path of [`/v1/sites?key=${key}`, `/v1/sites?${key}=1`, `/v1/stats?site_id=${key}`]) {
      expect((await rest.refused(path, { key: null })).message).toMatch(/never into an address/);
      const withKey = await rest.refused(path);
      expect([withKey.status, withKey.message]).toEqual([400, expect.stringMatching(/never into an address/)]);
      expect(withKey.message).not.toContain(key);
    }
  });

  test('stops working within two seconds of its revocation, and its plan too', async () => {
    const { directory } = it.app.services;
    const [made] = await listKeys(directory, site.account_id);
    const works = async () => (await rest.ask('/v1/sites')).status;
    const later = async () => {
      it.clock.now += 1500;
      return works();
    };
    expect(await works()).toBe(200);
    for (const [change, status] of [
      [{ plan: 'starter' }, 403],
      [{ plan: 'pro' }, 200],
      [{ status: 'expired' }, 403],
      [{ status: 'trialing' }, 200],
      [{ status: 'trialing', until: it.clock.now }, 403],
      [{ status: 'cancelled', until: it.clock.now + 60_000 }, 200],
      [{ status: 'cancelled', until: it.clock.now }, 403],
      [{ status: 'active' }, 200],
    ] as const) {
      await setPlan(directory, { accountId: site.account_id, ...change }, it.clock.now);
      expect(await later(), JSON.stringify(change)).toBe(status);
    }
    await revokeKey(directory, { accountId: site.account_id, keyId: made?.id ?? '' }, it.clock.now);
    expect(await later()).toBe(401);
  });

  test('of a plan without the API is forbidden everything alike, whatever exists', async () => {
    await setPlan(it.app.services.directory, { accountId: site.account_id, plan: 'starter' }, it.clock.now);
    const bodies = new Set<string>();
    for (const [method, path] of [...everything(), ['GET', '/v1/nowhere'] as const])
      bodies.add((await rest.ask(path, { method })).text);
    expect([...bodies]).toEqual([
      '{"error":"forbidden","message":"The plan of this account does not include the API: change to the Pro plan to use it.","status":403}',
    ]);
  });

  test('of another account sees and changes nothing', async () => {
    const other = await it.addSite(`other${serial}.example`);
    const foreign = { key: await keyFor(it, other) };
    for (const path of [`/v1/sites/${site.id}`, `/v1/stats?site_id=${site.id}`, `/v1/live?site_id=${site.id}`])
      expect((await rest.refused(path, foreign)).status).toBe(404);
    await rest.ask(`/v1/stats?site_id=${site.id}`); // remembered, and yet not for others
    expect((await rest.refused(`/v1/stats?site_id=${site.id}`, foreign)).status).toBe(404);
    expect((await rest.refused('/v1/events', { ...foreign, body: event() })).status).toBe(404);
    expect(
      ((await rest.ask('/v1/sites', foreign)).body as { data: { id: string }[] }).data.map(({ id }) => id),
    ).toEqual([other.id]);
    expect(await rows('name')).toEqual([]);
  });

  test('notes when it was last used', async () => {
    const { directory } = it.app.services;
    await createKey(directory, { accountId: site.account_id, name: 'never used' }, it.clock.now);
    await rest.ask('/v1/sites');
    const keys = await listKeys(directory, site.account_id);
    expect(keys.map(({ last_used_at }) => last_used_at)).toEqual(expect.arrayContaining([it.clock.now, null]));
  });
});

test('what is no HTTP at all is refused in the same shape', async () => {
  const answers = await Promise.all(
    [
      'nonsense\r\n\r\n',
      'GET /v1/sites HTTP/1.1\r\nA B: c\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'x'.repeat(64 * 1024)}\r\n\r\n`,
    ].map((text) => rawAnswer(text)),
  );
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
      error: 'bad_request',
      message: 'The request is no well-formed HTTP, or came too slowly.',
      status: 400,
    });
  }
});

function rawAnswer(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(it.url).port), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('what is ours is a bare 500 whose request id is in the header and in the log', async () => {
  const { stats, log } = it.app.services;
  const logged: unknown[] = [];
  using _log = replaced(log, 'error', (fields: unknown) => void logged.push(fields));
  using _stats = replaced(stats, 'totals', () => Promise.reject(new Error('secret')));
  const { status, headers, text } = await rest.ask(`/v1/stats?site_id=${site.id}`);
  expect([status, text.includes('secret')]).toEqual([500, false]);
  const id = headers.get('x-request-id');
  expect(text).toContain(id);
  expect(logged).toEqual([{ error: new Error('secret'), request_id: id }]);
});

/** A part that fails, for as long as the block runs. */
function replaced<Of extends object, Name extends keyof Of>(of: Of, name: Name, by: unknown): Disposable {
  const was = of[name];
  of[name] = by as Of[Name];
  return { [Symbol.dispose]: () => void (of[name] = was) };
}
