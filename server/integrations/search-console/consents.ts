// Consents that wait for Google's answer. Each state works once, within ten minutes, and only in the session that started it.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Encryption } from '../../directory/encryption.ts';
import { hashToken, isToken, makeId, makeToken } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import type { Consent } from './google.ts';

const STATE_KEPT_MS = 10 * MINUTE_MS;
const STATE_LENGTH = 40;
const VERIFIER_LENGTH = 64; // RFC 7636 asks for 43 to 128 characters
const WAITING = z.object({ user: z.string(), session: z.string(), site: z.string(), verifier: z.string() });

/** Who asks: a session of a person. */
export type Caller = { userId: string; sessionId: string };

type Consents = {
  start(caller: Caller, siteId: SiteId, now: number): Promise<Consent>;
  /**
   * Uses the state up. Undefined if it is unknown, was used, or belongs to another session. `isLate`: its ten minutes were over. It stays
   * known until a job deletes it.
   */
  take(
    caller: Caller,
    state: string,
    now: number,
  ): Promise<{ siteId: SiteId; verifier: string; isLate: boolean } | undefined>;
};

export function openConsents({ db }: Directory, encryption: Encryption): Consents {
  const identifierOf = (state: string) => `search console ${hashToken(state)}`;
  return {
    start: async ({ userId, sessionId }, siteId, now) => {
      const [state, verifier] = [makeToken(STATE_LENGTH), makeToken(VERIFIER_LENGTH)];
      const identifier = identifierOf(state);
      const sealed = encryption.encrypt(verifier, identifier);
      const value = JSON.stringify({ user: userId, session: sessionId, site: siteId, verifier: sealed });
      const stamps = { created_at: now, updated_at: now, expires_at: now + STATE_KEPT_MS };
      await db
        .insertInto('verifications')
        .values({ id: makeId('consent'), identifier, value, ...stamps })
        .execute();
      return { state, challenge: createHash('sha256').update(verifier).digest('base64url') };
    },
    take: async ({ userId, sessionId }, state, now) => {
      if (!isToken(state, STATE_LENGTH)) return undefined;
      const identifier = identifierOf(state);
      const rows = db.selectFrom('verifications').select(['value', 'expires_at']).where('identifier', '=', identifier);
      const row = await rows.executeTakeFirst();
      if (!row) return undefined;
      const { user, session, site, verifier } = WAITING.parse(JSON.parse(row.value));
      if (user !== userId || session !== sessionId) return undefined;
      const used = await db.deleteFrom('verifications').where('identifier', '=', identifier).executeTakeFirst();
      if (used.numDeletedRows === 0n) return undefined;
      return {
        siteId: site as SiteId,
        verifier: encryption.decrypt(verifier, identifier),
        isLate: row.expires_at <= now,
      };
    },
  };
}
