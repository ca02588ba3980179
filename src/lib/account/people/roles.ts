// The roles of people in an account, in words.
import { texts } from '../../../../server/vocabulary/habits/messages.ts';
import type { Role } from '../../../../server/vocabulary/accounts/roles.ts';
import type { Account } from '../../api/types';

export const ROLE_WORDS: Record<Role, { name: string; about: string }> = texts({
  owner: { name: 'Owner', about: 'Everything, also the plan, keys, the log and other owners.' },
  admin: { name: 'Admin', about: 'Sites, their settings and goals, and people below owner.' },
  billing: { name: 'Billing', about: 'The plan alone, without any numbers.' },
  viewer: { name: 'Viewer', about: 'Reads the dashboards of all sites, or only of some.' },
});

/** The roles that somebody may give. `billing` only where there is something to pay, or to a person who has it already. */
export function rolesFrom({ role: own, has_billing }: Pick<Account, 'role' | 'has_billing'>, current: Role): Role[] {
  const roles: Role[] = own === 'owner' ? ['owner', 'admin'] : ['admin'];
  return [...roles, ...(has_billing || current === 'billing' ? (['billing'] as const) : []), 'viewer'];
}
