// Accounts and their users. An account owns sites, API keys and a plan. A user is a member of it, with a role.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { makeId } from '../directory/ids.ts';
import { checkPassword } from './sign-in/passwords/password-rule.ts';
import { hashPassword } from './sign-in/passwords/passwords.ts';
import type { Account, Kind, Status, Tables, User } from '../directory/schema.ts';
import type { Role } from '../vocabulary/accounts/roles.ts';
import type { Plan } from '../vocabulary/accounts/plans.ts';
import { t } from '../vocabulary/habits/messages.ts';

const MAX_EMAIL_LENGTH = 254; // RFC 5321
const MAX_NAME_LENGTH = 100;

type NewAccount = {
  email: string;
  password: string;
  name?: string | undefined;
  plan?: Plan | undefined;
  /** Default: `trialing`, for people who sign up. The operator creates `active` accounts. */
  status?: Status | undefined;
  /** Default: `customer`. */
  kind?: Kind | undefined;
};

export type CreatedAccount = { account: Account; user: Pick<User, 'id' | 'email' | 'name'> };

/** Creates the user, the account and the membership in one transaction. Throws bad_request for a taken or malformed e-mail address. */
export async function createAccount(directory: Directory, input: NewAccount, now: number): Promise<CreatedAccount> {
  const checked = await prepareAccount(input);
  return directory.db.transaction().execute((db) => insertAccount(db, checked, now));
}

export type PreparedUser = {
  email: string;
  name: string;
  passwordHash: string;
  /** True if somebody opened a link in a mail to this address. */
  isConfirmed?: boolean;
};
type PreparedAccount = Omit<NewAccount, 'password' | 'name'> & PreparedUser;

/** Checks the input and hashes the password. Not part of the transaction, because hashing takes tens of milliseconds. */
export async function prepareAccount(input: NewAccount): Promise<PreparedAccount> {
  const email = normaliseEmail(input.email);
  await checkPassword(input.password, email);
  const name = input.name?.trim() || nameFrom(email);
  if (name.length > MAX_NAME_LENGTH)
    throw new Refusal(
      'bad_request',
      t('The name is too long: at most {MAX_NAME_LENGTH} characters are allowed.', { MAX_NAME_LENGTH }),
    );
  return { ...input, email, name, passwordHash: await hashPassword(input.password) };
}

/** Adds a user without a password. Throws bad_request for a taken e-mail address. */
export async function insertPerson(
  db: Kysely<Tables>,
  person: Pick<Tables['users'], 'email' | 'name' | 'email_verified'>,
  now: number,
): Promise<CreatedAccount['user']> {
  const user = await db
    .insertInto('users')
    .values({ id: makeId('user'), ...person, image: null, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst();
  if (!user) throw new Refusal('bad_request', t('There is already an account with this e-mail address.'));
  return user;
}

/** The name of an account that was given none. */
export function nameFrom(email: string): string {
  return email.split('@')[0] ?? email;
}

/** Adds a user who belongs to no account yet. Throws bad_request for a taken e-mail address. */
export async function insertUser(
  db: Kysely<Tables>,
  { email, name, passwordHash, isConfirmed }: PreparedUser,
  now: number,
): Promise<CreatedAccount['user']> {
  const user = await insertPerson(db, { email, name, email_verified: isConfirmed ? 1 : 0 }, now);
  const stamps = { created_at: now, updated_at: now };
  // better-auth expects a credential in this form.
  const credential = { provider_id: 'credential', account_id: user.id, user_id: user.id };
  await db
    .insertInto('credentials')
    .values({ id: makeId('cred'), ...credential, password: passwordHash, ...stamps })
    .execute();
  return user;
}

export async function insertAccount(db: Kysely<Tables>, input: PreparedAccount, now: number): Promise<CreatedAccount> {
  const { name, status = 'trialing', kind = 'customer' } = input;
  const user = await insertUser(db, input, now);
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
      requires_factor: 0,
      deletes_at: null,
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .insertInto('members')
    .values({ account_id: account.id, user_id: user.id, role: 'owner', named_sites: 0, created_at: now })
    .execute();
  return { account, user };
}

export async function hasAccounts(directory: Pick<Directory, 'db'>): Promise<boolean> {
  return Boolean(await directory.db.selectFrom('accounts').select('id').limit(1).executeTakeFirst());
}

/** Returns all accounts, oldest first, each with the e-mail addresses of its owners. */
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

/** Returns the account whose owner has this e-mail address. Throws not_found. */
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
  if (!account) throw new Refusal('not_found', t('There is no account with the e-mail address {email}.', { email }));
  return account;
}

/** A person, and the account that their browser has chosen. */
type Chooser = { userId: string; accountId?: string };

/** Returns the account that a person works in. Undefined if they belong to none. */
export async function currentAccount(
  directory: Directory,
  chooser: Chooser,
): Promise<(Account & { role: Role }) | undefined> {
  return currentOf(await accountsOf(directory, chooser.userId), chooser);
}

/** The chosen account, or else the oldest membership. */
export function currentOf<Own extends { id: string }>(all: readonly Own[], { accountId }: Chooser): Own | undefined {
  return all.find(({ id }) => id === accountId) ?? all[0];
}

/** Returns the accounts of a user, oldest membership first. */
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

/** Trims and lower-cases. Throws bad_request for text that is not an e-mail address. */
export function normaliseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL_LENGTH || !z.email().safeParse(email).success)
    throw new Refusal('bad_request', t('The e-mail address is malformed: enter one such as name@example.com.'));
  return email;
}
