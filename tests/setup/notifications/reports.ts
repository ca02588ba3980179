// An account with a site and its reports, without a store: their numbers are given.
import { createAccount } from '../../../server/accounts/accounts.ts';
import { readConfig } from '../../../server/config.ts';
import { openLog } from '../../../server/process/log.ts';
import { createReport, reportContent } from '../../../server/notifications/reports/definitions.ts';
import { openReports } from '../../../server/notifications/reports/reports.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { openStats, type Stats } from '../../../server/stats/run.ts';
import type { Summary } from '../../../server/stats/answers/summary.ts';
import { openWebhooks } from '../../../server/messages/webhooks/webhooks.ts';
import { PASSWORD } from '../app.ts';
import type { TestDirectory } from '../directory.ts';
import { queuedMail } from './queued-mail.ts';

export const FROM = { MAIL_FROM: 'Footfall <footfall@stats.example>', BASE_URL: 'http://localhost' };
export const FRIDAY = Date.UTC(2026, 10, 20, 12);
export const NOTHING = { date_from: '', date_to: '', compare: null, metrics: [], currency: null } as unknown as Summary;

export const content = (more: object = {}) =>
  reportContent.parse({
    name: 'Board',
    frequency: 'weekly',
    hour: 8,
    timezone: 'Europe/Berlin',
    recipients: ['owner@example.com', 'guest@example.org'],
    ...more,
  });

/** Reports without a store: their numbers are given. */
export async function openDesk(directory: TestDirectory, clock: { now: number }, env: Record<string, string> = {}) {
  const config = readConfig({ BASE_URL: FROM.BASE_URL, ...env });
  const mail = await queuedMail(directory, () => clock.now, FROM);
  const numbers = { ask: (_: AbortSignal | undefined): Promise<Summary> => Promise.resolve(NOTHING) };
  const waits: AbortController[] = [];
  const patience = () => {
    const controller = new AbortController();
    waits.push(controller);
    return controller.signal;
  };
  const giveUp = (signal: AbortSignal | undefined) => waits.find((one) => one.signal === signal)?.abort();
  const askedBy: Stats['askedBy'] = ({ signal }) => ({ summary: () => numbers.ask(signal) }) as unknown as Stats;
  const webhooks = await openWebhooks({ directory, config, now: () => clock.now, log: openLog('silent') });
  const options = {
    directory,
    mail,
    webhooks,
    now: () => clock.now,
    log: openLog('silent'),
    patience,
    stats: { ...openStats({ query: () => Promise.reject(new Error()) }, () => undefined), askedBy },
    config,
  };
  const { account, user } = await createAccount(directory, { email: 'owner@example.com', password: PASSWORD }, FRIDAY);
  const site = await createSite(
    directory,
    { accountId: account.id, domain: 'example.com', timezone: 'Europe/Berlin' },
    FRIDAY,
  );
  const make = (more: object = {}) =>
    createReport(
      { directory, mail },
      { accountId: account.id, siteId: site.id, userId: user.id, content: content({ frequency: 'daily', ...more }) },
      clock.now,
    );
  const sent = async () => {
    const rows = await directory.db.selectFrom('mails').select(['kind', 'recipient', 'data']).orderBy('key').execute();
    return rows.map(({ kind, recipient, data }) => {
      const { days, why } = JSON.parse(data ?? '{}') as { days?: string; why?: string };
      return `${days ?? why} to ${recipient.split('@')[0]}${kind === 'report' ? '' : ` (${kind})`}`;
    });
  };
  const runs = async () => {
    const rows = directory.db.selectFrom('report_runs').select(['date_from', 'state']).orderBy('date_from');
    return (await rows.execute()).map(({ date_from, state }) => `${date_from} ${state}`);
  };
  return { account, site, user, make, mail, webhooks, numbers, giveUp, sent, runs, options, ...openReports(options) };
}
