// Feeds: secret addresses at which programs that cannot log in read a site for one person. Each person has at most one of each kind on a site. It
// shows only what the person may see at that moment, and ends when they lose the site: see `accounts/people/people.ts`.
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import {
  findSecret,
  listSecrets,
  makeSecret,
  noteUse,
  revokeSecret,
  type SecretKind,
} from '../../directory/secrets.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { FEEDS, type FeedKind } from '../../vocabulary/settings/feeds.ts';
import { message } from '../../vocabulary/habits/messages.ts';

/** On the path of an address, before the token. */
export const FEEDS_PATH = '/feeds/';
const MAX_FEEDS = 500;

const FEED: SecretKind<'feeds'> = {
  table: 'feeds',
  owner: { table: 'sites', column: 'site_id' },
  idPrefix: 'feed',
  prefix: '',
  length: 40, // 238 bits
  limit: MAX_FEEDS,
  notesUse: true,
  tooMany: message('A site can have {limit} addresses of feeds and calendars.'),
  unknown: message('You have no such address on this site.'),
};

type StoredFeed = Tables['feeds'];
type Feed = Pick<StoredFeed, 'id' | 'kind' | 'prefix' | 'created_at' | 'last_used_at'>;
type Whose = { siteId: SiteId; userId: string };

/** Ends the person's address of this kind, and returns the path of a new one, which cannot be read again. */
export async function makeFeed(
  directory: Directory,
  { siteId, userId, kind }: Whose & { kind: FeedKind },
  now: number,
): Promise<{ id: string; path: string }> {
  await endFeeds(directory, { siteId, userId, kind }, now);
  const details = { user_id: userId, kind };
  const { id, secret } = await makeSecret(directory, FEED, { owner: siteId, details, now });
  return { id, path: `${FEEDS_PATH}${secret}.${FEEDS[kind].ending}` };
}

/** Returns the ids of those that ended: none, one, or several that were made at the same moment. */
export async function endFeeds(
  directory: Directory,
  { kind, ...whose }: Whose & { kind: FeedKind },
  now: number,
): Promise<string[]> {
  const own = (await listFeeds(directory, whose)).filter((feed) => feed.kind === kind);
  for (const { id } of own) await revokeSecret(directory, FEED, { owner: whose.siteId, id, now });
  return own.map(({ id }) => id);
}

/** Those of everybody, oldest first. */
export const feedsOfSite = (directory: Pick<Directory, 'db'>, siteId: SiteId): Promise<StoredFeed[]> =>
  listSecrets(directory, FEED, siteId);

export async function listFeeds(directory: Pick<Directory, 'db'>, { siteId, userId }: Whose): Promise<Feed[]> {
  const own = (await feedsOfSite(directory, siteId)).filter(({ user_id }) => user_id === userId);
  return own.map(({ id, kind, prefix, created_at, last_used_at }) => ({ id, kind, prefix, created_at, last_used_at }));
}

export const findFeed = (directory: Directory, token: string): Promise<StoredFeed | undefined> =>
  findSecret(directory, FEED, token);

export const noteFeedUse = (directory: Directory, row: StoredFeed, now: number): Promise<void> =>
  noteUse(directory, FEED, { row, now });
