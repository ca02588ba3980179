// API keys, which belong to an account.
import type { Directory } from '../directory/open.ts';
import { checkName } from '../directory/names.ts';
import type { Tables } from '../directory/schema.ts';
import { findSecret, listSecrets, makeSecret, noteUse, revokeSecret, type SecretKind } from '../directory/secrets.ts';
import { message } from '../vocabulary/habits/messages.ts';

const MAX_LIVE_KEYS = 10;

const KEY: SecretKind<'api_keys'> = {
  table: 'api_keys',
  owner: { table: 'accounts', column: 'account_id' },
  idPrefix: 'key',
  prefix: 'ff_',
  length: 40,
  limit: MAX_LIVE_KEYS,
  notesUse: true,
  tooMany: message('An account can have {limit} live keys: revoke one to make another.'),
  unknown: message('There is no such key in this account.'),
};

type Key = Omit<Tables['api_keys'], 'hash' | 'account_id'>;

export async function createKey(
  directory: Directory,
  input: { accountId: string; name: string },
  now: number,
): Promise<{ id: string; name: string; key: string }> {
  const name = checkName(input.name);
  const { id, secret } = await makeSecret(directory, KEY, { owner: input.accountId, details: { name }, now });
  return { id, name, key: secret };
}

export function revokeKey(
  directory: Directory,
  input: { accountId: string; keyId: string },
  now: number,
): Promise<{ name: string }> {
  return revokeSecret(directory, KEY, { owner: input.accountId, id: input.keyId, now });
}

export async function listKeys(directory: Directory, accountId: string): Promise<Key[]> {
  const rows = await listSecrets(directory, KEY, accountId);
  return rows.map(({ hash: _hash, account_id: _account, ...key }) => key);
}

export async function accountOfKey(
  directory: Directory,
  key: string,
  now: number,
): Promise<{ keyId: string; accountId: string } | undefined> {
  const row = await findSecret(directory, KEY, key);
  if (!row) return undefined;
  await noteUse(directory, KEY, { row, now });
  return { keyId: row.id, accountId: row.account_id };
}
