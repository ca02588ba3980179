// Requests that log in and out. Plain requests instead of tRPC, because the answer sets the session cookie.
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { goto } from '$app/navigation';
import { leaving } from '../../api/client';

/** Returns the answer's `data`. */
export async function post(path: string, body: unknown, method: 'POST' | 'DELETE' = 'POST'): Promise<unknown> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error(t('The server cannot be reached. Check the connection and try again.'));
  }
  const said = (await answer.json().catch(() => ({}))) as { message?: unknown; data?: unknown };
  if (answer.ok) return said.data;
  throw new Error(
    typeof said.message === 'string' && said.message
      ? said.message
      : t('The server answered {status}.', { status: answer.status }),
  );
}

/** Does what ends the session, and opens the login page. */
export const endSession = (end: () => Promise<unknown>): Promise<void> =>
  leaving(async () => {
    await end();
    await goto('/login', { invalidateAll: true });
  });

export const leave = (): Promise<void> => endSession(() => post('/auth/sign-out', {}));
