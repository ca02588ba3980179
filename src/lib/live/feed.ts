// The part of the live messages that a screen keeps. Everything has a fixed size, so that a screen left on for weeks does not grow.
import type { Activity, ActivityEntry, Head, RowChange } from '../../../server/live/messages.ts';
import type { SteppedSnapshot } from '../../../server/live/windows.ts';
import type { ListsNow, WallList } from '../../../server/vocabulary/settings/wall.ts';

/** What a dashboard knows of who is there now. `current_visitors`: null for fewer than the viewer may see. */
export type Snapshot = Omit<SteppedSnapshot, 'stepped_at'>;

/** Activity on one page. `since`: when its row appeared. `at`: when the last activity arrived. */
export type PageActivity = Activity & { key: number; since: number; at: number };
/** The last count under each name. The key is new with each message, and restarts the animation. */
export type Pulses = readonly { name: string; key: number; count: number }[];

export type Feed = {
  /** Newest first. Pages only: no message says who read them. */
  activity: readonly PageActivity[];
  pulses: Record<WallList, Pulses>;
  lastKey: number;
};

/** As it is asked for: without the lists that a link leaves out. */
export type FirstSnapshot = Omit<Snapshot, WallList> & Partial<ListsNow>;

export const NOTHING: Snapshot = { current_visitors: 0, minutes: [], pages: [], sources: [], countries: [] };
export const CALM: Feed = { activity: [], pulses: { pages: [], sources: [], countries: [] }, lastKey: 0 };

const MAX_ACTIVITY = 40;
/** Activity on a page that is still in the feed adds to its row for this long, so that a busy site's rows can be read. */
const SAME_ROW_MS = 30_000;
/** More new rows a second could not be read. The lists still count everything. */
const NEW_ROWS_A_SECOND = 3;

/** The feed after a message about one list. */
export function withActivity(feed: Feed, list: WallList, entries: readonly ActivityEntry[], at: number): Feed {
  if (entries.length === 0) return feed;
  const activity = entries.flatMap(([pageviews, events, ...names]) =>
    names.map((name) => ({ name, pageviews, events })),
  );
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

/**
 * How a message relates to the last one, whose number is `last`; undefined while the whole state is awaited. `lost`: at least one message in
 * between is missing, so the whole state is needed again.
 */
export function orderOf(
  message: { number: number; site_id?: string | undefined },
  last: number | undefined,
): 'whole' | 'next' | 'early' | 'lost' {
  if (message.site_id !== undefined) return 'whole';
  if (last === undefined) return 'early';
  return message.number === last + 1 ? 'next' : 'lost';
}

/** The snapshot after a `live` message: the minutes from its first number on are replaced. */
export function withHead(snapshot: Snapshot, [current_visitors, [from, ...counts]]: Head): Snapshot {
  const { minutes } = snapshot;
  return {
    ...snapshot,
    current_visitors,
    minutes: from === undefined ? minutes : [...minutes.slice(0, from), ...counts],
  };
}

type Row = [name: string, visitors: number];

/** The snapshot after a `list` message, which replaces the list if it is part of a whole state, and otherwise changes some rows. */
export function withList(
  snapshot: Snapshot,
  [list, rows]: [list: WallList, rows: RowChange[], ...rest: unknown[]],
  { isWhole }: { isWhole: boolean },
): Snapshot {
  switch (list) {
    case 'pages': {
      const before = snapshot.pages.map(({ page, visitors }): Row => [page, visitors]);
      return {
        ...snapshot,
        pages: changed(isWhole ? [] : before, rows).map(([page, visitors]) => ({ page, visitors })),
      };
    }
    case 'sources': {
      const before = snapshot.sources.map(({ source, visitors }): Row => [source, visitors]);
      const sources = changed(isWhole ? [] : before, rows).map(([source, visitors]) => ({ source, visitors }));
      return { ...snapshot, sources };
    }
    case 'countries': {
      const before = snapshot.countries.map(({ country, visitors }): Row => [country, visitors]);
      const countries = changed(isWhole ? [] : before, rows).map(([country, visitors]) => ({ country, visitors }));
      return { ...snapshot, countries };
    }
  }
}

/** Most visitors first, ties by name, as the server sorts them. */
function changed(before: Row[], changes: RowChange[]): Row[] {
  const rows = changes.flatMap(([visitors, ...names]) => names.map((name): Row => [name, visitors]));
  return [...new Map([...before, ...rows])]
    .filter(([, visitors]) => visitors > 0)
    .sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
}
