import { describe, expect, test } from 'vitest';
import type { Billing } from '../../config.ts';
import { effectivePlan, GRACE_MS, hasBilling, hasPlan, hasQuota } from './plans.ts';
import { type Kind, STATUSES, type Status } from '../../directory/schema.ts';
import { featuresOf, PLANS, type Plan, TRIAL_DAYS } from '../../vocabulary/accounts/plans.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';

const NOW = Date.UTC(2026, 4, 20, 12);

describe('what an account may do', () => {
  type Ends = { trial?: number; paid?: number };
  const open = (plan: Plan, status: Status, endsAt: number | null = null) => ({
    status,
    plan,
    endsAt,
    includesApi: plan === 'pro',
    canSeeDashboard: true,
  });
  const ended = (plan: Plan, endsAt: number | null) => ({
    status: 'expired',
    plan,
    endsAt,
    includesApi: false,
    canSeeDashboard: false,
  });
  const madeAt = NOW - 14 * DAY_MS;
  const account = (status: Status, plan: Plan, ends: Ends) => ({
    status,
    plan,
    trial_ends_at: ends.trial ?? null,
    paid_until: ends.paid ?? null,
    created_at: madeAt,
  });
  const now = (status: Status, plan: Plan, ends: Ends = {}, billing: Billing = 'on') =>
    effectivePlan(account(status, plan, ends), NOW, { billing });

  test.each(PLANS)('on the %s plan follows status and time', (plan) => {
    // A trial allows all of Pro until its last millisecond.
    expect(now('trialing', plan, { trial: NOW + 1 })).toEqual(open('pro', 'trialing', NOW + 1));
    expect(now('trialing', plan, { trial: NOW })).toEqual(ended('pro', NOW));
    expect(now('active', plan)).toEqual(open(plan, 'active'));
    expect(now('active', plan, { trial: NOW - 1 })).toEqual(open(plan, 'active'));
    expect(now('active', plan, { paid: NOW + 1 })).toEqual(open(plan, 'active', NOW + 1));
    expect(now('active', plan, { paid: NOW })).toEqual(ended(plan, NOW));
    // After a failed payment everything still works, to the millisecond.
    expect(now('past_due', plan, { paid: NOW + 1 })).toEqual(open(plan, 'past_due', NOW + 1));
    expect(now('past_due', plan, { paid: NOW })).toEqual(ended(plan, NOW));
    expect(now('cancelled', plan, { paid: NOW + 1 })).toEqual(open(plan, 'cancelled', NOW + 1));
    expect(now('cancelled', plan, { paid: NOW })).toEqual(ended(plan, NOW));
    expect(now('expired', plan, { paid: NOW + 1, trial: NOW + 1 })).toEqual(ended(plan, NOW + 1));
  });

  test('is always Pro with billing off, whatever is stored', () => {
    for (const status of STATUSES)
      for (const plan of PLANS) expect(now(status, plan, { trial: 0, paid: 0 }, 'off')).toEqual(open('pro', 'active'));
  });

  test('the trial of a new account ends by itself only where a plan can be bought', () => {
    expect(now('trialing', 'pro', {}, 'on')).toEqual(ended('pro', NOW));
    expect(now('trialing', 'pro', {}, 'unset')).toEqual(open('pro', 'trialing'));
    // A plan that the operator set is valid in any case.
    expect(now('trialing', 'pro', { trial: NOW }, 'unset')).toEqual(ended('pro', NOW));
    expect(now('active', 'starter', { paid: NOW }, 'unset')).toEqual(ended('starter', NOW));
    expect(now('expired', 'pro', {}, 'unset')).toEqual(ended('pro', null));
  });

  test('a trial has 14 days, and so has a payment that failed', () => {
    expect([TRIAL_DAYS * DAY_MS, GRACE_MS]).toEqual([1_209_600_000, 1_209_600_000]);
  });

  test('includes 10,000 events a month on both plans, and the API on Pro alone', () => {
    const both = ['The whole dashboard, live', '10,000 events a month', 'Numbers kept forever', 'CSV export'];
    expect(featuresOf('starter')).toEqual(both);
    expect(featuresOf('pro')).toEqual([...both, 'REST API, for your own programs']);
  });

  test.each([
    ['customer', 'on', { quota: true, pays: true, plan: true }],
    ['customer', 'unset', { quota: true, pays: false, plan: true }],
    ['customer', 'off', { quota: true, pays: false, plan: false }],
    ...(['operator', 'demo'] as const).flatMap((kind) =>
      (['on', 'unset', 'off'] as const).map((billing) => [kind, billing, { quota: false, pays: false, plan: false }]),
    ),
  ] as [Kind, Billing, object][])('of the kind %s with billing %s is: %j', (kind, billing, expected) => {
    const [quota, pays] = [hasQuota({ kind }), hasBilling({ kind }, { billing })];
    expect({ quota, pays, plan: hasPlan({ kind }, { billing }) }).toEqual(expected);
  });
});
