// Many viewers of one share link, on the real path: how many there may be, and that all of them cost one computation.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { io as connect } from 'socket.io-client';
import { expect, test } from 'vitest';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { testApp } from '../setup/app.ts';
import { fakeClock } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { openFollower } from '../setup/live/following.ts';

/** More than are written to in one turn of the event loop. */
const GUESTS = 130;

test('130 viewers of one link share each computation, and SOCKETS says how many there may be', async () => {
  const pace = fakeClock();
  const env = { TRUST_PROXY: 'loopback', SOCKETS: String(2 * GUESTS) };
  await using server = await testApp({ schedule: pace.schedule, env });
  const site = await server.newSite();
  const advance = async (ms: number) => {
    server.clock.now += ms;
    await pace.advance(ms);
  };
  const view = async (visitor: number) => {
    const url = `https://${site.domain}/`;
    await server.foot({ site: site.domain, name: 'pageview', url }, { 'x-forwarded-for': `2.125.160.${visitor}` });
    await server.settle();
    await advance(4000);
  };
  const shows = { fewest: 1, properties: true };
  const { token } = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'All', shows },
    server.clock.now,
  );
  const headersOf = (guest: number) => ({ 'x-share-token': token, 'x-forwarded-for': `81.2.69.${guest % 200}` });

  const guests = await Promise.all(
    Array.from({ length: GUESTS }, (_, guest) => openFollower(server.url, { headers: headersOf(guest) }, site.id)),
  );
  const question = ['stats.summary', { site_id: site.id, period: 'today' }] as const;
  await Promise.all(guests.map((guest) => guest.follow([...question])));
  await nextTurn();
  await advance(4000);
  const heard = (times: number) =>
    eventually(() => expect(guests.filter(({ heard: all }) => all.length >= times)).toHaveLength(GUESTS));
  await heard(1);

  const { stats } = server.app.services;
  const { askedBy } = stats;
  let asked = 0;
  stats.askedBy = (...asking) => {
    asked += 1;
    return askedBy(...asking);
  };
  for (const visitor of [1, 2]) {
    await view(visitor);
    await heard(visitor + 1);
    expect(asked).toBe(visitor);
  }
  expect(new Set(guests.map(({ answers }) => JSON.stringify([...answers.values()]))).size).toBe(1);

  const late = connect(server.url, {
    transports: ['websocket'],
    reconnection: false,
    extraHeaders: { origin: server.url, 'x-forwarded-for': '81.2.70.1' },
    auth: { share_token: token },
  });
  const refused = await new Promise<Error>((resolve) => late.on('connect_error', resolve));
  expect(refused.message).toBe('too_many_requests');
  using member = await openFollower(
    server.url,
    { headers: { cookie: await server.logIn(`owner@${site.domain}`) } },
    site.id,
  );
  expect(member.browser.connected).toBe(true);
  late.disconnect();
  for (const guest of guests) guest[Symbol.dispose]();
});
