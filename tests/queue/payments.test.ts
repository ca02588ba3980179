/** @module-tag fault */
// Orders: each counts once, a server's report overrides a browser's, and a server's report belongs to the visit of the same day. Checked
// against a slow count over random reports, written in batches by a writer that dies again and again.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import type { Event, OrderId, SiteId } from '../../server/vocabulary/event.ts';
import { openLog } from '../../server/process/log.ts';
import { openLease } from '../../server/queue/lease.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter, type Writer } from '../../server/queue/writer/writer.ts';
import { openStats } from '../../server/stats/run.ts';
import { type EventStore, openStore } from '../../server/store/open.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS, dayOf, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { EURO_SHOP, hexId, makeEvent } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { formsOf } from '../setup/run/harness.ts';
import { type TestStore, testStore } from '../setup/store.ts';

const FIRST_DAY = Date.UTC(2026, 10, 16);
const NOW = FIRST_DAY + 3 * DAY_MS;
const METRICS: Metric[] = [
  'revenue',
  'revenue_confirmed',
  'orders',
  'average_order',
  'refunds',
  'events',
  'unique_visitors',
];

const payment = (given: Partial<Event> & { visitor: string }) =>
  makeEvent({ name: 'purchase', currency: 'EUR', amount: '10', ...given });
/** Servers know neither a visitor nor where the visitor is. */
const NOBODY = {
  visitor: '',
  channel: '',
  country: '',
  region: '',
  browser: '',
  browser_version: '',
  os: '',
  device: 'other',
  screen: '',
  language: '',
  confirmed: true,
} as const;

const byTime = (one: Event, other: Event) => one.time - other.time || (one.event_id < other.event_id ? -1 : 1);

/** Random orders: page views that have a source, claims in order of time, and servers' reports from hours before to days after. */
function drawReports(seed: number, site_id: SiteId): Event[][] {
  const random = openRandom(seed);
  let serial = seed * 100_000;
  const id = () => ({ site_id, event_id: hexId((serial += 1)) as Event['event_id'] });
  const time = (day: number, minute: number) => FIRST_DAY + day * DAY_MS + minute * MINUTE_MS;
  const views: Event[] = [];
  const claims: Event[] = [];
  const ofServers: Event[] = [];
  const refunds: Event[] = [];
  for (let order = 0; order < 60; order += 1) {
    const order_id = hexId(order + 777) as OrderId;
    const place = { country: random.pick(['DE', 'FR']), source: random.pick(['Google', 'Bing', '']) };
    const product = random.pick(['shoes', 'hats']);
    const minute = 120 + random.number(1_000);
    const amount = String(1 + random.number(50));
    const names = random.pick([
      ['purchase', 'purchase'],
      ['purchase', 'order_paid'],
    ]) as [string, string];
    for (let claim = random.number(3); claim > 0; claim -= 1) {
      const visitor = `${order}-${claim}`;
      const day = random.number(2);
      const person = { visitor, ...place, props: { product } };
      views.push(makeEvent({ ...id(), ...person, props: {}, time: time(day, minute) }));
      for (let times = 1 + random.number(2); times > 0; times -= 1)
        claims.push(
          payment({
            ...id(),
            ...person,
            order_id,
            amount,
            name: names[0],
            time: time(day, minute + 9 - times),
            ...random.pick([{}, {}, { currency: 'USD' }]),
          }),
        );
    }
    for (let report = random.number(3); report > 0; report -= 1)
      ofServers.push(
        payment({
          ...NOBODY,
          ...id(),
          order_id,
          amount: String(Number(amount) + random.number(2)),
          name: names[1],
          time: time(random.number(3), minute + random.number(60) - 30),
          ...random.pick([{}, {}, {}, { currency: 'USD' }, { currency: '', amount: '' }]),
        }),
      );
    if (random.chance(0.3))
      refunds.push(payment({ ...NOBODY, ...id(), order_id, amount: '-3', name: 'refund', time: time(2, minute + 60) }));
  }
  const people = [...views, ...claims].sort(byTime);
  // Servers' reports come in between, at random: long before or long after what they belong to.
  const mixed = ofServers.reduce((all, report) => all.toSpliced(random.number(all.length + 1), 0, report), people);
  const all = [...mixed, ...refunds];
  const batches: Event[][] = [];
  while (all.length > 0) batches.push(all.splice(0, 1 + random.number(12)));
  return batches;
}

type Row = Event & { visit: string };

/** The same orders counted the slow and obvious way: each report gets its visit and origin, and each order one payment. */
function slowCount(events: Event[]) {
  const own = (event: Event) => (event.visitor_id === '' ? '' : `${dayOf(event.time)} ${event.visitor_id}`);
  const sameMoney = (one: Event, other: Event) =>
    one.currency === '' || other.currency === '' || one.currency === other.currency;
  const claims = events.filter((event) => event.order_id !== '' && !event.confirmed).sort(byTime);
  const rows = events.map((event): Row => {
    const mine = claims.filter((one) => event.confirmed && one.order_id === event.order_id && sameMoney(one, event));
    const home = mine.find((one) => dayOf(one.time) === dayOf(event.time));
    const origin = home ?? (event.name === 'refund' ? mine[0] : undefined);
    if (!origin) return { ...event, visit: own(event) };
    const { source, country, props } = origin;
    return {
      ...event,
      source,
      country,
      props,
      visitor_id: home?.visitor_id ?? event.visitor_id,
      visit: home ? own(home) : '',
    };
  });
  const orders = Map.groupBy(
    rows.filter((row) => row.currency !== '' && Number(row.amount) > 0),
    (row) => `${row.order_id} ${row.currency}`,
  );
  const best = [...orders.values()].map((all) =>
    all.toSorted((x, y) => Number(y.confirmed) - Number(x.confirmed) || byTime(x, y)),
  );
  const counted = new Set(best.map(([first]) => first));
  const isRepeat = (row: Row) => (better: Row) =>
    better.name === row.name && (row.confirmed ? better.confirmed : better.visit === row.visit);
  const told = new Set(best.flatMap((all) => all.filter((row, at) => all.slice(0, at).some(isRepeat(row)))));
  const left = rows.filter((row) => !told.has(row));
  return (keep: (row: Row) => boolean) => {
    const mine = left.filter(keep);
    const paid = mine.filter((row) => row.currency === 'EUR' && (row.name === 'refund' || counted.has(row)));
    const payments = paid.filter((row) => row.name !== 'refund');
    const sum = (list: Row[]) => list.reduce((total, { amount }) => total + Number(amount), 0);
    return {
      revenue: sum(paid),
      revenue_confirmed: sum(paid.filter((row) => row.confirmed)),
      orders: mine.filter((row) => counted.has(row)).length,
      average_order: Number((sum(payments) / (payments.length || 1)).toPrecision(9)),
      refunds: sum(payments) - sum(paid),
      events: mine.filter((row) => row.name !== 'pageview').length,
      unique_visitors: new Set(mine.map((row) => row.visitor_id).filter(Boolean)).size,
    };
  };
}

const ELSEWHERE = 'site_elsewhere' as SiteId;
const period = {
  period: 'custom' as const,
  date_from: '2026-11-16',
  date_to: '2026-11-18',
  compare: 'none' as const,
};

/** A writer on the queue's and the store's files. `fails` makes its process die at a point of the next batch. */
type Process = { queue: Awaited<ReturnType<typeof openSqliteQueue>>; writer: Writer };

async function open(path: string, store: EventStore): Promise<Process> {
  const queue = await openSqliteQueue({ path });
  const writer = openWriter({
    queue,
    store,
    visits: openVisits(store),
    lease: openLease(),
    now: () => NOW,
    log: openLog('silent'),
    onStored: () => undefined,
  });
  return { queue, writer };
}

const DEATHS = ['none', 'before the events', 'after the events', 'after all', 'none'] as const;

async function writeAll(batches: Event[][], store: EventStore, folder: string) {
  const path = join(folder, 'queue.sqlite');
  let death: (typeof DEATHS)[number] = 'none';
  const die = (at: typeof death) => {
    if (death === at) throw new Unavailable('events', new Error('the process died here'));
  };
  const mortal: EventStore = {
    ...store,
    insert: async (rows, token) => {
      die('before the events');
      await store.insert(rows, token);
      die('after the events');
    },
    supersede: async (rows) => {
      await store.supersede(rows);
      die('after all');
    },
  };
  let process = await open(path, mortal);
  for (const [index, batch] of batches.entries()) {
    await process.queue.append(batch, NOW);
    death = DEATHS[index % DEATHS.length] ?? 'none';
    if (death === 'none') await process.writer.drain();
    else {
      await expect(process.writer.writeOnce()).rejects.toThrow(Unavailable);
      death = 'none';
      await process.queue.close();
      process = await open(path, mortal);
    }
  }
  await process.writer.drain();
  expect(await process.queue.status()).toMatchObject({ waiting: 0, buried: 0 });
  await process.queue.close();
}

async function compare(store: EventStore, events: Event[], site_id: SiteId) {
  const count = slowCount(events);
  const stats = openStats(store, () => undefined);
  const totals = async (filters: object[]) => {
    const { values } = await stats.totals(
      { ...period, site_id, filters: filters as never, metrics: METRICS },
      EURO_SHOP,
      NOW,
    );
    return { ...values, average_order: Number((values.average_order ?? 0).toPrecision(9)) };
  };
  const is = (dimension: string, value: string) => [{ dimension, operator: 'is', values: [value] }];
  expect(await totals([])).toEqual(count(() => true));
  for (const source of ['Google', 'Bing', ''])
    expect(await totals(is('source', source)), source).toEqual(count((row) => row.source === source));
  for (const country of ['DE', 'FR', ''])
    expect(await totals(is('country', country)), country).toEqual(count((row) => row.country === country));
  for (const name of ['purchase', 'order_paid', 'refund'])
    expect(await totals(is('event', name)), name).toEqual(count((row) => row.name === name));
  for (const product of ['shoes', 'hats']) {
    expect(await totals(is('prop:product', product)), product).toEqual(
      count((row) => row.props['product'] === product),
    );
  }
}

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

describe('random orders match a slow count, whenever the writer dies', () => {
  test.each(formsOf([1, 2, 3]))('in chDB: %i', async (seed) => {
    await using folder = await tempFolder();
    const site = `site_random_${seed}` as SiteId;
    const batches = drawReports(seed, site);
    await writeAll(batches, store, folder.path);
    await compare(store, batches.flat(), site);
  });

  test('in ClickHouse', async () => {
    await using folder = await tempFolder();
    await using server = await startClickHouse();
    const site = 'site_random' as SiteId;
    const batches = drawReports(4, site);
    const other = await openStore({ url: server.url, path: '' });
    try {
      await writeAll(batches, other, folder.path);
      await compare(other, batches.flat(), site);
    } finally {
      await other.close();
    }
  });
});

describe('an order', () => {
  const at = FIRST_DAY + 600 * MINUTE_MS;
  const order_id = hexId(5) as OrderId;
  let serial = 0;

  /** The totals of the batches by source: revenue, confirmed revenue, orders, refunds. */
  async function figures(...batches: Event[][]) {
    await using folder = await tempFolder();
    const { queue, writer } = await open(join(folder.path, 'queue.sqlite'), store);
    const site_id = `site_shop_${(serial += 1)}` as SiteId;
    for (const batch of batches) {
      await queue.append(
        batch.map((event) => (event.site_id === ELSEWHERE ? event : { ...event, site_id })),
        batch[0]?.time ?? NOW,
      );
      await writer.drain();
    }
    const metrics: Metric[] = ['orders', 'revenue', 'revenue_confirmed', 'refunds', 'events'];
    const { rows } = await openStats(store, () => undefined).list(
      {
        ...period,
        site_id,
        filters: [],
        dimension: 'source',
        metrics,
        page: 1,
        per_page: 10,
        order: { by: 'name', direction: 'asc' },
      },
      EURO_SHOP,
      NOW,
    );
    await queue.close();
    return Object.fromEntries(rows.map(({ name, values }) => [name, metrics.map((metric) => values[metric])]));
  }
  const claim = (given: Partial<Event> = {}) =>
    payment({ visitor: 'a', source: 'Google', order_id, time: at, ...given });
  const word = (given: Partial<Event> = {}) => payment({ ...NOBODY, order_id, time: at + MINUTE_MS, ...given });

  test('of another site or currency is no match', async () => {
    expect(await figures([claim()], [word({ site_id: ELSEWHERE })])).toEqual({ Google: [1, 10, 0, 0, 1] });
    expect(await figures([claim()], [word({ currency: 'USD' })])).toEqual({
      '': [1, 0, 0, 0, 1],
      Google: [1, 10, 0, 0, 1],
    });
  });

  test('of another day counts once, and is not tied to the visit', async () => {
    expect(await figures([claim()], [word({ time: at + DAY_MS })])).toEqual({
      '': [1, 10, 10, 0, 1],
      Google: [0, 0, 0, 0, 1],
    });
  });

  test('that the server reports first gets its source when the browser comes, in its own batch or a later one', async () => {
    const first = word({ time: at - MINUTE_MS });
    expect(await figures([first], [claim()])).toEqual({ Google: [1, 10, 10, 0, 1] });
    expect(await figures([claim(), first])).toEqual({ Google: [1, 10, 10, 0, 1] });
  });

  const ORDERS = 250;
  const DAYS = 9;
  /** What anybody can send: a hundred claims a day for each of many order numbers. */
  const flood = (flooded: EventStore, site_id: SiteId) =>
    flooded.derive({
      sql: `INSERT INTO events (site_id, time, event_id, name, visitor_id, visit_id, order_id, order_event, currency, amount)
        SELECT {site:String}, fromUnixTimestamp64Milli({from:Int64} + intDiv(number, ${ORDERS * 100}) * ${DAY_MS} + number % ${ORDERS * 100}),
          number + 1, 'purchase', 1, 1, 1 + number % ${ORDERS}, number + 1, 'EUR', 1 FROM numbers(${DAYS * ORDERS * 100})`,
      bound: { site: site_id, from: FIRST_DAY - DAYS * DAY_MS },
    });

  test.each([{}, { max_result_rows: 700 }])(
    'is settled also if strangers claim hundreds of orders a hundred times a day, and the engine gives %j',
    async (limits) => {
      await using folder = await tempFolder();
      const flooded = await openStore({ url: undefined, path: join(folder.path, 'events'), limits });
      const { queue, writer } = await open(join(folder.path, 'queue.sqlite'), flooded);
      const site_id = 'site_flooded' as SiteId;
      await flood(flooded, site_id);
      const numbered = (order: number) => order.toString(16).padStart(16, '0') as OrderId;
      const claims = Array.from({ length: ORDERS }, (_, index) => claim({ site_id, order_id: numbered(index + 1) }));
      await queue.append([...claims, word({ site_id, order_id: numbered(1) })], NOW);
      await writer.drain();
      expect(await queue.status()).toMatchObject({ waiting: 0, buried: 0 });
      const [counts] = await flooded.query(
        `SELECT (SELECT uniqExact(event_id) FROM superseded) AS superseded, count() AS words,
          any(visit_id) = (SELECT any(visit_id) FROM events WHERE order_id = 1 AND NOT confirmed AND amount = 10) AS has_visit
          FROM events WHERE confirmed`,
        {},
      );
      // Of each order, all but the first one of the hundred first claims, and the claim of today; of the one that the server reports, all.
      expect(counts).toEqual({ superseded: ORDERS * 100 + 1, words: 1, has_visit: 1 });
      await queue.close();
      await flooded.close();
    },
  );

  test('is refunded at its source, on another day too, and a repeated refund counts once for ever', async () => {
    const refund = word({ amount: '-4', name: 'refund', time: at + 2 * DAY_MS });
    const years = 24 * 60 * 60_000 * 400;
    expect(await figures([claim()], [word()], [refund])).toEqual({ Google: [1, 6, 6, 4, 2] });
    const later = makeEvent({ time: at + years, source: 'Google' });
    expect(await figures([claim()], [word()], [refund], [later], [refund])).toEqual({ Google: [1, 6, 6, 4, 2] });
  });
});
