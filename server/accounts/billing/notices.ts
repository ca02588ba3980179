// Mails about the plan to those who can pay: before the trial ends and when it has, when a payment failed, and when the plan has ended. They
// follow from the state of the account alone, so it does not matter who changed it; the mails' keys see to it that each is sent once.
import type { Directory } from '../../directory/open.ts';
import type { Account } from '../../directory/schema.ts';
import type { Role } from '../../vocabulary/accounts/roles.ts';
import type { Mail, NewMail } from '../../messages/mail/mail.ts';
import { effectivePlan } from './plans.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';

/** Days before the end of a trial, the last one first. */
const MILESTONES = [3, 7];
/** Nobody is told about an end that is longer ago, for example after an update. */
const NEWS_MS = 7 * DAY_MS;
const PAYERS: readonly Role[] = ['owner', 'billing'];

type Parts = { directory: Directory; mail: Pick<Mail, 'send' | 'isOn'> };
type Notice = Pick<NewMail<'trial_ends'>, 'kind' | 'key' | 'data'> | PlanNotice;
type PlanNotice = Pick<NewMail<'payment_failed' | 'plan_ended'>, 'kind' | 'key' | 'data'>;

export async function mailPlanNotices({ directory, mail }: Parts, now: number): Promise<void> {
  if (!mail.isOn) return;
  const { db } = directory;
  for (const account of await db.selectFrom('accounts').selectAll().where('kind', '=', 'customer').execute()) {
    const notice = noticeOf(account, now);
    if (!notice) continue;
    const payers = await db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .where('account_id', '=', account.id)
      .where('role', 'in', PAYERS)
      .select(['user_id', 'email'])
      .execute();
    for (const { user_id, email } of payers)
      await mail.send(db, { ...notice, key: `${notice.key} ${user_id}`, to: email });
  }
}

/** Returns what there is to say at this moment, at most one thing. */
function noticeOf(account: Account, now: number): Notice | undefined {
  const { status, endsAt } = effectivePlan(account, now, { billing: 'on' });
  if (endsAt === null) return undefined;
  const { id, name } = account;
  const isTrial = account.status === 'trialing';
  if (status === 'trialing') {
    const days = Math.ceil((endsAt - now) / DAY_MS);
    const milestone = MILESTONES.find((one) => days <= one);
    if (milestone === undefined) return undefined;
    return { kind: 'trial_ends', key: `trial_ends ${id} ${endsAt} ${milestone}`, data: { account: name, days } };
  }
  if (status === 'past_due')
    return { kind: 'payment_failed', key: `payment_failed ${id} ${endsAt}`, data: { account: name, until: endsAt } };
  if (status !== 'expired' || now - endsAt >= NEWS_MS) return undefined;
  if (isTrial) return { kind: 'trial_ends', key: `trial_ends ${id} ${endsAt} 0`, data: { account: name, days: 0 } };
  return { kind: 'plan_ended', key: `plan_ended ${id} ${endsAt}`, data: { account: name, until: endsAt } };
}
