// Logging in and out. Plain requests instead of tRPC, because the answer sets the session cookie.
import { goto, invalidateAll } from '$app/navigation';

async function post(path: string, body: unknown): Promise<void> {
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
  if (answer.ok) return;
  const said = (await answer.json().catch(() => ({}))) as { message?: unknown };
  if (answer.status === 429) throw new Error('Too many attempts. Wait a minute, then try again.');
  throw new Error(
    typeof said.message === 'string' && said.message ? said.message : `The server answered ${answer.status}.`,
  );
}

export const signIn = (email: string, password: string): Promise<void> =>
  post('/auth/sign-in/email', { email, password });
/** Logs out and opens the login page. */
export async function leave(): Promise<void> {
  await post('/auth/sign-out', {});
  await goto('/login');
  await invalidateAll();
}
