// The pages of the account's settings, in the order of their navigation. `/settings` shows the first one.
import type { Account } from '../api-types';

export type AccountPage = { path: string; name: string };

export const ACCOUNT_SETTINGS_PATH = '/settings';

export function accountPages(account: Account): [AccountPage, ...AccountPage[]] {
  return [
    { path: '/settings/security', name: 'Security' },
    { path: '/settings/people', name: 'People' },
    { path: '/settings/plan', name: account.has_plan ? 'Plan' : 'Usage' },
    ...(account.role === 'owner' ? [{ path: '/settings/keys', name: 'API keys' }] : []),
    ...(account.role === 'owner' ? [{ path: '/settings/log', name: 'Log' }] : []),
  ];
}

export function isAccountPage(path: string): boolean {
  return path === ACCOUNT_SETTINGS_PATH || path.startsWith(`${ACCOUNT_SETTINGS_PATH}/`);
}
