// Restores the in-memory windows from the store when a process starts. The latest events come first, up to the windows' memory limit.
import { bytesFor } from '../process/bounded-memory.ts';
import { VISIT_KEPT_MS } from '../vocabulary/event.ts';
import type { EventStore } from '../store/open.ts';
import { idText } from '../store/rows.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';
import type { Flood } from './flood.ts';
import { MINUTES, type Sighting, type Windows } from './windows.ts';

/** Most rows to read from the store. */
const MAX_RESTORED = 200_000;

/** The fields of a sighting, as SQL over a stored row. */
const SIGHTING: Record<keyof Sighting, string> = {
  site_id: 'site_id',
  visitor_id: idText('visitor_id'),
  time: 'toUnixTimestamp64Milli(time)',
  name: 'name',
  engaged_ms: 'engaged_ms',
  page: 'page',
  source: 'source',
  country: 'country',
};

/** TRICKY: the sizes of events are computed first, since all texts of an hour may be more than the engine or this process can hold. */
const OLDEST_RESTORED = `SELECT min(time) FROM (
  SELECT time, sum(bytes) OVER (ORDER BY time DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far FROM (
    SELECT time, 200 + 2 * (length(page) + length(source)) AS bytes FROM events
    WHERE time > fromUnixTimestamp64Milli({since:Int64}) AND visitor_id != 0 AND confirmed = 0 ORDER BY time DESC LIMIT ${MAX_RESTORED}))
  WHERE so_far <= {most:Int64} HAVING count() > 0`;

type Parts = { windows: Windows; flood?: Pick<Flood, 'know'>; store: Pick<EventStore, 'query'> };

export async function restoreWindows({ windows, flood, store }: Parts, now: number): Promise<void> {
  const rows = await store.query<Sighting>(
    `SELECT ${Object.entries(SIGHTING)
      .map(([name, sql]) => `${sql} AS ${name}`)
      .join(', ')} FROM events
      WHERE events.time >= (${OLDEST_RESTORED}) AND events.visitor_id != 0 AND confirmed = 0 ORDER BY events.time DESC LIMIT ${MAX_RESTORED}`,
    { since: now - VISIT_KEPT_MS, most: bytesFor('windows') },
  );
  for (const row of rows.reverse()) {
    flood?.know(row.visitor_id);
    await windows.record({ ...row, time: Number(row.time), engaged_ms: Number(row.engaged_ms) });
  }
}

/** True if an event is recent enough to change a window. Imported events are not. */
export function isRecent(time: number, now: number): boolean {
  return time > now - MINUTES * MINUTE_MS;
}
