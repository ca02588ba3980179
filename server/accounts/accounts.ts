// Accounts and the people in them. An account owns sites, keys and the plan; a user belongs to it with a role.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { makeId } from '../directory/ids.ts';
import { checkPassword } from './password-rule.ts';
import { hashPassword } from './passwords.ts';
import type { Account, Kind, Plan, Role, Status, Tables, User } from '../directory/schema.ts';

const MAX_EMAIL_LENGTH = 254; // RFC 5321
const MAX_NAME_LENGTH = 100;

export type NewAccount = {
  email: string;
  password: string;
  name?: string | undefined;
  plan?: Plan | undefined;
  /** `trialing` unless given: someone signs up. The operator makes accounts that are `active`. */
  status?: Status | undefined;
  /** `customer` unless given. */
  kind?: Kind | undefined;
};

export type CreatedAccount = { account: Account; user: Pick<User, 'id' | 'email' | 'name'> };

/** Makes user, account and ownership together or not at all. Throws bad_request for a taken or malformed e-mail address. */
export async function createAccount(directory: Directory, input: NewAccount, now: number): Promise<CreatedAccount> {
  const checked = await prepareAccount(input);
  return directory.db.transaction().execute((db) => insertAccount(db, checked, now));
}

export type PreparedAccount = Omit<NewAccount, 'password' | 'name'> & { name: string; passwordHash: string };

/** The slow half, before any transaction: hashing a password takes tens of milliseconds. */
export async function prepareAccount(input: NewAccount): Promise<PreparedAccount> {
  const email = normaliseEmail(input.email);
  await checkPassword(input.password, email);
  const name = input.name?.trim() || (email.split('@')[0] ?? email);
  if (name.length > MAX_NAME_LENGTH)
    throw new Refusal('bad_request', `The name is too long: at most ${MAX_NAME_LENGTH} characters are allowed.`);
  return { ...input, email, name, passwordHash: await hashPassword(input.password) };
}

export async function insertAccount(db: Kysely<Tables>, input: PreparedAccount, now: number): Promise<CreatedAccount> {
  const { email, name, status = 'trialing', kind = 'customer' } = input;
  const stamps = { created_at: now, updated_at: now };
  const user = await db
    .insertInto('users')
    .values({ id: makeId('user'), email, name, email_verified: 0, image: null, ...stamps })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst();
  if (!user) throw new Refusal('bad_request', 'There is already an account with this e-mail address.');
  // The shape that better-auth gives to e-mail and password.
  const credential = { provider_id: 'credential', account_id: user.id, user_id: user.id };
  await db
    .insertInto('credentials')
    .values({ id: makeId('cred'), ...credential, password: input.passwordHash, ...stamps })
    .execute();
  const account = await db
    .insertInto('accounts')
    .values({
      id: makeId('acct'),
      name,
      kind,
      plan: input.plan ?? 'pro',
      status,
      trial_ends_at: null,
      paid_until: null,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .insertInto('members')
    .values({ account_id: account.id, user_id: user.id, role: 'owner', created_at: now })
    .execute();
  return { account, user };
}

export async function hasAccounts(directory: Pick<Directory, 'db'>): Promise<boolean> {
  return Boolean(await directory.db.selectFrom('accounts').select('id').limit(1).executeTakeFirst());
}

/** All accounts with the e-mail addresses of their owners, oldest first. */
export async function listAccounts(directory: Directory): Promise<(Account & { emails: string[] })[]> {
  const { db } = directory;
  const accounts = await db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute();
  const owners = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('role', '=', 'owner')
    .select(['account_id', 'email'])
    .orderBy('members.created_at')
    .execute();
  const emails = Map.groupBy(owners, (owner) => owner.account_id);
  return accounts.map((account) => ({ ...account, emails: emails.get(account.id)?.map(({ email }) => email) ?? [] }));
}

/** The account that the user with this e-mail address owns. Throws not_found. */
export async function accountOfEmail(directory: Directory, email: string): Promise<Account> {
  const account = await directory.db
    .selectFrom('accounts')
    .innerJoin('members', 'members.account_id', 'accounts.id')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('users.email', '=', email.trim().toLowerCase())
    .where('role', '=', 'owner')
    .selectAll('accounts')
    .orderBy('accounts.created_at')
    .executeTakeFirst();
  if (!account) throw new Refusal('not_found', `There is no account with the e-mail address ${email}.`);
  return account;
}

/** The accounts that a user belongs to, oldest membership first. */
export async function accountsOf(directory: Directory, userId: string): Promise<(Account & { role: Role })[]> {
  return directory.db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .where('user_id', '=', userId)
    .selectAll('accounts')
    .select('role')
    .orderBy('members.created_at')
    .execute();
}

/** Trimmed and in lower case; throws bad_request when it is no e-mail address. */
export function normaliseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL_LENGTH || !z.email().safeParse(email).success)
    throw new Refusal('bad_request', 'The e-mail address is malformed: enter one such as name@example.com.');
  return email;
}
