// What crosses the socket: types of both directions, shared with the dashboard.
import type { Event } from '../event.ts';
import type { Snapshot } from './windows.ts';

/** An event as it arrives, for the live view: nothing of it tells visitors apart. */
export type Arrival = Pick<Event, 'time' | 'name' | 'page' | 'source' | 'country' | 'device'>;

export type ServerMessages = {
  /** Pushed at most four times a second for each watched site, and when visitors leave. */
  live: (message: { site_id: string } & Snapshot & { arrivals: Arrival[] }) => void;
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
