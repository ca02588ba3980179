// The two plans: what they are called, what each includes, and for how long.
import { t, textsOf } from '../habits/messages.ts';
import { fullNumber } from '../numbers/format.ts';

export const PLANS = ['starter', 'pro'] as const;
export type Plan = (typeof PLANS)[number];

export const PLAN_NAMES: Record<Plan, string> = { starter: 'Starter', pro: 'Pro' };

/** Events per month that both plans include. */
export const MONTHLY_EVENTS = 10_000;
export const TRIAL_DAYS = 14;
/** How long everything still works after a payment failed. */
export const GRACE_DAYS = 14;
/** A trial's end is counted down on every page from this many days before. */
export const COUNTDOWN_DAYS = 7;

const EVERY_PLAN: readonly Plan[] = PLANS;

/** What a plan may include, in the order in which the plans are compared. Every feature that only some plans have is checked by `includes`. */
const FEATURES = textsOf(['label'], {
  dashboard: { label: 'The whole dashboard, live', plans: EVERY_PLAN },
  events: {
    label: () => t('{events} events a month', { events: fullNumber(MONTHLY_EVENTS) }),
    plans: EVERY_PLAN,
  },
  history: { label: 'Numbers kept forever', plans: EVERY_PLAN },
  export: { label: 'CSV export', plans: EVERY_PLAN },
  api: { label: 'REST API, for your own programs', plans: ['pro'] },
} as const satisfies Record<string, { label: string | (() => string); plans: readonly Plan[] }>);

type Feature = keyof typeof FEATURES;

export function includes(plan: Plan, feature: Feature): boolean {
  return (FEATURES[feature].plans as readonly Plan[]).includes(plan);
}

function labelOf(feature: Feature): string {
  const { label } = FEATURES[feature];
  return typeof label === 'string' ? label : label();
}

/** For people: everything that a plan may include. */
export const featureLabels = (): string[] => (Object.keys(FEATURES) as Feature[]).map(labelOf);

/** For people: what the plan includes. */
export function featuresOf(plan: Plan): string[] {
  const all = Object.keys(FEATURES) as Feature[];
  return all.filter((feature) => includes(plan, feature)).map(labelOf);
}
