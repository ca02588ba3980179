// Sends reports: a job looks for those that are due, computes the numbers outside of any transaction, and then queues the mails and moves the
// report on to its next period in one transaction. So a kill at any moment sends nothing twice and loses nothing. A report that fails is
// tried again after growing pauses, until its next period is due.
import type { Kysely } from 'kysely';
import { listMembers } from '../accounts/people.ts';
import { effectivePlan } from '../accounts/plans.ts';
import { billingOf, type Config } from '../config.ts';
import { makeId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Log } from '../log.ts';
import { asPage } from '../mail/layout.ts';
import type { ReportMail } from '../mail/kinds.ts';
import type { Mail } from '../mail/mail.ts';
import { renderOnThread } from '../preview/thread.ts';
import { mayDo } from '../sites/access.ts';
import { goals } from '../sites/goals.ts';
import { listSites, type Site } from '../sites/sites.ts';
import type { Sight } from '../stats/small-numbers.ts';
import type { Stats } from '../stats/run.ts';
import { MAX_REPORT_MAILS_A_DAY } from '../vocabulary/reports.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from '../vocabulary/time.ts';
import { listOf, nextSpan, readReport, recipientsOf, type Report, scheduled, timingOf } from './definitions.ts';
import { type Asking, writeAccountReport, writeSiteReport } from './letter.ts';
import { dueAt, lastDue, type Span, spanAfter, type Timing } from './schedule.ts';
import { viewOf } from './view.ts';

/** Pauses after the first, second … failed attempt; the last one repeats. */
const PAUSES_MS = [1, 5, 15].map((minutes) => minutes * MINUTE_MS).concat([1, 2, 4].map((hours) => hours * HOUR_MS));
/** The longest that one report may compute, so that a slow store does not hold up the others. */
const PATIENCE_MS = 2 * MINUTE_MS;
/** Reports computed at the same time: the store has few readers. */
const AT_ONCE = 2;
/** How long the log keeps what was sent. */
const KEPT_MS = 365 * DAY_MS;
/** No report is due later than this: longer, and the clock was ahead and has been set back. */
const FURTHEST_MS = { daily: 3 * DAY_MS, weekly: 10 * DAY_MS, monthly: 34 * DAY_MS };

export type Reports = {
  /** Called by a job. After `signal`, what is left stays due. */
  sendDue(signal?: AbortSignal): Promise<void>;
  /** Sends the last period to somebody, or to all recipients. Returns how many mails were queued. */
  sendNow(report: Report, to: { userId: string } | 'all'): Promise<number>;
  /** The mail of the last period as a page, as this person would get it. */
  preview(report: Report, email: string): Promise<string>;
};

export type Options = {
  directory: Directory;
  stats: Stats;
  mail: Pick<Mail, 'send' | 'write' | 'hasRefused' | 'isOn' | 'forget'>;
  config: Parameters<typeof billingOf>[0] & Pick<Config, 'BASE_URL'>;
  now(): number;
  log: Log;
  render?: Asking['render'];
  /** Aborted when a report has computed for too long. */
  patience?: () => AbortSignal;
};

/** Recipients without access to the site in the dashboard see what the viewers of a share link see. */
const GUEST: Sight = { properties: false, few: false };
type Audience = 'member' | 'guest';
type Reader = { email: string; recipientId: string; audience: Audience };

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
      const letters = await lettersFor(options, { report, span, sites, readers });
      const run = makeId('run');
      return db.transaction().execute(async (trx) => {
        const key = `${report.id} ${run}`;
        await addRun(trx, { id: run, key, report, span, state: 'on request', mails: readers.length }, now());
        return queue(options, trx, { report, readers, letters, key });
      });
    },
    async preview(report, email) {
      const { timing, sites } = await placeOf(options, report);
      const span = lastDue(timing, now()).at(-1) ?? nextSpan(report);
      const readers: Reader[] = [{ email, recipientId: 'preview', audience: 'member' }];
      const data = (await lettersFor(options, { report, span, sites, readers })).get('member');
      if (!data) throw new Error('the preview was not written');
      return asPage(options.mail.write({ kind: 'report', to: email, data }));
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
    const trouble = isRefused ? error.message : 'The numbers could not be read. Footfall tries again by itself.';
    await noteTrouble(options, { report, span, trouble, isRefused });
  }
}

type Sending = { report: Report; timing: Timing; span: Span; skipped: Span | undefined };

async function sendSpan(options: Options, { report, timing, span, skipped }: Sending): Promise<void> {
  const { directory, now } = options;
  const { sites, isExpired } = await placeOf(options, report);
  const readers = isExpired ? [] : await readersOf(options, report, sites);
  const letters = await lettersFor(options, { report, span, sites, readers });
  const following = spanAfter(timing.frequency, span);
  await directory.db.transaction().execute(async (trx) => {
    if (!(await moveOn(trx, report, scheduled(timing, following)))) return; // another process was faster, or somebody changed it
    const ofPeriod = ({ from }: Span) => `${report.id} ${report.frequency} ${dayOf(from)}`;
    for (let left = skipped; left && left.from < span.from; left = spanAfter(timing.frequency, left))
      await addRun(trx, { key: ofPeriod(left), report, span: left, state: 'skipped', mails: 0 }, now());
    const state = isExpired ? 'skipped' : 'queued';
    const isNew = await addRun(trx, { key: ofPeriod(span), report, span, state, mails: readers.length }, now());
    if (isNew) await queue(options, trx, { report, readers, letters, key: ofPeriod(span) });
    await trx
      .deleteFrom('report_runs')
      .where('report_id', '=', report.id)
      .where('created_at', '<', now() - KEPT_MS)
      .execute();
  });
}

type Place = { timing: Timing; sites: Site[]; isExpired: boolean };

/** The sites of a report, and whether its account may see numbers. Throws not_found if its site is gone. */
async function placeOf({ directory, config, now }: Options, report: Report): Promise<Place> {
  const { db } = directory;
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', report.account_id).executeTakeFirst();
  const all = await listSites(directory, report.account_id);
  const sites = report.site_id === null ? all : all.filter(({ id }) => id === report.site_id);
  const timing = await timingOf(directory, report);
  if (!account || !timing) throw new Refusal('not_found', 'The site of this report no longer belongs to this account.');
  const { canSeeDashboard } = effectivePlan(account, now(), { billing: billingOf(config) });
  return { timing, sites, isExpired: !canSeeDashboard };
}

/** The recipients who may get the report: people who still see its sites, and others, without those who have unsubscribed. */
async function readersOf({ directory, mail }: Options, report: Report, sites: readonly Site[]): Promise<Reader[]> {
  const { db } = directory;
  const members = new Map((await listMembers(directory, report.account_id)).map((one) => [one.userId, one]));
  const readers: Reader[] = [];
  for (const { id, user_id, email } of await recipientsOf(db, [report.id])) {
    const member = user_id === null ? undefined : members.get(user_id);
    const to = email ?? (member && seesAll(member, sites) ? member.email : undefined);
    if (to === undefined || (await mail.hasRefused(db, to, `reports:${listOf(report)}`))) continue;
    readers.push({ email: to, recipientId: id, audience: email === null ? 'member' : 'guest' });
  }
  return readers;
}

type Member = Awaited<ReturnType<typeof listMembers>>[number];

const seesAll = ({ role, siteIds }: Member, sites: readonly { id: SiteId }[]): boolean =>
  mayDo(role, 'read') && (siteIds === null || sites.every(({ id }) => siteIds.includes(id)));

async function readerOf({ directory }: Options, report: Report, { userId }: { userId: string }): Promise<Reader[]> {
  const member = (await listMembers(directory, report.account_id)).find((one) => one.userId === userId);
  return member ? [{ email: member.email, recipientId: userId, audience: 'member' }] : [];
}

type Writing = { report: Report; span: Span; sites: readonly Site[]; readers: readonly Reader[] };

/** Writes the report once for each audience. Gives up when the store is too slow. */
async function lettersFor(options: Options, of: Writing): Promise<Map<Audience, ReportMail>> {
  const {
    directory,
    stats,
    now,
    render = renderOnThread,
    patience: newPatience = () => AbortSignal.timeout(PATIENCE_MS),
  } = options;
  const { report, span, readers } = of;
  const letters = new Map<Audience, ReportMail>();
  for (const audience of new Set(readers.map((reader) => reader.audience))) {
    const patience = newPatience();
    const gaveUp = new Promise<never>((_, reject) => {
      patience.addEventListener('abort', () => reject(new Error('the store was too slow for a report')), {
        once: true,
      });
    });
    gaveUp.catch(() => undefined);
    const asking: Asking = {
      stats: stats.askedBy({ lane: report.account_id, signal: patience }, audience === 'guest' ? GUEST : undefined),
      now: now(),
      render,
      hidesFew: audience === 'guest' && !GUEST.few,
    };
    letters.set(audience, await Promise.race([write(directory, asking, { report, span, sites: of.sites }), gaveUp]));
  }
  return letters;
}

async function write(
  directory: Directory,
  asking: Asking,
  { report, span, sites }: Omit<Writing, 'readers'>,
): Promise<ReportMail> {
  const seen = await Promise.all(
    sites.map(async (site) => ({ site, view: await viewOf(directory, { report, site, span }) })),
  );
  const [only] = seen;
  if (report.site_id === null || !only) return writeAccountReport(asking, { report, span, sites: seen });
  const ofSite = await goals.list(directory, { siteId: only.site.id });
  return writeSiteReport(asking, { report, span, ...only, goals: ofSite });
}

type Queueing = { report: Report; readers: readonly Reader[]; letters: Map<Audience, ReportMail>; key: string };

/** Throws bad_request above the daily limit of the account, this run included. Returns how many mails are new. */
async function queue(
  { mail, now }: Options,
  db: Kysely<Tables>,
  { report, readers, letters, key }: Queueing,
): Promise<number> {
  const recent = db.selectFrom('report_runs').select((eb) => eb.fn.sum<number | string | null>('mails').as('mails'));
  const { mails } = await recent
    .where('account_id', '=', report.account_id)
    .where('created_at', '>', now() - DAY_MS)
    .executeTakeFirstOrThrow();
  if (Number(mails ?? 0) > MAX_REPORT_MAILS_A_DAY)
    throw new Refusal(
      'bad_request',
      `An account can have ${MAX_REPORT_MAILS_A_DAY} reports mailed a day: wait until tomorrow.`,
    );
  let sent = 0;
  for (const { email, recipientId, audience } of readers) {
    const data = letters.get(audience);
    if (data && (await mail.send(db, { kind: 'report', key: `report ${key} ${recipientId}`, to: email, data })))
      sent += 1;
  }
  return sent;
}

type Run = {
  id?: string;
  key: string;
  report: Report;
  span: Span;
  state: Tables['report_runs']['state'];
  mails: number;
};

/** Returns false if this period was reported or left out before. */
async function addRun(db: Kysely<Tables>, { id, key, report, span, state, mails }: Run, now: number): Promise<boolean> {
  const added = await db
    .insertInto('report_runs')
    .values({
      ...{ id: id ?? makeId('run'), key, report_id: report.id, account_id: report.account_id },
      ...{ date_from: dayOf(span.from), date_to: dayOf(span.to - DAY_MS), state, mails, created_at: now },
    })
    // A clock that was ahead may have left out a period whose time comes again.
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ state, mails, created_at: now })
        .where('report_runs.state', '=', state === 'skipped' ? 'on request' : 'skipped'),
    )
    .returning('id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Returns false if the report is no longer as it was read. */
async function moveOn(db: Kysely<Tables>, report: Report, to: ReturnType<typeof scheduled>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reports')
    .set(to)
    .where('id', '=', report.id)
    .where('next_from', '=', report.next_from)
    .where('frequency', '=', report.frequency)
    .where('hour', '=', report.hour)
    .where('timezone', '=', report.timezone)
    .where('paused', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

type Trouble = { report: Report; span: Span; trouble: string; isRefused: boolean };

/** Only what people can mend is mailed to them, once for each period. */
async function noteTrouble(options: Options, { report, span, trouble, isRefused }: Trouble): Promise<void> {
  const { directory, now } = options;
  const pause = PAUSES_MS[Math.min(report.attempts, PAUSES_MS.length - 1)] ?? HOUR_MS;
  await directory.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('reports')
      .set({ attempts: report.attempts + 1, due_at: now() + pause, trouble })
      .where('id', '=', report.id)
      .where('next_from', '=', report.next_from)
      .where('attempts', '=', report.attempts)
      .executeTakeFirst();
    if (numUpdatedRows === 1n && isRefused)
      await tellOwners(options, trx, { report, why: trouble, occasion: dayOf(span.from) });
  });
}

/** The site was deleted, or belongs to another account now. */
async function endReport(options: Options, report: Report): Promise<void> {
  const why =
    report.site_id === null ? 'The account has no sites any more.' : 'Its site was deleted, so the report has ended.';
  await options.directory.db.transaction().execute(async (trx) => {
    const ended = await trx.deleteFrom('reports').where('id', '=', report.id).executeTakeFirst();
    if (ended.numDeletedRows === 0n) return;
    await options.mail.forget(trx, { recipients: [], about: [report.id] });
    await tellOwners(options, trx, { report, why, occasion: 'end' });
  });
}

type News = { report: Report; why: string; occasion: string };

async function tellOwners(
  { directory, mail }: Options,
  db: Kysely<Tables>,
  { report, why, occasion }: News,
): Promise<void> {
  const owners = (await listMembers({ db }, report.account_id)).filter(
    ({ role, userId }) => role === 'owner' || (userId === report.created_by && mayDo(role, 'admin')),
  );
  const site =
    report.site_id === null
      ? undefined
      : (await listSites(directoryIn(directory, db), report.account_id)).find(({ id }) => id === report.site_id);
  for (const { userId, email } of owners)
    await mail.send(db, {
      ...{ kind: 'report_stopped', key: `report_stopped ${report.id} ${occasion} ${userId}`, to: email },
      data: { name: report.name, why, site: site?.domain ?? null },
    });
}

/** SQLite has a single connection, so everything within a transaction asks through it. */
const directoryIn = (directory: Directory, db: Kysely<Tables>): Directory => ({
  ...directory,
  db: db as Directory['db'],
});

/** The last runs of a report, newest first, each with its mails. */
export async function readLog({ db }: Pick<Directory, 'db'>, report: Pick<Report, 'id'>, limit: number) {
  const runs = await db
    .selectFrom('report_runs')
    .selectAll()
    .where('report_id', '=', report.id)
    .orderBy('created_at', 'desc')
    .orderBy('date_from', 'desc')
    .limit(limit)
    .execute();
  return Promise.all(
    runs.map(async ({ key, date_from, date_to, state, created_at }) => {
      const prefix = `report ${key} `;
      const mails = await db
        .selectFrom('mails')
        .select(['recipient', 'state', 'attempts', 'answer', 'ended_at'])
        .where('key', '>=', prefix)
        .where('key', '<', `${prefix}~`)
        .orderBy('recipient')
        .execute();
      return { date_from, date_to, state, created_at, mails };
    }),
  );
}
