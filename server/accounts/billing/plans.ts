// The plan of an account and its states. Plans also end by time alone, so always read them with `effectivePlan`.
import type { Kysely } from 'kysely';
import type { Billing } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { GRACE_DAYS, includes, type Plan, TRIAL_DAYS } from '../../vocabulary/accounts/plans.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Directory } from '../../directory/open.ts';
import { logAction } from '../account-log.ts';
import type { Account, Actor, Status, Tables } from '../../directory/schema.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const TRIAL_MS = TRIAL_DAYS * DAY_MS;
/** The paid period of a cancelled account without a stored end. Plans are monthly. */
const PERIOD_MS = 30 * DAY_MS;
export const GRACE_MS = GRACE_DAYS * DAY_MS;

export type Standing = {
  status: Status;
  plan: Plan;
  /** When the trial, the paid period or the grace period ends or has ended. Null if it does not end by itself. */
  endsAt: number | null;
  includesApi: boolean;
  canSeeDashboard: boolean;
};

type PlanFields = Pick<Account, 'plan' | 'status' | 'trial_ends_at' | 'paid_until' | 'created_at'>;
type State = { plan(account: PlanFields): Plan; endsAt(account: PlanFields, billing: Billing): number | null };

/** For each stored status: the plan that it gives, and when it becomes `expired` by itself (null: never). */
const STATES: Record<Status, State> = {
  trialing: {
    plan: () => 'pro',
    endsAt: (account, billing) => account.trial_ends_at ?? (billing === 'on' ? account.created_at + TRIAL_MS : null),
  },
  active: { plan: (account) => account.plan, endsAt: (account) => account.paid_until },
  past_due: { plan: (account) => account.plan, endsAt: (account) => account.paid_until },
  cancelled: { plan: (account) => account.plan, endsAt: (account) => account.paid_until },
  expired: { plan: (account) => account.plan, endsAt: (account) => account.paid_until },
};

/** Returns what the plan allows at `now`. With billing off, every account is on Pro forever. */
export function effectivePlan(account: PlanFields, now: number, { billing }: { billing: Billing }): Standing {
  if (billing === 'off')
    return { status: 'active', plan: 'pro', endsAt: null, includesApi: true, canSeeDashboard: true };
  const state = STATES[account.status];
  const endsAt = state.endsAt(account, billing);
  const plan = state.plan(account);
  if (account.status === 'expired' || (endsAt !== null && endsAt <= now))
    return { status: 'expired', plan, endsAt, includesApi: false, canSeeDashboard: false };
  return { status: account.status, plan, endsAt, includesApi: includes(plan, 'api'), canSeeDashboard: true };
}

/** True if the account has a monthly quota. */
export function hasQuota(account: Pick<Account, 'kind'>): boolean {
  return account.kind === 'customer';
}

/** True if people can pay for this account here. Otherwise no screen speaks of paying. */
export function hasBilling(account: Pick<Account, 'kind'>, { billing }: { billing: Billing }): boolean {
  return billing === 'on' && account.kind === 'customer';
}

/** True if the dashboard mentions plan and trial. `manage plan set` takes effect either way. */
export function hasPlan(account: Pick<Account, 'kind'>, { billing }: { billing: Billing }): boolean {
  return billing !== 'off' && account.kind === 'customer';
}

/** What a subscription says about its account. */
export type Subscribed = { status: Exclude<Status, 'trialing'>; plan: Plan; paidUntil: number | null };

/**
 * Brings an account to the state of its subscription, whatever was missed in between. Without `paidUntil` an active account does not end, a
 * failed payment has its 14 days, and a cancelled one a month.
 */
export async function followSubscription(
  directory: Pick<Directory, 'db'>,
  { accountId, subscribed }: { accountId: string; subscribed: Subscribed },
  now: number,
): Promise<Account> {
  const account = await accountById(directory, accountId);
  const { status, plan, paidUntil } = subscribed;
  const before = effectivePlan(account, now, { billing: 'on' }).status;
  if (status === 'expired' && before === 'expired') return account;
  const ends = { active: null, past_due: now + GRACE_MS, cancelled: now + PERIOD_MS, expired: null };
  return store(
    directory,
    { before: account, after: { ...account, status, plan, paid_until: paidUntil ?? ends[status] } },
    now,
  );
}

async function store(
  { db }: Pick<Directory, 'db'>,
  { before, after }: { before: Account; after: Account },
  now: number,
): Promise<Account> {
  const updated = await db
    .updateTable('accounts')
    .set({ status: after.status, plan: after.plan, paid_until: after.paid_until })
    .where('id', '=', before.id)
    .where('status', '=', before.status) // does not overwrite a concurrent change
    .returningAll()
    .executeTakeFirst();
  if (!updated)
    throw new Refusal('service_unavailable', t('The plan was changed at the same moment: check it, then try again.'));
  // A renewal changes only the end.
  const isChanged = updated.status !== before.status || updated.plan !== before.plan;
  if (isChanged) await logPlan(db, updated, { actor: 'billing', now });
  return updated;
}

/**
 * Sets plan and status directly, for the operator. `until` is the end of the trial or paid period. Setting only the plan changes
 * neither the status nor its end.
 */
export async function setPlan(
  directory: Directory,
  input: { accountId: string; plan?: Plan | undefined; status?: Status | undefined; until?: number | undefined },
  now: number,
): Promise<Account> {
  const account = await accountById(directory, input.accountId);
  const status = input.status ?? account.status;
  const isKept = input.status === undefined && input.until === undefined;
  const ends: Record<Status, Partial<Account>> = {
    trialing: { trial_ends_at: input.until ?? now + TRIAL_MS, paid_until: null },
    active: { paid_until: input.until ?? null },
    past_due: { paid_until: input.until ?? now + GRACE_MS },
    cancelled: { paid_until: input.until ?? account.paid_until ?? now + PERIOD_MS },
    expired: { paid_until: input.until ?? account.paid_until },
  };
  return directory.db.transaction().execute(async (db) => {
    const updated = await db
      .updateTable('accounts')
      .set({ plan: input.plan ?? account.plan, status, ...(!isKept && ends[status]) })
      .where('id', '=', account.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await logPlan(db, updated, { actor: 'operator', now });
    return updated;
  });
}

async function logPlan(
  db: Kysely<Tables>,
  { id, plan, status }: Account,
  { actor, now }: { actor: Actor; now: number },
): Promise<void> {
  await logAction(db, { action: 'plan_changed', account_id: id, actor, name: `${plan}, ${status}` }, now);
}

async function accountById(directory: Pick<Directory, 'db'>, id: string): Promise<Account> {
  const account = await directory.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  if (!account) throw new Refusal('not_found', t('There is no such account.'));
  return account;
}
