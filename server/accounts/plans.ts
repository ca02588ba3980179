// The plan of an account, as a state machine. Plans also end by time alone, so always read them with `effectivePlan`.
import type { Billing } from '../config.ts';
import { Refusal } from '../errors.ts';
import { DAY_MS } from '../vocabulary/time.ts';
import type { Directory } from '../directory/open.ts';
import type { Account, Plan, Status } from '../directory/schema.ts';

export const TRIAL_MS = 14 * DAY_MS;
/** Per month, in the currency of Stripe's prices. */
export const PRICES = { starter: 9, pro: 19 } as const satisfies Record<Plan, number>;
/** The paid period of a cancelled account without a stored end. Plans are monthly. */
export const PERIOD_MS = 30 * DAY_MS;

export type Standing = {
  status: Status;
  plan: Plan;
  /** When the trial or paid period ends or has ended. Null if it does not end by itself. */
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
  return { status: account.status, plan, endsAt, includesApi: plan === 'pro', canSeeDashboard: true };
}

/** True if the account has a monthly quota. */
export function hasQuota(account: Pick<Account, 'kind'>): boolean {
  return account.kind === 'customer';
}

/** True if the dashboard mentions plan and trial. `manage plan set` takes effect either way. */
export function hasPlan(account: Pick<Account, 'kind'>, { billing }: { billing: Billing }): boolean {
  return billing !== 'off' && account.kind === 'customer';
}

export const TRANSITIONS = {
  subscribe: { from: ['trialing', 'active', 'expired'], to: 'active' },
  resubscribe: { from: ['cancelled', 'expired'], to: 'active' },
  cancel: { from: ['active'], to: 'cancelled' },
  expire: { from: ['trialing', 'active', 'cancelled'], to: 'expired' },
} as const satisfies Record<string, { from: readonly Status[]; to: Status }>;

export type Transition = keyof typeof TRANSITIONS;

/**
 * Makes one transition of the table. `plan` and `paidUntil` are for `subscribe` and `resubscribe`; without `paidUntil` the subscription
 * does not end. Cancelling keeps the paid period. Throws bad_request if the status does not allow the transition.
 */
export async function changePlan(
  directory: Directory,
  input: { accountId: string; transition: Transition; plan?: Plan; paidUntil?: number | null },
  now: number,
): Promise<Account> {
  const account = await accountById(directory, input.accountId);
  const step = TRANSITIONS[input.transition];
  const { status } = effectivePlan(account, now, { billing: 'on' });
  if (!(step.from as readonly Status[]).includes(status))
    throw new Refusal('bad_request', `An account that is ${status} cannot ${input.transition}.`);
  const subscribes = step.to === 'active';
  const cancels = step.to === 'cancelled';
  const updated = await directory.db
    .updateTable('accounts')
    .set({
      status: step.to,
      ...(subscribes && { plan: input.plan ?? account.plan, paid_until: input.paidUntil ?? null }),
      ...(cancels && { paid_until: input.paidUntil ?? account.paid_until ?? now + PERIOD_MS }),
    })
    .where('id', '=', account.id)
    .where('status', '=', account.status) // does not overwrite a concurrent change
    .returningAll()
    .executeTakeFirst();
  if (!updated) throw new Refusal('bad_request', 'The plan was changed at the same moment: check it, then try again.');
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
    cancelled: { paid_until: input.until ?? account.paid_until ?? now + PERIOD_MS },
    expired: { paid_until: input.until ?? account.paid_until },
  };
  return directory.db
    .updateTable('accounts')
    .set({ plan: input.plan ?? account.plan, status, ...(!isKept && ends[status]) })
    .where('id', '=', account.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function accountById(directory: Directory, id: string): Promise<Account> {
  const account = await directory.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
  if (!account) throw new Refusal('not_found', 'There is no such account.');
  return account;
}
