// What a picture of a link was asked for, and how it says that.
import { midSentence, t } from '../../../vocabulary/habits/messages.ts';
import { type Metric, metricRow } from '../../../vocabulary/numbers/metrics.ts';
import { dateRange } from '../../../vocabulary/numbers/format.ts';
import type { PictureTheme } from '../../../vocabulary/settings/pictures.ts';
import { type AskedPeriod, PERIODS } from '../../../vocabulary/time/periods.ts';

export type Asked = AskedPeriod & {
  domain: string;
  metric: Metric;
  theme: PictureTheme;
  /** Of money. */
  currency: string | null;
  hasCredit: boolean;
};

export const spanName = ({ period, date_from = '', date_to = '' }: AskedPeriod): string =>
  period === 'custom' ? dateRange(date_from, date_to) : PERIODS[period].label;

/** The name of a period begins with no noun, which German would write with a capital. */
export const periodInSentence = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);

/** The metric and the period inside a sentence. */
export const namesOf = ({ metric, ...span }: AskedPeriod & Pick<Asked, 'metric'>) => ({
  metric: midSentence(metricRow(metric).label),
  period: periodInSentence(spanName(span)),
});

/** What a picture says, for whoever does not see it. `value`: in words. */
export const titleOf = (asked: Asked, value: string): string =>
  t('{domain}: {value} {metric}, {period}', { domain: asked.domain, value, ...namesOf(asked) });

/** DNS allows 253 characters. */
const MAX_DOMAIN = 40;
export const shortDomain = ({ domain }: Pick<Asked, 'domain'>): string =>
  domain.length > MAX_DOMAIN ? `${domain.slice(0, MAX_DOMAIN - 1)}…` : domain;
