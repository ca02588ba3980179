// The frame of a dashboard, known before its numbers are loaded: goals, and segments that a person may use, have their space, and a site that has
// counted nothing yet has none of its lists.
import type { Directory } from '../directory/open.ts';
import type { SiteId } from '../vocabulary/event.ts';

/** `isUnused`: nothing was ever counted or imported. */
export type Parts = { hasGoals: boolean; hasSegments: boolean; isUnused: boolean };

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
  const [withGoals, withSegments, unused] = await Promise.all([
    ...[goals, segments].map(async (sites) => new Set((await sites.execute()).map(({ site_id }) => site_id))),
    unusedIn({ db }, { account_id: accountId }),
  ]);
  return (siteId) => ({
    hasGoals: withGoals?.has(siteId) === true,
    hasSegments: withSegments?.has(siteId) === true,
    isUnused: unused?.has(siteId) === true,
  });
}

/** The sites of an account, or the one site, that have counted no event, imported nothing, and whose servers report no AI visits. */
export async function unusedIn(
  { db }: Pick<Directory, 'db'>,
  of: { account_id: string } | { id: SiteId },
): Promise<Set<SiteId>> {
  const rows = await db
    .selectFrom('sites')
    .select('id')
    .where((eb) => eb.and(of))
    .where('last_event_at', 'is', null)
    .where('id', 'not in', (eb) => eb.selectFrom('imports').select('site_id'))
    .where('id', 'not in', (eb) =>
      eb.selectFrom('ingest_tokens').select('site_id').where('last_used_at', 'is not', null),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}
