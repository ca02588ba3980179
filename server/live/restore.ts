// What the windows of one process forget when it ends, read back from the store.
import { VISIT_KEPT_MS } from '../event.ts';
import type { EventStore } from '../store/open.ts';
import { MINUTE_MS } from '../time.ts';
import type { Flood } from './flood.ts';
import { MINUTES, type Sighting, type Windows } from './windows.ts';

type Row = Omit<Sighting, 'time'> & { seen_at: string | number };

type Parts = { windows: Windows; flood?: Pick<Flood, 'know'>; store: Pick<EventStore, 'query'> };

export async function restoreWindows({ windows, flood, store }: Parts, now: number): Promise<void> {
  const rows = await store.query<Row>(
    `SELECT site_id, lower(leftPad(hex(visitor_id), 16, '0')) AS visitor_id, toUnixTimestamp64Milli(time) AS seen_at, name, engaged_ms, page, source, country
      FROM events WHERE time > fromUnixTimestamp64Milli({since:Int64}) AND events.visitor_id != 0
      ORDER BY time DESC LIMIT 200000`,
    { since: now - VISIT_KEPT_MS },
  );
  for (const { seen_at, ...row } of rows.reverse()) {
    flood?.know(row.visitor_id);
    await windows.record({ ...row, time: Number(seen_at), engaged_ms: Number(row.engaged_ms) });
  }
}

/** Whether an event is recent enough to move a window; imported ones are not. */
export function isRecent(time: number, now: number): boolean {
  return time > now - MINUTES * MINUTE_MS;
}
