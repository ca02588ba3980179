// What programs that cannot log in read of a site, each at an address of its own: names and words for server and dashboard.
import { textsOf } from '../habits/messages.ts';

type FeedRow = {
  title: string;
  /** What it holds, and what reads it. */
  about: string;
  /** The ending of its address. */
  ending: string;
  /** In the list of who can see a site. */
  reads: string;
};

export const FEEDS = textsOf(['title', 'about', 'reads'], {
  news: {
    title: 'Feed',
    about: 'What alerts noticed and mentions found, for a feed reader.',
    ending: 'atom',
    reads: 'Reads what alerts noticed and mentions found, in a feed reader',
  },
  notes: {
    title: 'Calendar',
    about: 'The notes of this site, for a calendar that subscribes to addresses.',
    ending: 'ics',
    reads: 'Reads the notes, in a calendar',
  },
} as const satisfies Record<string, FeedRow>);

export type FeedKind = keyof typeof FEEDS;
export const FEED_KINDS = Object.keys(FEEDS) as [FeedKind, ...FeedKind[]];
