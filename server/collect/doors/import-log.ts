// Imports an access log through the same steps as hits from browsers, with the log's own times. An import can be stopped at any point and
// resumes from there. Importing the same file again, or the same lines in another file, changes nothing.
import { createHash, createHmac } from 'node:crypto';
import { Refusal } from '../../errors.ts';
import type { EventId, Recorded } from '../../vocabulary/event.ts';
import type { Directory } from '../../directory/open.ts';
import { advanceImport, finishImport, importSecret, startImport } from '../../sites/imports.ts';
import { type Site, siteByDomain } from '../../sites/sites.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import type { DropReason } from '../../vocabulary/drops.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import type { LogLine } from '../../vocabulary/imports/logs/line.ts';
import { EARLIEST, noPageReason } from '../../vocabulary/imports/logs/pages.ts';
import { openLogReader, type ReadLine } from '../../vocabulary/imports/logs/reader.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import type { Collector } from '../collector.ts';
import type { Context } from '../draft.ts';
import { type Hit, PLAIN_VIEW } from '../hit.ts';
import type { HmacKey } from '../hmac.ts';
import { readLines } from './log-file.ts';
import { runSteps } from '../steps.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import { siteSalt } from '../visitor.ts';

/** Progress is stored after this many lines. */
const CHUNK_LINES = 1_000;
/** Most paths whose views are counted during an import, and most paths in its result. */
const KEPT_PAGES = 500;
const TOP_PAGES = 10;
/** Keys of recent lines to remember. Logs are nearly ordered by time, so older lines do not repeat. */
const REMEMBERED_KEYS = 50_000;

/** Why a line is not a page request, in the order of the checks. */
type SkipReason = 'malformed' | 'method' | 'not_a_page' | 'status';

type ImportResult = {
  lines: number;
  counted: number;
  ai_visits: number;
  /** Lines already imported, from this file or another one. */
  repeated: number;
  skipped: Partial<Record<SkipReason, number>>;
  dropped: Partial<Record<DropReason, number>>;
  /** The pages with the most views in this import, highest first. Pages that do not belong to the site are easy to spot here. */
  top_pages: { path: string; views: number }[];
  /** True if the file was imported before. The figures are then those of that import. */
  already_imported: boolean;
};
type Tally = Omit<ImportResult, 'lines' | 'already_imported' | 'top_pages'> & {
  /** Views by path. Above KEPT_PAGES paths, those with the fewest views are dropped after each chunk. */
  pages: Record<string, number>;
};

type ImportParts = {
  directory: Directory;
  geo: Context['geo'];
  /** Windows for this import only: the log's times must not move the live ones. */
  windows: Context['windows'];
  record: Collector['record'];
  /** Returns the ids of the entries that are in the store. */
  knownIds(recorded: Recorded[]): Promise<Set<string>>;
};

type ImportInput = {
  file: string;
  domain: string;
  signal: AbortSignal;
  onProgress(progress: { done: number; total: number }): void;
};

export async function importAccessLog(parts: ImportParts, input: ImportInput, now: number): Promise<ImportResult> {
  const { directory } = parts;
  const site = await siteByDomain(directory, input.domain);
  const { domain } = input;
  if (!site)
    throw new Refusal('not_found', t('There is no site {domain}: create it first, with "site create".', { domain }));
  if (site.paused)
    throw new Refusal('bad_request', t('Tracking of {domain} is paused: resume it first.', { domain: site.domain }));

  const { lines, fingerprint } = await survey(input);
  const begun = await startImport(directory, { siteId: site.id, fingerprint }, now);
  let tally: Tally = { ...NOTHING, ...(JSON.parse(begun.tally) as Partial<Tally>) };
  if (begun.finished_at !== null) return { lines, ...resultOf(tally), already_imported: true };

  const secret = await importSecret(directory, begun.id, now);
  const context = contextOf(parts, secret);
  const isResumed = begun.lines_done > 0;
  const reading = { site, now, readLine: openLogReader(), occurrences: countOccurrences() };
  let at = 0;
  for await (const texts of chunks(input.file, lines)) {
    if (input.signal.aborted)
      throw new Refusal('service_unavailable', t('Stopped: run the same command again to continue from here.'));
    const from = at;
    at += texts.length;
    const chunk = readChunk(texts, reading);
    // A resumed import starts with empty memory. It runs the last lines before its start through the steps again, to recognise repeats.
    if (at > begun.lines_done - CHUNK_LINES) await runChunk(chunk, site, context);
    if (at > begun.lines_done) {
      // A killed import may have recorded this chunk without storing its progress: those events are its own and not repeats.
      const isOwn = isResumed && from === begun.lines_done;
      tally = await recordChunk(parts, chunk, { importId: begun.id, site, from, to: at, tally, isOwn, now });
    }
    input.onProgress({ done: at, total: lines });
  }
  if (at < lines) throw new Refusal('bad_request', t('{file} changed while it was read.', { file: input.file }));
  await finishImport(directory, begun.id, now);
  return { lines, ...resultOf(tally), already_imported: false };
}

const NOTHING: Tally = { counted: 0, ai_visits: 0, repeated: 0, skipped: {}, dropped: {}, pages: {} };

function resultOf({ pages, ...figures }: Tally): Omit<ImportResult, 'lines' | 'already_imported'> {
  return { ...figures, top_pages: mostViewed(pages, TOP_PAGES).map(([path, views]) => ({ path, views })) };
}

function mostViewed(pages: Record<string, number>, most: number): [path: string, views: number][] {
  return Object.entries(pages)
    .sort(([a, viewsOfA], [b, viewsOfB]) => viewsOfB - viewsOfA || (a < b ? -1 : 1))
    .slice(0, most);
}

/** Counts the lines and hashes the content into a fingerprint. Not even the hash includes addresses or user agents. */
async function survey({ file, signal }: ImportInput): Promise<{ lines: number; fingerprint: string }> {
  const hash = createHash('sha256');
  let lines = 0;
  let readable = 0;
  const readLine = openLogReader();
  for await (const texts of readLines(file)) {
    if (signal.aborted) throw new Refusal('service_unavailable', t('Stopped before anything was imported.'));
    lines += texts.length;
    const parsed = texts.map((text) => requestOf(readLine(text)));
    readable += parsed.filter(Boolean).length;
    hash.update(parsed.map((line) => `${keyOf(line)}\n`).join(''));
  }
  if (lines > 0 && readable === 0)
    throw new Refusal(
      'bad_request',
      t(
        '{file} is not an access log in the combined format or another one that Footfall knows: none of its lines could be read.',
        { file },
      ),
    );
  return { lines, fingerprint: hash.digest('hex') };
}

const requestOf = (line: ReturnType<ReadLine>): LogLine | undefined => (line === 'comment' ? undefined : line);

/** Identifies a line by its request only, without anything about the visitor. */
function keyOf(line: LogLine | undefined): string {
  if (!line) return '';
  return JSON.stringify([line.time, line.method, line.target, line.status, line.bytes, line.referrer]);
}

async function* chunks(file: string, limit: number): AsyncGenerator<string[]> {
  let chunk: string[] = [];
  let left = limit; // a log that grows during the import is read only up to the surveyed end
  for await (const texts of readLines(file)) {
    for (const text of texts.slice(0, left)) {
      chunk.push(text);
      if (chunk.length < CHUNK_LINES) continue;
      yield chunk;
      chunk = [];
    }
    left -= Math.min(left, texts.length);
    if (left === 0) break;
  }
  if (chunk.length > 0) yield chunk;
}

type Candidate = { hit: Hit; outcome?: { recorded: Recorded } | { dropped: DropReason } };
type Chunk = { candidates: Candidate[]; skipped: SkipReason[] };

function readChunk(
  texts: string[],
  { site, now, ...reading }: { site: Site; now: number; readLine: ReadLine; occurrences: (key: string) => number },
): Chunk {
  const { readLine, occurrences } = reading;
  const chunk: Chunk = { candidates: [], skipped: [] };
  for (const text of texts) {
    const line = readLine(text);
    if (line === 'comment') continue;
    const skipped = line ? skipReason(line, now) : 'malformed';
    const page = line && !skipped && parsePage(addressOf(line.target, line.host || site.domain));
    if (!line || !page) chunk.skipped.push(skipped ?? 'malformed');
    else {
      const key = keyOf(line);
      // The same line in another file, such as a rotated log, gets the same id.
      chunk.candidates.push({ hit: toHit(line, page, `${occurrences(key)}\0${key}`) });
    }
  }
  return chunk;
}

function skipReason(line: LogLine, now: number): SkipReason | undefined {
  if (line.time < EARLIEST || line.time > now + DAY_MS) return 'malformed';
  return noPageReason(line); // a later step checks the status, since AI visits record it
}

/** Requests to the server as a proxy hold a whole URL, usually of a foreign host. */
function addressOf(target: string, host: string): string {
  return target.startsWith('/') ? `https://${host}${target}` : target;
}

function toHit(line: LogLine, page: Hit['page'], id: string): Hit {
  const { target, time, address, userAgent, status } = line;
  const referrer = line.referrer.slice(0, MAX_ADDRESS);
  return { ...PLAIN_VIEW, door: 'log', page, target, time, id, referrer, address, userAgent, status };
}

/** Counts how often a key came before, to tell apart identical requests of two people in the same second. */
function countOccurrences(): (key: string) => number {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  return (line) => {
    const key = createHash('sha256').update(line).digest('base64url').slice(0, 16); // lines may be kilobytes
    const count = young.get(key) ?? old.get(key) ?? 0;
    if (young.size >= REMEMBERED_KEYS) {
      old = young;
      young = new Map();
    }
    young.set(key, count + 1);
    return count;
  };
}

function contextOf({ geo, windows }: ImportParts, secret: Buffer): Context {
  return { geo, windows, saltOf: importSalts(secret) };
}

/** Salts for the days of an import, which follow each other. */
export function importSalts(secret: Buffer): Context['saltOf'] {
  let salt: { day: string; key: HmacKey } | undefined;
  return (site, time) => {
    const day = dayIn(site.timezone ?? UTC, time);
    if (salt?.day !== day) salt = { day, key: siteSalt(createHmac('sha256', secret).update(day).digest(), site.id) };
    return salt.key;
  };
}

/** Runs the steps in order of time. Servers log a request after answering it, so slow requests are logged late. */
async function runChunk({ candidates }: Chunk, site: Site, context: Context): Promise<void> {
  for (const candidate of candidates.toSorted((a, b) => a.hit.time - b.hit.time))
    candidate.outcome = await runSteps(candidate.hit, site, context);
}

type ChunkContext = {
  importId: string;
  site: Site;
  from: number;
  to: number;
  tally: Tally;
  /** Events of this chunk that are already stored came from this import. */
  isOwn: boolean;
  now: number;
};

async function recordChunk(parts: ImportParts, chunk: Chunk, context: ChunkContext): Promise<Tally> {
  const { importId, site, from, to, tally, isOwn, now } = context;
  const recorded = chunk.candidates.flatMap(({ outcome }) =>
    outcome && 'recorded' in outcome ? outcome.recorded : [],
  );
  const stored = await parts.knownIds(recorded);
  const unknown = recorded.filter((entry) => !stored.has(entry.event_id)).sort((a, b) => a.time - b.time);
  const fresh = await parts.record(unknown, now);
  const isNew = new Set(unknown.filter((_, index) => isOwn || fresh[index]).map((entry) => entry.event_id));
  if (isOwn) for (const id of stored) isNew.add(id as EventId);

  const next = structuredClone(tally);
  for (const reason of chunk.skipped) add(next.skipped, reason);
  const drops = [];
  // A dropped line is not stored, so it cannot be recognised: it counts as a repeat if the recorded line before it does.
  const first = recorded.find((entry) => entry.event_id);
  let isRepeated = first !== undefined && !isNew.has(first.event_id);
  for (const { hit, outcome } of chunk.candidates) {
    if (!outcome) continue;
    if ('recorded' in outcome) {
      isRepeated = !isNew.has(outcome.recorded.event_id);
      if (isRepeated) next.repeated += 1;
      else if (outcome.recorded.kind === 'ai_visit') next.ai_visits += 1;
      else {
        next.counted += 1;
        next.pages[outcome.recorded.page] = (next.pages[outcome.recorded.page] ?? 0) + 1;
      }
    } else if (outcome.dropped === 'not_ai') add(next.skipped, 'status');
    else if (isRepeated) next.repeated += 1;
    else {
      add(next.dropped, outcome.dropped);
      drops.push({ site_id: site.id, day: dayOf(hit.time), reason: outcome.dropped, count: 1 });
    }
  }
  next.pages = Object.fromEntries(mostViewed(next.pages, KEPT_PAGES));
  await advanceImport(parts.directory, { id: importId, from, to, tally: JSON.stringify(next), drops });
  return next;
}

function add<Reason extends string>(counts: Partial<Record<Reason, number>>, reason: Reason): void {
  counts[reason] = (counts[reason] ?? 0) + 1;
}
