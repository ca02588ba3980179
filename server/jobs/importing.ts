// Imports of what other products counted. Rows arrive in parts, count nowhere until the last has come, and can be taken out again at any time. Every
// step can be run again, so a kill at any moment only delays it.
import { createHash } from 'node:crypto';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import { endImport, importSecret } from '../sites/imports.ts';
import {
  added,
  advanceParts,
  beginImport,
  type Brought,
  forgetImport,
  getImport,
  leftImports,
  type ListedImport,
  noteBrought,
  noteRemoving,
  type NotTaken,
} from '../sites/import-list.ts';
import { siteById } from '../sites/sites.ts';
import type { Versions } from '../stats/answer-cache.ts';
import { type Dropped, hitsToEvents } from '../collect/doors/import-hits.ts';
import { openVisits, type Visits } from '../queue/writer/visits.ts';
import type { ImportedSumRow } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { ImportBatch, ImportedHit, ImportedSum } from '../vocabulary/imports/import.ts';
import { MAX_PART_ROWS } from '../vocabulary/settings/imports.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';

/** What has not arrived whole after this time is removed. */
const KEPT_MS = 7 * DAY_MS;

type Which = { siteId: SiteId; id: string };
type Noting = { onBegun?: (one: ListedImport) => Promise<void> };
/** `content`: what is the same for the same files, such as their totals. */
type Begun = { siteId: SiteId; userId: string | null; format: string; file: string; content: unknown };

/** Days as YYYY-MM-DD: those with events of the site's own, and those of other imports. */
type TakenDays = { counted: string[]; imported: string[] };

export type Importing = {
  /** Returns a new import, or the one of the same files that has not arrived whole: its next part is `parts`. */
  begin(begun: Begun): Promise<ListedImport>;
  /** Stores the rows of a part. Sending one again changes nothing. Throws bad_request for a site that is paused. */
  add(which: Which & { part: number }, rows: Pick<ImportBatch, 'hits' | 'sums'>): Promise<void>;
  /** Lets all parts count. `replaced`: days on which sums count in place of the site's own events. Throws bad_request without any days. */
  finish(which: Which & { replaced: readonly string[]; notTaken: NotTaken } & Noting): Promise<ListedImport>;
  /** Takes an import out of all numbers. Throws not_found. */
  remove(which: Which & Noting): Promise<void>;
  takenDays(siteId: SiteId): Promise<TakenDays>;
  /** Goes on with what a killed process left, and removes what never arrived whole. Called by a job. */
  tidy(): Promise<void>;
};

type Parts = {
  directory: Directory;
  store: Pick<EventStore, 'idsAQuery' | 'imported' | 'purged' | 'query'>;
  versions: Pick<Versions, 'heard'>;
  /** Tells dashboards that the numbers of sites have changed. */
  onChanged(siteIds: Set<SiteId>): void;
  now(): number;
};

export function openImporting(parts: Parts): Importing {
  const { directory, store, versions, onChanged, now } = parts;
  const hits = openHits(parts);
  const changed = (siteId: SiteId) => {
    versions.heard(siteId);
    onChanged(new Set([siteId]));
  };
  const drop = async (one: ListedImport) => {
    await noteRemoving(directory, one.id);
    await store.imported.drop(ofStore(one));
    await hits.drop(one);
    changed(one.site_id);
    await forgetImport(directory, one.id);
  };
  const reading = async (which: Which): Promise<ListedImport> => {
    const one = await getImport(directory, which);
    if (one.state !== 'reading') throw new Refusal('bad_request', 'This import is complete, or is being removed.');
    return one;
  };
  return {
    begin: ({ content, ...begun }) => {
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([begun.format, content]))
        .digest('hex');
      return beginImport(directory, { ...begun, fingerprint }, now());
    },
    add: async ({ part, ...which }, rows) => {
      const one = await reading(which);
      if (part < one.parts) return; // its answer was lost
      if (part > one.parts) throw new Refusal('bad_request', `part: the next is ${one.parts}.`);
      checkRows(rows, now());
      const token = `${one.id}/${part}`;
      await store.imported.save(ofStore(one), { rows: rows.sums.map(rowOf), token });
      const dropped = await hits.add(one, rows.hits);
      const drops = dropped.map(({ reason, time }) => ({ site_id: one.site_id, day: dayOf(time), reason, count: 1 }));
      await advanceParts(directory, { ...one, drops, notTaken: added(one.notTaken, countOf(dropped)) });
    },
    finish: async ({ replaced, notTaken, onBegun, ...which }) => {
      const known = await getImport(directory, which);
      if (known.state === 'done') return known; // its answer was lost
      const one = await reading(which);
      await store.imported.dropOverlap(ofStore(one));
      const brought = await askBrought(store, ofStore(one));
      if (!brought) throw new Refusal('bad_request', `${one.file}: it has no day that is not counted already.`);
      await onBegun?.({ ...one, brought });
      await store.imported.publish(ofStore(one), { replaced, version: now() });
      await hits.publish(one);
      await noteBrought(directory, { id: one.id, brought, notTaken: added(one.notTaken, notTaken) }, now());
      changed(one.site_id);
      return getImport(directory, which);
    },
    remove: async ({ onBegun, ...which }) => {
      const one = await getImport(directory, which);
      await onBegun?.(one);
      await drop(one);
    },
    takenDays: async (siteId) => {
      const daysOf = async (table: string) => {
        const sql = `SELECT toString(day) AS on_day FROM (SELECT day, count() FROM ${table} WHERE site_id = {site_id:String} GROUP BY day) ORDER BY day`;
        return (await store.query<{ on_day: string }>(sql, { site_id: siteId })).map(({ on_day }) => on_day);
      };
      return { counted: await daysOf('events'), imported: await daysOf('imported_days') };
    },
    tidy: async () => {
      for (const one of await leftImports(directory, now() - KEPT_MS)) await drop(one);
    },
  };
}

const ofStore = ({ id, site_id }: ListedImport) => ({ site_id, summing: id });

function checkRows({ hits, sums }: Pick<ImportBatch, 'hits' | 'sums'>, now: number): void {
  if (hits.length + sums.length > MAX_PART_ROWS)
    throw new Refusal('bad_request', `A part has at most ${MAX_PART_ROWS} rows.`);
  const last = dayOf(now + DAY_MS); // the last that has begun in any time zone
  const later = [...sums.map(({ day }) => day), ...hits.map(({ time }) => dayOf(time))].find((day) => day > last);
  if (later) throw new Refusal('bad_request', `${later} is in the future.`);
}

const countOf = (dropped: readonly Dropped[]): NotTaken =>
  Object.fromEntries([...Map.groupBy(dropped, ({ reason }) => reason)].map(([reason, all]) => [reason, all.length]));

/** Visits that an import may go on with: of the last parts. */
const VISITS_BYTES = 20_000_000;

/** Hits become events with visits, which wait among the purged rows until the import is whole. */
function openHits({ directory, store, now }: Parts) {
  const visitsOf = new Map<string, Visits>();
  const purge = ({ id, site_id }: ListedImport) => ({ site_id, purge: id });
  return {
    /** Returns what was dropped. */
    add: async (one: ListedImport, hits: readonly ImportedHit[]): Promise<readonly Dropped[]> => {
      if (hits.length === 0) return [];
      const site = await siteById(directory, one.site_id);
      if (!site || site.paused)
        throw new Refusal('bad_request', 'The site was deleted, or its tracking is paused: resume it first.');
      const keyed = hits.map((hit, index) => ({ hit, key: `${one.id}/${one.parts}/${index}` }));
      const secret = await importSecret(directory, one.id, now());
      const { events, dropped } = await hitsToEvents(keyed, { site, secret });
      const known = visitsOf.get(one.id);
      if (!known)
        await store.imported.dropKept(
          ofStore(one),
          events.map(({ event_id }) => event_id),
        );
      const visits = known ?? openVisits(store, VISITS_BYTES);
      visitsOf.set(one.id, visits);
      const rows = events.flatMap((event) => visits.assign(event, event.time) ?? []);
      await store.imported.saveHits(ofStore(one), rows);
      return dropped;
    },
    publish: async (one: ListedImport): Promise<void> => {
      await store.purged.putBack(purge(one));
      await store.purged.drop(purge(one));
      visitsOf.delete(one.id);
      await endImport(directory, one.id);
    },
    drop: async (one: ListedImport): Promise<void> => {
      visitsOf.delete(one.id);
      await endImport(directory, one.id);
      const where = 'site_id = {site_id:String} AND import_id = {purge:String}';
      await store.purged.choose({ ...purge(one), table: 'events', where, bound: {} });
      await store.purged.takeOut(purge(one));
      await store.purged.erase(purge(one));
    },
  };
}

const rowOf = ({ visitors, visit_seconds, ...same }: ImportedSum): ImportedSumRow => ({
  ...same,
  unique_visitors: visitors,
  visit_ms: Math.round(visit_seconds * 1000),
});

/** What the sums and the hits of an import that has not been published have: hits are still among the purged rows, or partly put back. */
async function askBrought(
  { query }: Pick<EventStore, 'query'>,
  of: { site_id: string; summing: string },
): Promise<Brought | undefined> {
  const hits = ['purged_events', 'events'].map(
    (table) =>
      `SELECT day, event_id, name, visitor_id FROM ${table} WHERE site_id = {site_id:String} AND import_id = {summing:String}`,
  );
  const [row] = await query<Record<string, string>>(
    `SELECT toString(min(on_day)) AS first_day, toString(max(on_day)) AS last_day, toString(count()) AS days,
        toString(sum(views)) AS pageviews, toString(sum(people)) AS visitors
      FROM (SELECT on_day, sum(views) AS views, sum(people) AS people FROM (
        SELECT day AS on_day, sum(pageviews) AS views, sum(unique_visitors) AS people FROM imported_sums
        WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = '' GROUP BY on_day
        UNION ALL
        SELECT day, uniqExactIf(event_id, name = 'pageview'), uniqExact(visitor_id) FROM (${hits.join(' UNION ALL ')}) GROUP BY day
      ) GROUP BY on_day)`,
    of,
  );
  const numberOf = (name: string) => Number(row?.[name] ?? 0);
  if (numberOf('days') === 0) return undefined;
  return {
    first_day: row?.['first_day'] ?? '',
    last_day: row?.['last_day'] ?? '',
    days: numberOf('days'),
    pageviews: numberOf('pageviews'),
    visitors: numberOf('visitors'),
  };
}
