import { expect, test } from 'vitest';
import type { Account } from '../api/types';
import { accountPages } from './page-links';
import { isAccountPage } from './pages';

test.each([
  ['/settings', true],
  ['/settings/keys', true],
  ['/settingsx', false],
  ['/example.com/settings', false],
])('%s is a page of the account: %s', (path, isOne) => {
  expect(isAccountPage(path)).toBe(isOne);
});

const FIRST = ['Profile', 'Security', 'People'];
test.each([
  [{ role: 'owner', has_plan: true }, ['Plan', 'API keys', 'Webhooks', 'Log', 'Account']],
  [{ role: 'admin', monthly_events: 10 }, ['Usage', 'Webhooks']],
  [{ role: 'billing', has_plan: true }, ['Plan']],
  [{ role: 'viewer' }, []],
] as const)('%o has these pages beside the first three', (account, names) => {
  const pages = accountPages({ has_plan: false, monthly_events: null, ...account } as unknown as Account);
  expect(pages.map(({ name }) => name)).toEqual([...FIRST, ...names]);
});
