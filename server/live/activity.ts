// Counts what happened on a site since the last push. Each list is counted separately, so that nothing links a page to a country or a
// source.
import { ENGAGEMENT, type Event, PAGEVIEW, type SiteId } from '../vocabulary/event.ts';
import { WALL_LIST_NAMES, WALL_LISTS, type WallList } from '../vocabulary/settings/wall.ts';
import type { Activity } from './messages.ts';

/** Most names of one list in a push: nobody can read more. */
const MAX_NAMES = 50;
/** Names of one list that are counted between two pushes. Strangers choose them, and a site that is seen in steps may go for hours without a push. */
const MAX_COUNTED = 500;

export type Counts = Record<WallList, Activity[]>;

type Tally = {
  add(siteId: SiteId, more: Counts): void;
  has(siteId: SiteId): boolean;
  /** Returns the counts added since the last call, busiest names first, ties by name. Of a flood of names, those that few saw are forgotten. */
  take(siteId: SiteId): Counts;
  keys(): Iterable<SiteId>;
  delete(siteId: SiteId): void;
};

/** Returns undefined for engagement, which is neither a page view nor an event. */
export function countsOf(event: Event): Counts | undefined {
  if (event.name === ENGAGEMENT) return undefined;
  const isView = event.name === PAGEVIEW;
  const count = { pageviews: isView ? 1 : 0, events: isView ? 0 : 1 };
  return eachList((list) => [{ name: event[WALL_LISTS[list].dimension], ...count }]);
}

export function openTally(): Tally {
  const sites = new Map<SiteId, Record<WallList, Map<string, Activity>>>();
  return {
    add: (siteId, more) => {
      const tally = sites.get(siteId) ?? eachList(() => new Map<string, Activity>());
      sites.set(siteId, tally);
      for (const list of WALL_LIST_NAMES) {
        for (const { name, pageviews, events } of more[list]) {
          const known = tally[list].get(name);
          tally[list].set(name, {
            name,
            pageviews: (known?.pageviews ?? 0) + pageviews,
            events: (known?.events ?? 0) + events,
          });
        }
        if (tally[list].size > MAX_COUNTED) tally[list] = new Map(busiestOf(tally[list]).map((one) => [one.name, one]));
      }
    },
    has: (siteId) => sites.has(siteId),
    take: (siteId) => {
      const tally = sites.get(siteId);
      sites.delete(siteId);
      return eachList((list) => (tally ? busiestOf(tally[list]) : []));
    },
    keys: () => sites.keys(),
    delete: (siteId) => void sites.delete(siteId),
  };
}

const busiestOf = (names: ReadonlyMap<string, Activity>): Activity[] =>
  [...names.values()].sort(byCount).slice(0, MAX_NAMES);

function eachList<Value>(make: (list: WallList) => Value): Record<WallList, Value> {
  return { pages: make('pages'), sources: make('sources'), countries: make('countries') };
}

function byCount(a: Activity, b: Activity): number {
  return b.pageviews + b.events - (a.pageviews + a.events) || (a.name < b.name ? -1 : 1);
}
