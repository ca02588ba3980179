// Segments that share links need: nobody may delete them, because such a link would otherwise show more, or nothing.
import type { SiteId } from '../../vocabulary/event.ts';
import { Refusal } from '../../errors.ts';
import { type PlainFilter, SEGMENT } from '../../vocabulary/questions/segments.ts';
import { type LinkRules, mayBeFixed } from '../../vocabulary/settings/share-links.ts';
import type { Db } from '../definitions/definitions.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Throws bad_request for a segment that share links need, unless it can still be fixed with these filters. */
export async function checkUnneeded(
  { db }: { db: Db },
  { siteId, segment, filters }: { siteId: SiteId; segment: string; filters?: readonly PlainFilter[] },
): Promise<void> {
  if (filters?.every(mayBeFixed)) return;
  const links = db.selectFrom('share_links').select(['name', 'rules']).where('site_id', '=', siteId);
  const needing = (await links.where('revoked_at', 'is', null).execute()).find(({ rules }) =>
    ((JSON.parse(rules) as Partial<LinkRules>).filters ?? []).some(
      (filter) => filter.dimension === SEGMENT && filter.values.includes(segment),
    ),
  );
  if (!needing) return;
  const { name } = needing;
  throw new Refusal(
    'bad_request',
    filters
      ? t('filters: the share link “{name}” needs this segment, which therefore cannot contain goals and funnels.', {
          name,
        })
      : t('The share link “{name}” shows only this segment: revoke or change the link first.', { name }),
  );
}
