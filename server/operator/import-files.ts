// Imports the files of another product from the command line: with the readers, the parts and the rules of an import in the settings of a site.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../errors.ts';
import type { Importing } from '../jobs/importing.ts';
import type { Site } from '../sites/sites.ts';
import { contentOf } from '../vocabulary/imports/content.ts';
import type { FormatName } from '../vocabulary/imports/formats/formats.ts';
import { ImportError, type ImportFile } from '../vocabulary/imports/import.ts';
import { openImport } from '../vocabulary/imports/open.ts';
import { inParts, type Part } from '../vocabulary/imports/parts.ts';
import { type ImportReport, openReport } from '../vocabulary/imports/report.ts';
import type { Run } from './operations.ts';

type Given = { files: readonly string[]; site: Site; as?: FormatName | undefined; isDryRun: boolean };
/** `import`: null for a dry run. `days`: null if the files have none. `ai_visits`: if an access log brought any. */
type Result = { import: string | null; ai_visits?: number } & Pick<
  ImportReport,
  'format' | 'days' | 'rejected' | 'reasons'
> & {
    totals: Pick<ImportReport['totals'], 'pageviews' | 'visitors'>;
  };

export async function importFiles(
  importing: Pick<Importing, 'begin' | 'add' | 'finish'>,
  given: Given,
  { onProgress, signal }: Run,
): Promise<Result> {
  const { files, site, as, isDryRun } = given;
  // In the same order however they were named: an import goes on by the number of its next part.
  const opened = await readable(async () =>
    openImport(await blobsOf([...files].sort()), { domain: site.domain, ...(as && { as }) }),
  );
  const total = opened.bytes * (isDryRun ? 1 : 2);
  let done = 0;
  const onRead = (bytes: number) => {
    if (signal.aborted) throw new Refusal('service_unavailable', 'Stopped: run the same command again to continue.');
    done += bytes;
    onProgress({ done: Math.min(done, total), total });
  };
  const reading = openReport(opened);
  await readable(async () => {
    for await (const batch of opened.read(onRead)) reading.add(batch);
  });
  const report = reading.report();
  const { format, days, rejected, reasons, totals } = report;
  const said = {
    format,
    days,
    totals: { pageviews: totals.pageviews, visitors: totals.visitors },
    rejected,
    reasons,
  };
  if (isDryRun) return { import: null, ...said };
  const file = files
    .map((path) => basename(path))
    .join(', ')
    .slice(0, MAX_FILE_NAMES);
  const { id, parts } = await importing.begin({ siteId: site.id, format, file, content: contentOf(report) });
  await readable(() =>
    storeParts(inParts(opened.read(onRead)), {
      from: parts,
      store: (part, rows) => importing.add({ siteId: site.id, id, part }, rows),
    }),
  );
  const { brought, notTaken, aiVisits } = await importing.finish({
    siteId: site.id,
    id,
    replaced: [],
    notTaken: reasons,
  });
  const left = Object.values(notTaken).reduce((sum, count) => sum + count, 0);
  if (!brought) throw new Error('A finished import brought nothing.');
  const { first_day, last_day, pageviews, visitors } = brought;
  return {
    ...said,
    import: id,
    days: { from: first_day, to: last_day, count: brought.days },
    totals: { pageviews, visitors },
    ...(aiVisits > 0 && { ai_visits: aiVisits }),
    rejected: left,
    reasons: notTaken,
  };
}

type Storing = { from: number; store(part: number, rows: Part): Promise<void> };

/** Reads a part while the one before is stored: most of the time, the store is what is waited for. A failure of either stops both. */
async function storeParts(read: AsyncIterable<Part>, { from, store }: Storing): Promise<void> {
  let storing = Promise.resolve();
  let part = 0;
  try {
    for await (const rows of read) {
      await storing;
      if (part >= from) {
        storing = store(part, rows);
        storing.catch(() => undefined); // it is heard when the next part is read, or at the end
      }
      part += 1;
    }
  } finally {
    await storing.catch(() => undefined); // or else a part would be stored after its import was refused
  }
  await storing;
}

/** As long as `imports.begin` takes them. */
const MAX_FILE_NAMES = 200;

async function blobsOf(paths: readonly string[]): Promise<ImportFile[]> {
  const blobs: ImportFile[] = [];
  for (const path of paths)
    try {
      blobs.push({ name: basename(path), blob: await openAsBlob(path) });
    } catch (cause) {
      throw new Refusal('bad_request', `${path} cannot be read.`, { cause });
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
