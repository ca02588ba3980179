// The parts of an import: they are received in their order, stored once, and counted. Every step can be run again, so a kill at any moment only delays it.
import { createHash } from 'node:crypto';
import type { Dropped } from '../collect/doors/import-hits.ts';
import { sourceNamed } from '../collect/sources/referrer.ts';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import { withSmallHeap } from '../process/v8-heap.ts';
import type { Drop } from '../sites/drops.ts';
import {
  added,
  advanceParts,
  claimImport,
  getImport,
  type ListedImport,
  type NotTaken,
  releaseImport,
} from '../sites/import-list.ts';
import { importedGoal } from '../stats/days/day-goals.ts';
import type { ImportedSumRow } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { ImportBatch, ImportedSum } from '../vocabulary/imports/import.ts';
import { MAX_PART_ROWS } from '../vocabulary/settings/imports.ts';
import { DAY_MS, dayOf } from '../vocabulary/time/time.ts';
import { type Manifest, manifest } from './exporting/frames.ts';
import { openFrame, readSealedRows, readValue, type SealedFrame } from './exporting/unsealing.ts';
import { type Before, type Hits, NO_HITS, ofStore, type ReadHits, siteToImport } from './import-hits.ts';
import { t } from '../vocabulary/habits/messages.ts';

export type Which = { siteId: SiteId; id: string };
type OfPart = Which & { part: number };
type Rows = Pick<ImportBatch, 'hits' | 'sums'>;
type Numbered = { part: number; rows: Rows };

export type Receiving = {
  /** Stores the rows of a part. Sending one again changes nothing. Throws bad_request for a site that is paused. */
  add(which: OfPart, rows: Rows): Promise<void>;
  /** Stores parts one after another, like `add`. The hits of one become events while the one before is stored. */
  addAll(which: Which, parts: AsyncIterable<Numbered>): Promise<void>;
  /** What a sealed export holds, by its first frame. Throws bad_request if it was sealed for another account. */
  openSealed(of: SealedFrame & { siteId: SiteId }): Promise<Manifest>;
  /** Stores the rows of a frame of a sealed export, like `add`. */
  addSealed(which: OfPart, sealed: SealedFrame): Promise<void>;
};

type Parts = {
  directory: Directory;
  store: Pick<EventStore, 'imported' | 'query'>;
  hits: Hits;
  now(): number;
};

/** Returns what stores a part of an import, once. */
function openAdding({ directory, now }: Pick<Parts, 'directory' | 'now'>) {
  return async (
    { part, ...which }: OfPart,
    save: (one: ListedImport, token: string) => Promise<{ drops: Drop[]; notTaken: NotTaken }>,
  ): Promise<void> => {
    const one = await getImport(directory, which);
    if (one.state === 'reading' && part < one.parts) return; // its answer was lost
    if (part > one.parts) throw new Refusal('bad_request', t('part: the next is {parts}.', { parts: one.parts }));
    const claimed = await claimImport(directory, one, { from: ['reading'], to: 'reading', now: now() });
    await releasing({ directory, now }, claimed, async () => {
      if (claimed.parts !== part)
        throw new Refusal('bad_request', t('part: the next is {parts}.', { parts: claimed.parts }));
      const { drops, notTaken } = await save(claimed, `${one.id}/${part}`);
      await advanceParts(directory, { ...claimed, drops, notTaken: added(claimed.notTaken, notTaken) }, now());
    });
  };
}

export function openReceiving({ directory, store, hits, now }: Parts): Receiving {
  const addPart = openAdding({ directory, now });
  /** `read`: the hits of the part, once it is claimed. */
  const addRows = (which: OfPart, { sums }: Rows, read: (one: ListedImport) => Promise<ReadHits>) =>
    addPart(which, async (one, token) => {
      await store.imported.save(ofStore(one), { rows: sums.map(rowOf), token });
      const { lines, dropped } = await read(one);
      await store.imported.saveHits(lines);
      return { drops: dropsOf(one.site_id, dropped), notTaken: countOf(dropped) };
    });
  const readHits = ({ siteId, id }: Which, { part, rows }: Numbered, before?: Partial<Before>) =>
    rows.hits.length === 0 ? NO_HITS : hits.read({ id, site_id: siteId }, { part, hits: rows.hits }, before);
  const add = async (which: OfPart, rows: Rows): Promise<void> => {
    checkRows(rows, now());
    const { part } = which;
    let after: Before | undefined;
    await addRows(which, rows, async () => {
      const read = await readHits(which, { part, rows }, hits.takeBefore(which, part));
      ({ after } = read);
      return read;
    });
    if (after) hits.keepAfter(which, part, after);
  };
  const addAll = async (which: Which, parts: AsyncIterable<Numbered>): Promise<void> => {
    let before: Partial<Before> | undefined;
    let last = -1;
    let storing = Promise.resolve();
    try {
      for await (const { part, rows } of parts) {
        last = part;
        if (rows.hits.length > 0 && !before?.visits) {
          // What a killed process has stored of the part is removed while it is claimed.
          await storing;
          await add({ ...which, part }, rows);
          before = hits.takeBefore(which, part + 1);
          continue;
        }
        checkRows(rows, now());
        const read = await readHits(which, { part, rows }, before);
        before = read.after ?? before;
        await storing;
        storing = addRows({ ...which, part }, rows, () => Promise.resolve(read));
        storing.catch(() => undefined); // it is heard when the next part is read, or at the end
      }
    } finally {
      await storing.catch(() => undefined); // or else a part would be stored after its import was refused
    }
    await storing;
    if (before) hits.keepAfter(which, last, before);
  };
  return {
    add,
    addAll: (which, parts) => withSmallHeap(() => addAll(which, parts)),
    openSealed: async ({ siteId, ...sealed }) => {
      const site = await siteToImport(directory, siteId);
      return readValue(
        await openFrame(directory, { site, ...sealed }, { index: 0, isLast: false, now: now() }),
        manifest,
      );
    },
    addSealed: (which, sealed) =>
      addPart(which, async (one, token) => {
        checkFile(one, sealed);
        const site = await siteToImport(directory, one.site_id);
        const place = { index: which.part + 1, isLast: false, now: now() };
        const rows = readSealedRows(await openFrame(directory, { site, ...sealed }, place), site, now());
        await store.imported.save(ofStore(one), { rows: rows.sums.map(withKnownSource), token });
        await hits.addWhole(one, rows);
        return {
          drops: [],
          notTaken: countOf(Array.from({ length: rows.notOver }, () => ({ reason: 'not_over', time: 0 }))),
        };
      }),
  };
}

/** The next run of the job goes on with what failed half-way. */
export async function releasing(
  { directory, now }: Pick<Parts, 'directory' | 'now'>,
  { id }: Pick<ListedImport, 'id'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    await releaseImport(directory, id, { now: now() });
    throw error;
  }
}

export const fingerprintOf = (format: string, content: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([format, content]))
    .digest('hex');

/** Each export numbers visitors and cuts parts in its own way, also one of the same days: parts of two do not fit together. */
export function checkFile({ fingerprint, file }: ListedImport, { keys }: SealedFrame): void {
  if (fingerprint !== fingerprintOf('sealed', keys.toString('base64')))
    throw new Refusal('bad_request', t('{file}: this part is of another file. Choose the file once more.', { file }));
}

function checkRows({ hits, sums }: Rows, now: number): void {
  if (hits.length + sums.length > MAX_PART_ROWS)
    throw new Refusal('bad_request', t('A part has at most {MAX_PART_ROWS} rows.', { MAX_PART_ROWS }));
  const last = dayOf(now + DAY_MS); // the last that has begun in any time zone
  const later = [...sums.map(({ day }) => day), ...hits.map(({ time }) => dayOf(time))].find((day) => day > last);
  if (later) throw new Refusal('bad_request', t('{later} is in the future.', { later }));
}

const countOf = (dropped: readonly Dropped[]): NotTaken =>
  Object.fromEntries([...Map.groupBy(dropped, ({ reason }) => reason)].map(([reason, all]) => [reason, all.length]));

/** What the steps of a site dropped. */
const dropsOf = (site_id: SiteId, dropped: readonly Dropped[]): Drop[] =>
  dropped.flatMap(({ reason, time }) =>
    reason === 'not_over' || reason === 'status' ? [] : [{ site_id, day: dayOf(time), reason, count: 1 }],
  );

const rowOf = ({ label, visitors, visit_seconds, ...same }: ImportedSum): ImportedSumRow =>
  withKnownSource({
    ...same,
    label: same.dimension === 'goal' ? importedGoal(label) : label,
    unique_visitors: visitors,
    visit_ms: visit_seconds === null ? null : Math.round(visit_seconds * 1000),
  });

/** Visits from a source are one row of a list, whoever counted them. */
const withKnownSource = (row: ImportedSumRow): ImportedSumRow =>
  row.dimension === 'source' ? { ...row, label: sourceNamed(row.label) } : row;
