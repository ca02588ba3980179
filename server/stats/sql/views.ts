// How each page view was read: for how long the page was visible, and how far down it was scrolled.
import { ENGAGEMENT, PAGEVIEW } from '../../vocabulary/event.ts';
import { allOf } from './filters.ts';
import { IN_RANGE } from './scope.ts';

/** SQL condition for a measured view: its rows, each of (time, is a page view, …). */
export const isMeasured = (view: string): string => `${view}[1].2 AND length(${view}) > 1`;

/**
 * SQL for one row per measured page view: `event_id` of the view, `read_ms`, its total visible time, and `read_scroll`, its greatest depth
 * in per cent. A view lasts from its page view to the visit's next view of the same page. Its engagement is stored in several rows if
 * people leave the tab and come back. Engagement sorts before a page view of the same moment: it belongs to the page that was left. A view
 * without engagement was not measured: the page is still open, or its script sends none.
 */
function readViews(onPages: readonly string[]): string {
  const isView = `name = '${PAGEVIEW}'`;
  const rows = `arraySort(groupArray((time, ${isView}, event_id, engaged_ms, scroll)))`;
  return `SELECT view[1].3 AS event_id, arraySum(row -> row.4, view) AS read_ms, arrayMax(row -> row.5, view) AS read_scroll, 1 AS is_read
    FROM (SELECT arrayJoin(arraySplit(row -> row.2, ${rows})) AS view FROM events
      WHERE ${allOf([IN_RANGE, 'visit_id != 0', `name IN ('${PAGEVIEW}', '${ENGAGEMENT}')`, ...onPages])}
      GROUP BY visit_id, page)
    WHERE ${isMeasured('view')}`;
}

/** Adds `read_ms`, `read_scroll` and `is_read` to the rows of `events`. `ANY`: a repeated id must not repeat rows. */
export const joinReadViews = (onPages: readonly string[]): string =>
  `LEFT ANY JOIN (${readViews(onPages)}) AS read_views USING event_id`;

const IS_READ = 'of_pageviews AND is_read';

/** SQL for a figure of the measured views. Viewers of share links get 0 if too few visitors made them. */
const ofReaders = (number: string, which = IS_READ): string =>
  `if(uniqExactIf(visitor_id, ${which}) < {fewest_readers:UInt8}, 0, ${number})`;

/** The mean of the two middle values if their number is even; 0 without values. */
export const medianOf = (value: string): string =>
  ofReaders(`ifNotFinite(quantileExactInclusiveIf(0.5)(${value}, ${IS_READ}), 0)`);

/** 10, 20 … 100 per cent of the page. */
export const TENTHS: readonly number[] = Array.from({ length: 10 }, (_, index) => 10 * (index + 1));

const countOf = (which: string) => ofReaders(`countIf(${which})`, which);
/** `read_views`, and `reach_10` to `reach_100`. */
export const reachColumns: readonly string[] = [
  `${countOf(IS_READ)} AS read_views`,
  ...TENTHS.map((tenth) => `${countOf(`${IS_READ} AND read_scroll >= ${tenth}`)} AS reach_${tenth}`),
];
