// Who is who for one day, and no longer: an address and a user agent become a number that nobody can turn back.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SiteId, VisitorId } from '../event.ts';

/** Day secret in, salt of the site out: the same visitor has unrelated ids on two sites. */
export function siteSalt(daySecret: Buffer, siteId: SiteId): KeyObject {
  // A key object is prepared once; from a buffer each HMAC would prepare one.
  return createSecretKey(createHmac('sha256', daySecret).update(siteId).digest());
}

/** 64 bits of HMAC-SHA-256, keyed by the site's salt of the UTC day, over address and user agent. */
export function visitorId(salt: KeyObject, visitor: { address: string; userAgent: string }): VisitorId {
  const hmac = createHmac('sha256', salt).update(visitor.address).update('\0').update(visitor.userAgent);
  return hmac.digest('hex').slice(0, 16) as VisitorId;
}
