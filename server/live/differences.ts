// Compares snapshots of a site: dashboards get the whole state first, and then only what has changed since the last message.
import type { Counts } from './activity.ts';
import { WALL_LIST_NAMES, type WallList } from '../vocabulary/settings/wall.ts';
import type { ActivityEntry, Head, List, RowChange } from './messages.ts';
import type { SteppedSnapshot } from './windows.ts';

/** What dashboards know of a site. */
type Snapshot = Omit<SteppedSnapshot, 'stepped_at'>;

type Row = [name: string, visitors: number];

/** What dashboards are told. No head: it has not changed. */
export type News = { head?: Head | undefined; lists: List[] };

export function wholeState({ current_visitors, minutes, ...lists }: Snapshot): News & { head: Head } {
  return {
    head: [current_visitors, [0, ...minutes]],
    lists: WALL_LIST_NAMES.map((list) => [list, byCount(rowsOf(lists, list)), []]),
  };
}

/** The head of a snapshot changes with each push, its lists less often. Returns undefined if nothing changed. */
export function changedHead(before: Snapshot, after: Snapshot): Head | undefined {
  const { current_visitors, minutes } = after;
  const from = minutes.findIndex((count, index) => count !== before.minutes[index]);
  if (from === -1) return current_visitors === before.current_visitors ? undefined : [current_visitors, []];
  return [current_visitors, [from, ...minutes.slice(from)]];
}

/** The lists that changed or were active. */
export function changedLists(before: Snapshot, after: Snapshot, counts: Counts): List[] {
  return WALL_LIST_NAMES.flatMap((list): List[] => {
    const rows = byCount(changedRows(rowsOf(before, list), rowsOf(after, list)));
    const activity = activityOf(counts, list);
    return rows.length + activity.length > 0 ? [[list, rows, activity]] : [];
  });
}

function changedRows(before: Row[], after: Row[]): Row[] {
  const known = new Map(before);
  const names = new Set(after.map(([name]) => name));
  return [
    ...after.filter(([name, visitors]) => known.get(name) !== visitors),
    ...before.flatMap(([name]): Row[] => (names.has(name) ? [] : [[name, 0]])),
  ];
}

/** Most names of a busy list share their count with others. */
function byCount(rows: Row[]): RowChange[] {
  return [...Map.groupBy(rows, ([, visitors]) => visitors)].map(([visitors, same]) => [
    visitors,
    ...same.map(([name]) => name),
  ]);
}

/** Busiest first. */
function activityOf(counts: Counts, list: WallList): ActivityEntry[] {
  const groups = Map.groupBy(counts[list], ({ pageviews, events }) => `${pageviews} ${events}`);
  return [...groups.values()].flatMap((same) =>
    same
      .slice(0, 1)
      .map(({ pageviews, events }): ActivityEntry => [pageviews, events, ...same.map(({ name }) => name)]),
  );
}

function rowsOf(snapshot: Pick<Snapshot, WallList>, list: WallList): Row[] {
  switch (list) {
    case 'pages':
      return snapshot.pages.map(({ page, visitors }) => [page, visitors]);
    case 'sources':
      return snapshot.sources.map(({ source, visitors }) => [source, visitors]);
    case 'countries':
      return snapshot.countries.map(({ country, visitors }) => [country, visitors]);
  }
}
