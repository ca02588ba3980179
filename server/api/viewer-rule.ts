// Who sees numbers as viewers do: people with a share link, and on sites that protect their visitors from their own team, everybody but admins.
// API keys see everything: only owners make them.
import { isLimitedMember, type SiteAccess, type Viewer } from '../sites/access.ts';
import type { ViewerRule } from '../stats/disclosure/rule.ts';
import { FEWEST } from '../vocabulary/settings/privacy.ts';

/** Undefined for those who see everything. */
export function ruleFor(viewer: Viewer, { site, role }: Pick<SiteAccess, 'site' | 'role'>): ViewerRule | undefined {
  if (viewer.kind === 'share') {
    const { shows, rules } = viewer;
    return { properties: shows.properties, fewest: shows.fewest, link: rules };
  }
  const isLimited = viewer.kind === 'user' && isLimitedMember(role, site);
  return isLimited ? { properties: true, fewest: FEWEST } : undefined;
}
