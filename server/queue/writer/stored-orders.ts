// Settles orders whose reports are stored already: a batch of a restored backup, or what an undone purge has put back.
import type { Event } from '../../vocabulary/event.ts';
import type { EventStore } from '../../store/open.ts';
import { settleOrders } from './orders.ts';

/** Settles the orders of stored events. To settle them again changes nothing. `token`: see `insert` of the store. */
export async function settleStored(
  store: Pick<EventStore, 'query' | 'insert' | 'supersede'>,
  stored: Event[],
  token: string,
): Promise<void> {
  const { events, superseded } = await settleOrders(store, [], stored);
  await store.insert({ events, ai_visits: [] }, token);
  await store.supersede(superseded);
}
