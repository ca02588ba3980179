// The parts of a journey that its site defines: the goal where it starts, and the rules that group its pages.
import { pageOf, storedPage } from '../sites/paths.ts';
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { Viewer } from '../sites/access.ts';
import { goals } from '../sites/definitions/goals.ts';
import type { Site } from '../sites/sites.ts';
import type { JourneyAsked, JourneyFrom } from '../stats/journeys/journey.ts';
import { hasPropertyConditions } from '../vocabulary/questions/goals.ts';
import type { JourneyStart } from '../vocabulary/questions/journeys.ts';
import { t } from '../vocabulary/habits/messages.ts';

type Caller = { directory: Pick<Directory, 'db'>; viewer: Viewer; siteId: SiteId };

/** Throws not_found for a goal that the site does not have, or whose conditions a share link hides. */
export async function journeyFrom(
  { directory, viewer, siteId }: Caller,
  { kind, value }: JourneyStart,
): Promise<JourneyFrom> {
  if (kind !== 'goal') return { kind, name: value };
  const seesProperties = viewer.kind !== 'share' || viewer.shows.properties;
  const goal = (await goals.list(directory, { siteId })).find(({ id }) => id === value);
  if (!goal || (hasPropertyConditions(goal) && !seesProperties))
    throw new Refusal('not_found', t('There is no such goal on this site.'));
  return { kind, name: goal.name, goal };
}

/** Pages are grouped when they are collected. This groups pages that were stored under earlier rules. */
export function regroupBy({ settings }: Site): JourneyAsked['regroup'] {
  return 'path_rules' in settings ? (page) => pageOf(storedPage(page), settings) : undefined;
}
