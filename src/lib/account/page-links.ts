// The pages of the account's settings, in the order of their navigation. `/settings` shows the first one.
import type { Account } from '../api/types';

export type AccountPage = { path: string; name: string };

export function accountPages(account: Account): [AccountPage, ...AccountPage[]] {
  return [
    { path: '/settings/profile', name: 'Profile' },
    { path: '/settings/security', name: 'Security' },
    { path: '/settings/people', name: 'People' },
    ...planPage(account),
    ...(account.role === 'owner' ? [{ path: '/settings/keys', name: 'API keys' }] : []),
    ...(managesWebhooks(account) ? [{ path: '/settings/webhooks', name: 'Webhooks' }] : []),
    ...(account.role === 'owner' ? [{ path: '/settings/log', name: 'Log' }] : []),
    ...(account.role === 'owner' ? [{ path: '/settings/account', name: 'Account' }] : []),
  ];
}

const managesWebhooks = ({ role }: Account) => role === 'owner' || role === 'admin';

/** People who may see neither a plan nor the numbers of the whole account have nothing to read there. */
function planPage({ has_plan, monthly_events }: Account): AccountPage[] {
  if (has_plan) return [{ path: '/settings/plan', name: 'Plan' }];
  return monthly_events === null ? [] : [{ path: '/settings/plan', name: 'Usage' }];
}
