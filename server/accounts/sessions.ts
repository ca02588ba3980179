// Sessions and verifications that are over: better-auth deletes one only when somebody comes with it once more.
import type { Directory } from '../directory/open.ts';

/** Deletes what ended before an instant. Returns how many rows went. */
export async function forgetSessions({ db }: Directory, before: number): Promise<number> {
  const sessions = await db.deleteFrom('sessions').where('expires_at', '<', before).executeTakeFirst();
  const verifications = await db.deleteFrom('verifications').where('expires_at', '<', before).executeTakeFirst();
  return Number(sessions.numDeletedRows + verifications.numDeletedRows);
}
