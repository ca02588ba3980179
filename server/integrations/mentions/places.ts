// The places where mentions are found: how each is asked, how politely, and how its answer is read. All of them answer without a login.
import { z } from 'zod';
import { type MentionPlace, MIN_MENTION_WORD } from '../../vocabulary/settings/mentions.ts';
import { type Found, readFound } from './found.ts';
import { type Parsed, readFeed, tally } from './feed.ts';
import { textOf } from './html-text.ts';

/** A domain, a word, or the address of a feed. */
export type Query = { kind: 'domain' | 'words' | 'feed'; text: string };

type Place = {
  /** Its public address. The operator can configure another one, such as that of a mirror. Feeds have addresses of their own. */
  base: string;
  accept: string;
  /** Requests per minute, for all sites together. */
  aMinute: number;
  /** What is requested: the path below the base, or a feed's whole address. */
  path(query: Query): string;
  /** Undefined if the answer has another shape than the place documents. */
  parse(body: string): Parsed | undefined;
  /** The place itself decides what matches, such as a tag, so the text need not contain the query. */
  isExact?: (query: Query) => boolean;
  /** It answers 404 for a domain or tag that it does not know. */
  isEmptyAt404?: true;
};

/** Threads of one answer that are read. */
const MAX_THREADS = 100;
const JSON_TYPE = 'application/json';
const count = z.number().nullish();

/** Reads the entries of a JSON answer one by one: those of another shape are skipped. */
function jsonOf<Entry>(
  list: (json: unknown) => unknown,
  entry: z.ZodType<Entry>,
  read: (entry: Entry) => Found | undefined,
) {
  return (body: string): Parsed | undefined => {
    let entries: unknown;
    try {
      entries = list(JSON.parse(body));
    } catch {
      return undefined;
    }
    if (!Array.isArray(entries)) return undefined;
    return tally(
      entries.slice(0, MAX_THREADS).map((one) => {
        const parsed = entry.safeParse(one);
        return parsed.success ? read(parsed.data) : undefined;
      }),
    );
  };
}

const memberOf = (name: string) => (json: unknown) => (json as Record<string, unknown> | null)?.[name];
const pathOf = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;

/** A word as a tag: what a tag cannot contain is left out. */
const TAGS = {
  mastodon: (word: string) => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}_]/gu, ''),
  dev_to: (word: string) => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''),
};

/** False for `C++`, whose tag is another word: then the text must contain the word itself. */
const isWholeTag = (tag: string, word: string) =>
  tag.length >= MIN_MENTION_WORD && tag === word.toLowerCase().replaceAll(/\s/g, '');

export const PLACES: Record<MentionPlace, Place> = {
  // https://hn.algolia.com/api
  hacker_news: {
    base: 'https://hn.algolia.com',
    accept: JSON_TYPE,
    aMinute: 30, // it allows 10,000 an hour
    path: ({ text }) =>
      pathOf('/api/v1/search_by_date', {
        query: `"${text}"`,
        tags: 'story',
        hitsPerPage: '50',
        attributesToHighlight: '', // would repeat each text
      }),
    parse: jsonOf(
      memberOf('hits'),
      z.object({
        objectID: z.string(),
        title: z.string(),
        url: z.string().nullish(),
        story_text: z.string().nullish(),
        created_at_i: z.number(),
        points: count,
        num_comments: count,
      }),
      (hit) =>
        readFound({
          thread: hit.objectID,
          title: hit.title,
          url: `https://news.ycombinator.com/item?id=${encodeURIComponent(hit.objectID)}`,
          postedAt: hit.created_at_i * 1000,
          points: hit.points,
          comments: hit.num_comments,
          said: `${hit.title} ${hit.url ?? ''} ${textOf(hit.story_text ?? '')}`,
        }),
    ),
  },
  // https://www.reddit.com/dev/api#GET_search
  reddit: {
    base: 'https://www.reddit.com',
    accept: JSON_TYPE,
    aMinute: 5, // it allows ten
    path: ({ kind, text }) =>
      pathOf('/search.json', {
        q: kind === 'domain' ? `site:${text} OR "${text}"` : `"${text}"`,
        sort: 'new',
        limit: '50',
        raw_json: '1',
      }),
    parse: jsonOf(
      (json) => (memberOf('data')(json) as { children?: unknown } | undefined)?.children,
      z.object({
        data: z.object({
          name: z.string(),
          title: z.string(),
          permalink: z.string().startsWith('/r/'),
          url: z.string().nullish(),
          selftext: z.string().nullish(),
          created_utc: z.number(),
          score: count,
          num_comments: count,
        }),
      }),
      ({ data }) =>
        readFound({
          thread: data.name,
          title: data.title,
          url: `https://www.reddit.com${data.permalink}`,
          postedAt: data.created_utc * 1000,
          points: data.score,
          comments: data.num_comments,
          said: `${data.title} ${data.url ?? ''} ${data.selftext ?? ''}`,
        }),
    ),
  },
  // https://lobste.rs/about#api: every list is also served as JSON
  lobsters: {
    base: 'https://lobste.rs',
    accept: JSON_TYPE,
    aMinute: 2, // it states no limit, and is run by volunteers
    isEmptyAt404: true,
    path: ({ text }) => `/domains/${encodeURIComponent(text)}.json`,
    parse: jsonOf(
      (json) => json,
      z.object({
        short_id: z.string(),
        title: z.string(),
        url: z.string().nullish(),
        short_id_url: z.string(),
        created_at: z.string(),
        score: count,
        comment_count: count,
      }),
      (story) =>
        readFound({
          thread: story.short_id,
          title: story.title,
          url: story.short_id_url,
          postedAt: story.created_at,
          points: story.score,
          comments: story.comment_count,
          said: `${story.title} ${story.url ?? ''}`,
        }),
    ),
  },
  // https://docs.joinmastodon.org/methods/timelines/#tag
  mastodon: {
    base: 'https://mastodon.social',
    accept: JSON_TYPE,
    aMinute: 15, // it allows 60
    isExact: ({ text }) => isWholeTag(TAGS.mastodon(text), text),
    isEmptyAt404: true,
    path: ({ text }) => pathOf(`/api/v1/timelines/tag/${encodeURIComponent(TAGS.mastodon(text))}`, { limit: '40' }),
    parse: jsonOf(
      (json) => json,
      z.object({
        id: z.string(),
        uri: z.string(),
        url: z.string().nullish(),
        content: z.string(),
        created_at: z.string(),
        favourites_count: count,
        replies_count: count,
      }),
      (status) => {
        const said = textOf(status.content);
        return readFound({
          thread: status.id, // unlike the URI, it names nobody
          title: said,
          url: status.url ?? status.uri,
          postedAt: status.created_at,
          points: status.favourites_count,
          comments: status.replies_count,
          said,
        });
      },
    ),
  },
  // https://docs.bsky.app/docs/api/app-bsky-feed-search-posts
  bluesky: {
    base: 'https://api.bsky.app',
    accept: JSON_TYPE,
    aMinute: 20, // it allows 600
    isExact: ({ kind }) => kind === 'domain', // the link may be shortened in the text
    path: ({ kind, text }) =>
      pathOf('/xrpc/app.bsky.feed.searchPosts', {
        q: kind === 'domain' ? '*' : `"${text}"`,
        ...(kind === 'domain' && { domain: text }),
        sort: 'latest',
        limit: '50',
      }),
    parse: jsonOf(
      memberOf('posts'),
      z.object({
        uri: z.string().regex(/^at:\/\/[\w:.%-]+\/app\.bsky\.feed\.post\/[\w.~:-]+$/),
        record: z.object({ text: z.string(), createdAt: z.string() }),
        likeCount: count,
        replyCount: count,
      }),
      ({ uri, record, likeCount, replyCount }) => {
        const [, , repository = '', , id = ''] = uri.split('/');
        return readFound({
          thread: uri,
          title: record.text,
          url: `https://bsky.app/profile/${repository}/post/${id}`,
          postedAt: record.createdAt,
          points: likeCount,
          comments: replyCount,
          said: record.text,
        });
      },
    ),
  },
  // https://developers.forem.com/api/v1#tag/articles/operation/getArticles
  dev_to: {
    base: 'https://dev.to',
    accept: 'application/vnd.forem.api-v1+json',
    aMinute: 10, // it allows 60
    isExact: ({ text }) => isWholeTag(TAGS.dev_to(text), text),
    path: ({ text }) => pathOf('/api/articles', { tag: TAGS.dev_to(text), state: 'fresh', per_page: '50' }),
    parse: jsonOf(
      (json) => json,
      z.object({
        id: z.number(),
        title: z.string(),
        url: z.string(),
        published_at: z.string(),
        public_reactions_count: count,
        comments_count: count,
      }),
      (article) =>
        readFound({
          thread: String(article.id),
          title: article.title,
          url: article.url,
          postedAt: article.published_at,
          points: article.public_reactions_count,
          comments: article.comments_count,
          said: article.title,
        }),
    ),
  },
  // https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests
  github: {
    base: 'https://api.github.com',
    accept: 'application/vnd.github+json',
    aMinute: 5, // it allows ten
    path: ({ text }) => pathOf('/search/issues', { q: `"${text}" is:issue`, sort: 'created', per_page: '30' }),
    parse: jsonOf(
      memberOf('items'),
      z.object({
        id: z.number(),
        title: z.string(),
        body: z.string().nullish(),
        html_url: z.string(),
        created_at: z.string(),
        comments: count,
        reactions: z.object({ total_count: z.number() }).nullish(),
      }),
      (issue) =>
        readFound({
          thread: String(issue.id),
          title: issue.title,
          url: issue.html_url,
          postedAt: issue.created_at,
          points: issue.reactions?.total_count,
          comments: issue.comments,
          said: `${issue.title} ${issue.body ?? ''}`,
        }),
    ),
  },
  feed: {
    base: '',
    accept: 'application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.8',
    aMinute: 20,
    path: ({ text }) => text,
    parse: readFeed,
  },
};
