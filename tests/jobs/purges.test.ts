/** @module-tag fault */
/** @module-tag long */
/** @module-tag promise */
// Purges: what a filter shows leaves every number at once, comes back unchanged, or is gone from every store after 30 days.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Event, OrderId, Recorded, SiteId } from '../../server/vocabulary/event.ts';
import type { Site } from '../../server/sites/sites.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { knownIds } from '../../server/store/existing-events.ts';
import type { EventStore } from '../../server/store/open.ts';
import { openPurged } from '../../server/store/purged.ts';
import { ALL_TABLES, PURGED_TABLES } from '../../server/store/rows.ts';
import {
  breakdownQuestion,
  errorsQuestion,
  summaryQuestion,
  timeseriesQuestion,
  vitalsQuestion,
} from '../../server/stats/query.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { PURGE_KEPT_DAYS } from '../../server/vocabulary/settings/purges.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { makeAiVisit, makeError, makeEvent, makeVitals } from '../setup/event.ts';
import { formsOf, showsKept, showsSurvived } from '../setup/run/harness.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';

type Filter = { dimension: string; operator: string; values: string[] };
type Shown = { id: string; name: string; counts: Record<string, number>; is_moving: boolean; undo_until: string };

const is = (dimension: string, ...values: string[]): Filter => ({ dimension, operator: 'is', values });
const METRICS: Metric[] = ['orders', 'revenue'];
const SPAM = [is('source', 'spam.example')];

async function openPlace(form: 'embedded' | 'servers') {
  const stack = new AsyncDisposableStack();
  const stores = form === 'servers' && {
    DATABASE_URL: stack.use(await startPostgres()).url,
    REDIS_URL: stack.use(await startRedis()).url,
    CLICKHOUSE_URL: stack.use(await startClickHouse()).url,
  };
  const server = stack.use(await testApp({ env: { LOG_LEVEL: 'silent', ...stores } }));
  return { server, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

let serial = 0;

/** A site with an owner, who calls procedures. */
async function openSite(server: TestApp) {
  serial += 1;
  const site = await server.addSite(`purge${serial}.example`);
  const cookie = await server.logIn(`owner@${site.domain}`, PASSWORD);
  const call = async <Data>(name: string, input: object = {}): Promise<Data> => {
    const [body, headers] = [
      JSON.stringify(stringify({ site_id: site.id, ...input })),
      { cookie, origin: server.url, 'content-type': 'application/json' },
    ];
    const isQuery = ['list', 'preview'].includes(name);
    const path = `${server.url}/trpc/purges.${name}`;
    const answer = await (isQuery
      ? fetch(`${path}?input=${encodeURIComponent(body)}`, { headers })
      : fetch(path, { method: 'POST', headers, body }));
    const said = (await answer.json()) as { result?: { data: string } };
    if (!answer.ok) throw new Error(JSON.stringify(said));
    return parse(said.result?.data ?? '') as Data;
  };
  return { site, call };
}

const serverEvent = (given: Partial<Event>) => makeEvent({ ...given, visitor: '', confirmed: true });

/** Five visits of yesterday and today, of which two came from spam.example, and an event of a server. */
function trafficOf(siteId: SiteId, now: number): Recorded[] {
  const of = (given: Parameters<typeof makeEvent>[0]) => makeEvent({ site_id: siteId, ...given });
  const spam = { source: 'spam.example', channel: 'Referral' };
  const yesterday = now - DAY_MS;
  return [
    of({ visitor: `a${serial}`, time: yesterday, page: '/' }),
    of({ visitor: `a${serial}`, time: yesterday + MINUTE_MS, page: '/pricing' }),
    of({ visitor: `b${serial}`, time: yesterday, page: '/casino', ...spam }),
    of({ visitor: `b${serial}`, time: yesterday + MINUTE_MS, page: '/pricing', ...spam }),
    of({ visitor: `b${serial}`, time: yesterday + 2 * MINUTE_MS, name: 'signup', page: '/pricing', ...spam }),
    of({ visitor: `c${serial}`, time: now - 2 * HOUR_MS, page: '/', source: 'Google', channel: 'Organic Search' }),
    of({ visitor: `d${serial}`, time: now - 2 * MINUTE_MS, page: '/casino', country: 'FR', ...spam }),
    of({ visitor: `e${serial}`, time: now - MINUTE_MS, page: '/pricing' }),
    makeVitals({ site_id: siteId, visitor: `b${serial}`, time: yesterday + 90_000, page: '/pricing', lcp: 9000 }),
    makeVitals({ site_id: siteId, visitor: `e${serial}`, time: now - MINUTE_MS + 1000, page: '/pricing' }),
    makeError({ site_id: siteId, visitor: `b${serial}`, time: yesterday + 90_000, page: '/pricing', occurrences: 7 }),
    makeError({ site_id: siteId, visitor: `e${serial}`, time: now - MINUTE_MS + 1000, page: '/pricing' }),
    serverEvent({ site_id: siteId, time: now - HOUR_MS, name: 'renewal' }),
    makeAiVisit({ site_id: siteId, time: now - HOUR_MS, ai_page: '/pricing', ai_agent: 'GPTBot' }),
    makeAiVisit({ site_id: siteId, time: now - HOUR_MS, ai_page: '/', ai_agent: 'ClaudeBot' }),
  ];
}

const PERIOD = { period: 'custom', date_from: '2026-11-14', date_to: '2026-11-20' } as const;

/** Numbers of every kind that a dashboard shows. */
async function numbersOf({ app, clock }: TestApp, site: Site) {
  const asked = { site_id: site.id, ...PERIOD };
  const { stats, windows } = app.services;
  const list = async (dimension: string, metric: string) => {
    const question = breakdownQuestion.parse({ ...asked, dimension, metrics: [metric] });
    const { rows } = await stats.breakdown(question, site, clock.now);
    return Object.fromEntries(rows.map(({ name, values }) => [name, Object.values(values)[0]]));
  };
  const { metrics } = await stats.summary(summaryQuestion.parse(asked), site, clock.now);
  const values = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  const { points } = await stats.timeseries(
    timeseriesQuestion.parse({ ...asked, metric: 'pageviews' }),
    site,
    clock.now,
  );
  return {
    values,
    views: points.map(({ value }) => value),
    pages: await list('page', 'pageviews'),
    sources: await list('source', 'visits'),
    events: await list('event', 'events'),
    agents: await list('ai_agent', 'ai_visits'),
    countries: await list('country', 'unique_visitors'),
    errors: (await stats.errors(errorsQuestion.parse(asked), site, clock.now)).totals,
    speed: (await stats.vitals(vitalsQuestion.parse(asked), site, clock.now)).totals.lcp,
    live: await windows.snapshot(site.id, clock.now),
  };
}

const rowsIn = async (store: EventStore, table: string, siteId: string) => {
  const [row] = await store.query<{ n: string }>(
    `SELECT toString(count()) AS n FROM ${table} WHERE site_id = {id:String}`,
    {
      id: siteId,
    },
  );
  return Number(row?.n);
};

describe.each(formsOf(['embedded', 'servers'] as const))('with %s stores', (form) => {
  let place: Awaited<ReturnType<typeof openPlace>>;
  let server: TestApp;
  let site: Site;
  let call: Awaited<ReturnType<typeof openSite>>['call'];
  const record = async (entries: Recorded[]) => {
    await server.app.collector.record(entries, server.clock.now);
    await server.settle();
    for (const entry of entries)
      if (entry.kind === 'event' && entry.time > server.clock.now - 30 * MINUTE_MS)
        await server.app.services.windows.record(entry);
  };
  const numbers = () => numbersOf(server, site);
  const orders = async (filters: Filter[] = []) => {
    const asked = { site_id: site.id, ...PERIOD, date_to: '2026-11-22', currency: 'EUR', filters };
    const question = { ...summaryQuestion.parse(asked), metrics: METRICS };
    return (await server.app.services.stats.totals(question, site, server.clock.now)).values;
  };
  const purge = (filters: Filter[], name = 'Spam') => call<Shown>('create', { ...PERIOD, filters, name });

  beforeAll(async () => {
    place = await openPlace(form);
    server = place.server;
  });
  afterAll(() => place[Symbol.asyncDispose]());
  beforeEach(async () => {
    server.clock.now = Date.UTC(2026, 10, 20, 12);
    ({ site, call } = await openSite(server));
    await record(trafficOf(site.id, server.clock.now));
  });

  test('whole visits leave every number at once, and come back unchanged', async () => {
    const before = await numbers();
    expect(before.values).toMatchObject({ unique_visitors: 5, visits: 5, pageviews: 7, events: 2 });
    expect(before.live.current_visitors).toBe(2);
    expect(await call('preview', { ...PERIOD, filters: SPAM })).toEqual({
      visits: 2,
      pageviews: 3,
      events: 1,
      ai_visits: 0,
    });

    const made = await purge(SPAM);
    expect(made).toMatchObject({
      name: 'Spam',
      is_moving: false,
      undo_until: '2026-12-20T12:00:00.000Z',
      counts: { visits: 2, pageviews: 3, events: 1, ai_visits: 0 },
    });
    const after = await numbers();
    expect(after.values).toMatchObject({ unique_visitors: 3, visits: 3, pageviews: 4, events: 1 });
    expect(after.views.slice(-2)).toEqual([2, 2]);
    expect(after.pages).toEqual({ '/': 2, '/pricing': 2 });
    expect(after.sources).toEqual({ Google: 1, '': 2 });
    expect(after.events).toEqual({ renewal: 1 });
    expect(after.countries).toEqual({ DE: 3 });
    expect(after.agents).toEqual(before.agents);
    expect([before.speed.views, before.speed.poor, after.speed.views, after.speed.poor]).toEqual([2, 50, 1, 0]);
    expect(after.live).toMatchObject({ current_visitors: 1, pages: [{ page: '/pricing', visitors: 1 }] });
    expect(after.live.minutes.slice(-3)).toEqual([0, 1, 0]);
    expect(await call('list')).toEqual([made]);

    await call('undo', { id: made.id });
    const { live: _, ...returned } = await numbers();
    const { live: __, ...stored } = before;
    expect(returned).toEqual(stored);
    expect(await call('list')).toEqual([]);
    await server.app.runJob('finish-purges');
    for (const table of Object.values(PURGED_TABLES)) expect(await rowsIn(server.app.store, table, site.id)).toBe(0);
    expect((await numbers()).values).toEqual(before.values);
    await expect(call('undo', { id: made.id })).rejects.toThrow('There is no such purge');

    // The same rows once more: they must not be taken for a repeated insert.
    const again = await purge(SPAM);
    expect((await numbers()).values).toEqual(after.values);
    await call('undo', { id: again.id });
    expect((await numbers()).values).toEqual(before.values);
  });

  test('an order that is reported twice counts once after an undo, and the quota counts what was purged', async () => {
    const { stats } = server.app.services;
    const paid = {
      site_id: site.id,
      name: 'order',
      amount: '20',
      currency: 'EUR',
      order_id: '00000000000000aa' as OrderId,
    };
    const time = server.clock.now - HOUR_MS;
    await record([
      makeEvent({ ...paid, time, visitor: `o${serial}`, source: 'spam.example', channel: 'Referral' }),
      serverEvent({ ...paid, time: time + 1000 }),
    ]);
    const range = { from: server.clock.now - 7 * DAY_MS, to: server.clock.now + 1 };
    const recorded = async () => [
      await stats.countEvents([site.id], range),
      (await stats.countEventsBySite(range)).get(site.id),
    ];
    const [before, counted] = [await orders(), await recorded()];
    expect(before).toEqual({ orders: 1, revenue: 20 });
    expect(counted).toEqual([11, 11]);
    const made = await purge(SPAM);
    expect(await orders()).toEqual({ orders: 0, revenue: 0 }); // the order belongs to the visit that was taken
    expect(await recorded()).toEqual(counted);
    await call('undo', { id: made.id });
    await server.app.runJob('finish-purges');
    expect(await orders()).toEqual(before);
    expect(await recorded()).toEqual(counted);
  });

  test('an alert tells a conversion after a purge, and no old one after an undo', async () => {
    const { directory, mail } = server.app.services;
    const { now } = server.clock;
    const siteId = site.id;
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, now);
    const content = alertContent.parse({
      kind: 'goal',
      goal_id: goal.id,
      timezone: 'UTC',
      emails: ['ada@example.com'],
    });
    await createAlert(directory, { siteId, accountId: site.account_id, content, mail }, now - DAY_MS - HOUR_MS);
    let visitors = 0;
    const signUp = () =>
      record([
        makeEvent({
          site_id: siteId,
          visitor: `s${serial}-${(visitors += 1)}`,
          time: server.clock.now,
          name: 'signup',
        }),
      ]);
    /** How often each incident says that the goal was reached, the latest first. */
    const told = async () => {
      server.clock.now += MINUTE_MS;
      await server.app.runJob('count-alerts');
      return (await listIncidents(directory, { siteId, isLimited: false })).map(({ facts }) => facts.count);
    };
    expect(await told()).toEqual([1]);
    const made = await purge(SPAM);
    expect(await told()).toEqual([1]);
    await signUp();
    expect(await told()).toEqual([1, 1]);
    await call('undo', { id: made.id });
    expect(await told()).toEqual([1, 1]);
    await signUp();
    await server.app.runJob('finish-purges');
    expect(await told()).toEqual([1, 1, 1]);
  });

  test.each([
    ['on the same day, for its visit', HOUR_MS, { revenue: 20, spam: 20 }],
    ['on a later day, as the server says', 2 * DAY_MS, { revenue: 25, spam: 0 }],
  ])('an order that is reported again while it is purged counts once after an undo: %s', async (_, later, of) => {
    const paid = { site_id: site.id, name: 'order', currency: 'EUR', order_id: '00000000000000ab' as OrderId };
    const spam = { source: 'spam.example', channel: 'Referral' };
    const visit = { ...paid, ...spam, amount: '20', visitor: `o${serial}`, time: server.clock.now - 2 * HOUR_MS };
    await record([makeEvent(visit)]);
    const made = await purge(SPAM);
    server.clock.now += later;
    await record([serverEvent({ ...paid, amount: String(of.revenue), time: server.clock.now - HOUR_MS })]);
    expect(await orders()).toEqual({ orders: 1, revenue: of.revenue });
    await call('undo', { id: made.id });
    expect([await orders(), (await orders(SPAM))['revenue']]).toEqual([{ orders: 1, revenue: of.revenue }, of.spam]);
    await server.app.runJob('finish-purges'); // puts it back once more
    expect([await orders(), (await orders(SPAM))['revenue']]).toEqual([{ orders: 1, revenue: of.revenue }, of.spam]);
  });

  test('a filter by page takes the visits with that page, and all of their rows', async () => {
    await purge([is('page', '/casino')]);
    expect((await numbers()).pages).toEqual({ '/': 2, '/pricing': 2 });
    await purge([{ dimension: 'page', operator: 'is_not', values: ['/'] }, is('event', 'renewal')], 'Renewals').catch(
      () => undefined,
    );
    expect(await purge([is('event', 'renewal')], 'Renewals')).toMatchObject({ counts: { visits: 0, events: 1 } });
    expect((await numbers()).events).toEqual({});
  });

  test('AI visits are taken by filters on AI visits', async () => {
    const before = await numbers();
    const made = await purge([is('ai_agent', 'GPTBot')], 'GPTBot');
    expect(made.counts).toEqual({ visits: 0, pageviews: 0, events: 0, ai_visits: 1 });
    const after = await numbers();
    expect(after.agents).toEqual({ ClaudeBot: 1 });
    expect(after.values).toEqual(before.values);
    await call('undo', { id: made.id });
    expect((await numbers()).agents).toEqual(before.agents);
  });

  test('what is stored of a purged visit later is taken too, within a minute', async () => {
    await purge(SPAM);
    const after = await numbers();
    const { now } = server.clock;
    const next = { time: now + MINUTE_MS, page: '/more', source: 'spam.example', channel: 'Referral', country: 'FR' };
    await record([makeEvent({ site_id: site.id, visitor: `d${serial}`, ...next })]);
    server.clock.now += 2 * MINUTE_MS;
    await server.app.runJob('finish-purges');
    expect((await numbers()).values).toEqual(after.values);
    const [{ id = '', counts = {} } = {}] = await call<Shown[]>('list');
    expect(counts).toMatchObject({ visits: 2, pageviews: 4 });
    await call('undo', { id });
    expect((await numbers()).values).toMatchObject({ visits: 5, pageviews: 8 });
  });

  test('days that are summed: also one of which nothing is left', async () => {
    const sum = () => server.app.services.stats && server.app.runJob('sum-days');
    const visitors = Array.from({ length: 1200 }, (_, index) => `${serial}v${index}`);
    const day = Date.UTC(2026, 10, 17, 10);
    await record(
      visitors.map((visitor, index) =>
        makeEvent({ site_id: site.id, visitor, time: day + index, source: index < 1190 ? 'spam.example' : '' }),
      ),
    );
    const wholly = Date.UTC(2026, 10, 16, 10);
    await record(
      visitors.map((visitor, index) =>
        makeEvent({ site_id: site.id, visitor, time: wholly + index, source: 'spam.example' }),
      ),
    );
    await sum();
    expect(await rowsIn(server.app.store, 'summed_days', site.id)).toBe(2);
    const before = await numbers();
    expect(before.values).toMatchObject({ visits: 2405, pageviews: 2407 });

    const made = await purge(SPAM);
    const after = await numbers();
    expect(after.values).toMatchObject({ visits: 13, pageviews: 14 });
    expect(after.views).toEqual([0, 0, 0, 10, 0, 2, 2]);
    await sum();
    expect((await numbers()).values).toEqual(after.values);
    await call('undo', { id: made.id });
    expect((await numbers()).values).toEqual(before.values);
    await sum();
    expect((await numbers()).values).toEqual(before.values);
  });

  test(`after ${PURGE_KEPT_DAYS} days the rows are gone from every table, and nothing can bring them back`, async () => {
    showsKept('purged visits leave every table after 30 days');
    const made = await purge(SPAM);
    const counted = await rowsIn(server.app.store, 'events', site.id);
    server.clock.now += PURGE_KEPT_DAYS * DAY_MS - 1;
    await server.app.runJob('finish-purges');
    expect(await rowsIn(server.app.store, PURGED_TABLES.events, site.id)).toBe(4);
    server.clock.now += 1;
    await server.app.runJob('finish-purges');
    expect(await rowsIn(server.app.store, PURGED_TABLES.events, site.id)).toBe(0);
    expect(await rowsIn(server.app.store, 'events', site.id)).toBe(counted);
    expect(await call('list')).toEqual([]);
    await expect(call('undo', { id: made.id })).rejects.toThrow('There is no such purge');
    const masked = await server.app.store.query(
      `SELECT DISTINCT table FROM system.parts WHERE database = currentDatabase() AND active AND has_lightweight_delete
        AND table IN {tables:Array(String)}`,
      { tables: ALL_TABLES },
    );
    expect(masked).toEqual([]);
  });

  test('a batch that is delivered again is not stored again', async () => {
    const [event] = trafficOf(site.id, server.clock.now).filter(
      (one): one is Event => one.kind === 'event' && one.source === 'spam.example',
    );
    const [first] = await server.app.store.query<{ id: string; time: string }>(
      `SELECT lower(leftPad(hex(event_id), 16, '0')) AS id, toString(toUnixTimestamp64Milli(time)) AS time
        FROM events WHERE site_id = {id:String} AND source = 'spam.example' ORDER BY time LIMIT 1`,
      { id: site.id },
    );
    await purge(SPAM);
    const stored = { ...event, event_id: first?.id, time: Number(first?.time) } as Event;
    expect(await knownIds(server.app.store, [stored])).toEqual(new Set([first?.id]));
  });

  test('purges are refused with a sentence', async () => {
    await expect(purge([])).rejects.toThrow('filters: must not be empty: a purge takes what filters show.');
    await expect(purge([is('source', 'nobody')])).rejects.toThrow('No visits match these filters in this period.');
    await expect(purge([is('source', 'spam.example'), is('ai_agent', 'GPTBot')])).rejects.toThrow(
      'filters: ai_agent can be combined only with metrics of AI visits.',
    );
    await expect(purge(SPAM, ' ')).rejects.toThrow('The name must have 1 to 100 characters');
    expect(await call('list')).toEqual([]);
    expect((await numbers()).values).toMatchObject({ visits: 5 });
  });

  test('two purges of a site do not run at once', async () => {
    const made = await Promise.allSettled([purge(SPAM), purge([is('country', 'FR')], 'France')]);
    const refused = made.flatMap((one) => (one.status === 'rejected' ? String(one.reason) : []));
    expect(refused).toEqual([expect.stringContaining('Another purge of this site is under way')]);
  });

  test.each([
    ['all days at once', {}],
    ['one day after another', { rowsAtOnce: 1 }],
  ])('a kill after any statement loses and doubles nothing: %s', async (_, sizes) => {
    const { store } = server.app;
    const before = await numbers();
    const of = { site_id: site.id, purge: `purge_KILL${form}` };
    const where = "site_id = {site_id:String} AND source = 'spam.example'";
    let left = Infinity;
    const killed = openPurged({
      change: async (sql, bound) => {
        if (left <= 0) throw new Error('killed');
        left -= 1;
        await store.derive({ sql, bound });
      },
      ask: (sql, bound) => store.query(sql, bound),
      ...sizes,
    });
    /** Runs a step that is killed after each of its statements in turn, and once to its end. Returns how often it was killed. */
    const killAtEach = async (step: () => Promise<unknown>) => {
      for (let kills = 0; ; kills += 1) {
        left = kills;
        const isDone = await step().then(
          () => true,
          () => false,
        );
        if (isDone) return kills;
      }
    };
    const fresh = async () => {
      server.app.services.versionOf(site.id);
      await server.app.runJob('sum-days');
      return (await numbers()).values;
    };
    left = Infinity;
    await killed.choose({ ...of, table: 'events', where, bound: {} });
    expect(await killAtEach(() => killed.takeOut(of))).toBeGreaterThan(0);
    expect(await rowsIn(store, 'events', site.id)).toBe(5);
    expect(await killed.counts(of)).toMatchObject({ visits: 2, pageviews: 3, events: 1 });
    expect(await killAtEach(() => killed.putBack(of))).toBeGreaterThan(0);
    left = Infinity;
    await killed.putBack(of); // a second time
    expect(await rowsIn(store, 'events', site.id)).toBe(9);
    expect(await killAtEach(() => killed.erase(of))).toBeGreaterThan(2);
    for (const table of Object.values(PURGED_TABLES)) expect(await rowsIn(store, table, site.id)).toBe(0);
    expect(await fresh()).toEqual(before.values);
    showsSurvived('kill of a purge after any statement');
  });

  test('a process that was killed in the middle leaves its purge to the job', async () => {
    const { db } = server.app.services.directory;
    const before = await numbers();
    const made = await purge(SPAM);
    const after = await numbers();
    // Killed before it had taken anything, or after: the job ends it either way.
    for (const [state, values] of [
      ['taking', after.values],
      ['returning', before.values],
    ] as const) {
      await db.updateTable('purges').set({ state, claimed_until: null }).where('id', '=', made.id).execute();
      await server.app.runJob('finish-purges');
      expect((await numbers()).values, state).toEqual(values);
    }
    await server.app.runJob('finish-purges'); // drops what was put back
    const chosen = await purge(SPAM);
    await call('undo', { id: chosen.id });
    await db
      .updateTable('purges')
      .set({ state: 'choosing', claimed_until: null })
      .where('id', '=', chosen.id)
      .execute();
    await server.app.runJob('finish-purges');
    expect((await numbers()).values).toEqual(before.values);
    expect(await db.selectFrom('purges').select('id').where('id', '=', chosen.id).execute()).toEqual([]);
    for (const table of Object.values(PURGED_TABLES)) expect(await rowsIn(server.app.store, table, site.id)).toBe(0);
  });
});
