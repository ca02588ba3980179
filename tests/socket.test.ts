// The socket of the dashboards over real WebSockets: which pushes go where and when, on one process and on two.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../server/errors.ts';
import { ENGAGEMENT } from '../server/event.ts';
import { openMemoryWindows } from '../server/live/memory.ts';
import { CURRENT_MS, type Windows } from '../server/live/windows.ts';
import { openRedis } from '../server/redis.ts';
import { fakeClock } from './setup/clock.ts';
import {
  ADA,
  caughtUp,
  eventOf,
  FOREIGN,
  OWN,
  SECOND_OWN,
  startProcess,
  TICK_MS,
  watching,
} from './setup/dashboard.ts';
import { eventually } from './setup/eventually.ts';
import { startRedis } from './setup/redis.ts';

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

  test('hears of stored events at once and then at most four times a second', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 10; i++) {
      process.socket.stored(new Set([OWN, FOREIGN]));
      await process.clock.advance(50);
    }
    await process.clock.advance(2000);
    await caughtUp(dashboard);
    expect(dashboard.heard.stored).toEqual([OWN, OWN, OWN]); // at 0, 250 and 500 ms
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
