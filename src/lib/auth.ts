// Logging in and out. Plain requests instead of tRPC, because the answer sets the session cookie.
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

/** Returns true if the password was right, and a code is still missing: see `sendCode`. */
export async function signIn(email: string, password: string): Promise<boolean> {
  const data = await post(PASSWORD_PATH, { email, password });
  return typeof data === 'object' && data !== null && 'second_factor' in data;
}

/** The second step of logging in. */
export const sendCode = (code: string): Promise<unknown> => post('/auth/sign-in/code', { code });

/** Logs out and opens the login page. */
export async function leave(): Promise<void> {
  await post('/auth/sign-out', {});
  await goto('/login');
  await invalidateAll();
}
