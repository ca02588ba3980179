// The socket's messages in both directions, as types shared with the dashboard. Messages hold only counts, and only one list each: nothing
// tells visitors apart, or links the page that somebody reads to their country or source.
//
// A dashboard that starts to watch a site gets the whole state: one `live` and one `list` for each list, with the site's id. Later messages
// hold only what changed since the one before, so that the server encodes each once for all its receivers. They are numbered: a dashboard
// that misses one sends `watch` again, and gets the whole state again. Answers that a dashboard follows arrive in the same way: the whole
// answer, and then numbered differences.
//
// Whoever sees only some of the lists gets no message about the others. Dashboards that see the same lists get the same messages, with the same numbers.
import type { WallList } from '../vocabulary/settings/wall.ts';
import type { Difference, Json } from './answer-differences.ts';

/** A procedure and its input; the topic and the number of the answer that the dashboard has. */
export type Followed = [path: string, input: Json, topic?: string, number?: number];

/** How many page views and custom events happened under one name of a list. */
export type Activity = { name: string; pageviews: number; events: number };

/** The names with this many current visitors. In a difference, 0 means that they have left the list. */
export type RowChange = [visitors: number, ...names: string[]];
/** The names under which this many page views and events happened. */
export type ActivityEntry = [pageviews: number, events: number, ...names: string[]];

/**
 * `current_visitors`: null for fewer than the viewer may see. `minutes`: the index of the first minute that changed, and the counts from there on;
 * empty if none changed.
 */
export type Head = [current_visitors: number | null, minutes: number[]];
export type List = [list: WallList, rows: RowChange[], activity: ActivityEntry[]];

/** Only whole states have a `site_id`. Fields are arguments without names: each message goes to every dashboard of a site. */
type Numbered<Content extends unknown[]> = [number: number, ...content: Content, site_id?: string];

export type ServerMessages = {
  /** The first message: the version of the dashboard for which this server's messages are. A page of another version reloads. */
  version: (version: string) => void;
  /** Pushed at most ten times a second for each watched site, also when visitors leave. */
  live: (...message: Numbered<Head>) => void;
  /** One list: the rows that changed, and the activity since its last message. Busy sites send lists once a second. */
  list: (...message: Numbered<List>) => void;
  /** Events of the site reached the store, so new queries include them. Every three seconds on a busy site. */
  stored: (message: { site_id: string }) => void;
  /**
   * `current_visitors` of the sites that the viewer may see, for the site switcher: first (`is_whole`) of those with visitors, then of those
   * that changed.
   */
  sites: (message: { current_visitors: Record<string, number | null>; is_whole?: true }) => void;
  /** The whole answer to a question that is followed. */
  answer: (topic: string, number: number, answer: Json) => void;
  /** What has changed in it since the answer of the number before. */
  moved: (topic: string, number: number, difference: Difference) => void;
  /** These are no longer followed: ask for them over HTTP, which also says why. */
  ended: (topics: string[]) => void;
  /** The session ended, or the viewer may not see the site. `message` explains why, in English: the dashboard asks again over HTTP, and shows that answer. */
  refused: (message: { site_id: string; message: string }) => void;
};

export type ClientMessages = {
  /** Subscribes to a site instead of the one watched before. Answers false if the site is unknown or the viewer may not see it. */
  watch: (siteId: string, answer: (ok: boolean) => void) => void;
  watchSites: () => void;
  /**
   * From now on the answers to these questions about the watched site are pushed when they change. Answers with a topic for each question;
   * null if it cannot be followed. Somebody who already has an answer of the topic gets only what has changed in it since.
   */
  follow: (questions: Followed[], answer: (topics: (string | null)[]) => void) => void;
  unfollow: (topics: string[]) => void;
  /** Nobody looks: nothing is sent until the next `watch` or `watchSites`, and nothing is followed. */
  rest: () => void;
};
