// From when alerts about goals and payments count. What is stored changes without anything having happened when a goal gets another condition, or
// rows of the past come back: without a new beginning, the alerts would take that for news. See notifications/alerts/counting.ts.
import type { SiteId } from '../../vocabulary/event.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import type { Db } from './definitions.ts';

/** The columns of an alert that counts from now on. */
export const countingAnew = (now: number) => ({ counted_from: now, counted: 0, counted_amount: 0, checked_at: now });

/**
 * Called before rows come back to a site, whose last day is `lastDay`, so that no alert counts them in between. Alerts that count only later
 * days keep what they have counted.
 */
export async function passOver(
  db: Db,
  { siteId, lastDay }: { siteId: SiteId; lastDay: string },
  now: number,
): Promise<void> {
  const end = (readDay(lastDay) ?? NaN) + DAY_MS;
  await db
    .updateTable('alerts')
    .set(countingAnew(now))
    .where('site_id', '=', siteId)
    .where('kind', 'in', ['goal', 'payment'])
    .where('counted_from', '<', end + DAY_MS) // the days of a site may end up to a day after those of UTC
    .execute();
}
