import { describe, expect, test } from 'vitest';
import { effectivePlan, TRIAL_MS } from './plans.ts';
import { PLANS, STATUSES, type Plan, type Status } from './schema.ts';

const NOW = Date.UTC(2026, 4, 20, 12);

describe('what an account may do', () => {
  const open = (plan: Plan, status: Status) => ({ status, plan, includesApi: plan === 'pro', canSeeDashboard: true });
  const ended = (plan: Plan) => ({ status: 'expired', plan, includesApi: false, canSeeDashboard: false });
  const now = (status: Status, plan: Plan, ends: { trial?: number; paid?: number } = {}) =>
    effectivePlan({ status, plan, trial_ends_at: ends.trial ?? null, paid_until: ends.paid ?? null }, NOW, {
      billing: 'on',
    });

  test.each(PLANS)('on the %s plan follows status and time', (plan) => {
    // A trial is all of Pro, to the millisecond.
    expect(now('trialing', plan, { trial: NOW + 1 })).toEqual(open('pro', 'trialing'));
    expect(now('trialing', plan, { trial: NOW })).toEqual(ended('pro'));
    expect(now('active', plan)).toEqual(open(plan, 'active'));
    expect(now('active', plan, { trial: NOW - 1 })).toEqual(open(plan, 'active'));
    expect(now('active', plan, { paid: NOW + 1 })).toEqual(open(plan, 'active'));
    expect(now('active', plan, { paid: NOW })).toEqual(ended(plan));
    expect(now('cancelled', plan, { paid: NOW + 1 })).toEqual(open(plan, 'cancelled'));
    expect(now('cancelled', plan, { paid: NOW })).toEqual(ended(plan));
    expect(now('expired', plan, { paid: NOW + 1, trial: NOW + 1 })).toEqual(ended(plan));
  });

  test('is everything for good with billing off, whatever is stored', () => {
    for (const status of STATUSES)
      for (const plan of PLANS)
        expect(effectivePlan({ status, plan, trial_ends_at: 0, paid_until: 0 }, NOW, { billing: 'off' })).toEqual(
          open('pro', 'active'),
        );
  });

  test('a trial has 14 days', () => {
    expect(TRIAL_MS).toBe(1_209_600_000);
  });
});
