// The dashboards' socket over real WebSockets: which pushes go where and when, on one process and on two.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import { ENGAGEMENT, PAGEVIEW } from '../../server/vocabulary/event.ts';
import { openMemoryWindows } from '../../server/live/memory.ts';
import { CURRENT_MS, type Windows } from '../../server/live/windows.ts';
import { WALL_LIST_NAMES } from '../../server/vocabulary/settings/wall.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { fakeClock } from '../setup/clock.ts';
import {
  activityOf,
  ADA,
  caughtUp,
  eventOf,
  FOREIGN,
  OWN,
  SECOND_OWN,
  startProcess,
  TICK_MS,
  VIV,
  watching,
} from '../setup/live/dashboard.ts';
import { eventually } from '../setup/eventually.ts';
import { startRedis } from '../setup/stores/redis.ts';

describe('a dashboard', () => {
  test('gets the present state as soon as it watches, then each arrival at once', async () => {
    await using process = await startProcess();
    await process.arrive(eventOf(OWN, 1, { page: '/before' }));
    const { heard, browser, watch } = await watching(process, OWN);
    expect(heard.live[0]).toMatchObject({ site_id: OWN, current_visitors: 1 });
    expect(heard.lists).toEqual([
      { site_id: OWN, list: 'pages', rows: [{ name: '/before', visitors: 1 }], activity: [] },
      { site_id: OWN, list: 'sources', rows: [{ name: 'Google', visitors: 1 }], activity: [] },
      { site_id: OWN, list: 'countries', rows: [{ name: 'GB', visitors: 1 }], activity: [] },
    ]);
    await process.arrive(eventOf(OWN, 2, { page: '/now', time: process.clock.now() }));
    await once(browser as never, 'live');
    await caughtUp({ watch });
    expect(heard.live[1]).toMatchObject({ site_id: OWN, current_visitors: 2 });
    const one = { pageviews: 1, events: 0 };
    expect(heard.lists.slice(3).map(({ list, activity }) => [list, activity])).toEqual([
      ['pages', [{ name: '/now', ...one }]],
      ['sources', [{ name: 'Google', ...one }]],
      ['countries', [{ name: 'GB', ...one }]],
    ]);
  });

  test('receives counts of each list by itself: no message names an instant or a device, or connects a page with a country or a source', async () => {
    await using process = await startProcess();
    const dashboard = process.open(ADA);
    const messages: string[] = [];
    dashboard.browser.onAny((...message: unknown[]) => messages.push(JSON.stringify(message)));
    await dashboard.watch(OWN);
    const names = { page: '/only-page', source: 'Only Source', country: 'LI' };
    for (const name of [PAGEVIEW, 'signup', ENGAGEMENT, PAGEVIEW])
      await process.arrive(eventOf(OWN, 1, { ...names, name, device: 'wearable', time: process.clock.now() }));
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const namesOf = (message: string) => Object.values(names).filter((name) => message.includes(`"${name}"`));
    expect(messages.filter((message) => namesOf(message).length > 1)).toEqual([]);
    expect(new Set(messages.flatMap(namesOf))).toEqual(new Set(Object.values(names)));
    for (const secret of ['wearable', String(process.clock.now()), 'signup'])
      expect(messages.filter((message) => message.includes(secret))).toEqual([]);
    for (const list of WALL_LIST_NAMES)
      expect(activityOf(dashboard, list).flat()).toMatchObject([
        { pageviews: 1, events: 0 },
        { pageviews: 1, events: 1 },
      ]);
  });

  test('receives nothing about a list in which nothing changed', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const engaged = { name: ENGAGEMENT, page: '/a', time: process.clock.now() };
    await process.arrive(eventOf(OWN, 1, { page: '/a', time: process.clock.now() }));
    await process.clock.advance(250);
    for (let i = 0; i < 3; i++) {
      await process.arrive(eventOf(OWN, 1, engaged));
      await process.clock.advance(250);
    }
    await caughtUp(dashboard);
    expect(dashboard.heard.live.length).toBe(2);
    expect(dashboard.heard.lists.length).toBe(2 * WALL_LIST_NAMES.length);
  });

  test('gets at most ten pushes a second, and all that arrived with them', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 100; i++) {
      await process.arrive(eventOf(OWN, i, { page: `/${i % 20}` }));
      await process.clock.advance(10);
    }
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const pushes = dashboard.heard.live.slice(1);
    expect(pushes.length).toBe(11); // at 0, 100, 200 … 1,000 ms
    const counted = activityOf(dashboard).slice(1);
    expect(counted.map((names) => names.reduce((sum, { pageviews }) => sum + pageviews, 0))).toEqual([
      1, 9, 10, 10, 10, 60,
    ]);
    expect(pushes.at(-1)?.current_visitors).toBe(100);
  });

  test('gets the fifty busiest pages of a flood, and no engagement among them', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    await process.arrive(eventOf(OWN, 0, { name: ENGAGEMENT }));
    for (let i = 0; i < 500; i++) await process.arrive(eventOf(OWN, i, { page: `/${i % 200}` }));
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const pushed = activityOf(dashboard).at(-1) ?? [];
    expect(pushed.length).toBe(50);
    expect(pushed.filter(({ pageviews, events }) => pageviews !== 3 || events !== 0)).toEqual([]); // each of the first 100 came three times
  });

  test('that waits for a step gets the busiest pages of a flood: those that few saw are not kept', async () => {
    await using process = await startProcess();
    const viv = await watching(process, OWN, VIV);
    const flood = Array.from({ length: 600 }, (_, index) => `/${1000 + index}`);
    const pages = ['/busy', '/busy', '/seldom', ...flood, '/seldom', '/busy'];
    const time = process.clock.now();
    for (const page of pages) await process.arrive(eventOf(OWN, 1, { page, time }));
    for (const visitor of [2, 3]) await process.arrive(eventOf(OWN, visitor, { page: '/busy', time }));
    await process.clock.advance(2 * TICK_MS);
    await caughtUp(viv);
    const [pushed, ...more] = activityOf(viv).slice(1);
    const once = flood.slice(0, 49).map((name) => ({ name, pageviews: 1, events: 0 }));
    expect([pushed, more]).toEqual([[{ name: '/busy', pageviews: 5, events: 0 }, ...once], []]);
  });

  test.each([1, 100, 1000])('gets lists of names of %d characters in whole messages', async (length) => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const pages = Array.from({ length: 50 }, (_, index) => `/${'é'.repeat(length)}${index}`);
    for (const [i, page] of pages.entries()) await process.arrive(eventOf(OWN, i, { page }));
    await process.clock.advance(250);
    await caughtUp(dashboard);
    const pushed = activityOf(dashboard).flat();
    expect(pushed.map(({ name }) => name).toSorted()).toEqual(pages.toSorted());
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

  test('sees visitors leave, and receives nothing when nothing changed', async () => {
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

  test('that sees a site in steps hears of nothing until three visitors have come, and then of all together', async () => {
    await using process = await startProcess();
    const [ada, viv] = [await watching(process, OWN), await watching(process, OWN, VIV)];
    const told = () => JSON.stringify(viv.heard);
    const before = told();
    const step = async (...visitors: number[]) => {
      for (const visitor of visitors)
        await process.arrive(eventOf(OWN, visitor, { page: `/${visitor}`, time: process.clock.now() }));
      process.socket.stored([OWN]);
      await process.clock.advance(TICK_MS);
      await caughtUp(ada);
      await caughtUp(viv);
    };
    await step(1);
    await step(2, 2, 2);
    expect(ada.heard.live.at(-1)).toMatchObject({ current_visitors: 2 });
    expect(ada.heard.stored.length).toBeGreaterThan(0);
    expect(told()).toBe(before);
    expect(viv.heard.live).toMatchObject([{ current_visitors: null }]);

    await step(3);
    await step();
    expect(viv.heard.live.at(-1)).toMatchObject({ current_visitors: 3 });
    const pages = viv.heard.lists.filter(({ list }) => list === 'pages');
    expect(pages).toHaveLength(2); // the whole state, and one step
    expect(pages.at(-1)).toMatchObject({
      rows: [1, 2, 3].map((page) => ({ name: `/${page}`, visitors: 1 })),
      activity: [
        { name: '/2', pageviews: 3, events: 0 },
        { name: '/1', pageviews: 1, events: 0 },
        { name: '/3', pageviews: 1, events: 0 },
      ],
    });
    // Whoever joins later gets the same, and stored numbers are asked for once they include the step.
    const other = await watching(process, OWN, VIV);
    expect(other.heard.live.at(-1)).toEqual(viv.heard.live.at(-1));
    expect(viv.heard.stored).toEqual([]);
    await process.clock.advance(3 * TICK_MS);
    await caughtUp(viv);
    expect(viv.heard.stored).toEqual([OWN]);

    // When they have left, the lists are empty again.
    await process.clock.advance(CURRENT_MS + TICK_MS);
    await caughtUp(viv);
    expect(viv.heard.live.at(-1)).toMatchObject({ current_visitors: null });
    expect(viv.heard.lists.at(-1)).toMatchObject({ rows: [], activity: [] });
  });

  test('sees a site at once, or in steps, as soon as its access says so', async () => {
    await using process = await startProcess();
    const viv = await watching(process, OWN, VIV);
    await process.arrive(eventOf(OWN, 1, { time: process.clock.now() }));
    process.inSteps.delete('viv');
    await process.clock.advance(TICK_MS);
    await eventually(() => expect(viv.heard.live.at(-1)).toMatchObject({ current_visitors: 1 }));
    process.inSteps.add('viv');
    await process.clock.advance(TICK_MS);
    await eventually(() => expect(viv.heard.live.at(-1)).toMatchObject({ current_visitors: null }));
    await process.clock.advance(TICK_MS);
    expect(viv.heard.sites.at(-1)).toEqual(undefined);
  });

  test('gets the current visitors of sites that it sees in steps only from three on', async () => {
    await using process = await startProcess();
    const viv = process.open(VIV);
    await viv.connected;
    for (const visitor of [1, 2]) await process.arrive(eventOf(OWN, visitor, { time: process.clock.now() }));
    viv.browser.emit('watchSites');
    await eventually(() => expect(viv.heard.sites).toEqual([{ [OWN]: null }]));
    await process.arrive(eventOf(OWN, 3, { time: process.clock.now() }));
    await process.clock.advance(TICK_MS);
    await eventually(() => expect(viv.heard.sites.at(-1)).toEqual({ [OWN]: 3 }));
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
    await eventually(() => expect(dashboard.heard.sites).toEqual([{ [SECOND_OWN]: 2 }]));
    await process.clock.advance(TICK_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.sites.length).toBe(1);
    await process.clock.advance(CURRENT_MS);
    await caughtUp(dashboard);
    expect(dashboard.heard.sites.slice(1)).toEqual([{ [SECOND_OWN]: 0 }]);
  });

  test('shares one computation with all others of the site, and continues with them whenever it joins', async () => {
    await using process = await startProcess();
    const first = await watching(process, OWN);
    const before = process.calls.snapshot;
    const others = [];
    for (let i = 0; i < 5; i++) {
      others.push(await watching(process, OWN));
      await process.arrive(eventOf(OWN, i, { page: `/${i}`, time: process.clock.now() }));
      await process.clock.advance(250);
    }
    expect(process.calls.snapshot - before).toBe(5); // one for each push, none for those who join
    await caughtUp(first);
    for (const other of others) {
      await caughtUp(other);
      expect(other.heard.live.at(-1)).toEqual(first.heard.live.at(-1));
      for (const list of WALL_LIST_NAMES) {
        const rowsOf = ({ heard }: typeof first) => heard.lists.findLast((message) => message.list === list)?.rows;
        expect(rowsOf(other)).toEqual(rowsOf(first));
      }
    }
  });

  test('of a busy site gets its lists once a second, complete, and its current visitors ten times', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 1000; i++) {
      await process.arrive(eventOf(OWN, i, { page: `/${i % 20}`, time: process.clock.now() }));
      await process.clock.advance(10);
    }
    await process.clock.advance(1000);
    await caughtUp(dashboard);
    expect(dashboard.heard.live.length).toBeGreaterThan(90);
    const counted = activityOf(dashboard).slice(1);
    expect(counted.length).toBeLessThanOrEqual(16);
    expect(counted.flat().reduce((sum, { pageviews }) => sum + pageviews, 0)).toBe(1000);
    expect(dashboard.heard.live.at(-1)?.current_visitors).toBe(1000);
  });

  test('of a busy site hears of stored events every three seconds', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    for (let i = 0; i < 60; i++) {
      process.socket.stored([OWN]);
      await process.clock.advance(500);
    }
    await caughtUp(dashboard);
    expect(dashboard.heard.stored.length).toBeGreaterThanOrEqual(12);
    expect(dashboard.heard.stored.length).toBeLessThanOrEqual(15);
  });

  test('that nobody looks at receives nothing, and everything once it watches again', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    dashboard.browser.emit('watchSites');
    await eventually(() => expect(dashboard.heard.sites).toEqual([{}]));
    dashboard.browser.emit('rest');
    await caughtUp(dashboard);
    const before = process.calls.snapshot;
    await process.arrive(eventOf(OWN, 1, { time: process.clock.now() }));
    process.socket.stored([OWN]);
    await process.clock.advance(2 * TICK_MS);
    await caughtUp(dashboard);
    expect([dashboard.heard.live.length, dashboard.heard.sites.length, dashboard.heard.stored.length]).toEqual([
      1, 1, 0,
    ]);
    expect(process.calls.snapshot).toBe(before);
    expect(await dashboard.watch(OWN)).toBe(true);
    expect(dashboard.heard.live.at(-1)?.current_visitors).toBe(1);
    dashboard.browser.emit('watchSites');
    await eventually(() => expect(dashboard.heard.sites.at(-1)).toEqual({ [OWN]: 1 }));
  });

  test('never gets a visitor id, nor anything but what the live view shows', async () => {
    await using process = await startProcess();
    const dashboard = await watching(process, OWN);
    const event = eventOf(OWN, 1);
    await process.arrive(event);
    await caughtUp(dashboard);
    const said = JSON.stringify(dashboard.heard);
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

  test('is told when the socket closes, and the HTTP server keeps running', async () => {
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
    // The first announcement of who watches may come before the other listens: it is repeated with each tick.
    let number = 1;
    await eventually(async () => {
      await two.clock.advance(TICK_MS);
      await two.here.arrive(eventOf(OWN, number++, { page: '/from-here', time: two.clock.now() }));
      const pages = activityOf(dashboard).flatMap((names) => names.map(({ name }) => name));
      expect(pages).toContain('/from-here');
    });
    expect(dashboard.heard.live.at(-1)?.current_visitors).toBeGreaterThan(0);
    two.here.socket.stored([OWN]);
    await eventually(() => expect(dashboard.heard.stored).toEqual([OWN]));
    expect([two.here.storedElsewhere, two.there.storedElsewhere]).toEqual([[], [OWN]]);

    const before = await two.published();
    for (let i = 0; i < 50; i++) await two.here.arrive(eventOf(FOREIGN, i));
    two.here.socket.stored([FOREIGN]);
    await two.clock.advance(1000);
    expect(await two.published()).toBe(before);
  });

  test('survive a Redis that is killed, and find each other again', async () => {
    await using two = await startTwo();
    const [near, far] = [await watching(two.here, OWN), await watching(two.there, OWN)];
    let number = 1;
    const arriveHere = async () => {
      await two.clock.advance(TICK_MS);
      await two.here.arrive(eventOf(OWN, number, { page: `/${number++}`, time: two.clock.now() }));
    };
    const heardThere = () => {
      const from = number;
      const heard = () => activityOf(far).flatMap((names) => names.map(({ name }) => Number(name.slice(1))));
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
      expect(near.heard.live.length).toBeGreaterThan(before); // its own dashboards keep working
      await two.server.restart();
      await heardThere();
    }
  });
});
