// What an import brings from another product, whichever its format: the sums of days. Read in the browser, for the preview, and on the server.
import type { Dimension } from '../questions/dimensions.ts';

/** The numbers of one value of a dimension on one day. Several rows of the same value and day add up. */
export type ImportedSum = {
  /** YYYY-MM-DD */
  day: string;
  /** '' for the totals of the day. */
  dimension: '' | Dimension;
  label: string;
  visitors: number;
  visits: number;
  pageviews: number;
  events: number;
  bounces: number;
  /** Summed over all visits, in seconds. */
  visit_seconds: number;
};

/** Why a row is not taken. */
export const REJECT_REASONS = [
  'no_date',
  'bad_number',
  'short_row',
  'unreadable',
  'no_page',
  'bot',
  'too_long',
  'other_site',
] as const;
