// The kinds of alerts of a site, and the words for their settings.
import { t, texts, textsOf, tn } from '../habits/messages.ts';
import { percent } from '../numbers/format.ts';
import { type Vital, vitalValue, VITALS } from '../numbers/vitals.ts';

type KindRow = {
  label: string;
  about: string;
  /** `lasts`: an incident has a beginning and an end. `happens`: it is over as soon as it is told. */
  is: 'lasts' | 'happens';
  /** It counts visitors, or says when one of them came. */
  isOfVisitors: boolean;
};

export const ALERTS = textsOf(['label', 'about'], {
  spike: {
    label: 'Traffic spike',
    about: 'Tells you when far more people come than usual at this hour.',
    is: 'lasts',
    isOfVisitors: true,
  },
  drop: {
    label: 'Traffic drop',
    about: 'Tells you when far fewer people come than usual at this hour.',
    is: 'lasts',
    isOfVisitors: true,
  },
  silent: {
    label: 'No data',
    about: 'Tells you when a site that usually has visitors records nothing for 24 hours.',
    is: 'lasts',
    isOfVisitors: true,
  },
  goal: { label: 'Goal reached', about: 'Tells you when visitors reach a goal.', is: 'happens', isOfVisitors: true },
  payment: { label: 'Payment', about: 'Tells you when a payment is recorded.', is: 'happens', isOfVisitors: true },
  new_agent: {
    label: 'New AI agent',
    about: 'Tells you when an AI agent visits the site for the first time.',
    is: 'happens',
    isOfVisitors: false,
  },
  mention: {
    label: 'First mention',
    about:
      'Tells you when a thread elsewhere mentions the site for the first time. Choose where to search under Mentions.',
    is: 'happens',
    isOfVisitors: false,
  },
  speed: {
    label: 'Slow pages',
    about: 'Tells you when a web vital of a page, or of the whole site, is above a limit for one in four page views.',
    is: 'lasts',
    isOfVisitors: true,
  },
  errors: {
    label: 'Errors on pages',
    about: 'Tells you when more than a chosen share of visits had an error.',
    is: 'lasts',
    isOfVisitors: true,
  },
  new_error: {
    label: 'New error',
    about: 'Tells you when an error appears that was not there before your last release.',
    is: 'happens',
    isOfVisitors: true,
  },
} as const satisfies Record<string, KindRow>);

export type AlertKind = keyof typeof ALERTS;
export const ALERT_KINDS = Object.keys(ALERTS) as AlertKind[];
/** The kinds that somebody hears of. `isLimited`: somebody who sees no small numbers. */
export const kindsFor = ({ isLimited }: { isLimited: boolean }): AlertKind[] =>
  ALERT_KINDS.filter((kind) => !isLimited || !ALERTS[kind].isOfVisitors);

/** Kinds that compare an hour with the usual of that hour. */
export const TRAFFIC_KINDS = ['spike', 'drop'] as const satisfies AlertKind[];
export type TrafficKind = (typeof TRAFFIC_KINDS)[number];
export const isTrafficKind = (kind: AlertKind): kind is TrafficKind => kind === 'spike' || kind === 'drop';

/** What a traffic alert counts. */
export const ALERT_METRICS = texts({ unique_visitors: 'Visitors', pageviews: 'Page views' } as const);
export type AlertMetric = keyof typeof ALERT_METRICS;
export const ALERT_METRIC_NAMES = Object.keys(ALERT_METRICS) as AlertMetric[];

/** How large a change must be, in plain words. What each means is in `server/notifications/alerts/detection.ts`. */
export const SENSITIVITIES = texts({
  large: 'Only large changes',
  usual: 'Usual',
  small: 'Small ones too',
} as const);
export type Sensitivity = keyof typeof SENSITIVITIES;
export const SENSITIVITY_NAMES = Object.keys(SENSITIVITIES) as Sensitivity[];

/** Which conversions of a goal are told. */
export const GOAL_TELLINGS = texts({ each: 'Every time', first_of_day: 'The first time each day' } as const);
export type GoalTelling = keyof typeof GOAL_TELLINGS;
export const GOAL_TELLING_NAMES = Object.keys(GOAL_TELLINGS) as GoalTelling[];

/** The hours over which alerts with a limit count, up to now. */
export const LIMIT_HOURS = [1, 6, 24] as const;
export type LimitHours = (typeof LIMIT_HOURS)[number];
export const USUAL_HOURS = 24 satisfies LimitHours;
export const hoursLabel = (hours: number): string => tn(hours, 'The last hour', 'The last {n} hours');
export const overHours = (hours: number): string => tn(hours, 'Over the last hour', 'Over the last {n} hours');
/** With fewer page views, or visits, nothing is told, so that one visitor does not alarm. */
export const LEAST = { from: 10, usual: 50, most: 100_000 };
/** Per cent of visits with an error, unless another value is chosen. */
const USUAL_SHARE = 2;

/** Kinds that compare a figure with a limit. */
export const LIMIT_KINDS = ['speed', 'errors'] as const satisfies AlertKind[];
export type LimitKind = (typeof LIMIT_KINDS)[number];
type Limited = { kind: AlertKind; vital: Vital };
/** The highest limits that people can enter. */
export function highestLimit({ kind, vital }: Limited): number {
  if (kind === 'errors') return 100;
  return VITALS[vital].unit === 'milliseconds' ? 60_000 : 10;
}

/** `page`: a path or a pattern; null for the whole site. `above`: null for the usual limit, which is the value that Google calls poor. */
type LimitRule = Limited & { page: string | null; above: number | null };
export const limitOf = ({ kind, vital, above }: Omit<LimitRule, 'page'>): number =>
  above ?? (kind === 'errors' ? USUAL_SHARE : VITALS[vital].poor);
/** `LCP of /checkout above 4,000 ms`, `in more than 2% of visits`. */
export function limitWords({ page, ...rule }: LimitRule): string {
  const limit = limitOf(rule);
  if (rule.kind === 'errors') return t('in more than {share} of visits', { share: percent(limit) });
  const above = { vital: VITALS[rule.vital].label, limit: vitalValue(rule.vital, limit) };
  return page === null ? t('{vital} above {limit}', above) : t('{vital} of {page} above {limit}', { ...above, page });
}

/** Weeks of history that an hour is compared with, and the fewest with which traffic alerts work. */
export const USUAL_WEEKS = 8;
export const LEAST_WEEKS = 3;

export const MAX_ALERTS = 20;
/** People without an account that one alert tells, and members. */
export const MAX_ALERT_EMAILS = 20;
export const MAX_ALERT_MEMBERS = 50;
export const MAX_ALERT_WEBHOOKS = 10;
/** More of the same alert within an hour is told as one summary afterwards. */
export const MAX_TOLD_PER_HOUR = 10;
