// Sends reports: a job looks for those that are due, computes the numbers outside of any transaction, and then queues the mails and the messages
// to webhooks and moves the report on to its next period in one transaction. So a kill at any moment sends nothing twice and loses nothing.
// A report that fails is tried again after growing pauses, until its next period is due.
import type { Kysely } from 'kysely';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import { billingOf, type Config } from '../../config.ts';
import { makeId } from '../../directory/ids.ts';
import { habitsOfRecipient } from '../../directory/habits.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { inHabits } from '../../process/habits.ts';
import type { Log } from '../../process/log.ts';
import { asPage } from '../../messages/mail/layout.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { Site } from '../../sites/sites.ts';
import type { Stats } from '../../stats/run.ts';
import { USUAL_HABITS } from '../../vocabulary/habits/habits.ts';
import { MAX_REPORT_MAILS_A_DAY, TOO_MANY_REPORT_MAILS } from '../../vocabulary/settings/reports.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import type { Webhooks } from '../../messages/webhooks/webhooks.ts';
import {
  deleteReport,
  isStill,
  nextSpan,
  readReport,
  recipientsOf,
  type Report,
  scheduled,
  sitesOf,
  timingOf,
} from './definitions.ts';
import { type Editions, editionsFor, type Readership } from './editions.ts';
import type { Asking } from './letter.ts';
import { messageOf } from './message.ts';
import { hasLostItsReader, type Reader, readerOf, readersOf } from './readers.ts';
import { addRun, forgetRuns } from './runs.ts';
import { dueAt, lastDue, type Span, spanAfter, type Timing } from './schedule.ts';
import { endReport, noteTrouble } from './trouble.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

/** Reports computed at the same time: the store has few readers. */
const AT_ONCE = 2;
/** No report is due later than this: longer, and the clock was ahead and has been set back. */
const FURTHEST_MS = { daily: 3 * DAY_MS, weekly: 10 * DAY_MS, monthly: 34 * DAY_MS };
/** Receivers of webhooks may have no account, such as the members of a Slack channel. */
const OF_WEBHOOKS: Readership = { audience: 'guest', habits: USUAL_HABITS };

const UNREAD = message('The numbers could not be read. Footfall tries again by itself.');

export type Reports = {
  /** Called by a job. After `signal`, what is left stays due. */
  sendDue(signal?: AbortSignal): Promise<void>;
  /** Sends the last period to somebody, or to all recipients and webhooks. Returns how many mails and messages were queued. */
  sendNow(report: Report, to: { userId: string } | 'all'): Promise<Sent>;
  /** The mail of the last period as a page, as this person would get it. */
  preview(report: Report, email: string): Promise<string>;
};

type Sent = { mails: number; messages: number };

type Options = {
  directory: Directory;
  stats: Stats;
  mail: Pick<Mail, 'send' | 'write' | 'hasRefused' | 'isOn' | 'forget'>;
  webhooks: Pick<Webhooks, 'send'>;
  config: Parameters<typeof billingOf>[0] & Pick<Config, 'BASE_URL'>;
  now(): number;
  log: Log;
  render?: Asking['render'];
  /** Aborted when a report has computed for too long. */
  patience?: () => AbortSignal;
};

export function openReports(options: Options): Reports {
  const { directory, now, log } = options;
  const { db } = directory;

  return {
    async sendDue(signal) {
      const time = now();
      const active = db.selectFrom('reports').selectAll().where('paused', '=', 0);
      const late = active.where((eb) =>
        eb.or([
          eb('due_at', '<=', time),
          ...Object.entries(FURTHEST_MS).map(([frequency, ms]) =>
            eb.and([eb('frequency', '=', frequency as keyof typeof FURTHEST_MS), eb('due_at', '>', time + ms)]),
          ),
        ]),
      );
      const rows = (await late.orderBy('due_at').orderBy('id').execute()).map(readReport).values();
      const work = async () => {
        for (const report of rows) {
          if (signal?.aborted) return;
          await sendOne(options, report).catch((error: unknown) =>
            log.error({ error, report_id: report.id }, 'a report failed, and that could not be noted'),
          );
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    },
    async sendNow(report, to) {
      const { timing, sites } = await placeOf(options, report);
      const span = lastDue(timing, now()).at(-1) ?? nextSpan(report);
      const readers = to === 'all' ? await readersOf(options, report, sites) : await readerOf(options, report, to);
      const webhookIds = to === 'all' ? report.webhooks : [];
      const editions = await editionsFor(options, {
        report,
        span,
        sites,
        readerships: readershipsOf(readers, webhookIds),
      });
      const run = makeId('run');
      return db.transaction().execute(async (trx) => {
        const key = `${report.id} ${run}`;
        await addRun(trx, { id: run, key, report, span, state: 'on request', mails: readers.length }, now());
        return queue(options, trx, { report, span, readers, webhookIds, editions, key });
      });
    },
    async preview(report, email) {
      const { timing, sites } = await placeOf(options, report);
      const span = lastDue(timing, now()).at(-1) ?? nextSpan(report);
      const readership = { audience: 'member', habits: await habitsOfRecipient(directory.db, email) } as const;
      const edition = (await editionsFor(options, { report, span, sites, readerships: [readership] }))(readership);
      if (!edition) throw new Error('the preview was not written');
      const letter = () => options.mail.write({ kind: 'report', to: email, data: edition.mail });
      return asPage(inHabits(readership.habits, letter));
    },
  };
}

/** Sends what is due of one report, notes why it failed, or puts its next time right. */
async function sendOne(options: Options, listed: Report): Promise<void> {
  const { directory, now, log } = options;
  // Reports before this one may have taken minutes. If it was changed, sent or paused meanwhile, a later turn takes it.
  const rows = directory.db.selectFrom('reports').selectAll().where('id', '=', listed.id).where('paused', '=', 0);
  const row = await rows.where('due_at', '=', listed.due_at).executeTakeFirst();
  if (!row) return;
  const report = readReport(row);
  const time = now();
  const timing = await timingOf(directory, report);
  if (!timing) return endReport(options, report);
  const due = lastDue(timing, time);
  const next = nextSpan(report);
  const latest = due[due.length - 1] ?? next;
  const furthest = time + FURTHEST_MS[report.frequency];
  if (next.from > latest.from) {
    // The clock has been set back: what was reported before is not reported again. Or the site has changed its zone.
    const right = dueAt(timing, next) > furthest ? latest : next;
    await moveOn(directory.db, report, scheduled(timing, right));
    return;
  }
  const span = due.find(({ from }) => from >= next.from) ?? latest;
  try {
    await sendSpan(options, { report, timing, span, skipped: next.from < span.from ? next : undefined });
  } catch (error) {
    const isRefused = error instanceof Refusal;
    if (!isRefused) log.warn({ error, report_id: report.id }, 'a report could not be written: it is tried again');
    const trouble = isRefused ? error.message : UNREAD;
    await noteTrouble(options, { report, span, trouble, isRefused });
  }
}

type Sending = { report: Report; timing: Timing; span: Span; skipped: Span | undefined };

async function sendSpan(options: Options, { report, timing, span, skipped }: Sending): Promise<void> {
  const { directory, now } = options;
  const { sites, isExpired } = await placeOf(options, report);
  if (await hasLostItsReader(directory, report, sites)) {
    await deleteReport(directory, report);
    return;
  }
  const readers = isExpired ? [] : await readersOf(options, report, sites);
  const webhookIds = isExpired ? [] : report.webhooks;
  const editions = await editionsFor(options, { report, span, sites, readerships: readershipsOf(readers, webhookIds) });
  const following = spanAfter(timing.frequency, span);
  await directory.db.transaction().execute(async (trx) => {
    if (!(await moveOn(trx, report, scheduled(timing, following)))) return; // another process was faster, or somebody changed it
    const kept = (await recipientsOf(trx, [report.id])).map(({ id }) => id);
    const still = readers.filter(({ recipientId }) => kept.includes(recipientId)); // without those removed meanwhile
    const ofPeriod = ({ from }: Span) => `${report.id} ${report.frequency} ${dayOf(from)}`;
    for (let left = skipped; left && left.from < span.from; left = spanAfter(timing.frequency, left))
      await addRun(trx, { key: ofPeriod(left), report, span: left, state: 'skipped', mails: 0 }, now());
    const state = isExpired ? 'skipped' : 'queued';
    const isNew = await addRun(trx, { key: ofPeriod(span), report, span, state, mails: still.length }, now());
    if (isNew) await queue(options, trx, { report, span, readers: still, webhookIds, editions, key: ofPeriod(span) });
    await forgetRuns(trx, report, now());
  });
}

type Place = { timing: Timing; sites: Site[]; isExpired: boolean };

/** The sites of a report, and whether its account may see numbers. Throws not_found if its site is gone. */
async function placeOf({ directory, config, now }: Options, report: Report): Promise<Place> {
  const { db } = directory;
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', report.account_id).executeTakeFirst();
  const [sites, timing] = await Promise.all([sitesOf(directory, report), timingOf(directory, report)]);
  if (!account || !sites || !timing) {
    const isOfSite = report.group_id === null;
    throw new Refusal(
      'not_found',
      isOfSite
        ? t('The site of this report no longer belongs to this account.')
        : t('The group of this report was deleted.'),
    );
  }
  const { canSeeDashboard } = effectivePlan(account, now(), { billing: billingOf(config) });
  return { timing, sites, isExpired: !canSeeDashboard };
}

const readershipsOf = (readers: readonly Reader[], webhookIds: readonly string[]): Readership[] => [
  ...readers,
  ...(webhookIds.length > 0 ? [OF_WEBHOOKS] : []),
];

type Queueing = {
  report: Report;
  span: Span;
  readers: readonly Reader[];
  webhookIds: readonly string[];
  editions: Editions;
  key: string;
};

/** Throws bad_request above the daily limit of the account, this run included. Returns what is new. */
async function queue({ mail, webhooks, now }: Options, db: Kysely<Tables>, queued: Queueing): Promise<Sent> {
  const { report, span, readers, webhookIds, editions, key } = queued;
  const recent = db.selectFrom('report_runs').select((eb) => eb.fn.sum<number | string | null>('mails').as('mails'));
  const { mails: ofDay } = await recent
    .where('account_id', '=', report.account_id)
    .where('created_at', '>', now() - DAY_MS)
    .executeTakeFirstOrThrow();
  if (Number(ofDay ?? 0) > MAX_REPORT_MAILS_A_DAY) throw new Refusal('bad_request', say(TOO_MANY_REPORT_MAILS));
  let mails = 0;
  for (const { email, recipientId, ...readership } of readers) {
    const data = editions(readership)?.mail;
    if (data && (await mail.send(db, { kind: 'report', key: `report ${key} ${recipientId}`, to: email, data })))
      mails += 1;
  }
  const edition = webhookIds.length > 0 ? editions(OF_WEBHOOKS) : undefined;
  if (!edition) return { mails, messages: 0 };
  const delivery = {
    accountId: report.account_id,
    siteId: report.site_id as SiteId | null,
    webhookIds,
    key: `report ${key}`,
    message: messageOf(report, span, edition),
  };
  return { mails, messages: await webhooks.send(db, delivery, now()) };
}

/** Returns false if the report is no longer as it was read. */
async function moveOn(db: Kysely<Tables>, report: Report, to: ReturnType<typeof scheduled>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reports')
    .set(to)
    .where(isStill(report))
    .where('next_from', '=', report.next_from)
    .where('frequency', '=', report.frequency)
    .where('hour', '=', report.hour)
    .where('timezone', '=', report.timezone)
    .where('viewed', '=', JSON.stringify(report.viewed))
    .where('webhooks', '=', JSON.stringify(report.webhooks))
    .where('paused', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
