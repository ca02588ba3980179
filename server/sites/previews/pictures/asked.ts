// What a picture of a link was asked for, and how it says that.
import { type Metric, metricRow } from '../../../vocabulary/numbers/metrics.ts';
import type { PictureTheme } from '../../../vocabulary/settings/pictures.ts';
import { type Period, PERIODS } from '../../../vocabulary/time/periods.ts';

export type Asked = {
  domain: string;
  metric: Metric;
  period: Period;
  theme: PictureTheme;
  /** Of money. */
  currency: string | null;
  hasCredit: boolean;
};

/** Lower case, as in the middle of a sentence, but not an abbreviation. */
export const inSentence = (label: string): string =>
  /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);

export const wordsOf = ({ metric, period }: Pick<Asked, 'metric' | 'period'>): string =>
  `${inSentence(metricRow(metric).label)}, ${inSentence(PERIODS[period].label)}`;

/** DNS allows 253 characters. */
const MAX_DOMAIN = 40;
export const shortDomain = ({ domain }: Pick<Asked, 'domain'>): string =>
  domain.length > MAX_DOMAIN ? `${domain.slice(0, MAX_DOMAIN - 1)}…` : domain;
