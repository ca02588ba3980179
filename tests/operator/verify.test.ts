/** @module-tag fault */
// Tests `manage verify`: stores that agree, and one difference of each kind.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOperation } from '../../server/operator/operations.ts';
import { CHECKS, type Verified } from '../../server/operator/verify.ts';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import type { Event, OrderId, SiteId, VisitorId } from '../../server/vocabulary/event.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { siteById } from '../../server/sites/sites.ts';
import { breakdownQuestion } from '../../server/stats/query.ts';
import { NOTHING_PURGED } from '../../server/vocabulary/settings/purges.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { hexId, makeEvent } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';

async function verify({ app, clock }: TestApp): Promise<Verified> {
  const run = { now: clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  return (await runOperation('verify', app, {}, run)) as Verified;
}

const DAY_BEFORE = Date.UTC(2026, 10, 18, 9);

/** Does to a server what `verify` must find, by check. Returns what it must say. */
const FAULTS: Record<(typeof CHECKS)[number], (server: TestApp, site: { id: SiteId }) => Promise<string>> = {
  doubled: async ({ app }, { id }) => {
    await app.store.derive({
      sql: 'INSERT INTO events SELECT * FROM events WHERE page = {page:String}',
      bound: { page: '/7' },
    });
    return `events: 1 stored twice, site ${id}, 2026-11-18`;
  },
  missing: async ({ app, clock }, { id }) => {
    await app.runJob('sum-days');
    // What was purged is not missing, neither while it is kept nor after it was put back.
    const rows = {
      table: 'events' as const,
      where: "site_id = {site:String} AND page = '/1'",
      bound: { site: id },
      counts: NOTHING_PURGED,
    };
    const range = { from: DAY_BEFORE, to: DAY_BEFORE + DAY_MS };
    const purge = await app.services.purging.purge({
      siteId: id,
      name: 'Own',
      definition: {},
      rows: { ...rows, range },
    });
    expect((await verify({ app, clock } as TestApp)).differences).toEqual([]);
    await app.services.purging.undo({ siteId: id, id: purge.id });
    expect((await verify({ app, clock } as TestApp)).differences).toEqual([]);
    await app.store.derive({
      sql: 'DELETE FROM events WHERE page IN {pages:Array(String)}',
      bound: { pages: ['/7', '/8', '/9'] },
    });
    return `events: 3 of 1,000 are missing, site ${id}, 2026-11-18`;
  },
  sums: async ({ app, clock }, { id }) => {
    await app.runJob('sum-days');
    expect((await verify({ app, clock } as TestApp)).differences).toEqual([]);
    const wrong = `INSERT INTO day_sums (site_id, dimension, day, summing, pageviews)
      SELECT site_id, dimension, day, summing, 5 FROM day_sums WHERE dimension = ''`;
    await app.store.derive({ sql: wrong, bound: {} });
    return `sums: visitors, visits and page views are (1,1,1005), but (1,1,1000) in the events, site ${id}, 2026-11-18`;
  },
  visits: async ({ app, clock }, { id }) => {
    await app.runJob('sum-days');
    expect((await verify({ app, clock } as TestApp)).differences).toEqual([]);
    const damage =
      'ALTER TABLE day_visits UPDATE pageviews = 7, bounces = 1 WHERE visits = 1 SETTINGS mutations_sync = 1';
    await app.store.derive({ sql: damage, bound: {} });
    const called = 'visitors, visits, page views, events, bounces, milliseconds, rows seen, payments and amounts';
    return `visits: ${called} are (1,1,7,0,1,999,1000,0,0), but (1,1,1000,0,0,999,1000,0,0) in the events, site ${id}, 2026-11-18`;
  },
  goals: async ({ app, clock }, { id }) => {
    const { directory, stats } = app.services;
    await app.runJob('sum-days');
    for (const page of ['/7', '/8'])
      await goals.create(directory, { siteId: id, name: page, definition: { kind: 'page', page } }, clock.now);
    const list = { site_id: id, period: '7d', dimension: 'goal', metrics: ['conversions'] };
    const site = await siteById(directory, id);
    if (!site) throw new Error('The site is gone.');
    await stats.breakdown(breakdownQuestion.parse(list), site, clock.now); // has them counted: each and both together
    const counted = () => app.store.query('SELECT goal FROM day_goals', {});
    await eventually(async () => expect(await counted()).toHaveLength(3));
    expect((await verify({ app, clock } as TestApp)).differences).toEqual([]);
    // The counts of both goals together have two conversions.
    const wrong = `INSERT INTO day_goals (site_id, day, summing, goal, conversions, converted_visitors, paid)
      SELECT site_id, day, summing, goal, 1, converted_visitors, 2.5 FROM day_goals WHERE conversions = 2`;
    await app.store.derive({ sql: wrong, bound: {} });
    return `goals: the counts of all goals are (0,1,1,0,0,0,2.5,0,0), but (0,2,1,0,0,0,0,0,0) in the events, site ${id}, 2026-11-18`;
  },
  queue: async ({ app, clock }, { id }) => {
    await app.queue.bury(
      [makeEvent({ id: '7', site_id: id, time: DAY_BEFORE + 7 })],
      'set aside by mistake',
      clock.now,
    );
    return `queue: 1 is stored already, site ${id}`;
  },
  sites: async ({ app, clock, settle }) => {
    await app.collector.record([makeEvent({ site_id: 'site_NOBODY' as SiteId, time: clock.now })], clock.now);
    await settle();
    return 'events: the directory has no site site_NOBODY';
  },
  references: async ({ folder, addSite }) => {
    await addSite('other.example');
    using file = new DatabaseSync(join(folder, DIRECTORY_FILE), { enableForeignKeyConstraints: false });
    file.exec("DELETE FROM accounts WHERE id = (SELECT account_id FROM sites WHERE domain = 'other.example')");
    return 'directory: a row of sites refers to a row of accounts that is missing';
  },
};

test.each(CHECKS)('what differs is found: %s', async (check) => {
  await using server = await testApp({ now: DAY_BEFORE + 2 * DAY_MS });
  const site = await server.addSite('own.example');
  const day = dayOf(DAY_BEFORE);
  const events = Array.from({ length: 1_000 }, (_, id) =>
    makeEvent({ id: String(id), site_id: site.id, page: `/${id}`, time: DAY_BEFORE + id, day }),
  );
  await server.app.collector.record(events, DAY_BEFORE + HOUR_MS);
  await server.settle();
  await server.app.collector.record([makeEvent({ site_id: site.id, time: server.clock.now })], server.clock.now);
  expect(await verify(server)).toEqual({ differences: [], months: 1, events: 1_000, waiting: 1 });
  const text = await FAULTS[check](server, site);
  expect((await verify(server)).differences).toContainEqual({ check, text });
});

test('the visits of a day with orders that replace each other agree with its events', async () => {
  await using server = await testApp({ now: DAY_BEFORE + 2 * DAY_MS });
  const { id: site_id } = await server.addSite('shop.example');
  const day = dayOf(DAY_BEFORE);
  const views = Array.from({ length: 1_000 }, (_, id) =>
    makeEvent({ id: String(id), site_id, visitor: String(id % 100), time: DAY_BEFORE + id, day }),
  );
  // The second report of an order replaces the first. The server's report has neither a visitor nor a visit.
  const order = (name: string, more: Partial<Event>) =>
    makeEvent({
      id: name,
      visitor: '7',
      name: 'purchase',
      currency: 'EUR',
      amount: '12.5',
      ...more,
      site_id,
      day,
    });
  const orders = [
    order('one', { order_id: hexId(1) as OrderId, time: DAY_BEFORE + 2_000 }),
    order('again', { order_id: hexId(1) as OrderId, time: DAY_BEFORE + 3_000 }),
    order('server', {
      order_id: hexId(1) as OrderId,
      confirmed: true,
      visitor_id: '' as VisitorId,
      amount: '13',
      time: DAY_BEFORE + 4_000,
    }),
    order('other', { time: DAY_BEFORE + 5_000 }),
    order('dollars', { currency: 'USD', amount: '-2.25', name: 'refund', time: DAY_BEFORE + 6_000 }),
  ];
  await server.app.collector.record([...views, ...orders], DAY_BEFORE + HOUR_MS);
  await server.settle();
  await server.app.runJob('sum-days');
  expect(await server.app.store.query('SELECT DISTINCT event_id FROM superseded', {})).toHaveLength(2);
  const [sums] = await server.app.store.query(
    `SELECT toUInt32(sum(events)) AS events, toUInt32(sum(length(paid.amount))) AS paid, toFloat64(sum(arraySum(paid.amount))) AS amount
      FROM day_visits`,
    {},
  );
  expect(sums).toEqual({ events: 3, paid: 3, amount: 23.25 });
  expect((await verify(server)).differences).toEqual([]);
});
