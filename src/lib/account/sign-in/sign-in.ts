// Logging in, in one step or two.
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { post } from './auth';

export type NeededFactors = { authenticator: boolean; passkey: boolean };

/** Returns what is still missing if the password was right and not enough. A recovery code always helps: see `sendCode`. */
export async function signIn(email: string, password: string): Promise<NeededFactors | undefined> {
  const data = (await post('/auth/sign-in/email', { email, password })) as { second_factor?: NeededFactors };
  return data.second_factor;
}

/** The second step of logging in. */
export const sendCode = (code: string): Promise<unknown> => post('/auth/sign-in/code', { code });

/** What the browser needs in order to offer its passkeys. */
export const passkeyOptions = async (): Promise<PublicKeyCredentialRequestOptionsJSON> =>
  (await post('/auth/passkey/options', {})) as PublicKeyCredentialRequestOptionsJSON;

export const sendPasskey = (answer: AuthenticationResponseJSON): Promise<unknown> =>
  post('/auth/sign-in/passkey', answer);
