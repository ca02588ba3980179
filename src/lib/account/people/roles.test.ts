import { expect, test } from 'vitest';
import { rolesFrom } from './roles.ts';

test.each([
  ['an owner', { role: 'owner', has_billing: true }, 'viewer', ['owner', 'admin', 'billing', 'viewer']],
  ['an admin', { role: 'admin', has_billing: true }, 'viewer', ['admin', 'billing', 'viewer']],
  [
    'where there is nothing to pay, an owner',
    { role: 'owner', has_billing: false },
    'admin',
    ['owner', 'admin', 'viewer'],
  ],
  [
    'to a person who has billing already, an admin',
    { role: 'admin', has_billing: false },
    'billing',
    ['admin', 'billing', 'viewer'],
  ],
] as const)('%s may give these roles', (_title, account, current, roles) => {
  expect(rolesFrom(account, current)).toEqual(roles);
});
