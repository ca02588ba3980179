// The job that reads search terms. A pass asks for days one after the other, the newest first, and is divided into short runs: the first
// pass takes 16 months, and each later one, once a day, the days since then and the last ones again, which Google may still have completed.
import type { Encryption } from '../../directory/encryption.ts';
import type { Directory } from '../../directory/open.ts';
import type { Log } from '../../process/log.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { grantOf } from '../../sites/search-grants.ts';
import { siteById, type Site } from '../../sites/sites.ts';
import type { EventStore } from '../../store/open.ts';
import { STORED_SEARCHES } from '../../store/search-days.ts';
import { SEARCH_DAYS, type SearchFailure } from '../../vocabulary/settings/search-console.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, readDay } from '../../vocabulary/time/time.ts';
import { type Connection, isBroken, openToken } from './connections.ts';
import { rowsOfDay } from './day-rows.ts';
import { type Google, GoogleFailure } from './google.ts';

/** Days that are asked for again, because Google completes them late. */
const ASKED_AGAIN = 5;
/** Days of one site in one run: other sites come in between. */
const DAYS_AT_ONCE = 10;
const SITES_AT_ONCE = 4;
/** A run ends after this time, and the next goes on with the same pass. */
const RUN_MS = 20_000;

const RETRY_MS: Record<SearchFailure, number> = {
  grant: 365 * DAY_MS, // connecting again ends it
  property: DAY_MS,
  client: HOUR_MS,
  quota: 30 * MINUTE_MS,
  unreachable: 5 * MINUTE_MS,
  malformed: 10 * MINUTE_MS,
};

/** A later time was set by a clock that was ahead, unless the grant is waiting for people. */
const LATEST_MS = DAY_MS + HOUR_MS;

export type Parts = {
  directory: Directory;
  store: Pick<EventStore, 'saveSearchDay' | 'dropSearches' | 'query'>;
  google: Google;
  encryption: Encryption;
  mail: Pick<Mail, 'send'>;
  log: Log;
};

const shift = (day: string, days: number) => dayOf((readDay(day) ?? NaN) + days * DAY_MS);

type Pass = { pass_from: string; pass_to: string; next_day: string };

/** The pass that is under way, or the next one. */
function passOf({ pass_from, pass_to, next_day }: Connection, now: number): Pass & { isNew: boolean } {
  if (pass_from !== null && pass_to !== null && next_day !== null)
    return { pass_from, pass_to, next_day, isNew: false };
  const yesterday = dayOf(now - DAY_MS);
  const first = pass_from === null ? shift(yesterday, -SEARCH_DAYS) : shift(pass_from, -ASKED_AGAIN);
  const to = first < yesterday ? first : yesterday; // the clock may have been set back
  return { pass_from: yesterday, pass_to: to, next_day: yesterday, isNew: true };
}

/** Share of the first pass that is done. */
export function progressOf({ pass_from, pass_to, next_day, oldest_day }: Connection): number {
  if (pass_from === null || oldest_day === null) return 0;
  if (next_day === null || pass_to === null || oldest_day <= pass_to) return 1;
  const days = (from: string, to: string) => ((readDay(to) ?? 0) - (readDay(from) ?? 0)) / DAY_MS;
  return Math.min(1, days(next_day, pass_from) / Math.max(1, days(pass_to, pass_from)));
}

/** Reads what is due. A site whose reading fails holds up no other. */
export async function readDue(parts: Parts, { now, signal }: { now: number; signal: AbortSignal }): Promise<void> {
  const deadline = performance.now() + RUN_MS;
  const due = await parts.directory.db
    .selectFrom('search_connections')
    .selectAll()
    .where('property', 'is not', null)
    .where(({ eb, or, and }) =>
      or([
        eb('next_at', '<=', now),
        and([eb('next_at', '>', now + LATEST_MS), or([eb('failure', 'is', null), eb('failure', '!=', 'grant')])]),
      ]),
    )
    .orderBy('next_at')
    .orderBy('site_id')
    .limit(100)
    .execute();
  const isOver = () => signal.aborted || performance.now() > deadline;
  const readSome = async () => {
    for (let row = due.shift(); row && !isOver(); row = due.shift())
      await readSite(parts, row, { now, isOver, signal });
  };
  // The next run may begin when this one ends, so it ends with its last lane, also if another one fails.
  const lanes = await Promise.allSettled(Array.from({ length: SITES_AT_ONCE }, readSome));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
}

type Turn = { now: number; isOver(): boolean; signal: AbortSignal };

async function readSite(parts: Parts, row: Connection, turn: Turn): Promise<void> {
  const site = await siteById(parts.directory, row.site_id);
  if (!site) return;
  try {
    await readDays(parts, { row, site }, turn);
  } catch (error) {
    if (turn.signal.aborted) return;
    if (!(error instanceof GoogleFailure)) throw error;
    await noteFailure(parts, { row, site, error }, turn.now);
  }
}

async function readDays(parts: Parts, { row, site }: { row: Connection; site: Site }, turn: Turn): Promise<void> {
  const token = tokenOf(parts, row);
  const pass = passOf(row, turn.now);
  let { next_day: day } = pass;
  let [days, rows] = pass.isNew ? [0, 0] : [row.read_days, row.read_rows];
  let { oldest_day: oldest, latest_day: latest } = row;
  const stored = await storedOf(parts.store, row, turn.now);
  for (let asked = 0; asked < DAYS_AT_ONCE && day >= pass.pass_to && !turn.isOver(); asked += 1) {
    const found = await readDayOf(parts, { token, row, site, day, stored });
    days += 1;
    rows += found;
    if (oldest === null || day < oldest) oldest = day;
    if (found > 0 && (latest === null || day > latest)) latest = day;
    day = shift(day, -1);
    const isDone = day < pass.pass_to;
    const changed = await parts.directory.db
      .updateTable('search_connections')
      .set({
        pass_from: pass.pass_from,
        pass_to: pass.pass_to,
        next_day: isDone ? null : day,
        oldest_day: oldest,
        latest_day: latest,
        read_at: turn.now,
        read_days: days,
        read_rows: rows,
        failure: null,
        failed_at: null,
        next_at: isDone ? turn.now + DAY_MS : turn.now,
      })
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n) {
      await dropOld(parts, site); // disconnected meanwhile, or another property was chosen
      return;
    }
  }
}

/** A token that cannot be decrypted, because SECRET_KEY has changed, is as good as withdrawn. */
function tokenOf({ encryption }: Pick<Parts, 'encryption'>, row: Connection): string {
  try {
    return openToken(encryption, grantOf(row));
  } catch {
    throw new GoogleFailure('grant', 'the stored token cannot be decrypted');
  }
}

type Stored = { days: ReadonlySet<string>; version: number };

async function storedOf(store: Parts['store'], { site_id, id }: Connection, now: number): Promise<Stored> {
  const rows = await store.query<{ day: string; version: string }>(STORED_SEARCHES, { site_id, connection: id });
  const versions = rows.map(({ version }) => Number(version) + 1); // also higher if the clock was set back
  return { days: new Set(rows.map(({ day }) => day)), version: Math.max(now, ...versions.slice(0, 1)) };
}

type OneDay = { token: string; row: Connection; site: Site; day: string; stored: Stored };

async function readDayOf({ google, store }: Parts, { token, row, site, day, stored }: OneDay): Promise<number> {
  const asked = { property: row.property ?? '', day };
  const totals = await google.count(token, { ...asked, dimensions: ['page', 'country', 'device'] });
  const named =
    totals.length > 0
      ? await google.count(token, { ...asked, dimensions: ['query', 'page', 'country', 'device'] })
      : [];
  const rows = rowsOfDay({ named, totals }, site.settings);
  const { version, days } = stored;
  await store.saveSearchDay({
    site_id: site.id,
    connection: row.id,
    day,
    rows,
    version,
    isStored: days.has(day),
  });
  return rows.length;
}

/** Deletes the rows of connections that are no longer in force. */
async function dropOld({ directory: { db }, store }: Pick<Parts, 'directory' | 'store'>, { id }: Pick<Site, 'id'>) {
  const current = await db.selectFrom('search_connections').select('id').where('site_id', '=', id).executeTakeFirst();
  await store.dropSearches({ site_id: id, except: current?.id ?? '' });
}

/** The same for all sites: a site may have moved, or a process may have been killed before it deleted the rows. */
export async function dropLeftovers({ directory, store }: Pick<Parts, 'directory' | 'store'>): Promise<void> {
  const stored = await store.query<{ site_id: string; connection: string }>(
    'SELECT DISTINCT site_id, connection FROM search_days',
    {},
  );
  const rows = await directory.db.selectFrom('search_connections').select('id').execute();
  const current = new Set(rows.map(({ id }) => id));
  const old = new Set(stored.filter(({ connection }) => !current.has(connection)).map(({ site_id }) => site_id));
  for (const id of old) await dropOld({ directory, store }, { id: id as Site['id'] });
}

/** What people must mend is mailed once to those who may, in the transaction that notes it. */
async function noteFailure(
  { directory: { db }, mail, log }: Parts,
  { row, site, error }: { row: Connection; site: Site; error: GoogleFailure },
  now: number,
): Promise<void> {
  const failure = error.reason === 'scope' ? 'grant' : error.reason;
  log.warn({ site: site.id, failure, detail: error.detail }, 'search terms could not be read from Google');
  await db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('search_connections')
      .set({ failure, failed_at: now, next_at: now + RETRY_MS[failure] })
      .where('id', '=', row.id)
      .where('created_at', '=', row.created_at) // connected again meanwhile
      .executeTakeFirst();
    if (changed.numUpdatedRows === 0n || !isBroken({ failure })) return;
    const people = await trx
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .where('account_id', '=', site.account_id)
      .where('role', 'in', ['owner', 'admin'])
      .select(['user_id', 'email'])
      .execute();
    for (const { user_id, email } of people)
      await mail.send(trx, {
        kind: 'search_broken',
        key: `search_broken ${site.account_id} ${site.id} ${row.created_at} ${user_id}`,
        to: email,
        data: { domain: site.domain, isWithdrawn: failure === 'grant' },
      });
  });
}
