// What is searched for a site. A site without rules is not searched: searching tells other services its domain.
import { z } from 'zod';
import type { Kysely } from 'kysely';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { changeSite } from '../../sites/definitions/definitions.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { MAX_ADDRESS } from '../../vocabulary/limits.ts';
import {
  MAX_MENTION_FEEDS,
  MAX_MENTION_WORD,
  MAX_MENTION_WORDS,
  MENTION_PLACE_NAMES,
  type MentionOutcome,
  MIN_MENTION_WORD,
  placeRow,
} from '../../vocabulary/settings/mentions.ts';
import { cleanText } from '../../vocabulary/texts/spelling.ts';

type Db = Kysely<Tables>;
type OfSite = { siteId: SiteId };

const WORD_RULE = {
  error: () =>
    t('must be {least} to {most} characters, at least one of them a letter or digit', {
      least: MIN_MENTION_WORD,
      most: MAX_MENTION_WORD,
    }),
};
const FEED_RULE = {
  error: () =>
    t('must be an address of at most {most} characters that begins with https:// or http://, without a user name', {
      most: MAX_ADDRESS,
    }),
};

/** Only ASCII, so that the longest one fits into PostgreSQL's index. Empty if it is no address of a feed. */
function feedAddress(text: string): string {
  const url = URL.parse(text);
  const isFeed = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isFeed && url.href.length <= MAX_ADDRESS ? url.href : '';
}

export const mentionRules = z.strictObject({
  places: z.array(z.enum(MENTION_PLACE_NAMES)).max(MENTION_PLACE_NAMES.length),
  words: z
    .array(
      z
        .string()
        .transform((text) => cleanText(text.replaceAll(/["\s]+/g, ' '), MAX_MENTION_WORD + 1))
        .refine(
          (text) => text.length >= MIN_MENTION_WORD && text.length <= MAX_MENTION_WORD && /[\p{L}\p{N}]/u.test(text),
          WORD_RULE,
        ),
    )
    .max(MAX_MENTION_WORDS, { error: () => t('must be at most {most} words', { most: MAX_MENTION_WORDS }) }),
  feeds: z
    .array(
      z
        .string()
        .max(MAX_ADDRESS, FEED_RULE)
        .transform(feedAddress)
        .refine((address) => address !== '', FEED_RULE),
    )
    .max(MAX_MENTION_FEEDS, { error: () => t('must be at most {most} feeds', { most: MAX_MENTION_FEEDS }) })
    .transform((addresses) => [...new Set(addresses)]),
});
type MentionRules = z.output<typeof mentionRules>;

const NOTHING: MentionRules = { places: [], words: [], feeds: [] };

export async function readRules({ db }: { db: Db }, { siteId }: OfSite): Promise<MentionRules> {
  const row = await db.selectFrom('mention_rules').select('rules').where('site_id', '=', siteId).executeTakeFirst();
  return row ? (JSON.parse(row.rules) as MentionRules) : NOTHING;
}

const NEVER_ASKED = {
  failures: 0,
  asked_at: null,
  outcome: 'waiting',
  etag: null,
  last_modified: null,
  known_for: null,
  skipped: 0,
} as const;

/** Searches that are no longer wanted end; what they found stays. New ones begin within a minute. */
export function saveRules(directory: Directory, input: OfSite & { rules: MentionRules }, now: number): Promise<void> {
  const { siteId: site_id, rules } = input;
  return changeSite(directory, site_id, async (db) => {
    const text = JSON.stringify(rules);
    await db
      .insertInto('mention_rules')
      .values({ site_id, rules: text })
      .onConflict((conflict) => conflict.column('site_id').doUpdateSet({ rules: text }))
      .execute();
    const wanted = searchesOf(rules);
    const old = await db
      .selectFrom('mention_searches')
      .select(['place', 'kind', 'query'])
      .where('site_id', '=', site_id)
      .execute();
    const keyOf = ({ place, kind, query }: Search) => JSON.stringify([place, kind, query]);
    const [keys, known] = [new Set(wanted.map(keyOf)), new Set(old.map(keyOf))];
    for (const { place, kind, query } of old.filter((one) => !keys.has(keyOf(one))))
      await db
        .deleteFrom('mention_searches')
        .where('site_id', '=', site_id)
        .where('place', '=', place)
        .where('kind', '=', kind)
        .where('query', '=', query)
        .execute();
    const fresh = wanted.filter((one) => !known.has(keyOf(one)));
    if (fresh.length > 0)
      await db
        .insertInto('mention_searches')
        .values(fresh.map((one) => ({ ...one, ...NEVER_ASKED, site_id, next_at: now })))
        .execute();
  });
}

type Search = Pick<Tables['mention_searches'], 'place' | 'kind' | 'query'>;

/** One request each. That for the domain holds no text, because a site can be renamed. */
function searchesOf({ places, words, feeds }: MentionRules): Search[] {
  const unique = new Map<string, Search>();
  for (const place of places) {
    const texts = { domain: [''], words, feed: feeds };
    const queries = placeRow(place).by.flatMap((kind) => texts[kind].map((query) => ({ kind, query })));
    for (const one of queries) unique.set(`${place} ${one.kind} ${one.query}`, { place, ...one });
  }
  return [...unique.values()];
}

type Run = Search & { asked_at: number | null; next_at: number; outcome: MentionOutcome; skipped: number };

export async function listRuns({ db }: { db: Db }, { siteId }: OfSite): Promise<Run[]> {
  return db
    .selectFrom('mention_searches')
    .select(['place', 'kind', 'query', 'asked_at', 'next_at', 'outcome', 'skipped'])
    .where('site_id', '=', siteId)
    .orderBy('place')
    .orderBy('kind')
    .orderBy('query')
    .execute();
}
