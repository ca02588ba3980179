// Plans and how they change, on both directory databases.
import { describe, expect, test } from 'vitest';
import { listActions } from '../../server/accounts/account-log.ts';
import { accountOfEmail, createAccount } from '../../server/accounts/accounts.ts';
import {
  changePlan,
  effectivePlan,
  followSubscription,
  GRACE_MS,
  setPlan,
  TRANSITIONS,
  type Transition,
} from '../../server/accounts/billing/plans.ts';
import { STATUSES, type Status } from '../../server/directory/schema.ts';
import type { Plan } from '../../server/vocabulary/accounts/plans.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';
const EVER = { status: 'active', plan: 'pro', paid_until: null };

describe.each(FORMS)('plans in %s', (form) => {
  test('each transition of a plan leads where the table says, and no other is possible', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    for (const name of Object.keys(TRANSITIONS) as Transition[])
      for (const status of STATUSES) {
        await setPlan(directory, { accountId: account.id, plan: 'starter', status, until: NOON + DAY }, NOON);
        const step = TRANSITIONS[name];
        const changed = changePlan(directory, { accountId: account.id, transition: name, plan: 'pro' }, NOON);
        if ((step.from as readonly Status[]).includes(status)) {
          const after = await changed;
          expect(effectivePlan(after, NOON, { billing: 'on' }).status).toBe(step.to);
          expect(after.plan).toBe(step.to === 'active' ? 'pro' : 'starter');
        } else expect(await outcome(changed)).toBe(`bad_request: An account that is ${status} cannot ${name}.`);
      }
  });

  test('an account follows its subscription from every status to every other', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const accountId = account.id;
    const ends = { active: null, past_due: NOON + DAY, cancelled: NOON + 2 * DAY, expired: NOON - DAY };
    for (const from of STATUSES)
      for (const [to, paidUntil] of Object.entries(ends) as [keyof typeof ends, number | null][]) {
        const before = await setPlan(
          directory,
          { accountId, plan: 'starter', status: from, until: NOON + 9 * DAY },
          NOON,
        );
        const subscribed = { status: to, plan: 'pro', paidUntil } as const;
        const after = await followSubscription(directory, { accountId, subscribed }, NOON);
        const stays = from === 'expired' && to === 'expired';
        const expected = stays ? before : { ...before, status: to, plan: 'pro', paid_until: paidUntil };
        expect(after, `${from} to ${to}`).toEqual(expected);
        expect(effectivePlan(after, NOON, { billing: 'on' }).status).toBe(to);
      }
    // What was read too late has ended by then.
    await setPlan(directory, { accountId, status: 'active' }, NOON);
    const late = { status: 'past_due', plan: 'pro', paidUntil: NOON - 1 } as const;
    const after = await followSubscription(directory, { accountId, subscribed: late }, NOON);
    expect(effectivePlan(after, NOON, { billing: 'on' }).status).toBe('expired');
    const paid = { status: 'active', plan: 'pro', paidUntil: null } as const;
    expect(await followSubscription(directory, { accountId, subscribed: paid }, NOON)).toMatchObject(EVER);
  });

  test('a payment that failed leaves 14 days, and a payment within or after them restores everything', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(
      directory,
      { email: 'ada@example.com', password: PASSWORD, plan: 'starter', status: 'active' },
      NOON,
    );
    const accountId = account.id;
    const failed = await changePlan(directory, { accountId, transition: 'fail_payment' }, NOON);
    expect(failed).toMatchObject({ status: 'past_due', plan: 'starter', paid_until: NOON + GRACE_MS });
    const statusAt = (at: number) => effectivePlan(failed, at, { billing: 'on' }).status;
    expect([statusAt(NOON + GRACE_MS - 1), statusAt(NOON + GRACE_MS)]).toEqual(['past_due', 'expired']);
    expect(await changePlan(directory, { accountId, transition: 'pay' }, NOON + DAY)).toMatchObject({
      status: 'active',
      plan: 'starter',
      paid_until: null,
    });
    await changePlan(directory, { accountId, transition: 'fail_payment' }, NOON);
    const tooLate = changePlan(directory, { accountId, transition: 'pay' }, NOON + GRACE_MS);
    expect(await outcome(tooLate)).toBe('bad_request: An account that is expired cannot pay.');
    const subscribed = { accountId, transition: 'subscribe', plan: 'pro' } as const;
    expect(await changePlan(directory, subscribed, NOON + GRACE_MS)).toMatchObject(EVER);
  });

  test('the log has each change of status or plan, and no renewal, which changes the end alone', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const accountId = account.id;
    const follow = (plan: Plan, status: 'active' | 'past_due', days: number) =>
      followSubscription(directory, { accountId, subscribed: { status, plan, paidUntil: NOON + days * DAY } }, NOON);
    await follow('starter', 'active', 30);
    await follow('starter', 'active', 60);
    await follow('pro', 'active', 60);
    await follow('pro', 'past_due', 60);
    await follow('pro', 'past_due', 61);
    const { entries } = await listActions(directory, accountId, { page: 1, action: 'plan_changed' });
    expect(entries.map(({ name, actor }) => `${name} by ${actor}`).sort()).toEqual([
      'pro, active by billing',
      'pro, past_due by billing',
      'starter, active by billing',
    ]);
  });

  test('a plan goes through trial, subscription, cancellation, expiry, and a new subscription', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const accountId = account.id;
    const standing = async (at: number) => {
      const now = await accountOfEmail(directory, 'ada@example.com');
      const { status, plan } = effectivePlan(now, at, { billing: 'on' });
      return `${status} ${plan}`;
    };
    expect(await standing(NOON + 14 * DAY - 1)).toBe('trialing pro');
    expect(await standing(NOON + 14 * DAY)).toBe('expired pro');
    const paidUntil = NOON + 50 * DAY;
    await changePlan(directory, { accountId, transition: 'subscribe', plan: 'starter', paidUntil }, NOON + 20 * DAY);
    expect(await standing(NOON + 20 * DAY)).toBe('active starter');
    await changePlan(directory, { accountId, transition: 'cancel' }, NOON + 21 * DAY);
    expect(await standing(paidUntil - 1)).toBe('cancelled starter');
    expect(await standing(paidUntil)).toBe('expired starter');
    const cancelAgain = changePlan(directory, { accountId, transition: 'cancel' }, paidUntil);
    expect(await outcome(cancelAgain)).toBe('bad_request: An account that is expired cannot cancel.');
    await changePlan(directory, { accountId, transition: 'resubscribe', plan: 'pro' }, paidUntil + DAY);
    expect(await standing(paidUntil + 1_000 * DAY)).toBe('active pro');
    // A cancelled account whose paid period is unknown keeps its plan for a month.
    await changePlan(directory, { accountId, transition: 'cancel' }, paidUntil);
    expect(await standing(paidUntil + 30 * DAY - 1)).toBe('cancelled pro');
    expect(await standing(paidUntil + 30 * DAY)).toBe('expired pro');
    const nobody = { accountId: 'acct_0', transition: 'cancel' } as const;
    expect(await outcome(changePlan(directory, nobody, NOON))).toBe('not_found: There is no such account.');
  });

  test('a change without a status keeps the status and the end', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, NOON);
    const accountId = account.id;
    const until = NOON + 20 * DAY;
    for (const status of STATUSES) {
      const before = await setPlan(directory, { accountId, plan: 'starter', status, until }, NOON);
      const after = await setPlan(directory, { accountId, plan: 'pro' }, NOON + DAY);
      expect(after, status).toEqual({ ...before, plan: 'pro' });
      const later = await setPlan(directory, { accountId, until: until + DAY }, NOON + DAY);
      expect(status === 'trialing' ? later.trial_ends_at : later.paid_until, status).toBe(until + DAY);
    }
    await setPlan(directory, { accountId, status: 'active', until }, NOON);
    expect(await setPlan(directory, { accountId, status: 'active' }, NOON)).toMatchObject({ paid_until: null });
  });
});
