// Deleting one's own login, at once. What the person did stays in the logs of accounts, without saying who it was.
import type { Kysely } from 'kysely';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { logAction } from '../account-log.ts';
import { endLinks } from '../one-time-links.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type Leaver = { userId: string; email: string };
/** Removes what mail keeps of somebody. */
type ForgetMail = (db: Kysely<Tables>, what: { recipients: string[]; about: string[] }) => Promise<unknown>;

/**
 * Throws bad_request for the only owner of an account, and unless `typed` is the e-mail address. Ends all sessions of the person.
 */
export async function deleteUser(
  { db }: Directory,
  { userId, email, typed, forgetMail }: Leaver & { typed: string; forgetMail: ForgetMail },
  now: number,
): Promise<void> {
  if (typed.trim().toLowerCase() !== email)
    throw new Refusal('bad_request', t('Type your e-mail address exactly as it is shown.'));
  await db.transaction().execute(async (trx) => {
    const accountIds = await lockAccounts(trx, userId);
    await checkNotNeeded(trx, userId);
    for (const account_id of accountIds)
      await logAction(trx, { action: 'login_deleted', account_id, actor: 'person', user_id: userId }, now);
    await forgetUsers(trx, [{ userId, email }], forgetMail);
  });
}

/** Deletes people and everything that is theirs alone. Entries of logs lose their ids. */
export async function forgetUsers(db: Kysely<Tables>, leavers: Leaver[], forgetMail: ForgetMail): Promise<void> {
  if (leavers.length === 0) return;
  const userIds = leavers.map(({ userId }) => userId);
  for (const userId of userIds) await db.deleteFrom('verifications').where('value', 'like', `%${userId}%`).execute();
  const emails = leavers.map(({ email }) => email);
  for (const email of emails) await endLinks(db, 'sign_up', email);
  await db.deleteFrom('sign_ups').where('email', 'in', emails).execute();
  await db.deleteFrom('reports').where('personal', '=', 1).where('created_by', 'in', userIds).execute();
  await db.deleteFrom('users').where('id', 'in', userIds).execute();
  await forgetMail(db, { recipients: emails, about: userIds });
}

/** Locks the rows of the person's accounts, so that their people stay as they are. Returns the accounts' ids. */
async function lockAccounts(db: Kysely<Tables>, userId: string): Promise<string[]> {
  const ids = () => db.selectFrom('members').select('account_id').where('user_id', '=', userId).orderBy('account_id');
  const locked = (await ids().execute()).map((row) => row.account_id);
  for (const id of locked) await db.updateTable('accounts').set({ id }).where('id', '=', id).execute();
  const now = (await ids().execute()).map((row) => row.account_id);
  if (now.some((id) => !locked.includes(id)))
    throw new Refusal('service_unavailable', t('You joined an account at this moment: try again.'), {
      retryAfterSeconds: 1,
    });
  return now;
}

/** Nobody can lock the last owner out of an account, themselves included. */
async function checkNotNeeded(db: Kysely<Tables>, userId: string): Promise<void> {
  const owned = db.selectFrom('members').where('role', '=', 'owner');
  const others = owned.select('account_id').where('user_id', '!=', userId);
  const needed = await owned
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('user_id', '=', userId)
    .where('account_id', 'not in', others)
    .select('accounts.name')
    .orderBy('accounts.created_at')
    .execute();
  if (needed.length === 0) return;
  const names = needed.map(({ name }) => `“${name}”`).join(' and ');
  throw new Refusal(
    'bad_request',
    t('You are the only owner of {names}. First make somebody else an owner under People, or delete the account.', {
      names,
    }),
  );
}
