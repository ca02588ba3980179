/** @module-tag attack */
// The rate limits of one address (its budget): at the running server, and shared by processes through Redis.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SiteId, VisitorId } from '../../server/vocabulary/event.ts';
import { openMemoryFlood, openRedisFlood } from '../../server/live/flood.ts';
import { openRedisWindows } from '../../server/live/redis.ts';
import { openRedis, type Redis } from '../../server/process/redis/redis.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { createIngestToken } from '../../server/sites/ingest.ts';
import { createKey } from '../../server/accounts/keys.ts';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { NOON } from '../setup/clock.ts';
import { startRedis, type TestRedis } from '../setup/stores/redis.ts';
import { hexId } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';

const DEFAULTS = { FLOOD_VISITORS: '', FLOOD_EVENTS: '' };
const MINUTE = 60_000;

describe('one address at the open doors', () => {
  let server: TestApp;
  let site: Site;
  beforeAll(async () => {
    const rates = { RATE_LIMIT_PER_SECOND: '1000', RATE_LIMIT_PER_MINUTE: '1000' };
    server = await testApp({
      env: { TRUST_PROXY: 'loopback', QUOTA: 'drop', LOG_LEVEL: 'silent', ...rates, ...DEFAULTS },
    });
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    site = await server.newSite();
    server.clock.now += 2 * MINUTE;
  });

  const from = (address: string, userAgent = CHROME) => ({ 'x-forwarded-for': address, 'user-agent': userAgent });
  const browser = (number: number) => CHROME.replace('142', String(number));
  const click = (address: string, userAgent?: string) =>
    server.foot({ site: site.domain, name: 'click', url: `https://${site.domain}/` }, from(address, userAgent));

  async function counted() {
    await server.settle();
    const [row] = await server.app.store.query<{ events: number; visitors: number }>(
      'SELECT count() AS events, uniqExact(visitor_id) AS visitors FROM events WHERE site_id = {id:String}',
      { id: site.id },
    );
    return row;
  }
  async function dropped() {
    await server.app.collector.flushDrops();
    const rows = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
    return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
  }

  test('brings 60 new visitors a minute; the rest is dropped as flood: not stored, not live, not in the quota', async () => {
    showsRefused('flood from one address');
    for (let n = 0; n < 100; n += 1) {
      if (n % 40 === 0) server.clock.now += 1000;
      expect((await click('203.0.113.7', browser(100 + n))).status).toBe(202);
    }
    expect(await counted()).toEqual({ events: 60, visitors: 60 });
    expect(await dropped()).toEqual({ flood: 40 });
    const { windows, stats } = server.app.services;
    expect((await windows.snapshot(site.id, server.clock.now)).current_visitors).toBe(60);
    const month = { from: server.clock.now - MINUTE, to: server.clock.now + 1 };
    expect(await stats.countEvents([site.id], month)).toBe(60);

    server.clock.now += 1000;
    await click('203.0.113.7', browser(100)); // visitors who were there before still count
    await click('203.0.113.8', browser(100)); // so does everybody else
    expect(await counted()).toEqual({ events: 62, visitors: 61 });
    server.clock.now += MINUTE;
    await click('203.0.113.7', browser(199));
    expect(await counted()).toEqual({ events: 63, visitors: 62 });
    expect(await dropped()).toEqual({ flood: 40 });
  });

  test('sends 50 events a second, over all sites', async () => {
    showsRefused('flood from one address');
    const other = await server.addSite(`beside-${site.domain}`);
    const elsewhere = { site: other.domain, name: 'click', url: `https://${other.domain}/` };
    for (let n = 0; n < 30; n += 1) await server.foot(elsewhere, from('203.0.113.9'));
    for (let n = 0; n < 30; n += 1) await click('203.0.113.9');
    expect(await counted()).toEqual({ events: 20, visitors: 1 });
    expect(await dropped()).toEqual({ flood: 10 });
    server.clock.now += 1000;
    await click('203.0.113.9');
    expect(await counted()).toEqual({ events: 21, visitors: 1 });
  });

  test('is its /64 if it is IPv6', async () => {
    showsRefused('flood from one address');
    for (let n = 0; n < 60; n += 1) await click(`2001:db8:7:7::${n.toString(16)}`);
    expect(await dropped()).toEqual({ flood: 10 });
    await click('2001:db8:7:8::1');
    expect(await counted()).toEqual({ events: 51, visitors: 51 });
  });

  test('is limited at the image too, also with the user agent of an AI agent', async () => {
    const headers = { ...from('203.0.113.11', 'GPTBot/1.2'), referer: `https://${site.domain}/` };
    for (let n = 0; n < 60; n += 1)
      expect((await fetch(`${server.url}/foot.gif?site=${site.domain}`, { headers })).status).toBe(200);
    await server.settle();
    const rows = await server.app.store.query('SELECT 1 FROM ai_visits WHERE site_id = {id:String}', { id: site.id });
    expect(rows.length).toBe(50);
    expect(await dropped()).toEqual({ flood: 10 });
  });

  test('has no limit with a token or a key, which have limits of their own', async () => {
    const { directory } = server.app.services;
    const now = server.clock.now;
    const { token } = await createIngestToken(directory, { siteId: site.id }, now);
    const { key } = await createKey(directory, { accountId: site.account_id, name: 'key' }, now);
    const report = { site: site.domain, url: `https://${site.domain}/read`, user_agent: 'GPTBot/1.2' };
    const asServer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await server.foot(Array<object>(100).fill(report), asServer)).status).toBe(202);
    const event = { site_id: site.id, name: 'order', url: `https://${site.domain}/` };
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-forwarded-proto': 'https',
    };
    for (let n = 0; n < 60; n += 1) {
      const answer = await fetch(`${server.url}/v1/events`, { method: 'POST', headers, body: JSON.stringify(event) });
      expect(answer.status).toBe(202);
    }
    expect(await counted()).toMatchObject({ events: 60 });
    const visits = await server.app.store.query('SELECT 1 FROM ai_visits WHERE site_id = {id:String}', { id: site.id });
    expect(visits.length).toBe(100);
    expect(await dropped()).toEqual({});
  });
});

const FORMS = ['memory', 'Redis'] as const;
let server: TestRedis;
let redis: Redis;
let prefix = 0;
beforeAll(async () => {
  server = await startRedis();
  redis = await openRedis(server.url);
});
afterAll(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});

const SITE = 'site_a' as SiteId;
const SEEN = { time: NOON, name: 'pageview', page: '/', source: '', country: '', engaged_ms: 0 };
const LIMITS = { visitorsPerMinute: 60, eventsPerSecond: 50 };
const visitor = (number: number) => ({ site_id: SITE, visitor_id: hexId(number) as VisitorId });
/** How many of `count` attempts pass. */
async function passing(count: number, attempt: (n: number) => boolean | Promise<boolean>): Promise<number> {
  let passed = 0;
  for (let n = 0; n < count; n += 1) if (await attempt(n)) passed += 1;
  return passed;
}

describe.each(FORMS)('the budget of an address in %s', (form) => {
  const open = () =>
    form === 'memory' ? openMemoryFlood(LIMITS) : openRedisFlood(LIMITS, { redis, prefix: `flood${(prefix += 1)}` });

  test('is exact to the event and to the visitor, one by one and all at once', async () => {
    const flood = open();
    expect(await passing(200, () => flood.takeEvent('a', NOON))).toBe(50);
    expect(await passing(200, () => flood.takeEvent('a', NOON + 1000))).toBe(50);
    const atOnce = await Promise.all(Array.from({ length: 200 }, async () => flood.takeEvent('b', NOON)));
    expect(atOnce.filter(Boolean).length).toBe(50);
    expect(await passing(200, (n) => flood.takeVisitor('a', visitor(n), NOON))).toBe(60);
    expect(await passing(200, (n) => flood.takeVisitor('a', visitor(1000 + n), NOON + MINUTE))).toBe(60);
    const visitors = Array.from({ length: 200 }, async (_, n) => flood.takeVisitor('b', visitor(2000 + n), NOON));
    expect((await Promise.all(visitors)).filter(Boolean).length).toBe(60);
  });

  test('is not used up by visitors who were there before, also before the process started', async () => {
    const flood = open();
    for (let n = 0; n < 60; n += 1) flood.know(visitor(n).visitor_id);
    expect(await passing(60, (n) => flood.takeVisitor('a', visitor(n), NOON))).toBe(60);
    expect(await passing(60, (n) => flood.takeVisitor('a', visitor(100 + n), NOON))).toBe(60);
    expect(await passing(120, (n) => flood.takeVisitor('a', visitor(n < 60 ? n : n + 40), NOON + 20 * MINUTE))).toBe(
      120,
    );
  });

  test('is not renewed by events that arrive late, from a process that was busy', async () => {
    const flood = open();
    const events = await passing(400, (n) => flood.takeEvent('a', NOON + 1000 * (n % 2)));
    const visitors = await passing(400, (n) => flood.takeVisitor('a', visitor(n), NOON + MINUTE * (n % 2)));
    expect([events, visitors]).toEqual([51, 61]); // one in the first window, and all of the second
  });

  test('starts anew when the clock is set back', async () => {
    const flood = open();
    await passing(100, () => flood.takeEvent('a', NOON));
    expect(await passing(100, () => flood.takeEvent('a', NOON - 3_600_000))).toBe(50);
  });
});

describe('the budget of an address that processes share', () => {
  test('is one for all of them, except for the eighth that each grants by itself', async () => {
    const options = { redis, prefix: 'together' };
    const processes = [1, 2, 3, 4].map(() => openRedisFlood(LIMITS, options));
    const pick = (n: number) => processes[n % processes.length] ?? openRedisFlood(LIMITS, options);
    expect(await passing(400, (n) => pick(n).takeEvent('a', NOON))).toBe(50);
    expect(await passing(400, (n) => pick(n).takeVisitor('a', visitor(n), NOON))).toBe(60);
  });

  test('is not used up by visitors whom another process has in its live windows', async () => {
    const options = { redis, prefix: 'known' };
    const windows = openRedisWindows(options);
    for (let n = 0; n < 200; n += 1) await windows.record({ ...visitor(n), ...SEEN });
    const flood = openRedisFlood(LIMITS, options);
    await passing(8, (n) => flood.takeVisitor('a', visitor(500 + n), NOON));
    expect(await passing(200, (n) => flood.takeVisitor('a', visitor(n), NOON))).toBe(200);
    expect(await passing(100, (n) => flood.takeVisitor('a', visitor(600 + n), NOON))).toBe(52);
  });

  test('asks Redis nothing about addresses that send little, and once in seven events about others', async () => {
    let questions = 0;
    const counting: Redis = { ...redis, run: (...args) => ((questions += 1), redis.run(...args)) };
    const flood = openRedisFlood(LIMITS, { redis: counting, prefix: 'counted' });
    for (let n = 0; n < 1000; n += 1) {
      await flood.takeEvent(`quiet${n >> 2}`, NOON);
      await flood.takeVisitor(`quiet${n >> 2}`, visitor(n >> 1), NOON);
    }
    expect(questions).toBe(0);
    for (let n = 0; n < 1000; n += 1) await flood.takeEvent('loud', NOON);
    expect(questions).toBe(8);
  });

  test('is separate for each process while Redis is away', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const flood = openRedisFlood(LIMITS, { redis: connection });
    await own.kill();
    expect(await passing(200, () => flood.takeEvent('a', NOON))).toBe(50);
    expect(await passing(200, (n) => flood.takeVisitor('a', visitor(n), NOON))).toBe(60);
    await connection.close();
  });

  test('leaves keys that expire within minutes', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const flood = openRedisFlood(LIMITS, { redis: connection });
    await passing(100, () => flood.takeEvent('hash', NOON));
    await passing(100, (n) => flood.takeVisitor('hash', visitor(n), NOON));
    const keys = (await connection.send('live', ['KEYS', '*'])) as string[];
    expect(keys.length).toBe(2);
    for (const key of keys) {
      const ttl = Number(await connection.send('live', ['PTTL', key]));
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(2 * MINUTE);
    }
    await connection.close();
  });
});
