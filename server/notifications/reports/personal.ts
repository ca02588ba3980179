// Reports that people mail to themselves: everybody who sees a site can have its numbers sent to their own address, and nobody else sees or
// manages these reports. They end when their author may no longer see the site.
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import {
  createReport,
  deleteReport,
  listOf,
  NO_SUCH_REPORT,
  readReport,
  type Report,
  reportContent,
} from './definitions.ts';
import { say } from '../../vocabulary/habits/messages.ts';

/** The parts of a report that its only reader chooses. */
export const personalContent = reportContent.omit({ of: true, recipients: true, webhooks: true });

type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefused' | 'hasRefusedAny'> };
type Own = { accountId: string; siteId: SiteId; userId: string };

/** Oldest first. */
async function listPersonal({ db }: Pick<Directory, 'db'>, { accountId, siteId, userId }: Own): Promise<Report[]> {
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
  const whole = { ...content, of: 'site' as const, recipients: [await emailOf(parts, own)], webhooks: [] };
  return createReport(parts, { ...own, content: whole, isPersonal: true }, now);
}

/** Deletes it. Throws not_found, also for a report of somebody else. */
export async function unsubscribe(
  directory: Pick<Directory, 'db'>,
  { id, ...own }: Own & { id: string },
): Promise<void> {
  const isDeleted = await deleteReport(directory, await findOwn(directory, { id, ...own }));
  if (!isDeleted) throw new Refusal('not_found', say(NO_SUCH_REPORT));
}

/** The reports of `listPersonal`. `unsubscribed`: the person has ended it by the link in its mail, so it is sent to nobody. */
export async function listStates(
  { directory, mail }: { directory: Directory; mail: Pick<Mail, 'hasRefused'> },
  own: Own,
): Promise<(Report & { unsubscribed: boolean })[]> {
  const [email, all] = await Promise.all([emailOf({ directory }, own), listPersonal(directory, own)]);
  const refused = (report: Report) => mail.hasRefused(directory.db, email, `reports:${listOf(report)}`);
  return Promise.all(all.map(async (report) => ({ ...report, unsubscribed: await refused(report) })));
}

/** Mails it again to somebody who has ended it by the link in its mail. Throws as `unsubscribe` does. */
export async function resubscribe(
  { directory, mail }: { directory: Directory; mail: Pick<Mail, 'accept'> },
  { id, ...own }: Own & { id: string },
): Promise<void> {
  const report = await findOwn(directory, { id, ...own });
  await mail.accept(directory.db, await emailOf({ directory }, own), `reports:${listOf(report)}`);
}

async function findOwn(directory: Pick<Directory, 'db'>, { id, ...own }: Own & { id: string }): Promise<Report> {
  const report = (await listPersonal(directory, own)).find((one) => one.id === id);
  if (!report) throw new Refusal('not_found', say(NO_SUCH_REPORT));
  return report;
}

async function emailOf({ directory: { db } }: Pick<Parts, 'directory'>, { userId }: Pick<Own, 'userId'>) {
  return (await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email;
}
