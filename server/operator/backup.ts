// Makes backups while the server runs: exact to one moment where one process writes. A backup has the directory, the stored events and the queue, and leaves out
// salts and sessions. Only files that earlier backups in the same place lack are written.
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../errors.ts';
import type { Progress } from './progress.ts';
import type { Queue } from '../queue/queue.ts';
import { LEASE_MS } from '../jobs/lease.ts';
import type { Lease } from '../queue/lease.ts';
import type { Writer } from '../queue/writer/writer.ts';
import { saveDirectory } from '../directory/archive.ts';
import type { Directory } from '../directory/open.ts';
import { Damaged, hashOf, type Manifest, momentOf, type Place, readManifest, type SavedFile } from './backup-place.ts';
import type { Snapshot } from '../store/archive.ts';
import type { EventStore } from '../store/open.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** A folder in DATA_DIR for the file that is being written or read. */
export const WORK_FOLDER = 'backup-files';

/** A third of the time after which another process takes over. */
const RENEW_MS = LEASE_MS / 3;

type Parts = {
  directory: Directory;
  store: EventStore;
  queue: Queue;
  writer: Pick<Writer, 'between'>;
  /** Of all processes, one makes a backup at a time. */
  lease: Lease;
  dataDir: string;
};
type Options = { place: Place; keep?: number | undefined };
export type Run = { now: number; onProgress(progress: Progress): void; signal?: AbortSignal };
type Made = { made_at: string; events: number; ai_visits: number; waiting: number; written_bytes: number };

export async function makeBackup(parts: Parts, options: Options, run: Run): Promise<Made> {
  if (!(await parts.lease.hold()))
    throw new Refusal('bad_request', t('Another backup is being made: wait until it is done.'));
  using lease = renewing(parts.lease);
  const folder = join(parts.dataDir, WORK_FOLDER);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    return await saveAll({ ...parts, lease }, { ...options, folder }, run);
  } finally {
    // Otherwise the files and the snapshot are those of the process that took over.
    if (await lease.hold()) {
      await rm(folder, { recursive: true, force: true });
      await lease.release();
    }
  }
}

/** A lease that is renewed while the backup is made, however long one file takes. Once it was lost, it stays lost. */
function renewing(lease: Lease): Lease & Disposable {
  let held = true;
  const hold = async () => (held &&= await lease.hold());
  const timer = setInterval(() => void hold(), RENEW_MS);
  timer.unref();
  return { hold, release: () => lease.release(), [Symbol.dispose]: () => clearInterval(timer) };
}

/** Throws if the operator interrupted the backup, or if another process took it over. */
async function goOn({ signal, lease }: Pick<Run, 'signal'> & { lease: Lease }): Promise<void> {
  if (signal?.aborted || !(await lease.hold()))
    throw new Refusal('service_unavailable', t('The backup was interrupted: run the command again.'));
}

/**
 * TRICKY: this process's writer pauses while the queue is read and the snapshot is taken. Another process may store events meanwhile, so the
 * queue is read first: an event that moves is then in both, and the restore takes it once. The other way round it would be in neither. New
 * events go on arriving: the backup has those that the queue held when it was read to its end. The directory is saved last, so that it
 * knows every site that was deleted meanwhile.
 */
async function saveAll(parts: Parts, { place, keep, folder }: Options & { folder: string }, run: Run): Promise<Made> {
  const { directory, store, queue, writer, lease } = parts;
  const moments = await place.moments();
  const last = moments.at(-1);
  const saving = openSaving(place, {
    folder,
    before: last === undefined ? undefined : await undamaged(place, last),
    files: await place.files(),
  });
  const { snapshot, waiting } = await writer.between(async () => {
    const waiting = await writeQueue(queue, folder);
    return { waiting, snapshot: await store.snapshot() };
  });
  try {
    const queued = { waiting: await saving.keep('waiting.ndjson'), buried: await saving.keep('buried.ndjson') };
    const rows = await saveRows(snapshot, saving, { ...run, lease });
    const migration = await saveDirectory(directory, folder);
    const tables: Manifest['directory'] = {};
    for (const name of migration.tables) tables[name] = await saving.keep(`${name}.ndjson`);
    // Two backups in the same millisecond, or after the clock went back, keep their order.
    const at = Math.max(run.now, ...moments.slice(-1).map((moment) => timeOf(moment) + 1));
    const made_at = new Date(at).toISOString();
    const made: Manifest = { format: 2, made_at, migration: migration.last, directory: tables, ...queued, rows };
    await goOn({ ...run, lease });
    await place.write(momentOf(at), JSON.stringify(made));
    if (keep !== undefined && (await lease.hold())) await removeOld(place, keep);
    run.onProgress({ done: 1, total: 1 });
    const count = (table: string) => rows.reduce((sum, each) => sum + (each.table === table ? each.rows : 0), 0);
    return {
      made_at,
      events: count('events'),
      ai_visits: count('ai_visits'),
      waiting,
      written_bytes: saving.written(),
    };
  } finally {
    if (await lease.hold()) await snapshot.drop();
  }
}

const timeOf = (moment: string) => Date.parse(moment.replace(/T(\d\d)(\d\d)/, 'T$1:$2:'));

type Saving = {
  /** Moves a file of the work folder to the place, unless the place has it. */
  keep(name: string): Promise<SavedFile>;
  /** The file of the last backup with these rows, if the place still has it. */
  known(fingerprint: string): SavedFile | undefined;
  folder: string;
  /** Bytes that were new. */
  written(): number;
};

type Before = { folder: string; before: Manifest | undefined; files: SavedFile[] };

function openSaving(place: Place, { folder, before, files }: Before): Saving {
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const isThere = ({ name, bytes }: SavedFile) => sizes.get(name) === bytes;
  const rows = new Map(
    before?.rows.filter(({ file }) => isThere(file)).map(({ fingerprint, file }) => [fingerprint, file]),
  );
  let written = 0;
  return {
    folder,
    known: (fingerprint) => rows.get(fingerprint),
    written: () => written,
    keep: async (local) => {
      const file = join(folder, local);
      const name = `${await hashOf(file)}${local.slice(local.indexOf('.'))}`;
      const { size: bytes } = await stat(file);
      if (!isThere({ name, bytes })) {
        await place.keep(name, file);
        written += bytes;
        sizes.set(name, bytes);
      }
      await rm(file, { force: true });
      return { name, bytes };
    },
  };
}

const filesOf = ({ directory, waiting, buried, rows }: Manifest): SavedFile[] => [
  ...Object.values(directory),
  waiting,
  buried,
  ...rows.map(({ file }) => file),
];

/** Returns the number of waiting events. */
async function writeQueue(queue: Queue, folder: string): Promise<number> {
  await using waiting = await open(join(folder, 'waiting.ndjson'), 'w', 0o600);
  await using buried = await open(join(folder, 'buried.ndjson'), 'w', 0o600);
  let count = 0;
  for await (const part of queue.contents()) {
    await waiting.appendFile(linesOf(part.waiting));
    await buried.appendFile(linesOf(part.buried));
    count += part.waiting.length;
  }
  return count;
}

function linesOf(rows: unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

async function saveRows(snapshot: Snapshot, saving: Saving, run: Omit<Run, 'now'> & { lease: Lease }) {
  const rows: Manifest['rows'] = [];
  const days = await snapshot.days();
  for (const [done, day] of days.entries()) {
    await goOn(run);
    run.onProgress({ done, total: days.length });
    const known = saving.known(day.fingerprint);
    if (!known) await snapshot.copyOut(day, join(saving.folder, 'rows.tsv.zst'));
    rows.push({ ...day, file: known ?? (await saving.keep('rows.tsv.zst')) });
  }
  return rows;
}

/** Removes all but the newest backups, and the files that only they had. */
async function removeOld(place: Place, keep: number): Promise<void> {
  const moments = await place.moments();
  for (const moment of moments.slice(0, -keep)) await place.remove(moment);
  const needed = new Set<string>();
  for (const moment of moments.slice(-keep)) {
    const kept = await undamaged(place, moment);
    if (!kept) return; // somebody may mend it, and would need its files
    for (const { name } of filesOf(kept)) needed.add(name);
  }
  for (const { name } of await place.files()) if (!needed.has(name)) await place.removeFile(name);
}

/** A backup that is damaged must not stop later ones. */
async function undamaged(place: Place, moment: string): Promise<Manifest | undefined> {
  return readManifest(place, moment).catch((error: unknown) => {
    if (error instanceof Damaged) return undefined;
    throw error;
  });
}
