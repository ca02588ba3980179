// Collects the reports of each order, from this batch and from the store. settle-order.ts decides which of them count.
import type { Event, Superseded, VisitedEvent } from '../../vocabulary/event.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { isOverLimit } from '../../store/errors.ts';
import type { EventStore } from '../../store/open.ts';
import { idText, storedId, toEvent, WHOLE_EVENT } from '../../store/rows.ts';
import { settleOrder } from './settle-order.ts';

/** Bound values are sent in the URL of a request to ClickHouse, which limits their number. */
const ORDERS_A_QUERY = 250;
/** Whole reports in one answer and in memory, or those of one order. Anybody can fill a report with text. */
const REPORTS_A_QUERY = 1_000;
/**
 * Reports of an order to read, per kind of sender: so many of each day that matters, and of the other days together. Real orders have few;
 * anybody can send more, on any number of days.
 */
const MAX_REPORTS = 100;

type Store = Pick<EventStore, 'query'>;
type Settled = { events: VisitedEvent[]; superseded: Superseded[] };
/** A stored report, without what it says. */
type Report = { site: string; order: string; time: number; id: string };

/**
 * Settles the orders of a batch. `rows` are its new rows. `batch` are all of its events: a crash may have stored some of them without
 * settling their orders.
 */
export async function settleOrders(store: Store, rows: VisitedEvent[], batch: Event[]): Promise<Settled> {
  const orders = [...Map.groupBy(batch.filter(hasOrder), orderOf)];
  const added = Map.groupBy(rows.filter(hasOrder), orderOf);
  const events = rows.filter((row) => !hasOrder(row));
  const superseded: Superseded[] = [];
  for (let start = 0; start < orders.length; start += ORDERS_A_QUERY) {
    const some = orders.slice(start, start + ORDERS_A_QUERY);
    const asked = some.flatMap(([, told]) => told);
    const reports = Map.groupBy(await reportsOf(store, asked), ({ site, order }) => `${site} ${order}`);
    for (const few of inParts(some, ([order]) => reports.get(order)?.length ?? 0)) {
      const wanted = few.flatMap(([order]) => reports.get(order) ?? []);
      const stored = Map.groupBy(await wholeReports(store, wanted), orderOf);
      for (const [order] of few) {
        const settled = settleOrder({ stored: stored.get(order) ?? [], added: added.get(order) ?? [] });
        events.push(...settled.events);
        superseded.push(...settled.superseded);
      }
    }
  }
  return { events, superseded };
}

const hasOrder = ({ order_id }: Event) => order_id !== '';
const orderOf = ({ site_id, order_id }: Event) => `${site_id} ${order_id}`;

/** Cuts a list into parts of at most REPORTS_A_QUERY reports, or of one order. */
function inParts<Item>(items: Item[], sizeOf: (item: Item) => number): Item[][] {
  const parts: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (parts.length === 0 || size > room) {
      parts.push([]);
      room = REPORTS_A_QUERY;
    }
    parts.at(-1)?.push(item);
    room -= size;
  }
  return parts;
}

const OF_ORDERS = `site_id IN {sites:Array(String)} AND order_id IN (SELECT toUInt64(arrayJoin({orders:Array(String)})))`;

/**
 * The first reports of each order. A server's report belongs to the first of a browser on its day, so the days of servers' reports and of the
 * batch matter: whatever is sent on other days, their first reports are among them.
 */
const FIRST_REPORTS = `SELECT site_id AS site, ${idText('order_id')} AS order_text,
    arrayMap(one -> (toString(one.1), toString(one.2)), groupArraySorted(${MAX_REPORTS})((toUnixTimestamp64Milli(time), event_id))) AS reports
  FROM events WHERE ${OF_ORDERS}
  GROUP BY site_id, order_id, confirmed,
    if(day IN (SELECT toDate(arrayJoin(splitByChar(',', {days:String}))))
        OR (site_id, order_id, day) IN (SELECT site_id, order_id, day FROM events WHERE ${OF_ORDERS} AND confirmed = 1),
      day, toDate(0))`;

const reportsOf = (store: Store, events: Event[]): Promise<Report[]> =>
  askInHalves([...Map.groupBy(events, orderOf).values()], async (some) => {
    const told = some.flat();
    const rows = await store.query<{ site: string; order_text: string; reports: [string, string][] }>(FIRST_REPORTS, {
      ...boundOf(told.map(({ site_id, order_id }) => ({ site: site_id, order: order_id }))),
      days: [...new Set(told.map(({ day, time }) => day || dayOf(time)))].join(','),
    });
    return rows.flatMap(({ site, order_text: order, reports }) =>
      reports.map(([time, id]) => ({ site, order, time: Number(time), id })),
    );
  });

const wholeReports = (store: Store, reports: Report[]): Promise<VisitedEvent[]> =>
  askInHalves(reports, async (some) => {
    const times = some.map(({ time }) => time);
    const rows = await store.query<Record<string, unknown>>(
      `SELECT ${WHOLE_EVENT} FROM events
        WHERE ${OF_ORDERS} AND event_id IN (SELECT toUInt64(arrayJoin(splitByChar(',', {ids:String}))))
          AND events.time >= fromUnixTimestamp64Milli({from:Int64}) AND events.time <= fromUnixTimestamp64Milli({to:Int64})
        ORDER BY events.time, event_id`,
      {
        ...boundOf(some),
        ids: some.map(({ id }) => id).join(','),
        from: times.reduce((one, other) => Math.min(one, other), Infinity),
        to: times.reduce((one, other) => Math.max(one, other), 0),
      },
    );
    return rows.map(toEvent);
  });

const boundOf = (some: readonly { site: string; order: string }[]) => ({
  sites: [...new Set(some.map(({ site }) => site))],
  orders: [...new Set(some.map(({ order }) => storedId(order)))],
});

/** Asks about fewer at once where the answer would have too many rows or take too much memory. */
async function askInHalves<Item, Row>(items: Item[], ask: (some: Item[]) => Promise<Row[]>): Promise<Row[]> {
  if (items.length === 0) return [];
  try {
    return await ask(items);
  } catch (error) {
    if (items.length === 1 || !isOverLimit(error)) throw error;
    const half = Math.ceil(items.length / 2);
    return [...(await askInHalves(items.slice(0, half), ask)), ...(await askInHalves(items.slice(half), ask))];
  }
}
