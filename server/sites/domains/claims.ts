// Accounts that want a domain of another account. Its owner is told, so that the one who verifies the domain gets it.
import type { Kysely } from 'kysely';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';

/** The owner of a domain is told of another account that wants it for this long. */
const CLAIM_MS = 30 * DAY_MS;

export type Claim = { accountId: string; domain: string };

/** Records that an account wants a domain that another one has. */
export async function noteClaim({ db }: Directory, { domain, accountId }: Claim, now: number): Promise<void> {
  await db
    .insertInto('domain_claims')
    .values({ domain, account_id: accountId, created_at: now })
    .onConflict((conflict) => conflict.columns(['domain', 'account_id']).doUpdateSet({ created_at: now }))
    .execute();
}

/** The domains of `sites` that other accounts wanted lately. An account that has verified its domain need not know. */
export async function wantedDomains(
  { db }: Directory,
  sites: readonly { account_id: string; domain: string; verified_at: number | null }[],
  now: number,
): Promise<Set<string>> {
  const open = new Map(sites.filter((site) => site.verified_at === null).map((site) => [site.domain, site.account_id]));
  if (open.size === 0) return new Set();
  const claims = db
    .selectFrom('domain_claims')
    .select(['domain', 'account_id'])
    .where('domain', 'in', [...open.keys()])
    .where('created_at', '>=', now - CLAIM_MS);
  const rows = await claims.execute();
  return new Set(rows.filter((row) => open.get(row.domain) !== row.account_id).map((row) => row.domain));
}

export async function forgetClaims({ db }: { db: Kysely<Tables> }, now: number): Promise<void> {
  await db
    .deleteFrom('domain_claims')
    .where('created_at', '<', now - CLAIM_MS)
    .execute();
}
