// Imports of what other products counted. Rows arrive in parts, count nowhere until the last has come, and can be taken out again at any time. Every
// step can be run again, so a kill at any moment only delays it.
import { createHash } from 'node:crypto';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import {
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
import type { Versions } from '../stats/answer-cache.ts';
import type { ImportedSumRow } from '../store/imported-sums.ts';
import type { EventStore } from '../store/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { ImportedSum } from '../vocabulary/imports/import.ts';
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
  /** Stores the rows of a part. Sending one again changes nothing. */
  add(which: Which & { part: number }, rows: readonly ImportedSum[]): Promise<void>;
  /** Lets all parts count. `replaced`: days on which they count in place of the site's own events. Throws bad_request without any days. */
  finish(which: Which & { replaced: readonly string[]; notTaken: NotTaken } & Noting): Promise<ListedImport>;
  /** Takes an import out of all numbers. Throws not_found. */
  remove(which: Which & Noting): Promise<void>;
  takenDays(siteId: SiteId): Promise<TakenDays>;
  /** Goes on with what a killed process left, and removes what never arrived whole. Called by a job. */
  tidy(): Promise<void>;
};

type Parts = {
  directory: Directory;
  store: Pick<EventStore, 'imported' | 'query'>;
  versions: Pick<Versions, 'heard'>;
  /** Tells dashboards that the numbers of sites have changed. */
  onChanged(siteIds: Set<SiteId>): void;
  now(): number;
};

export function openImporting({ directory, store, versions, onChanged, now }: Parts): Importing {
  const changed = (siteId: SiteId) => {
    versions.heard(siteId);
    onChanged(new Set([siteId]));
  };
  const drop = async ({ id, site_id }: ListedImport) => {
    await noteRemoving(directory, id);
    await store.imported.drop({ site_id, summing: id });
    changed(site_id);
    await forgetImport(directory, id);
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
    add: async ({ part, ...which }, sums) => {
      const one = await reading(which);
      if (part < one.parts) return; // its answer was lost
      if (part > one.parts) throw new Refusal('bad_request', `part: the next is ${one.parts}.`);
      if (sums.length > MAX_PART_ROWS) throw new Refusal('bad_request', `A part has at most ${MAX_PART_ROWS} rows.`);
      const last = dayOf(now() + DAY_MS); // the last that has begun in any time zone
      const later = sums.find(({ day }) => day > last);
      if (later) throw new Refusal('bad_request', `sums: ${later.day} is in the future.`);
      const of = { site_id: one.site_id, summing: one.id };
      await store.imported.save(of, { rows: sums.map(rowOf), token: `${one.id}/${part}` });
      await advanceParts(directory, one);
    },
    finish: async ({ replaced, notTaken, onBegun, ...which }) => {
      const known = await getImport(directory, which);
      if (known.state === 'done') return known; // its answer was lost
      const one = await reading(which);
      const of = { site_id: one.site_id, summing: one.id };
      const brought = await askBrought(store, of);
      if (!brought) throw new Refusal('bad_request', `${one.file}: there is no day to import in it.`);
      await onBegun?.({ ...one, brought });
      await store.imported.publish(of, { replaced, version: now() });
      await noteBrought(directory, { id: one.id, brought, notTaken }, now());
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

const rowOf = ({ visitors, visit_seconds, ...same }: ImportedSum): ImportedSumRow => ({
  ...same,
  unique_visitors: visitors,
  visit_ms: Math.round(visit_seconds * 1000),
});

async function askBrought(
  { query }: Pick<EventStore, 'query'>,
  of: { site_id: string; summing: string },
): Promise<Brought | undefined> {
  const [row] = await query<Record<string, string>>(
    `SELECT toString(min(day)) AS first_day, toString(max(day)) AS last_day, toString(uniqExact(day)) AS days,
        toString(sum(pageviews)) AS pageviews, toString(sum(unique_visitors)) AS visitors
      FROM imported_sums WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = ''`,
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
