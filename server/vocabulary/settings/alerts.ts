// The kinds of alerts of a site, and the words for their settings.
import { plural } from '../habits/formatters.ts';
import { percent } from '../numbers/format.ts';
import { type Vital, vitalValue, VITALS } from '../numbers/vitals.ts';

type KindRow = {
  label: string;
  /** Completes "Tells you …". */
  about: string;
  /** `lasts`: an incident has a beginning and an end. `happens`: it is over as soon as it is told. */
  is: 'lasts' | 'happens';
};

const row = <Row extends KindRow>(one: Row): Row => one;

export const ALERTS = {
  spike: row({ label: 'Traffic spike', about: 'when far more people come than usual at this hour', is: 'lasts' }),
  drop: row({ label: 'Traffic drop', about: 'when far fewer people come than usual at this hour', is: 'lasts' }),
  silent: row({
    label: 'No data',
    about: 'when a site that usually has visitors records nothing for 24 hours',
    is: 'lasts',
  }),
  goal: row({ label: 'Goal reached', about: 'when visitors reach a goal', is: 'happens' }),
  payment: row({ label: 'Payment', about: 'when a payment is recorded', is: 'happens' }),
  new_agent: row({
    label: 'New AI agent',
    about: 'when an AI agent visits the site for the first time',
    is: 'happens',
  }),
  mention: row({
    label: 'First mention',
    about: 'when a thread elsewhere mentions the site for the first time. Choose where to search under Mentions',
    is: 'happens',
  }),
  speed: row({
    label: 'Slow pages',
    about: 'when a web vital of a page, or of the whole site, is above a limit for one in four page views',
    is: 'lasts',
  }),
  errors: row({
    label: 'Errors on pages',
    about: 'when more than a chosen share of visits had an error',
    is: 'lasts',
  }),
  new_error: row({
    label: 'New error',
    about: 'when an error appears that was not there before your last release',
    is: 'happens',
  }),
} as const satisfies Record<string, KindRow>;

export type AlertKind = keyof typeof ALERTS;
export const ALERT_KINDS = Object.keys(ALERTS) as AlertKind[];

/** Kinds that compare an hour with the usual of that hour. */
export const TRAFFIC_KINDS = ['spike', 'drop'] as const satisfies AlertKind[];
export type TrafficKind = (typeof TRAFFIC_KINDS)[number];
export const isTrafficKind = (kind: AlertKind): kind is TrafficKind => kind === 'spike' || kind === 'drop';

/** What a traffic alert counts. */
export const ALERT_METRICS = { unique_visitors: 'Visitors', pageviews: 'Page views' } as const;
export type AlertMetric = keyof typeof ALERT_METRICS;
export const ALERT_METRIC_NAMES = Object.keys(ALERT_METRICS) as AlertMetric[];

/** How large a change must be, in plain words. What each means is in `server/notifications/alerts/detection.ts`. */
export const SENSITIVITIES = {
  large: 'Only large changes',
  usual: 'Usual',
  small: 'Small ones too',
} as const;
export type Sensitivity = keyof typeof SENSITIVITIES;
export const SENSITIVITY_NAMES = Object.keys(SENSITIVITIES) as Sensitivity[];

/** Which conversions of a goal are told. */
export const GOAL_TELLINGS = { each: 'Every time', first_of_day: 'The first time each day' } as const;
export type GoalTelling = keyof typeof GOAL_TELLINGS;
export const GOAL_TELLING_NAMES = Object.keys(GOAL_TELLINGS) as GoalTelling[];

/** The hours over which alerts with a limit count, up to now. */
export const LIMIT_HOURS = [1, 6, 24] as const;
export type LimitHours = (typeof LIMIT_HOURS)[number];
export const USUAL_HOURS = 24 satisfies LimitHours;
/** `hour` or `24 hours`, after “the last”. */
export const hoursWords = (hours: number): string => plural(hours, 'hour', `${hours} hours`);
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
  if (rule.kind === 'errors') return `in more than ${percent(limit)} of visits`;
  return `${VITALS[rule.vital].label}${page === null ? '' : ` of ${page}`} above ${vitalValue(rule.vital, limit)}`;
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
