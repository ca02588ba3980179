// Domains that an account has released by deleting or renaming a site. They stay reserved for a while: pages may still have the snippet,
// and another account would then receive their traffic.
import { type Kysely } from 'kysely';
import { Refusal } from '../errors.ts';
import { DAY_MS, dayOf } from '../vocabulary/time.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';

export const RESERVED_MS = 90 * DAY_MS;

type Claim = { domain: string; accountId: string };

export async function reserveDomain(db: Kysely<Tables>, { domain, accountId }: Claim, now: number): Promise<void> {
  const released = { account_id: accountId, released_at: now };
  await db
    .insertInto('released_domains')
    .values({ domain, ...released })
    .onConflict((conflict) => conflict.column('domain').doUpdateSet(released))
    .execute();
}

/** Throws bad_request while the domain is reserved for another account. */
export async function claimDomain(db: Kysely<Tables>, { domain, accountId }: Claim, now: number): Promise<void> {
  const released = db.selectFrom('released_domains').selectAll().where('domain', '=', domain);
  const row = await released.executeTakeFirst();
  if (!row) return;
  const freeAt = row.released_at + RESERVED_MS;
  if (row.account_id !== accountId && freeAt > now)
    throw new Refusal(
      'bad_request',
      `The domain ${domain} is reserved for another account: it can be registered from ${dayOf(freeAt + DAY_MS - 1)} on.`,
    );
  await db.deleteFrom('released_domains').where('domain', '=', domain).execute();
}

export async function forgetReleased({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('released_domains').where('released_at', '<', before).execute();
}
