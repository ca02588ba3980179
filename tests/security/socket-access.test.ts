/** @module-tag attack */
// Who may watch what over the socket, and how hostile clients fare.
import { describe, expect, test } from 'vitest';
import {
  ADA,
  BOB,
  caughtUp,
  eventOf,
  FOREIGN,
  OWN,
  SECOND_OWN,
  startProcess,
  TICK_MS,
  watching,
} from '../setup/live/dashboard.ts';
import { openSeats } from '../../server/live/limits/connections.ts';
import { eventually } from '../setup/eventually.ts';
import { showsRefused } from '../setup/run/harness.ts';

describe('access', () => {
  test.each([
    ['nobody', {}],
    ['an unknown session', { cookie: 'user=mallory' }],
    ['an unknown share token', { auth: { share_token: 'guess' } }],
    ['a share token of another type', { auth: { share_token: { toString: 'token-of-bob' } } }],
  ])('refuses %s', async (_who, who) => {
    await using process = await startProcess();
    expect(await process.open(who).failed).toBe('unauthorized');
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1'])(
    'refuses a page of the foreign origin %s, session or not',
    async (origin) => {
      await using process = await startProcess();
      expect(await process.open({ ...ADA, origin }).failed).toBe('websocket error');
      expect(process.calls.identify).toBe(0);
    },
  );

  test('lets its own pages in', async () => {
    await using process = await startProcess();
    await watching(process, OWN, { ...ADA, origin: process.origin });
  });

  test('shows the site of a share link, and no other', async () => {
    showsRefused('WebSocket');
    await using process = await startProcess();
    const dashboard = await watching(process, FOREIGN, { auth: { share_token: 'token-of-bob' } });
    expect(await dashboard.watch(OWN)).toBe(false);
  });

  test('refuses foreign, unknown and malformed sites alike', async () => {
    showsRefused('WebSocket', 12);
    await using process = await startProcess();
    const dashboard = process.open(ADA);
    const odd = [
      FOREIGN,
      'site_unknown',
      `site:${FOREIGN}`,
      '',
      '*',
      dashboard.browser.id,
      null,
      7,
      {},
      [OWN],
      'x'.repeat(1000),
    ];
    expect(await Promise.all(odd.map((siteId) => dashboard.watch(siteId)))).toEqual(odd.map(() => false));
    await process.arrive(eventOf(FOREIGN, 1));
    await process.clock.advance(TICK_MS);
    expect(dashboard.heard).toEqual({ live: [], lists: [], stored: [], sites: [], refused: [] });
  });

  test('ends within five seconds for one site when that is lost, and the socket stays open', async () => {
    showsRefused('WebSocket');
    await using process = await startProcess();
    const [lost, kept] = [await watching(process, OWN), await watching(process, FOREIGN, BOB)];
    process.sites.set('ada', [SECOND_OWN]);
    await process.clock.advance(TICK_MS);
    await caughtUp(lost);
    expect(lost.heard.refused).toEqual([OWN]);
    await process.arrive(eventOf(OWN, 1));
    await process.arrive(eventOf(FOREIGN, 2));
    await Promise.all([caughtUp(lost), caughtUp(kept)]);
    expect([lost.heard.live.length, kept.heard.live.length]).toEqual([1, 2]);
    expect(await lost.watch(SECOND_OWN)).toBe(true);
  });

  test('ends within five seconds when the session does', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    process.sites.delete('ada');
    await process.clock.advance(TICK_MS);
    expect(await dashboard.closed).toBe('io server disconnect');
    expect(dashboard.heard.refused).toEqual([OWN]);
  });

  test('is checked once a tick for all dashboards of one session', async () => {
    await using process = await startProcess();
    for (let i = 0; i < 10; i++) await watching(process, OWN);
    Object.assign(process.calls, { identify: 0, accessOf: 0 });
    await process.clock.advance(TICK_MS);
    expect(process.calls).toMatchObject({ identify: 1, accessOf: 1 });
  });

  test('is checked for a few dashboards at a time, so that pushes need not wait for all of them', async () => {
    await using process = await startProcess();
    for (let i = 0; i < 100; i++) await watching(process, OWN, { cookie: `user=ada; session=${i}` });
    Object.assign(process.calls, { identify: 0, accessOf: 0 });
    await process.clock.advance(TICK_MS); // lets the event loop turn once or twice
    expect(process.calls.identify).toBeLessThan(100);
    await eventually(() => expect(process.calls).toMatchObject({ identify: 100, accessOf: 100 }));
  });
});

describe('hostile clients', () => {
  test('that send malformed packets lose their connection, and nobody else does', async () => {
    showsRefused('WebSocket', 30);
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const raw = [
      '',
      '9',
      '4',
      '4x',
      '42',
      '42[',
      '42{}',
      '42[]',
      '42[1]',
      '42["watch"',
      '42["watch",',
      '42[null]',
      '42["__proto__"]',
      '42["constructor","x"]',
      '42["disconnect"]',
      '42["connect_error"]',
      '42["error",{}]',
      '42/admin,["watch","x"]',
      '4499999["watch"]',
      '451-["watch",{"_placeholder":true,"num":0}]',
      '4599999-["watch"]',
      '45-["watch"]',
      '46[]',
      '47',
      '40',
      '40{"a":',
      '40/admin,',
      '41',
      '43',
      '4399999999999999999999[]',
      '42["watch",{"_placeholder":true,"num":9}]',
      '6',
      '2probe',
      '5',
      '1',
      '\u0000',
      '42["toString"]',
      `42["watch","${'x'.repeat(3000)}"]`,
      `42[${'['.repeat(1500)}`,
    ];
    for (const text of raw) {
      const attacker = process.open(ADA);
      await attacker.connected;
      const { transport } = attacker.browser.io.engine as unknown as {
        transport: { ws: { send(data: unknown): void } };
      };
      transport.ws.send(text);
      transport.ws.send(Buffer.from(text));
      await Promise.race([
        attacker.closed,
        attacker.watch(OWN).catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 200)),
      ]);
      attacker.browser.disconnect();
    }
    await process.arrive(eventOf(OWN, 1));
    await caughtUp(dashboard);
    expect(dashboard.heard.live.length).toBe(2);
  });

  test('that send 1,000 questions are disconnected after a few', async () => {
    showsRefused('WebSocket', 1000);
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    process.calls.accessOf = 0;
    const attacker = process.open(ADA);
    await attacker.connected;
    for (let i = 0; i < 1000; i++) attacker.browser.emit('watch', `site_${i}`, () => undefined);
    expect(await attacker.closed).toBe('transport close');
    expect(process.calls.accessOf).toBeLessThanOrEqual(20);
    expect(await dashboard.watch(OWN)).toBe(true);
  });

  test('that watch as fast as they can are answered, and slowed down', async () => {
    await using process = await startProcess();
    const dashboard = process.open(ADA);
    const answers = [];
    for (let i = 0; i < 30; i++) answers.push(await dashboard.watch(OWN));
    expect(answers).toEqual([...Array<boolean>(20).fill(true), ...Array<boolean>(10).fill(false)]);
    await process.clock.advance(1000);
    expect([await dashboard.watch(OWN), await dashboard.watch(OWN), await dashboard.watch(OWN)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('that hold all the sockets of one viewer do not affect other viewers', async () => {
    await using process = await startProcess({ maxSockets: 6 });
    const held = [1, 2, 3].map(() => process.open(BOB));
    await Promise.all(held.map(({ connected }) => connected));
    expect(await process.open(BOB).failed).toBe('too_many_requests');
    await watching(process, OWN, ADA);
    held[0]?.browser.disconnect();
    await eventually(async () => {
      const { connected, failed } = process.open(BOB);
      expect(await Promise.race([connected.then(() => 'connected'), failed])).toBe('connected');
    });
  });

  test('without identity, from one address or from many, keep out neither the owner nor a share link', async () => {
    showsRefused('anonymous sockets');
    await using process = await startProcess({ maxSockets: 40 });
    const upgrade = (address: string) =>
      new Promise<string>((resolve) => {
        const url = `${process.origin.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
        const socket = new WebSocket(url, { headers: { 'x-test-address': address } } as never);
        sockets.push(socket);
        socket.addEventListener('open', () => resolve('open'));
        socket.addEventListener('error', () => resolve('refused'));
      });
    const sockets: WebSocket[] = [];
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, number) => upgrade(`far ${number}`)));
    expect(outcomes.filter((outcome) => outcome === 'open').length).toBe(4); // a tenth
    await watching(process, OWN, ADA);
    await watching(process, FOREIGN, { protocols: ['share.token-of-bob'] });
    // They are disconnected when they have still not identified themselves.
    await process.clock.advance(3000);
    await eventually(async () => expect(await upgrade('another')).toBe('open'));
    for (const socket of sockets) socket.close();
  });

  test('without identity are at most ten from one address', async () => {
    showsRefused('anonymous sockets');
    const seats = openSeats(5000);
    const taken = Array.from({ length: 11 }, () => seats.take({ kind: 'stranger' }, 'here'));
    expect(taken.filter((seat) => seat === undefined).length).toBe(1);
    expect(seats.take({ kind: 'stranger' }, 'there')).toBeDefined();
    taken[0]?.leave();
    taken[0]?.leave();
    expect([seats.take({ kind: 'stranger' }, 'here'), seats.take({ kind: 'stranger' }, 'here')].map(Boolean)).toEqual([
      true,
      false,
    ]);
  });

  test('get no long polling', async () => {
    await using process = await startProcess();
    expect((await fetch(`${process.origin}/socket.io/?EIO=4&transport=polling`)).status).toBe(400);
    expect(await process.open({ ...ADA, transports: ['polling'] }).failed).toBe('xhr poll error');
  });

  test('that send unknown events and wrong arguments are ignored', async () => {
    showsRefused('WebSocket');
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const emit = dashboard.browser.emit.bind(dashboard.browser) as (...args: unknown[]) => void;
    for (const args of [
      ['live', {}],
      ['stored'],
      ['refused', { site_id: OWN }],
      ['watch'],
      ['watch', OWN],
      ['watchSites', 1, 2],
    ])
      emit(...args);
    await caughtUp(dashboard);
    expect(dashboard.heard.refused).toEqual([]);
  });
});
