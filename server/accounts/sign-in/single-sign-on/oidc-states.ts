// Log-ins that wait for the issuer's answer. Each state works once, within ten minutes, and only in the browser that started it. The
// browser's cookie holds a random secret, from which the nonce and the PKCE verifier are derived, and the key of the path to go to, which may
// hold the token of an invitation: the directory can read none of them.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { hashToken, isSameHash, isToken, makeId, makeToken } from '../../../directory/ids.ts';
import { seal, unseal } from '../../../directory/encryption.ts';
import type { Directory } from '../../../directory/open.ts';
import { readCookie } from '../../../process/http/cookies.ts';
import { MINUTE_MS } from '../../../vocabulary/time/time.ts';
import type { Checks } from './oidc-issuer.ts';

const STATE_KEPT_MS = 10 * MINUTE_MS;
const TOKEN_LENGTH = 40;
const WAITING = z.object({ browser: z.string(), to: z.string(), isAgain: z.boolean() });

/** `to`: a path of this server to go to afterwards. */
type Wish = { to: string; isAgain: boolean };

export type OidcStates = {
  start(wish: Wish, headers: IncomingHttpHeaders, now: number): Promise<Checks & { cookie: string }>;
  /** Uses the state up. Undefined if it is unknown, late, used, or of another browser. */
  take(state: string, headers: IncomingHttpHeaders, now: number): Promise<(Checks & Wish) | undefined>;
};

export function openOidcStates({ db }: Directory, isSecure: boolean): OidcStates {
  const name = isSecure ? '__Host-footfall_oidc' : 'footfall_oidc';
  // Lax: the issuer's answer is a navigation from another site.
  const attributes = `Max-Age=${STATE_KEPT_MS / 1_000}; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Lax`;

  const secretOf = (headers: IncomingHttpHeaders): string | undefined => {
    const secret = readCookie(headers, name);
    return secret !== undefined && isToken(secret, TOKEN_LENGTH) ? secret : undefined;
  };
  const identifierOf = (state: string) => `oidc ${hashToken(state)}`;
  const keyOf = (secret: string, state: string) => createHmac('sha256', secret).update(`to ${state}`).digest();
  /** Undefined for a path that was not sealed: the log-in began before an update. */
  const openPath = (sealed: string, secret: string, state: string): string | undefined => {
    try {
      return unseal(keyOf(secret, state), sealed, identifierOf(state));
    } catch {
      return undefined;
    }
  };
  const checksOf = (secret: string, state: string): Checks => {
    const derive = (purpose: string) => createHmac('sha256', secret).update(`${purpose} ${state}`).digest('base64url');
    return { state, nonce: derive('nonce'), verifier: derive('verifier') };
  };

  return {
    start: async ({ to, isAgain }, headers, now) => {
      // Log-ins in several tabs share the browser's secret.
      const secret = secretOf(headers) ?? makeToken(TOKEN_LENGTH);
      const state = makeToken(TOKEN_LENGTH);
      const stamps = { created_at: now, updated_at: now, expires_at: now + STATE_KEPT_MS };
      const sealed = seal(keyOf(secret, state), to, identifierOf(state));
      const value = JSON.stringify({ browser: hashToken(secret), to: sealed, isAgain });
      await db
        .insertInto('verifications')
        .values({ id: makeId('oidc'), identifier: identifierOf(state), value, ...stamps })
        .execute();
      return { ...checksOf(secret, state), cookie: `${name}=${secret}; ${attributes}` };
    },
    take: async (state, headers, now) => {
      const secret = secretOf(headers);
      if (secret === undefined || !isToken(state, TOKEN_LENGTH)) return undefined;
      const row = await db
        .selectFrom('verifications')
        .select('value')
        .where('identifier', '=', identifierOf(state))
        .where('expires_at', '>', now)
        .executeTakeFirst();
      if (!row) return undefined;
      const { browser, to: sealed, isAgain } = WAITING.parse(JSON.parse(row.value));
      if (!isSameHash(browser, hashToken(secret))) return undefined;
      const to = openPath(sealed, secret, state);
      if (to === undefined) return undefined;
      const used = await db
        .deleteFrom('verifications')
        .where('identifier', '=', identifierOf(state))
        .executeTakeFirst();
      return used.numDeletedRows > 0n ? { ...checksOf(secret, state), to, isAgain } : undefined;
    },
  };
}
