// Visitor ids: a keyed hash turns an address and a user agent into a number that is valid for one day and that nobody can reverse.
import { createHmac } from 'node:crypto';
import type { SiteId, VisitorId } from '../vocabulary/event.ts';
import type { ZoneDay } from '../sites/salts.ts';
import type { Site } from '../sites/sites.ts';
import { dayIn, UTC } from '../vocabulary/time/zones.ts';
import { hmacHex, type HmacKey, hmacKey } from './hmac.ts';

/** Derives a site's salt from the secret of the day. The same visitor has unrelated ids on two sites. */
export function siteSalt(daySecret: Buffer, siteId: SiteId): HmacKey {
  return hmacKey(createHmac('sha256', daySecret).update(siteId).digest());
}

/** Returns 64 bits of the HMAC-SHA-256 of address and user agent. The key is the site's salt for its day. */
export function visitorId(salt: HmacKey, visitor: { address: string; userAgent: string }): VisitorId {
  return hmacHex(salt, `${visitor.address}\0${visitor.userAgent}`).slice(0, 16) as VisitorId;
}

export type SiteSalts = {
  /** Returns the site's salt for its day at `time`: at once if it is known. */
  of(site: Pick<Site, 'id' | 'timezone'>, time: number): HmacKey | Promise<HmacKey>;
  /** Forgets the salts of days that had ended by `time` in their zones. Their secrets are destroyed as well. */
  forget(time: number): void;
};

const MAX_KEPT = 10_000;

/** Derives each site's daily salt once and keeps it in memory. */
export function openSiteSalts(secretOf: (day: ZoneDay) => Promise<Buffer>): SiteSalts {
  const salts = new Map<string, { of: ZoneDay; salt: HmacKey | Promise<HmacKey> }>();
  return {
    of: ({ id, timezone }, time) => {
      const zone = timezone ?? UTC;
      const day = dayIn(zone, time);
      const key = `${day} ${id} ${zone}`;
      const known = salts.get(key);
      if (known) return known.salt;
      if (salts.size >= MAX_KEPT) salts.clear();
      const entry: { of: ZoneDay; salt: HmacKey | Promise<HmacKey> } = {
        of: { zone, day },
        salt: secretOf({ zone, day }).then((secret) => (entry.salt = siteSalt(secret, id))),
      };
      salts.set(key, entry);
      Promise.resolve(entry.salt).catch(() => salts.delete(key));
      return entry.salt;
    },
    forget: (time) => {
      for (const [key, { of }] of salts) if (of.day < dayIn(of.zone, time)) salts.delete(key);
    },
  };
}
