// Answers of the places where mentions are found, in the shapes that they publish. Each mentions own.example twice: in a thread that can be
// read, and in one of another shape. A third thread is about something else. AUTHOR stands wherever a place names a person.
import { HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { NOON } from '../clock.ts';
import type { MentionPlace } from '../../../server/vocabulary/settings/mentions.ts';

export const AUTHOR = 'jane_doe_42';
export const POSTED_AT = NOON - 4 * HOUR_MS;
const iso = new Date(POSTED_AT).toISOString();
const seconds = POSTED_AT / 1000;

type Recorded = {
  /** The path of the request, with what must be in its query. */
  path: string;
  asks: Record<string, string>;
  body: string;
  /** What must be kept of it. */
  kept: { title: string; url: string; points: number | null; comments: number | null };
};

const json = JSON.stringify;
const hit = { author: AUTHOR, _tags: ['story', `author_${AUTHOR}`, 'story_1'], created_at: iso, created_at_i: seconds };
const post = { kind: 't3', data: { author: AUTHOR, subreddit: 'selfhosted', created_utc: seconds, num_comments: 3 } };
const story = { submitter_user: AUTHOR, created_at: iso, score: 14, comment_count: 2, tags: ['web'] };
const account = { id: '1', username: AUTHOR, acct: AUTHOR, display_name: AUTHOR };
const author = { did: 'did:plc:abc', handle: 'someone.bsky.social', displayName: AUTHOR };
const user = { login: AUTHOR, id: 7 };

export const RECORDED: Record<MentionPlace, Recorded> = {
  hacker_news: {
    path: '/api/v1/search_by_date',
    asks: { query: '"own.example"', tags: 'story' },
    body: json({
      hits: [
        { ...hit, objectID: '42', title: 'Show HN: Own', url: 'https://own.example/', points: 120, num_comments: 45 },
        { ...hit, objectID: 43, title: 'own.example' },
        { ...hit, objectID: '44', title: 'Other', url: 'https://notown.example/', points: 1, num_comments: 0 },
      ],
      nbHits: 3,
      page: 0,
    }),
    kept: { title: 'Show HN: Own', url: 'https://news.ycombinator.com/item?id=42', points: 120, comments: 45 },
  },
  reddit: {
    path: '/search.json',
    asks: { q: 'site:own.example OR "own.example"', sort: 'new' },
    body: json({
      kind: 'Listing',
      data: {
        after: null,
        children: [
          {
            ...post,
            data: {
              ...post.data,
              name: 't3_a',
              title: 'I made own.example',
              permalink: '/r/selfhosted/comments/a/i_made/',
              url: 'https://own.example/',
              score: 9,
            },
          },
          { ...post, data: { ...post.data, name: 't3_b', title: 'own.example', permalink: 'javascript:alert(1)' } },
          { ...post, data: { ...post.data, name: 't3_c', title: 'Other', permalink: '/r/x/comments/c/o/', score: 1 } },
        ],
      },
    }),
    kept: {
      title: 'I made own.example',
      url: 'https://www.reddit.com/r/selfhosted/comments/a/i_made/',
      points: 9,
      comments: 3,
    },
  },
  lobsters: {
    path: '/domains/own.example.json',
    asks: {},
    body: json([
      {
        ...story,
        short_id: 'abc123',
        title: 'Own',
        url: 'https://own.example/post',
        short_id_url: 'https://lobste.rs/s/abc123',
      },
      { ...story, short_id: 'abc124', title: 'Own', url: 'https://own.example/b', short_id_url: 'not an address' },
      {
        ...story,
        short_id: 'abc125',
        title: 'Other',
        url: 'https://x.example/',
        short_id_url: 'https://lobste.rs/s/abc125',
      },
    ]),
    kept: { title: 'Own', url: 'https://lobste.rs/s/abc123', points: 14, comments: 2 },
  },
  mastodon: {
    path: '/api/v1/timelines/tag/ownanalytics',
    asks: { limit: '40' },
    body: json([
      {
        id: '1',
        uri: `https://mastodon.example/users/${AUTHOR}/statuses/1`,
        url: `https://mastodon.example/@${AUTHOR}/1`,
        content: '<p>Trying <a href="https://own.example/">own.example</a> &amp; like it<br>#ownanalytics</p>',
        created_at: iso,
        favourites_count: 5,
        reblogs_count: 2,
        replies_count: 1,
        account,
      },
      { id: '2', uri: 'https://mastodon.example/s/2', content: null, created_at: iso, account },
    ]),
    kept: {
      title: 'Trying own.example & like it #ownanalytics',
      url: `https://mastodon.example/@${AUTHOR}/1`,
      points: 5,
      comments: 1,
    },
  },
  bluesky: {
    path: '/xrpc/app.bsky.feed.searchPosts',
    asks: { domain: 'own.example', sort: 'latest' },
    body: json({
      posts: [
        {
          uri: 'at://did:plc:abc/app.bsky.feed.post/3k2',
          cid: 'x',
          author,
          record: { $type: 'app.bsky.feed.post', text: 'Moved to own.example', createdAt: iso },
          likeCount: 8,
          repostCount: 1,
          replyCount: 4,
        },
        { uri: 'at://x/../../evil', author, record: { text: 'own.example', createdAt: iso } },
      ],
    }),
    kept: {
      title: 'Moved to own.example',
      url: 'https://bsky.app/profile/did:plc:abc/post/3k2',
      points: 8,
      comments: 4,
    },
  },
  dev_to: {
    path: '/api/articles',
    asks: { tag: 'ownanalytics' },
    body: json([
      {
        type_of: 'article',
        id: 900,
        title: 'Counting with Own',
        url: `https://dev.to/${AUTHOR}/counting-900`,
        published_at: iso,
        public_reactions_count: 31,
        comments_count: 6,
        user: { name: AUTHOR, username: AUTHOR },
      },
      { type_of: 'article', id: 'x', title: 'own.example', user: { name: AUTHOR } },
    ]),
    kept: { title: 'Counting with Own', url: `https://dev.to/${AUTHOR}/counting-900`, points: 31, comments: 6 },
  },
  github: {
    path: '/search/issues',
    asks: { q: '"own.example" is:issue', sort: 'created' },
    body: json({
      total_count: 3,
      incomplete_results: false,
      items: [
        {
          id: 5001,
          title: 'Use another analytics',
          body: 'Such as https://own.example.',
          html_url: 'https://github.com/acme/site/issues/12',
          created_at: iso,
          comments: 7,
          reactions: { total_count: 2 },
          user,
        },
        { id: 5002, title: 'own.example', html_url: 'ftp://github.com/x', created_at: iso, user },
        {
          id: 5003,
          title: 'Other',
          body: 'own-example',
          html_url: 'https://github.com/a/b/issues/1',
          created_at: iso,
          user,
        },
      ],
    }),
    kept: {
      title: 'Use another analytics',
      url: 'https://github.com/acme/site/issues/12',
      points: 2,
      comments: 7,
    },
  },
  feed: {
    path: '/feed.xml',
    asks: {},
    body: `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><author><name>${AUTHOR}</name></author>
<entry><id>tag:1</id><title type="html">Own &amp;amp; others</title><link rel="alternate" href="https://news.example/1"/>
<updated>${iso}</updated><author><name>${AUTHOR}</name></author><summary type="html">&lt;p&gt;About own.example&lt;/p&gt;</summary></entry>
<entry><id>tag:2</id><title>own.example</title><link href="javascript:alert(1)"/><updated>${iso}</updated></entry>
<entry><id>tag:3</id><title>Other</title><link href="https://news.example/3"/><updated>${iso}</updated></entry></feed>`,
    kept: { title: 'Own & others', url: 'https://news.example/1', points: null, comments: null },
  },
};
