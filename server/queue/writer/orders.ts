// Collects the reports of each order, from this batch and from the store. settle-order.ts decides which of them count.
import type { Event, Superseded, VisitedEvent } from '../../vocabulary/event.ts';
import type { EventStore } from '../../store/open.ts';
import { storedId, toEvent, WHOLE_EVENT } from '../../store/rows.ts';
import { settleOrder } from './settle-order.ts';

/** Bound values are sent in the URL of a request to ClickHouse, which limits their number. */
const ORDERS_A_QUERY = 250;
/** Reports of an order to read, per day and kind of sender. Real orders have few; anybody can send more. */
const MAX_REPORTS = 100;

/**
 * Settles the orders of a batch. `rows` are its new rows. `batch` are all of its events: a crash may have stored some of them without
 * settling their orders.
 */
export async function settleOrders(
  store: Pick<EventStore, 'query'>,
  rows: VisitedEvent[],
  batch: Event[],
): Promise<{ events: VisitedEvent[]; superseded: Superseded[] }> {
  const orders = new Map(batch.filter(hasOrder).map((event) => [orderOf(event), event]));
  if (orders.size === 0) return { events: rows, superseded: [] };
  const stored = Map.groupBy(await storedReports(store, [...orders.values()]), orderOf);
  const added = Map.groupBy(rows.filter(hasOrder), orderOf);
  const settled = [...orders.keys()].map((order) =>
    settleOrder({ stored: stored.get(order) ?? [], added: added.get(order) ?? [] }),
  );
  return {
    events: [...rows.filter((row) => !hasOrder(row)), ...settled.flatMap(({ events }) => events)],
    superseded: settled.flatMap(({ superseded }) => superseded),
  };
}

const hasOrder = ({ order_id }: Event) => order_id !== '';
const orderOf = ({ site_id, order_id }: Event) => `${site_id} ${order_id}`;

async function storedReports(store: Pick<EventStore, 'query'>, orders: Event[]): Promise<VisitedEvent[]> {
  const found: VisitedEvent[] = [];
  for (let start = 0; start < orders.length; start += ORDERS_A_QUERY) {
    const some = orders.slice(start, start + ORDERS_A_QUERY);
    const rows = await store.query<Record<string, unknown>>(
      `SELECT ${WHOLE_EVENT} FROM events
        WHERE site_id IN {sites:Array(String)} AND order_id IN (SELECT toUInt64(arrayJoin({orders:Array(String)})))
        ORDER BY events.time, event_id LIMIT ${MAX_REPORTS} BY site_id, order_id, toDate(events.time), confirmed`,
      {
        sites: [...new Set(some.map(({ site_id }) => site_id))],
        orders: some.map(({ order_id }) => storedId(order_id)),
      },
    );
    found.push(...rows.map(toEvent));
  }
  return found;
}
