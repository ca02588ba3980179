// The frame of a dashboard, known before its numbers are loaded: goals, and segments that a person may use, have their space, and a site that has
// counted nothing yet has none of its lists.
import type { Directory } from '../directory/open.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { NEXT_STEPS, type NextStep, type OwnArrangement } from '../vocabulary/settings/arrangement.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import type { Site } from './sites.ts';

/** How long after its first event the next steps of a site are offered. */
const OFFERED_MS = 14 * DAY_MS;

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

type Offered = {
  sites: readonly Site[];
  partsOn: (siteId: SiteId) => Parts;
  /** How the person has arranged the sites. */
  own: ReadonlyMap<SiteId, OwnArrangement>;
  userId: string;
  hasMail: boolean;
};

/** The steps that a person may still take on new sites. Asks nothing if no site is new. */
export async function openNextSteps(
  { db }: Pick<Directory, 'db'>,
  { sites, partsOn, own, userId, hasMail }: Offered,
  now: number,
): Promise<(siteId: SiteId) => NextStep[]> {
  const isNew = ({ id, first_event_at: first }: Site) =>
    first === null ? partsOn(id).isUnused : first > now - OFFERED_MS;
  const found = new Set(sites.filter(isNew).map(({ id }) => id));
  const [site] = sites;
  if (site === undefined || found.size === 0) return () => [];
  const ofAccount = db.selectFrom('sites').select('id').where('account_id', '=', site.account_id);
  const reports = db
    .selectFrom('reports')
    .innerJoin('report_recipients', 'report_id', 'reports.id')
    .select('site_id')
    .where('user_id', '=', userId);
  const links = db.selectFrom('share_links').select('site_id').distinct();
  const idsOf = (rows: { site_id: string | null }[]) => new Set(rows.map(({ site_id }) => site_id));
  const [withReports, withLinks] = await Promise.all([
    reports.where('site_id', 'in', ofAccount).execute().then(idsOf),
    links.where('site_id', 'in', ofAccount).execute().then(idsOf),
  ]);
  const isDone = (siteId: SiteId): Record<NextStep, boolean> => ({
    goal: partsOn(siteId).hasGoals,
    report: !hasMail || withReports.has(siteId),
    link: withLinks.has(siteId), // a revoked one too: whoever has had a link knows how to make one
  });
  return (siteId) => {
    if (!found.has(siteId)) return [];
    const done = isDone(siteId);
    return NEXT_STEPS.filter((step) => !done[step] && own.get(siteId)?.next_steps?.includes(step) !== true);
  };
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
