// The filters that share links fix. They must never let more through than their owner chose: segments that a link names cannot be deleted, and what
// cannot be looked up closes the link.
import type { SiteId } from '../../vocabulary/event.ts';
import { Refusal } from '../../errors.ts';
import { SEGMENT } from '../../vocabulary/questions/segments.ts';
import { type FixedFilter, type LinkRules, mayBeFixed } from '../../vocabulary/settings/share-links.ts';
import type { Db } from '../definitions/definitions.ts';
import { listSegments } from '../definitions/segments.ts';
import { t } from '../../vocabulary/habits/messages.ts';

type WithDb = { db: Db };

/** Returns the filters with those of the segments that they name; undefined if one cannot be looked up. */
export async function lookedUp(
  directory: WithDb,
  siteId: SiteId,
  filters: readonly FixedFilter[],
): Promise<FixedFilter[] | undefined> {
  if (!filters.some(({ dimension }) => dimension === SEGMENT)) return [...filters];
  const known = new Map((await listSegments(directory, { siteId })).map((segment) => [segment.id, segment.filters]));
  const all = filters.map((filter): FixedFilter | undefined => {
    if (filter.dimension !== SEGMENT) return filter;
    const segments = filter.values.map((id) => known.get(id));
    const found = segments.filter((own) => own !== undefined);
    return found.length === segments.length && found.flat().every(mayBeFixed)
      ? { ...filter, segments: found }
      : undefined;
  });
  return all.includes(undefined) ? undefined : all.filter((one) => one !== undefined);
}

/** Throws bad_request for filters that cannot be fixed. */
export async function checkRules(directory: WithDb, siteId: SiteId, { filters }: LinkRules): Promise<void> {
  if (!filters.every(mayBeFixed))
    throw new Refusal('bad_request', t('filters: a link cannot be narrowed by goals, funnels and AI visits.'));
  if (!(await lookedUp(directory, siteId, filters)))
    throw new Refusal('bad_request', t('filters: must name shared segments of this site, without goals and funnels.'));
}
