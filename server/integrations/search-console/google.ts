// Talks to Google, by Google's own libraries: the consent page, the tokens, and the Search Console API. The address is the operator's own
// setting and may be private. Every request is limited in time and size, follows no redirects, and is made once: the job tries again later.
import type { OAuth2Client } from 'google-auth-library';
import type { searchconsole_v1 } from '@googleapis/searchconsole';
import { z } from 'zod';
import type { GoogleClient } from '../../config.ts';
import { openOutgoing, type Outgoing } from '../../process/outgoing/client.ts';
import type { Network } from '../../process/outgoing/network.ts';
import type { SearchFailure } from '../../vocabulary/settings/search-console.ts';

export const SEARCH_CALLBACK_PATH = '/search-console/callback';
const SCOPE = 'https://www.googleapis.com/auth/webmasters.readonly';
/** Makes Google tell which of its accounts gave the grant. */
const OPENID = 'openid';
const TIMEOUT_MS = 20_000;
/** An answer of 25,000 rows has about 5 MB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** The most rows that one answer of the API has. */
const PAGE_ROWS = 25_000;
/** The API gives no more than this for one day. */
const MAX_ROWS = 50_000;

/** `detail` is for the operator's log. */
export class GoogleFailure extends Error {
  readonly reason: SearchFailure | 'scope';
  readonly detail: string;

  constructor(reason: SearchFailure | 'scope', detail: string) {
    super(`Google gave no answer that can be used: ${reason}`);
    this.reason = reason;
    this.detail = detail.slice(0, 500);
  }
}

/** Secrets of one consent. */
export type Consent = { state: string; challenge: string };

const counted = z.object({
  keys: z.array(z.string()),
  clicks: z.number().min(0).max(1e12).default(0),
  impressions: z.number().min(0).max(1e12).default(0),
  position: z.number().min(0).max(1e6).default(0),
});
const answer = z.object({ rows: z.array(counted).default([]) });
const sites = z.object({
  siteEntry: z.array(z.object({ siteUrl: z.string().max(2_048), permissionLevel: z.string() })).default([]),
});
export type Counted = z.output<typeof counted>;
export type Dimension = 'query' | 'page' | 'country' | 'device';

/** `token`: a refresh token. `account`: Google's id of the account that gave it; null if Google did not tell it. */
export type Grant = { token: string; account: string | null };

/** All of these throw a GoogleFailure. */
export type Google = {
  /** Where to send the browser for the consent. */
  addressFor(consent: Consent): Promise<string>;
  /** Exchanges the code of a consent for a grant. */
  redeem(code: string, verifier: string): Promise<Grant>;
  /** Google then ends everything that this Google account has allowed this server. */
  revoke(token: string): Promise<void>;
  /** The properties that the person may read. */
  properties(token: string): Promise<string[]>;
  /** What Google counted on a day, by some dimensions in this order. Only final numbers. */
  count(token: string, asked: { property: string; day: string; dimensions: readonly Dimension[] }): Promise<Counted[]>;
  /** Ends the requests that are under way. */
  close(): void;
};

type Options = { network?: Network | undefined; timeoutMs?: number; pageRows?: number };

export function openGoogle(client: GoogleClient, options: Options = {}): Google {
  const stop = new AbortController();
  const outgoing = openOutgoing({
    ...(options.network && { network: options.network }),
    reach: 'any',
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    stop: stop.signal,
  });
  const pageRows = options.pageRows ?? PAGE_ROWS;
  /** An access token lasts an hour, so clients are kept. */
  const clients = new Map<string, OAuth2Client>();
  const signedIn = async (token: string): Promise<OAuth2Client> => {
    const known = clients.get(token);
    if (known) return known;
    const made = await openClient(client, outgoing);
    made.setCredentials({ refresh_token: token });
    if (clients.size >= 1_000) clients.clear();
    clients.set(token, made);
    return made;
  };
  const api = async (token: string): Promise<searchconsole_v1.Searchconsole> => {
    const { searchconsole } = await import('@googleapis/searchconsole');
    const { apiUrl } = client;
    return searchconsole({
      version: 'v1',
      auth: await signedIn(token),
      ...(apiUrl !== undefined && { rootUrl: apiUrl }),
    });
  };

  /** Asks again with a new access token: the one that is kept may have ended early, while the grant still holds. */
  const fresh = async <T>(token: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof GoogleFailure) || error.reason !== 'grant' || !clients.delete(token)) throw error;
      return ask();
    }
  };

  return {
    addressFor: async ({ state, challenge }) => {
      const { CodeChallengeMethod } = await import('google-auth-library');
      return (await openClient(client, outgoing)).generateAuthUrl({
        access_type: 'offline',
        prompt: 'consent', // otherwise a second consent brings no refresh token
        scope: [OPENID, SCOPE],
        state,
        code_challenge: challenge,
        code_challenge_method: CodeChallengeMethod.S256,
      });
    },
    redeem: async (code, codeVerifier) => {
      const { tokens } = await translated((await openClient(client, outgoing)).getToken({ code, codeVerifier }));
      const {
        refresh_token: token,
        scope,
        id_token,
      } = z
        .object({ refresh_token: z.string().min(1).max(2_048), scope: z.string(), id_token: z.string().nullish() })
        .catch(() => {
          throw new GoogleFailure('malformed', 'the token endpoint sent no refresh token');
        })
        .parse(tokens);
      // People can allow a part of what is asked for.
      if (!scope.split(' ').includes(SCOPE)) throw new GoogleFailure('scope', 'reading was not allowed');
      return { token, account: accountIn(id_token ?? '') };
    },
    revoke: async (token) => {
      await translated((await openClient(client, outgoing)).revokeToken(token));
      clients.delete(token);
    },
    properties: async (token) => {
      const { data } = await fresh(token, async () => translated((await api(token)).sites.list()));
      return checked(sites, data)
        .siteEntry.filter(({ permissionLevel }) => permissionLevel !== 'siteUnverifiedUser')
        .map(({ siteUrl }) => siteUrl);
    },
    count: async (token, { property, day, dimensions }) => {
      const rows: Counted[] = [];
      while (rows.length < MAX_ROWS) {
        const requestBody = {
          startDate: day,
          endDate: day,
          dimensions: [...dimensions],
          type: 'web',
          dataState: 'final',
          rowLimit: pageRows,
          startRow: rows.length,
        };
        const { data } = await fresh(token, async () => {
          const { searchanalytics } = await api(token);
          return translated(searchanalytics.query({ siteUrl: property, requestBody }));
        });
        const page = checked(answer, data).rows;
        if (page.some(({ keys }) => keys.length !== dimensions.length))
          throw new GoogleFailure('malformed', 'a row has too few or too many keys');
        rows.push(...page);
        if (page.length < pageRows) break;
      }
      return rows;
    },
    close: () => stop.abort(),
  };
}

const identity = z.object({ sub: z.string().min(1).max(255) });

/** The account in an id token. Its signature proves nothing more: it came over TLS from Google itself (OpenID Connect Core, 3.1.3.7). */
function accountIn(idToken: string): string | null {
  try {
    return identity.parse(JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())).sub;
  } catch {
    return null;
  }
}

async function openClient({ clientId, clientSecret, apiUrl, origin }: GoogleClient, outgoing: Outgoing) {
  const { OAuth2Client } = await import('google-auth-library');
  const opened = new OAuth2Client({
    clientId,
    clientSecret,
    redirectUri: new URL(SEARCH_CALLBACK_PATH, origin).href,
    ...(apiUrl !== undefined && {
      endpoints: {
        oauth2AuthBaseUrl: new URL('/o/oauth2/v2/auth', apiUrl).href,
        oauth2TokenUrl: new URL('/token', apiUrl).href,
        oauth2RevokeUrl: new URL('/revoke', apiUrl).href,
      },
    }),
    transporterOptions: { fetchImplementation: fetchBy(outgoing) },
  });
  // A code works once, and the job has pauses of its own: the libraries must not repeat a request.
  opened.transporter.interceptors.request.add({
    resolved: (config) => Promise.resolve({ ...config, retry: false, retryConfig: { retry: 0, noResponseRetries: 0 } }),
  });
  return opened;
}

/** `fetch` for the libraries, by the client of this server for outgoing requests. */
function fetchBy(outgoing: Outgoing): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input);
    const { body } = init;
    const text = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : undefined;
    if (body !== undefined && body !== null && text === undefined) throw new TypeError('Only texts can be sent.');
    const { 'accept-encoding': _, ...headers } = Object.fromEntries(new Headers(init.headers));
    if (body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
    if (text !== undefined) headers['content-length'] = String(Buffer.byteLength(text));
    const method = init.method?.toUpperCase() === 'POST' ? 'POST' : 'GET';
    const { answer, failure } = await outgoing.ask(url, { method, headers, body: text });
    if (!answer) throw new GoogleFailure('unreachable', failure);
    if (answer.isCut) throw new GoogleFailure('malformed', 'the answer is too long');
    const { status, body: bytes } = answer;
    if (status >= 500) throw new GoogleFailure('unreachable', `status ${status}`);
    if (!isJson(bytes)) throw new GoogleFailure('malformed', `status ${status}, and the answer is not JSON`);
    return new Response(new Uint8Array(bytes), { status, headers: { 'content-type': 'application/json' } });
  };
}

/** Revoking answers with an object, too. A large answer is only looked at: the library reads it anyway. */
function isJson(bytes: Buffer): boolean {
  return /^\s*[{[]/.test(bytes.subarray(0, 100).toString('latin1'));
}

async function translated<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw failureOf(error);
  }
}

function checked<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new GoogleFailure('malformed', z.prettifyError(parsed.error));
  return parsed.data;
}

const refused = z.object({
  response: z.object({
    status: z.number(),
    data: z.looseObject({
      error: z.union([
        z.string(), // the token endpoint
        z.looseObject({
          status: z.string().optional(),
          message: z.string().optional(),
          errors: z.array(z.looseObject({ reason: z.string().optional() })).optional(),
        }),
      ]),
    }),
  }),
});
const OUT_OF_QUOTA = /quota|ratelimit|dailylimit|resource_exhausted/i;
const OF_CLIENT = /invalid_client|unauthorized_client|accessNotConfigured|service_disabled|redirect_uri_mismatch/i;
const OF_GRANT = /invalid_grant|invalid_token|insufficientPermissions|scope_insufficient|authError|unauthenticated/i;

function failureOf(error: unknown): GoogleFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof GoogleFailure) return cause;
  const parsed = refused.safeParse(error);
  if (!parsed.success) return new GoogleFailure('malformed', error instanceof Error ? error.message : String(error));
  const { status, data } = parsed.data.response;
  const said =
    typeof data.error === 'string'
      ? data.error
      : [data.error.status, ...(data.error.errors ?? []).map(({ reason }) => reason)].filter(Boolean).join(' ');
  return new GoogleFailure(reasonOf(status, said), `status ${status}: ${said}`);
}

function reasonOf(status: number, said: string): SearchFailure {
  if (status === 429 || OUT_OF_QUOTA.test(said)) return 'quota';
  if (OF_CLIENT.test(said)) return 'client';
  if (status === 401 || OF_GRANT.test(said)) return 'grant';
  return status === 403 || status === 404 ? 'property' : 'malformed';
}
