/** @module-tag attack */
// Guessing keys and tokens: callers who try many must wait, and valid ones keep working.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openWrongTokens } from '../../server/api/wrong-tokens.ts';
import { Refusal } from '../../server/errors.ts';
import { createIngestToken } from '../../server/sites/ingest.ts';
import { makeToken } from '../../server/directory/ids.ts';
import { createKey } from '../../server/accounts/keys.ts';
import { FEEDS_PATH, makeFeed } from '../../server/sites/sharing/feeds.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { showsRefused } from '../setup/run/harness.ts';

type Ways = Record<string, { right: string; guess(): string; ask(token: string, from?: string): Promise<Response> }>;

/** For each kind of token: a valid one, and how it is sent. */
async function waysOf(server: TestApp): Promise<Ways> {
  const { directory } = server.app.services;
  const now = server.clock.now;
  const site = await server.addSite();
  const { key } = await createKey(directory, { accountId: site.account_id, name: 'right' }, now);
  const { token: ingest } = await createIngestToken(directory, { siteId: site.id }, now);
  const { token: share } = await createShareLink(directory, { siteId: site.id, name: 'right' }, now);
  const members = directory.db.selectFrom('members').select('user_id').where('account_id', '=', site.account_id);
  const { user_id: userId } = await members.executeTakeFirstOrThrow();
  const feed = await makeFeed(directory, { siteId: site.id, userId, kind: 'notes' }, now);
  const via = (from: string | undefined): Record<string, string> =>
    from === undefined ? {} : { 'x-forwarded-for': from };
  const report = { site: site.domain, url: `https://${site.domain}/`, user_agent: 'GPTBot/1.2', status: 200 };
  return {
    'API keys': {
      right: key,
      guess: () => `ff_${makeToken(40)}`,
      ask: (token, from) =>
        fetch(`${server.url}/v1/sites`, { headers: { authorization: `Bearer ${token}`, ...via(from) } }),
    },
    'ingest tokens': {
      right: ingest,
      guess: () => `ft_${makeToken(40)}`,
      ask: (token, from) =>
        fetch(`${server.url}/foot`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...via(from) },
          body: JSON.stringify(report),
        }),
    },
    'share tokens of the dashboard': {
      right: share,
      guess: () => makeToken(32),
      ask: (token, from) =>
        fetch(`${server.url}/trpc/shares.site`, { headers: { 'x-share-token': token, ...via(from) } }),
    },
    'share tokens of exports': {
      right: share,
      guess: () => makeToken(32),
      ask: (token, from) =>
        fetch(`${server.url}/export/${site.id}.csv?date_from=2026-11-19&date_to=2026-11-20`, {
          headers: { 'x-share-token': token, ...via(from) },
        }),
    },
    'addresses of feeds': {
      right: feed.path.slice(FEEDS_PATH.length, -'.ics'.length),
      guess: () => makeToken(40),
      ask: (token, from) => fetch(`${server.url}${FEEDS_PATH}${token}.ics`, { headers: via(from) }),
    },
    'unsubscribe addresses': {
      right: server.app.services.mail.unsubscribePath('ada@example.com', 'plan').slice('/unsubscribe/'.length),
      guess: () => `plan.${makeToken(43)}.${makeToken(43)}`,
      ask: (token, from) => fetch(`${server.url}/unsubscribe/${token}`, { method: 'POST', headers: via(from) }),
    },
  };
}

const KINDS = [
  'addresses of feeds',
  'unsubscribe addresses',
  'API keys',
  'ingest tokens',
  'share tokens of the dashboard',
  'share tokens of exports',
];

describe.each(['memory', 'redis'])('guesses, counted in %s', (form) => {
  test.each(KINDS)('at %s must wait after ten, and the valid one works beside them', async (kind) => {
    showsRefused('guessing passwords and keys', 100);
    await using redis = form === 'redis' ? await startRedis() : undefined;
    await using server = await testApp({ env: { TRUST_PROXY: 'loopback', ...(redis && { REDIS_URL: redis.url }) } });
    const way = (await waysOf(server))[kind];
    if (!way) throw new Error(`no way to show ${kind}`);
    const answers: Response[] = [];
    for (let n = 0; n < 100; n += 1) answers.push(await way.ask(way.guess(), '203.0.113.7'));
    const waiting = answers.filter(({ status }) => status === 429);
    expect(waiting).toHaveLength(90);
    for (const { headers } of waiting) expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    // From the same address, which a whole company may share, and from another one with a typing error of its own.
    expect((await way.ask(way.right, '203.0.113.7')).ok).toBe(true);
    expect((await way.ask(way.guess(), '198.51.100.1')).status).toBe(answers[0]?.status);
  });
});

test('the same wrong key counts as one mistake, however often it comes, and is told what is wrong', async () => {
  showsRefused('guessing passwords and keys', 50);
  await using server = await testApp();
  const way = (await waysOf(server))['API keys'];
  for (let n = 0; n < 50; n += 1) expect((await way?.ask('ff_of_yesterday'))?.status).toBe(401);
});

describe('a wrong token', () => {
  afterEach(() => vi.useRealTimers());

  /** Counts keys, in memory. Returns whether each was noted as wrong: a repeat is not. */
  function counting() {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON });
    const noted = vi.fn();
    const wrong = openWrongTokens({
      redis: undefined,
      security: { note: noted, limited: () => undefined },
      now: () => Date.now(),
    });
    return async (token: string, from = 'home') => {
      const before = noted.mock.calls.length;
      await wrong.count('key', { token, addressHash: () => from });
      return noted.mock.calls.length > before;
    };
  }

  test('that comes again within a minute is a repeat, and a guess after it', async () => {
    const count = counting();
    expect(await count('ff_1')).toBe(true);
    vi.setSystemTime(NOON + MINUTE_MS - 1);
    expect(await count('ff_1')).toBe(false);
    expect(await count('ff_1', 'elsewhere')).toBe(true);
    vi.setSystemTime(NOON + MINUTE_MS);
    expect(await count('ff_1')).toBe(true);
  });

  test('is remembered beside 9,999 others', async () => {
    const count = counting();
    for (let n = 1; n < 10_000; n += 1) await count('ff_1', `address ${n}`);
    expect(await count('ff_1', 'address 1')).toBe(false);
    expect(await count('ff_1', 'address 10000')).toBe(true);
    expect(await count('ff_1', 'address 1')).toBe(true);
  });

  test('too many may be followed by the next a minute after the first, in whole seconds', async () => {
    const count = counting();
    for (let n = 1; n <= 10; n += 1) expect(await count(`ff_${n}`)).toBe(true);
    const waitAt = async (afterMs: number) => {
      vi.setSystemTime(NOON + afterMs);
      const refusal: unknown = await count(`ff_after_${afterMs}`).catch((error: unknown) => error);
      return refusal instanceof Refusal ? refusal.retryAfterSeconds : refusal;
    };
    expect([await waitAt(0), await waitAt(58_999), await waitAt(59_000), await waitAt(59_999)]).toEqual([60, 2, 1, 1]);
    expect(await waitAt(60_000)).toBe(true);
  });
});
