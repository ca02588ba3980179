// Imports the files of another product from the command line: with the readers, the parts and the rules of an import in the settings of a site.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../errors.ts';
import type { Importing } from '../jobs/importing.ts';
import type { ListedImport } from '../sites/import-list.ts';
import type { Site } from '../sites/sites.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { contentOf } from '../vocabulary/imports/content.ts';
import type { FormatName } from '../vocabulary/imports/formats/formats.ts';
import { ImportError, type ImportFile } from '../vocabulary/imports/import.ts';
import { openImport } from '../vocabulary/imports/open.ts';
import { inParts, type Part } from '../vocabulary/imports/parts.ts';
import { checkWhole, isSealed, readFrames, readKeys } from '../vocabulary/imports/reading/sealed.ts';
import { type ImportReport, openReport, reportOfDays } from '../vocabulary/imports/report.ts';
import type { Run } from './operations.ts';

type Given = {
  files: readonly string[];
  site: Site;
  as?: FormatName | undefined;
  isDryRun: boolean;
  /** Called before anything counts otherwise. */
  onBegun?: (one: ListedImport) => Promise<void>;
};
/** `import`: null for a dry run. `days`: null if the files have none. `ai_visits`: if an access log brought any. */
type Result = Said & { import: string | null; ai_visits?: number };
type Said = Pick<ImportReport, 'days' | 'rejected' | 'reasons'> & {
  format: FormatName | 'sealed';
  totals: Pick<ImportReport['totals'], 'pageviews' | 'visitors'>;
};
type ToImporting = Pick<Importing, 'begin' | 'addAll' | 'openSealed' | 'addSealed' | 'finish'>;

export async function importFiles(importing: ToImporting, given: Given, run: Run): Promise<Result> {
  const { files, site, as, isDryRun, onBegun } = given;
  const { onProgress, signal } = run;
  // In the same order however they were named: an import goes on by the number of its next part.
  const chosen = await blobsOf([...files].sort());
  const [first] = chosen;
  if (first && chosen.length === 1 && (await isSealed(first.blob)))
    return readable(() => importSealed(importing, { ...first, ...given }, run));
  const opened = await readable(() => openImport(chosen, { domain: site.domain, ...(as && { as }) }));
  const total = opened.bytes * (isDryRun ? 1 : 2);
  let done = 0;
  const onRead = (bytes: number) => {
    if (signal.aborted) throw new Refusal('service_unavailable', t('Stopped: run the same command again to continue.'));
    done += bytes;
    onProgress({ done: Math.min(done, total), total });
  };
  const reading = openReport(opened);
  await readable(async () => {
    for await (const batch of opened.read(onRead)) reading.add(batch);
  });
  const report = reading.report();
  const { format, reasons } = report;
  const said = saidOf(report, format);
  if (isDryRun) return { import: null, ...said };
  const file = files
    .map((path) => basename(path))
    .join(', ')
    .slice(0, MAX_FILE_NAMES);
  const { id, parts } = await importing.begin({
    siteId: site.id,
    format,
    file,
    content: contentOf(report),
    importer: OPERATOR,
  });
  await readable(() => importing.addAll({ siteId: site.id, id }, numbered(inParts(opened.read(onRead)), parts)));
  return finished(said, await importing.finish({ siteId: site.id, id, replaced: [], notTaken: reasons, onBegun }));
}

const OPERATOR = { actor: 'operator' } as const;

const saidOf = ({ days, totals, rejected, reasons }: ImportReport, format: Said['format']): Said => ({
  format,
  days,
  totals: { pageviews: totals.pageviews, visitors: totals.visitors },
  rejected,
  reasons,
});

function finished(said: Said, { id, brought, notTaken, aiVisits }: ListedImport): Result {
  const left = Object.values(notTaken).reduce((sum, count) => sum + count, 0);
  return {
    ...said,
    import: id,
    days: brought ? { from: brought.first_day, to: brought.last_day, count: brought.days } : null,
    totals: { pageviews: brought?.pageviews ?? 0, visitors: brought?.visitors ?? 0 },
    ...(aiVisits > 0 && { ai_visits: aiVisits }),
    rejected: left,
    reasons: notTaken,
  };
}

/** The export of another Footfall. Only what the server has decrypted says what is in it. */
async function importSealed(
  importing: ToImporting,
  { name, blob, site, isDryRun, onBegun }: ImportFile & Given,
  { onProgress, signal }: Run,
): Promise<Result> {
  const siteId = site.id;
  const keys = Buffer.from(await readKeys(name, blob));
  await checkWhole(name, blob);
  let sending: { said: Said; id: string; parts: number } | undefined;
  let done = 0;
  for await (const { index, isLast, bytes } of readFrames(name, blob)) {
    if (signal.aborted) throw new Refusal('service_unavailable', t('Stopped: run the same command again to continue.'));
    const sealed = { keys, frame: Buffer.from(bytes) };
    if (!sending) {
      const report = reportOfDays((await importing.openSealed({ siteId, ...sealed })).days);
      const said = saidOf(report, 'sealed');
      if (isDryRun) return { import: null, ...said };
      sending = {
        said,
        ...(await importing.begin({
          siteId,
          format: 'sealed',
          file: name,
          content: keys.toString('base64'),
          importer: OPERATOR,
        })),
      };
    } else if (isLast) {
      const one = { siteId, id: sending.id, replaced: [], notTaken: {}, last: sealed, onBegun };
      return finished(sending.said, await importing.finish(one));
    } else if (index > sending.parts) await importing.addSealed({ siteId, id: sending.id, part: index - 1 }, sealed);
    done += bytes.length;
    onProgress({ done, total: blob.size });
  }
  throw new Error('A file has a last frame.');
}

/** The parts from a number on. */
async function* numbered(read: AsyncIterable<Part>, from: number): AsyncGenerator<{ part: number; rows: Part }> {
  let part = 0;
  for await (const rows of read) {
    if (part >= from) yield { part, rows };
    part += 1;
  }
}

/** As long as `imports.begin` takes them. */
const MAX_FILE_NAMES = 200;

async function blobsOf(paths: readonly string[]): Promise<ImportFile[]> {
  const blobs: ImportFile[] = [];
  for (const path of paths)
    try {
      blobs.push({ name: basename(path), blob: await openAsBlob(path) });
    } catch (cause) {
      throw new Refusal('bad_request', t('{file} cannot be read.', { file: path }), { cause });
    }
  return blobs;
}

async function readable<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ImportError ? new Refusal('bad_request', error.message) : error;
  }
}
