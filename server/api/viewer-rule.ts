// Who sees numbers as viewers do: people with a share link, and on sites that protect their visitors from their own team, everybody but admins.
// API keys see everything: only owners make them.
import type { SiteAccess, Viewer } from '../sites/access.ts';
import { mayDo } from '../sites/access.ts';
import { limitsMembers } from '../sites/sharing/member-limits.ts';
import type { ViewerRule } from '../stats/disclosure/rule.ts';
import { FEWEST } from '../vocabulary/settings/privacy.ts';

/** Undefined for those who see everything. */
export function ruleFor(viewer: Viewer, { site, role }: Pick<SiteAccess, 'site' | 'role'>): ViewerRule | undefined {
  if (viewer.kind === 'share') {
    const { shows, rules } = viewer;
    return { properties: shows.properties, fewest: shows.fewest, link: rules };
  }
  const isLimitedMember = viewer.kind === 'user' && limitsMembers(site.settings) && !mayDo(role, 'admin');
  return isLimitedMember ? { properties: true, fewest: FEWEST } : undefined;
}
