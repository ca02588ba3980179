// Domains that an account has released by deleting or renaming a site. They stay reserved for a while: pages may still have the snippet,
// and another account would then receive their traffic.
import { type Kysely } from 'kysely';
import { Refusal } from '../../errors.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Claim } from './claims.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const RESERVED_MS = 90 * DAY_MS;

export async function reserveDomain(db: Kysely<Tables>, { domain, accountId }: Claim, now: number): Promise<void> {
  const released = { account_id: accountId, released_at: now };
  await db
    .insertInto('released_domains')
    .values({ domain, ...released })
    .onConflict((conflict) => conflict.column('domain').doUpdateSet(released))
    .execute();
}

/** Returns when the domain is free, or undefined if it is not reserved for another account. */
export async function reservedUntil(
  db: Kysely<Tables>,
  { domain, accountId }: Claim,
  now: number,
): Promise<number | undefined> {
  const released = db.selectFrom('released_domains').select('released_at').where('domain', '=', domain);
  const row = await released.where('account_id', '!=', accountId).executeTakeFirst();
  const freeAt = row && row.released_at + RESERVED_MS;
  return freeAt !== undefined && freeAt > now ? freeAt : undefined;
}

/** Throws bad_request while the domain is reserved for another account, unless this one has verified it. */
export async function claimDomain(
  db: Kysely<Tables>,
  { isVerified, ...claim }: Claim & { isVerified: boolean },
  now: number,
): Promise<void> {
  const { domain } = claim;
  const freeAt = isVerified ? undefined : await reservedUntil(db, claim, now);
  if (freeAt !== undefined)
    throw new Refusal(
      'bad_request',
      t('The domain {domain} is reserved for another account: it can be registered from {value} on.', {
        domain,
        value: dayOf(freeAt + DAY_MS - 1),
      }),
    );
  await db.deleteFrom('released_domains').where('domain', '=', domain).execute();
}

export async function forgetReleased({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('released_domains').where('released_at', '<', before).execute();
}
