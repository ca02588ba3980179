// Imports of what other products counted. Rows arrive in parts, count nowhere until the last has come, and can be taken out again at any time. Every
// step can be run again, so a kill at any moment only delays it. See import-parts.ts for how rows arrive.
import { Refusal } from '../errors.ts';
import {
  added,
  allImportIds,
  beginImport,
  type BeginsAs,
  checkIsNew,
  claimImport,
  type Counting,
  forgetImport,
  getImport,
  leftImports,
  listImports,
  type ListedImport,
  noteBrought,
  type NotTaken,
  releaseImport,
} from '../sites/import-list.ts';
import { passOver } from '../sites/definitions/counted-alerts.ts';
import type { Versions } from '../stats/answer-cache.ts';
import { HIT_TABLES } from '../store/imported.ts';
import { IMPORTED_TABLES, PURGED_TABLES } from '../store/rows.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { TakenDays } from '../vocabulary/imports/overlap.ts';
import type { ImportState } from '../vocabulary/settings/imports.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import { trailer } from './exporting/frames.ts';
import { takeOver } from './exporting/set-up.ts';
import { openFrame, readValue, type SealedFrame } from './exporting/unsealing.ts';
import { askBrought, askDaysOfOthers, askTakenDays } from './import-days.ts';
import { type Hits, type HitsParts, ofHits, ofStore, openHits, siteToImport } from './import-hits.ts';
import { checkFile, fingerprintOf, openReceiving, type Receiving, releasing, type Which } from './import-parts.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** An import that has not arrived whole after this time is removed. */
const KEPT_MS = 7 * DAY_MS;

type Noting = { onBegun?: ((one: ListedImport) => Promise<void>) | undefined };
/** `content`: what is the same for the same files, such as their totals. Of a sealed export: the keys at its head, in base64. */
type Begun = { siteId: SiteId; format: string; file: string; content: unknown } & BeginsAs;
/** `last`: the last frame of a sealed export. */
type Finishing = Which & Counting & { notTaken: NotTaken; last?: SealedFrame | undefined };

export type Importing = Receiving & {
  /** Returns a new import, or the one of the same files that has not arrived whole: its next part is `parts`. */
  begin(begun: Begun): Promise<ListedImport>;
  /** Throws bad_request if the same was imported before: said before anything is asked about it. */
  check(of: Omit<Begun, keyof BeginsAs>): Promise<void>;
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

type Parts = HitsParts & {
  versions: Pick<Versions, 'heard'>;
  /** Tells dashboards that the numbers of sites have changed. */
  onChanged(siteIds: Set<SiteId>): void;
};

export function openImporting(parts: Parts): Importing {
  const { directory, store, now } = parts;
  const hits = openHits(parts);
  const { changed, claim, drop, publish, takeSetUp } = openSteps(parts, hits);
  const run = (one: ListedImport, work: () => Promise<void>) => releasing({ directory, now }, one, work);
  return {
    ...openReceiving({ directory, store, hits, now }),
    check: ({ format, content, ...of }) =>
      checkIsNew(directory, { ...of, fingerprint: fingerprintOf(format, content) }),
    begin: ({ content, ...begun }) => {
      return beginImport(directory, { ...begun, fingerprint: fingerprintOf(begun.format, content) }, now());
    },
    finish: async ({ replaced, keepsOthers, last, ...given }) => {
      const { siteId, id, ...rest } = given;
      const which = { siteId, id };
      const known = await getImport(directory, which);
      if (known.state === 'done') return known; // its answer was lost
      if (known.format === 'sealed') await takeSetUp(known, last);
      const one = await claim(known, ['reading'], 'publishing', { replaced, keepsOthers });
      await run(one, () => publish(one, rest));
      return getImport(directory, which);
    },
    remove: async ({ onBegun, ...which }) => {
      const known = await getImport(directory, which);
      const one = await claim(known, ['reading', 'done'], 'removing');
      await onBegun?.(one);
      await run(one, () => drop(one));
    },
    takenDays: async (siteId) => {
      const { imported, ...own } = await askTakenDays(store, siteId);
      const days = Map.groupBy(imported, ({ id }) => id);
      const known = (await listImports(directory, siteId)).filter(({ id }) => days.has(id));
      const daysOf = (id: string) => (days.get(id) ?? []).map(({ day }) => day);
      return { ...own, imported: known.map(({ id, file }) => ({ id, file, days: daysOf(id) })) };
    },
    tidy: async () => {
      for (const left of await leftImports(directory, now() - KEPT_MS)) {
        const to = left.state === 'publishing' ? 'publishing' : 'removing';
        const one = await claim(left, [left.state], to).catch(ofOthers);
        if (one) await run(one, () => (to === 'publishing' ? publish(one, { notTaken: {} }) : drop(one)));
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
  const claim = (one: ListedImport, from: readonly ImportState[], to: ImportState, counting?: Counting) =>
    claimImport(directory, one, { from, to, now: now(), counting });
  /** Lets a claimed import count: first the hits, which move, and then the sums, at once. */
  const publish = async (one: ListedImport, { notTaken, onBegun }: Pick<Finishing, 'notTaken'> & Noting) => {
    const { days, lastHits, brought, aiVisits } = await askBrought(store, ofHits(one));
    // A sealed export of a site without numbers brings what people have set up.
    const isSetUpAlone = one.format === 'sealed' && one.parts === 0;
    if (brought.days === 0 && !isSetUpAlone) {
      await releaseImport(directory, one.id, { state: 'reading', now: now() });
      throw new Refusal('bad_request', t('{file}: it has no day that is not counted already.', { file: one.file }));
    }
    await onBegun?.({ ...one, brought });
    if (lastHits !== undefined) await passOver(directory.db, { siteId: one.site_id, lastDay: lastHits }, now());
    await hits.publish(one);
    const kept = new Set(one.keepsOthers ? await askDaysOfOthers(store, ofStore(one)) : []);
    const [later, own] = [days.filter((day) => kept.has(day)), days.filter((day) => !kept.has(day))];
    // The highest version of a day counts. Seconds are below all milliseconds, so that a kept day is this import's only once the others are removed.
    const afterOthers = Math.floor(now() / 1000);
    await store.imported.publish(ofStore(one), { days: later, replaced: one.replaced, version: afterOthers });
    await store.imported.publish(ofStore(one), { days: own, replaced: one.replaced, version: now() });
    await noteBrought(directory, { id: one.id, brought, aiVisits, notTaken: added(one.notTaken, notTaken) }, now());
    changed(one.site_id);
  };
  /** Takes over what people have set up. The last frame proves that no other is missing. */
  const takeSetUp = async (known: ListedImport, last: SealedFrame | undefined): Promise<void> => {
    if (!last) throw new Refusal('bad_request', t('{file}: its last part is missing.', { file: known.file }));
    checkFile(known, last);
    const one = await claim(known, ['reading'], 'reading');
    await takeFrom(one, last).finally(() => releaseImport(directory, one.id, { now: now() }));
  };
  const takeFrom = async (one: ListedImport, last: SealedFrame): Promise<void> => {
    const site = await siteToImport(directory, one.site_id);
    const place = { index: one.parts + 1, isLast: true, now: now() };
    const given = readValue(await openFrame(directory, { site, ...last }, place), trailer);
    const { counted, imported } = await askTakenDays(store, site.id);
    await takeOver({ directory, site, now: now() }, given, { isNew: counted.length + imported.length === 0 });
  };
  return { changed, claim, drop, publish, takeSetUp };
}

/** Another process works on it, or has ended it. */
function ofOthers(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error;
}

/** The imports that have rows in any table. */
const STORED_IMPORTS = [...IMPORTED_TABLES, ...HIT_TABLES, ...HIT_TABLES.map((table) => PURGED_TABLES[table])]
  .map((table) => {
    const id = table.startsWith('imported') ? 'summing' : 'import_id';
    return `SELECT DISTINCT toString(site_id) AS site_id, toString(${id}) AS id FROM ${table} WHERE ${id} != ''`;
  })
  .join(' UNION DISTINCT ');
