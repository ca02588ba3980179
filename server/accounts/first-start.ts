// The first account is created on a page whose address contains a one-time token. The server prints this address when it starts. Once there
// is an account, the page is closed.
import { Refusal } from '../errors.ts';
import { type CreatedAccount, hasAccounts, insertAccount, prepareAccount } from './accounts.ts';
import type { Directory } from '../directory/open.ts';
import { hashToken, isSameHash, makeToken } from '../directory/ids.ts';
import { t } from '../vocabulary/habits/messages.ts';

const MAX_TOKENS = 10; // several processes, or several starts before the first account

/** Creates a one-time token for the first-start page. Returns undefined once there is an account. */
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

/** True if the token is valid now. The page asks before it shows the form. */
async function isFirstStartToken(directory: Directory, token: string): Promise<boolean> {
  if (await hasAccounts(directory)) return false;
  const rows = await directory.db.selectFrom('first_start').select('token_hash').execute();
  const hash = hashToken(token);
  return rows.some((row) => isSameHash(row.token_hash, hash));
}

/** Creates the operator's account and invalidates all tokens. Throws forbidden if there is an account already or the token is wrong. */
export async function redeemFirstStart(
  directory: Directory,
  input: { token: string; email: string; password: string; name?: string | undefined },
  now: number,
): Promise<CreatedAccount> {
  if (!(await isFirstStartToken(directory, input.token))) throw closed();
  const { email, password, name } = input;
  const checked = await prepareAccount({ email, password, name, kind: 'operator', status: 'active' });
  return directory.db.transaction().execute(async (db) => {
    // If several requests come at the same time, only one of them finds rows to delete.
    const rows = await db.deleteFrom('first_start').returning('token_hash').execute();
    const hash = hashToken(input.token);
    if (!rows.some((row) => isSameHash(row.token_hash, hash)) || (await hasAccounts({ db }))) throw closed();
    return insertAccount(db, checked, now);
  });
}

function closed(): Refusal {
  return new Refusal(
    'forbidden',
    t('This address is no longer valid: log in, or start Footfall again to get a new one.'),
  );
}
