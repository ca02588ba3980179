// The contract of the live windows, run on both forms: memory of one process, and Redis.
import { describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import {
  ENGAGEMENT,
  type EventId,
  PAGEVIEW,
  type SiteId,
  VISIT_MS,
  type VisitorId,
} from '../../server/vocabulary/event.ts';
import { openMemoryWindows } from '../../server/live/memory.ts';
import { openRedisWindows } from '../../server/live/redis.ts';
import {
  CURRENT_MS,
  MINUTES,
  REPEAT_MS,
  TOP,
  type Sighting,
  type Snapshot,
  type SteppedSnapshot,
  type Windows,
} from '../../server/live/windows.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';
import { hexId } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';

const { server, redis } = await redisOfFile();

let lastPrefix = 0;
const FORMS: Record<string, () => Windows> = {
  memory: () => openMemoryWindows(),
  Redis: () => openRedisWindows({ redis, prefix: `live${lastPrefix++}` }),
};

const MINUTE = 60_000;
const SITE = 'site_a' as SiteId;
const OTHER = 'site_b' as SiteId;

function seen(visitor: number, time: number, changes: Partial<Sighting> = {}): Sighting {
  const visitor_id = hexId(visitor) as VisitorId;
  const from = { page: '/', source: 'Google', country: 'GB' };
  return { site_id: SITE, visitor_id, time, name: PAGEVIEW, engaged_ms: 0, ...from, ...changes };
}
const empty: Snapshot = {
  current_visitors: 0,
  minutes: Array<number>(MINUTES).fill(0),
  pages: [],
  sources: [],
  countries: [],
};
/** Per-minute counts that are all 0 except for the given last ones. */
const lastMinutes = (...counts: number[]) => [...Array<number>(MINUTES - counts.length).fill(0), ...counts];

describe.each(Object.keys(FORMS))('live windows in %s', (name) => {
  const open = () => (FORMS[name] as () => Windows)();

  test('forget visitors, and that they were ever counted, until they are seen again', async () => {
    const windows = open();
    await windows.record(seen(1, NOON - 2 * MINUTE));
    await windows.record(seen(1, NOON, { page: '/spam', source: 'spam.example', country: 'FR' }));
    await windows.record(seen(2, NOON - MINUTE));
    await windows.record(seen(3, NOON - 20 * MINUTE)); // no longer current
    await windows.record(seen(1, NOON, { site_id: OTHER }));
    await windows.forgetVisitors(SITE, [1, 3, 4].map(hexId), NOON);
    expect(await windows.snapshot(SITE, NOON)).toEqual({
      current_visitors: 1,
      minutes: lastMinutes(1, 0),
      pages: [{ page: '/', visitors: 1 }],
      sources: [{ source: 'Google', visitors: 1 }],
      countries: [{ country: 'GB', visitors: 1 }],
    });
    expect(await windows.snapshot(OTHER, NOON)).toMatchObject({ current_visitors: 1 });
    await windows.record(seen(1, NOON + 1000, { page: '/again' }));
    expect(await windows.snapshot(SITE, NOON + 1000)).toMatchObject({
      current_visitors: 2,
      minutes: lastMinutes(1, 1),
      pages: [
        { page: '/', visitors: 1 },
        { page: '/again', visitors: 1 },
      ],
    });
    await windows.close();
  });

  describe('in steps', () => {
    const STEP = 4000;
    const nobody = { ...empty, current_visitors: null };

    test('stay as they are until three visitors have come or moved, and change between two looks at most once', async () => {
      const windows = open();
      const look = (at: number) => windows.inSteps(SITE, at);
      expect(await look(NOON)).toEqual({ ...nobody, stepped_at: 0 });
      for (const visitor of [1, 2]) await windows.record(seen(visitor, NOON + 100 * visitor));
      expect(await look(NOON + STEP)).toMatchObject(nobody);
      await windows.record(seen(3, NOON + STEP + 100, { page: '/a', source: '', country: 'NG' }));
      expect(await look(NOON + STEP + 200)).toMatchObject(nobody); // not in the moment in which the third came
      const three = await look(NOON + 2 * STEP);
      expect(three).toEqual({
        current_visitors: 3,
        minutes: lastMinutes(3),
        pages: [
          { page: '/', visitors: 2 },
          { page: '/a', visitors: 1 },
        ],
        sources: [
          { source: 'Google', visitors: 2 },
          { source: '', visitors: 1 },
        ],
        countries: [
          { country: 'GB', visitors: 2 },
          { country: 'NG', visitors: 1 },
        ],
        stepped_at: NOON + 2 * STEP,
      });
      // One who moves often is one.
      for (let n = 0; n < 5; n += 1) await windows.record(seen(3, NOON + 2 * STEP + n, { page: `/${n}` }));
      await windows.record(seen(4, NOON + 2 * STEP + 9));
      expect(await look(NOON + 3 * STEP)).toEqual(three);
      await windows.record(seen(5, NOON + 3 * STEP));
      expect(await look(NOON + 4 * STEP)).toMatchObject({ current_visitors: 5, stepped_at: NOON + 4 * STEP });
      expect(await windows.inSteps(OTHER, NOON)).toEqual({ ...nobody, stepped_at: 0 });
    });

    test('let fewer than three leave unseen, until the hour ends', async () => {
      const windows = open();
      const last = NOON + CURRENT_MS;
      for (const visitor of [1, 2, 3, 4, 5]) await windows.record(seen(visitor, NOON + visitor * 10_000));
      expect(await windows.inSteps(SITE, NOON + MINUTE)).toMatchObject({ current_visitors: 5 });
      expect(await windows.inSteps(SITE, last + 21_000)).toMatchObject({ current_visitors: 5 }); // two have left
      expect(await windows.snapshot(SITE, last + 21_000)).toMatchObject({ current_visitors: 3 });
      expect(await windows.inSteps(SITE, last + 31_000)).toMatchObject({ current_visitors: null, pages: [] });

      const quiet = open();
      for (const visitor of [1, 2, 3, 4]) await quiet.record(seen(visitor, NOON + 59 * MINUTE, { site_id: SITE }));
      expect(await quiet.inSteps(SITE, NOON + 59 * MINUTE + 1)).toMatchObject({ current_visitors: 4 });
      await quiet.record(seen(5, NOON + 59 * MINUTE + 2, { site_id: SITE }));
      expect(await quiet.inSteps(SITE, NOON + 60 * MINUTE - 1)).toMatchObject({ current_visitors: 4 });
      expect(await quiet.inSteps(SITE, NOON + 60 * MINUTE)).toMatchObject({ current_visitors: 5 });
    });

    test('change by what three visitors did, whoever looks each second; at once, they follow a single one', async () => {
      const random = openRandom(7);
      const windows = open();
      const last = new Map<number, number>();
      const watcher = (look: (at: number) => Promise<Snapshot | SteppedSnapshot>) => ({
        look,
        shown: '',
        acted: new Set<number>(),
        changes: [] as { acted: number; at: number }[],
        smallest: Infinity,
      });
      const [atOnce, inSteps] = [
        watcher((at) => windows.snapshot(SITE, at)),
        watcher((at) => windows.inSteps(SITE, at)),
      ];
      for (let at = NOON; at < NOON + 20 * MINUTE; at += 1000) {
        const acted = [...last].flatMap(([visitor, time]) => (time + CURRENT_MS === at ? [visitor] : []));
        if (random.chance(0.05)) {
          const visitor = random.number(12);
          const moved = { page: `/${random.number(4)}`, source: random.pick(['', 'Google']) };
          await windows.record(seen(visitor, at, moved));
          last.set(visitor, at);
          acted.push(visitor);
        }
        for (const one of [atOnce, inSteps]) {
          for (const visitor of acted) one.acted.add(visitor);
          const { current_visitors, minutes, pages, sources, countries } = await one.look(at);
          const counts = [current_visitors ?? 0, ...minutes].filter((visitors) => visitors > 0);
          one.smallest = Math.min(one.smallest, ...counts);
          if (current_visitors === null) expect([...pages, ...sources, ...countries]).toEqual([]);
          const shown = JSON.stringify({ current_visitors, pages, sources, countries });
          if (shown === one.shown) continue;
          if (one.shown !== '') {
            one.changes.push({ acted: one.acted.size, at });
            one.acted.clear();
          }
          one.shown = shown;
        }
      }
      const fewest = ({ changes }: typeof inSteps) => Math.min(...changes.map(({ acted }) => acted));
      expect([fewest(atOnce), atOnce.smallest]).toEqual([1, 1]);
      expect([fewest(inSteps), inSteps.smallest]).toEqual([3, 3]);
      const offTicks = ({ changes }: typeof inSteps) => changes.filter(({ at }) => at % STEP > 0).length;
      expect([offTicks(atOnce) > 0, offTicks(inSteps)]).toEqual([true, 0]);
      expect(inSteps.changes.length).toBeGreaterThan(5);
    });

    test('know nothing of the minutes since the last step, nor of minutes with fewer than three visitors', async () => {
      const windows = open();
      for (const visitor of [1, 2]) await windows.record(seen(visitor, NOON - MINUTE));
      for (const visitor of [3, 4, 5, 6]) await windows.record(seen(visitor, NOON));
      expect((await windows.inSteps(SITE, NOON + 1)).minutes).toEqual(lastMinutes(0, 4));
      await windows.record(seen(7, NOON + 2 * MINUTE));
      expect((await windows.inSteps(SITE, NOON + 2 * MINUTE)).minutes).toEqual(lastMinutes(4, 0, 0));
    });

    test('begin again for visitors who are forgotten', async () => {
      const windows = open();
      for (const visitor of [1, 2, 3]) await windows.record(seen(visitor, NOON, { page: '/spam' }));
      expect((await windows.inSteps(SITE, NOON + 1)).pages).toEqual([{ page: '/spam', visitors: 3 }]);
      await windows.forgetVisitors(SITE, [1, 2, 3].map(hexId), NOON + 2);
      expect(await windows.inSteps(SITE, NOON + 2 * STEP)).toMatchObject(nobody);
    });
  });

  test('of an unknown site are empty', async () => {
    const windows = open();
    expect(await windows.snapshot(SITE, NOON)).toEqual(empty);
    expect(await windows.currentVisitors([SITE, OTHER], NOON)).toEqual(
      new Map([
        [SITE, 0],
        [OTHER, 0],
      ]),
    );
    expect(await windows.currentVisitors([], NOON)).toEqual(new Map());
  });

  test('count a visitor once, on the page of the last event, and under the source of the visit', async () => {
    const windows = open();
    await windows.record(seen(1, NOON, { page: '/a' }));
    await windows.record(seen(1, NOON + 10, { page: '/b', source: 'Bing' }));
    await windows.record(seen(2, NOON + 20, { page: '/b', country: 'DE' }));
    await windows.record(seen(3, NOON + 30, { page: '/a', country: '', source: '' }));
    expect(await windows.snapshot(SITE, NOON + 40)).toEqual({
      current_visitors: 3,
      minutes: lastMinutes(3),
      pages: [
        { page: '/b', visitors: 2 },
        { page: '/a', visitors: 1 },
      ],
      sources: [
        { source: 'Google', visitors: 2 },
        { source: '', visitors: 1 },
      ],
      countries: [
        { country: '', visitors: 1 },
        { country: 'DE', visitors: 1 },
        { country: 'GB', visitors: 1 },
      ],
    });
  });

  test('seven visitors from Google stay "Google 7" when they click on', async () => {
    const windows = open();
    for (let visitor = 1; visitor <= 7; visitor++) await windows.record(seen(visitor, NOON));
    const clicks = [];
    for (let visitor = 1; visitor <= 7; visitor++)
      clicks.push(await windows.record(seen(visitor, NOON + visitor * 1000, { page: '/pricing', source: '' })));
    expect(clicks).toEqual(Array(7).fill('Google'));
    const { sources, pages } = await windows.snapshot(SITE, NOON + 8000);
    expect(sources).toEqual([{ source: 'Google', visitors: 7 }]);
    expect(pages).toEqual([{ page: '/pricing', visitors: 7 }]);
  });

  test('keep the source of a visit while its visitor is away for less than 30 minutes', async () => {
    const windows = open();
    await windows.record(seen(1, NOON));
    await windows.snapshot(SITE, NOON + 20 * MINUTE); // no longer current
    expect(await windows.record(seen(1, NOON + VISIT_MS - 1, { source: '' }))).toBe('Google');
    const later = NOON + 2 * VISIT_MS - 1;
    expect(await windows.record(seen(1, later, { source: 'Bing' }))).toBe('Bing'); // a new visit
    expect((await windows.snapshot(SITE, later)).sources).toEqual([{ source: 'Bing', visitors: 1 }]);
  });

  test('take the source of the first event of a visit, in whatever order they arrive', async () => {
    const windows = open();
    await windows.record(seen(1, NOON, { page: '/second', source: '' }));
    expect(await windows.record(seen(1, NOON - 1000, { page: '/first', source: 'Bing' }))).toBe('Bing');
    expect(await windows.record(seen(1, NOON - 500, { page: '/between', source: 'Google' }))).toBe('Bing');
    const { pages, sources } = await windows.snapshot(SITE, NOON);
    expect({ pages, sources }).toEqual({
      pages: [{ page: '/second', visitors: 1 }],
      sources: [{ source: 'Bing', visitors: 1 }],
    });
    // A late event of an earlier visit does not belong to this one.
    expect(await windows.record(seen(1, NOON - 2 * VISIT_MS, { source: 'Kagi' }))).toBe('Kagi');
    expect((await windows.snapshot(SITE, NOON)).sources).toEqual([{ source: 'Bing', visitors: 1 }]);
  });

  test('engagement continues a visit, but never begins one', async () => {
    const windows = open();
    const engaged = (visitor: number, time: number, engaged_ms: number) =>
      windows.record(seen(visitor, time, { name: ENGAGEMENT, engaged_ms, source: '' }));
    await windows.record(seen(1, NOON));
    await engaged(2, NOON, 5000);
    expect((await windows.snapshot(SITE, NOON)).current_visitors).toBe(1);
    // A page that was read for forty minutes.
    expect(await engaged(1, NOON + 40 * MINUTE, 40 * MINUTE)).toBe('Google');
    expect(await windows.record(seen(1, NOON + 41 * MINUTE, { source: '' }))).toBe('Google');
    expect((await windows.snapshot(SITE, NOON + 41 * MINUTE)).sources).toEqual([{ source: 'Google', visitors: 1 }]);
    // Engagement that arrives after the visit is over.
    await engaged(1, NOON + 41 * MINUTE + VISIT_MS, 0);
    expect((await windows.snapshot(SITE, NOON + 41 * MINUTE + VISIT_MS)).current_visitors).toBe(0);
  });

  test('let a visitor go five minutes after the last event, to the millisecond', async () => {
    const windows = open();
    await windows.record(seen(1, NOON));
    await windows.record(seen(2, NOON + 400));
    const countAt = async (now: number) => [
      (await windows.currentVisitors([SITE], now)).get(SITE),
      (await windows.snapshot(SITE, now)).current_visitors,
    ];
    expect(await countAt(NOON + CURRENT_MS - 1)).toEqual([2, 2]);
    expect(await countAt(NOON + CURRENT_MS)).toEqual([1, 1]);
    expect(await countAt(NOON + CURRENT_MS + 399)).toEqual([1, 1]);
    expect(await countAt(NOON + CURRENT_MS + 400)).toEqual([0, 0]);
    expect(await windows.snapshot(SITE, NOON + CURRENT_MS + 400)).toEqual({
      ...empty,
      minutes: lastMinutes(2, 0, 0, 0, 0, 0),
    });
    await windows.record(seen(1, NOON + CURRENT_MS + 500)); // and back again
    expect(await countAt(NOON + CURRENT_MS + 500)).toEqual([1, 1]);
  });

  test('count distinct visitors of each of the last 30 minutes, the current one last', async () => {
    const windows = open();
    for (let minute = 0; minute < 40; minute++)
      for (let visitor = 0; visitor <= minute % 3; visitor++)
        for (const second of [0, 20, 59]) await windows.record(seen(visitor, NOON + minute * MINUTE + second * 1000));
    const expected = Array.from({ length: MINUTES }, (_, i) => ((10 + i) % 3) + 1);
    const now = NOON + 39 * MINUTE + 59_999;
    expect((await windows.snapshot(SITE, now)).minutes).toEqual(expected);
    expect((await windows.snapshot(SITE, now + 1)).minutes).toEqual([...expected.slice(1), 0]);
    expect((await windows.snapshot(SITE, now + 29 * MINUTE)).minutes).toEqual([1, ...Array<number>(29).fill(0)]);
    expect(await windows.snapshot(SITE, now + 30 * MINUTE)).toEqual(empty);
  });

  test('never move a visitor back for a late sighting, but count its minute', async () => {
    const windows = open();
    await windows.record(seen(1, NOON, { page: '/new' }));
    await windows.record(seen(1, NOON - 2 * MINUTE, { page: '/old' }));
    await windows.record(seen(2, NOON - 10 * MINUTE, { page: '/older' }));
    expect(await windows.snapshot(SITE, NOON)).toEqual({
      current_visitors: 1,
      minutes: lastMinutes(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1),
      pages: [{ page: '/new', visitors: 1 }],
      sources: [{ source: 'Google', visitors: 1 }],
      countries: [{ country: 'GB', visitors: 1 }],
    });
  });

  test('are the same when everything is recorded twice', async () => {
    const windows = open();
    const sightings = Array.from({ length: 50 }, (_, i) => seen(i % 7, NOON + i * 3000, { page: `/${i % 5}` }));
    for (const sighting of sightings) await windows.record(sighting);
    const once = await windows.snapshot(SITE, NOON + 150_000);
    for (const sighting of sightings) await windows.record(sighting);
    expect(await windows.snapshot(SITE, NOON + 150_000)).toEqual(once);
  });

  test('ignore sightings without a visitor', async () => {
    const windows = open();
    await windows.record(seen(0, NOON, { visitor_id: '' as VisitorId }));
    expect(await windows.snapshot(SITE, NOON)).toEqual(empty);
  });

  test('keep sites apart', async () => {
    const windows = open();
    await windows.record(seen(1, NOON));
    await windows.record(seen(1, NOON, { site_id: OTHER }));
    await windows.record(seen(2, NOON, { site_id: OTHER }));
    expect(await windows.currentVisitors([OTHER, SITE], NOON)).toEqual(
      new Map([
        [OTHER, 2],
        [SITE, 1],
      ]),
    );
  });

  test('show the first ten of each list, ties by name', async () => {
    const windows = open();
    let visitor = 0;
    for (let i = 0; i < 15; i++)
      for (let n = 0; n <= i % 3; n++)
        await windows.record(seen(visitor++, NOON, { page: `/${String.fromCharCode(97 + i)}` }));
    const { pages, current_visitors } = await windows.snapshot(SITE, NOON);
    expect(current_visitors).toBe(30);
    expect(pages.length).toBe(TOP);
    expect(pages.map(({ page, visitors }) => `${page} ${visitors}`)).toEqual(
      ['c', 'f', 'i', 'l', 'o']
        .map((page) => `/${page} 3`)
        .concat(['b', 'e', 'h', 'k', 'n'].map((page) => `/${page} 2`)),
    );
  });

  test('keep hostile names unchanged', async () => {
    const windows = open();
    const names = ['/__proto__', '/constructor', "/'; FLUSHALL", '/a\nb c', '/\0x', '/日本🙂', `/${'x'.repeat(2000)}`];
    for (const [i, page] of names.entries()) await windows.record(seen(i, NOON, { page, source: page, country: '"' }));
    const { pages, sources, countries } = await windows.snapshot(SITE, NOON);
    expect(new Set(pages.map(({ page }) => page))).toEqual(new Set(names));
    expect(new Set(sources.map(({ source }) => source))).toEqual(new Set(names));
    expect(countries).toEqual([{ country: '"', visitors: names.length }]);
  });

  test('equal a count by hand after 3,000 sightings of every kind', async () => {
    const windows = open();
    const random = openRandom(7);
    const all: Sighting[] = [];
    let now = NOON;
    for (let round = 0; round < 60; round++) {
      now += random.number(90_000);
      for (let i = 0; i < 50; i++) {
        const late = random.chance(0.2) ? random.number(4 * MINUTE) : 0;
        const sighting = seen(random.number(200), now - late, {
          page: `/${random.number(20)}`,
          source: `s${random.number(4)}`,
          country: `c${random.number(12)}`,
        });
        all.push(sighting);
        await windows.record(sighting);
      }
      if (round % 5 !== 0) continue;
      expect(await windows.snapshot(SITE, now)).toEqual(countByHand(all, now));
      expect((await windows.currentVisitors([SITE], now)).get(SITE)).toBe(countByHand(all, now).current_visitors);
    }
  });

  test('recognise a page view that repeats one of the same visitor and path within 500 ms', async () => {
    const windows = open();
    const view = { site_id: SITE, visitor_id: hexId(1) as VisitorId, page: '/', time: NOON };
    const at = (afterMs: number, changes: Partial<typeof view> = {}) =>
      windows.isRepeat({ ...view, ...changes, time: NOON + afterMs });
    expect(await at(0)).toBe(false);
    expect(await at(0)).toBe(true);
    expect(await at(REPEAT_MS - 1)).toBe(true);
    expect(await at(10, { page: '/other' })).toBe(false);
    expect(await at(10, { visitor_id: hexId(2) as VisitorId })).toBe(false);
    expect(await at(10, { site_id: OTHER })).toBe(false);
    expect(await at(REPEAT_MS)).toBe(false); // 500 ms after the one that counted, whatever came between
    expect(await at(REPEAT_MS + 499)).toBe(true);
    expect(await at(60_000)).toBe(false);
    const flags = await Promise.all(Array.from({ length: 20 }, async () => at(90_000)));
    expect(flags.filter((isRepeat) => !isRepeat)).toEqual([false]);
  });

  test('an event sent again is not a repeat of itself, since the first attempt may not have been queued', async () => {
    const windows = open();
    const view = { site_id: SITE, visitor_id: hexId(1) as VisitorId, page: '/', time: NOON };
    const send = (event_id: string, afterMs: number) =>
      windows.isRepeat({ ...view, event_id: event_id as EventId, time: NOON + afterMs });
    expect([
      await send(hexId(1), 0),
      await send(hexId(1), 10),
      await send(hexId(2), 20),
      await send(hexId(1), 30),
    ]).toEqual([false, false, true, false]);
  });

  test('recover when the clock jumped a day ahead and back', async () => {
    const windows = open();
    await windows.record(seen(1, NOON));
    await windows.record(seen(1, NOON + 25 * 60 * MINUTE));
    expect((await windows.snapshot(SITE, NOON + 25 * 60 * MINUTE)).current_visitors).toBe(1);
    await windows.snapshot(SITE, NOON + MINUTE);
    await windows.record(seen(2, NOON + MINUTE));
    const { pages, minutes } = await windows.snapshot(SITE, NOON + MINUTE);
    expect(pages[0]?.visitors).toBeGreaterThan(0);
    expect(minutes.at(-1)).toBe(1);
  });

  test('answer a ping, and close', async () => {
    const windows = open();
    await windows.ping();
    await windows.close();
  });
});

describe('live windows in memory only', () => {
  test('stay bounded under a flood of visitors: the least recently seen of the largest site go first', async () => {
    const windows = openMemoryWindows(1_000_000);
    await windows.record(seen(1, NOON, { site_id: OTHER }));
    for (let i = 0; i < 20_000; i++) {
      await windows.record(seen(i, NOON + i * 10));
      expect(windows.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(windows.bytes).toBeGreaterThan(980_000);
    expect(windows.visitors).toBeGreaterThan(1_000);
    // The last ones are there, as many as reported, and the small site's visitor too.
    const { current_visitors, minutes } = await windows.snapshot(SITE, NOON + 200_000);
    expect(current_visitors).toBe(windows.visitors - 1);
    expect(minutes.at(-1)).toBe(2_000);
    expect((await windows.currentVisitors([OTHER], NOON + 200_000)).get(OTHER)).toBe(1);
  });

  test('hold fewer visitors the longer their texts are, also within one second', async () => {
    const windows = openMemoryWindows(1_000_000);
    const long = (i: number) => ({ page: `/${i}${'p'.repeat(1000)}`, source: `${i}${'s'.repeat(250)}` });
    for (let i = 0; i < 5_000; i++) await windows.record(seen(i, NOON, long(i)));
    expect(windows.bytes).toBeLessThanOrEqual(1_000_000);
    expect(windows.visitors).toBeGreaterThan(250);
    expect(windows.visitors).toBeLessThan(350);
    expect((await windows.snapshot(SITE, NOON)).current_visitors).toBe(windows.visitors);
  });

  test('forget a site without visitors for an hour, when every visit is over', async () => {
    const windows = openMemoryWindows();
    for (let i = 0; i < 100; i++) await windows.record(seen(i, NOON, { site_id: `site_${i}` as SiteId }));
    expect(windows.visitors).toBe(100);
    await windows.record(seen(1, NOON + 59 * MINUTE));
    expect(windows.visitors).toBe(101);
    await windows.record(seen(1, NOON + 61 * MINUTE));
    expect(windows.visitors).toBe(1);
  });
});

describe('live windows in Redis only', () => {
  test('leave no key without an expiry', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const windows = openRedisWindows({ redis: connection });
    for (let i = 0; i < 200; i++) {
      await windows.record(seen(i % 20, NOON + i * 20_000, { page: `/${i % 3}` }));
      await windows.isRepeat({ ...seen(i, NOON + i), page: '/' });
      if (i % 50 === 0) await windows.snapshot(SITE, NOON + i * 20_000 + CURRENT_MS);
    }
    const keys = (await connection.send('live', ['KEYS', '*'])) as string[];
    expect(keys.length).toBeGreaterThan(10);
    const lasting = await Promise.all(keys.map(async (key) => [key, await connection.send('live', ['PTTL', key])]));
    expect(lasting.filter(([, ttl]) => ttl === -1)).toEqual([]);
    await connection.close();
  });

  test('accept at most a minute’s share of new visitors, and keep those who are there', async () => {
    const windows = openRedisWindows({ redis, prefix: 'room' });
    const long = (i: number) => ({ page: `/${i}${'p'.repeat(1000)}`, source: `${i}${'s'.repeat(250)}` });
    for (let i = 0; i < 2_000; i += 100)
      await Promise.all(Array.from({ length: 100 }, (_, n) => windows.record(seen(i + n, NOON, long(i + n)))));
    const { current_visitors, minutes } = await windows.snapshot(SITE, NOON);
    expect(current_visitors).toBe(minutes.at(-1));
    expect(current_visitors).toBeGreaterThan(600);
    expect(current_visitors).toBeLessThan(800);
    await windows.record(seen(1, NOON + 1000, { page: '/!still-there' }));
    expect((await windows.snapshot(SITE, NOON + 1000)).pages).toContainEqual({ page: '/!still-there', visitors: 1 });
    await windows.record(seen(5_000, NOON + MINUTE));
    expect((await windows.snapshot(SITE, NOON + MINUTE)).minutes.at(-1)).toBe(1);
  });

  test('are shared by processes', async () => {
    const second = await openRedis(server.url);
    const [here, there] = [redis, second].map((connection) =>
      openRedisWindows({ redis: connection, prefix: 'shared' }),
    );
    await Promise.all([here?.record(seen(1, NOON)), there?.record(seen(2, NOON)), there?.record(seen(1, NOON))]);
    expect((await here?.snapshot(SITE, NOON))?.current_visitors).toBe(2);
    const view = { ...seen(1, NOON), page: '/' };
    expect([await here?.isRepeat(view), await there?.isRepeat(view)]).toEqual([false, true]);
    await second.close();
  });

  test('answer Unavailable while Redis is away, start empty after FLUSHALL, and recover', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const windows = openRedisWindows({ redis: connection });
    await windows.record(seen(1, NOON));
    await connection.send('live', ['FLUSHALL']);
    expect(await windows.snapshot(SITE, NOON)).toEqual(empty);
    await own.kill();
    const asked = [
      windows.record(seen(1, NOON)),
      windows.snapshot(SITE, NOON),
      windows.currentVisitors([SITE], NOON),
      windows.ping(),
    ];
    const outcomes = await Promise.allSettled(asked);
    expect(
      outcomes.map(
        (outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable && outcome.reason.store,
      ),
    ).toEqual(asked.map(() => 'live'));
    await own.restart();
    await eventually(() => windows.record(seen(2, NOON)));
    expect((await windows.snapshot(SITE, NOON)).current_visitors).toBe(1);
    await connection.close();
  });
});

function countByHand(all: Sighting[], now: number): Snapshot {
  const last = new Map<string, Sighting>();
  for (const sighting of all)
    if (sighting.time >= (last.get(sighting.visitor_id)?.time ?? 0)) last.set(sighting.visitor_id, sighting);
  const current = [...last.values()]
    .filter(({ time }) => time > now - CURRENT_MS)
    .map((sighting) => ({ ...sighting, source: visitSourceByHand(all, sighting) }));
  const minutes = Array.from({ length: MINUTES }, (_, i) => {
    const minute = Math.floor(now / MINUTE) - MINUTES + 1 + i;
    return new Set(all.filter(({ time }) => Math.floor(time / MINUTE) === minute).map(({ visitor_id }) => visitor_id))
      .size;
  });
  const top = (field: 'page' | 'source' | 'country') =>
    [...Map.groupBy(current, (sighting) => sighting[field])]
      .map(([name, visitors]) => ({ name, visitors: visitors.length }))
      .sort((a, b) => b.visitors - a.visitors || (a.name < b.name ? -1 : 1))
      .slice(0, TOP);
  return {
    current_visitors: current.length,
    minutes,
    pages: top('page').map(({ name: page, visitors }) => ({ page, visitors })),
    sources: top('source').map(({ name: source, visitors }) => ({ source, visitors })),
    countries: top('country').map(({ name: country, visitors }) => ({ country, visitors })),
  };
}

/** The events of the visit that ends with a visitor's last sighting: back in time to the first pause of 30 minutes. */
function visitSourceByHand(all: Sighting[], last: Sighting): string {
  const own = all.filter(({ visitor_id }) => visitor_id === last.visitor_id).sort((a, b) => b.time - a.time);
  let first = last;
  for (const sighting of own) if (first.time - sighting.time < VISIT_MS) first = sighting;
  const sameInstant = all.find(({ visitor_id, time }) => visitor_id === first.visitor_id && time === first.time);
  return (sameInstant ?? first).source;
}
