// Recognises browsers that have signed in before, by a signed cookie. The cookie gives no access: it only gives the browser its own limit
// of wrong passwords. It holds a random name and a signature over that name and the e-mail address, but not the e-mail address.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS } from '../../vocabulary/time/time.ts';

const KEPT_MS = 400 * DAY_MS; // browsers keep no cookie longer

type Browsers = {
  /** Returns the random name of a browser that has signed in with this e-mail address before, or undefined. */
  knownTo(email: string, headers: IncomingHttpHeaders, now: number): string | undefined;
  /** Returns the cookie for a browser that has just signed in. */
  cookieFor(email: string, now: number): string;
  /** Returns a keyed hash of an e-mail address, for counters. */
  accountKey(email: string): string;
};

/** `secret` must be the same in all processes. */
export function openBrowsers({ secret, isSecure }: { secret: string; isSecure: boolean }): Browsers {
  const cookie = isSecure ? '__Host-footfall_browser' : 'footfall_browser';
  const pattern = new RegExp(`(?:^|;)\\s*${cookie}=([\\w-]{22})\\.(\\d{1,15})\\.([\\w-]{43})\\s*(?:;|$)`);
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const signatureOf = (name: string, madeAt: string, email: string) => sign(`browser ${name} ${madeAt} ${email}`);

  return {
    knownTo: (email, headers, now) => {
      const [, name = '', madeAt = '', signature = ''] = pattern.exec(headers.cookie ?? '') ?? [];
      const expected = signatureOf(name, madeAt, email);
      if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
        return undefined;
      return now - Number(madeAt) < KEPT_MS ? name : undefined;
    },
    cookieFor: (email, now) => {
      const name = randomBytes(16).toString('base64url');
      const value = `${name}.${now}.${signatureOf(name, String(now), email)}`;
      const secure = isSecure ? '; Secure' : '';
      return `${cookie}=${value}; Max-Age=${KEPT_MS / 1_000}; Path=/; HttpOnly${secure}; SameSite=Lax`;
    },
    accountKey: (email) => sign(`account ${email}`),
  };
}
