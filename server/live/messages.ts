// What crosses the socket: types of both directions, shared with the dashboard. Counts alone, and one list in each message:
// nothing tells visitors apart, or ties the page that somebody reads to where they are and where they came from.
import type { Snapshot } from './windows.ts';

export const LISTS = ['pages', 'sources', 'countries'] as const;
export type ListName = (typeof LISTS)[number];

/** Page views and custom events under one name of a list. */
export type Activity = { name: string; pageviews: number; events: number };

export type ServerMessages = {
  /** Pushed at most four times a second for each watched site, and when visitors leave. */
  live: (message: { site_id: string } & Pick<Snapshot, 'current_visitors' | 'minutes'>) => void;
  /** One list: its current visitors, and what happened since its last message. Pushed with `live` when either has changed. */
  list: (message: {
    site_id: string;
    list: ListName;
    rows: { name: string; visitors: number }[];
    activity: Activity[];
  }) => void;
  /** Events of the site reached the store: totals asked for now include them. At most four times a second. */
  stored: (message: { site_id: string }) => void;
  /** `current_visitors` of every site the socket may see, for the site switcher. */
  sites: (message: { current_visitors: Record<string, number> }) => void;
  /** The session ended, or the viewer may not see the site; `message` says why, for people. */
  refused: (message: { site_id: string; message: string }) => void;
};

export type ClientMessages = {
  /** Asks for the pushes of one site; false when the site is unknown or not the viewer's. Leaves the site watched before. */
  watch: (siteId: string, answer: (ok: boolean) => void) => void;
  watchSites: () => void;
};
