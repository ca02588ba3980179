// The second factor of a user: an authenticator app (TOTP, RFC 6238), and recovery codes for when it is lost. Every code works once.
import type { Kysely } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { Refusal } from '../../../errors.ts';
import type { Encryption } from '../../../directory/encryption.ts';
import { hashToken, makeId } from '../../../directory/ids.ts';
import type { Directory } from '../../../directory/open.ts';
import type { Tables } from '../../../directory/schema.ts';
import { message, say, t } from '../../../vocabulary/habits/messages.ts';

const STEP_SECONDS = 30;
/** How many steps a phone's clock may be ahead or behind. */
const SKEW_STEPS = 1;
const SECRET_BYTES = 20; // RFC 4226 recommends 160 bits
const RECOVERY_CODES = 10;
const RECOVERY_CODE_LENGTH = 24; // 120 bits, so that a plain SHA-256 keeps them

type Db = Kysely<Tables>;
type Store = { directory: Directory; encryption: Encryption };

export type Factors = {
  /** When the authenticator app was set up. Null without one. */
  authenticator_since: number | null;
  passkeys: number;
  recovery_codes_left: number;
};

/** True if the password alone must not start a session. */
export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const { authenticator_since, passkeys } = await listFactors(db, userId);
  return authenticator_since !== null || passkeys > 0;
}

export async function listFactors(db: Db, userId: string): Promise<Factors> {
  const authenticator = await db
    .selectFrom('authenticators')
    .select('confirmed_at')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const passkeys = await db
    .selectFrom('passkeys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const codes = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    authenticator_since: authenticator?.confirmed_at ?? null,
    passkeys: Number(passkeys.count),
    recovery_codes_left: Number(codes.left),
  };
}

/** Creates a secret, which is used only once its first code has confirmed it. Throws bad_request if an app is already set up. */
export async function startAuthenticator(
  { directory, encryption }: Store,
  user: { userId: string; email: string },
  now: number,
): Promise<{ secret: string; uri: string }> {
  const { userId, email } = user;
  const totp = totpOf(new Secret({ size: SECRET_BYTES }), email);
  const secret = totp.secret.base32;
  const row = { secret: encryption.encrypt(secret, userId), last_step: 0, confirmed_at: null, created_at: now };
  const started = await directory.db
    .insertInto('authenticators')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(row).where('authenticators.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst();
  if (!started) throw new Refusal('bad_request', t('An authenticator app is already set up: remove it first.'));
  return { secret, uri: totp.toString() };
}

/** Confirms the new secret with its first code. Throws bad_request for a wrong code, or if nothing was started. */
export async function confirmAuthenticator(
  store: Store,
  { userId, code }: { userId: string; code: string },
  now: number,
): Promise<void> {
  const { db } = store.directory;
  const row = await authenticatorOf(db, userId);
  if (!row || row.confirmed_at !== null)
    throw new Refusal('bad_request', t('Start again: there is no authenticator app to confirm.'));
  const step = stepOf(store, { row, code }, now);
  const confirmed =
    step !== undefined &&
    (await db
      .updateTable('authenticators')
      .set({ confirmed_at: now, last_step: step })
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is', null)
      .where('secret', '=', row.secret)
      .returning('user_id')
      .executeTakeFirst());
  if (!confirmed) throw new Refusal('bad_request', say(WRONG_CODE));
}

/** Replaces all recovery codes of a user. They are shown once, and stored as hashes. */
export async function makeRecoveryCodes(directory: Directory, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    makeId('code', RECOVERY_CODE_LENGTH).slice('code_'.length),
  );
  const rows = codes.map((code) => ({ id: makeId('rec'), user_id: userId, hash: hashToken(code), used_at: null }));
  await directory.db.transaction().execute(async (db) => {
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
    await db.insertInto('recovery_codes').values(rows).execute();
  });
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
}

/** Uses up a code of the app, or a recovery code. Throws unauthorized for a wrong, old or used one. */
export async function useCode(
  store: Store,
  { userId, code }: { userId: string; code: string },
  now: number,
): Promise<'authenticator' | 'recovery_code'> {
  const kind = /^\d{6}$/.test(code.replaceAll(' ', '')) ? 'authenticator' : 'recovery_code';
  const isRight = await (kind === 'authenticator'
    ? useAppCode(store, { userId, code }, now)
    : useRecoveryCode(store.directory.db, { userId, code }, now));
  if (!isRight) throw new Refusal('unauthorized', say(WRONG_CODE));
  return kind;
}

export async function removeAuthenticator({ db }: Pick<Directory, 'db'>, userId: string): Promise<void> {
  await db.deleteFrom('authenticators').where('user_id', '=', userId).execute();
}

/** Recovery codes stand in for a second factor, so they go with the last one. */
export async function removeIdleRecoveryCodes({ db }: Pick<Directory, 'db'>, userId: string): Promise<void> {
  if (!(await hasSecondFactor(db, userId)))
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
}

/** Removes every second factor of a user who cannot log in any more. Throws not_found for an unknown e-mail address. */
export async function resetFactors(directory: Directory, email: string): Promise<{ userId: string; removed: number }> {
  const user = await directory.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email.trim().toLowerCase())
    .executeTakeFirst();
  if (!user) throw new Refusal('not_found', t('There is no user with the e-mail address {email}.', { email }));
  const { authenticator_since, passkeys } = await listFactors(directory.db, user.id);
  await directory.db.transaction().execute(async (db) => {
    await removeAuthenticator({ db }, user.id);
    await db.deleteFrom('passkeys').where('user_id', '=', user.id).execute();
    await removeIdleRecoveryCodes({ db }, user.id);
  });
  return { userId: user.id, removed: passkeys + (authenticator_since === null ? 0 : 1) };
}

const WRONG_CODE = message(
  'This code is not valid. Each code works once: wait for the next one, or check the clock of the device.',
);

function totpOf(secret: Secret, label: string): TOTP {
  return new TOTP({ issuer: 'Footfall', label, secret, period: STEP_SECONDS });
}

type Row = { user_id: string; secret: string; confirmed_at: number | null; last_step: number };

function authenticatorOf(db: Db, userId: string): Promise<Row | undefined> {
  return db.selectFrom('authenticators').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** The time step that a code belongs to. Undefined for a wrong code. */
function stepOf({ encryption }: Store, { row, code }: { row: Row; code: string }, now: number): number | undefined {
  const secret = Secret.fromBase32(encryption.decrypt(row.secret, row.user_id));
  const token = code.replaceAll(' ', '');
  const totp = totpOf(secret, '');
  const delta = totp.validate({ token, timestamp: now, window: SKEW_STEPS });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

async function useAppCode(
  store: Store,
  { userId, code }: { userId: string; code: string },
  now: number,
): Promise<boolean> {
  const { db } = store.directory;
  const row = await authenticatorOf(db, userId);
  if (!row || row.confirmed_at === null) return false;
  const step = stepOf(store, { row, code }, now);
  if (step === undefined) return false;
  // One statement, so that only one of two parallel requests can use a code.
  const used = await db
    .updateTable('authenticators')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('secret', '=', row.secret)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return used !== undefined;
}

async function useRecoveryCode(
  db: Db,
  { userId, code }: { userId: string; code: string },
  now: number,
): Promise<boolean> {
  const used = await db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hashToken(readRecoveryCode(code)))
    .where('used_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return used !== undefined;
}

/** Undoes what people do to codes: lower case, spaces, and letters that look like digits (Crockford's base 32 has no I, L or O). */
function readRecoveryCode(text: string): string {
  return text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
