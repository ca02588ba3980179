// The log of an account: who did what, and when, for its owners. It holds neither network nor e-mail addresses: people are joined by id
// when it is read. The security log is the operator's: `recordAction` writes to both.
import type { Kysely } from 'kysely';
import { LOG_PAGE } from '../vocabulary/limits.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import type { AccountAction } from '../vocabulary/accounts/account-actions.ts';
import { say } from '../vocabulary/habits/messages.ts';
import { makeId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Actor, Tables } from '../directory/schema.ts';
import type { SecurityEvent, SecurityEvents, SecurityLog } from '../process/security-log.ts';

export const LOG_KEPT_MS = 365 * DAY_MS;

/** What an entry is about, by the name that its owner gave it. */
type About = {
  /** Of a key, token or link; or the new role or plan. */
  name?: string | undefined;
  domain?: string | undefined;
};

export type Entry = About & {
  action: AccountAction;
  account_id: string;
  actor: Actor;
  /** The person who did it, if a person did. */
  user_id?: string;
  /** The person whom it concerns, if that is somebody else. */
  member_id?: string;
};

/** Adds an entry. For actions in a transaction, and those of the operator. */
export async function logAction(db: Kysely<Tables>, entry: Entry, now: number): Promise<void> {
  const { user_id = null, member_id = null, name = null, domain = null, ...rest } = entry;
  await db
    .insertInto('account_log')
    .values({ ...rest, id: makeId('log'), user_id, member_id, name, domain, created_at: now })
    .execute();
}

type Parts = { directory: Pick<Directory, 'db'>; security: SecurityLog; now(): number };

/**
 * Adds an entry for what a signed-in person did, and its line to the security log. An action without an account, such as signing in, is
 * added to the log of each account of the person.
 */
export async function recordAction<Action extends AccountAction & SecurityEvent>(
  { directory: { db }, security, now }: Parts,
  action: Action,
  { ids, ...about }: { ids: SecurityEvents[Action] } & About,
): Promise<void> {
  security.note(action, ids);
  const { account_id, ...people }: { account_id?: string; user_id: string; member_id?: string } = ids;
  const accounts = account_id === undefined ? await accountIdsOf(db, people.user_id) : [account_id];
  const { user_id, member_id } = people;
  const who = { user_id, ...(member_id !== undefined && { member_id }) };
  for (const id of accounts) await logAction(db, { action, account_id: id, actor: 'person', ...who, ...about }, now());
}

async function accountIdsOf(db: Kysely<Tables>, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('members').select('account_id').where('user_id', '=', userId).execute();
  return rows.map((row) => row.account_id);
}

/** Returns a page of the log, newest first, and the number of all entries. `user`: only what this person did. */
export async function listActions(
  { db }: Pick<Directory, 'db'>,
  accountId: string,
  { page, user, action }: { page: number; user?: string | undefined; action?: AccountAction | undefined },
) {
  let query = db.selectFrom('account_log').where('account_log.account_id', '=', accountId);
  if (user !== undefined) query = query.where('account_log.user_id', '=', user);
  if (action !== undefined) query = query.where('action', '=', action);
  const counted = query.select(({ fn }) => fn.countAll<number | string>().as('total'));
  const entries = await query
    .leftJoin('users as person', 'person.id', 'account_log.user_id')
    .leftJoin('users as member', 'member.id', 'account_log.member_id')
    .select(['account_log.id', 'action', 'actor', 'account_log.name', 'domain', 'account_log.created_at'])
    .select(['person.email as by', 'member.email as member'])
    .orderBy('account_log.created_at', 'desc')
    .orderBy('account_log.id')
    .limit(LOG_PAGE)
    .offset((page - 1) * LOG_PAGE)
    .execute();
  const { total } = await counted.executeTakeFirstOrThrow();
  return { entries: entries.map(inWords), total: Number(total) };
}

/** Actions whose names are Footfall's own: roles, and kinds of second factors. */
const NAMED_HERE: readonly AccountAction[] = [
  'member_invited',
  'invitation_withdrawn',
  'role_changed',
  'member_joined',
  'factor_added',
  'factor_removed',
];
const inWords = <Logged extends { action: AccountAction; name: string | null }>(entry: Logged): Logged =>
  entry.name !== null && NAMED_HERE.includes(entry.action) ? { ...entry, name: say(entry.name) } : entry;

/** Returns the people who have entries in the log. */
export async function peopleInLog(
  { db }: Pick<Directory, 'db'>,
  accountId: string,
): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', db.selectFrom('account_log').select('user_id').where('account_id', '=', accountId))
    .orderBy('email')
    .execute();
}

export async function forgetActions({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('account_log').where('created_at', '<', before).execute();
}
