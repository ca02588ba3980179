// Looks up which events the store already has. Events can be delivered again long after the queue has forgotten their ids.
import type { EventStore } from './open.ts';
import { idText, PURGED_TABLES, storedId } from './rows.ts';

type Asked = Pick<EventStore, 'query' | 'idsAQuery'>;
/** Whatever is of no kind that is stored is not known. */
type Entry = { kind: string; site_id: string; event_id: string; time: number };

/** Returns the ids of `recorded` that are in the store, purged ones included. */
export async function knownIds(store: Asked, recorded: readonly Entry[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const [table, kind] of [
    ['events', 'event'],
    ['ai_visits', 'ai_visit'],
    ['vitals', 'vitals'],
    ['errors', 'error'],
    [PURGED_TABLES.events, 'event'],
    [PURGED_TABLES.ai_visits, 'ai_visit'],
    [PURGED_TABLES.vitals, 'vitals'],
    [PURGED_TABLES.errors, 'error'],
  ] as const) {
    const entries = recorded.filter((entry) => entry.kind === kind);
    for (let start = 0; start < entries.length; start += store.idsAQuery)
      for (const id of await ask(store, table, entries.slice(start, start + store.idsAQuery))) known.add(id);
  }
  return known;
}

async function ask(store: Asked, table: string, entries: readonly Entry[]): Promise<string[]> {
  const times = entries.map((entry) => entry.time);
  const rows = await store.query<{ id: string }>(
    `SELECT DISTINCT ${idText('event_id')} AS id FROM ${table}
      WHERE site_id IN {sites:Array(String)} AND event_id IN (SELECT toUInt64(arrayJoin({ids:Array(String)})))
        AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time <= fromUnixTimestamp64Milli({to:Int64})`,
    {
      sites: [...new Set(entries.map(({ site_id }) => site_id))],
      ids: entries.map((entry) => storedId(entry.event_id)),
      from: Math.min(...times),
      to: Math.max(...times),
    },
  );
  return rows.map((row) => row.id);
}
