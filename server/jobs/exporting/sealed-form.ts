// The sealed form of an export: everything about a site, encrypted for another Footfall. The first frame says what the file holds; rows follow, in
// frames that can each be read alone; the last frame has what people have set up. See imports/reading/sealed.ts for the frames.
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { ZipFile } from 'yazl';
import { sealFor } from '../../directory/sealing.ts';
import type { Site } from '../../sites/sites.ts';
import { SEALED_COLUMNS, SEALED_SUMS, type SealedMonth } from '../../stats/answers/sealed-rows.ts';
import { LAST, SEALED_MARK } from '../../vocabulary/imports/reading/sealed.ts';
import type { Manifest, SealedTable, Trailer } from './frames.ts';
import { setUpOf } from './set-up.ts';
import { allMonths, closedDays, monthsOf, type FormParts, type Making } from './open-form.ts';

const zip = promisify(zstdCompress);
/** Of the rows in a frame, before they are compressed: also if nothing can be compressed, a frame is short enough. */
const FRAME_BYTES = 1_200_000;

type Sealing = { site: Site; months: SealedMonth[]; rows: number };

/** Lists what is sealed of each site, whose `rows` add up to the total of the progress. */
export async function sealedSites({ stats }: FormParts, { sites, now }: Omit<Making, 'onWritten'>): Promise<Sealing[]> {
  const all: Sealing[] = [];
  for (const site of sites) {
    const key = {
      key_a: randomBytes(8).readBigUInt64BE().toString(),
      key_b: randomBytes(8).readBigUInt64BE().toString(),
    };
    const lists = await monthsOf(stats, site);
    const months = [];
    for (const month of allMonths(lists)) {
      const days = closedDays(month, site, now);
      if (days) months.push(await stats.sealedMonth({ siteId: site.id, ...days, site, key }));
    }
    all.push({ site, months, rows: lists.flat().reduce((sum, { rows }) => sum + rows, 0) });
  }
  return all;
}

/** A site is a file of its own; those of an account are in a ZIP file. */
export async function writeSealed(
  parts: FormParts,
  all: readonly Sealing[],
  making: Making & { recipient: string },
): Promise<void> {
  const [first] = all;
  if (making.siteId !== null && first) return writeSite(parts, first, making);
  const archive = new ZipFile();
  const paths = [];
  for (const [index, sealing] of all.entries()) {
    const path = join(making.folder, `sealed-${index}`);
    await writeSite(parts, sealing, { ...making, path });
    archive.addFile(path, `${sealing.site.domain}.sealed`, { mtime: new Date(making.now), compress: false });
    paths.push(path);
  }
  archive.end();
  await pipeline(archive.outputStream, createWriteStream(making.path, { mode: 0o600 }));
  for (const path of paths) await rm(path);
}

async function writeSite(parts: FormParts, sealing: Sealing, making: Making & { recipient: string }): Promise<void> {
  // TRICKY: a stream whose errors nobody hears, as when the disk is full, ends the process.
  const content = Readable.from(contentOf(parts, sealing, making), { objectMode: false });
  await pipeline(content, createWriteStream(making.path, { mode: 0o600 }));
}

/** The bytes of the file of a site. */
async function* contentOf(
  parts: FormParts,
  { site, months }: Sealing,
  { folder, recipient, onWritten }: Making & { recipient: string },
): AsyncGenerator<Buffer> {
  const { keys, seal } = sealFor(recipient);
  let index = 0;
  const sealed = async (plain: string, isLast = false): Promise<Buffer> => {
    const frame = seal(await zip(plain), { index, isLast });
    index += 1;
    const length = Buffer.alloc(4);
    length.writeUInt32BE((isLast ? LAST : 0) + frame.length);
    return Buffer.concat([length, frame]);
  };
  yield Buffer.concat([Buffer.from(SEALED_MARK), keys]);
  yield await sealed(JSON.stringify(manifestOf(site, months)));
  for (const { statements } of months)
    for (const table of ['sums', 'events', 'ai_visits', 'vitals', 'errors'] as const) {
      const own = join(folder, 'rows');
      await rm(own, { force: true }); // the engine writes new files only
      await parts.store.copyOut(statements[table], { file: own, format: 'cells' });
      for await (const { text, count } of frames(own, table)) {
        yield await sealed(text);
        await onWritten(table === 'sums' ? 0 : count);
      }
      await rm(own);
    }
  yield await sealed(JSON.stringify((await setUpOf(parts.directory, site)) satisfies Trailer), true);
}

const COLUMNS: Record<SealedTable, readonly string[]> = {
  events: Object.keys(SEALED_COLUMNS.events),
  ai_visits: Object.keys(SEALED_COLUMNS.ai_visits),
  vitals: Object.keys(SEALED_COLUMNS.vitals),
  errors: Object.keys(SEALED_COLUMNS.errors),
  sums: SEALED_SUMS,
};

/** The text of each frame: a line about its table, and one for each row. */
async function* frames(path: string, table: SealedTable): AsyncGenerator<{ text: string; count: number }> {
  const head = JSON.stringify({ table, columns: COLUMNS[table] });
  let lines: string[] = [];
  let bytes = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (lines.length > 0 && bytes + line.length * 3 > FRAME_BYTES) {
      yield { text: [head, ...lines].join('\n'), count: lines.length };
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += Buffer.byteLength(line) + 1;
  }
  if (lines.length > 0) yield { text: [head, ...lines].join('\n'), count: lines.length };
}

function manifestOf({ domain }: Site, months: readonly SealedMonth[]): Manifest {
  const byDay = new Map<string, { pageviews: number; visitors: number }>();
  for (const { day, pageviews, visitors } of months.flatMap(({ days }) => days)) {
    const known = byDay.get(day) ?? { pageviews: 0, visitors: 0 };
    byDay.set(day, { pageviews: known.pageviews + pageviews, visitors: known.visitors + visitors });
  }
  const days = [...byDay].sort().map(([day, totals]) => ({ day, ...totals }));
  return {
    version: 1,
    domain,
    days,
  };
}
