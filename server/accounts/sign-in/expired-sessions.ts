// Deletes expired sessions and verifications. better-auth itself deletes one only when it is used again.
import type { Directory } from '../../directory/open.ts';

/** Deletes rows that expired before `before`. Returns their number. */
export async function forgetSessions({ db }: Pick<Directory, 'db'>, before: number): Promise<number> {
  const sessions = await db.deleteFrom('sessions').where('expires_at', '<', before).executeTakeFirst();
  const verifications = await db.deleteFrom('verifications').where('expires_at', '<', before).executeTakeFirst();
  return Number(sessions.numDeletedRows + verifications.numDeletedRows);
}
