// /oidc/start sends the browser to the operator's OpenID Connect issuer, and /oidc/callback gets its answer. Both are navigations, and the
// second one comes from another site: instead of its origin, the state is checked, which only the browser that started can use, once.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OidcFailure } from '../../accounts/sign-in/single-sign-on/oidc-issuer.ts';
import type { OidcLogIn, Onward } from '../../accounts/sign-in/single-sign-on/oidc.ts';
import { ownOrigin } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import type { Services } from '../trpc.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const OIDC_START_PATH = '/oidc/start';

/** Single sign-on, if it is set up. The address is absolute, because its cookie belongs to one host. */
export function ssoOf({ auth, config }: Pick<Services, 'auth' | 'config'>): { name: string; address: string } | null {
  return auth.oidc ? { name: auth.oidc.name, address: ownOrigin(config) + OIDC_START_PATH } : null;
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

export function openOidcRoutes(services: Services): { start: Handler; finish: Handler } {
  const { auth, security, log, addressHashOf } = services;

  const step =
    (go: (oidc: OidcLogIn) => OidcLogIn['start']): Handler =>
    async (request, response, url) => {
      if (!auth.oidc) throw new Refusal('not_found', t('Single sign-on is not set up on this server.'));
      if (request.method !== 'GET') {
        response.setHeader('allow', 'GET');
        throw new Refusal('method_not_allowed', t('The method must be GET.'));
      }
      const caller = { headers: request.headers, addressHash: () => addressHashOf(request) };
      send(response, await go(auth.oidc)(url.searchParams, caller).catch(failed));
    };

  function failed(error: unknown): Onward {
    if (!(error instanceof OidcFailure)) throw error;
    const { reason, detail } = error;
    security.note('oidc_refused', { reason });
    if (detail !== undefined) log.warn({ reason, detail }, 'logging in through the OpenID Connect issuer failed');
    return { location: `/login?sso=${reason}`, setCookies: [] };
  }

  return {
    start: step((oidc) => oidc.start),
    finish: step((oidc) => oidc.finish),
  };
}

function send(response: ServerResponse, { location, setCookies }: Onward): void {
  response.writeHead(303, {
    location,
    'set-cookie': setCookies,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer', // the address holds the issuer's code
  });
  response.end();
}
