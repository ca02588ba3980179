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
import type { Drop } from '../sites/drops.ts';
import { type Site, siteById } from '../sites/sites.ts';
import type { Versions } from '../stats/answer-cache.ts';
import { importedGoal } from '../stats/days/day-goals.ts';
import { type Dropped, hitsToEvents } from '../collect/doors/import-hits.ts';
import { takeOver } from './exporting/set-up.ts';
import { openFrame, readSealedRows, readValue, type SealedFrame, type SealedRows } from './exporting/unsealing.ts';
import type { Context } from '../collect/draft.ts';
import { openMemoryWindows } from '../live/memory.ts';
import { openVisits, type Visits } from '../queue/writer/visits.ts';
import { HIT_TABLES, type HitTable, type ImportedSumRow } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import { IMPORTED_TABLES, PURGED_TABLES } from '../store/rows.ts';
import type { Recorded, SiteId } from '../vocabulary/event.ts';
import { type Manifest, manifest, trailer } from './exporting/frames.ts';
import type { ImportBatch, ImportedHit, ImportedSum } from '../vocabulary/imports/import.ts';
import { type ImportState, MAX_PART_ROWS } from '../vocabulary/settings/imports.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';

/** An import that has not arrived whole after this time is removed. */
const KEPT_MS = 7 * DAY_MS;

type Which = { siteId: SiteId; id: string };
type Noting = { onBegun?: (one: ListedImport) => Promise<void> };
/** `content`: what is the same for the same files, such as their totals. Of a sealed export: the keys at its head, in base64. */
type Begun = { siteId: SiteId; format: string; file: string; content: unknown };
/** `last`: the last frame of a sealed export. */
type Finishing = Which & { replaced: readonly string[]; notTaken: NotTaken; last?: SealedFrame | undefined };

/** Days as YYYY-MM-DD: those with events of the site's own, and those of other imports. */
type TakenDays = { counted: string[]; imported: string[] };

export type Importing = {
  /** Returns a new import, or the one of the same files that has not arrived whole: its next part is `parts`. */
  begin(begun: Begun): Promise<ListedImport>;
  /** Stores the rows of a part. Sending one again changes nothing. Throws bad_request for a site that is paused. */
  add(which: Which & { part: number }, rows: Pick<ImportBatch, 'hits' | 'sums'>): Promise<void>;
  /** What a sealed export holds, by its first frame. Throws bad_request if it was sealed for another account. */
  openSealed(of: SealedFrame & { siteId: SiteId }): Promise<Manifest>;
  /** Stores the rows of a frame of a sealed export, like `add`. */
  addSealed(which: Which & { part: number }, sealed: SealedFrame): Promise<void>;
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
  /** Of the addresses in access logs. */
  geo: Context['geo'];
  /** Tells dashboards that the numbers of sites have changed. */
  onChanged(siteIds: Set<SiteId>): void;
  now(): number;
};

export function openImporting(parts: Parts): Importing {
  const { directory, store, now } = parts;
  const hits = openHits(parts);
  const { changed, claim, drop, publish, releasing } = openSteps(parts, hits);
  const { addPart, siteFor, takeSetUp, takenDays } = openSending(parts, { claim, releasing });
  return {
    begin: ({ content, ...begun }) => {
      return beginImport(directory, { ...begun, fingerprint: fingerprintOf(begun.format, content) }, now());
    },
    add: (which, rows) => {
      checkRows(rows, now());
      return addPart(which, async (one, token) => {
        await store.imported.save(ofStore(one), { rows: rows.sums.map(rowOf), token });
        const dropped = await hits.add(one, rows.hits);
        const drops = dropped.flatMap(({ reason, time }) =>
          reason === 'not_over' || reason === 'status'
            ? []
            : [{ site_id: one.site_id, day: dayOf(time), reason, count: 1 }],
        );
        return { drops, notTaken: countOf(dropped) };
      });
    },
    openSealed: async ({ siteId, ...sealed }) => {
      const site = await siteFor(siteId);
      return readValue(
        await openFrame(directory, { site, ...sealed }, { index: 0, isLast: false, now: now() }),
        manifest,
      );
    },
    addSealed: (which, sealed) =>
      addPart(which, async (one, token) => {
        checkFile(one, sealed);
        const site = await siteFor(one.site_id);
        const place = { index: which.part + 1, isLast: false, now: now() };
        const rows = readSealedRows(await openFrame(directory, { site, ...sealed }, place), site, now());
        await store.imported.save(ofStore(one), { rows: rows.sums, token });
        await hits.addWhole(one, rows);
        return {
          drops: [],
          notTaken: countOf(Array.from({ length: rows.notOver }, () => ({ reason: 'not_over', time: 0 }))),
        };
      }),
    finish: async ({ replaced, last, ...given }) => {
      const { siteId, id, ...rest } = given;
      const which = { siteId, id };
      const known = await getImport(directory, which);
      if (known.state === 'done') return known; // its answer was lost
      if (known.format === 'sealed') await takeSetUp(known, last);
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
    takenDays,
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

/** What the parts of an import need while they arrive. */
function openSending({ directory, store, now }: Parts, { claim, releasing }: Pick<Steps, 'claim' | 'releasing'>) {
  /** Throws bad_request for a site that is paused. */
  const siteFor = async (siteId: SiteId): Promise<Site> => {
    const site = await siteById(directory, siteId);
    if (site && !site.paused) return site;
    throw new Refusal('bad_request', 'The site was deleted, or its tracking is paused: resume it first.');
  };
  /** Stores a part of an import, once. */
  const addPart = async (
    { part, ...which }: Which & { part: number },
    save: (one: ListedImport, token: string) => Promise<{ drops: Drop[]; notTaken: NotTaken }>,
  ): Promise<void> => {
    const one = await getImport(directory, which);
    if (one.state === 'reading' && part < one.parts) return; // its answer was lost
    if (part > one.parts) throw new Refusal('bad_request', `part: the next is ${one.parts}.`);
    const claimed = await claim(one, ['reading'], 'reading');
    await releasing(claimed, async () => {
      if (claimed.parts !== part) throw new Refusal('bad_request', `part: the next is ${claimed.parts}.`);
      const { drops, notTaken } = await save(claimed, `${one.id}/${part}`);
      await advanceParts(directory, { ...claimed, drops, notTaken: added(claimed.notTaken, notTaken) }, now());
    });
  };
  /** Takes over what people have set up. The last frame proves that no other is missing. */
  const takeSetUp = async (known: ListedImport, last: SealedFrame | undefined): Promise<void> => {
    if (!last) throw new Refusal('bad_request', `${known.file}: its last part is missing.`);
    checkFile(known, last);
    const one = await claim(known, ['reading'], 'reading');
    await takeFrom(one, last).finally(() => releaseImport(directory, one.id, { now: now() }));
  };
  const takeFrom = async (one: ListedImport, last: SealedFrame): Promise<void> => {
    const site = await siteFor(one.site_id);
    const place = { index: one.parts + 1, isLast: true, now: now() };
    const given = readValue(await openFrame(directory, { site, ...last }, place), trailer);
    const { counted, imported } = await takenDays(site.id);
    await takeOver({ directory, site, now: now() }, given, { isNew: counted.length + imported.length === 0 });
  };
  const takenDays = async (siteId: SiteId): Promise<TakenDays> => {
    const daysOf = async (table: string) => {
      const sql = `SELECT toString(day) AS on_day FROM (SELECT day, count() FROM ${table} WHERE site_id = {site_id:String} GROUP BY day) ORDER BY day`;
      return (await store.query<{ on_day: string }>(sql, { site_id: siteId })).map(({ on_day }) => on_day);
    };
    return { counted: await daysOf('events'), imported: await daysOf('imported_days') };
  };
  return { addPart, siteFor, takeSetUp, takenDays };
}

type Steps = ReturnType<typeof openSteps>;

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
    const { days, brought, aiVisits } = await askBrought(store, ofStore(one));
    if (brought.days === 0) {
      await releaseImport(directory, one.id, { state: 'reading', now: now() });
      throw new Refusal('bad_request', `${one.file}: it has no day that is not counted already.`);
    }
    await onBegun?.({ ...one, brought });
    await hits.publish(one);
    await store.imported.publish(ofStore(one), { days, replaced: one.replaced, version: now() });
    await noteBrought(directory, { id: one.id, brought, aiVisits, notTaken: added(one.notTaken, notTaken) }, now());
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
const STORED_IMPORTS = [...IMPORTED_TABLES, ...HIT_TABLES, ...Object.values(PURGED_TABLES)]
  .map((table) => {
    const id = table.startsWith('imported') ? 'summing' : 'import_id';
    return `SELECT DISTINCT toString(site_id) AS site_id, toString(${id}) AS id FROM ${table} WHERE ${id} != ''`;
  })
  .join(' UNION DISTINCT ');

const fingerprintOf = (format: string, content: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([format, content]))
    .digest('hex');

/** Each export numbers visitors and cuts parts in its own way, also one of the same days: parts of two do not fit together. */
function checkFile({ fingerprint, file }: ListedImport, { keys }: SealedFrame): void {
  if (fingerprint !== fingerprintOf('sealed', keys.toString('base64')))
    throw new Refusal('bad_request', `${file}: this part is of another file. Choose the file once more.`);
}

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

/** What the hits of a part go on with: the visits before them, and the views that would be doubled. */
type Before = { visits: Visits; windows: Context['windows'] };

/** Hits become events with visits, or AI visits, which wait among the purged rows until the import is whole. */
function openHits({ directory, store, geo, now }: Parts) {
  /** After the last part, if this process has stored it. */
  const last = new Map<string, Partial<Before> & { part: number }>();
  const purge = ({ id, site_id }: OfImport) => ({ site_id, purge: id });
  /** What this process knows of the part before. A failure leaves visits that nobody has seen, so that it is forgotten until the part is stored. */
  const takeBefore = (one: ListedImport): Partial<Before> | undefined => {
    const known = last.get(one.id);
    last.delete(one.id);
    return known?.part === one.parts - 1 ? known : undefined;
  };
  /** Removes what a killed process has stored of a part. */
  const dropStored = async (one: ListedImport, recorded: readonly Recorded[]): Promise<void> => {
    const ids = recorded.map(({ event_id }) => event_id);
    for (let start = 0; start < ids.length; start += store.idsAQuery)
      await store.imported.dropKept(ofStore(one), { ids: ids.slice(start, start + store.idsAQuery) });
  };
  /** Removes it, and reads the visits that the part goes on with. */
  const restoreBefore = async (one: ListedImport, recorded: Recorded[]): Promise<Visits> => {
    await dropStored(one, recorded);
    const visits = openVisits(store, VISITS_BYTES, 'purged_events');
    const events = recorded.filter((entry) => entry.kind === 'event');
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
      const before = takeBefore(one);
      const windows = before?.windows ?? openMemoryWindows();
      const { events, aiVisits, dropped } = await hitsToEvents(keyed, { site, secret, now: now(), geo, windows });
      const visits = before?.visits ?? (await restoreBefore(one, [...events, ...aiVisits]));
      const visited = events.flatMap((event) => visits.assign(event, event.time) ?? []);
      await store.imported.saveHits(ofStore(one), { events: visited, aiVisits });
      last.set(one.id, { part: one.parts, visits, windows });
      return dropped;
    },
    /** Rows that are whole already. */
    addWhole: async (
      one: ListedImport,
      { events, aiVisits }: Pick<SealedRows, 'events' | 'aiVisits'>,
    ): Promise<void> => {
      const recorded = [...events, ...aiVisits];
      if (recorded.length === 0) return;
      const before = takeBefore(one);
      if (!before) await dropStored(one, recorded);
      await store.imported.saveHits(ofStore(one), { events, aiVisits });
      last.set(one.id, { ...before, part: one.parts });
    },
    /** Days with events or AI visits that this import did not bring keep these. */
    publish: async (one: ListedImport): Promise<void> => {
      for (const table of HIT_TABLES) {
        const taken = await askTaken(store, table, ofStore(one));
        for (let start = 0; start < taken.length; start += DAYS_AT_ONCE)
          await store.imported.dropKept(ofStore(one), {
            days: taken.slice(start, start + DAYS_AT_ONCE),
            tables: [table],
          });
      }
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
      for (const table of HIT_TABLES) await store.purged.choose({ ...purge(one), table, where, bound: {} });
      await store.purged.takeOut(purge(one));
      await store.purged.erase(purge(one));
    },
  };
}

const rowOf = ({ label, visitors, visit_seconds, ...same }: ImportedSum): ImportedSumRow => ({
  ...same,
  label: same.dimension === 'goal' ? importedGoal(label) : label,
  unique_visitors: visitors,
  visit_ms: Math.round(visit_seconds * 1000),
});

type OfStore = ReturnType<typeof ofStore>;

/** The days that take nothing from an import into a table: those with other events, and for AI visits those with other AI visits too. */
const TAKEN_DAYS = {
  events: otherDays(['events']),
  ai_visits: otherDays(['events', 'ai_visits']),
} as const;

function otherDays(tables: readonly HitTable[]): string {
  return tables
    .map(
      (table) =>
        `SELECT day FROM ${table} WHERE site_id = {site_id:String} AND import_id != {summing:String} GROUP BY day`,
    )
    .join(' UNION DISTINCT ');
}

/** The days of an import's hits that are taken. */
async function askTaken({ query }: Pick<EventStore, 'query'>, table: HitTable, of: OfStore): Promise<string[]> {
  const rows = await query<{ on_day: string }>(
    `SELECT DISTINCT toString(day) AS on_day FROM ${PURGED_TABLES[table]}
      WHERE site_id = {site_id:String} AND purge = {summing:String} AND day IN (${TAKEN_DAYS[table]})`,
    of,
  );
  return rows.map(({ on_day }) => on_day);
}

/** The hits of an import for the days that take them. They are among the purged rows, or partly put back. */
const broughtTo = (table: HitTable, columns: string): string =>
  [table, PURGED_TABLES[table]]
    .map(
      (from) =>
        `SELECT ${columns} FROM ${from}
          WHERE site_id = {site_id:String} AND import_id = {summing:String} AND day NOT IN (${TAKEN_DAYS[table]})`,
    )
    .join(' UNION ALL ');

const BROUGHT = `SELECT 'sums' AS source, toString(day) AS on_day, toString(sum(pageviews)) AS views,
    toString(sum(unique_visitors)) AS people, '0' AS agents
  FROM imported_sums WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = '' GROUP BY day
  UNION ALL
  SELECT 'hits', toString(day), toString(uniqExactIf(event_id, name = 'pageview')),
    toString(uniqExactIf(visitor_id, visitor_id != 0)), '0'
  FROM (${broughtTo('events', 'day, event_id, name, visitor_id')}) GROUP BY day
  UNION ALL
  SELECT 'agents', toString(day), '0', '0', toString(uniqExact(event_id)) FROM (${broughtTo('ai_visits', 'day, event_id')}) GROUP BY day`;

/** The days and totals of an import that has not begun to count. */
async function askBrought(
  { query }: Pick<EventStore, 'query'>,
  of: OfStore,
): Promise<{ days: string[]; brought: Brought; aiVisits: number }> {
  const rows = await query<Record<'source' | 'on_day' | 'views' | 'people' | 'agents', string>>(BROUGHT, of);
  const days = [...new Set(rows.map(({ on_day }) => on_day))].sort();
  const sumOf = (name: 'views' | 'people' | 'agents') => rows.reduce((sum, row) => sum + Number(row[name]), 0);
  return {
    days: rows.flatMap(({ source, on_day }) => (source === 'sums' ? [on_day] : [])),
    aiVisits: sumOf('agents'),
    brought: {
      first_day: days[0] ?? '',
      last_day: days.at(-1) ?? '',
      days: days.length,
      pageviews: sumOf('views'),
      visitors: sumOf('people'),
    },
  };
}
