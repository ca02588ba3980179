// The job that searches. Each search of each site is repeated every half hour, and no place is asked more often than its row allows. The time
// of the next request is stored before the present one is made, so a kill never makes requests more frequent.
import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import type { Billing } from '../../config.ts';
import type { Account, Tables } from '../../directory/schema.ts';
import type { Log } from '../../process/log.ts';
import { type Answer, openOutgoing, type Outcome, type Outgoing } from '../../process/outgoing/client.ts';
import type { Network } from '../../process/outgoing/network.ts';
import { retryAfterMs } from '../../process/outgoing/retry-after.ts';
import {
  MAX_MENTION_ANSWER,
  MENTION_PLACE_NAMES,
  type MentionOutcome,
  type MentionPlace,
} from '../../vocabulary/settings/mentions.ts';
import { DAY_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { type Found, isSaid } from './found.ts';
import { PLACES, type Query } from './places.ts';
import { readRules } from './rules.ts';
import { addMentions } from './stored.ts';

/** Addresses that the operator has configured instead of the public ones. */
export type Bases = Partial<Record<MentionPlace, string>>;

type Options = {
  directory: { db: Kysely<Tables> };
  billing: Billing;
  bases: Bases;
  network?: Network | undefined;
  now(): number;
  log: Log;
};

export type MentionSearch = {
  /** Makes the requests that are due. */
  run(): Promise<void>;
  /** Ends the requests that are under way. */
  close(): void;
};

/** Twice an hour, so that a mention is found within the hour even if one request fails. */
const EVERY_MS = 30 * MINUTE_MS;
const MAX_PAUSE_MS = DAY_MS;
/** A later time was set by a clock that was ahead. */
const LATEST_MS = MAX_PAUSE_MS + EVERY_MS;
const MAX_VALIDATOR = 256;
/** Feeds are on many hosts, and a slow one must not hold up the others. */
const FEEDS_AT_ONCE = 4;

export function openMentionSearch({ directory: { db }, billing, bases, network, now, log }: Options): MentionSearch {
  const stop = new AbortController();
  const outgoing = openOutgoing({
    ...(network && { network }),
    maxBytes: MAX_MENTION_ANSWER,
    stop: stop.signal,
    maxAtOnce: MENTION_PLACE_NAMES.length + FEEDS_AT_ONCE,
  });
  const parts: Parts = { db, billing, bases, outgoing, now, log, stop: stop.signal };
  return {
    run: async () => void (await Promise.all(MENTION_PLACE_NAMES.map((place) => searchPlace(place, parts)))),
    close: () => stop.abort(),
  };
}

type Parts = Required<Pick<Options, 'billing' | 'bases' | 'now' | 'log'>> & {
  db: Kysely<Tables>;
  outgoing: Pick<Outgoing, 'get'>;
  stop: AbortSignal;
};
type Row = Tables['mention_searches'] & { domain: string };
type PlanFields = Pick<Account, 'plan' | 'status' | 'trial_ends_at' | 'paid_until' | 'created_at'>;

/** One request after the other. A place that cannot be reached or limits requests is not asked again in this turn. */
async function searchPlace(place: MentionPlace, parts: Parts): Promise<void> {
  const time = parts.now();
  if (await isPaused(parts, place, time)) return;
  await putOffExpired(parts, place, time);
  const due = await dueSearches(parts, place, time);
  const lane = async () => {
    for (let row = due.shift(); row && !parts.stop.aborted; row = due.shift())
      if (!(await searchOnce(row, parts)) && place !== 'feed') return;
  };
  await Promise.all(Array.from({ length: place === 'feed' ? FEEDS_AT_ONCE : 1 }, lane));
}

/** True if the place has asked for a pause, by its answer to any site's search. */
async function isPaused({ db }: Parts, place: MentionPlace, now: number): Promise<boolean> {
  if (place === 'feed') return false; // feeds are on different hosts
  const paused = db.selectFrom('mention_pauses').select('until').where('place', '=', place);
  const running = paused.where('until', '>', now).where('until', '<=', now + LATEST_MS);
  return (await running.executeTakeFirst()) !== undefined;
}

/** Not a column of the search, which is deleted with its rule or site: the pause outlives it. */
async function pausePlace(db: Kysely<Tables>, place: MentionPlace, until: number): Promise<void> {
  await db
    .insertInto('mention_pauses')
    .values({ place, until })
    .onConflict((conflict) => conflict.column('place').doUpdateSet({ until }))
    .execute();
}

const isDue = (now: number) => (is: ExpressionBuilder<Tables, 'mention_searches'>) =>
  is.or([is('next_at', '<=', now), is('next_at', '>', now + LATEST_MS)]);

const dueAt = (db: Kysely<Tables>, place: MentionPlace, now: number) =>
  db
    .selectFrom('mention_searches')
    .innerJoin('sites', 'sites.id', 'mention_searches.site_id')
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .where('place', '=', place)
    .where('sites.lost_at', 'is', null)
    .where(isDue(now));

/** Searches of accounts that cannot see their dashboard are put off, so that they take no request from the others. */
async function putOffExpired({ db, billing }: Parts, place: MentionPlace, now: number): Promise<void> {
  const accounts = await dueAt(db, place, now)
    .select(['accounts.id', 'plan', 'status', 'trial_ends_at', 'paid_until', 'accounts.created_at'])
    .distinct()
    .execute();
  for (const account of accounts)
    if (!effectivePlan(account satisfies PlanFields, now, { billing }).canSeeDashboard) {
      const sites = db.selectFrom('sites').select('id').where('account_id', '=', account.id);
      await db
        .updateTable('mention_searches')
        .set({ next_at: now + EVERY_MS })
        .where('place', '=', place)
        .where('site_id', 'in', sites)
        .where(isDue(now))
        .execute();
    }
}

/** Accounts take turns, so that none can delay the others with many searches. */
function dueSearches({ db }: Parts, place: MentionPlace, now: number): Promise<Row[]> {
  return dueAt(db, place, now)
    .selectAll('mention_searches')
    .select('sites.domain')
    .select(sql<number>`row_number() over (partition by accounts.id order by next_at, site_id, query)`.as('turn'))
    .orderBy('turn')
    .orderBy('next_at')
    .orderBy('site_id')
    .orderBy('query')
    .limit(PLACES[place].aMinute)
    .execute();
}

/** Other failures can be caused by one search alone, and must not hold up the searches of other accounts. */
const ENDS_TURN: readonly MentionOutcome[] = ['limited', 'unreachable'];

/** Returns false if no further search of the place should follow in this turn. */
async function searchOnce(row: Row, parts: Parts): Promise<boolean> {
  const { db, log } = parts;
  const now = parts.now();
  const claimed = await db
    .updateTable('mention_searches')
    .set({ next_at: now + EVERY_MS })
    .where(isRow(row))
    .where('next_at', '=', row.next_at)
    .executeTakeFirst();
  if (claimed.numUpdatedRows === 0n) return true; // another process has it, or it is no longer wanted
  const asked = await askedOf(row, parts);
  const told = await ask(row, asked, parts);
  if (parts.stop.aborted) return false;
  const { outcome, found, skipped } = read(told, asked);
  const hasFailed = outcome !== 'found' && outcome !== 'unchanged';
  const failures = hasFailed ? Math.min(row.failures + 1, 10) : 0;
  const wanted = (told.answer && retryAfterMs(told.answer, now)) ?? 0;
  const pause = Math.min(MAX_PAUSE_MS, Math.max(wanted, EVERY_MS * 2 ** (failures - 1)));
  await db.transaction().execute(async (trx) => {
    if (outcome === 'limited') await pausePlace(trx, row.place, now + pause);
    const stored = await trx
      .updateTable('mention_searches')
      .set({
        failures,
        outcome,
        asked_at: now,
        next_at: now + (hasFailed ? pause : EVERY_MS),
        ...(outcome === 'found' && { skipped, known_for: asked.fingerprint, ...validatorsOf(told.answer) }),
      })
      .where(isRow(row))
      .executeTakeFirst();
    if (stored.numUpdatedRows > 0n) await addMentions(trx, { siteId: row.site_id, place: row.place, found }, now);
  });
  if (hasFailed) log.info({ place: row.place, site_id: row.site_id, outcome }, 'a search for mentions failed');
  return !ENDS_TURN.includes(outcome);
}

/** The row's primary key. */
const isRow =
  ({ site_id, place, kind, query }: Tables['mention_searches']) =>
  (is: ExpressionBuilder<Tables, 'mention_searches'>) =>
    is.and({ site_id, place, kind, query });

/** `texts`: a thread that contains none of them is no mention. `fingerprint`: an answer's validators are for the same question only. */
type Asked = { place: MentionPlace; query: Query; address: string; texts: string[]; fingerprint: string };

async function askedOf({ place, kind, query: text, domain, site_id }: Row, { db, bases }: Parts): Promise<Asked> {
  const query: Query = { kind, text: kind === 'domain' ? domain : text };
  const names = [...new Set([domain, domainToUnicode(domain)])];
  const texts = {
    domain: () => names,
    words: () => [text],
    // A feed is read whole, and searched here.
    feed: async () => [...names, ...(await readRules({ db }, { siteId: site_id })).words],
  };
  const wanted = await texts[kind]();
  const base = (bases[place] ?? PLACES[place].base).replace(/\/$/, '');
  const address = base + PLACES[place].path(query);
  return { place, query, address, texts: wanted, fingerprint: hashOf(JSON.stringify([address, wanted])) };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function ask(row: Row, { place, address, fingerprint }: Asked, { outgoing, bases }: Parts): Promise<Outcome> {
  const known =
    row.known_for === fingerprint ? { etag: row.etag ?? undefined, lastModified: row.last_modified ?? undefined } : {};
  const base = bases[place];
  const operators = base === undefined ? undefined : new URL(base).origin;
  return outgoing.get(address, { accept: PLACES[place].accept, known, operators });
}

function validatorsOf(answer: Answer | undefined) {
  const short = (header: string | undefined) =>
    header !== undefined && header.length <= MAX_VALIDATOR ? header : null;
  return { etag: short(answer?.headers.etag), last_modified: short(answer?.headers['last-modified']) };
}

type Result = { outcome: MentionOutcome; found: Found[]; skipped: number };

function read({ answer, failure }: Outcome, { place, query, address, texts }: Asked): Result {
  const row = PLACES[place];
  const nothing = (outcome: MentionOutcome): Result => ({ outcome, found: [], skipped: 0 });
  if (!answer) return nothing(failure === 'address_refused' ? 'private' : 'unreachable');
  if (answer.status === 304) return nothing('unchanged');
  if (answer.status === 404 && row.isEmptyAt404) return nothing('found');
  if (answer.status !== 200) return nothing(isLimit(answer) ? 'limited' : (OF_STATUS[answer.status] ?? 'error'));
  if (answer.isCut) return nothing('too_large');
  const parsed = row.parse(answer.body.toString('utf8'));
  if (!parsed) return nothing('other_shape');
  const isExact = row.isExact?.(query) ?? false;
  const found = parsed.found.filter(({ said }) => isExact || texts.some((text) => isSaid(said, text)));
  // Feeds number their entries alike, so an entry is known by its feed too.
  const own =
    place === 'feed'
      ? found.map((one) => ({ ...one, thread: `${hashOf(address).slice(0, 12)} ${one.thread}` }))
      : found;
  return { outcome: 'found', skipped: parsed.skipped, found: own };
}

/** GitHub answers 403 instead of 429. A 403 alone may be the place's opinion of one query, and must not pause the others. */
const isLimit = ({ status, headers }: Answer): boolean =>
  status === 429 ||
  ((status === 403 || status === 503) && headers['retry-after'] !== undefined) ||
  (status === 403 && headers['x-ratelimit-remaining'] === '0');

const OF_STATUS: Record<number, MentionOutcome> = { 401: 'refused', 403: 'refused', 404: 'missing', 410: 'missing' };
