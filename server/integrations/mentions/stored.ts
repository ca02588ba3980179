// The threads that were found for a site. Their points and comments are stored over time, as changes.
import type { Kysely } from 'kysely';
import { isId, makeId } from '../../directory/ids.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { MentionPlace } from '../../vocabulary/settings/mentions.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../vocabulary/time/time.ts';
import type { Found } from './found.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type Db = Kysely<Tables>;
type OfSite = { siteId: SiteId };

type Score = { points: number | null; comments: number | null };
/** What a thread had from `at` on, until the next change. */
type Change = Score & { at: number };

export type Mention = Score & {
  id: string;
  place: MentionPlace;
  title: string;
  url: string;
  posted_at: number;
  /** Oldest first. */
  history: Change[];
  is_muted: boolean;
};

/** Of one site. Older ones are forgotten. */
const MAX_MENTIONS = 500;
const MAX_CHANGES = 60;

/** Newest first, and muted ones after all others. */
export async function listMentions(
  { db }: { db: Db },
  { siteId, last }: OfSite & { last: number },
): Promise<Mention[]> {
  const rows = await db
    .selectFrom('mentions')
    .selectAll()
    .where('site_id', '=', siteId)
    .orderBy('is_muted')
    .orderBy('posted_at', 'desc')
    .orderBy('id')
    .limit(last)
    .execute();
  return rows.map(({ site_id: _site, thread: _thread, found_at: _found, history, is_muted, ...own }) => ({
    ...own,
    history: readHistory(history),
    is_muted: is_muted === 1,
  }));
}

const readHistory = (json: string) => JSON.parse(json) as Change[];

/** Throws not_found. */
export async function muteMention({ db }: { db: Db }, input: OfSite & { id: string; isMuted: boolean }): Promise<void> {
  const changed = isId('mention', input.id)
    ? await db
        .updateTable('mentions')
        .set({ is_muted: input.isMuted ? 1 : 0 })
        .where('site_id', '=', input.siteId)
        .where('id', '=', input.id)
        .executeTakeFirst()
    : undefined;
  if (!changed?.numUpdatedRows) throw new Refusal('not_found', t('There is no such mention on this site.'));
}

type Answer = OfSite & { place: MentionPlace; found: readonly Found[] };

/** Adds new threads, and brings known ones up to date. Writes only what has changed. */
export async function addMentions(db: Db, { siteId: site_id, place, found }: Answer, now: number): Promise<void> {
  const unique = new Map(found.map((one) => [one.thread, one]));
  if (unique.size === 0) return;
  const stored = await db
    .selectFrom('mentions')
    .select(['id', 'thread', 'title', 'url', 'points', 'comments', 'history'])
    .where('site_id', '=', site_id)
    .where('place', '=', place)
    .where('thread', 'in', [...unique.keys()])
    .execute();
  const known = new Map(stored.map((row) => [row.thread, row]));
  const fresh: Tables['mentions'][] = [];
  for (const { thread, title, url, postedAt, points, comments } of unique.values()) {
    const before = known.get(thread);
    const score = { points, comments };
    if (before && before.title === title && before.url === url && isSame(before, score)) continue;
    const history = JSON.stringify(withChange(before ? readHistory(before.history) : [], { at: now, ...score }));
    const current = { title, url, ...score, history };
    if (before) await db.updateTable('mentions').set(current).where('id', '=', before.id).execute();
    else {
      const posted_at = Math.min(postedAt, now); // a feed can claim any time
      const fixed = { id: makeId('mention'), site_id, place, thread, posted_at, is_muted: 0, found_at: now } as const;
      fresh.push({ ...fixed, ...current });
    }
  }
  if (fresh.length === 0) return;
  await db
    .insertInto('mentions')
    .values(fresh)
    .onConflict((conflict) => conflict.columns(['site_id', 'place', 'thread']).doNothing()) // another search was faster
    .execute();
  await forgetOldest(db, site_id);
}

const isSame = (one: Score, other: Score) => one.points === other.points && one.comments === other.comments;

/** Keeps the last change of each hour of the last day, and of each day before. */
export function withChange(history: readonly Change[], change: Change): Change[] {
  const last = history.at(-1);
  if (last && isSame(last, change)) return [...history];
  const spanOf = ({ at }: Change) => (at > change.at - DAY_MS ? Math.floor(at / HOUR_MS) : dayOf(at));
  const all = [...history, change];
  return all
    .filter((one, index) => {
      const next = all[index + 1];
      return index === 0 || next === undefined || spanOf(next) !== spanOf(one);
    })
    .slice(-MAX_CHANGES);
}

async function forgetOldest(db: Db, siteId: SiteId): Promise<void> {
  const tooOld = await db
    .selectFrom('mentions')
    .select('id')
    .where('site_id', '=', siteId)
    .orderBy('posted_at', 'desc')
    .orderBy('id')
    .limit(MAX_MENTIONS)
    .offset(MAX_MENTIONS)
    .execute();
  const ids = tooOld.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('mentions').where('id', 'in', ids).execute();
}

/** A thread that was posted longer than this before it was found, or found longer ago than this, is no news. */
const NEWS_MS = 2 * DAY_MS;

type News = Pick<Tables['mentions'], 'id' | 'site_id' | 'place' | 'title' | 'url' | 'posted_at' | 'found_at'>;

/** Threads of some sites that were found in a range while they were new, in the order in which they were found. Muted ones are left out. */
export async function newMentions(
  { db }: { db: Db },
  { siteIds, from, to }: { siteIds: readonly string[]; from: number; to: number },
): Promise<News[]> {
  if (siteIds.length === 0) return [];
  const rows = await db
    .selectFrom('mentions')
    .select(['id', 'site_id', 'place', 'title', 'url', 'posted_at', 'found_at'])
    .where('site_id', 'in', siteIds as SiteId[])
    .where('posted_at', '>', from - NEWS_MS)
    .where('found_at', '>=', from)
    .where('found_at', '<', to)
    .where('is_muted', '=', 0)
    .orderBy('found_at')
    .orderBy('posted_at')
    .orderBy('id')
    .execute();
  return rows.filter(({ posted_at, found_at }) => posted_at > found_at - NEWS_MS);
}
