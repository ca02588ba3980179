// Opens what people drop: files as they are, gz, zst, and zips with files in them. Nothing is ever written, so the paths inside a zip do not matter. Bytes
// that come out of an archive are counted as they come: what its directory claims may be a lie.
import { BlobReader, ZipReader, type FileEntry } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { cleanText } from '../../texts/spelling.ts';
import { ImportError, type ImportFile } from '../import.ts';
import { isZstd, openZstd } from './zstd.ts';

/** An export of Footfall has two hundred for a site and year. */
const MAX_ENTRIES = 10_000;
/** Far above any history of daily sums or hits, and a day of work for a server at most. */
const MAX_UNPACKED_BYTES = 64 * 1024 ** 3;
/** Real exports reach 40. Deflate itself ends at 1,032, where bombs are. */
const MAX_RATIO = 200;
/** Small files may have any ratio. */
const FREE_BYTES = 64 * 1024 ** 2;

export type OnRead = (bytes: number) => void;
export type Unpacked = {
  /** As messages name it, such as `export.zip/visitors.csv`. */
  name: string;
  isInZip: boolean;
  /** The outermost folder in the zip; '' without any. */
  folder: string;
  /** What `onRead` adds up to: a zip's directory may claim something else, so it serves for progress alone. */
  size: number;
  bytes(onRead?: OnRead): AsyncGenerator<Uint8Array>;
};

const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b];
export const ARCHIVES = [
  GZIP,
  ZIP,
  [0x52, 0x61, 0x72, 0x21], // rar
  [0x37, 0x7a, 0xbc, 0xaf], // 7z
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0x42, 0x5a, 0x68], // bzip2
  [0xfd, 0x37, 0x7a, 0x58], // xz
];
export const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

/** A file name as a message may show it. */
export const shownName = (name: string): string =>
  cleanText(name.replaceAll('\\', '/').split('/').at(-1) ?? '', 100) || 'file';

export async function unpack(file: ImportFile): Promise<Unpacked[]> {
  const name = shownName(file.name);
  const { blob } = file;
  const mark = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  const alone = (bytes: Unpacked['bytes']): Unpacked => ({ name, isInZip: false, folder: '', size: blob.size, bytes });
  if (startsWith(mark, ZIP)) return unzip(name, blob);
  if (startsWith(mark, GZIP)) return [alone((onRead) => gunzip(name, blob, onRead))];
  if (isZstd(mark)) return [alone((onRead) => unzstd(name, blob, onRead))];
  return [alone((onRead) => counted(chunks(name, blob.stream()), onRead))];
}

async function unzip(name: string, blob: Blob): Promise<Unpacked[]> {
  const files: Unpacked[] = [];
  const reader = new ZipReader(new BlobReader(blob), { useWebWorkers: false, filenameValidation: 'tolerant' });
  let count = 0;
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      count += 1;
      if (count > MAX_ENTRIES) throw new ImportError({ what: 'many_entries', name, most: MAX_ENTRIES });
      if (entry.directory || isOfSystem(entry.filename)) continue;
      if (entry.encrypted) throw new ImportError({ what: 'encrypted', name });
      const inner = `${name}/${shownName(entry.filename)}`;
      files.push({
        name: inner,
        isInZip: true,
        folder: /^([^/\\]+)[/\\]/.exec(entry.filename)?.[1] ?? '',
        size: entry.uncompressedSize,
        bytes: (onRead) => inflate(inner, entry, onRead),
      });
    }
  } catch (error) {
    throw damaged(name, error);
  }
  if (files.length === 0) throw new ImportError({ what: 'empty_zip', name });
  return files;
}

/** What macOS and Windows add to archives. */
const isOfSystem = (path: string) => /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._)/i.test(path);

async function* inflate(name: string, entry: FileEntry, onRead?: OnRead): AsyncGenerator<Uint8Array> {
  let fail = (_: unknown) => {};
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      fail = (error) => controller.error(error);
    },
  });
  const work = entry.getData(writable, { useWebWorkers: false, checkSignature: true, checkOverlappingEntry: true });
  // TRICKY: for an entry that it cannot find, zip.js rejects and leaves the stream open, so that its reader would wait for ever.
  work.catch(fail);
  yield* counted(
    bounded(name, chunks(name, readable), () => entry.compressedSize),
    onRead,
  );
  try {
    await work;
  } catch (error) {
    throw damaged(name, error);
  }
}

async function* gunzip(name: string, blob: Blob, onRead?: OnRead): AsyncGenerator<Uint8Array> {
  let packed = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      packed += chunk.length;
      onRead?.(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const stream = blob.stream().pipeThrough(counter).pipeThrough(new DecompressionStream('gzip'));
  yield* bounded(name, chunks(name, stream), () => packed);
}

async function* unzstd(name: string, blob: Blob, onRead?: OnRead): AsyncGenerator<Uint8Array> {
  let packed = 0;
  const zstd = openZstd(
    name,
    limitOf(name, () => packed),
  );
  try {
    for await (const chunk of chunks(name, blob.stream())) {
      packed += chunk.length;
      onRead?.(chunk.length);
      yield* zstd.add(chunk);
    }
    yield* zstd.end();
  } catch (error) {
    throw damaged(name, error);
  }
}

/** Hears of bytes that came out of an archive, and throws when they are too many. */
function limitOf(name: string, packedBytes: () => number): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > MAX_UNPACKED_BYTES || (total > FREE_BYTES && total > MAX_RATIO * packedBytes()))
      throw new ImportError({ what: 'bomb', name });
  };
}

async function* bounded(
  name: string,
  parts: AsyncGenerator<Uint8Array>,
  packedBytes: () => number,
): AsyncGenerator<Uint8Array> {
  const limit = limitOf(name, packedBytes);
  for await (const part of parts) {
    limit(part.length);
    yield part;
  }
}

async function* counted(parts: AsyncGenerator<Uint8Array>, onRead?: OnRead): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    onRead?.(part.length);
    yield part;
  }
}

/** Not `for await` on the stream: Safari's cannot do that before version 26.2. */
async function* chunks(name: string, stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw damaged(name, error);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const damaged = (name: string, cause: unknown): ImportError =>
  cause instanceof ImportError ? cause : new ImportError({ what: 'damaged_archive', name }, { cause });
