// Order ids: a keyed hash turns a shop's order number into one that means nothing elsewhere. The key never changes, since an order must
// count only once, ever. It is the secret `orders` in the directory. Backups include it: without it, a restored server would count old
// orders again.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { OrderId, SiteId } from '../vocabulary/event.ts';

/** `secret` as hex digits: see `secretOf` in directory/server-keys.ts. */
export function orderKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, 'hex'));
}

/** Returns 64 bits of an HMAC-SHA-256. The site has a key of its own, so the same number on two sites gets unrelated ids. */
export function orderId(key: KeyObject, siteId: SiteId, order: string): OrderId {
  const ofSite = createHmac('sha256', key).update(siteId).digest();
  return createHmac('sha256', ofSite).update(order).digest('hex').slice(0, 16) as OrderId;
}
