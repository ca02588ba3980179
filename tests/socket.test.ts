// The socket of the dashboards over real WebSockets: who gets which pushes when, and what hostile clients get.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { io as connect, type Socket as Client } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../server/errors.ts';
import { ENGAGEMENT, type Event, type SiteId } from '../server/event.ts';
import { openMemoryWindows } from '../server/live/memory.ts';
import type { ClientMessages, ServerMessages } from '../server/live/messages.ts';
import { openSocket, type LiveSocket } from '../server/live/socket.ts';
import { CURRENT_MS, type Windows } from '../server/live/windows.ts';
import { openLog } from '../server/log.ts';
import { openRedis, type Redis } from '../server/redis.ts';
import { fakeClock, type Clock } from './setup/clock.ts';
import { eventually } from './setup/eventually.ts';
import { startRedis } from './setup/redis.ts';
import { sampleEvent } from './setup/sample.ts';

const OWN = 'site_own' as SiteId;
const SECOND_OWN = 'site_second' as SiteId;
const FOREIGN = 'site_foreign' as SiteId;
const TICK_MS = 4000;

type Live = Parameters<ServerMessages['live']>[0];
type Browser = Client<ServerMessages, ClientMessages>;

/** A process: its windows, its socket, and who may see what as the test says. Ada owns two sites, Bob one. */
async function startProcess(options: { clock?: Clock; windows?: Windows; redis?: Redis } = {}) {
  const clock = options.clock ?? fakeClock();
  const windows = options.windows ?? openMemoryWindows();
  const sites = new Map<string, SiteId[]>([
    ['ada', [OWN, SECOND_OWN]],
    ['bob', [FOREIGN]],
  ]);
  const calls = { snapshot: 0, canSee: 0, identify: 0 };
  const httpServer = createServer((_request, response) => response.end('page'));
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const address = httpServer.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  const socket: LiveSocket = openSocket<string>({
    httpServer,
    windows: {
      currentVisitors: windows.currentVisitors,
      snapshot: (siteId, now) => {
        calls.snapshot += 1;
        return windows.snapshot(siteId, now);
      },
    },
    redis: options.redis,
    identify: (headers: IncomingHttpHeaders) => {
      calls.identify += 1;
      const name = headers['x-share-token'] === 'token-of-bob' ? 'bob' : /user=(\w+)/.exec(headers.cookie ?? '')?.[1];
      return Promise.resolve(name !== undefined && sites.has(name) ? name : undefined);
    },
    canSee: (viewer, siteId) => {
      calls.canSee += 1;
      return Promise.resolve(sites.get(viewer)?.includes(siteId) ?? false);
    },
    sitesOf: (viewer) => Promise.resolve(sites.get(viewer) ?? []),
    isTrustedOrigin: (headers) => headers.origin === undefined || headers.origin === origin,
    now: clock.now,
    schedule: clock.schedule,
    log: openLog('silent'),
  });
  const browsers: Browser[] = [];

  return {
    clock,
    sites,
    calls,
    socket,
    origin,
    open(who: { cookie?: string; origin?: string; auth?: Record<string, unknown>; transports?: string[] } = {}) {
      const extraHeaders = { ...(who.cookie && { cookie: who.cookie }), ...(who.origin && { origin: who.origin }) };
      const browser: Browser = connect(origin, {
        transports: who.transports ?? ['websocket'],
        forceNew: true,
        reconnection: false,
        extraHeaders,
        auth: who.auth ?? {},
      });
      browsers.push(browser);
      const heard = {
        live: [] as Live[],
        stored: [] as string[],
        sites: [] as Record<string, number>[],
        refused: [] as string[],
      };
      browser.on('live', (message) => heard.live.push(message));
      browser.on('stored', ({ site_id }) => heard.stored.push(site_id));
      browser.on('sites', ({ current_visitors }) => heard.sites.push(current_visitors));
      browser.on('refused', ({ site_id }) => heard.refused.push(site_id));
      const failed = new Promise<string>((resolve) => browser.on('connect_error', ({ message }) => resolve(message)));
      const closed = new Promise<string>((resolve) => browser.on('disconnect', (reason) => resolve(reason)));
      const watch = (siteId: unknown): Promise<unknown> => browser.emitWithAck('watch', siteId as string);
      return {
        browser,
        heard,
        failed,
        closed,
        watch,
        connected: new Promise<void>((resolve) => browser.on('connect', resolve)),
      };
    },
    /** As the collector does: into the windows, then told. */
    async arrive(event: Event) {
      await windows.record(event);
      socket.arrived(event);
    },
    async [Symbol.asyncDispose]() {
      for (const browser of browsers) browser.disconnect();
      await socket.close();
      httpServer.closeAllConnections();
      httpServer.close();
    },
  };
}

type Process = Awaited<ReturnType<typeof startProcess>>;
const ADA = { cookie: 'user=ada' };
const BOB = { cookie: 'user=bob' };

async function watching(process: Process, siteId: SiteId, who: Parameters<Process['open']>[0] = ADA) {
  const dashboard = process.open(who);
  expect(await dashboard.watch(siteId)).toBe(true);
  expect(dashboard.heard.live.length).toBe(1);
  return dashboard;
}
/** Everything that was sent to the dashboard before this has arrived once its question is answered. */
const caughtUp = (dashboard: { watch: (siteId: unknown) => Promise<unknown> }) => dashboard.watch({});
const eventOf = (site_id: SiteId, number: number, changes: Partial<Event> = {}) =>
  sampleEvent(number, { site_id, ...changes });

describe('a dashboard', () => {
  test('gets the present state as soon as it watches, then each arrival at once', async () => {
    await using process = await startProcess();
    await process.arrive(eventOf(OWN, 1, { page: '/before' }));
    const { heard, browser } = await watching(process, OWN);
    expect(heard.live[0]).toMatchObject({
      site_id: OWN,
      current_visitors: 1,
      pages: [{ page: '/before', visitors: 1 }],
      arrivals: [],
    });
    await process.arrive(eventOf(OWN, 2, { page: '/now', time: process.clock.now() }));
    await once(browser as never, 'live');
    expect(heard.live[1]).toMatchObject({ site_id: OWN, current_visitors: 2 });
    expect(heard.live[1]?.arrivals).toEqual([
      { time: process.clock.now(), name: 'pageview', page: '/now', source: 'Google', country: 'GB', device: 'desktop' },
    ]);
  });

  test('gets at most four pushes a second, and all arrivals with them', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 100; i++) {
      await process.arrive(eventOf(OWN, i));
      await process.clock.advance(10);
    }
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const pushes = dashboard.heard.live.slice(1);
    expect(pushes.length).toBe(5); // at 0, 250, 500, 750 and 1,000 ms
    expect(pushes.map(({ arrivals }) => arrivals.length)).toEqual([1, 24, 25, 25, 25]);
    expect(pushes.at(-1)?.current_visitors).toBe(100);
  });

  test('gets the last fifty arrivals of a flood, and no engagement among them', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    await process.arrive(eventOf(OWN, 0, { name: ENGAGEMENT }));
    for (let i = 0; i < 500; i++) await process.arrive(eventOf(OWN, i, { page: `/${i}` }));
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const [first, second] = dashboard.heard.live.slice(1);
    expect(first?.arrivals).toEqual([]);
    expect(second?.arrivals.map(({ page }) => page)).toEqual(Array.from({ length: 50 }, (_, i) => `/${450 + i}`));
  });

  test('costs nothing on a site that nobody watches', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const before = process.calls.snapshot;
    for (let i = 0; i < 50; i++) await process.arrive(eventOf(FOREIGN, i));
    process.socket.stored([FOREIGN]);
    await process.clock.advance(1000);
    await caughtUp(dashboard);
    expect(process.calls.snapshot).toBe(before);
    expect(dashboard.heard.live.length).toBe(1);
    expect(dashboard.heard.stored).toEqual([]);
  });

  test('hears of stored events at once and then at most once a second', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 10; i++) {
      process.socket.stored(new Set([OWN, FOREIGN]));
      await process.clock.advance(150);
    }
    await process.clock.advance(2000);
    await caughtUp(dashboard);
    expect(dashboard.heard.stored).toEqual([OWN, OWN, OWN]); // at 0, 1 s and 2 s
  });

  test('sees visitors leave, and hears nothing when nothing changed', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    await process.arrive(eventOf(OWN, 1, { time: process.clock.now() }));
    await process.clock.advance(TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.map(({ current_visitors }) => current_visitors)).toEqual([0, 1]);
    await process.clock.advance(3 * TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.length).toBe(2);
    await process.clock.advance(CURRENT_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.at(-1)?.current_visitors).toBe(0);
  });

  test('watches one site at a time, the last one it asked for', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const answers = await Promise.all([dashboard.watch(OWN), dashboard.watch(SECOND_OWN)]);
    expect(answers).toEqual([false, true]);
    await process.arrive(eventOf(OWN, 1));
    await process.arrive(eventOf(SECOND_OWN, 2));
    await caughtUp(dashboard);
    expect(dashboard.heard.live.map(({ site_id }) => site_id)).toEqual([OWN, SECOND_OWN, SECOND_OWN]);
  });

  test('gets the current visitors of its sites, and of no other', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 3; i++)
      await process.arrive(eventOf(i === 2 ? FOREIGN : SECOND_OWN, i, { time: process.clock.now() }));
    dashboard.browser.emit('watchSites');
    await eventually(() => expect(dashboard.heard.sites).toEqual([{ [OWN]: 0, [SECOND_OWN]: 2 }]));
    await process.clock.advance(TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.sites.length).toBe(1);
    await process.clock.advance(CURRENT_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.sites.slice(1)).toEqual([{ [OWN]: 0, [SECOND_OWN]: 0 }]);
  });

  test('never gets a visitor id, nor anything but what the live view shows', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const event = eventOf(OWN, 1);
    await process.arrive(event);
    await caughtUp(dashboard);
    const said = JSON.stringify(dashboard.heard.live);
    for (const secret of [event.visitor_id, event.event_id]) expect(said).not.toContain(secret);
  });

  test('keeps what it had while the windows do not answer, and catches up', async () => {
    let isAway = false;
    const memory = openMemoryWindows();
    const snapshot: Windows['snapshot'] = (siteId, now) =>
      isAway ? Promise.reject(new Unavailable('live')) : memory.snapshot(siteId, now);
    await using process = await startProcess({ windows: { ...memory, snapshot } });
    const dashboard = await watching(process, OWN);
    isAway = true;
    await process.arrive(eventOf(OWN, 1, { time: process.clock.now() }));
    await process.clock.advance(TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.length).toBe(1);
    isAway = false;
    await process.clock.advance(TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.slice(1).map(({ current_visitors }) => current_visitors)).toEqual([1]);
  });

  test('is told goodbye on close, and the HTTP server goes on', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    await process.socket.close();
    expect(await dashboard.closed).toBe('io server disconnect');
    await process.socket.close();
    expect(await (await fetch(process.origin)).text()).toBe('page');
    expect(await process.open(ADA).failed).toBe('websocket error');
  });
});

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
    await using process = await startProcess();
    const dashboard = await watching(process, FOREIGN, { auth: { share_token: 'token-of-bob' } });
    expect(await dashboard.watch(OWN)).toBe(false);
  });

  test('refuses foreign and unknown sites alike, and whatever is no site', async () => {
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
    expect(dashboard.heard).toEqual({ live: [], stored: [], sites: [], refused: [] });
  });

  test('ends within five seconds for one site when that is lost, and the socket lives', async () => {
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

  test('is asked once a tick for all dashboards of one session', async () => {
    await using process = await startProcess();
    for (let i = 0; i < 10; i++) await watching(process, OWN);
    process.calls.identify = 0;
    await process.clock.advance(TICK_MS);
    expect(process.calls.identify).toBe(1);
  });
});

describe('hostile clients', () => {
  test('that send malformed packets lose their connection, and nobody else does', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const raw = [
      ...[
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
      ],
      ...[
        '42["constructor","x"]',
        '42["disconnect"]',
        '42["connect_error"]',
        '42["error",{}]',
        '42/admin,["watch","x"]',
      ],
      ...[
        '4499999["watch"]',
        '451-["watch",{"_placeholder":true,"num":0}]',
        '4599999-["watch"]',
        '45-["watch"]',
        '46[]',
        '47',
        '40',
        '40{"a":',
      ],
      ...[
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
      ],
      ...['42["toString"]', `42["watch","${'x'.repeat(3000)}"]`, `42[${'['.repeat(1500)}`],
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

  test('that ask 1,000 times are cut off after a few questions', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    process.calls.canSee = 0;
    const attacker = process.open(ADA);
    await attacker.connected;
    for (let i = 0; i < 1000; i++) attacker.browser.emit('watch', `site_${i}`, () => undefined);
    expect(await attacker.closed).toBe('transport close');
    expect(process.calls.canSee).toBeLessThanOrEqual(20);
    expect(await dashboard.watch(OWN)).toBe(true);
  });

  test('that watch as fast as they may are answered, and slowed down', async () => {
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

  test('get no long polling', async () => {
    await using process = await startProcess();
    expect((await fetch(`${process.origin}/socket.io/?EIO=4&transport=polling`)).status).toBe(400);
    expect(await process.open({ ...ADA, transports: ['polling'] }).failed).toBe('xhr poll error');
  });

  test('that send unknown events and wrong arguments are ignored', async () => {
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

describe('two processes with one Redis', () => {
  async function startTwo() {
    const server = await startRedis();
    const [first, second] = [await openRedis(server.url), await openRedis(server.url)];
    const [clock, windows] = [fakeClock(), openMemoryWindows()];
    const here = await startProcess({ clock, windows, redis: first });
    const there = await startProcess({ clock, windows, redis: second });
    return {
      server,
      clock,
      here,
      there,
      published: async () => {
        const stats = String(await first.send('live', ['INFO', 'commandstats']));
        return Number(/cmdstat_publish:calls=(\d+)/.exec(stats)?.[1] ?? 0);
      },
      async [Symbol.asyncDispose]() {
        await here[Symbol.asyncDispose]();
        await there[Symbol.asyncDispose]();
        await Promise.all([first.close(), second.close()]);
        await server[Symbol.asyncDispose]();
      },
    };
  }

  test('bring what arrives and is stored on one to the dashboards of the other, and nothing that nobody watches', async () => {
    await using two = await startTwo();
    const dashboard = await watching(two.there, OWN);
    // The first word of who watches may be spoken before the other listens: it is said again with each tick.
    let number = 1;
    await eventually(async () => {
      await two.clock.advance(TICK_MS);
      await two.here.arrive(eventOf(OWN, number++, { page: '/from-here', time: two.clock.now() }));
      const pages = dashboard.heard.live.flatMap(({ arrivals }) => arrivals.map(({ page }) => page));
      expect(pages).toContain('/from-here');
    });
    expect(dashboard.heard.live.at(-1)?.current_visitors).toBeGreaterThan(0);
    two.here.socket.stored([OWN]);
    await eventually(() => expect(dashboard.heard.stored).toEqual([OWN]));

    const before = await two.published();
    for (let i = 0; i < 50; i++) await two.here.arrive(eventOf(FOREIGN, i));
    two.here.socket.stored([FOREIGN]);
    await two.clock.advance(1000);
    expect(await two.published()).toBe(before);
  });

  test('live through a Redis that is killed, and find each other again', async () => {
    await using two = await startTwo();
    const [near, far] = [await watching(two.here, OWN), await watching(two.there, OWN)];
    let number = 1;
    const arriveHere = async () => {
      await two.clock.advance(TICK_MS);
      await two.here.arrive(eventOf(OWN, number, { page: `/${number++}`, time: two.clock.now() }));
    };
    const heardThere = () => {
      const from = number;
      const heard = () => far.heard.live.flatMap(({ arrivals }) => arrivals.map(({ page }) => Number(page.slice(1))));
      return eventually(async () => {
        await arriveHere();
        expect(Math.max(...heard())).toBeGreaterThanOrEqual(from);
      });
    };
    await heardThere();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 20; i++) await arriveHere();
      await two.server.kill();
      const before = near.heard.live.length;
      for (let i = 0; i < 5; i++) await arriveHere();
      await caughtUp(near);
      expect(near.heard.live.length).toBeGreaterThan(before); // its own dashboards go on
      await two.server.restart();
      await heardThere();
    }
  });
});
