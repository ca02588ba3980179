// Who a person of the OpenID Connect issuer is here. The issuer and its subject name them, never the e-mail address, except once: at the
// first log-in, an existing user with the same address is linked. The rule is in docs/single-sign-on.md.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Oidc } from '../../../config.ts';
import { Refusal } from '../../../errors.ts';
import type { Directory } from '../../../directory/open.ts';
import type { Tables } from '../../../directory/schema.ts';
import { type Role, ROLES } from '../../../vocabulary/accounts/roles.ts';
import { OIDC_REFUSALS } from '../../../vocabulary/accounts/oidc.ts';
import { insertPerson, normaliseEmail } from '../../accounts.ts';
import { logAction, recordAction } from '../../account-log.ts';
import type { Parts } from '../auth.ts';
import { endEmailChange } from '../../people/email-change.ts';
import { type Claims, OidcFailure } from './oidc-issuer.ts';
import { endLinks } from '../../one-time-links.ts';
import { addMember, followRole, roleOf, whilePeopleStay } from '../../people/people.ts';
import { hasSecondFactor } from '../factors/second-factor.ts';

const MAX_NAME_LENGTH = 100;
/** OpenID Connect allows 255 ASCII characters. */
const MAX_SUBJECT_LENGTH = 255;
/** Of people whom no claim gives a role. */
export const DEFAULT_ROLE: Role = 'viewer';

export const PERSON = z.object({
  subject: z.string(),
  email: z.string(),
  name: z.string(),
  /** Undefined if people assign the roles. */
  role: z.enum(ROLES).optional(),
  /** True if the issuer says that it checked a second factor. */
  hasBothFactors: z.boolean(),
  /** When the issuer checked who it is. 0 if that is not known. */
  provedAt: z.number(),
});
export type Person = z.output<typeof PERSON>;

/** `isAgain`: the issuer was asked to check the person anew. */
type Asked = { isAgain: boolean; now: number };

/** Reads checked claims. Throws an OidcFailure for a person who may not log in. */
export function readPerson(claims: Claims, oidc: Oidc, asked: Asked): Person {
  const { sub, email: given, email_verified, name, amr } = claims;
  if (sub.length > MAX_SUBJECT_LENGTH) throw new OidcFailure('refused', 'the subject is too long');
  const isVerified = email_verified === true || email_verified === 'true'; // some issuers send text
  if (typeof given !== 'string' || !isVerified) throw new OidcFailure('unverified');
  const email = readEmail(given);
  if (!oidc.allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1))) throw new OidcFailure('domain');
  return {
    subject: sub,
    email,
    role: roleBy(claims, oidc),
    name: (typeof name === 'string' && name.trim().slice(0, MAX_NAME_LENGTH)) || (email.split('@')[0] ?? email),
    hasBothFactors: Array.isArray(amr) && amr.includes('mfa'), // RFC 8176
    provedAt: provedBy(claims, asked),
  };
}

/** Without a time, an ordinary log-in may come from a session at the issuer that is days old. */
function provedBy({ auth_time }: Claims, { isAgain, now }: Asked): number {
  if (typeof auth_time === 'number') return Math.min(auth_time * 1_000, now);
  return isAgain ? now : 0;
}

function readEmail(text: string): string {
  try {
    return normaliseEmail(text);
  } catch {
    throw new OidcFailure('unverified', 'the e-mail address is malformed');
  }
}

function roleBy(claims: Claims, { roleBy }: Oidc): Role | undefined {
  if (!roleBy) return undefined;
  const claimed = claims[roleBy.claim];
  const values: unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  const match = roleBy.roles.find(({ value }) => values.includes(value));
  if (!match) throw new OidcFailure('role');
  return match.role;
}

/** `isLinked`: false if the user must first prove their second factor here: see `linkPerson`. */
type Admitted = { userId: string; isLinked: boolean };

/** Returns the user, who is made at the first log-in. Throws an OidcFailure if there is nothing here for them. */
export async function admitPerson(parts: Parts, oidc: Oidc, person: Person): Promise<Admitted> {
  const accountId = await operatorAccount(parts.directory);
  // The lock also lets one of several first log-ins of a person go first.
  return whilePeopleStay(parts.directory, accountId, async (db) => {
    const userId = await userOf(db, oidc, person);
    if (userId !== undefined) {
      await follow(parts, db, { accountId, userId, role: person.role });
      const membership = db.selectFrom('members').select('user_id').where('user_id', '=', userId);
      if (!(await membership.limit(1).executeTakeFirst())) throw new OidcFailure('not_a_member');
      return { userId, isLinked: true };
    }
    const users = db.selectFrom('users').select(['id', 'email_verified']).where('email', '=', person.email);
    const existing = await users.executeTakeFirst();
    // An address that was given to a new person must not open the user of the old one.
    if (existing && (await isKnownToIssuer(db, oidc, existing.id))) throw new OidcFailure('taken');
    if (existing && (await hasSecondFactor(db, existing.id))) return { userId: existing.id, isLinked: false };
    const { email, name } = person;
    const id = existing?.id ?? (await insertPerson(db, { email, name, email_verified: 1 }, parts.now())).id;
    await link(parts, db, { oidc, person, accountId, userId: id });
    if (existing) await tellLinked(parts, db, { oidc, userId: id, keepsPassword: existing.email_verified === 1 });
    return { userId: id, isLinked: true };
  });
}

/** Links a person to an existing user who has just proved their second factor. */
export async function linkPerson(parts: Parts, oidc: Oidc, { userId, person }: { userId: string; person: Person }) {
  const accountId = await operatorAccount(parts.directory);
  await whilePeopleStay(parts.directory, accountId, async (db) => {
    const linked = await userOf(db, oidc, person);
    if (linked === userId) return;
    if (linked !== undefined) throw new Refusal('forbidden', OIDC_REFUSALS.over());
    await link(parts, db, { oidc, person, accountId, userId });
    await tellLinked(parts, db, { oidc, userId, keepsPassword: true });
  });
}

async function operatorAccount(directory: Directory): Promise<string> {
  const accountId = await accountOfIssuer(directory);
  if (accountId === undefined) throw new OidcFailure('no_account');
  return accountId;
}

/** The account that people of the issuer join. */
export async function accountOfIssuer({ db }: Pick<Directory, 'db'>): Promise<string | undefined> {
  const accounts = db.selectFrom('accounts').select('id').where('kind', '=', 'operator');
  return (await accounts.orderBy('created_at').orderBy('id').executeTakeFirst())?.id;
}

async function userOf(db: Kysely<Tables>, { issuer }: Oidc, { subject }: Person): Promise<string | undefined> {
  const identities = db.selectFrom('identities').select('user_id').where('issuer', '=', issuer.href);
  return (await identities.where('subject', '=', subject).executeTakeFirst())?.user_id;
}

async function isKnownToIssuer(db: Kysely<Tables>, { issuer }: Oidc, userId: string): Promise<boolean> {
  const identities = db.selectFrom('identities').select('subject').where('user_id', '=', userId);
  return (await identities.where('issuer', '=', issuer.href).limit(1).executeTakeFirst()) !== undefined;
}

type Link = { oidc: Oidc; person: Person; accountId: string; userId: string };

/** The first log-in makes the user a member of the operator's account. Later ones do not bring back somebody who was removed. */
async function link(parts: Parts, db: Kysely<Tables>, { oidc, person, accountId, userId }: Link): Promise<void> {
  const now = parts.now();
  const row = { issuer: oidc.issuer.href, subject: person.subject, user_id: userId, created_at: now };
  await db.insertInto('identities').values(row).execute();
  const within = { ...parts, directory: { db } };
  if ((await roleOf(db, accountId, userId)) === undefined) {
    const role = person.role ?? DEFAULT_ROLE;
    await addMember(db, { accountId, userId, place: { role, siteIds: null } }, now);
    await recordAction(within, 'member_joined', { ids: { account_id: accountId, user_id: userId }, name: role });
  } else await follow(parts, db, { accountId, userId, role: person.role });
  await recordAction(within, 'issuer_linked', { ids: { user_id: userId }, name: oidc.name });
}

/**
 * Anybody could have typed an address that was never confirmed here, so what they set up ends: their password, their sessions, a change of the
 * address and links to a new password. The issuer has confirmed the address now.
 */
async function tellLinked(
  parts: Parts,
  db: Kysely<Tables>,
  { oidc, userId, keepsPassword }: { oidc: Oidc; userId: string; keepsPassword: boolean },
): Promise<void> {
  if (!keepsPassword) {
    await db.deleteFrom('credentials').where('user_id', '=', userId).execute();
    await db.deleteFrom('sessions').where('user_id', '=', userId).execute();
    await endEmailChange(db, userId);
    await endLinks(db, 'reset', userId);
    await db.updateTable('users').set({ email_verified: 1 }).where('id', '=', userId).execute();
  }
  const { email } = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow();
  const data = { email, issuer: oidc.name, keepsPassword };
  await parts.mail.send(db, { kind: 'issuer_linked', key: `issuer_linked ${userId} ${parts.now()}`, to: email, data });
}

/** Applies the role that the claim gives. */
async function follow(
  { security, now }: Parts,
  db: Kysely<Tables>,
  { accountId, userId, role }: { accountId: string; userId: string; role: Role | undefined },
): Promise<void> {
  if (role === undefined || !(await followRole(db, { accountId, userId }, role))) return;
  security.note('role_changed', { account_id: accountId, member_id: userId, user_id: userId });
  const entry = {
    action: 'role_changed',
    account_id: accountId,
    actor: 'issuer',
    member_id: userId,
    name: role,
  } as const;
  await logAction(db, entry, now());
}
