// Deleting an account: an owner asks for it, everything works for seven more days in which any owner can take it back, and then a job
// (`server/jobs/account-erasure.ts`) removes it from every store.
import type { Kysely } from 'kysely';
import { Refusal } from '../errors.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import type { Directory } from '../directory/open.ts';
import type { Account, Tables } from '../directory/schema.ts';
import { logAction } from './account-log.ts';
import { checkMayManage, whilePeopleStay } from './people/people.ts';
import { message, say, t } from '../vocabulary/habits/messages.ts';

const DELETION_MS = 7 * DAY_MS;

const OPERATORS = message(
  'This account belongs to whoever runs this server, so it cannot be deleted here: delete its sites, or stop the server and remove its data.',
);
const BEGUN = message('The seven days are over: the account is being deleted, and nothing can be taken back.');

type By = { accountId: string; by: string };
type Owner = { userId: string; email: string };

/** Throws bad_request unless `typed` is the account's name, and for the operator's own account. Asking again changes nothing. */
export async function askDeletion(
  directory: Directory,
  input: By & {
    typed: string;
    /** Runs in the transaction, to mail the owners. */
    notify(db: Kysely<Tables>, asked: { account: Account; owners: Owner[]; deletesAt: number }): Promise<unknown>;
  },
  now: number,
): Promise<{ deletesAt: number }> {
  const { accountId, by } = input;
  return whilePeopleStay(directory, accountId, async (db) => {
    await checkMayManage(db, { accountId, by }, ['owner']);
    const account = await accountById(db, accountId);
    if (account.kind === 'operator') throw new Refusal('bad_request', say(OPERATORS));
    if (input.typed.trim() !== account.name.trim())
      throw new Refusal('bad_request', t('Type the name of the account exactly as it is shown.'));
    if (account.deletes_at !== null) return { deletesAt: account.deletes_at };
    const deletesAt = now + DELETION_MS;
    await db.updateTable('accounts').set({ deletes_at: deletesAt }).where('id', '=', accountId).execute();
    await logAction(db, { action: 'deletion_asked', account_id: accountId, actor: 'person', user_id: by }, now);
    await input.notify(db, { account, owners: await ownersOf(db, accountId), deletesAt });
    return { deletesAt };
  });
}

/** Takes the deletion back. Throws bad_request once the seven days are over. Does nothing for an account that stays anyway. */
export async function keepAccount(directory: Directory, { accountId, by }: By, now: number): Promise<void> {
  await whilePeopleStay(directory, accountId, async (db) => {
    await checkMayManage(db, { accountId, by }, ['owner']);
    const { deletes_at } = await accountById(db, accountId);
    if (deletes_at === null) return;
    if (deletes_at <= now) throw new Refusal('bad_request', say(BEGUN));
    await db.updateTable('accounts').set({ deletes_at: null }).where('id', '=', accountId).execute();
    await logAction(db, { action: 'deletion_taken_back', account_id: accountId, actor: 'person', user_id: by }, now);
  });
}

/** Throws bad_request while an account waits for its deletion: nobody should pay for it then. */
export function checkStays({ deletes_at }: Pick<Account, 'deletes_at'>): void {
  if (deletes_at !== null)
    throw new Refusal(
      'bad_request',
      t('This account is going to be deleted: keep the account first, then choose a plan.'),
    );
}

/**
 * Returns the accounts whose seven days are over. From here on nobody can take their deletion back, however far the clocks of processes
 * differ.
 */
export async function beginDeletions({ db }: Directory, now: number): Promise<string[]> {
  const over = db.updateTable('accounts').set({ deletes_at: 0 }).where('deletes_at', '<=', now);
  return (await over.returning('id').execute()).map(({ id }) => id).sort();
}

/**
 * Deletes the account's row, and everything that refers to it, once its sites and its Stripe customer are gone. People who belong to no
 * other account are returned as `leaving`: the caller deletes them in the same transaction. Returns undefined for an account that is gone.
 */
export async function deleteAccountRow(
  db: Kysely<Tables>,
  accountId: string,
): Promise<{ name: string; owners: Owner[]; leaving: Owner[] } | undefined> {
  const account = await db
    .selectFrom('accounts')
    .select('name')
    .where('id', '=', accountId)
    .where('deletes_at', '=', 0)
    .executeTakeFirst();
  if (!account) return undefined;
  const owners = await ownersOf(db, accountId);
  const ofOtherAccounts = db.selectFrom('members').select('user_id').where('account_id', '!=', accountId);
  const leaving = await people(db, accountId).where('user_id', 'not in', ofOtherAccounts).execute();
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
  return { name: account.name, owners, leaving };
}

const people = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('account_id', '=', accountId)
    .select(['users.id as userId', 'email'])
    .orderBy('users.id');

const ownersOf = (db: Kysely<Tables>, accountId: string): Promise<Owner[]> =>
  people(db, accountId).where('role', '=', 'owner').execute();

async function accountById(db: Kysely<Tables>, accountId: string): Promise<Account> {
  return db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
}
