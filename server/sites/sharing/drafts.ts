// Drafts: share links as somebody is about to make them, so that they can look at what others will see. A draft is opened like a link, but only by
// whoever makes it. Each person has one on a site.
import { hashToken, isToken, makeToken } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { lookedUp } from './fixed-filters.ts';
import { checkedContent, type LinkContent, rulesOf, type SharedLink, type ShownContent } from './share.ts';

const KEPT_MS = 2 * HOUR_MS;
const PREFIX = 'draft_';
const LENGTH = 32;

export const isDraftToken = (token: string): boolean => token.startsWith(PREFIX);

type Whose = { siteId: SiteId; userId: string };

/** Replaces the person's draft of the site. Throws bad_request for what a link cannot be. */
export async function saveDraft(
  directory: Directory,
  { siteId, userId, ...given }: Whose & ShownContent,
  now: number,
): Promise<{ token: string }> {
  const { shows, rules, looks } = await checkedContent(directory, siteId, { name: 'Draft', ...given });
  const token = `${PREFIX}${makeToken(LENGTH)}`;
  const row = { hash: hashToken(token), content: JSON.stringify({ shows, rules, looks }), changed_at: now };
  await directory.db
    .insertInto('share_drafts')
    .values({ site_id: siteId, user_id: userId, ...row })
    .onConflict((conflict) => conflict.columns(['site_id', 'user_id']).doUpdateSet(row))
    .execute();
  return { token };
}

/** Returns a draft with the person who may open it. */
export async function findDraft(
  directory: Directory,
  token: string,
  now: number,
): Promise<{ link: SharedLink; userId: string } | undefined> {
  if (!isToken(token.slice(PREFIX.length), LENGTH)) return undefined;
  const found = directory.db.selectFrom('share_drafts').selectAll().where('hash', '=', hashToken(token));
  const row = await found.where('changed_at', '>', now - KEPT_MS).executeTakeFirst();
  if (!row) return undefined;
  const { shows, looks, ...content } = JSON.parse(row.content) as Pick<LinkContent, 'shows' | 'rules' | 'looks'>;
  const rules = await rulesOf(directory, row.site_id, { shows, now, ...content });
  const filters = await lookedUp(directory, row.site_id, rules.filters);
  if (!filters) return undefined;
  const link = { linkId: `draft of ${row.user_id}`, siteId: row.site_id, shows, looks, rules: { ...rules, filters } };
  return { link, userId: row.user_id };
}
