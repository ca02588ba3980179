// The account that somebody with several accounts works in, chosen per browser. The cookie only names it: every request checks that the
// person belongs to it.
import type { IncomingHttpHeaders } from 'node:http';
import { isId } from '../directory/ids.ts';

const COOKIE = 'footfall_account';
const MAX_AGE_SECONDS = 365 * 86_400;

export function chosenAccount(headers: IncomingHttpHeaders): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [name, value = ''] = part.trim().split('=');
    if (name === COOKIE) return isId('acct', value) ? value : undefined;
  }
  return undefined;
}

export function accountCookie(accountId: string, { isSecure }: { isSecure: boolean }): string {
  const secure = isSecure ? '; Secure' : '';
  return `${COOKIE}=${accountId}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}
