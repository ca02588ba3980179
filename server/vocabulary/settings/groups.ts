// Groups of sites: several sites of an account, shown and reported together. For server and dashboard.
import { t } from '../habits/messages.ts';
import type { Metric } from '../numbers/metrics.ts';
import { isRolling, type Period, PERIOD_NAMES } from '../time/periods.ts';

/** The most that an account can have. */
export const MAX_GROUPS = 50;
export const MIN_GROUP_SITES = 2;
export const MAX_GROUP_SITES = 100;
/**
 * What is added up over sites. Visitors can be, because a visitor is recognised on one site and one day only. Money cannot: sites have
 * different currencies.
 */
export const GROUP_METRICS = ['unique_visitors', 'visits', 'pageviews'] as const satisfies Metric[];
export type GroupMetric = (typeof GROUP_METRICS)[number];
/** Whole days: sites of different time zones count their own. */
type GroupPeriod = Exclude<Period, '60m' | '24h' | 'all'>;
export const GROUP_PERIODS = PERIOD_NAMES.filter((name): name is GroupPeriod => !isRolling(name) && name !== 'all');

export const groupSum = (): string =>
  t('A visitor is recognised on one site and one day only, so the visitors of the sites add up.');
export const emptyGroup = (): string =>
  t('The group has no sites any more: they were deleted, or belong to another account now.');
