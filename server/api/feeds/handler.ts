// /feeds/TOKEN.atom and /feeds/TOKEN.ics: what alerts noticed and mentions found, and the notes, for programs that cannot log in. Each address
// belongs to a person, and answers with what that person may see now.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { billingOf } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { checkIsRead } from '../../process/http/respond.ts';
import { siteFor } from '../../sites/access.ts';
import { findFeed, noteFeedUse } from '../../sites/sharing/feeds.ts';
import type { Site } from '../../sites/sites.ts';
import { isLimited } from '../../stats/disclosure/rule.ts';
import { FEED_KINDS, type FeedKind, FEEDS } from '../../vocabulary/settings/feeds.ts';
import { etagOf, isKnownTag } from '../rest/answer-cache.ts';
import type { Services } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';
import { calendarOf } from './calendar.ts';
import { newsOf } from './news.ts';
import { readerOf } from './reader.ts';
import { message, say } from '../../vocabulary/habits/messages.ts';

type Options = { services: Services; originOf(request: IncomingMessage): string };
type About = { services: Services; site: Site; isLimited: boolean; origin: string };

const PATH = /^\/feeds\/([^/]+)\.([a-z]+)$/;
const UNKNOWN = message('There is no feed or calendar at this address: it has ended, or was replaced by a new one.');

const CONTENT: Record<FeedKind, { type: string; write(about: About): Promise<string> }> = {
  news: { type: 'application/atom+xml; charset=utf-8', write: newsOf },
  notes: { type: 'text/calendar; charset=utf-8', write: calendarOf },
};

/** The address is a secret of one person: no cache that others use keeps the answer, and no robot lists it. */
const HEADERS = {
  'cache-control': 'private, no-cache',
  'x-robots-tag': 'noindex, nofollow',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

export function openFeeds({ services, originOf }: Options) {
  const { directory, wrongTokens, addressHashOf } = services;

  return async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const [, token = '', ending] = PATH.exec(url.pathname) ?? [];
    const kind = FEED_KINDS.find((one) => FEEDS[one].ending === ending);
    if (!kind) throw new Refusal('not_found', say(UNKNOWN));
    checkIsRead(request, response);
    const feed = await findFeed(directory, token);
    if (feed?.kind !== kind) {
      await wrongTokens.count('feed_token', { token, addressHash: () => addressHashOf(request) });
      throw new Refusal('not_found', say(UNKNOWN));
    }
    await services.takeFeed(feed.id);
    const now = services.now();
    const viewer = await readerOf(directory, feed.user_id);
    const options = { now, billing: billingOf(services.config) };
    const access = await siteFor(directory, viewer, { siteId: feed.site_id }, 'own', options);
    await noteFeedUse(directory, feed, now);
    const { type, write } = CONTENT[kind];
    const { site } = access;
    const isLimitedTo = isLimited(ruleFor(viewer, access));
    const text = await write({ services, site, isLimited: isLimitedTo, origin: originOf(request) });
    const etag = etagOf(text);
    const isKnown = isKnownTag(request.headers['if-none-match'], etag);
    const whole = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
    response.writeHead(isKnown ? 304 : 200, { ...HEADERS, etag, ...(!isKnown && whole) });
    response.end(isKnown || request.method === 'HEAD' ? undefined : text);
  };
}
