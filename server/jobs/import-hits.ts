// The hits of an import: they become events with visits, or AI visits, which wait among the purged rows until the import is whole.
import { type Dropped, hitsToEvents, joined } from '../collect/doors/import-hits.ts';
import type { Context } from '../collect/draft.ts';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import { openMemoryWindows } from '../live/memory.ts';
import { openVisits, type Visits } from '../queue/writer/visits.ts';
import type { ListedImport } from '../sites/import-list.ts';
import { endImport, importSecret } from '../sites/imports.ts';
import { type Site, siteById } from '../sites/sites.ts';
import { HIT_TABLES, type HitLines, openHitLines } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import type { Recorded, SiteId } from '../vocabulary/event.ts';
import type { ImportedHit } from '../vocabulary/imports/import.ts';
import type { SealedRows } from './exporting/unsealing.ts';
import { askTaken } from './import-days.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** Visits that an import may go on with: of the last parts. */
const VISITS_BYTES = 20_000_000;
/** That one statement names. */
const DAYS_AT_ONCE = 200;

type OfImport = Pick<ListedImport, 'id' | 'site_id'>;
export const ofStore = ({ id, site_id }: OfImport) => ({ site_id, summing: id });
/** For the questions about its hits. */
export const ofHits = (one: ListedImport) => ({
  ...ofStore(one),
  keeps_others: one.keepsOthers ? (1 as const) : (0 as const),
});

/** What the hits of a part go on with: the visits before them, and the views that would be doubled. */
export type Before = { visits: Visits; windows: Context['windows'] };
/** The hits of a part as they are stored, and what the next part goes on with. */
export type ReadHits = { lines: HitLines; dropped: readonly Dropped[]; after: Before | undefined };
export const NO_HITS: ReadHits = { lines: [], dropped: [], after: undefined };

export type HitsParts = {
  directory: Directory;
  store: Pick<EventStore, 'idsAQuery' | 'imported' | 'purged' | 'query'>;
  /** Of the addresses in access logs. */
  geo: Context['geo'];
  now(): number;
};

/** Throws bad_request for a site that is paused. */
export async function siteToImport(directory: Directory, siteId: SiteId): Promise<Site> {
  const site = await siteById(directory, siteId);
  if (site && !site.paused) return site;
  throw new Refusal('bad_request', t('The site was deleted, or its tracking is paused: resume it first.'));
}

/** Turns the hits of a part into rows. */
function openReading({ directory, store, geo, now }: HitsParts) {
  /** Removes what a killed process has stored of a part. */
  const dropStored = async (one: OfImport, recorded: readonly Recorded[]): Promise<void> => {
    const ids = recorded.map(({ event_id }) => event_id);
    for (let start = 0; start < ids.length; start += store.idsAQuery)
      await store.imported.dropKept(ofStore(one), { ids: ids.slice(start, start + store.idsAQuery) });
  };
  /** Removes it, and reads the visits that the part goes on with. */
  const restoreBefore = async (one: OfImport, recorded: Recorded[]): Promise<Visits> => {
    await dropStored(one, recorded);
    const visits = openVisits(store, VISITS_BYTES, 'purged_events');
    await visits.restoreFor(
      recorded.filter((entry) => entry.kind === 'event'),
      now(),
    );
    return visits;
  };
  return {
    dropStored,
    /** Without `before`, the import must be claimed: what a killed process has stored of the part is removed first. */
    read: async (
      one: OfImport,
      { part, hits }: { part: number; hits: readonly ImportedHit[] },
      before?: Partial<Before>,
    ): Promise<ReadHits> => {
      const site = await siteToImport(directory, one.site_id);
      const keyed = hits.map((hit, index) => ({ hit, key: `${one.id}/${part}/${index}` }));
      const secret = await importSecret(directory, one.id, now());
      const windows = before?.windows ?? openMemoryWindows();
      const turns = hitsToEvents(keyed, { site, secret, now: now(), geo, windows });
      const lines = openHitLines(one.id);
      const dropped: Dropped[] = [];
      let visits = before?.visits;
      for await (const turn of visits ? turns : [await joined(turns)]) {
        const known = (visits ??= await restoreBefore(one, [...turn.events, ...turn.aiVisits]));
        lines.add({ ...turn, events: turn.events.flatMap((event) => known.assign(event, event.time) ?? []) });
        dropped.push(...turn.dropped);
      }
      return { lines: lines.all(), dropped, after: visits && { visits, windows } };
    },
  };
}

export type Hits = ReturnType<typeof openHits>;

export function openHits(parts: HitsParts) {
  const { directory, store } = parts;
  const reading = openReading(parts);
  /** After the last part, if this process has stored it. */
  const last = new Map<string, Partial<Before> & { part: number }>();
  const purge = ({ id, site_id }: OfImport) => ({ site_id, purge: id });
  /** What this process knows of the part before. A failure leaves visits that nobody has seen, so that it is forgotten until the part is stored. */
  const takeBefore = ({ id }: { id: string }, part: number): Partial<Before> | undefined => {
    const known = last.get(id);
    last.delete(id);
    return known?.part === part - 1 ? known : undefined;
  };
  return {
    takeBefore,
    /** Called once the part is stored. */
    keepAfter: ({ id }: { id: string }, part: number, after: Partial<Before>) => void last.set(id, { ...after, part }),
    read: reading.read,
    /** Rows that are whole already. */
    addWhole: async (
      one: ListedImport,
      { events, aiVisits, vitals, errors }: Omit<SealedRows, 'sums' | 'notOver'>,
    ): Promise<void> => {
      const recorded = [...events, ...aiVisits, ...vitals, ...errors];
      if (recorded.length === 0) return;
      const before = takeBefore(one, one.parts);
      if (!before) await reading.dropStored(one, recorded);
      const lines = openHitLines(one.id);
      lines.add({ events, aiVisits, vitals, errors });
      await store.imported.saveHits(lines.all());
      last.set(one.id, { ...before, part: one.parts });
    },
    /** Days with events or AI visits that this import did not bring keep these, and those of other imports if it is told so. */
    publish: async (one: ListedImport): Promise<void> => {
      for (const table of HIT_TABLES) {
        const taken = await askTaken(store, table, ofHits(one));
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
