// A real OpenID Connect issuer on this machine, by `oidc-provider`. It asks nobody anything: `next` says who logs in. Its answers can be
// made wrong on the way out.
import { createHmac, createPrivateKey, createSign, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

const CLIENT = { client_id: 'footfall', client_secret: 'a secret of the client, long enough' };

export type Claims = Record<string, unknown>;
type Token = { header: Claims; claims: Claims; signWith: 'own key' | 'other key' | 'client secret' | 'nothing' };

export type TestIssuer = AsyncDisposable & {
  url: string;
  env: Record<string, string>;
  /** Claims by subject. */
  people: Record<string, Claims>;
  /** Who logs in next. `amr`: how the issuer checked them. Undefined: they cancel. */
  next: { subject: string; amr?: string[] } | undefined;
  /** Changes the next id tokens. */
  forge: ((token: Token) => void) | undefined;
  /** True if the id token has the subject alone, and the rest is at the address for claims. */
  isThin: boolean;
  /** Answers in place of the issuer, if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
};

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const read = (text: string | undefined) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Claims;

/** `redirectUri`: where the issuer sends people back to. */
export async function startIssuer(redirectUri: string): Promise<TestIssuer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { own: { ...keyPair(), kid: 'own', use: 'sig', alg: 'RS256' }, other: keyPair() };

  const issuer: TestIssuer = {
    url,
    env: {
      OIDC_ISSUER: url,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_ALLOWED_DOMAINS: 'company.example, Sister.example',
      OIDC_NAME: 'Company Login',
    },
    people: {},
    next: undefined,
    forge: undefined,
    isThin: false,
    intercept: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  const provider: Provider = new Provider(url, {
    clients: [
      { ...CLIENT, redirect_uris: [redirectUri], response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    jwks: { keys: [keys.own as never] },
    cookies: { keys: ['a key of the cookies'] },
    claims: {
      openid: ['sub', 'amr'],
      email: ['email', 'email_verified', 'groups'],
      profile: ['name'],
      auth_time: null,
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: (use) => ({ sub: id, ...(use === 'id_token' && issuer.isThin ? {} : issuer.people[id]) }),
    }),
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc: { client, session } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const { body } = context as { body: { id_token?: string } | undefined };
    if (context.path !== '/token' || !body?.id_token || !issuer.forge) return;
    const [header, claims] = body.id_token.split('.');
    const token: Token = { header: read(header), claims: read(claims), signWith: 'own key' };
    issuer.forge(token);
    body.id_token = sign(token, keys);
  });
  const answer = provider.callback();
  const finish = (request: IncomingMessage, response: ServerResponse) => {
    const { next } = issuer;
    const login = next && { accountId: next.subject, remember: false, ...(next.amr && { amr: next.amr }) };
    return provider.interactionFinished(request, response, login ? { login } : { error: 'access_denied' });
  };
  server.on('request', (request, response) => {
    if (issuer.intercept?.(request, response)) return;
    if (request.url?.startsWith('/interaction/')) void finish(request, response);
    else void answer(request, response);
  });
  return issuer;
}

function sign({ header, claims, signWith }: Token, keys: { own: JsonWebKey; other: JsonWebKey }): string {
  const text = `${part(header)}.${part(claims)}`;
  if (signWith === 'nothing') return `${text}.`;
  if (signWith === 'client secret')
    return `${text}.${createHmac('sha256', CLIENT.client_secret).update(text).digest('base64url')}`;
  const key = createPrivateKey({ key: signWith === 'own key' ? keys.own : keys.other, format: 'jwk' });
  return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
}

/** A browser that follows redirects and keeps cookies, each for its own host. */
export class Surfer {
  static #made = 0;
  /** Each has an address of its own, since log-ins are limited by address. */
  readonly #address = `203.0.113.${(Surfer.#made += 1)}`;
  readonly #cookies = new Map<string, Map<string, string>>();

  cookieFor(url: string): string {
    return [...(this.#cookies.get(new URL(url).origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async open(url: string): Promise<Response> {
    const { origin } = new URL(url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.cookieFor(url), 'x-forwarded-for': this.#address },
    });
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Follows redirects to the first address that `isEnd`, without opening it. */
  async follow(url: string, isEnd: (url: URL) => boolean): Promise<string> {
    let next = url;
    for (let step = 0; step < 12; step += 1) {
      if (isEnd(new URL(next))) return next;
      const answer = await this.open(next);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next} was answered with ${answer.status}: ${await answer.text()}`);
      next = new URL(location, next).href;
    }
    throw new Error('too many redirects');
  }
}
