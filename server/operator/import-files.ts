// Imports the files of another product from the command line: with the readers, the parts and the rules of an import in the settings of a site.
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Refusal } from '../errors.ts';
import type { Importing } from '../jobs/importing.ts';
import type { Counting, ListedImport } from '../sites/import-list.ts';
import type { Site } from '../sites/sites.ts';
import { t, tn } from '../vocabulary/habits/messages.ts';
import { toldVisitors } from '../vocabulary/settings/imports.ts';
import { contentOf } from '../vocabulary/imports/content.ts';
import type { FormatName } from '../vocabulary/imports/formats/formats.ts';
import { ImportError, type ImportFile } from '../vocabulary/imports/import.ts';
import { openImport } from '../vocabulary/imports/open.ts';
import { joinDays, overlapOf, type TakenDays, withoutDays } from '../vocabulary/imports/overlap.ts';
import { inParts, type Part } from '../vocabulary/imports/parts.ts';
import { checkWhole, isSealed, readFrames, readKeys } from '../vocabulary/imports/reading/sealed.ts';
import { type ImportReport, openReport, reportOfDays } from '../vocabulary/imports/report.ts';
import type { Run } from './operations.ts';

type Given = {
  files: readonly string[];
  site: Site;
  as?: FormatName | undefined;
  isDryRun: boolean;
  /** Which import counts for days of daily totals that an earlier one has: this one, or the earlier one. */
  overlap?: 'replace' | 'keep' | undefined;
  /** Days that were counted here, for which the import counts instead. */
  replaceCounted?: 'all' | readonly string[] | undefined;
  /** Called before anything counts otherwise. */
  onBegun?: (one: ListedImport) => Promise<void>;
};
/**
 * The whole report of the dashboard's preview. Once it is imported, `days`, `rejected`, `reasons` and the totals of page views and visitors are those
 * that the import brought; all else is what the files hold. `overlap`: days that had numbers before.
 */
type Said = Omit<ImportReport, 'format'> & { format: FormatName | 'sealed'; overlap: TakenDays };
type Told<Totals> = Omit<Totals, 'visitors'> & { visitors: number | null };
/**
 * `import`: null for a dry run. `days`: null if the files have none. `ai_visits`: if an access log brought any. Visitors are null if they are not told.
 */
type Result = Omit<Said, 'totals' | 'months'> & { import: string | null; ai_visits?: number } & {
  totals: Told<Said['totals']>;
  months: Told<Said['months'][number]>[];
};
type ToImporting = Pick<Importing, 'begin' | 'addAll' | 'openSealed' | 'addSealed' | 'finish' | 'takenDays'>;

const OPERATOR = { actor: 'operator' } as const;

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
  const said = { ...report, overlap: overlapOf(reading.allDays(), await importing.takenDays(site.id)) };
  if (isDryRun) return resultOf(said, null);
  const { counting, unless } = choiceOfDays(said, given);
  const file = files
    .map((path) => basename(path))
    .join(', ')
    .slice(0, MAX_FILE_NAMES);
  const begun = { siteId: site.id, format, file, content: contentOf(report), importer: OPERATOR, unless };
  const { id, parts } = await importing.begin(begun);
  await readable(() => importing.addAll({ siteId: site.id, id }, numbered(inParts(opened.read(onRead)), parts)));
  return finished(said, await importing.finish({ siteId: site.id, id, ...counting, notTaken: reasons, onBegun }));
}

type Choice = { counting: Counting; unless: Refusal | undefined };

/** For which days the import counts. `unless`: an earlier import has some of them, and nobody has said which counts. */
function choiceOfDays({ kind, overlap: { counted, paid, imported } }: Said, given: Given): Choice {
  const { overlap, replaceCounted = [] } = given;
  const counting = { replaced: replacedDays({ kind, counted, paid }, replaceCounted), keepsOthers: overlap === 'keep' };
  if (imported.length === 0 || overlap !== undefined) return { counting, unless: undefined };
  const having = imported.map(({ file, id, days }) =>
    t('{days} in {file} ({id})', { days: daysInWords(days), file, id }),
  );
  const unless = new Refusal(
    'bad_request',
    t(
      'An earlier import has days of these files: {days}. Use --overlap replace to count this import for them, or --overlap keep to count the earlier one.',
      { days: having.join('; ') },
    ),
  );
  return { counting, unless };
}

function replacedDays(
  { kind, counted, paid }: Pick<Said, 'kind'> & Pick<TakenDays, 'counted' | 'paid'>,
  wanted: 'all' | readonly string[],
): readonly string[] {
  if (wanted.length === 0) return [];
  if (kind === 'hits')
    throw new Refusal(
      'bad_request',
      t('--replace-counted is for files of daily totals: these hold single page views.'),
    );
  if (wanted === 'all') return withoutDays(counted, paid);
  const others = withoutDays(wanted, counted);
  if (others.length > 0)
    throw new Refusal(
      'bad_request',
      t('--replace-counted: {days}: these days are not in the files, or nothing was counted here on them.', {
        days: daysInWords(others),
      }),
    );
  const withPayments = wanted.filter((day) => paid.includes(day));
  if (withPayments.length > 0)
    throw new Refusal(
      'bad_request',
      t('--replace-counted: {days}: days with payments keep their own numbers.', { days: daysInWords(withPayments) }),
    );
  return wanted;
}

/** Of a history of years with gaps, a message names the first days. */
const MOST_SPANS = 5;

function daysInWords(days: readonly string[]): string {
  const spans = joinDays([...days].sort());
  const shown = spans.slice(0, MOST_SPANS).map(({ first, last }) => (first === last ? first : `${first} – ${last}`));
  const others = spans.slice(MOST_SPANS).reduce((sum, span) => sum + span.days.length, 0);
  if (others > 0) shown.push(tn(others, '{n} more day', '{n} more days'));
  return shown.join(', ');
}

const told = <Totals extends { pageviews: number; visitors: number }>(totals: Totals): Told<Totals> => ({
  ...totals,
  visitors: toldVisitors(totals),
});

const resultOf = ({ totals, months, ...said }: Said, id: string | null): Result => ({
  import: id,
  ...said,
  totals: told(totals),
  months: months.map(told),
});

function finished(said: Said, { id, brought, notTaken, aiVisits }: ListedImport): Result {
  const left = Object.values(notTaken).reduce((sum, count) => sum + count, 0);
  return {
    ...resultOf(said, id),
    days: brought ? { from: brought.first_day, to: brought.last_day, count: brought.days } : null,
    totals: told({ ...said.totals, pageviews: brought?.pageviews ?? 0, visitors: brought?.visitors ?? 0 }),
    ...(aiVisits > 0 && { ai_visits: aiVisits }),
    rejected: left,
    reasons: notTaken,
  };
}

/** The export of another Footfall. Only what the server has decrypted says what is in it. */
async function importSealed(
  importing: ToImporting,
  given: ImportFile & Given,
  { onProgress, signal }: Run,
): Promise<Result> {
  const { name, blob, site, isDryRun, onBegun } = given;
  const siteId = site.id;
  const keys = Buffer.from(await readKeys(name, blob));
  await checkWhole(name, blob);
  let sending: { said: Said; counting: Counting; id: string; parts: number } | undefined;
  let done = 0;
  for await (const { index, isLast, bytes } of readFrames(name, blob)) {
    if (signal.aborted) throw new Refusal('service_unavailable', t('Stopped: run the same command again to continue.'));
    const sealed = { keys, frame: Buffer.from(bytes) };
    if (!sending) {
      const { days } = await importing.openSealed({ siteId, ...sealed });
      const overlap = overlapOf(
        days.map(({ day }) => day),
        await importing.takenDays(siteId),
      );
      const said = { ...reportOfDays(days), format: 'sealed', overlap } as const;
      if (isDryRun) return resultOf(said, null);
      const { counting, unless } = choiceOfDays(said, given);
      const begun = {
        siteId,
        format: 'sealed',
        file: name,
        content: keys.toString('base64'),
        importer: OPERATOR,
        unless,
      };
      sending = { said, counting, ...(await importing.begin(begun)) };
    } else if (isLast) {
      const one = { siteId, id: sending.id, ...sending.counting, notTaken: {}, last: sealed, onBegun };
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
