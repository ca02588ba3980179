// The table of all background jobs.
import { eraseAccounts } from './account-erasure.ts';
import { forgetActions, LOG_KEPT_MS } from '../accounts/account-log.ts';
import { forgetEmailChanges } from '../accounts/people/email-change.ts';
import { forgetInvitations } from '../accounts/people/invitations.ts';
import { forgetSessions } from '../accounts/sign-in/expired-sessions.ts';
import { forgetSignUps } from '../accounts/people/sign-up.ts';
import { countForAlerts } from '../notifications/alerts/counting.ts';
import { forgetIncidents, INCIDENTS_KEPT_MS } from '../notifications/alerts/incidents.ts';
import { noticeMentions } from '../notifications/alerts/mentions.ts';
import { watchLimits } from '../notifications/alerts/limits.ts';
import { noticeErrors } from '../notifications/alerts/new-errors.ts';
import { tellIncidents } from '../notifications/alerts/telling.ts';
import { openTrafficWatch } from '../notifications/alerts/traffic.ts';
import { mailPlanNotices } from '../accounts/billing/notices.ts';
import type { Payments } from '../accounts/billing/open.ts';
import type { Billing } from '../config.ts';
import type { Directory } from '../directory/open.ts';
import type { Log } from '../process/log.ts';
import type { Mail } from '../messages/mail/mail.ts';
import { forgetMails, KEPT_MS } from '../messages/mail/queue.ts';
import type { Releases } from '../integrations/releases.ts';
import type { MentionSearch } from '../integrations/mentions/search.ts';
import type { Queue } from '../queue/queue.ts';
import type { SecurityLog } from '../process/security-log.ts';
import type { Exporting } from './exporting/exporting.ts';
import type { Importing } from './importing.ts';
import type { Purging } from './purging.ts';
import { openDemoFeed } from './demo/feed.ts';
import type { Deletion } from './site-deletion.ts';
import { forgetImports } from '../sites/imports.ts';
import { forgetReleased, RESERVED_MS } from '../sites/domains/released-domains.ts';
import { forgetOffers } from '../sites/transfers.ts';
import { forgetClaims } from '../sites/domains/claims.ts';
import { destroySalts } from '../sites/salts.ts';
import { sitesUnderQuota } from '../sites/sites.ts';
import { countMonths } from '../stats/answers/month.ts';
import type { Reports } from '../notifications/reports/reports.ts';
import type { SearchConsole, SearchData } from '../integrations/search-console/open.ts';
import type { Stats } from '../stats/run.ts';
import { MONTHLY_EVENTS } from '../vocabulary/accounts/plans.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../vocabulary/time/time.ts';
import { DELIVERIES_KEPT_MS } from '../vocabulary/settings/webhooks.ts';
import { forgetDeliveries } from '../messages/webhooks/queue.ts';
import { forgetSecrets } from '../messages/webhooks/stored.ts';
import type { Webhooks } from '../messages/webhooks/webhooks.ts';
import type { Collecting } from '../collect/open.ts';
import type { Writing } from './writing.ts';
import type { Job } from './run.ts';

type JobParts = Pick<Collecting, 'collector' | 'lastEvents' | 'overQuota'> & {
  salts: Pick<Collecting['salts'], 'forget'>;
  directory: Directory;
  queue: Pick<Queue, 'status'>;
  stats: Stats;
  deletion: Deletion;
  purging: Pick<Purging, 'finish'>;
  importing: Pick<Importing, 'tidy' | 'sweep'>;
  exporting: Pick<Exporting, 'run' | 'sweep'>;
  reports: Pick<Reports, 'sendDue'>;
  searchConsole: Pick<SearchConsole, 'readDue'> | undefined;
  searchData: Pick<SearchData, 'dropLeftovers' | 'withdrawDue'>;
  sumDays: Writing['sumDays'];
  mail: Pick<Mail, 'deliver' | 'send' | 'forget' | 'isOn'>;
  webhooks: Pick<Webhooks, 'deliver' | 'send'>;
  payments: Payments | undefined;
  billing: Billing;
  mentions: Pick<MentionSearch, 'run'>;
  releases: Pick<Releases, 'check'>;
  /** True if accounts above their monthly limit are no longer counted. */
  dropsOverQuota: boolean;
  isDemoOpen: boolean;
  security: SecurityLog;
  log: Log;
};

export function jobsOf(parts: JobParts): Job[] {
  const { directory, queue, collector, lastEvents, salts, deletion, mail, webhooks } = parts;
  const noticeBuried = openBuriedNotice(parts);
  const traffic = openTrafficWatch(parts);
  const feedDemo = openDemoFeed(parts);
  /** Nothing from before this time waits in the queue. */
  const waitingSince = async (now: number) => Math.min(now, (await queue.status()).oldestAt ?? now);
  const each = 'each process';
  const one = 'one process';

  return [
    { name: 'flush-drops', where: each, when: { everyMs: 5_000 }, run: () => collector.flushDrops() },
    { name: 'touch-sites', where: each, when: { everyMs: 5_000 }, run: () => lastEvents.flush() },
    { name: 'feed-demo', where: one, when: { everyMs: 5_000 }, run: feedDemo },
    { name: 'refresh-quota', where: each, when: { everyMs: MINUTE_MS }, run: ({ now }) => refreshQuota(parts, now) },
    // A day with events in the queue keeps its salt, so that its visitors keep their ids.
    {
      name: 'forget-salts',
      where: each,
      when: { everyMs: MINUTE_MS },
      run: async ({ now }) => salts.forget(await waitingSince(now)),
    },
    {
      name: 'destroy-salts',
      where: one,
      when: { everyMs: MINUTE_MS },
      run: async ({ now }) => void (await destroySalts(directory, { inUseSince: await waitingSince(now) })),
    },
    // A deleted site's rows must be in no file after a minute: this interval, the rewriting, and the removal of the old files.
    { name: 'erase-deleted', where: one, when: { everyMs: 5_000 }, run: () => deletion.erase() },
    // After five minutes, events that were on their way when a site was deleted are in the queue, and are stored once nothing older than that
    // waits. This also finishes deletions that a killed process left unfinished.
    {
      name: 'finish-deletions',
      where: one,
      when: { everyMs: MINUTE_MS },
      run: async ({ now }) => deletion.finish((await waitingSince(now)) - 5 * MINUTE_MS),
    },
    // Where Stripe does not answer, the next run tries again.
    { name: 'erase-accounts', where: one, when: { everyMs: MINUTE_MS }, run: ({ now }) => eraseAccounts(parts, now) },
    // Each purge keeps its own state in the directory, and every step may run twice.
    {
      name: 'finish-purges',
      where: one,
      restsWithStore: true,
      when: { everyMs: MINUTE_MS },
      run: () => parts.purging.finish(),
    },
    { name: 'tidy-imports', where: one, when: { everyMs: MINUTE_MS }, run: () => parts.importing.tidy() },
    { name: 'sweep-imports', where: one, when: { daily: '03:40' }, run: () => parts.importing.sweep() },
    // Rows of a deleted site are in its files, too: see erase-deleted.
    { name: 'sweep-exports', where: one, when: { everyMs: 5_000 }, run: () => parts.exporting.sweep() },
    // A kill leaves the export that it interrupted to the next run.
    { name: 'make-exports', where: one, when: { everyMs: 5_000 }, run: (turn) => parts.exporting.run(turn) },
    // Until a day is summed it is read from its events, so nobody waits for this.
    {
      name: 'sum-days',
      where: one,
      restsWithStore: true,
      when: { everyMs: MINUTE_MS },
      run: async ({ now, signal }) => void (await parts.sumDays({ now, signal })),
    },
    // The store refused these events, so they appear in no report. Without a log line nobody would notice them.
    { name: 'report-buried', where: one, when: { everyMs: MINUTE_MS }, run: noticeBuried },
    {
      name: 'forget-sessions',
      where: one,
      when: { everyMs: HOUR_MS },
      noted: 'with its work',
      run: async ({ now, db }) => {
        await forgetSessions({ db }, now);
        await forgetEmailChanges({ db }, now);
        await forgetSignUps({ db }, now);
      },
    },
    {
      name: 'forget-account-log',
      where: one,
      when: { daily: '03:00' },
      noted: 'with its work',
      run: ({ now, db }) => forgetActions({ db }, now - LOG_KEPT_MS),
    },
    {
      name: 'forget-invitations',
      where: one,
      when: { daily: '03:00' },
      noted: 'with its work',
      run: async ({ now, db }) => {
        await forgetInvitations({ db }, now);
        await forgetOffers({ db }, now);
      },
    },
    {
      name: 'forget-released',
      where: one,
      when: { daily: '03:00' },
      noted: 'with its work',
      run: async ({ now, db }) => {
        await forgetReleased({ db }, now - RESERVED_MS);
        await forgetClaims({ db }, now);
      },
    },
    // Each report keeps its own progress in the directory, so a kill neither repeats nor loses one.
    {
      name: 'send-reports',
      where: one,
      when: { everyMs: MINUTE_MS },
      run: ({ signal }) => parts.reports.sendDue(signal),
    },
    // Each connection keeps its own progress in the directory, and a day that is read again replaces what was stored.
    {
      name: 'read-search-terms',
      where: one,
      when: { everyMs: 5_000 },
      run: async ({ now, signal }) => parts.searchConsole?.readDue({ now, signal }),
    },
    {
      name: 'drop-search-terms',
      where: one,
      when: { everyMs: HOUR_MS },
      run: () => parts.searchData.dropLeftovers(),
    },
    // Each permission keeps its own next attempt in the directory, and withdrawing one twice changes nothing.
    {
      name: 'withdraw-grants',
      where: one,
      when: { everyMs: MINUTE_MS },
      run: ({ signal }) => parts.searchData.withdrawDue(signal),
    },
    // An hour is judged from all of its events, so a run after downtime makes up for missed ones.
    {
      name: 'watch-traffic',
      where: one,
      restsWithStore: true,
      when: { everyMs: 5 * MINUTE_MS },
      run: (turn) => traffic.run(turn),
    },
    { name: 'watch-limits', where: one, when: { everyMs: 5 * MINUTE_MS }, run: ({ now }) => watchLimits(parts, now) },
    {
      name: 'notice-errors',
      where: one,
      restsWithStore: true,
      when: { everyMs: 5 * MINUTE_MS },
      run: ({ now }) => noticeErrors(parts, now),
    },
    {
      name: 'count-alerts',
      where: one,
      restsWithStore: true,
      when: { everyMs: MINUTE_MS },
      run: ({ now }) => countForAlerts(parts, now),
    },
    // A job of its own: what was noticed is told even while the store cannot count.
    { name: 'tell-alerts', where: one, when: { everyMs: 15_000 }, run: ({ now }) => tellIncidents(parts, now) },
    { name: 'notice-mentions', where: one, when: { everyMs: MINUTE_MS }, run: ({ now }) => noticeMentions(parts, now) },
    {
      name: 'forget-incidents',
      where: one,
      when: { daily: '03:20' },
      noted: 'with its work',
      run: ({ now, db }) => forgetIncidents({ db }, now - INCIDENTS_KEPT_MS),
    },
    // A kill leaves the mails that it interrupted in the queue, and the next run sends them.
    { name: 'send-mail', where: one, when: { everyMs: 5_000 }, run: () => mail.deliver() },
    {
      name: 'forget-mail',
      where: one,
      when: { daily: '03:30' },
      noted: 'with its work',
      run: ({ now, db }) => forgetMails({ db }, now - KEPT_MS),
    },
    // As with mails, a kill leaves the deliveries that it interrupted in the queue.
    { name: 'send-webhooks', where: one, when: { everyMs: 5_000 }, run: () => webhooks.deliver() },
    {
      name: 'forget-webhooks',
      where: one,
      when: { daily: '03:40' },
      noted: 'with its work',
      run: async ({ now, db }) => {
        await forgetDeliveries({ db }, now - DELIVERIES_KEPT_MS);
        await forgetSecrets({ db }, now);
      },
    },
    // Each search keeps the time of its next request in the directory.
    { name: 'search-mentions', where: one, when: { everyMs: MINUTE_MS }, run: () => parts.mentions.run() },
    { name: 'check-release', where: one, when: { daily: '04:10' }, run: ({ now }) => parts.releases.check(now) },
    // Stripe's events can be lost, so each subscription is read at least once a day.
    {
      name: 'read-subscriptions',
      where: one,
      when: { everyMs: HOUR_MS },
      run: async () => parts.payments?.readMissed(),
    },
    {
      name: 'mail-plan-notices',
      where: one,
      when: { everyMs: 10 * MINUTE_MS },
      run: async ({ now }) => {
        if (parts.payments) await mailPlanNotices(parts, now);
      },
    },
    {
      name: 'forget-billing-events',
      where: one,
      when: { daily: '03:10' },
      noted: 'with its work',
      run: async ({ now, db }) => parts.payments?.forgetOld({ db }, now),
    },
    {
      name: 'forget-imports',
      where: one,
      when: { everyMs: HOUR_MS },
      run: ({ now }) => forgetImports(directory, now - DAY_MS),
    },
  ];
}

async function refreshQuota({ directory, stats, overQuota, dropsOverQuota }: JobParts, now: number): Promise<void> {
  if (!dropsOverQuota) return;
  const counts = await countMonths(stats, await sitesUnderQuota(directory), now);
  for (const [account, events] of counts)
    if (events >= MONTHLY_EVENTS) overQuota.add(account);
    else overQuota.delete(account);
}

function openBuriedNotice({ queue, log }: JobParts): () => Promise<void> {
  let reported = 0;
  return async () => {
    const { buried } = await queue.status();
    if (buried > reported) log.warn({ buried }, 'the event store refused events: `manage replay` tries them again');
    reported = buried;
  };
}
