/** @module-tag attack */
// Guessing keys and tokens: callers who try many must wait, and valid ones keep working.
import { describe, expect, test } from 'vitest';
import { WRONG_A_MINUTE } from '../server/api/wrong-tokens.ts';
import { createIngestToken } from '../server/sites/ingest.ts';
import { makeToken } from '../server/directory/ids.ts';
import { createKey } from '../server/accounts/keys.ts';
import { createShareLink } from '../server/sites/share.ts';
import { testApp, type TestApp } from './setup/app.ts';
import { startRedis } from './setup/redis.ts';
import { showsRefused } from './setup/harness.ts';

type Ways = Record<string, { right: string; guess(): string; ask(token: string, from?: string): Promise<Response> }>;

/** For each kind of token: a valid one, and how it is sent. */
async function waysOf(server: TestApp): Promise<Ways> {
  const { directory } = server.app.services;
  const now = server.clock.now;
  const site = await server.addSite();
  const { key } = await createKey(directory, { accountId: site.account_id, name: 'right' }, now);
  const { token: ingest } = await createIngestToken(directory, { siteId: site.id }, now);
  const { token: share } = await createShareLink(directory, { siteId: site.id, name: 'right' }, now);
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
    'unsubscribe addresses': {
      right: server.app.services.mail.unsubscribePath('ada@example.com', 'plan').slice('/unsubscribe/'.length),
      guess: () => `plan.${makeToken(43)}.${makeToken(43)}`,
      ask: (token, from) => fetch(`${server.url}/unsubscribe/${token}`, { method: 'POST', headers: via(from) }),
    },
  };
}

const KINDS = [
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
    expect(waiting).toHaveLength(100 - WRONG_A_MINUTE);
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
