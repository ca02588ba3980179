// Talks to the OpenID Connect issuer, by `openid-client`: discovery, the address to send people to, and the exchange of a code for claims.
// The issuer's address is the operator's own setting and may be private, so these requests do not go through `server/process/outgoing/`. They are
// limited in time and size, and follow no redirects.
import type { Configuration, CustomFetch } from 'openid-client';
import type { Oidc } from '../../../config.ts';
import { MINUTE_MS } from '../../../vocabulary/time/time.ts';
import type { OidcRefusal } from '../../../vocabulary/accounts/oidc.ts';

export const OIDC_CALLBACK_PATH = '/oidc/callback';
const TIMEOUT_SECONDS = 10;
const MAX_ANSWER_BYTES = 512 * 1024;
/** After this time the issuer's addresses are read again. Its keys have a cache of their own. */
const METADATA_KEPT_MS = 60 * MINUTE_MS;
/** How far the issuer's clock may be ahead or behind. */
const SKEW_SECONDS = 60;

/** Secrets of one log-in. */
export type Checks = { state: string; nonce: string; verifier: string };
export type Claims = Record<string, unknown> & { sub: string };

/** Why a log-in failed. `detail` is for the operator's log. */
export class OidcFailure extends Error {
  readonly reason: OidcRefusal;
  readonly detail: string | undefined;

  constructor(reason: OidcRefusal, detail?: string) {
    super(`logging in through the issuer failed: ${reason}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** All of these throw an OidcFailure. */
export type Issuer = {
  /** Where to send the browser. `isAgain`: the issuer is asked to check the person anew. */
  addressFor(checks: Checks & { isAgain: boolean }): Promise<URL>;
  /** Checks the issuer's answer, exchanges its code, and returns the checked claims of the person. */
  redeem(answer: URLSearchParams, checks: Checks): Promise<Claims>;
};

export function openIssuer(
  oidc: Oidc,
  { now, timeoutSeconds = TIMEOUT_SECONDS }: { now(): number; timeoutSeconds?: number },
): Issuer {
  let known: { configuration: Promise<Configuration>; readAt: number } | undefined;

  async function configure(): Promise<Configuration> {
    if (!known || now() - known.readAt >= METADATA_KEPT_MS) {
      const reading = { configuration: discover(oidc, timeoutSeconds), readAt: now() };
      known = reading;
      reading.configuration.catch(() => {
        if (known === reading) known = undefined; // the next log-in tries again
      });
    }
    return known.configuration;
  }

  const redirectUri = new URL(OIDC_CALLBACK_PATH, oidc.origin).href;

  return {
    addressFor: async ({ state, nonce, verifier, isAgain }) => {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      const configuration = await configure();
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: oidc.scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isAgain && { prompt: 'login', max_age: '0' }),
      });
    },
    redeem: async (answer, { state, nonce, verifier }) => {
      const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
      const configuration = await configure();
      try {
        const callback = new URL(redirectUri);
        callback.search = answer.toString();
        const tokens = await authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims: Claims | undefined = tokens.claims();
        if (!claims) throw new OidcFailure('refused', 'there is no id token');
        const wanted = ['email', 'email_verified', ...(oidc.roleBy ? [oidc.roleBy.claim] : [])];
        const isWhole = wanted.every((name) => Object.hasOwn(claims, name));
        if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
        // Many issuers put only the subject into the id token.
        return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

async function discover(oidc: Oidc, timeoutSeconds: number): Promise<Configuration> {
  const client = await import('openid-client');
  const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, customFetch, discovery } = client;
  try {
    const configuration = await discovery(
      oidc.issuer,
      oidc.clientId,
      { client_secret: oidc.clientSecret, [client.clockTolerance]: SKEW_SECONDS },
      (as, metadata, body, headers) => {
        const takesPost = as.token_endpoint_auth_methods_supported?.includes('client_secret_post');
        const authenticate = (takesPost ? ClientSecretPost : ClientSecretBasic)(oidc.clientSecret);
        return authenticate(as, metadata, body, headers);
      },
      {
        timeout: timeoutSeconds,
        [customFetch]: limitedFetch,
        // config.ts has allowed plain HTTP only to this machine. Otherwise the id token's signature is checked over TLS as well.
        execute: [
          client.enableNonRepudiationChecks,
          ...(oidc.issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      },
    );
    return configuration;
  } catch (error) {
    throw new OidcFailure('unreachable', detailOf(error));
  }
}

/** Reads the whole answer here, so that its size is limited. */
const limitedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new TypeError('the answer is too long');
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? new Blob(chunks) : null, { status, headers });
};

/** Failures that say that the issuer is not working, rather than that its answer is wrong. */
const NOT_WORKING = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

function failureOf(error: unknown): OidcFailure {
  if (error instanceof OidcFailure) return error;
  const { name, code, error: answered } = error as { name?: string; code?: string; error?: string };
  if (name === 'AuthorizationResponseError' && answered === 'access_denied') return new OidcFailure('denied');
  const isDown = error instanceof TypeError || (code !== undefined && NOT_WORKING.has(code));
  return new OidcFailure(isDown ? 'unreachable' : 'refused', detailOf(error));
}

/** Names the problem without the claims and tokens that the library adds to its errors. */
function detailOf(error: unknown): string {
  const { message, code, error: answered, cause } = error as Record<string, unknown>;
  const { code: causeCode, message: causeMessage } = (cause ?? {}) as Record<string, unknown>;
  return [message, code, answered, causeCode, causeMessage]
    .filter((text): text is string => typeof text === 'string')
    .join(', ')
    .slice(0, 500);
}
