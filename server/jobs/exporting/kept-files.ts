// Where the files of exports are kept until they are downloaded: in DATA_DIR, or in PostgreSQL, where processes on other machines find them, too.
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Bytes, from the first to the last, both included. */
type Span = { first: number; last: number };

type KeptFiles = {
  /** Takes over a finished file. */
  keep(id: string, path: string): Promise<void>;
  /** Throws not_found for a file that is gone, as at the end of its day. */
  read(id: string, span: Span): Promise<Readable>;
  /** Deletes the files of all other exports. `askKnown`: is asked once the files are listed, since a new one may be kept meanwhile. */
  sweep(askKnown: () => Promise<ReadonlySet<string>>): Promise<void>;
};

export const openKeptFiles = (directory: Directory, folder: string): KeptFiles =>
  directory.form === 'postgres' ? inPostgres(directory) : inFolder(folder);

function inFolder(folder: string): KeptFiles {
  return {
    keep: async (id, path) => {
      await mkdir(folder, { recursive: true });
      await rename(path, join(folder, id));
    },
    read: async (id, { first, last }) => (await opened(join(folder, id))).createReadStream({ start: first, end: last }),
    sweep: async (askKnown) => {
      const names = await readdir(folder).catch(() => []);
      if (names.length === 0) return;
      const known = await askKnown();
      for (const name of names) if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
    },
  };
}

const isGone = () => new Refusal('not_found', t('The file of this export is no longer kept: make it again.'));

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? isGone() : error;
  }
}

const PART_BYTES = 1024 * 1024;

function inPostgres({ db }: Directory): KeptFiles {
  const partOf = async (id: string, part: number): Promise<Buffer> => {
    const stored = db.selectFrom('export_parts').select('content');
    const row = await stored.where('export_id', '=', id).where('part', '=', part).executeTakeFirst();
    if (!row) throw isGone();
    return Buffer.from(row.content);
  };
  async function* read(id: string, { first, last }: Span): AsyncGenerator<Buffer> {
    for (let part = Math.floor(first / PART_BYTES); part * PART_BYTES <= last; part += 1) {
      const start = part * PART_BYTES;
      yield (await partOf(id, part)).subarray(Math.max(0, first - start), last - start + 1);
    }
  }
  return {
    keep: async (id, path) => {
      await db.deleteFrom('export_parts').where('export_id', '=', id).execute(); // of a process that was killed
      const file = await open(path);
      try {
        for (let part = 0; ; part += 1) {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, part * PART_BYTES);
          if (bytesRead === 0) break;
          const content = buffer.subarray(0, bytesRead);
          await db.insertInto('export_parts').values({ export_id: id, part, content }).execute();
        }
      } finally {
        await file.close();
      }
    },
    read: async (id, span) => {
      await partOf(id, Math.floor(span.first / PART_BYTES));
      return Readable.from(read(id, span), { objectMode: false });
    },
    sweep: () => Promise.resolve(), // parts leave with their export
  };
}
