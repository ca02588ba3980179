// What is answered about errors.
import type { ErrorKind } from '../../vocabulary/event.ts';
import type { Interval } from '../../vocabulary/time/intervals.ts';
import type { Days } from '../answers/values.ts';

/** `visits`: those with such an error. `share`: per cent of all visits in the period. */
export type ErrorFigures = { count: number; visits: number; share: number };

/** All errors of one kind, message and file: their lines differ from release to release, so `line` is that of the latest. */
export type ErrorRow = ErrorFigures & {
  /** Its id. */
  shape: string;
  /** With placeholders for all that may differ; the name of the element for what could not be loaded. */
  message: string;
  kind: ErrorKind;
  /** Its path, with the host if that is not the page's; '' for a script within a page. */
  file: string;
  /** 0 when unknown. */
  line: number;
  /**
   * Instants. The first of all that are kept, the last in the period. Viewers of share links see the start of the site's day, and null for a first one
   * before the days of the link, or of a link with filters.
   */
  first_seen: number | null;
  last_seen: number;
  /** The text of the latest release on the day of `first_seen` or the one before. Null without either. */
  since: string | null;
  /** Counts at the `times` of the answer. */
  trend: number[];
};

export type Errors = Days & {
  totals: ErrorFigures;
  /** The same in the comparison period; null without one. */
  before: ErrorFigures | null;
  interval: Interval;
  times: number[];
  rows: ErrorRow[];
  /** The number of rows before paging. */
  total: number;
};

type Counted = { name: string; count: number; visits: number };

/** At most ten of each, most errors first. */
export type ErrorsDetail = Days & {
  browsers: Counted[];
  pages: Counted[];
  devices: Counted[];
  countries: Counted[];
  interval: Interval;
  points: { time: number; count: number }[];
};
