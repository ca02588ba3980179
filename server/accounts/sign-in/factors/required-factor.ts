// An account can require a second factor of all its members. Members without one see nothing, of any account, until they have set one up.
// A session also has it if the OpenID Connect issuer says that it checked one.
import { Refusal } from '../../../errors.ts';
import type { Directory } from '../../../directory/open.ts';
import { hasSecondFactor } from './second-factor.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

/** True if an account of the user requires a second factor that the user does not have. */
export async function lacksFactor({ db }: Pick<Directory, 'db'>, userId: string): Promise<boolean> {
  const required = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('user_id', '=', userId)
    .where('requires_factor', '=', 1)
    .select('accounts.id')
    .limit(1)
    .executeTakeFirst();
  return required !== undefined && !(await hasSecondFactor(db, userId));
}

/** Throws bad_request if the owner who requires it has none: they would lock themselves out. */
export async function requireFactor(
  { db }: Pick<Directory, 'db'>,
  { accountId, userId, isRequired }: { accountId: string; userId: string; isRequired: boolean },
): Promise<void> {
  if (isRequired && !(await hasSecondFactor(db, userId)))
    throw new Refusal('bad_request', t('Set up your own second factor first.'));
  await db
    .updateTable('accounts')
    .set({ requires_factor: isRequired ? 1 : 0 })
    .where('id', '=', accountId)
    .execute();
}
