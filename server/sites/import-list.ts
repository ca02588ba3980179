// The imports of a site that its settings list: of which product and file, how far they have come, and what they brought. See jobs/importing.ts.
import { isId, makeId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { type ImportState, MAX_IMPORTS, toldVisitors } from '../vocabulary/settings/imports.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';
import { addDropsWithin, type Drop } from './drops.ts';
import { changeSite } from './definitions/definitions.ts';
import { NEW } from './imports.ts';
import { type Site, siteById } from './sites.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** Totals of what an import brought. `days`: how many have numbers. */
export type Brought = { first_day: string; last_day: string; days: number; pageviews: number; visitors: number };
/** Rows that were not taken, by reason. */
export type NotTaken = Record<string, number>;

/** Who imports: a person, by their id, or the operator on the command line. */
type Importer = { actor: 'operator' } | { actor: 'person'; user_id: string };

/** For which days an import counts that have numbers already. `keepsOthers`: by default, it counts for days of other imports. */
export type Counting = { replaced: readonly string[]; keepsOthers?: boolean | undefined };

export type ListedImport = {
  id: string;
  site_id: SiteId;
  format: string;
  file: string;
  /** Of the content of its files. */
  fingerprint: string;
  state: ImportState;
  /** Parts that are stored. */
  parts: number;
  brought: Brought | undefined;
  notTaken: NotTaken;
  /** AI visits that it brought. */
  aiVisits: number;
  /** Days that it counts for in place of the site's own events. */
  replaced: string[];
  /** Days of daily totals that other imports have stay theirs. */
  keepsOthers: boolean;
  /** Undefined for imports from before this was kept. */
  actor: Importer['actor'] | undefined;
  /** The person's e-mail address, in lists, unless they have gone. */
  by: string | undefined;
  created_at: number;
};

type Row = Tables['imports'];
type Which = { siteId: SiteId; id: string };

function read(row: Row & { by?: string | null }): ListedImport {
  const { id, site_id, format, file, fingerprint, state, lines_done, tally, replaced, created_at } = row;
  const { first_day, last_day, days, pageviews, visitors } = row;
  const { ai_visits: aiVisits = 0, ...notTaken } = JSON.parse(tally) as NotTaken;
  return {
    id,
    site_id,
    format,
    file,
    fingerprint,
    state,
    created_at,
    replaced: JSON.parse(replaced) as string[],
    keepsOthers: row.keeps_others === 1,
    actor: row.actor ?? undefined,
    by: row.by ?? undefined,
    parts: lines_done,
    brought: first_day && last_day ? { first_day, last_day, days, pageviews, visitors } : undefined,
    notTaken,
    aiVisits,
  };
}

/** Imports by "manage import access-log" have no name of a file. They are not listed, and cannot be removed. */
const listed = ({ db }: Pick<Directory, 'db'>) =>
  db
    .selectFrom('imports')
    .selectAll()
    .select((eb) => eb.selectFrom('users').select('email').whereRef('users.id', '=', 'imports.user_id').as('by'))
    .where('file', '!=', '')
    .orderBy('created_at', 'desc')
    .orderBy('id');

/** The latest first. */
export async function listImports(directory: Pick<Directory, 'db'>, siteId: SiteId): Promise<ListedImport[]> {
  return (await listed(directory).where('site_id', '=', siteId).execute()).map(read);
}

/** Their formats, by their ids. */
export async function importFormats({ db }: Pick<Directory, 'db'>, siteId: SiteId): Promise<Map<string, string>> {
  const rows = await db.selectFrom('imports').select(['id', 'format']).where('site_id', '=', siteId).execute();
  return new Map(rows.map(({ id, format }) => [id, format]));
}

/** Those that a job goes on with: what a process has left half-way, and what has not arrived since an instant. */
export async function leftImports(directory: Pick<Directory, 'db'>, since: number): Promise<ListedImport[]> {
  const rows = await listed(directory).where('state', '!=', 'done').execute();
  const isOld = ({ created_at, claimed_until }: Row) => Math.max(created_at, claimed_until ?? 0) < since;
  return rows.filter((row) => row.state !== 'reading' || isOld(row)).map(read);
}

/** The ids of all imports. */
export async function allImportIds({ db }: Pick<Directory, 'db'>): Promise<Set<string>> {
  return new Set((await db.selectFrom('imports').select('id').execute()).map(({ id }) => id));
}

/** A process that was killed leaves its import to the others after this time: a part is stored within seconds, and moving all hits takes minutes. */
const claimMs = (to: ImportState): number => (to === 'reading' ? MINUTE_MS : 15 * MINUTE_MS);

/**
 * Claims an import in one of some states for this process, and gives it another one. Throws bad_request while a process works on it, and while
 * another import of its site begins to count.
 */
export function claimImport(
  directory: Directory,
  { site_id, id }: Pick<ListedImport, 'site_id' | 'id'>,
  {
    from,
    to,
    now,
    counting,
  }: { from: readonly ImportState[]; to: ImportState; now: number; counting?: Counting | undefined },
): Promise<ListedImport> {
  return changeSite(directory, site_id, async (db) => {
    const own = await db.selectFrom('imports').selectAll().where('site_id', '=', site_id).execute();
    const row = own.find((one) => one.id === id);
    const isBusy = (one: Row) => (one.claimed_until ?? 0) > now;
    if (!row) throw new Refusal('not_found', t('There is no such import of this site.'));
    if (!from.includes(row.state)) throw new Refusal('bad_request', t('This import is complete, or is being removed.'));
    if (isBusy(row))
      throw new Refusal('bad_request', t('This import is also being worked on elsewhere: try again in a moment.'));
    if (to === 'publishing' && own.some((one) => one.id !== id && one.state === 'publishing'))
      throw new Refusal('bad_request', t('Another import of this site is being completed: try again in a moment.'));
    const changed = {
      state: to,
      claimed_until: now + claimMs(to),
      ...(counting && {
        replaced: JSON.stringify(counting.replaced),
        keeps_others: counting.keepsOthers === true ? (1 as const) : (0 as const),
      }),
    };
    await db.updateTable('imports').set(changed).where('id', '=', id).execute();
    return read({ ...row, ...changed });
  });
}

/** Leaves an import to others. */
export async function releaseImport(
  { db }: Directory,
  id: string,
  { state, now }: { state?: ImportState; now: number },
): Promise<void> {
  await db
    .updateTable('imports')
    .set({ claimed_until: now, ...(state && { state }) })
    .where('id', '=', id)
    .execute();
}

/** Throws not_found. */
export async function getImport(directory: Pick<Directory, 'db'>, { siteId, id }: Which): Promise<ListedImport> {
  const row = isId('import', id)
    ? await listed(directory).where('site_id', '=', siteId).where('id', '=', id).executeTakeFirst()
    : undefined;
  if (!row) throw new Refusal('not_found', t('There is no such import of this site.'));
  return read(row);
}

/** `brought`: null until it has arrived whole; its visitors if they are not told. `by`: null unless a person imported it who is still here. `created_at`: ISO 8601. */
export function toPublicImport(one: ListedImport) {
  const { id, format, file, state, parts, brought, notTaken, aiVisits, actor, by, created_at } = one;
  return {
    id,
    format,
    file,
    state,
    parts,
    brought: brought ? { ...brought, visitors: toldVisitors(brought) } : null,
    not_taken: notTaken,
    ai_visits: aiVisits,
    actor: actor ?? null,
    by: by ?? null,
    created_at: new Date(created_at).toISOString(),
  };
}

/** Throws not_found. */
export async function siteOfImport(directory: Directory, id: string): Promise<Site> {
  const row = isId('import', id) ? await listed(directory).where('id', '=', id).executeTakeFirst() : undefined;
  const site = row && (await siteById(directory, row.site_id));
  if (!site) throw new Refusal('not_found', t('There is no such import.'));
  return site;
}

type Begun = { siteId: SiteId; format: string; file: string; fingerprint: string } & BeginsAs;
/** `unless`: why nothing new is begun, unless the same was imported before. */
export type BeginsAs = { importer?: Importer | undefined; unless?: Refusal | undefined };

type Same = Pick<Begun, 'siteId' | 'file' | 'fingerprint'>;
const importedBefore = (file: string, same: Row): Refusal =>
  new Refusal(
    'bad_request',
    t('{file}: this was imported before, on {same}. Remove that import first.', { file, same: dateOf(same) }),
  );

/** Throws bad_request if the same was imported before. */
export async function checkIsNew({ db }: Pick<Directory, 'db'>, { siteId, file, fingerprint }: Same): Promise<void> {
  const own = db.selectFrom('imports').selectAll().where('site_id', '=', siteId);
  const same = await own.where('fingerprint', '=', fingerprint).where('state', '!=', 'reading').executeTakeFirst();
  if (same) throw importedBefore(file, same);
}

/**
 * Returns a new import, or the one of the same content that has not arrived whole, which is from now on the importer's. Throws bad_request if it was
 * imported before.
 */
export function beginImport(directory: Directory, begun: Begun, now: number): Promise<ListedImport> {
  const { siteId, format, file, fingerprint, importer, unless } = begun;
  const who = { actor: importer?.actor ?? null, user_id: importer?.actor === 'person' ? importer.user_id : null };
  return changeSite(directory, siteId, async (db) => {
    const own = await db.selectFrom('imports').selectAll().where('site_id', '=', siteId).execute();
    const same = own.find((one) => one.fingerprint === fingerprint);
    if (unless && (!same || same.state === 'reading')) throw unless;
    if (same?.state === 'reading') {
      await db.updateTable('imports').set(who).where('id', '=', same.id).execute();
      return read({ ...same, ...who });
    }
    if (same) throw importedBefore(file, same);
    if (own.filter((one) => one.file !== '').length >= MAX_IMPORTS)
      throw new Refusal('bad_request', t('A site can have {MAX_IMPORTS} imports: remove one first.', { MAX_IMPORTS }));
    const row: Row = {
      ...NEW,
      ...who,
      id: makeId('import'),
      site_id: siteId,
      fingerprint,
      format,
      file,
      state: 'reading',
      created_at: now,
    };
    await db.insertInto('imports').values(row).execute();
    return read(row);
  });
}

const dateOf = ({ created_at }: Row): string => new Date(created_at).toISOString().slice(0, 10);

/** Records that a part is stored, with what was dropped of it. Throws bad_request if another browser or process is sending the same import. */
export async function advanceParts(
  { db }: Directory,
  { id, parts, notTaken, drops }: Pick<ListedImport, 'id' | 'parts' | 'notTaken'> & { drops: readonly Drop[] },
  now: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('imports')
      .set({ lines_done: parts + 1, tally: JSON.stringify(notTaken), claimed_until: now })
      .where('id', '=', id)
      .where('lines_done', '=', parts)
      .where('state', '=', 'reading')
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new Refusal('bad_request', t('This import is also being sent from elsewhere, or was removed.'));
    await addDropsWithin(trx, drops);
  });
}

/** Counts by reason, added up. */
export const added = (one: NotTaken, other: NotTaken): NotTaken =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      (one[name] ?? 0) + (other[name] ?? 0),
    ]),
  );

export async function noteBrought(
  { db }: Directory,
  { id, brought, ...rest }: Pick<ListedImport, 'id' | 'notTaken' | 'aiVisits'> & { brought: Brought },
  now: number,
): Promise<void> {
  const tally = { ...rest.notTaken, ...(rest.aiVisits > 0 && { ai_visits: rest.aiVisits }) };
  await db
    .updateTable('imports')
    .set({ ...brought, state: 'done', tally: JSON.stringify(tally), finished_at: now, claimed_until: now })
    .where('id', '=', id)
    .where('state', '=', 'publishing')
    .execute();
}

export async function forgetImport({ db }: Directory, id: string): Promise<void> {
  await db.deleteFrom('imports').where('id', '=', id).execute();
}
