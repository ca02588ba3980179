// Which browsers know the password of a share link: those with a cookie for this link alone. Its signature covers the hash of the password, so a new
// password ends it. The cookie opens nothing without the link's token, which no other website knows, and scripts cannot read it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { SharedLink } from './share.ts';

const KEPT_MS = 30 * DAY_MS;

type Locked = Pick<SharedLink, 'linkId' | 'password_hash'>;

export type Unlocked = {
  /** True for a link without a password, and for a browser that knows it. */
  isOpen(link: Locked, headers: IncomingHttpHeaders, now: number): boolean;
  /** For a browser that has just shown the password. */
  cookieFor(link: Locked, now: number): string;
};

/** `secret` must be the same in all processes. */
export function openUnlocked(secret: string, { isSecure }: { isSecure: boolean }): Unlocked {
  const nameOf = ({ linkId }: Locked) => `${isSecure ? '__Host-' : ''}footfall_${linkId}`;
  const signatureOf = ({ linkId, password_hash = '' }: Locked, madeAt: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([linkId, madeAt, password_hash]))
      .digest('base64url');

  return {
    isOpen: (link, { cookie = '' }, now) => {
      if (link.password_hash === undefined) return true;
      const name = `${nameOf(link)}=`;
      const value = cookie.split(/;\s*/).find((one) => one.startsWith(name));
      const [, madeAt = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(value?.slice(name.length) ?? '') ?? [];
      const expected = signatureOf(link, madeAt);
      if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
        return false;
      return now - Number(madeAt) < KEPT_MS;
    },
    // `/` and not the link's own path: the page asks its questions at `/trpc` and follows them over the socket.
    cookieFor: (link, now) => {
      const value = `${now}.${signatureOf(link, String(now))}`;
      return `${nameOf(link)}=${value}; Max-Age=${KEPT_MS / 1000}; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`;
    },
  };
}
