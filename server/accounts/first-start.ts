// While there is no account, whoever holds the address that the start prints may make the first one. Then that way is closed.
import { Refusal } from '../errors.ts';
import { type CreatedAccount, hasAccounts, insertAccount, prepareAccount } from './accounts.ts';
import type { Directory } from '../directory/open.ts';
import { hashToken, isSameHash, makeToken } from '../directory/ids.ts';

const MAX_TOKENS = 10; // several processes, or several starts before the first account

/** A new one-time token for the first-start page, or undefined once there is an account. */
export async function firstStartToken(directory: Directory, now: number): Promise<string | undefined> {
  if (await hasAccounts(directory)) return undefined;
  const token = makeToken(32);
  const { db } = directory;
  await db
    .insertInto('first_start')
    .values({ token_hash: hashToken(token), created_at: now })
    .execute();
  const newest = db.selectFrom('first_start').select('token_hash').orderBy('created_at', 'desc').limit(MAX_TOKENS);
  await db.deleteFrom('first_start').where('token_hash', 'not in', newest).execute();
  return token;
}

/** Whether the token would be taken now, for the page to say so before anybody fills in a form. */
export async function isFirstStartToken(directory: Directory, token: string): Promise<boolean> {
  if (await hasAccounts(directory)) return false;
  const rows = await directory.db.selectFrom('first_start').select('token_hash').execute();
  const hash = hashToken(token);
  return rows.some((row) => isSameHash(row.token_hash, hash));
}

/** Makes the first account, which is the operator's, and closes the way for all tokens. Throws forbidden when it is closed or the token is wrong. */
export async function redeemFirstStart(
  directory: Directory,
  input: { token: string; email: string; password: string; name?: string | undefined },
  now: number,
): Promise<CreatedAccount> {
  if (!(await isFirstStartToken(directory, input.token))) throw closed();
  const { email, password, name } = input;
  const checked = await prepareAccount({ email, password, name, kind: 'operator', status: 'active' });
  return directory.db.transaction().execute(async (db) => {
    // Of several at the same moment, one gets to delete the rows; the others find none.
    const rows = await db.deleteFrom('first_start').returning('token_hash').execute();
    const hash = hashToken(input.token);
    if (!rows.some((row) => isSameHash(row.token_hash, hash)) || (await hasAccounts({ db }))) throw closed();
    return insertAccount(db, checked, now);
  });
}

function closed(): Refusal {
  return new Refusal(
    'forbidden',
    'This address is no longer valid: sign in, or start Footfall again to get a new one.',
  );
}
