// The place of backups: a folder, or a bucket of S3-compatible storage. It holds files that never change, named by a hash of their content,
// and one manifest for each backup. A file that several backups have in common is stored once.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { ARCHIVED } from '../store/archive.ts';
import { t } from '../vocabulary/habits/messages.ts';

const saved = z.object({ name: z.string().regex(/^[0-9a-f]{64}(\.\w+)+$/), bytes: z.number() });
/** A file of a backup. Its name begins with the SHA-256 of its content. */
export type SavedFile = z.infer<typeof saved>;

/** What a backup consists of. It is written last: without it there is no backup. */
const manifest = z.object({
  format: z.literal(2),
  made_at: z.iso.datetime(),
  migration: z.string(),
  directory: z.record(z.string(), saved),
  waiting: saved,
  buried: saved,
  rows: z.array(
    z.object({
      table: z.enum(ARCHIVED),
      day: z.iso.date(),
      rows: z.number(),
      fingerprint: z.string(),
      file: saved,
    }),
  ),
});
export type Manifest = z.infer<typeof manifest>;
const ofThisFormat = manifest.pick({ format: true });

export type Place = {
  /** The name of the place, for messages. */
  label: string;
  /** The moments of its backups, the oldest first. */
  moments(): Promise<string[]>;
  read(moment: string): Promise<string>;
  write(moment: string, text: string): Promise<void>;
  remove(moment: string): Promise<void>;
  /** Keeps a local file under a name. The local file may be gone then. */
  keep(name: string, file: string): Promise<void>;
  /** Returns the path of a local file with the content, which may be a new file in `folder`. */
  fetch(name: string, folder: string): Promise<string>;
  files(): Promise<SavedFile[]>;
  removeFile(name: string): Promise<void>;
};

const FILES = 'files';
const MOMENTS = 'backups';
/** An ISO time without colons, which some file systems refuse. */
const MOMENT = /^(\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z)\.json$/;

export const momentOf = (at: number) => new Date(at).toISOString().replaceAll(':', '');

/** `named`: a path, or `s3://BUCKET` with an optional prefix. */
export async function openPlace(named: string, config: Config): Promise<Place> {
  const bucket = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>[^?#]*))?$/.exec(named)?.groups;
  if (bucket) return openBucket(config, { label: named, bucket: bucket['bucket'] ?? '', prefix: bucket['prefix'] });
  if (/^\w+:\/\//.test(named))
    throw new Refusal(
      'bad_request',
      t('{place} must be a folder, or a bucket such as s3://backups/footfall.', { place: named }),
    );
  return openFolder(resolve(named));
}

const momentsAmong = (names: string[]) => names.flatMap((name) => MOMENT.exec(name)?.[1] ?? []).sort();

function openFolder(folder: string): Place {
  const pathOf = (...names: string[]) => join(folder, ...names);
  const listed = async (name: string) =>
    readdir(pathOf(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  /** Creates the folders for the first backup. A folder that exists keeps its permissions: it may belong to somebody else. */
  const prepare = async () => {
    for (const name of [FILES, MOMENTS]) await mkdir(pathOf(name), { recursive: true, mode: 0o700 });
  };
  return {
    label: folder,
    moments: async () => momentsAmong(await listed(MOMENTS)),
    read: (moment) => readFile(pathOf(MOMENTS, `${moment}.json`), 'utf8'),
    write: async (moment, text) => {
      await prepare();
      await writeFile(pathOf(MOMENTS, 'new'), text, { mode: 0o600, flush: true });
      await rename(pathOf(MOMENTS, 'new'), pathOf(MOMENTS, `${moment}.json`));
      await flush(pathOf(MOMENTS));
    },
    remove: (moment) => rm(pathOf(MOMENTS, `${moment}.json`)),
    keep: async (name, file) => {
      await prepare();
      // The folder may be on another disk, so the file is copied.
      await copyFile(file, pathOf(FILES, 'new'));
      await chmod(pathOf(FILES, 'new'), 0o600);
      await flush(pathOf(FILES, 'new'));
      await rename(pathOf(FILES, 'new'), pathOf(FILES, name));
      await flush(pathOf(FILES));
    },
    fetch: (name) => Promise.resolve(pathOf(FILES, name)),
    files: async () => {
      const names = (await listed(FILES)).filter((name) => name !== 'new');
      const files = [];
      for (const name of names) files.push({ name, bytes: (await stat(pathOf(FILES, name))).size });
      return files;
    },
    removeFile: (name) => rm(pathOf(FILES, name)),
  };
}

/** Waits until a file, or the names in a folder, are on disk. */
async function flush(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/** Loads the client only here: few servers use it. */
async function openBucket(
  config: Config,
  { label, bucket, prefix = '' }: { label: string; bucket: string; prefix: string | undefined },
): Promise<Place> {
  const { S3mini } = await import('s3mini');
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey, S3_REGION: region } = config;
  if (!accessKeyId || !secretAccessKey)
    throw new Refusal('bad_request', t('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set for backups to s3://.'));
  const server = config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`;
  const endpoint = new URL(bucket, server.endsWith('/') ? server : `${server}/`).href;
  const client = new S3mini({ accessKeyId, secretAccessKey, region, endpoint });
  const below = prefix.split('/').filter((name) => name !== '');
  const keyOf = (...names: string[]) => [...below, ...names].join('/');
  /** The storage's errors are for the operator: a wrong key, a bucket of somebody else, no connection. */
  const ask = <Value>(asking: Promise<Value>): Promise<Value> =>
    asking.catch((error: unknown) => {
      throw new Refusal('service_unavailable', `${label}: ${error instanceof Error ? error.message : String(error)}`);
    });
  const listed = async (name: string) => {
    const folder = `${keyOf(name)}/`;
    const found = await ask(client.listObjects('/', folder));
    if (!found) throw new Refusal('bad_request', t('{place}: there is no such bucket.', { place: label }));
    return found.map(({ Key, Size }) => ({ name: Key.slice(folder.length), bytes: Number(Size) }));
  };
  const take = async (key: string) => {
    const answer = await ask(client.getObjectResponse(key));
    if (!answer?.body) throw new Refusal('bad_request', t('{place}: {file} is missing.', { place: label, file: key }));
    return answer;
  };
  return {
    label,
    moments: async () => momentsAmong((await listed(MOMENTS)).map(({ name }) => name)),
    read: async (moment) => (await take(keyOf(MOMENTS, `${moment}.json`))).text(),
    write: async (moment, text) => void (await ask(client.putObject(keyOf(MOMENTS, `${moment}.json`), text))),
    remove: async (moment) => void (await ask(client.deleteObject(keyOf(MOMENTS, `${moment}.json`)))),
    keep: async (name, file) => void (await ask(client.putAnyObject(keyOf(FILES, name), await openAsBlob(file)))),
    fetch: async (name, folder) => {
      const path = join(folder, name);
      const { body } = await take(keyOf(FILES, name));
      if (body) await pipeline(Readable.fromWeb(body as never), createWriteStream(path, { mode: 0o600 }));
      return path;
    },
    files: () => listed(FILES),
    removeFile: async (name) => void (await ask(client.deleteObject(keyOf(FILES, name)))),
  };
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Thrown for a manifest that nothing can be restored from. */
export class Damaged extends Refusal {
  constructor(place: Place, moment: string) {
    super(
      'bad_request',
      t('{place}: the backup {moment} is damaged: choose an earlier one with --at.', { place: place.label, moment }),
    );
  }
}

/** Reads the manifest of a moment. Throws Damaged, or another Refusal for one of a later version. */
export async function readManifest(place: Place, moment: string): Promise<Manifest> {
  const text = await place.read(moment);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Damaged(place, moment);
  }
  const read = manifest.safeParse(content);
  if (read.success) return read.data;
  if (ofThisFormat.safeParse(content).success) throw new Damaged(place, moment);
  throw backupOfAnotherVersion();
}

export const backupOfAnotherVersion = (): Refusal =>
  new Refusal(
    'bad_request',
    t('This backup was made by a later version of Footfall, or by one before 1.0.0: use that version.'),
  );
