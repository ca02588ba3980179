// API keys: shown once when made, kept as a hash, live until revoked. Nothing is cached here, so a revocation holds at once.
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { hashToken, isId, isSameHash, makeId, makeToken } from '../directory/ids.ts';
import { checkName } from '../directory/names.ts';
import type { Tables } from '../directory/schema.ts';

export const MAX_LIVE_KEYS = 10;
const KEY = /^ff_[0-9A-Za-z]{40}$/;
const SHOWN_LENGTH = 8; // `ff_` and 5 characters: enough to tell keys apart, and 208 bits stay secret
const TOUCH_MS = 60_000;

export type Key = Omit<Tables['api_keys'], 'hash' | 'account_id'>;

/** `key` is to be shown now: it cannot be had again. Throws bad_request past the limit of live keys. */
export async function createKey(
  directory: Directory,
  input: { accountId: string; name: string },
  now: number,
): Promise<{ id: string; name: string; key: string }> {
  const name = checkName(input.name);
  const key = `ff_${makeToken(40)}`;
  const id = makeId('key');
  await directory.db.transaction().execute(async (db) => {
    // Locks the account's row, so that keys made at the same moment count one another.
    await db.updateTable('accounts').set({ id: input.accountId }).where('id', '=', input.accountId).execute();
    const live = await db
      .selectFrom('api_keys')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', input.accountId)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (live.count >= MAX_LIVE_KEYS)
      throw new Refusal('bad_request', `An account can have ${MAX_LIVE_KEYS} live keys: revoke one to make another.`);
    await db
      .insertInto('api_keys')
      .values({
        id,
        account_id: input.accountId,
        name,
        prefix: key.slice(0, SHOWN_LENGTH),
        hash: hashToken(key),
        created_at: now,
        last_used_at: null,
        revoked_at: null,
      })
      .execute();
  });
  return { id, name, key };
}

/** Throws not_found for a key that is unknown, foreign or revoked already. */
export async function revokeKey(
  directory: Directory,
  input: { accountId: string; keyId: string },
  now: number,
): Promise<void> {
  const revoked =
    isId('key', input.keyId) &&
    (await directory.db
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('id', '=', input.keyId)
      .where('account_id', '=', input.accountId)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst());
  if (!revoked) throw new Refusal('not_found', 'There is no such key in this account.');
}

/** The live keys, oldest first. */
export async function listKeys(directory: Directory, accountId: string): Promise<Key[]> {
  return directory.db
    .selectFrom('api_keys')
    .select(['id', 'name', 'prefix', 'created_at', 'last_used_at', 'revoked_at'])
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/**
 * Whose live key this is, noting its use at most once a minute. The time it takes tells nothing about stored keys: what is
 * looked up is a digest, of which a caller cannot choose the first bytes, and the row found is compared in constant time.
 */
export async function accountOfKey(
  directory: Directory,
  key: string,
  now: number,
): Promise<{ keyId: string; accountId: string } | undefined> {
  if (!KEY.test(key)) return undefined;
  const hash = hashToken(key);
  const row = await directory.db
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'hash', 'last_used_at'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || !isSameHash(row.hash, hash)) return undefined;
  if (row.last_used_at === null || now - row.last_used_at >= TOUCH_MS)
    await directory.db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', row.id).execute();
  return { keyId: row.id, accountId: row.account_id };
}
