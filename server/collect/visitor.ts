// Who is who for one day, and no longer: an address and a user agent become a number that nobody can turn back.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SiteId, VisitorId } from '../event.ts';
import { dayOf } from '../vocabulary/time.ts';

/** Day secret in, salt of the site out: the same visitor has unrelated ids on two sites. */
export function siteSalt(daySecret: Buffer, siteId: SiteId): KeyObject {
  // A key object is prepared once; from a buffer each HMAC would prepare one.
  return createSecretKey(createHmac('sha256', daySecret).update(siteId).digest());
}

/** 64 bits of HMAC-SHA-256, keyed by the site's salt of the UTC day, over address and user agent. */
export function visitorId(salt: KeyObject, visitor: { address: string; userAgent: string }): VisitorId {
  const hmac = createHmac('sha256', salt).update(`${visitor.address}\0${visitor.userAgent}`);
  return hmac.digest('hex').slice(0, 16) as VisitorId;
}

export type SiteSalts = {
  /** The salt of a site on the UTC day of `time`. */
  of(siteId: SiteId, time: number): Promise<KeyObject>;
  /** Forgets the days before `day` (YYYY-MM-DD), whose secrets are destroyed. */
  forget(day: string): void;
};

const MAX_KEPT = 10_000;

/** Derives each site's salt of a day once from the day's secret. */
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
