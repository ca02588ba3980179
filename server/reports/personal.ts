// Reports that people mail to themselves: everybody who sees a site can have its numbers sent to their own address, and nobody else sees or
// manages these reports. They end when their author may no longer see the site.
import type { Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Mail } from '../mail/mail.ts';
import { createReport, deleteReport, NO_SUCH_REPORT, readReport, type Report, reportContent } from './definitions.ts';

/** The parts of a report that its only reader chooses. */
export const personalContent = reportContent.omit({ of: true, recipients: true, webhooks: true });

type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefused' | 'hasRefusedAny'> };
type Own = { accountId: string; siteId: SiteId; userId: string };

/** Oldest first. */
export async function listPersonal(
  { db }: Pick<Directory, 'db'>,
  { accountId, siteId, userId }: Own,
): Promise<Report[]> {
  const rows = await db
    .selectFrom('reports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('site_id', '=', siteId)
    .where('created_by', '=', userId)
    .where('personal', '=', 1)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(readReport);
}

/** Mails the view to this person. Throws bad_request above their limit. */
export async function subscribe(
  parts: Parts,
  { content, ...own }: Own & { content: ReturnType<(typeof personalContent)['parse']> },
  now: number,
): Promise<Report> {
  const { db } = parts.directory;
  const user = await db.selectFrom('users').select('email').where('id', '=', own.userId).executeTakeFirstOrThrow();
  const whole = { ...content, of: 'site' as const, recipients: [user.email], webhooks: [] };
  return createReport(parts, { ...own, content: whole, isPersonal: true }, now);
}

/** Throws not_found, also for a report of somebody else. */
export async function unsubscribe(
  directory: Pick<Directory, 'db'>,
  { id, ...own }: Own & { id: string },
): Promise<void> {
  const report = (await listPersonal(directory, own)).find((one) => one.id === id);
  if (!report) throw new Refusal('not_found', NO_SUCH_REPORT);
  await deleteReport(directory, report);
}
