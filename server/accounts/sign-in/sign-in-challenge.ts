// Remembers, between the first factor and the second, who has proved the first: the password, or the OpenID Connect issuer's word. The
// browser gets a random token in a cookie, and the directory has its hash. The token opens nothing by itself. It ends after ten minutes,
// after use, and with the password and the e-mail address that it is based on.
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { hashToken, isToken, makeId, makeToken } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import { readCookie } from '../../process/http/cookies.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import { PERSON } from './single-sign-on/oidc-people.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const KEPT_MS = 10 * MINUTE_MS;
const TOKEN_LENGTH = 40;

const FIRST_FACTOR = z.object({
  userId: z.string(),
  /** Set if the issuer's word was the first factor. */
  issued: PERSON.extend({ isLinked: z.boolean() }).optional(),
});
export type FirstFactor = z.output<typeof FIRST_FACTOR>;
const ROW = FIRST_FACTOR.extend({ proof: z.string() });

type SignInChallenges = {
  /** Returns the cookie for somebody who has proved the first factor. */
  start(first: FirstFactor, now: number): Promise<string>;
  /** Throws forbidden if the browser has no valid challenge. */
  firstFactor(headers: IncomingHttpHeaders, now: number): Promise<FirstFactor>;
  /** Uses the challenge up, and returns the cookie that clears it. Throws forbidden if another request was faster. */
  end(headers: IncomingHttpHeaders): Promise<string>;
};

export function openSignInChallenges(directory: Directory, isSecure: boolean): SignInChallenges {
  const { db } = directory;
  const name = isSecure ? '__Host-footfall_challenge' : 'footfall_challenge';
  const attributes = `Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`;

  const identifierOf = (headers: IncomingHttpHeaders): string | undefined => {
    const token = readCookie(headers, name);
    return token !== undefined && isToken(token, TOKEN_LENGTH) ? `first-factor ${hashToken(token)}` : undefined;
  };

  /** Changes with the password and the e-mail address, so that a new one ends the challenges of the old one. */
  const proofOf = async (userId: string): Promise<string> => {
    const user = await db
      .selectFrom('users')
      .leftJoin('credentials', (join) =>
        join.onRef('credentials.user_id', '=', 'users.id').on('provider_id', '=', 'credential'),
      )
      .select(['password', 'email'])
      .where('users.id', '=', userId)
      .executeTakeFirst();
    return hashToken(`${user?.password} ${user?.email}`);
  };

  return {
    start: async (first, now) => {
      const token = makeToken(TOKEN_LENGTH);
      const stamps = { created_at: now, updated_at: now, expires_at: now + KEPT_MS };
      const value = JSON.stringify({ ...first, proof: await proofOf(first.userId) });
      await db
        .insertInto('verifications')
        .values({ id: makeId('chal'), identifier: `first-factor ${hashToken(token)}`, value, ...stamps })
        .execute();
      return `${name}=${token}; Max-Age=${KEPT_MS / 1_000}; ${attributes}`;
    },
    firstFactor: async (headers, now) => {
      const identifier = identifierOf(headers);
      const row =
        identifier &&
        (await db
          .selectFrom('verifications')
          .select('value')
          .where('identifier', '=', identifier)
          .where('expires_at', '>', now)
          .executeTakeFirst());
      if (!row) throw over();
      const { proof, ...first } = ROW.parse(JSON.parse(row.value));
      if (proof !== (await proofOf(first.userId))) throw over();
      return first;
    },
    end: async (headers) => {
      const identifier = identifierOf(headers) ?? '';
      const ended = await db.deleteFrom('verifications').where('identifier', '=', identifier).executeTakeFirst();
      if (ended.numDeletedRows === 0n) throw over();
      return `${name}=; Max-Age=0; ${attributes}`;
    },
  };
}

function over(): Refusal {
  return new Refusal('forbidden', t('This log-in has expired: start again.'));
}
