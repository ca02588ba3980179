/** @module-tag attack */
// The list of somebody's sessions: browsers by name, and each session ended by its owner alone.
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import type { OwnSessions } from '../../server/accounts/sign-in/own-sessions.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { cookieOf } from '../setup/accounts/sign-in.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

test('sessions are listed with names alone, and ended one by one or all others, each by its owner', async () => {
  showsRefused('sessions reused', 3);
  await using server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
  await server.addSite('ada.example');
  await server.addSite('eve.example');
  const ask = makeAsk(server);
  const logIn = async (email: string, userAgent: string) => {
    const answer = await fetch(`${server.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'x-forwarded-for': '203.0.113.77',
        origin: server.url,
      },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    return cookieOf(answer.headers.getSetCookie());
  };
  const list = async (who: { cookie: string }) => {
    const { status, body } = await ask('sessions.list', undefined, who);
    if (status !== 200) return [];
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Awaited<
      ReturnType<OwnSessions['list']>
    >;
  };

  const firefox = await logIn('owner@ada.example', FIREFOX);
  server.clock.now += 60_000;
  const safari = await logIn('owner@ada.example', SAFARI);
  const odd = await logIn('owner@ada.example', 'x');
  const eve = await logIn('owner@eve.example', FIREFOX);
  const seen = await list(firefox);
  expect(seen.map(({ agent, is_current }) => [agent, is_current]).sort()).toEqual(
    [
      ['Firefox on Linux', true],
      ['Safari on iOS', false],
      [null, false],
    ].sort(),
  );
  const stored = JSON.stringify(await server.app.services.directory.db.selectFrom('sessions').selectAll().execute());
  for (const secret of ['203.0.113', 'Mozilla', 'rv:140', 'iPhone']) expect(stored).not.toContain(secret);

  const ofSafari = seen.find(({ agent }) => agent === 'Safari on iOS')?.id;
  const byEve = await ask('sessions.end', { id: ofSafari }, eve);
  const unknown = await ask('sessions.end', { id: 'unknown' }, eve);
  expect([byEve.status, byEve.body]).toEqual([404, unknown.body]);
  expect((await ask('sessions.end', { id: ofSafari }, { ...firefox, origin: 'https://evil.example' })).status).toBe(
    403,
  );
  expect(await list(safari)).toHaveLength(3);
  expect((await ask('sessions.end', { id: ofSafari }, firefox)).status).toBe(200);
  expect(await list(safari)).toEqual([]);
  expect((await ask('sessions.endOthers', undefined, firefox)).status).toBe(200);
  expect(await list(odd)).toEqual([]);
  expect(await list(firefox)).toHaveLength(1);
  expect(await list(eve)).toHaveLength(1);
});
