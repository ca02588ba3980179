// Links that are mailed to people: sign-in on a test's own directory, whose mail is queued and never sent, and a clock.
import type { Directory } from '../../../server/directory/open.ts';
import { NOON } from '../clock.ts';
import { queuedMail } from '../notifications/queued-mail.ts';
import { testAuth } from './auth.ts';

export const ADA = { email: 'ada@example.com', password: 'correct horse battery' };
export const EVE = { email: 'eve@example.com', password: 'correct horse stable' };
export const LINK_IS_OVER = 'not_found: This link has expired or was used already: ask for a new one.';

export async function mailedAuth(directory: Directory, options: Parameters<typeof testAuth>[1] = {}) {
  const clock = { now: NOON };
  const now = () => clock.now;
  const mail = await queuedMail(directory, now);
  const auth = await testAuth(directory, { now, mail, ...options });
  /** The queued mails, each with the secret of its link. */
  const mails = async () => {
    const rows = await directory.db.selectFrom('mails').selectAll().orderBy('created_at').orderBy('kind').execute();
    return rows.map(({ kind, recipient, data }) => ({
      kind,
      recipient,
      token: (JSON.parse(data ?? '{}') as { token?: string }).token ?? '',
    }));
  };
  /** The addresses of everybody who has a log-in. */
  const emails = async () =>
    (await directory.db.selectFrom('users').select('email').orderBy('email').execute()).map(({ email }) => email);
  return { clock, mail, auth, mails, emails };
}
