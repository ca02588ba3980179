// Where the account's settings are. Every page needs this; the names of the pages are in `page-links.ts`.

export const ACCOUNT_SETTINGS_PATH = '/settings';

export function isAccountPage(path: string): boolean {
  return path === ACCOUNT_SETTINGS_PATH || path.startsWith(`${ACCOUNT_SETTINGS_PATH}/`);
}
