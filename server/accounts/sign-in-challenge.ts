// Remembers, between the password and the second factor, whose password was right. The browser gets a random token in a cookie, and the
// directory has its hash. The token opens nothing by itself. It ends after ten minutes, after use, and with the password and
// the e-mail address that it is based on.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../errors.ts';
import { hashToken, isToken, makeId, makeToken } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import { MINUTE_MS } from '../vocabulary/time.ts';

const KEPT_MS = 10 * MINUTE_MS;
const TOKEN_LENGTH = 40;

export type SignInChallenges = {
  /** Returns the cookie for somebody whose password was right. */
  start(userId: string, now: number): Promise<string>;
  /** Returns the user. Throws forbidden if the browser has no valid challenge. */
  userOf(headers: IncomingHttpHeaders, now: number): Promise<string>;
  /** Uses the challenge up, and returns the cookie that clears it. Throws forbidden if another request was faster. */
  end(headers: IncomingHttpHeaders): Promise<string>;
};

export function openSignInChallenges(directory: Directory, isSecure: boolean): SignInChallenges {
  const { db } = directory;
  const name = isSecure ? '__Host-footfall_challenge' : 'footfall_challenge';
  const attributes = `Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`;

  const identifierOf = (headers: IncomingHttpHeaders): string | undefined => {
    const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
    const token = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
    return token !== undefined && isToken(token, TOKEN_LENGTH) ? `sign-in ${hashToken(token)}` : undefined;
  };

  /** Changes with the password and the e-mail address, so that a new one ends the challenges of the old one. */
  const proofOf = async (userId: string): Promise<string> => {
    const credential = await db
      .selectFrom('credentials')
      .innerJoin('users', 'users.id', 'user_id')
      .select(['password', 'email'])
      .where('user_id', '=', userId)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst();
    return `${userId} ${hashToken(`${credential?.password} ${credential?.email}`)}`;
  };

  return {
    start: async (userId, now) => {
      const token = makeToken(TOKEN_LENGTH);
      const stamps = { created_at: now, updated_at: now, expires_at: now + KEPT_MS };
      const value = await proofOf(userId);
      await db
        .insertInto('verifications')
        .values({ id: makeId('chal'), identifier: `sign-in ${hashToken(token)}`, value, ...stamps })
        .execute();
      return `${name}=${token}; Max-Age=${KEPT_MS / 1_000}; ${attributes}`;
    },
    userOf: async (headers, now) => {
      const identifier = identifierOf(headers);
      const row =
        identifier &&
        (await db
          .selectFrom('verifications')
          .select('value')
          .where('identifier', '=', identifier)
          .where('expires_at', '>', now)
          .executeTakeFirst());
      const [userId = ''] = row ? row.value.split(' ') : [];
      if (!row || row.value !== (await proofOf(userId))) throw over();
      return userId;
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
  return new Refusal('forbidden', 'This log-in has expired: enter your e-mail address and password again.');
}
