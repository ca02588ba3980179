// What alerts have noticed. A row exists once per alert and key, and remembers what the recipients know, so nothing is told twice.
import { makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Db } from '../../sites/definitions/definitions.ts';
import { type AlertKind, kindsFor } from '../../vocabulary/settings/alerts.ts';
import type { Facts, Happened } from '../../vocabulary/settings/alert-words.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';

export type StoredIncident = Tables['incidents'];

/** How long the history is kept. */
export const INCIDENTS_KEPT_MS = 400 * DAY_MS;
const LISTED = 200;
const ID_PREFIX = 'inc';
export const INCIDENT_ID_LENGTH = makeId(ID_PREFIX).length;

type NewIncident = Pick<StoredIncident, 'alert_id' | 'site_id' | 'key' | 'started_at' | 'ended_at'> & { facts: Facts };

/** Returns false if the alert has an incident with this key. */
export async function addIncident(db: Db, { facts, ...incident }: NewIncident, now: number): Promise<boolean> {
  const added = await db
    .insertInto('incidents')
    .values({ id: makeId(ID_PREFIX), ...incident, facts: JSON.stringify(facts), told: 'nothing', created_at: now })
    .onConflict((conflict) => conflict.columns(['alert_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

export const readFacts = ({ facts }: Pick<StoredIncident, 'facts'>): Facts => JSON.parse(facts) as Facts;

type Noticed = Pick<StoredIncident, 'alert_id' | 'key' | 'created_at'>;

/** Returns the incidents of these alerts since a time, by alert. */
export async function incidentsSince(
  db: Db,
  { alertIds, since }: { alertIds: readonly string[]; since: number },
): Promise<Map<string, Noticed[]>> {
  const rows = db.selectFrom('incidents').select(['alert_id', 'key', 'created_at']).where('created_at', '>', since);
  const found = await rows.where('alert_id', 'in', [...alertIds]).execute();
  return Map.groupBy(found, ({ alert_id }) => alert_id);
}

/** The incidents that last, by alert. */
export async function openIncidents(db: Db, alertIds: readonly string[]): Promise<Map<string, StoredIncident>> {
  if (alertIds.length === 0) return new Map();
  const rows = db.selectFrom('incidents').selectAll().where('ended_at', 'is', null);
  return new Map((await rows.where('alert_id', 'in', [...alertIds]).execute()).map((row) => [row.alert_id, row]));
}

/** When the last ended incident of each alert ended. */
export async function lastEnds(db: Db, alertIds: readonly string[]): Promise<Map<string, number>> {
  if (alertIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('incidents')
    .select((select) => ['alert_id', select.fn.max('ended_at').as('ended_at')])
    .where('alert_id', 'in', [...alertIds])
    .where('ended_at', 'is not', null)
    .groupBy('alert_id')
    .execute();
  return new Map(rows.map(({ alert_id, ended_at }) => [alert_id, Number(ended_at)]));
}

/** Writes the progress of an incident that lasts, unless it has ended meanwhile. */
export async function changeIncident(
  db: Db,
  id: string,
  { facts, ended_at }: { facts: Facts; ended_at: number | null },
): Promise<void> {
  await db
    .updateTable('incidents')
    .set({ facts: JSON.stringify(facts), ended_at })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

type Listed = Happened & { id: string; alert_id: string };

/** The incidents of a site that somebody hears of, latest first. `isLimited`: somebody who sees no small numbers. */
export async function listIncidents(
  { db }: Pick<Directory, 'db'>,
  { siteId, isLimited }: { siteId: SiteId; isLimited: boolean },
): Promise<Listed[]> {
  const rows = await db
    .selectFrom('incidents')
    .innerJoin('alerts', 'alerts.id', 'incidents.alert_id')
    .where('incidents.site_id', '=', siteId)
    .where('kind', 'in', kindsFor({ isLimited }))
    .selectAll('incidents')
    .select('kind')
    .orderBy('started_at', 'desc')
    .orderBy('incidents.id')
    .limit(LISTED)
    .execute();
  return rows.map((row) => ({ id: row.id, alert_id: row.alert_id, ...happened(row, row.kind) }));
}

export const happened = (row: StoredIncident, kind: AlertKind): Happened => ({
  kind,
  started_at: row.started_at,
  ended_at: row.ended_at,
  facts: readFacts(row),
});

export async function forgetIncidents({ db }: { db: Db }, before: number): Promise<void> {
  await db.deleteFrom('incidents').where('ended_at', '<', before).execute();
}
