// Visits as the writer assigns them, compared with a second program's result for the same events; and through restarts at any moment.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openVisits, type Visits } from '../../server/queue/writer/visits.ts';
import type { EventStore } from '../../server/store/open.ts';
import type { Bound } from '../../server/store/pool.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { makeEvent } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { type TestStore, testStore } from '../setup/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

/** The frequency of each kind of event: six of ten are page views. */
const NAMES = [...Array<string>(6).fill('pageview'), 'engagement', 'engagement', 'signup', 'outbound_link'];

/** An afternoon of a few people: page views, events, engagement, pauses of up to 40 minutes. */
function afternoon(seed: number, site_id: SiteId, day: number): Event[] {
  const random = openRandom(seed);
  const events: Event[] = [];
  for (let person = 0; person < 6; person += 1) {
    let time = day + 12 * 60 * MINUTE_MS + random.number(60) * MINUTE_MS;
    for (let index = 0; index < 12; index += 1) {
      const name = random.pick(NAMES);
      events.push(
        makeEvent({
          site_id,
          visitor: `p${person}`,
          time,
          name,
          page: `/${index}`,
          source: `source ${index}`,
          interactive: name === 'pageview' || name === 'signup',
        }),
      );
      time += random.number(40 * MINUTE_MS);
    }
  }
  return events.sort((a, b) => a.time - b.time);
}

/** The rules for visits, in the simplest way: group, then look at each group as a whole. */
function expected(events: Event[]) {
  const groups: Event[][] = [];
  const last = new Map<string, Event[]>();
  for (const event of events) {
    const group = last.get(event.visitor_id);
    const ended = !group || event.time - (group.at(-1)?.time ?? 0) >= 30 * MINUTE_MS;
    if (ended && event.name === 'engagement') continue;
    const own = ended ? [] : group;
    if (ended) groups.push(own);
    own.push(event);
    last.set(event.visitor_id, own);
  }
  const views = (group: Event[]) => group.filter((event) => event.name === 'pageview').length;
  return {
    visits: groups.length,
    bounces: groups.filter((group) => views(group) === 1 && !group.some((event) => event.name === 'signup')).length,
    visit_ms: groups.reduce((sum, group) => sum + (group.at(-1)?.time ?? 0) - (group[0]?.time ?? 0), 0),
    rows: groups.flat().length,
    sources: [...new Set(groups.map((group) => group[0]?.source))].sort(),
  };
}

async function stored(site_id: SiteId) {
  const [row] = await store.query<Record<string, number | string[]>>(
    `SELECT sum(visit_started) AS visits, sum(bounces) AS bounces, sum(visit_ms) AS visit_ms, count() AS rows,
      arraySort(groupUniqArray(source)) AS sources, uniqExact(visit_id) AS ids FROM events WHERE site_id = {site_id:String}`,
    { site_id },
  );
  const { ids, ...sums } = row ?? {};
  expect(ids).toBe(sums['visits']);
  return sums;
}

describe('sums over rows equal counts of whole visits', () => {
  test.each([1, 2, 3, 4, 5])('of afternoon %i, written in one go', async (seed) => {
    const site = `site_once_${seed}` as SiteId;
    const events = afternoon(seed, site, Date.UTC(2026, 10, 20));
    const visits = openVisits(store);
    const rows = events.flatMap((event) => visits.assign(event, event.time) ?? []);
    await store.insert({ events: rows, ai_visits: [] }, `once-${seed}`);
    expect(await stored(site)).toEqual(expected(events));
  });

  test('by a writer that restarts before every few events', async () => {
    const site = 'site_restarted' as SiteId;
    const events = afternoon(7, site, Date.UTC(2026, 10, 21));
    for (let start = 0; start < events.length; start += 3) {
      const batch = events.slice(start, start + 3);
      const now = batch[0]?.time ?? 0;
      const visits = openVisits(store);
      await visits.restore(now);
      const rows = batch.flatMap((event) => visits.assign(event, event.time) ?? []);
      await store.insert({ events: rows, ai_visits: [] }, `restarted-${start}`);
    }
    expect(await stored(site)).toEqual(expected(events));
  });

  test('of an old log, imported by a process that restarts every few events', async () => {
    const site = 'site_imported' as SiteId;
    const events = afternoon(9, site, Date.UTC(2015, 4, 17));
    const now = Date.UTC(2026, 10, 22);
    for (let start = 0; start < events.length; start += 3) {
      const batch = events.slice(start, start + 3);
      const visits = openVisits({ ...store, idsAQuery: 2 }); // some batches take two queries
      await visits.restore(now);
      await visits.restoreFor(batch, now);
      const rows = batch.flatMap((event) => visits.assign(event, now) ?? []);
      await store.insert({ events: rows, ai_visits: [] }, `imported-${start}`);
    }
    expect(await stored(site)).toEqual(expected(events));
  });
});

describe('a visit', () => {
  const at = Date.UTC(2026, 10, 23, 10);

  test('stays open while somebody reads: 40 visible minutes of engagement belong to it, and later engagement adds nothing', () => {
    const visits = openVisits(store);
    visits.assign(makeEvent({ visitor: 'r', time: at }), at);
    const read = makeEvent({
      visitor: 'r',
      time: at + 40 * MINUTE_MS,
      name: 'engagement',
      engaged_ms: 40 * MINUTE_MS,
      interactive: false,
    });
    expect(visits.assign(read, read.time)).toMatchObject({ visit_started: 0, visit_ms: 40 * MINUTE_MS });
    const late = makeEvent({
      visitor: 'r',
      time: at + 80 * MINUTE_MS,
      name: 'engagement',
      engaged_ms: 1000,
      interactive: false,
    });
    expect(visits.assign(late, late.time)).toBeUndefined();
  });

  test('accepts a late event in its middle, without growing shorter or longer', () => {
    const visits = openVisits(store);
    visits.assign(makeEvent({ visitor: 'l', time: at }), at);
    visits.assign(makeEvent({ visitor: 'l', time: at + 10 * MINUTE_MS }), at + 10 * MINUTE_MS);
    const late = makeEvent({ visitor: 'l', time: at + 5 * MINUTE_MS });
    expect(visits.assign(late, at + 11 * MINUTE_MS)).toMatchObject({ visit_started: 0, visit_ms: 0, bounces: 0 });
  });

  test('records what each view of a page had reached before, until it has more pages than are remembered', () => {
    const visits = openVisits(store);
    let time = at;
    const assign = (name: string, page: string, more: Partial<Event> = {}) => {
      time += 1000;
      const assigned = visits.assign(makeEvent({ visitor: 'p', time, name, page, interactive: false, ...more }), time);
      return [assigned?.scroll_before, assigned?.engaged_before_ms, assigned?.out_of_order];
    };
    const read = (scroll: number) => assign('engagement', '/a', { scroll, engaged_ms: 500 });
    expect(assign('pageview', '/a', { scroll: 90 })).toEqual([0, 0, 0]);
    expect([read(40), assign('pageview', '/b'), read(20), read(60)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [40, 500, 0],
      [40, 1000, 0],
    ]);
    expect([assign('pageview', '/a'), read(10)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    for (let page = 3; page <= 30; page += 1) assign('pageview', `/${page}`);
    expect(read(5)).toEqual([10, 500, 0]);
    expect(assign('pageview', '/one-too-many')).toEqual([0, 0, 1]);
    expect(read(70)).toEqual([0, 0, 1]);
  });

  test('has the same id however often its first event is delivered, and another one on another day', () => {
    const event = makeEvent({ visitor: 's', time: at, id: 'same' });
    const idOf = (given: Event) => openVisits(store).assign(given, at)?.visit_id;
    expect(idOf(event)).toBe(idOf(event));
    expect(idOf(event)).not.toBe(idOf({ ...event, time: at + DAY_MS }));
  });
});

describe('visits beyond what memory may hold', () => {
  const at = Date.UTC(2026, 10, 24, 10);
  const long = (n: number) => ({ utm_campaign: `${n}${'x'.repeat(200)}`, page: `/${n}${'p'.repeat(700)}` });
  const views = (site_id: SiteId) =>
    Array.from({ length: 60 }, (_, n) => makeEvent({ site_id, visitor: `m${n}`, time: at + n * 1000, ...long(n) }));
  /** The visitors whose next event continues their visit. */
  const going = (visits: Visits, site_id: SiteId) =>
    views(site_id).flatMap(({ visitor_id, page }, n) => {
      const leaves = { ...makeEvent({ site_id, time: at + MINUTE_MS, name: 'engagement', page }), visitor_id };
      return visits.assign(leaves, at + MINUTE_MS) ? n : [];
    });

  test('are forgotten, least recently used first', () => {
    const visits = openVisits(store, 60_000);
    for (const view of views('site_held' as SiteId)) visits.assign(view, view.time);
    const kept = going(visits, 'site_held' as SiteId);
    expect(kept.length).toBeGreaterThan(15);
    expect(kept.length).toBeLessThan(30);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 60 - kept.length + n));
  });

  test('are not all read back at the start: only the latest, as many as fit', async () => {
    const site = 'site_read_back' as SiteId;
    const all = openVisits(store);
    const rows = views(site).flatMap((view) => all.assign(view, view.time) ?? []);
    await store.insert({ events: rows, ai_visits: [] }, 'read-back');
    const read: number[] = [];
    const counting: Pick<EventStore, 'query' | 'idsAQuery'> = {
      idsAQuery: store.idsAQuery,
      query: async <Row>(sql: string, bound: Bound) => {
        const answer = await store.query<Row>(sql, bound);
        read.push(answer.length);
        return answer;
      },
    };
    const visits = openVisits(counting, 60_000);
    await visits.restore(at + MINUTE_MS);
    const kept = going(visits, site);
    expect(kept.length).toBeGreaterThan(15);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 60 - kept.length + n));
    expect(read).toEqual([kept.length]);
  });
});
