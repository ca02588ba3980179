// Who gets a report: the recipients who may still see its numbers, and each one's audience.
import { listMembers } from '../../accounts/people/people.ts';
import { habitsOfRecipient } from '../../directory/habits.ts';
import type { Directory } from '../../directory/open.ts';
import type { Habits } from '../../vocabulary/habits/habits.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { isLimitedMember, mayDo } from '../../sites/access.ts';
import type { Site } from '../../sites/sites.ts';
import { listOf, recipientsOf, type Report } from './definitions.ts';

/** Guests have no access to the site in the dashboard, or see it as the viewers of a share link do. So does their edition. */
export type Audience = 'member' | 'guest';
export type Reader = { email: string; recipientId: string; audience: Audience; habits: Habits };

type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefused'> };

/** The recipients who may get the report: people who still see its sites, and others, without those who have unsubscribed. */
export async function readersOf({ directory, mail }: Parts, report: Report, sites: readonly Site[]): Promise<Reader[]> {
  const { db } = directory;
  const members = new Map((await listMembers(directory, report.account_id)).map((one) => [one.userId, one]));
  const readers: Reader[] = [];
  for (const { id, user_id, email } of await recipientsOf(db, [report.id])) {
    const member = user_id === null ? undefined : members.get(user_id);
    const to = email ?? (member && seesAll(member, sites) ? member.email : undefined);
    if (to === undefined || (await mail.hasRefused(db, to, `reports:${listOf(report)}`))) continue;
    const isMember = email === null && member && !isLimitedOn(member, sites);
    const habits = await habitsOfRecipient(db, to);
    readers.push({ email: to, recipientId: id, audience: isMember ? 'member' : 'guest', habits });
  }
  return readers;
}

type Member = Awaited<ReturnType<typeof listMembers>>[number];

const seesAll = ({ role, siteIds }: Member, sites: readonly { id: SiteId }[]): boolean =>
  mayDo(role, 'read') && (siteIds === null || sites.every(({ id }) => siteIds.includes(id)));

/** True for people who see the small numbers of one of the sites no more than its viewers do. */
const isLimitedOn = ({ role }: Member, sites: readonly Site[]): boolean =>
  sites.some((site) => isLimitedMember(role, site));

/** An admin of the account who asked for the report. */
export async function readerOf(
  { directory }: Pick<Parts, 'directory'>,
  report: Report,
  { userId }: { userId: string },
): Promise<Reader[]> {
  const member = (await listMembers(directory, report.account_id)).find((one) => one.userId === userId);
  if (!member) return [];
  const habits = await habitsOfRecipient(directory.db, member.email);
  return [{ email: member.email, recipientId: userId, audience: 'member', habits }];
}

/** True if the author of a personal report may no longer see its site. */
export async function hasLostItsReader(
  directory: Directory,
  { account_id, created_by, isPersonal }: Report,
  sites: readonly Site[],
): Promise<boolean> {
  if (!isPersonal) return false;
  const author = (await listMembers(directory, account_id)).find(({ userId }) => userId === created_by);
  return author === undefined || !seesAll(author, sites);
}
