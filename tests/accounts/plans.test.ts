// Plans and how they change, on both directory databases.
import { describe, expect, test } from 'vitest';
import { listActions } from '../../server/accounts/account-log.ts';
import { accountOfEmail, createAccount } from '../../server/accounts/accounts.ts';
import { effectivePlan, followSubscription, GRACE_MS, setPlan } from '../../server/accounts/billing/plans.ts';
import { STATUSES } from '../../server/directory/schema.ts';
import type { Plan } from '../../server/vocabulary/accounts/plans.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';

const DAY = 86_400_000;
const PASSWORD = 'correct horse';
const EVER = { status: 'active', plan: 'pro', paid_until: null };

describe.each(FORMS)('plans in %s', (form) => {
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
    const follow = (status: 'active' | 'past_due', plan: Plan, now: number) =>
      followSubscription(directory, { accountId, subscribed: { status, plan, paidUntil: null } }, now);
    const failed = await follow('past_due', 'starter', NOON);
    expect(failed).toMatchObject({ status: 'past_due', plan: 'starter', paid_until: NOON + GRACE_MS });
    const statusAt = (at: number) => effectivePlan(failed, at, { billing: 'on' }).status;
    expect([statusAt(NOON + GRACE_MS - 1), statusAt(NOON + GRACE_MS)]).toEqual(['past_due', 'expired']);
    expect(await follow('active', 'starter', NOON + DAY)).toMatchObject({
      status: 'active',
      plan: 'starter',
      paid_until: null,
    });
    await follow('past_due', 'starter', NOON);
    expect(await follow('active', 'pro', NOON + GRACE_MS)).toMatchObject(EVER);
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
    const follow = (subscribed: Parameters<typeof followSubscription>[1]['subscribed'], now: number) =>
      followSubscription(directory, { accountId, subscribed }, now);
    await follow({ status: 'active', plan: 'starter', paidUntil }, NOON + 20 * DAY);
    expect(await standing(NOON + 20 * DAY)).toBe('active starter');
    await follow({ status: 'cancelled', plan: 'starter', paidUntil }, NOON + 21 * DAY);
    expect(await standing(paidUntil - 1)).toBe('cancelled starter');
    expect(await standing(paidUntil)).toBe('expired starter');
    await follow({ status: 'active', plan: 'pro', paidUntil: null }, paidUntil + DAY);
    expect(await standing(paidUntil + 1_000 * DAY)).toBe('active pro');
    // A cancelled account whose paid period is unknown keeps its plan for a month.
    await follow({ status: 'cancelled', plan: 'pro', paidUntil: null }, paidUntil);
    expect(await standing(paidUntil + 30 * DAY - 1)).toBe('cancelled pro');
    expect(await standing(paidUntil + 30 * DAY)).toBe('expired pro');
    const nobody = { accountId: 'acct_0', subscribed: { status: 'expired', plan: 'pro', paidUntil: null } } as const;
    expect(await outcome(followSubscription(directory, nobody, NOON))).toBe('not_found: There is no such account.');
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
