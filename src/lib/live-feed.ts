// The part of the live messages that a screen keeps. Everything has a fixed size, so that a screen left on for weeks does not grow.
import type { Activity, ListName, Snapshot } from './api-types';

/** Activity on one page. `since`: when its row appeared. `at`: when the last activity arrived. */
export type PageActivity = Activity & { key: number; since: number; at: number };
/** The last count under each name. The key is new with each message, and restarts the animation. */
export type Pulses = readonly { name: string; key: number; count: number }[];

export type Feed = {
  /** Newest first. Pages only: no message says who read them. */
  activity: readonly PageActivity[];
  pulses: Record<ListName, Pulses>;
  lastKey: number;
};

export const NOTHING: Snapshot = { current_visitors: 0, minutes: [], pages: [], sources: [], countries: [] };
export const CALM: Feed = { activity: [], pulses: { pages: [], sources: [], countries: [] }, lastKey: 0 };

export const MAX_ACTIVITY = 40;
/** Activity on a page that is still in the feed adds to its row for this long, so that a busy site's rows can be read. */
const SAME_ROW_MS = 30_000;
/** More new rows a second could not be read. The lists still count everything. */
const NEW_ROWS_A_SECOND = 3;

/** The feed after a message about one list. */
export function withActivity(feed: Feed, list: ListName, activity: readonly Activity[], at: number): Feed {
  if (activity.length === 0) return feed;
  let { lastKey } = feed;
  const pulses = activity.map(({ name, pageviews, events }) => ({ name, key: ++lastKey, count: pageviews + events }));
  if (list !== 'pages') return { ...feed, lastKey, pulses: { ...feed.pulses, [list]: pulses } };

  const more = new Map(activity.map((one) => [one.name, one]));
  const rows = feed.activity.map((row) => {
    const added = more.get(row.name);
    if (!added || at - row.at > SAME_ROW_MS) return row;
    more.delete(row.name);
    return { ...row, at, pageviews: row.pageviews + added.pageviews, events: row.events + added.events };
  });
  const room = NEW_ROWS_A_SECOND - feed.activity.filter(({ since }) => since > at - 1000).length;
  const fresh = [...more.values()]
    .slice(0, Math.max(0, room))
    .map((one) => ({ ...one, at, since: at, key: ++lastKey }));
  return { activity: [...fresh, ...rows].slice(0, MAX_ACTIVITY), pulses: { ...feed.pulses, pages: pulses }, lastKey };
}

export function withList(
  snapshot: Snapshot,
  list: ListName,
  rows: readonly { name: string; visitors: number }[],
): Snapshot {
  switch (list) {
    case 'pages':
      return { ...snapshot, pages: rows.map(({ name: page, visitors }) => ({ page, visitors })) };
    case 'sources':
      return { ...snapshot, sources: rows.map(({ name: source, visitors }) => ({ source, visitors })) };
    case 'countries':
      return { ...snapshot, countries: rows.map(({ name: country, visitors }) => ({ country, visitors })) };
  }
}
