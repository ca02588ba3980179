import { expect, test } from 'vitest';
import { isAccountPage } from './pages';

test.each([
  ['/settings', true],
  ['/settings/keys', true],
  ['/settingsx', false],
  ['/example.com/settings', false],
])('%s is a page of the account: %s', (path, isOne) => {
  expect(isAccountPage(path)).toBe(isOne);
});
