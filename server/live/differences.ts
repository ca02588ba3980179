// Compares snapshots of a site: dashboards get the whole state first, and then only what has changed since the last message.
import type { Counts } from './activity.ts';
import { type ActivityEntry, type ListName, LISTS, type RowChange, type ServerMessages } from './messages.ts';
import type { Snapshot } from './windows.ts';

type Live = Parameters<ServerMessages['live']>[0];
type List = Parameters<ServerMessages['list']>[0];
export type Push = { live?: Live; lists: List[] };

export function wholeState(siteId: string, snapshot: Snapshot, number: number): Required<Push> {
  const { current_visitors, minutes } = snapshot;
  return {
    live: { site_id: siteId, number, current_visitors, minutes: [0, ...minutes] },
    lists: LISTS.map((list) => ({ site_id: siteId, number, list, rows: rowsOf(snapshot, list) })),
  };
}

/** The head of a snapshot changes with each push, its lists less often. Returns undefined if nothing changed. */
export function changedHead(before: Snapshot, after: Snapshot): Omit<Live, 'number'> | undefined {
  const { current_visitors, minutes } = after;
  const from = minutes.findIndex((count, index) => count !== before.minutes[index]);
  if (from === -1) return current_visitors === before.current_visitors ? undefined : { current_visitors };
  return { current_visitors, minutes: [from, ...minutes.slice(from)] };
}

/** The lists that changed or were active. */
export function changedLists(before: Snapshot, after: Snapshot, counts: Counts): Omit<List, 'number'>[] {
  return LISTS.flatMap((list) => {
    const rows = changedRows(rowsOf(before, list), rowsOf(after, list));
    const activity = counts[list].map(({ name, pageviews, events }): ActivityEntry => {
      return events === 0 ? [name, pageviews] : [name, pageviews, events];
    });
    if (activity.length > 0) return [{ list, rows, activity }];
    return rows.length > 0 ? [{ list, rows }] : [];
  });
}

function changedRows(before: RowChange[], after: RowChange[]): RowChange[] {
  const known = new Map(before);
  const names = new Set(after.map(([name]) => name));
  return [
    ...after.filter(([name, visitors]) => known.get(name) !== visitors),
    ...before.flatMap(([name]): RowChange[] => (names.has(name) ? [] : [[name, 0]])),
  ];
}

function rowsOf(snapshot: Snapshot, list: ListName): RowChange[] {
  switch (list) {
    case 'pages':
      return snapshot.pages.map(({ page, visitors }) => [page, visitors]);
    case 'sources':
      return snapshot.sources.map(({ source, visitors }) => [source, visitors]);
    case 'countries':
      return snapshot.countries.map(({ country, visitors }) => [country, visitors]);
  }
}
