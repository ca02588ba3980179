// Whose session a request has.
import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Parts } from './auth.ts';
import type { IssuerProof } from './auth-library.ts';

const LONGEST_SESSION_MS = 90 * DAY_MS;

export type Identity = {
  userId: string;
  email: string;
  name: string;
  sessionId: string;
  /** How the OpenID Connect issuer proved who it is. Undefined for a session that began with a password or a passkey. */
  issuer: IssuerProof | undefined;
  /** Cookies to send with the answer. Once a day the session is extended, which sets its cookie again. */
  setCookies: string[];
};

export async function identify(parts: Parts, headers: IncomingHttpHeaders): Promise<Identity | undefined> {
  if (!headers.cookie?.includes('footfall_session')) return undefined;
  const answer = await parts.library.readSession(headers);
  const session = answer.response;
  if (!session) return undefined;
  const setCookies = answer.headers.getSetCookie();
  const { user } = session;
  const { id: sessionId, createdAt, issuerProvedAt, issuerProvedFactors } = session.session;
  const issuer =
    typeof issuerProvedAt === 'number'
      ? { provedAt: issuerProvedAt, hasBothFactors: issuerProvedFactors === 1 }
      : undefined;
  const startedAt = new Date(createdAt).getTime();
  if (parts.now() - startedAt >= longestSession(parts, issuer)) {
    await parts.directory.db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    return undefined;
  }
  return { userId: user.id, email: user.email, name: user.name, sessionId, issuer, setCookies };
}

/** A session ends then however often it is used. The issuer's are short, because it may have removed the person since. */
function longestSession({ oidc }: Parts, issuer: IssuerProof | undefined): number {
  return issuer ? (oidc?.sessionMs ?? 0) : LONGEST_SESSION_MS;
}
