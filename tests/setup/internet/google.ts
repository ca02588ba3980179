// A local server that answers as Google's published APIs do, for the official libraries: the consent page, the token and revocation
// endpoints, and the Search Console API. It asks nobody anything: `consent` says how people answer.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT = { id: 'footfall.apps.googleusercontent.com', secret: 'GOCSPX-local' };
const SCOPE = 'https://www.googleapis.com/auth/webmasters.readonly';
const ASKED_SCOPES = `openid ${SCOPE}`;

/** One group of impressions. Without a query it is one that Google does not name. */
export type Impressions = {
  day: string;
  query?: string;
  page: string;
  /** Three letters in lower case. */
  country: string;
  device: 'DESKTOP' | 'MOBILE' | 'TABLET';
  clicks: number;
  impressions: number;
  position: number;
};

export type GoogleServer = AsyncDisposable & {
  url: string;
  env: Record<string, string>;
  /** What was asked, in order: method and path, and the body of queries. */
  asked: { path: string; body: Record<string, unknown> }[];
  consent: 'allows' | 'denies' | 'allows nothing';
  /** The id of the Google account of those who consent; null for an answer without it. */
  account: string | null;
  /** Properties with the permission of the person. */
  properties: Record<string, string>;
  data: Impressions[];
  /** Refresh tokens that are in force. */
  grants: Set<string>;
  /** Answers in place of Google, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>) | undefined;
  /** Called after a token was made, and before it is sent. */
  sendingToken: (() => Promise<void>) | undefined;
  /** Ends the access tokens early: the grants still hold. */
  expire(): void;
  /** Ends every grant, as people can do in their Google account. */
  withdraw(): void;
};

/** The body of an error, as Google's APIs send it. */
export const googleError = (code: number, status: string, reason: string) => ({
  error: { code, message: reason, status, errors: [{ message: reason, domain: 'usageLimits', reason }] },
});

class Refused extends Error {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    super('refused');
    this.status = status;
    this.body = body;
  }
}

const idTokenOf = (account: string) =>
  [{ alg: 'RS256' }, { iss: 'https://accounts.google.com', aud: CLIENT.id, sub: account }, 'signature']
    .map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
    .join('.');

const secret = (prefix: string) => prefix + randomBytes(16).toString('hex');

export async function startGoogle(): Promise<GoogleServer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codes = new Map<string, { challenge: string; redirectUri: string; scope: string; account: string | null }>();
  /** Refresh token → the Google account that gave it. */
  const givers = new Map<string, string | null>();
  const access = new Set<string>();
  const google: GoogleServer = {
    url,
    env: { GOOGLE_CLIENT_ID: CLIENT.id, GOOGLE_CLIENT_SECRET: CLIENT.secret, GOOGLE_API_URL: url },
    asked: [],
    consent: 'allows',
    account: '110169484474386276334',
    properties: { 'sc-domain:example.com': 'siteOwner' },
    data: [],
    grants: new Set(),
    intercept: undefined,
    sendingToken: undefined,
    expire: () => access.clear(),
    withdraw: () => {
      google.grants.clear();
      access.clear();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function authorize(query: URLSearchParams): string {
    const back = new URL(query.get('redirect_uri') ?? '');
    const isWhole =
      query.get('client_id') === CLIENT.id &&
      query.get('response_type') === 'code' &&
      query.get('scope') === ASKED_SCOPES &&
      query.get('access_type') === 'offline' &&
      query.get('prompt') === 'consent' &&
      query.get('code_challenge_method') === 'S256';
    if (!isWhole) throw new Refused(400, { error: 'invalid_request' });
    back.searchParams.set('state', query.get('state') ?? '');
    if (google.consent === 'denies') back.searchParams.set('error', 'access_denied');
    else {
      const code = secret('4/');
      const scope = google.consent === 'allows' ? ASKED_SCOPES : 'openid';
      codes.set(code, {
        challenge: query.get('code_challenge') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
        scope,
        account: google.account,
      });
      back.searchParams.set('code', code);
      back.searchParams.set('scope', scope);
    }
    return back.href;
  }

  function token(form: URLSearchParams): unknown {
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
      throw new Refused(401, { error: 'invalid_client', error_description: 'Unauthorized' });
    const made = { access_token: secret('ya29.'), expires_in: 3599, token_type: 'Bearer' };
    const invalid = new Refused(400, { error: 'invalid_grant', error_description: 'Bad Request' });
    if (form.get('grant_type') === 'refresh_token') {
      if (!google.grants.has(form.get('refresh_token') ?? '')) throw invalid;
      access.add(made.access_token);
      return { ...made, scope: SCOPE };
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!code || code.challenge !== challenge || code.redirectUri !== form.get('redirect_uri')) throw invalid;
    const refresh = secret('1//');
    google.grants.add(refresh);
    givers.set(refresh, code.account);
    access.add(made.access_token);
    const idToken = code.account === null ? {} : { id_token: idTokenOf(code.account) };
    return { ...made, ...idToken, refresh_token: refresh, scope: code.scope };
  }

  function query(property: string, body: Record<string, unknown>): unknown {
    if (!Object.hasOwn(google.properties, property))
      throw new Refused(403, {
        error: {
          code: 403,
          message: `User does not have sufficient permission for site '${property}'.`,
          errors: [{ message: 'no permission', domain: 'global', reason: 'forbidden' }],
        },
      });
    const {
      startDate,
      endDate,
      dimensions,
      rowLimit = 1_000,
      startRow = 0,
    } = body as {
      startDate: string;
      endDate: string;
      dimensions: ('query' | 'page' | 'country' | 'device')[];
      rowLimit?: number;
      startRow?: number;
    };
    if (rowLimit < 1 || rowLimit > 25_000) throw new Refused(400, googleError(400, 'INVALID_ARGUMENT', 'badRequest'));
    const groups = new Map<string, { keys: string[]; clicks: number; impressions: number; positions: number }>();
    for (const one of google.data) {
      if (one.day < startDate || one.day > endDate) continue;
      if (dimensions.includes('query') && one.query === undefined) continue;
      const keys = dimensions.map((name) => one[name] ?? '');
      const group = groups.get(keys.join('\n')) ?? { keys, clicks: 0, impressions: 0, positions: 0 };
      group.clicks += one.clicks;
      group.impressions += one.impressions;
      group.positions += one.impressions * one.position;
      groups.set(keys.join('\n'), group);
    }
    const rows = [...groups.values()].sort((a, b) => b.clicks - a.clicks || (a.keys.join() < b.keys.join() ? -1 : 1));
    const page = rows.slice(startRow, startRow + rowLimit).map(({ keys, clicks, impressions, positions }) => ({
      keys,
      clicks,
      impressions,
      ctr: clicks / impressions,
      position: positions / impressions,
    }));
    return { ...(page.length > 0 && { rows: page }), responseAggregationType: 'byPage' };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isQuery = pathname.endsWith('/searchAnalytics/query');
    const body = isQuery ? (JSON.parse(text) as Record<string, unknown>) : {};
    google.asked.push({ path: `${request.method} ${pathname}`, body });
    if (await google.intercept?.(request, response)) return;
    const json = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(value));
    };
    try {
      if (pathname === '/o/oauth2/v2/auth') {
        response.writeHead(302, { location: authorize(searchParams) }).end();
        return;
      }
      if (pathname === '/token') {
        const made = token(new URLSearchParams(text));
        await google.sendingToken?.();
        return json(200, made);
      }
      if (pathname === '/revoke') {
        const token = searchParams.get('token') ?? '';
        if (!google.grants.has(token)) throw new Refused(400, { error: 'invalid_token' });
        for (const one of [...google.grants]) if (givers.get(one) === givers.get(token)) google.grants.delete(one);
        return json(200, {});
      }
      if (!access.has(request.headers.authorization?.replace(/^Bearer /, '') ?? ''))
        throw new Refused(401, googleError(401, 'UNAUTHENTICATED', 'authError'));
      if (pathname === '/webmasters/v3/sites') {
        const entries = Object.entries(google.properties);
        return json(200, { siteEntry: entries.map(([siteUrl, permissionLevel]) => ({ siteUrl, permissionLevel })) });
      }
      const [, property] = /^\/webmasters\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/.exec(pathname) ?? [];
      if (property === undefined) throw new Refused(404, googleError(404, 'NOT_FOUND', 'notFound'));
      json(200, query(decodeURIComponent(property), body));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      json(error.status, error.body);
    }
  }

  server.on('request', (request, response) => void answer(request, response));
  return google;
}
