// Reports that could not be written, or have ended: when they are tried again, and who is told why.
import type { Kysely } from 'kysely';
import { listMembers } from '../../accounts/people/people.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { mayDo } from '../../sites/access.ts';
import { listSites } from '../../sites/sites.ts';
import { message, say } from '../../vocabulary/habits/messages.ts';
import { dayOf, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { deleteReport, isStill, lockAccount, type Report, sitesOf } from './definitions.ts';
import type { Span } from './schedule.ts';

/** Pauses after the first, second … failed attempt; the last one repeats. */
const PAUSES_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS).concat([1, 2, 4].map((hours) => hours * HOUR_MS));

type Parts = { directory: Directory; mail: Pick<Mail, 'send' | 'forget'>; now(): number };

/** Why the report was not sent at last. It is kept in English. */
export const troubleOf = ({ trouble }: Pick<Report, 'trouble'>): string | null =>
  trouble === null ? null : say(trouble);

/** `trouble`: in English. */
type Trouble = { report: Report; span: Span; trouble: string; isRefused: boolean };

/** Only what people can mend is mailed to them, once for each period. */
export async function noteTrouble(parts: Parts, { report, span, trouble, isRefused }: Trouble): Promise<void> {
  const { directory, now } = parts;
  const pause = PAUSES_MS[Math.min(report.attempts, PAUSES_MS.length - 1)] ?? HOUR_MS;
  await directory.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('reports')
      .set({ attempts: report.attempts + 1, due_at: now() + pause, trouble })
      .where(isStill(report))
      .where('next_from', '=', report.next_from)
      .where('attempts', '=', report.attempts)
      .executeTakeFirst();
    if (numUpdatedRows === 1n && isRefused)
      await tellOwners(parts, trx, { report, why: trouble, occasion: dayOf(span.from) });
  });
}

/** Ends a report whose site, group or last site was deleted, unless somebody has given it another one meanwhile. */
export async function endReport(parts: Parts, report: Report): Promise<void> {
  const ofSeveral =
    report.group_id === null
      ? message('The account has no sites any more.')
      : message('Its group of sites was deleted, so the report has ended.');
  const why = report.site_id === null ? ofSeveral : message('Its site was deleted, so the report has ended.');
  await parts.directory.db.transaction().execute(async (trx) => {
    await lockAccount(trx, report.account_id); // nobody adds a site meanwhile
    if (await sitesOf(directoryIn(parts.directory, trx), report)) return;
    if (!(await deleteReport({ db: trx }, report))) return;
    await parts.mail.forget(trx, { recipients: [], about: [report.id] });
    await tellOwners(parts, trx, { report, why, occasion: 'end' });
  });
}

/** `why`: in English: each owner reads it in their language. */
type News = { report: Report; why: string; occasion: string };

async function tellOwners(
  { directory, mail }: Parts,
  db: Kysely<Tables>,
  { report, why, occasion }: News,
): Promise<void> {
  const owners = (await listMembers({ db }, report.account_id)).filter(({ role, userId }) =>
    report.isPersonal
      ? userId === report.created_by
      : role === 'owner' || (userId === report.created_by && mayDo(role, 'admin')),
  );
  const site =
    report.site_id === null || report.isPersonal
      ? undefined
      : (await listSites(directoryIn(directory, db), report.account_id)).find(({ id }) => id === report.site_id);
  for (const { userId, email } of owners)
    await mail.send(db, {
      kind: 'report_stopped',
      key: `report_stopped ${report.id} ${occasion} ${userId}`,
      to: email,
      data: { name: report.name, why, site: site?.domain ?? null },
    });
}

/** SQLite has a single connection, so everything within a transaction asks through it. */
const directoryIn = (directory: Directory, db: Kysely<Tables>): Directory => ({
  ...directory,
  db: db as Directory['db'],
});
