// Imports of what other products counted. Rows arrive in parts, count nowhere until the last has come, and can be taken out again at any time. Every
// step can be run again, so a kill at any moment only delays it.
import { createHash } from 'node:crypto';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import { endImport, importSecret } from '../sites/imports.ts';
import {
  added,
  advanceParts,
  allImportIds,
  beginImport,
  type Brought,
  claimImport,
  forgetImport,
  getImport,
  leftImports,
  type ListedImport,
  noteBrought,
  type NotTaken,
  releaseImport,
} from '../sites/import-list.ts';
import { siteById } from '../sites/sites.ts';
import type { Versions } from '../stats/answer-cache.ts';
import { type Dropped, hitsToEvents } from '../collect/doors/import-hits.ts';
import { openVisits, type Visits } from '../queue/writer/visits.ts';
import type { ImportedSumRow } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import type { Event, SiteId } from '../vocabulary/event.ts';
import type { ImportBatch, ImportedHit, ImportedSum } from '../vocabulary/imports/import.ts';
import { type ImportState, MAX_PART_ROWS } from '../vocabulary/settings/imports.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';

/** An import that has not arrived whole after this time is removed. */
const KEPT_MS = 7 * DAY_MS;

type Which = { siteId: SiteId; id: string };
type Noting = { onBegun?: (one: ListedImport) => Promise<void> };
/** `content`: what is the same for the same files, such as their totals. */
type Begun = { siteId: SiteId; format: string; file: string; content: unknown };
type Finishing = Which & { replaced: readonly string[]; notTaken: NotTaken };

/** Days as YYYY-MM-DD: those with events of the site's own, and those of other imports. */
type TakenDays = { counted: string[]; imported: string[] };

export type Importing = {
  /** Returns a new import, or the one of the same files that has not arrived whole: its next part is `parts`. */
  begin(begun: Begun): Promise<ListedImport>;
  /** Stores the rows of a part. Sending one again changes nothing. Throws bad_request for a site that is paused. */
  add(which: Which & { part: number }, rows: Pick<ImportBatch, 'hits' | 'sums'>): Promise<void>;
  /** Lets all parts count. `replaced`: days on which sums count in place of the site's own events. Throws bad_request without any days. */
  finish(which: Finishing & Noting): Promise<ListedImport>;
  /** Takes an import out of all numbers. Throws not_found. */
  remove(which: Which & Noting): Promise<void>;
  takenDays(siteId: SiteId): Promise<TakenDays>;
  /** Goes on with what a killed process left, and removes what never arrived whole. Called by a job. */
  tidy(): Promise<void>;
  /** Removes the rows of imports that nobody knows of, as a backup may bring back that was made while an import was removed. Called by a job. */
  sweep(): Promise<void>;
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
  const { directory, store, now } = parts;
  const hits = openHits(parts);
  const { changed, claim, drop, publish, releasing } = openSteps(parts, hits);
  return {
    begin: ({ content, ...begun }) => {
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([begun.format, content]))
        .digest('hex');
      return beginImport(directory, { ...begun, fingerprint }, now());
    },
    add: async ({ part, ...which }, rows) => {
      const one = await getImport(directory, which);
      if (one.state === 'reading' && part < one.parts) return; // its answer was lost
      if (part > one.parts) throw new Refusal('bad_request', `part: the next is ${one.parts}.`);
      checkRows(rows, now());
      const claimed = await claim(one, ['reading'], 'reading');
      await releasing(claimed, async () => {
        if (claimed.parts !== part) throw new Refusal('bad_request', `part: the next is ${claimed.parts}.`);
        const token = `${one.id}/${part}`;
        await store.imported.save(ofStore(one), { rows: rows.sums.map(rowOf), token });
        const dropped = await hits.add(claimed, rows.hits);
        const drops = dropped.flatMap(({ reason, time }) =>
          reason === 'not_over' ? [] : [{ site_id: one.site_id, day: dayOf(time), reason, count: 1 }],
        );
        await advanceParts(
          directory,
          { ...claimed, drops, notTaken: added(claimed.notTaken, countOf(dropped)) },
          now(),
        );
      });
    },
    finish: async ({ replaced, ...given }) => {
      const { siteId, id, ...rest } = given;
      const which = { siteId, id };
      const known = await getImport(directory, which);
      if (known.state === 'done') return known; // its answer was lost
      const one = await claim(known, ['reading'], 'publishing', replaced);
      await releasing(one, () => publish(one, rest));
      return getImport(directory, which);
    },
    remove: async ({ onBegun, ...which }) => {
      const known = await getImport(directory, which);
      const one = await claim(known, ['reading', 'done'], 'removing');
      await onBegun?.(one);
      await releasing(one, () => drop(one));
    },
    takenDays: async (siteId) => {
      const daysOf = async (table: string) => {
        const sql = `SELECT toString(day) AS on_day FROM (SELECT day, count() FROM ${table} WHERE site_id = {site_id:String} GROUP BY day) ORDER BY day`;
        return (await store.query<{ on_day: string }>(sql, { site_id: siteId })).map(({ on_day }) => on_day);
      };
      return { counted: await daysOf('events'), imported: await daysOf('imported_days') };
    },
    tidy: async () => {
      for (const left of await leftImports(directory, now() - KEPT_MS)) {
        const to = left.state === 'publishing' ? 'publishing' : 'removing';
        const one = await claim(left, [left.state], to).catch(ofOthers);
        if (one) await releasing(one, () => (to === 'publishing' ? publish(one, { notTaken: {} }) : drop(one)));
      }
    },
    sweep: async () => {
      const stored = await store.query<{ site_id: SiteId; id: string }>(STORED_IMPORTS, {}); // before the directory is read
      const known = await allImportIds(directory);
      for (const { site_id, id } of stored.filter((one) => !known.has(one.id))) {
        const gone = { site_id, id };
        await store.imported.drop(ofStore(gone), () => changed(site_id));
        await hits.drop(gone);
        changed(site_id);
      }
    },
  };
}

/** The steps of an import, for a process that has claimed it. */
function openSteps({ directory, store, versions, onChanged, now }: Parts, hits: Hits) {
  const changed = (siteId: SiteId) => {
    versions.heard(siteId);
    onChanged(new Set([siteId]));
  };
  /** Removes a claimed import. */
  const drop = async (one: ListedImport) => {
    await store.imported.drop(ofStore(one), () => changed(one.site_id));
    await hits.drop(one);
    changed(one.site_id);
    await forgetImport(directory, one.id);
  };
  const claim = (one: ListedImport, from: readonly ImportState[], to: ImportState, replaced?: readonly string[]) =>
    claimImport(directory, one, { from, to, now: now(), ...(replaced && { replaced }) });
  /** Lets a claimed import count: first the hits, which move, and then the sums, at once. */
  const publish = async (one: ListedImport, { notTaken, onBegun }: Pick<Finishing, 'notTaken'> & Noting) => {
    const { days, brought } = await askBrought(store, ofStore(one));
    if (brought.days === 0) {
      await releaseImport(directory, one.id, { state: 'reading', now: now() });
      throw new Refusal('bad_request', `${one.file}: it has no day that is not counted already.`);
    }
    await onBegun?.({ ...one, brought });
    await hits.publish(one);
    await store.imported.publish(ofStore(one), { days, replaced: one.replaced, version: now() });
    await noteBrought(directory, { id: one.id, brought, notTaken: added(one.notTaken, notTaken) }, now());
    changed(one.site_id);
  };
  /** The next run of the job goes on with what failed half-way. */
  const releasing = async (one: ListedImport, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await releaseImport(directory, one.id, { now: now() });
      throw error;
    }
  };
  return { changed, claim, drop, publish, releasing };
}

/** Another process works on it, or has ended it. */
function ofOthers(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/** The imports that have rows in any table. */
const STORED_IMPORTS = ['imported_days', 'imported_sums', 'events', 'purged_events']
  .map((table) => {
    const id = table.startsWith('imported') ? 'summing' : 'import_id';
    return `SELECT DISTINCT toString(site_id) AS site_id, toString(${id}) AS id FROM ${table} WHERE ${id} != ''`;
  })
  .join(' UNION DISTINCT ');

type OfImport = Pick<ListedImport, 'id' | 'site_id'>;
const ofStore = ({ id, site_id }: OfImport) => ({ site_id, summing: id });

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
/** That one statement names. */
const DAYS_AT_ONCE = 200;

type Hits = ReturnType<typeof openHits>;

/** Hits become events with visits, which wait among the purged rows until the import is whole. */
function openHits({ directory, store, now }: Parts) {
  /** The visits of the last part, if this process has stored it. */
  const last = new Map<string, { part: number; visits: Visits }>();
  const purge = ({ id, site_id }: OfImport) => ({ site_id, purge: id });
  /** The visits that the hits go on with. */
  const openPart = async (one: ListedImport, events: Event[]): Promise<Visits> => {
    const known = last.get(one.id);
    last.delete(one.id); // until the part is stored: a failure leaves visits that nobody has seen
    if (known?.part === one.parts - 1) return known.visits;
    const ids = events.map(({ event_id }) => event_id);
    for (let start = 0; start < ids.length; start += store.idsAQuery)
      await store.imported.dropKept(ofStore(one), { ids: ids.slice(start, start + store.idsAQuery) });
    const visits = openVisits(store, VISITS_BYTES, 'purged_events');
    await visits.restoreFor(events, now());
    return visits;
  };
  return {
    /** Returns what was dropped. */
    add: async (one: ListedImport, hits: readonly ImportedHit[]): Promise<readonly Dropped[]> => {
      if (hits.length === 0) return [];
      const site = await siteById(directory, one.site_id);
      if (!site || site.paused)
        throw new Refusal('bad_request', 'The site was deleted, or its tracking is paused: resume it first.');
      const keyed = hits.map((hit, index) => ({ hit, key: `${one.id}/${one.parts}/${index}` }));
      const secret = await importSecret(directory, one.id, now());
      const { events, dropped } = await hitsToEvents(keyed, { site, secret, now: now() });
      const visits = await openPart(one, events);
      await store.imported.saveHits(
        ofStore(one),
        events.flatMap((event) => visits.assign(event, event.time) ?? []),
      );
      last.set(one.id, { part: one.parts, visits });
      return dropped;
    },
    /** Days with events that this import did not bring keep these. */
    publish: async (one: ListedImport): Promise<void> => {
      const taken = await askTaken(store, ofStore(one));
      for (let start = 0; start < taken.length; start += DAYS_AT_ONCE)
        await store.imported.dropKept(ofStore(one), { days: taken.slice(start, start + DAYS_AT_ONCE) });
      await store.purged.putBack(purge(one));
      await store.purged.drop(purge(one));
      last.delete(one.id);
      await endImport(directory, one.id);
    },
    drop: async (one: OfImport): Promise<void> => {
      last.delete(one.id);
      await endImport(directory, one.id);
      await store.imported.dropHeld(ofStore(one)); // also those that a purge holds
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

/** The days of an import's hits that have other events. */
async function askTaken(
  { query }: Pick<EventStore, 'query'>,
  of: { site_id: string; summing: string },
): Promise<string[]> {
  const rows = await query<{ on_day: string }>(
    `SELECT DISTINCT toString(day) AS on_day FROM purged_events WHERE site_id = {site_id:String} AND purge = {summing:String} AND day IN
      (SELECT day FROM events WHERE site_id = {site_id:String} AND import_id != {summing:String})`,
    of,
  );
  return rows.map(({ on_day }) => on_day);
}

/** The days and totals of an import that has not begun to count. Its hits are among the purged rows, or partly put back; days with other events are left out. */
async function askBrought(
  { query }: Pick<EventStore, 'query'>,
  of: { site_id: string; summing: string },
): Promise<{ days: string[]; brought: Brought }> {
  const ofImport = 'site_id = {site_id:String} AND import_id = {summing:String}';
  const hits = ['purged_events', 'events'].map(
    (table) => `SELECT day, event_id, name, visitor_id FROM ${table} WHERE ${ofImport}`,
  );
  const rows = await query<Record<'source' | 'on_day' | 'views' | 'people', string>>(
    `SELECT 'sums' AS source, toString(day) AS on_day, toString(sum(pageviews)) AS views, toString(sum(unique_visitors)) AS people
      FROM imported_sums WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = '' GROUP BY day
      UNION ALL
      SELECT 'hits', toString(day), toString(uniqExactIf(event_id, name = 'pageview')), toString(uniqExact(visitor_id))
      FROM (${hits.join(' UNION ALL ')}) WHERE day NOT IN (SELECT day FROM events WHERE site_id = {site_id:String} AND import_id != {summing:String})
      GROUP BY day`,
    of,
  );
  const days = [...new Set(rows.map(({ on_day }) => on_day))].sort();
  const sumOf = (name: 'views' | 'people') => rows.reduce((sum, row) => sum + Number(row[name]), 0);
  return {
    days: rows.flatMap(({ source, on_day }) => (source === 'sums' ? [on_day] : [])),
    brought: {
      first_day: days[0] ?? '',
      last_day: days.at(-1) ?? '',
      days: days.length,
      pageviews: sumOf('views'),
      visitors: sumOf('people'),
    },
  };
}
