// Removes accounts whose seven days are over: from Stripe, from every store, and last from the directory. Every step can be repeated, so
// the next run makes up for a Stripe that does not answer and for a kill.
import { beginDeletions, deleteAccountRow } from '../accounts/account-deletion.ts';
import { forgetUsers } from '../accounts/people/user-deletion.ts';
import type { Payments } from '../accounts/billing/open.ts';
import { customerOf } from '../accounts/billing/customers.ts';
import { cleanFiles, type Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import type { Log } from '../process/log.ts';
import type { Mail } from '../messages/mail/mail.ts';
import type { SecurityLog } from '../process/security-log.ts';
import type { Deletion } from './site-deletion.ts';
import { listSites } from '../sites/sites.ts';
import { t } from '../vocabulary/habits/messages.ts';

type Parts = {
  directory: Directory;
  deletion: Pick<Deletion, 'deleteSite'>;
  mail: Pick<Mail, 'send' | 'forget'>;
  payments: Pick<Payments, 'forget'> | undefined;
  security: SecurityLog;
  log: Log;
};

export async function eraseAccounts(parts: Parts, now: number): Promise<void> {
  const { directory, log } = parts;
  const accountIds = await beginDeletions(directory, now);
  for (const accountId of accountIds)
    try {
      await eraseAccount(parts, accountId);
    } catch (error) {
      log.error({ error, account_id: accountId }, 'an account could not be deleted: it will be tried again');
    }
  if (accountIds.length > 0) await cleanFiles(directory);
}

async function eraseAccount(parts: Parts, accountId: string): Promise<void> {
  const { directory, deletion, mail, security } = parts;
  await forgetCustomer(parts, accountId);
  for (const site of await listSites(directory, accountId)) {
    await mail.forget(directory.db, { recipients: [], about: [site.id] });
    await deletion.deleteSite(site.id);
  }
  await directory.db.transaction().execute(async (db) => {
    await db.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute(); // nobody adds a site meanwhile
    if ((await listSites({ ...directory, db }, accountId)).length > 0)
      throw new Refusal('service_unavailable', t('A site was added while the account was being deleted.'));
    const reports = await db.selectFrom('reports').select('id').where('account_id', '=', accountId).execute();
    const gone = await deleteAccountRow(db, accountId);
    if (!gone) return;
    await forgetUsers(db, gone.leaving, mail.forget);
    await mail.forget(db, { recipients: [], about: [accountId, ...reports.map(({ id }) => id)] });
    for (const { userId, email } of gone.owners)
      await mail.send(db, {
        kind: 'account_deleted',
        key: `account_deleted ${accountId} ${userId}`,
        to: email,
        data: { account: gone.name },
      });
    security.note('account_deleted', { account_id: accountId });
  });
}

/** Also ends the subscription. Throws while Stripe does not answer. */
async function forgetCustomer({ directory, payments, log }: Parts, accountId: string): Promise<void> {
  if (payments) return payments.forget(accountId);
  const row = await customerOf(directory, accountId);
  if (row) log.warn({ customer_id: row.customer_id }, 'billing is off: delete this customer in Stripe by hand');
}
