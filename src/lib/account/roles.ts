// The roles of people in an account, in words.
import type { Role } from '../../../server/directory/schema.ts';

export const ROLE_WORDS: Record<Role, { name: string; about: string }> = {
  owner: { name: 'Owner', about: 'Everything, also the plan, keys, the log and other owners' },
  admin: { name: 'Admin', about: 'Sites, their settings and goals, and people below owner' },
  billing: { name: 'Billing', about: 'The plan alone, without any numbers' },
  viewer: { name: 'Viewer', about: 'Reads the dashboards of all sites, or only of some' },
};

/** The roles that somebody may give. */
export const rolesFrom = (own: Role): Role[] =>
  own === 'owner' ? ['owner', 'admin', 'billing', 'viewer'] : ['admin', 'billing', 'viewer'];
