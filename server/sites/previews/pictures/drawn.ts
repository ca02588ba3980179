// What a picture of a link was asked for.
import type { Metric } from '../../../vocabulary/numbers/metrics.ts';
import type { PictureTheme } from '../../../vocabulary/settings/pictures.ts';
import type { Period } from '../../../vocabulary/time/periods.ts';

export type Asked = {
  domain: string;
  metric: Metric;
  period: Period;
  theme: PictureTheme;
  /** Of money. */
  currency: string | null;
  hasCredit: boolean;
};
