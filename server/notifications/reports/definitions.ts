// The reports of an account: what each shows, when it is sent, and to whom.
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { z } from 'zod';
import { normaliseEmail } from '../../accounts/accounts.ts';
import { listMembers } from '../../accounts/people/people.ts';
import { isId, makeId } from '../../directory/ids.ts';
import { checkName } from '../../directory/names.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { NO_SUCH_GROUP, sitesOfGroup } from '../../sites/groups.ts';
import { listSites, type Site } from '../../sites/sites.ts';
import { summaryQuestion, timeseriesQuestion } from '../../stats/query.ts';
import { GROUP_METRICS } from '../../vocabulary/settings/groups.ts';
import { MAX_RECORD_ID } from '../../vocabulary/limits.ts';
import {
  FREQUENCY_NAMES,
  MAX_PERSONAL_REPORTS,
  MAX_RECIPIENTS,
  MAX_REPORTS,
} from '../../vocabulary/settings/reports.ts';
import { MAX_WEBHOOKS } from '../../vocabulary/settings/webhooks.ts';
import { dayOf, readDay } from '../../vocabulary/time/time.ts';
import { readZone, UTC } from '../../vocabulary/time/zones.ts';
import { checkWebhooks } from '../../messages/webhooks/stored.ts';
import { dueAt, lastDue, type Span, spanAfter, spanAt, type Timing } from './schedule.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

const viewed = z.strictObject({
  segment: z.string().max(MAX_RECORD_ID).optional(),
  filters: summaryQuestion.shape.filters,
  metric: timeseriesQuestion.shape.metric.default('unique_visitors'),
});
/** What a report shows of its site. The period follows from its frequency. */
type Viewed = z.output<typeof viewed>;

export const reportContent = z.strictObject({
  name: z.string().max(200),
  /** `account`: the totals of all its sites. `group`: of a group of sites. */
  of: z.enum(['site', 'account', 'group']).default('site'),
  /** The id of the group, with `of: 'group'`. */
  group: z.string().max(MAX_RECORD_ID).optional(),
  frequency: z.enum(FREQUENCY_NAMES),
  hour: z.int().min(0).max(23),
  timezone: z
    .string()
    .max(64)
    .refine((name) => readZone(name) !== undefined, { error: () => t('must be a time zone such as Europe/Berlin') }),
  viewed: viewed.default({ filters: [], metric: 'unique_visitors' }),
  /** E-mail addresses, of people of the account or of others. */
  recipients: z.array(z.string().max(320)).max(MAX_RECIPIENTS),
  /** Webhooks of the account, by id. */
  webhooks: z.array(z.string().max(MAX_RECORD_ID)).max(MAX_WEBHOOKS).default([]),
});
type ReportContent = z.output<typeof reportContent>;

type Recipient = Tables['report_recipients'];
export type Report = Omit<Tables['reports'], 'viewed' | 'paused' | 'webhooks' | 'personal'> & {
  viewed: Viewed;
  paused: boolean;
  /** Ids. Webhooks that were deleted since are still among them, and get nothing. */
  webhooks: string[];
  /** True if its author alone sees and gets it. */
  isPersonal: boolean;
};

export const NO_SUCH_REPORT = message('There is no such report.');
const goneOf = ({ of }: Pick<ReportContent, 'of'>) =>
  of === 'group' ? say(NO_SUCH_GROUP) : t('Its site no longer belongs to this account.');

type Parts = { directory: Directory; mail: Pick<Mail, 'hasRefused' | 'hasRefusedAny'> };
type OfAccount = { accountId: string };
/** A report can be reached through its own site, and a report of all sites or of a group through each site of the account. */
type Reached = OfAccount & { siteId: SiteId };

export const readReport = ({ personal, ...row }: Tables['reports']): Report => ({
  ...row,
  isPersonal: personal === 1,
  viewed: JSON.parse(row.viewed) as Viewed,
  paused: row.paused === 1,
  webhooks: JSON.parse(row.webhooks) as string[],
});

/** Condition for a report while it is still of the account, the site and the group that it was read with. */
export const isStill =
  ({ id, account_id, site_id, group_id }: Pick<Report, 'id' | 'account_id' | 'site_id' | 'group_id'>) =>
  (eb: ExpressionBuilder<Tables, 'reports'>): Expression<SqlBool> =>
    eb.and([
      eb('id', '=', id),
      eb('account_id', '=', account_id),
      eb('site_id', site_id === null ? 'is' : '=', site_id),
      eb('group_id', group_id === null ? 'is' : '=', group_id),
    ]);

/** The reports of a site, and those of several sites, oldest first, without personal ones. */
export async function listReports({ db }: Pick<Directory, 'db'>, { accountId, siteId }: Reached): Promise<Report[]> {
  const rows = db.selectFrom('reports').selectAll().where('account_id', '=', accountId).where('personal', '=', 0);
  const reached = rows.where((eb) => eb.or([eb('site_id', '=', siteId), eb('site_id', 'is', null)]));
  return (await reached.orderBy('created_at').orderBy('id').execute()).map(readReport);
}

/** Throws not_found. */
export async function findReport(directory: Pick<Directory, 'db'>, { id, ...of }: Reached & { id: string }) {
  const found = isId('report', id) ? (await listReports(directory, of)).find((one) => one.id === id) : undefined;
  if (!found) throw new Refusal('not_found', say(NO_SUCH_REPORT));
  return found;
}

export const recipientsOf = (db: Kysely<Tables>, reportIds: readonly string[]): Promise<Recipient[]> =>
  reportIds.length === 0
    ? Promise.resolve([])
    : db.selectFrom('report_recipients').selectAll().where('report_id', 'in', reportIds).orderBy('id').execute();

/** The sites of a report in their order. Undefined if its site, its group or all sites are gone. A group may have no sites left. */
export async function sitesOf(
  directory: Directory,
  { account_id: accountId, site_id, group_id }: Pick<Report, 'account_id' | 'site_id' | 'group_id'>,
): Promise<Site[] | undefined> {
  const all = await listSites(directory, accountId);
  if (group_id !== null) {
    const group = await sitesOfGroup(directory, { accountId, id: group_id });
    return group?.siteIds.flatMap((id) => all.find((site) => site.id === id) ?? []);
  }
  const shown = site_id === null ? all : all.filter(({ id }) => id === site_id);
  return shown.length > 0 ? shown : undefined;
}

/** The instant, zones and hour that decide when a report is due. Undefined if `sitesOf` is. */
export async function timingOf(
  directory: Directory,
  report: Pick<Report, 'account_id' | 'site_id' | 'group_id' | 'frequency' | 'hour' | 'timezone'>,
): Promise<Timing | undefined> {
  const shown = await sitesOf(directory, report);
  if (!shown) return undefined;
  const { frequency, hour, timezone } = report;
  const zones = shown.map((site) => site.timezone ?? UTC);
  return { frequency, hour, timezone, zones: zones.length > 0 ? [...new Set(zones)] : [UTC] };
}

/** The first period that is due after an instant. */
const nextAfter = (timing: Timing, now: number): Span =>
  spanAfter(timing.frequency, lastDue(timing, now).at(-1) ?? spanAt(timing.frequency, now));

export const nextSpan = ({ frequency, next_from }: Pick<Report, 'frequency' | 'next_from'>): Span =>
  spanAt(frequency, readDay(next_from) ?? 0);

/** The columns of the period that is next. */
export const scheduled = (timing: Timing, next: Span) => ({
  next_from: dayOf(next.from),
  due_at: dueAt(timing, next),
  attempts: 0,
  trouble: null,
});

type Saved = Reached & { userId: string; content: ReportContent };
/** Personal reports have a limit of their own, so that nobody uses up the account's. */
type Made = Saved & { isPersonal?: boolean };

/** Throws bad_request above the limit of the account, for addresses that have unsubscribed, and for webhooks of others. */
export async function createReport(parts: Parts, made: Made, now: number) {
  const { accountId, siteId, userId, content, isPersonal = false } = made;
  const columns = columnsOf(content, siteId);
  const timing = await timingOf(parts.directory, { account_id: accountId, ...columns });
  if (!timing) throw new Refusal('not_found', goneOf(content));
  return parts.directory.db.transaction().execute(async (db) => {
    await lockAccount(db, accountId);
    await checkPlace(db, { accountId, userId, isPersonal });
    const row = {
      id: makeId('report'),
      account_id: accountId,
      created_by: userId,
      created_at: now,
      ...columns,
      paused: 0 as const,
      personal: isPersonal ? (1 as const) : (0 as const),
      ...scheduled(timing, nextAfter(timing, now)),
    };
    await checkWebhooks(db, { accountId, ids: content.webhooks });
    await db.insertInto('reports').values(row).execute();
    await setRecipients(parts, db, { report: row, addresses: content.recipients });
    return readReport(row);
  });
}

type Place = { accountId: string; userId: string; isPersonal: boolean };

async function checkPlace(db: Kysely<Tables>, { accountId, userId, isPersonal }: Place): Promise<void> {
  const all = db.selectFrom('reports').select('id').where('account_id', '=', accountId);
  const own = isPersonal
    ? await all.where('personal', '=', 1).where('created_by', '=', userId).execute()
    : await all.where('personal', '=', 0).execute();
  if (own.length < (isPersonal ? MAX_PERSONAL_REPORTS : MAX_REPORTS)) return;
  throw new Refusal(
    'bad_request',
    isPersonal
      ? t('You can have {limit} reports: delete one to make another.', { limit: MAX_PERSONAL_REPORTS })
      : t('An account can have {limit} reports: delete one to make another.', { limit: MAX_REPORTS }),
  );
}

/**
 * Throws as `createReport` does, and not_found if the report was deleted or given another site since it was read. A period that was not
 * reported yet stays due.
 */
export async function changeReport(parts: Parts, { report, ...saved }: Saved & { report: Report }, now: number) {
  const { accountId, siteId, userId, content } = saved;
  const columns = columnsOf(content, siteId);
  const timing = await timingOf(parts.directory, { account_id: accountId, ...columns });
  if (!timing) throw new Refusal('not_found', goneOf(content));
  const keeps =
    columns.frequency === report.frequency &&
    columns.site_id === report.site_id &&
    columns.group_id === report.group_id;
  const next = keeps ? nextSpan(report) : nextAfter(timing, now);
  // Only the author's own segments may be used, so who chooses another segment becomes the author.
  const author = content.viewed.segment === report.viewed.segment ? {} : { created_by: userId };
  await parts.directory.db.transaction().execute(async (db) => {
    await lockAccount(db, accountId);
    await checkWebhooks(db, { accountId, ids: content.webhooks });
    const changes = { ...columns, ...author, ...scheduled(timing, next) };
    const changed = await db.updateTable('reports').set(changes).where(isStill(report)).executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new Refusal('not_found', say(NO_SUCH_REPORT));
    await setRecipients(parts, db, { report, addresses: content.recipients });
  });
}

/** A report that goes on starts with the next period. */
export async function pauseReport(
  directory: Directory,
  { report, paused }: { report: Report; paused: boolean },
  now: number,
): Promise<void> {
  const timing = await timingOf(directory, report);
  const next = !paused && report.paused && timing ? scheduled(timing, nextAfter(timing, now)) : {};
  await directory.db
    .updateTable('reports')
    .set({ paused: paused ? 1 : 0, ...next })
    .where(isStill(report))
    .execute();
}

/** Returns false if the report was deleted or given another site since it was read. */
export async function deleteReport({ db }: Pick<Directory, 'db'>, report: Report): Promise<boolean> {
  return (await db.deleteFrom('reports').where(isStill(report)).executeTakeFirst()).numDeletedRows > 0n;
}

function columnsOf(content: ReportContent, siteId: SiteId) {
  const { name, of, group, frequency, hour, timezone, viewed: shown } = content;
  if ((of === 'group') !== (group !== undefined))
    throw new Refusal('bad_request', t('group: goes with a report of a group, and with no other.'));
  const site_id = of === 'site' ? siteId : null;
  const group_id = group ?? null;
  const isAdded = GROUP_METRICS.some((name) => name === shown.metric);
  const metric = of === 'group' && !isAdded ? 'unique_visitors' : shown.metric;
  // Filters and segments belong to one site.
  const kept: Viewed = of === 'site' ? shown : { filters: [], metric };
  const zone = readZone(timezone) ?? UTC;
  return {
    site_id,
    group_id,
    name: checkName(name),
    frequency,
    hour,
    timezone: zone,
    viewed: JSON.stringify(kept),
    webhooks: JSON.stringify([...new Set(content.webhooks)]),
  };
}

export const lockAccount = (db: Kysely<Tables>, accountId: string) =>
  db.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();

/** The list that a recipient unsubscribes from. */
export const listOf = ({ account_id, id }: Pick<Report, 'account_id' | 'id'>): string => `${listsOf(account_id)}${id}`;

/** The prefix of the lists of all reports of an account. */
const listsOf = (accountId: string): string => `${accountId}__`;

/** Replaces the recipients. The address of a person of the account is read when a report is sent, so that it may change. */
async function setRecipients(
  { mail }: Parts,
  db: Kysely<Tables>,
  { report, addresses }: { report: Pick<Report, 'id' | 'account_id'>; addresses: readonly string[] },
): Promise<void> {
  const emails = [...new Set(addresses.map(normaliseEmail))];
  const members = await listMembers({ db }, report.account_id);
  const before = await recipientsOf(db, [report.id]);
  const wanted = emails.map((email) => {
    const userId = members.find((member) => member.email === email)?.userId;
    return userId === undefined ? { user_id: null, email } : { user_id: userId, email: null };
  });
  const isSame = (one: Omit<Recipient, 'id' | 'report_id'>, other: typeof one) =>
    one.user_id === other.user_id && one.email === other.email;
  const added = wanted.filter((one) => !before.some((other) => isSame(one, other)));
  for (const { email } of added)
    if (email !== null && (await mail.hasRefusedAny(db, email, `reports:${listsOf(report.account_id)}`)))
      throw new Refusal(
        'bad_request',
        t(
          'recipients: {email} has unsubscribed from a report of this account. Only they can subscribe again, with the link in the mail that they got.',
          { email },
        ),
      );
  const removed = before.filter((one) => !wanted.some((other) => isSame(one, other)));
  for (const { id } of removed) await db.deleteFrom('report_recipients').where('id', '=', id).execute();
  for (const one of added)
    await db
      .insertInto('report_recipients')
      .values({ id: makeId('recipient'), report_id: report.id, ...one })
      .execute();
}
