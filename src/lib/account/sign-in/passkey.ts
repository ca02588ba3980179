// Passkeys in the browser: the library that speaks to the device is loaded when somebody uses one.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { passkeyOptions, sendPasskey } from './sign-in';
import { api } from '../../api/client';

/** False in browsers without passkeys, and at addresses that are not names: browsers bind passkeys to a name. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** Creates a passkey. Returns new recovery codes if there were none. */
export async function addPasskey(password: string, name: string): Promise<string[]> {
  const optionsJSON = await api.factors.startPasskey.mutate({ password });
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({ optionsJSON }).catch(explain);
  return api.factors.addPasskey.mutate({ name, response });
}

export async function logInByPasskey(): Promise<void> {
  const optionsJSON = await passkeyOptions();
  const { startAuthentication } = await import('@simplewebauthn/browser');
  await sendPasskey(await startAuthentication({ optionsJSON }).catch(explain));
}

function explain(cause: unknown): never {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'InvalidStateError')
    throw new Error(t('This device already has a passkey for your account.'), { cause });
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new Error(t('The device gave no passkey: it was cancelled, or took too long. Try again.'), { cause });
  throw new Error(t('The browser could not use a passkey at this address.'), { cause });
}
