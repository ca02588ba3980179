// A site as the dashboard shows it. It says which parts the dashboard has, so that space is kept for them before they are loaded.
import type { Role } from '../../vocabulary/accounts/roles.ts';
import type { SiteAccess, Viewer } from '../../sites/access.ts';
import { type Parts, unusedIn } from '../../sites/parts.ts';
import { type Site, toShownSite } from '../../sites/sites.ts';
import { arrangementIn } from '../../sites/arrangements.ts';
import { currencyOf } from '../../stats/answers/values.ts';
import { usableGoals } from './goals.ts';
import { usableSegments } from './segments.ts';
import { isLimited } from '../../stats/disclosure/rule.ts';
import type { Arrangement, NextStep } from '../../vocabulary/settings/arrangement.ts';
import { showsPart } from '../../vocabulary/settings/share-links.ts';
import type { Context, Services } from '../trpc.ts';
import { ruleFor } from '../viewer-rule.ts';

/**
 * `currency`: that of the site's revenue; null if it has none. `is_limited`: the viewer sees no small numbers, others changed a little, and today in
 * steps.
 */
export function shownSite(
  { favicons, now, viewer }: Pick<Context, 'favicons' | 'now' | 'viewer'>,
  site: Site,
  role: Role,
) {
  return {
    ...toShownSite(site, role, now()),
    icon: favicons.ofSite(site.domain),
    currency: currencyOf(site),
    is_currency_proposed: site.currency === null && site.proposed_currency !== null,
    ...arrangedBy(arrangementIn(site.settings['arrangement'])),
    is_limited: viewer !== undefined && isLimited(ruleFor(viewer, { site, role })),
  };
}

/** Left out where there is none, because an account may have thousands of sites. */
export const arrangedBy = (arrangement: Arrangement) => (Object.keys(arrangement).length > 0 ? { arrangement } : {});

/** Parts that a site lacks are left out, for the same reason. */
export const shownParts = ({ hasGoals, hasSegments, isUnused }: Parts) => ({
  ...(hasGoals && { has_goals: true as const }),
  ...(hasSegments && { has_segments: true as const }),
  ...(isUnused && { is_unused: true as const }),
});

export const shownSteps = (steps: NextStep[]) => (steps.length > 0 ? { next_steps: steps } : {});

/** The parts that the viewer of a share link sees. */
export async function partsOfShared(
  { directory }: Pick<Services, 'directory'>,
  viewer: Viewer,
  { site }: SiteAccess,
): Promise<Parts> {
  const caller = { directory, viewer, siteId: site.id };
  const hasGoals = viewer.kind !== 'share' || showsPart(viewer.rules, 'goals');
  const [goals, segments, unused] = await Promise.all([
    hasGoals ? usableGoals(caller) : [],
    usableSegments(caller),
    unusedIn(directory, { id: site.id }),
  ]);
  return { hasGoals: goals.length > 0, hasSegments: segments.length > 0, isUnused: unused.has(site.id) };
}
