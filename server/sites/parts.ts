// Which sites of an account have goals, and segments that a person may use. Their dashboards keep space free for these.
import type { Directory } from '../directory/open.ts';
import type { SiteId } from '../vocabulary/event.ts';

export type Parts = { hasGoals: boolean; hasSegments: boolean };

export async function openParts(
  { db }: Pick<Directory, 'db'>,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<(siteId: SiteId) => Parts> {
  const ofAccount = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  const goals = db.selectFrom('goals').select('site_id').distinct().where('site_id', 'in', ofAccount);
  const segments = db
    .selectFrom('segments')
    .select('site_id')
    .distinct()
    .where('site_id', 'in', ofAccount)
    .where((where) => where.or([where('user_id', 'is', null), where('user_id', '=', userId)]));
  const [withGoals, withSegments] = await Promise.all(
    [goals, segments].map(async (sites) => new Set((await sites.execute()).map(({ site_id }) => site_id))),
  );
  return (siteId) => ({ hasGoals: withGoals?.has(siteId) === true, hasSegments: withSegments?.has(siteId) === true });
}
