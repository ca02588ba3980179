// Passkeys (WebAuthn). A passkey proves possession of a device and, because the device checks who uses it, the person: it is both factors
// at once.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { Refusal } from '../../../errors.ts';
import { isId, makeId } from '../../../directory/ids.ts';
import { checkName } from '../../../directory/names.ts';
import type { Directory } from '../../../directory/open.ts';
import { type Challenges, openChallenges } from './challenges.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

const MAX_PASSKEYS = 20;
/** COSE: EdDSA, ES256, RS256. Named, because the library's own list tries algorithms that Node warns about. */
const ALGORITHMS = [-8, -7, -257];

export type Passkey = { id: string; name: string; created_at: number; last_used_at: number | null };
/** Our address, as browsers bind passkeys to it. */
export type RelyingParty = { id: string; origin: string };

const text = (max: number) => z.string().max(max);
const credential = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: text(1_500), // WebAuthn allows ids of 1,023 bytes
    rawId: text(1_500),
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: text(4_000), ...response }),
    clientExtensionResults: z.unknown().transform(() => ({})), // no extension is used
  });
export const NEW_PASSKEY = credential({
  attestationObject: text(10_000),
  transports: z.array(text(30)).max(10).optional(),
});
export const PASSKEY_ANSWER = credential({
  authenticatorData: text(4_000),
  signature: text(2_000),
  userHandle: text(200).optional(),
});

export type Passkeys = ReturnType<typeof openPasskeys>;

/** `secret` signs the challenges, and must be the same in all processes. */
export function openPasskeys(directory: Directory, secret: string) {
  const { db } = directory;

  const challenges = openChallenges(db, secret);
  return {
    ...openAdding(db, challenges),
    ...openLogIn(db, challenges),

    list: (userId: string): Promise<Passkey[]> =>
      db
        .selectFrom('passkeys')
        .select(['id', 'name', 'created_at', 'last_used_at'])
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    async rename(input: { userId: string; id: string; name: string }): Promise<void> {
      const renamed =
        isId('passkey', input.id) &&
        (await db
          .updateTable('passkeys')
          .set({ name: checkName(input.name) })
          .where('id', '=', input.id)
          .where('user_id', '=', input.userId)
          .returning('id')
          .executeTakeFirst());
      if (!renamed) throw unknown();
    },

    async remove(input: { userId: string; id: string }): Promise<void> {
      const removed =
        isId('passkey', input.id) &&
        (await db
          .deleteFrom('passkeys')
          .where('id', '=', input.id)
          .where('user_id', '=', input.userId)
          .returning('id')
          .executeTakeFirst());
      if (!removed) throw unknown();
    },
  };
}

function openAdding(db: Directory['db'], challenges: Challenges) {
  return {
    /** What the browser needs in order to create a passkey. */
    async startAdding(user: { userId: string; email: string }, party: RelyingParty, now: number) {
      const { userId, email } = user;
      const existing = await db.selectFrom('passkeys').select('credential_id').where('user_id', '=', userId).execute();
      checkRoom(existing.length);
      const { generateRegistrationOptions } = await import('@simplewebauthn/server');
      return generateRegistrationOptions({
        rpName: 'Footfall',
        rpID: party.id,
        userName: email,
        userID: Uint8Array.from(Buffer.from(userId)),
        challenge: challenges.make({ kind: 'add', userId }, now),
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: existing.map(({ credential_id }) => ({ id: credential_id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
    },

    /** Throws bad_request for an answer that is not valid, late, for another user, or used before. */
    async add(
      input: { userId: string; name: string; response: RegistrationResponseJSON },
      party: RelyingParty,
      now: number,
    ): Promise<void> {
      const { userId, response } = input;
      const name = checkName(input.name);
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const verified = await challenges.checked({ kind: 'add', userId }, now, (expectedChallenge) =>
        verifyRegistrationResponse({
          response,
          expectedChallenge,
          expectedOrigin: party.origin,
          expectedRPID: party.id,
          supportedAlgorithmIDs: ALGORITHMS,
          requireUserVerification: true,
        }),
      );
      if (!verified?.verified) throw new Refusal('bad_request', t('This passkey could not be added: start again.'));
      const made = verified.registrationInfo.credential;
      const row = {
        id: makeId('passkey'),
        user_id: userId,
        name,
        credential_id: made.id,
        public_key: Buffer.from(made.publicKey).toString('base64url'),
        counter: made.counter,
        created_at: now,
        last_used_at: null,
      };
      const added = await db.transaction().execute(async (trx) => {
        // Locks the user, so that several requests at the same time count each other's passkeys.
        await trx.updateTable('users').set({ id: userId }).where('id', '=', userId).execute();
        const own = trx.selectFrom('passkeys').select('id').where('user_id', '=', userId);
        checkRoom((await own.execute()).length);
        return trx
          .insertInto('passkeys')
          .values(row)
          .onConflict((conflict) => conflict.column('credential_id').doNothing())
          .returning('id')
          .executeTakeFirst();
      });
      if (!added) throw new Refusal('bad_request', t('This passkey could not be added: start again.'));
    },
  };
}

function openLogIn(db: Directory['db'], challenges: Challenges) {
  return {
    /** What the browser needs in order to offer its passkeys. Names no user. */
    async startLogIn(party: RelyingParty, now: number) {
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
      return generateAuthenticationOptions({
        rpID: party.id,
        challenge: challenges.make({ kind: 'log-in' }, now),
        userVerification: 'required',
      });
    },

    /** Returns the user. Throws unauthorized, with the same sentence for every reason. */
    async logIn(response: AuthenticationResponseJSON, party: RelyingParty, now: number): Promise<string> {
      const row = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('credential_id', '=', response.id)
        .executeTakeFirst();
      const handle = response.response.userHandle;
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const verified =
        row &&
        handle === Buffer.from(row.user_id).toString('base64url') &&
        (await challenges.checked({ kind: 'log-in' }, now, (expectedChallenge) =>
          verifyAuthenticationResponse({
            response,
            expectedChallenge,
            expectedOrigin: party.origin,
            expectedRPID: party.id,
            requireUserVerification: true,
            credential: {
              id: row.credential_id,
              publicKey: Uint8Array.from(Buffer.from(row.public_key, 'base64url')),
              counter: row.counter,
            },
          }),
        ));
      if (!verified || !verified.verified)
        throw new Refusal('unauthorized', t('This passkey does not open an account here. Log in with your password.'));
      const { newCounter } = verified.authenticationInfo;
      await db
        .updateTable('passkeys')
        .set({ counter: newCounter, last_used_at: now })
        .where('id', '=', row.id)
        .execute();
      return row.user_id;
    },
  };
}

function checkRoom(passkeys: number): void {
  if (passkeys >= MAX_PASSKEYS)
    throw new Refusal(
      'bad_request',
      t('You can have {MAX_PASSKEYS} passkeys: remove one to add another.', { MAX_PASSKEYS }),
    );
}

function unknown(): Refusal {
  return new Refusal('not_found', t('You have no such passkey.'));
}
