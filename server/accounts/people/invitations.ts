// Invitations to an account: links that are valid for seven days and for one person. Only their hashes are stored.
import type { Kysely } from 'kysely';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { hashToken, isId, isToken, makeId, makeToken } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Role } from '../../vocabulary/accounts/roles.ts';
import { insertUser, normaliseEmail, type PreparedUser } from '../accounts.ts';
import { addMember, checkMayManage, checkPlace, type Place, whilePeopleStay } from './people.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

const INVITATION_MS = 7 * DAY_MS;
const MAX_INVITATIONS = 50;
const TOKEN_LENGTH = 32; // 190 bits
export const OVER = message(
  'This invitation is not valid: it was used or withdrawn, or its seven days are over. Ask for a new one.',
);

export type Invitation = Place & {
  id: string;
  /** If set, only a login with this e-mail address can use the link. */
  email: string | null;
  expiresAt: number;
};

/** Throws forbidden if the person may not invite somebody to this role. */
export async function createInvitation(
  directory: Directory,
  input: {
    accountId: string;
    by: string;
    place: Place;
    /** Only a login with this e-mail address can then use the link. */
    email?: string | undefined;
    /** Runs in the transaction, to send the link. */
    notify?(db: Kysely<Tables>, made: { id: string; token: string; email: string }): Promise<unknown>;
  },
  now: number,
): Promise<{ id: string; token: string }> {
  const { accountId, by, place } = input;
  const email = input.email === undefined ? null : normaliseEmail(input.email);
  const [id, token] = [makeId('invite'), makeToken(TOKEN_LENGTH)];
  await whilePeopleStay(directory, accountId, async (db) => {
    await checkMayManage(db, { accountId, by }, [place.role]);
    await checkPlace(db, accountId, place);
    if ((await listInvitations({ db }, accountId, now)).length >= MAX_INVITATIONS)
      throw new Refusal(
        'bad_request',
        t('An account can have {MAX_INVITATIONS} open invitations: withdraw one to make another.', { MAX_INVITATIONS }),
      );
    const site_ids = place.siteIds && JSON.stringify(place.siteIds);
    const times = { created_at: now, expires_at: now + INVITATION_MS };
    const row = {
      id,
      account_id: accountId,
      invited_by: by,
      hash: hashToken(token),
      role: place.role,
      site_ids,
      email,
    };
    await db
      .insertInto('invitations')
      .values({ ...row, ...times })
      .execute();
    if (email !== null) await input.notify?.(db, { id, token, email });
  });
  return { id, token };
}

/** Returns the invitations that can still be used, oldest first. */
export async function listInvitations(
  { db }: Pick<Directory, 'db'>,
  accountId: string,
  now: number,
): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ id: row.id, email: row.email, expiresAt: row.expires_at, ...placeOf(row) }));
}

/** Throws not_found for an invitation that this account does not have, and forbidden if it is for an owner and the person is none. */
export async function withdrawInvitation(
  directory: Directory,
  { accountId, by, id }: { accountId: string; by: string; id: string },
): Promise<{ role: Role }> {
  return whilePeopleStay(directory, accountId, async (db) => {
    const deleting = db.deleteFrom('invitations').where('id', '=', isId('invite', id) ? id : '');
    const row = await deleting.where('account_id', '=', accountId).returning('role').executeTakeFirst();
    await checkMayManage(db, { accountId, by }, [row?.role]);
    if (!row) throw new Refusal('not_found', t('There is no such invitation in this account.'));
    return row;
  });
}

type Invited = { accountName: string; role: Role; domains: string[] | null; email: string | null; expiresAt: number };

/** Returns what a link offers, or undefined if it is not valid. */
export async function invitationOf(
  { db }: Pick<Directory, 'db'>,
  token: string,
  now: number,
): Promise<Invited | undefined> {
  if (!isToken(token, TOKEN_LENGTH)) return undefined;
  const row = await db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .where('hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .select(['name', 'role', 'site_ids', 'email', 'expires_at'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { siteIds } = placeOf(row);
  const sites = db.selectFrom('sites').select('domain').orderBy('domain');
  const domains =
    siteIds && siteIds.length > 0 ? (await sites.where('id', 'in', siteIds).execute()).map(({ domain }) => domain) : [];
  return {
    accountName: row.name,
    role: row.role,
    email: row.email,
    expiresAt: row.expires_at,
    domains: siteIds && domains,
  };
}

/** Who uses an invitation: somebody who is logged in, or a new user. */
type Joining = { userId: string } | { user: PreparedUser };

/**
 * Uses an invitation, which works once: of several people at the same time one gets in. Throws not_found if it is not valid, forbidden if it
 * is for another person, bad_request for a member of the account.
 */
export async function join(
  directory: Directory,
  { token, who }: { token: string; who: Joining },
  now: number,
): Promise<{ accountId: string; userId: string; role: Role }> {
  if (!isToken(token, TOKEN_LENGTH)) throw new Refusal('not_found', say(OVER));
  return directory.db.transaction().execute(async (db) => {
    const deleting = db.deleteFrom('invitations').where('hash', '=', hashToken(token));
    const row = await deleting.where('expires_at', '>', now).returningAll().executeTakeFirst();
    if (!row) throw new Refusal('not_found', say(OVER));
    // Before the user is made, so that a refusal does not tell whether the address is taken.
    checkAddress(row.email, 'user' in who ? who.user.email : (await userOf(db, who.userId)).email);
    const userId = 'user' in who ? (await insertUser(db, who.user, now)).id : who.userId;
    const place = await existing(db, row.account_id, placeOf(row));
    await addMember(db, { accountId: row.account_id, userId, place }, now);
    return { accountId: row.account_id, userId, role: row.role };
  });
}

/** Throws forbidden for an invitation to another address. */
export function checkAddress(invited: string | null, email: string): void {
  if (invited !== null && invited !== email)
    throw new Refusal('forbidden', t('This invitation is for another e-mail address: log in with that one.'));
}

export async function forgetInvitations({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<', before).execute();
}

function placeOf({ role, site_ids }: { role: Role; site_ids: string | null }): Place {
  return { role, siteIds: site_ids === null ? null : (JSON.parse(site_ids) as SiteId[]) };
}

/** Leaves out sites that the account has no more. */
async function existing(db: Kysely<Tables>, accountId: string, { role, siteIds }: Place): Promise<Place> {
  if (siteIds === null || siteIds.length === 0) return { role, siteIds };
  const own = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  return { role, siteIds: (await own.where('id', 'in', siteIds).execute()).map(({ id }) => id) };
}

async function userOf(db: Kysely<Tables>, id: string): Promise<{ id: string; email: string }> {
  return db.selectFrom('users').select(['id', 'email']).where('id', '=', id).executeTakeFirstOrThrow();
}
