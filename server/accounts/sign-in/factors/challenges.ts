// The challenges that passkeys answer. They need no row until they are used: each is signed, and a row remembers that it was used.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../../directory/ids.ts';
import type { Directory } from '../../../directory/open.ts';
import { MINUTE_MS } from '../../../vocabulary/time/time.ts';

const CHALLENGE_MS = 5 * MINUTE_MS;
const NONCE_BYTES = 16;
const INSTANT_BYTES = 6;
const SIGNATURE_BYTES = 16;

/** What a challenge is for. One for adding a passkey belongs to a user. */
type Purpose = { kind: 'add'; userId: string } | { kind: 'log-in' };

export type Challenges = ReturnType<typeof openChallenges>;

/** `secret` signs the challenges, and must be the same in all processes. */
export function openChallenges(db: Directory['db'], secret: string) {
  const sign = (purpose: Purpose, body: Buffer): Buffer =>
    createHmac('sha256', secret)
      .update(purpose.kind === 'add' ? `add ${purpose.userId} ` : 'log-in ')
      .update(body)
      .digest()
      .subarray(0, SIGNATURE_BYTES);

  function make(purpose: Purpose, now: number): Uint8Array<ArrayBuffer> {
    const instant = Buffer.alloc(INSTANT_BYTES);
    instant.writeUIntBE(now, 0, INSTANT_BYTES);
    const body = Buffer.concat([randomBytes(NONCE_BYTES), instant]);
    return Uint8Array.from(Buffer.concat([body, sign(purpose, body)]));
  }

  function isOurs(challenge: string, purpose: Purpose, now: number): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    if (bytes.length !== NONCE_BYTES + INSTANT_BYTES + SIGNATURE_BYTES) return false;
    const [body, signature] = [bytes.subarray(0, -SIGNATURE_BYTES), bytes.subarray(-SIGNATURE_BYTES)];
    const madeAt = body.readUIntBE(NONCE_BYTES, INSTANT_BYTES);
    return timingSafeEqual(signature, sign(purpose, body)) && now - madeAt < CHALLENGE_MS;
  }

  /** Returns false if the challenge has been used before. */
  async function useUp(challenge: string, now: number): Promise<boolean> {
    const stamps = { created_at: now, updated_at: now, expires_at: now + CHALLENGE_MS };
    const used = await db
      .insertInto('verifications')
      .values({ id: `used_${hashToken(challenge)}`, identifier: 'used passkey challenge', value: '', ...stamps })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return used !== undefined;
  }

  /** Runs a check of the library. It throws for every answer that is not valid. Undefined then. */
  async function checked<T>(
    purpose: Purpose,
    now: number,
    verify: (expectedChallenge: (challenge: string) => Promise<boolean>) => Promise<T>,
  ): Promise<T | undefined> {
    let challenge: string | undefined;
    const result = await verify((given) => {
      challenge = given;
      return Promise.resolve(isOurs(given, purpose, now));
    }).catch(() => undefined);
    // Only now, so that only valid answers leave a row.
    return result && challenge !== undefined && (await useUp(challenge, now)) ? result : undefined;
  }

  return { make, checked };
}
