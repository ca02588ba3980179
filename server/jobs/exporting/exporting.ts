// Exports of a site or of an account: asked for in the dashboard, made by a job, and kept for a day to be downloaded. An export that a kill interrupts
// is begun again.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  allExportIds,
  claimExport,
  type Export,
  finishExport,
  forgetExports,
  noteExported,
  releaseExport,
} from '../../accounts/exports.ts';
import type { Payments } from '../../accounts/billing/open.ts';
import { Refusal } from '../../errors.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { Log } from '../../process/log.ts';
import { withSmallHeap } from '../../process/v8-heap.ts';
import { listSites } from '../../sites/sites.ts';
import type { Statement } from '../../stats/sql/scope.ts';
import type { FileFormat } from '../../store/archive.ts';
import { openKeptFiles } from './kept-files.ts';
import { type FormParts, type Making, openEntries, writeZip } from './open-form.ts';
import { sealedSites, writeSealed } from './sealed-form.ts';

export type Exporting = {
  /** Makes the exports that wait, one after another. Called by a job. */
  run(turn: { signal: AbortSignal }): Promise<void>;
  /** Has the engine write the answer of a statement, and returns it. The file is gone once it has been read. */
  fileOf(statement: Statement, format: FileFormat): Promise<{ content: Readable; bytes: number }>;
  /** Deletes the files of those that are over, or of a site that was deleted. A job of its own, since making one may take an hour. */
  sweep(): Promise<void>;
  /** Reads a part of a file that is ready, from its first to its last byte. Throws not_found for one that is no longer kept. */
  read(one: Export, span: { first: number; last: number }): Promise<Readable>;
};

type Parts = FormParts & {
  payments: Pick<Payments, 'invoices'> | undefined;
  mail: Pick<Mail, 'send' | 'isOn'>;
  dataDir: string;
  now(): number;
  log: Log;
};

/** The export was deleted, or the process stops. */
class Unwanted extends Error {}

export function openExporting(parts: Parts): Exporting {
  const { directory, mail, dataDir, now, log } = parts;
  const files = openKeptFiles(directory, join(dataDir, 'exports'));
  rmSync(join(dataDir, 'exports-making'), { recursive: true, force: true }); // what a killed process left
  const folder = join(dataDir, 'exports-making', 'archive');
  const path = join(folder, 'file');

  const make = async (one: Export, signal: AbortSignal): Promise<void> => {
    const { making, total, write } = await prepare(parts, one, { folder, path, now: now() });
    let done = 0;
    const note = async (rows: number) => {
      done += rows;
      if (signal.aborted || !(await noteExported(directory, one, { done, total, now: now() }))) throw new Unwanted();
    };
    await note(0);
    await write({ ...making, onWritten: note });
    await note(0);
    const { size } = await stat(path);
    await files.keep(one.id, path);
    await directory.db.transaction().execute(async (db) => {
      if (!(await finishExport(db, one, { bytes: size, now: now() }))) return;
      // Whoever asked may not be an owner any more.
      const person = db.selectFrom('users').innerJoin('members', 'members.user_id', 'users.id').select('email');
      const owner = person.where('users.id', '=', one.user_id).where('account_id', '=', one.account_id);
      const to = (await owner.where('role', '=', 'owner').executeTakeFirst())?.email;
      const data = { what: making.siteId === null ? '' : (making.sites[0]?.domain ?? '') };
      if (to && mail.isOn) await mail.send(db, { kind: 'export_ready', key: `export_ready ${one.id}`, to, data });
    });
  };

  const makeNext = async (signal: AbortSignal): Promise<boolean> => {
    const one = await claimExport(directory, now());
    if (!one) return false;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    try {
      await withSmallHeap(() => make(one, signal));
    } catch (error) {
      if (signal.aborted) await releaseExport(directory, one, now());
      else if (!(error instanceof Unwanted)) log.warn({ error, export: one.id }, 'an export failed: it is tried again');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return !signal.aborted;
  };

  return {
    sweep: async () => {
      await forgetExports(directory, now());
      await files.sweep(async () => new Set(await allExportIds(directory)));
    },
    run: async ({ signal }) => {
      while (await makeNext(signal));
    },
    fileOf: async (statement, format) => {
      const own = join(dataDir, 'exports-making', `sent-${randomUUID()}`);
      await mkdir(dirname(own), { recursive: true });
      try {
        await parts.store.copyOut(statement, { file: own, format });
        const { size } = await stat(own);
        const content = createReadStream(own);
        await once(content, 'open');
        return { content, bytes: size };
      } finally {
        await rm(own, { force: true }); // an open file can still be read
      }
    },
    read: ({ id }, span) => files.read(id, span),
  };
}

type Prepared = {
  making: Omit<Making, 'onWritten'>;
  total: number;
  write(making: Making): Promise<void>;
};

async function prepare(parts: Parts, one: Export, given: Pick<Making, 'folder' | 'path' | 'now'>): Promise<Prepared> {
  const sites = (await listSites(parts.directory, one.account_id)).filter(
    ({ id }) => one.site_id === null || id === one.site_id,
  );
  const more = one.site_id === null ? await invoicesOf(parts, one.account_id) : [];
  const making = { ...given, accountId: one.account_id, siteId: one.site_id, sites, more };
  if (one.kind === 'sealed') {
    const { recipient } = one;
    if (recipient === null) throw new Error(`The sealed export ${one.id} has no recipient.`);
    const all = await sealedSites(parts, making);
    return {
      making,
      total: all.reduce((sum, { rows }) => sum + rows, 0),
      write: (whole) => writeSealed(parts, all, { ...whole, recipient }),
    };
  }
  const entries = await openEntries(parts, making);
  return {
    making,
    total: entries.reduce((sum, { rows }) => sum + rows, 0),
    write: (whole) => writeZip(entries, whole),
  };
}

async function invoicesOf({ payments }: Parts, accountId: string): Promise<[string, unknown][]> {
  if (!payments) return [];
  const invoices = await payments.invoices(accountId).catch((error: unknown) => {
    if (error instanceof Refusal) return { missing: error.message };
    throw error;
  });
  return [['invoices', invoices]];
}
