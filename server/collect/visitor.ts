// Visitor ids: an address and a user agent become a number that is valid for one day, and that nobody can reverse.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SiteId, VisitorId } from '../event.ts';
import { dayOf } from '../vocabulary/time.ts';

/** Derives a site's salt from the secret of the day. The same visitor gets unrelated ids on two sites. */
export function siteSalt(daySecret: Buffer, siteId: SiteId): KeyObject {
  // A key object is prepared once; with a buffer, each HMAC would prepare it again.
  return createSecretKey(createHmac('sha256', daySecret).update(siteId).digest());
}

/** Returns 64 bits of the HMAC-SHA-256 of address and user agent. The key is the site's salt for the UTC day. */
export function visitorId(salt: KeyObject, visitor: { address: string; userAgent: string }): VisitorId {
  const hmac = createHmac('sha256', salt).update(`${visitor.address}\0${visitor.userAgent}`);
  return hmac.digest('hex').slice(0, 16) as VisitorId;
}

export type SiteSalts = {
  /** Returns the site's salt for the UTC day of `time`. */
  of(siteId: SiteId, time: number): Promise<KeyObject>;
  /** Forgets the salts of days before `day` (YYYY-MM-DD); their secrets are destroyed too. */
  forget(day: string): void;
};

const MAX_KEPT = 10_000;

/** Derives each site's daily salt once, and keeps it in memory. */
export function openSiteSalts(secretOf: (day: string) => Promise<Buffer>): SiteSalts {
  const salts = new Map<string, Promise<KeyObject>>();
  return {
    of: (siteId, time) => {
      const day = dayOf(time);
      const key = `${day} ${siteId}`;
      const known = salts.get(key);
      if (known) return known;
      if (salts.size >= MAX_KEPT) salts.clear();
      const salt = secretOf(day).then((secret) => siteSalt(secret, siteId));
      salts.set(key, salt);
      salt.catch(() => salts.delete(key));
      return salt;
    },
    forget: (day) => {
      for (const key of salts.keys()) if (key < day) salts.delete(key);
    },
  };
}
