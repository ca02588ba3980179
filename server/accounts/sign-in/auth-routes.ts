// The routes under AUTH_PATH: the only part of better-auth that can be reached from outside.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { Refusal } from '../../errors.ts';
import { readJson } from '../../process/http/body.ts';
import { sendJson } from '../../process/http/respond.ts';
import type { Caller, Auth, SignedIn } from './auth.ts';
import { PASSKEY_ANSWER } from './factors/passkeys.ts';
import { AUTH_PATH } from './auth-library.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const MAX_BODY_BYTES = 4_096;
const MAX_PASSKEY_BYTES = 16_384;
const CODE = z.object({ code: z.string().max(100) });
const CREDENTIALS = z.object({ email: z.string(), password: z.string() });

type Call = { request: IncomingMessage; response: ServerResponse; addressHash: Caller['addressHash'] };
type Route = { method: 'GET' | 'POST'; answer(call: Call): Promise<void> };

export function openAuthRoutes(
  auth: Pick<Auth, 'identify' | 'signIn' | 'finishSignIn' | 'startPasskey' | 'signInByPasskey' | 'signOut'>,
): Auth['handler'] {
  const routes = new Map<string, Route>([
    [
      '/get-session',
      {
        method: 'GET',
        answer: async ({ request, response }) => {
          const identity = await auth.identify(request.headers);
          const user = identity && { id: identity.userId, email: identity.email, name: identity.name };
          sendJson(response, 200, { data: user ?? null }, { 'set-cookie': identity?.setCookies ?? [] });
        },
      },
    ],
    [
      '/sign-in/email',
      {
        method: 'POST',
        answer: async ({ request, response, addressHash }) => {
          const json = await readJson(request, { maxBytes: MAX_BODY_BYTES, types: ['application/json'] });
          const credentials = CREDENTIALS.safeParse(json);
          if (!credentials.success)
            throw new Refusal(
              'bad_request',
              t('The body must be an object with `email` and `password`, both strings.'),
            );
          sendSignedIn(response, await auth.signIn(credentials.data, { headers: request.headers, addressHash }));
        },
      },
    ],
    [
      '/sign-in/code',
      {
        method: 'POST',
        answer: async ({ request, response, addressHash }) => {
          const json = await readJson(request, { maxBytes: MAX_BODY_BYTES, types: ['application/json'] });
          const given = CODE.safeParse(json);
          if (!given.success) throw new Refusal('bad_request', t('The body must be an object with `code`, a string.'));
          sendSignedIn(response, await auth.finishSignIn(given.data, { headers: request.headers, addressHash }));
        },
      },
    ],
    [
      '/passkey/options',
      {
        method: 'POST',
        answer: async ({ request, response }) => {
          sendJson(response, 200, { data: await auth.startPasskey(request.headers) });
        },
      },
    ],
    [
      '/sign-in/passkey',
      {
        method: 'POST',
        answer: async ({ request, response, addressHash }) => {
          const json = await readJson(request, { maxBytes: MAX_PASSKEY_BYTES, types: ['application/json'] });
          const given = PASSKEY_ANSWER.safeParse(json);
          if (!given.success)
            throw new Refusal('bad_request', t('The body must be what the browser made of the passkey.'));
          sendSignedIn(response, await auth.signInByPasskey(given.data, { headers: request.headers, addressHash }));
        },
      },
    ],
    [
      '/sign-out',
      {
        method: 'POST',
        answer: async ({ request, response }) => {
          const setCookies = await auth.signOut(request.headers);
          sendJson(response, 200, { data: { signed_out: true } }, { 'set-cookie': setCookies });
        },
      },
    ],
  ]);

  return async (request, response, addressHash) => {
    const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname.slice(AUTH_PATH.length) ?? '';
    const route = routes.get(path);
    if (!route) throw new Refusal('not_found', t('There is nothing at this address.'));
    if (request.method !== route.method) {
      response.setHeader('allow', route.method);
      throw new Refusal('method_not_allowed', t('The method must be {method}.', { method: route.method }));
    }
    await route.answer({ request, response, addressHash });
  };
}

function sendSignedIn(response: ServerResponse, { userId, setCookies, needed }: SignedIn): void {
  const data = needed ? { second_factor: needed } : { id: userId };
  sendJson(response, 200, { data }, { 'set-cookie': setCookies });
}
