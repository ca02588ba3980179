// Logging in and out. Plain requests instead of tRPC, because the answer sets the session cookie.
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { goto, invalidateAll } from '$app/navigation';

/** Returns the answer's `data`. */
export async function post(path: string, body: unknown): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('The server cannot be reached. Check the connection and try again.');
  }
  const said = (await answer.json().catch(() => ({}))) as { message?: unknown; data?: unknown };
  if (answer.ok) return said.data;
  if (answer.status === 429 && path === PASSWORD_PATH)
    throw new Error('Too many attempts. Wait a minute, then try again.');
  throw new Error(
    typeof said.message === 'string' && said.message ? said.message : `The server answered ${answer.status}.`,
  );
}

const PASSWORD_PATH = '/auth/sign-in/email';

export type NeededFactors = { authenticator: boolean; passkey: boolean };

/** Returns what is still missing if the password was right and not enough. A recovery code always is: see `sendCode`. */
export async function signIn(email: string, password: string): Promise<NeededFactors | undefined> {
  const data = (await post(PASSWORD_PATH, { email, password })) as { second_factor?: NeededFactors };
  return data.second_factor;
}

/** The second step of logging in. */
export const sendCode = (code: string): Promise<unknown> => post('/auth/sign-in/code', { code });

/** What the browser needs in order to offer its passkeys. */
export const passkeyOptions = async (): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  (await post('/auth/passkey/options', {})) as PublicKeyCredentialRequestOptionsJSON;

export const sendPasskey = (answer: AuthenticationResponseJSON): Promise<unknown> =>
  post('/auth/sign-in/passkey', answer);

/** Logs out and opens the login page. */
export async function leave(): Promise<void> {
  await post('/auth/sign-out', {});
  await goto('/login');
  await invalidateAll();
}
