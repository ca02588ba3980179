// The socket's messages in both directions, as types shared with the dashboard. Messages hold only counts, and only one list each: nothing
// tells visitors apart, or links the page that somebody reads to their country or source.
import type { Snapshot } from './windows.ts';

export const LISTS = ['pages', 'sources', 'countries'] as const;
export type ListName = (typeof LISTS)[number];

/** How many page views and custom events happened under one name of a list. */
export type Activity = { name: string; pageviews: number; events: number };

export type ServerMessages = {
  /** Pushed at most four times a second for each watched site, also when visitors leave. */
  live: (message: { site_id: string } & Pick<Snapshot, 'current_visitors' | 'minutes'>) => void;
  /** One list: its current visitors, and the activity since its last message. Pushed with `live` if either has changed. */
  list: (message: {
    site_id: string;
    list: ListName;
    rows: { name: string; visitors: number }[];
    activity: Activity[];
  }) => void;
  /** Events of the site reached the store, so new queries include them. At most four times a second. */
  stored: (message: { site_id: string }) => void;
  /** `current_visitors` of every site that the viewer may see, for the site switcher. */
  sites: (message: { current_visitors: Record<string, number> }) => void;
  /** The session ended, or the viewer may not see the site. `message` explains why, for display. */
  refused: (message: { site_id: string; message: string }) => void;
};

export type ClientMessages = {
  /** Subscribes to a site instead of the one watched before. Answers false if the site is unknown or the viewer may not see it. */
  watch: (siteId: string, answer: (ok: boolean) => void) => void;
  watchSites: () => void;
};
