// The number whose card is open.
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import type { Summary, Timeseries } from '../api/types.ts';
import type { BreakdownAsked } from './lists.ts';

/** What is said of a row of a list. `sum`: the metric over all rows. */
type OfRow = { list: BreakdownAsked; row: string; value: number; previous: number | null; sum: number };

export type Explained = {
  /** The place beside which the card opens. */
  at: DOMRect;
  metric: Metric;
  /** The list of what changed it most is open at once. */
  hasMovers?: true;
} & (
  | { kind: 'figure'; summary: Summary }
  | ({ kind: 'row' } & OfRow)
  | { kind: 'point'; series: Timeseries; index: number }
);
