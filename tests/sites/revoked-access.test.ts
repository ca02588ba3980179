// Share links and sockets: who sees a site, and when that ends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { io as connect } from 'socket.io-client';
import { NOT_ALLOWED } from '../../server/accounts/people/people.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { createShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import { NO_SUCH_SITE } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { type Asker, GRANTED, makeWorld, STRANGERS, type Who, type World } from '../setup/accounts/callers.ts';
import { fakeClock } from '../setup/clock.ts';
import { makeEvent } from '../setup/event.ts';

const pace = fakeClock();
let server: TestApp;
let world: World;

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' }, schedule: pace.schedule });
  world = await makeWorld(server);
});
afterAll(async () => server[Symbol.asyncDispose]());

describe('share links', () => {
  test('end with the next request once revoked', async () => {
    const { directory } = server.app.services;
    const link = await createShareLink(directory, { siteId: world.own.site.id, name: 'short' }, server.clock.now);
    const headers = { 'x-share-token': link.token };
    const about = { site_id: world.own.site.id };
    expect((await world.ask('live.snapshot', about, headers)).status).toBe(200);
    expect((await world.ask('shares.revoke', { ...about, id: link.id }, world.own.login.headers)).status).toBe(200);
    expect((await world.ask('live.snapshot', about, headers)).status).toBe(401);
    const from = '2026-11-01';
    const csv = await fetch(`${server.url}/export/${world.own.site.id}.csv?date_from=${from}&date_to=${from}`, {
      headers,
    });
    expect(csv.status).toBe(401);
  });

  test('are sent in a header only, never in an address or a cookie', async () => {
    const token = world.own.share.headers['x-share-token'] ?? '';
    for (const name of ['x-share-token', 'share_token', 'token']) {
      const answer = await fetch(`${server.url}/trpc/shares.site?${name}=${token}`, {
        headers: { cookie: `${name}=${token}` },
      });
      expect(answer.status).toBe(404);
    }
  });
});

describe('sockets', () => {
  /** Opens one, and says whether it may watch the site of `own`. */
  async function watch(asker: Asker, siteId = world.own.site.id) {
    const { 'x-share-token': token, ...extraHeaders } = asker.headers;
    const browser = connect(server.url, {
      transports: ['websocket'],
      reconnection: false,
      extraHeaders: { origin: server.url, ...extraHeaders },
      ...(token !== undefined && { auth: { share_token: token } }),
    });
    const heard: unknown[] = [];
    browser.on('live', () => heard.push('live'));
    browser.on('refused', (message) => heard.push(message));
    const answer = await new Promise<boolean | string>((resolve) => {
      browser.on('connect', () => browser.emit('watch', siteId, resolve));
      browser.on('connect_error', (error) => resolve(error.message));
    });
    const closed = new Promise((resolve) => browser.on('disconnect', resolve));
    return { browser, answer, heard, closed };
  }

  test('show a site to those who may see it', async () => {
    for (const who of Object.keys(world.askers) as Who[]) {
      const { browser, answer } = await watch(world.askers[who]);
      const refusal = STRANGERS.includes(who) ? 'unauthorized' : false;
      expect([who, answer]).toEqual([who, GRANTED[who]?.includes('read') ? true : refusal]);
      browser.disconnect();
    }
  });

  test('tell nobody how many are on the sites of an account whose plan has ended', async () => {
    const { account, site, login } = world.other;
    const arrive = (visitor: string) => {
      const event = makeEvent({ site_id: site.id, visitor, time: server.clock.now });
      return server.app.collector.record([event], server.clock.now);
    };
    const list = async () => {
      const { browser } = await watch(login, site.id);
      const heard: object[] = [];
      browser.on('sites', ({ current_visitors }: { current_visitors: object }) => heard.push(current_visitors));
      const first = new Promise((resolve) => browser.once('sites', resolve));
      browser.emit('watchSites');
      await first;
      return { browser, heard };
    };
    await arrive('one');
    const before = await list();
    expect(before.heard).toEqual([{ [site.id]: 1 }]);
    await setPlan(server.app.services.directory, { accountId: account.id, status: 'expired' }, server.clock.now);
    await arrive('two');
    await pace.advance(5000);
    const after = await list();
    expect([before.heard, after.heard]).toEqual([[{ [site.id]: 1 }], [{}]]);
    for (const { browser } of [before, after]) browser.disconnect();
  });

  /** Each way to lose access, and what restores it. */
  const LOSSES: Record<string, () => Promise<{ asker: Asker; lose(): Promise<unknown>; message: string }>> = {
    'the share link is revoked': async () => {
      const { directory } = server.app.services;
      const link = await createShareLink(directory, { siteId: world.own.site.id, name: 'short' }, server.clock.now);
      const asked = { siteId: world.own.site.id, linkId: link.id };
      return {
        message: 'Log in again, or open a share link that is still valid.',
        asker: { headers: { 'x-share-token': link.token } },
        lose: () => revokeShareLink(directory, asked, server.clock.now),
      };
    },
    'the session is ended': async () => {
      const cookie = await server.logIn('owner@own.example');
      const headers = { cookie, origin: server.url };
      return {
        message: 'Log in again, or open a share link that is still valid.',
        asker: { headers: { cookie } },
        lose: () => fetch(`${server.url}/auth/sign-out`, { method: 'POST', headers }),
      };
    },
    'the member is removed': async () => {
      const viewer = world.askers['a viewer'];
      const lose = () => world.ask('people.remove', { user_id: viewer.userId }, world.own.login.headers);
      return Promise.resolve({ asker: viewer, lose, message: NO_SUCH_SITE });
    },
    'the viewer is limited to another site': async () => {
      const asker = world.askers['a viewer of this site'];
      const input = { user_id: asker.userId, role: 'viewer', site_ids: [world.second.id] };
      return Promise.resolve({
        asker,
        lose: () => world.ask('people.change', input, world.own.login.headers),
        message: NO_SUCH_SITE,
      });
    },
    'the member may see only the plan from now on': async () => {
      const asker = world.askers['an admin'];
      const input = { user_id: asker.userId, role: 'billing' };
      return Promise.resolve({
        asker,
        lose: () => world.ask('people.change', input, world.own.login.headers),
        message: NOT_ALLOWED,
      });
    },
    'the plan ends': () => {
      const { directory } = server.app.services;
      const asked = { accountId: world.own.account.id, status: 'expired' } as const;
      return Promise.resolve({
        asker: world.own.login,
        lose: () => setPlan(directory, asked, server.clock.now),
        message: expect.stringMatching(/^The plan of this account has ended\. You can still export its data/) as string,
      });
    },
    'the plan ends behind a share link': async () => {
      const { directory } = server.app.services;
      const asked = { accountId: world.own.account.id, status: 'active' } as const;
      await setPlan(directory, asked, server.clock.now);
      return {
        asker: world.own.share,
        lose: () => setPlan(directory, { ...asked, status: 'expired' }, server.clock.now),
        message: 'This dashboard is not available at the moment.',
      };
    },
  };

  test.each(Object.keys(LOSSES))('stop within five seconds when %s', async (name) => {
    const { asker, lose, message } = await (LOSSES[name] as (typeof LOSSES)[string])();
    const { browser, answer, heard, closed } = await watch(asker);
    expect(answer).toBe(true);
    await lose();
    const refused = new Promise((resolve) => browser.on('refused', resolve));
    await pace.advance(5000);
    expect(await refused).toEqual({ site_id: world.own.site.id, message });
    if (name === 'the share link is revoked' || name === 'the session is ended') await closed;
    heard.length = 0;
    server.clock.now += 5000;
    await server.foot({ site: 'own.example', name: 'pageview', url: `https://own.example/${name.length}` });
    await pace.advance(5000);
    expect(heard).toEqual([]);
    browser.disconnect();
  });
});
