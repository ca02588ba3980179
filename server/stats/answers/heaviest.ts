// The days on which a single visitor sent a large part of the page views: often one program. Nothing is kept for this: a visitor is an
// address and a browser for one day, known only by that day's hash, which is not part of the answer.
import type { SummaryQuestion } from '../query.ts';
import type { Reader } from '../reader.ts';
import { dayOfEvents, IN_RANGE, openBound } from '../sql/scope.ts';
import { askRange } from './ranges.ts';
import { type Asked, scopeOf } from './values.ts';

/** `share`: of all page views of the day, from 0 to 1. With what they all have in common, to look at them. */
export type Heavy = { day: string; pageviews: number; share: number; browser: string; os: string; country: string };

/** People rarely open more pages in a day. */
const LEAST_VIEWS = 100;
const LEAST_PERCENT = 5;
const MAX_DAYS = 3;

export async function askHeaviest(reader: Reader, asked: Asked<SummaryQuestion>): Promise<Heavy[]> {
  const range = await askRange(reader, asked);
  const { bound, bind } = openBound(scopeOf(asked, range));
  const rows = await reader.query<Record<keyof Heavy, string | number>>(
    `SELECT toString(on_day) AS day, max(views) AS pageviews, max(views) / sum(views) AS share,
      argMax(of_browser, views) AS browser, argMax(of_os, views) AS os, argMax(of_country, views) AS country
    FROM (
      SELECT ${dayOfEvents(range)} AS on_day, visitor_id, countIf(name = 'pageview') AS views,
        any(browser) AS of_browser, any(os) AS of_os, any(country) AS of_country
      FROM events WHERE ${IN_RANGE} AND visitor_id != 0 GROUP BY on_day, visitor_id
    )
    GROUP BY on_day HAVING pageviews >= ${bind(LEAST_VIEWS)} AND 100 * share >= ${bind(LEAST_PERCENT)}
    ORDER BY pageviews DESC, day LIMIT ${bind(MAX_DAYS)}`,
    bound,
  );
  return rows.map(({ day, pageviews, share, browser, os, country }) => ({
    day: String(day),
    pageviews: Number(pageviews),
    share: Number(share),
    browser: String(browser),
    os: String(os),
    country: String(country),
  }));
}
