// Counts goals and payments for the alerts about them, every minute, from stored rows. The number of events since `counted_from` that are
// already told is written in the transaction of the incident, so none is told twice, and late events are found by a higher count.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { goals } from '../../sites/definitions/goals.ts';
import type { Count, Counted } from '../../stats/answers/alert-counts.ts';
import type { Stats } from '../../stats/run.ts';
import { currencyOf } from '../../stats/answers/values.ts';
import { MAX_TOLD_PER_HOUR } from '../../vocabulary/settings/alerts.ts';
import type { Facts } from '../../vocabulary/settings/alert-words.ts';
import { DAY_MS, dayOf, HOUR_MS, startOfDay } from '../../vocabulary/time/time.ts';
import { instantAt, wallTime } from '../../vocabulary/time/zones.ts';
import { addIncident } from './incidents.ts';
import { isQuiet, type Watched, watchedAlerts } from './watched.ts';

type Parts = { directory: Directory; stats: Pick<Stats, 'counts'>; billing: Billing };

/** Events that are stored later than this after they happened are no news. */
const LATE_MS = DAY_MS;

/** An alert with what it counts. `name`: of its goal. */
type Asked = { one: Watched; counted: Counted; name: string | undefined };

export async function countForAlerts(parts: Parts, now: number): Promise<void> {
  const { directory, stats, billing } = parts;
  const watched = await watchedAlerts(directory.db, { kinds: ['goal', 'payment'], billing }, now);
  if (watched.length === 0) return;
  const told = await toldLately(directory, now);
  // What happens in quiet hours, or after too many mails, is counted later, in one sum. The first of a day is noticed on its day, and told later.
  const due = watched.filter(
    (one) => (isFirstOfDay(one) || !isQuiet(one.alert, now)) && (told.get(one.alert.id) ?? 0) < MAX_TOLD_PER_HOUR,
  );
  const asked = await askedOf(directory, due, now);
  if (asked.length === 0) return;
  const counts = await stats.counts(
    asked.map(({ counted }) => counted),
    now + 1,
  );
  for (const one of asked) {
    const count = counts.get(one.counted.id);
    if (count) await (isFirstOfDay(one.one) ? noteFirst : noteNew)(directory, { ...one, count }, now);
  }
}

/** Adds what each alert counts. Alerts whose goal was deleted are left out, and payments without a currency wait. */
async function askedOf(directory: Directory, watched: readonly Watched[], now: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const one of watched) {
    const { alert, site, row } = one;
    const later = !isFirstOfDay(one) && isRolled(row, now) ? { laterFrom: now - LATE_MS } : {};
    const counted = { id: alert.id, siteId: site.id, from: countedFrom(one, now), ...later };
    if (alert.kind === 'payment') {
      const currency = currencyOf(site);
      // A first payment proposes the currency when it arrives. Counted before that, it would be told without its amount.
      if (currency !== null)
        asked.push({ one, counted: { ...counted, what: { maxAmount: site.max_amount, currency } }, name: undefined });
      continue;
    }
    const own = await goals.list(directory, { siteId: site.id as SiteId });
    const goal = own.find(({ id }) => id === alert.goal_id);
    if (goal) asked.push({ one, counted: { ...counted, what: { goal } }, name: goal.name });
  }
  return asked;
}

const isFirstOfDay = ({ alert }: Watched) => alert.kind === 'goal' && alert.telling === 'first_of_day';

/** True if an alert counts from so long ago that it now starts anew, from a day ago. */
const isRolled = ({ counted_from }: Watched['row'], now: number) => counted_from < now - 2 * LATE_MS;

/** A clock that was set back must not make an alert wait for the time that it has seen. */
function countedFrom(one: Watched, now: number): number {
  if (!isFirstOfDay(one)) return Math.min(one.row.counted_from, now);
  const today = instantAt(startOfDay(wallTime(now, one.zone)), one.zone);
  return Math.max(today, Math.min(one.row.counted_from, now));
}

async function toldLately({ db }: Directory, now: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('incidents')
    .select((select) => ['alert_id', select.fn.countAll().as('count')])
    .where('created_at', '>', now - HOUR_MS)
    .where('created_at', '<=', now) // what a clock that was ahead noticed is not counted
    .groupBy('alert_id')
    .execute();
  return new Map(rows.map(({ alert_id, count }) => [alert_id, Number(count)]));
}

type Noted = Asked & { count: Count };

async function noteFirst({ db }: Directory, { one, name, count }: Noted, now: number): Promise<void> {
  if (count.count === 0) return;
  const facts: Facts = { name: name ?? '', count: count.count };
  await addIncident(
    db,
    { ...momentOf(one, `first ${dayOf(wallTime(now, one.zone))}`, { from: now, to: now }), facts },
    now,
  );
}

async function noteNew({ db }: Directory, { one, name, counted, count }: Noted, now: number): Promise<void> {
  const { row, site } = one;
  const rolls = isRolled(row, now);
  const isSetBack = row.counted_from > now;
  const news = isSetBack ? 0 : Math.max(0, count.count - row.counted);
  const isSame = count.count === row.counted && count.amount === row.counted_amount; // a server may have corrected an amount
  if (isSame && !rolls && !isSetBack) return;
  const next = rolls
    ? { counted_from: now - LATE_MS, counted: count.later, counted_amount: count.laterAmount }
    : { counted_from: counted.from, counted: count.count, counted_amount: count.amount };
  const amount = Math.max(0, Math.round((count.amount - row.counted_amount) * 100) / 100);
  const facts: Facts = name === undefined ? { count: news, amount, currency: currencyOf(site) } : { name, count: news };
  await db.transaction().execute(async (trx) => {
    const moved = await trx
      .updateTable('alerts')
      .set({ ...next, checked_at: now })
      .where('id', '=', row.id)
      .where('counted', '=', row.counted)
      .where('counted_from', '=', row.counted_from) // otherwise another process was faster, or the alert was changed
      .executeTakeFirst();
    if (moved.numUpdatedRows === 0n || news === 0) return;
    // A purge lowers the count, which then reaches the same number again.
    const key = `counted ${next.counted_from} ${next.counted} ${now}`;
    await addIncident(trx, { ...momentOf(one, key, { from: Math.min(row.checked_at, now), to: now }), facts }, now);
  });
}

const momentOf = ({ alert, site }: Watched, key: string, { from, to }: { from: number; to: number }) => ({
  alert_id: alert.id,
  site_id: site.id,
  key,
  started_at: from,
  ended_at: to,
});
