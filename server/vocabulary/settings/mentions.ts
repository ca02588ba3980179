// Where a site may be mentioned, how each place is searched, and what a search says about itself: names and words for server and dashboard.
import { t, textsOf } from '../habits/messages.ts';

type PlaceRow = {
  label: string;
  /** What it is asked for: the site's domain, the chosen words, or both. Feeds are fetched whole. */
  by: readonly ('domain' | 'words' | 'feed')[];
  /** How words are searched, where that is less than in any text. */
  hint?: string;
};

const MENTION_PLACES = textsOf(['hint'], {
  hacker_news: { label: 'Hacker News', by: ['domain', 'words'] },
  reddit: { label: 'Reddit', by: ['domain', 'words'] },
  lobsters: { label: 'Lobsters', by: ['domain'], hint: 'By domain only.' },
  mastodon: {
    label: 'Mastodon',
    by: ['words'],
    hint: 'Your words as hashtags. Mastodon searches texts only for people with an account.',
  },
  bluesky: { label: 'Bluesky', by: ['domain', 'words'] },
  dev_to: { label: 'DEV', by: ['words'], hint: 'Your words as tags.' },
  github: { label: 'GitHub', by: ['domain', 'words'], hint: 'In issues.' },
  feed: {
    get label() {
      return t('Feed');
    },
    by: ['feed'],
  },
} as const satisfies Record<string, PlaceRow>);

export type MentionPlace = keyof typeof MENTION_PLACES;
export const MENTION_PLACE_NAMES = Object.keys(MENTION_PLACES) as [MentionPlace, ...MentionPlace[]];
export const placeRow = (place: MentionPlace): PlaceRow => MENTION_PLACES[place];

/** Bytes of an answer that are read. */
export const MAX_MENTION_ANSWER = 1_048_576;

/** How the last request went. */
export const MENTION_OUTCOMES = textsOf(['text'], {
  waiting: { text: 'Not asked yet', isFailure: false },
  found: { text: 'Searched', isFailure: false },
  unchanged: { text: 'Nothing new', isFailure: false },
  other_shape: { text: 'The answer is not in the documented format, so nothing could be read', isFailure: true },
  too_large: { text: 'The answer is larger than 1 MB, so it was not read', isFailure: true },
  limited: { text: 'Rate limited: Footfall waits before it asks again', isFailure: true },
  refused: { text: 'Refused: this place does not answer requests from this server', isFailure: true },
  missing: { text: 'There is nothing at this address', isFailure: true },
  private: { text: 'This address is in a private network, so Footfall does not call it', isFailure: true },
  unreachable: { text: 'Could not be reached', isFailure: true },
  error: { text: 'It answered with an error', isFailure: true },
} as const satisfies Record<string, { text: string; isFailure: boolean }>);
export type MentionOutcome = keyof typeof MENTION_OUTCOMES;

export const MAX_MENTION_WORDS = 5;
export const MAX_MENTION_FEEDS = 5;
/** Shorter words are found everywhere. */
export const MIN_MENTION_WORD = 3;
export const MAX_MENTION_WORD = 60;
