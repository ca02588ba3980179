// Who is sent numbers of a site, or has them fetched: by reports, by feeds, by alerts, and by webhooks that get reports or alerts.
import { listMembers } from '../../accounts/people/people.ts';
import { listOf as listOfAlert, listAlerts, type Alert } from '../../notifications/alerts/rules.ts';
import { lastTold, recipientsOf as toldBy } from '../../notifications/alerts/telling.ts';
import {
  listReports,
  readReport,
  recipientsOf,
  type Report,
  sitesOf,
} from '../../notifications/reports/definitions.ts';
import { readersOf } from '../../notifications/reports/readers.ts';
import { lastSent } from '../../messages/mail/queue.ts';
import { lastDelivered } from '../../messages/webhooks/queue.ts';
import { listWebhooks } from '../../messages/webhooks/stored.ts';
import { goals } from '../../sites/definitions/goals.ts';
import { feedsOfSite } from '../../sites/sharing/feeds.ts';
import type { Site } from '../../sites/sites.ts';
import { t, tn } from '../../vocabulary/habits/messages.ts';
import { ALERTS } from '../../vocabulary/settings/alerts.ts';
import { FEEDS } from '../../vocabulary/settings/feeds.ts';
import type { Frequency } from '../../vocabulary/settings/reports.ts';
import { type Asked, type Found, named, type Parts, type Reader, whoOf } from './asked.ts';

type OftenWords = {
  gets(report: string): string;
  getsSites(report: string, sites: number): string;
  own(): string;
};
const HOW_OFTEN: Record<Frequency, OftenWords> = {
  daily: {
    gets: (report) => t('Gets “{report}” every day', { report }),
    getsSites: (report, sites) =>
      tn(sites, 'Gets “{report}” every day with this site alone', 'Gets “{report}” every day with {n} sites', {
        report,
      }),
    own: () => t('Mails this site to themselves every day'),
  },
  weekly: {
    gets: (report) => t('Gets “{report}” every week', { report }),
    getsSites: (report, sites) =>
      tn(sites, 'Gets “{report}” every week with this site alone', 'Gets “{report}” every week with {n} sites', {
        report,
      }),
    own: () => t('Mails this site to themselves every week'),
  },
  monthly: {
    gets: (report) => t('Gets “{report}” every month', { report }),
    getsSites: (report, sites) =>
      tn(sites, 'Gets “{report}” every month with this site alone', 'Gets “{report}” every month with {n} sites', {
        report,
      }),
    own: () => t('Mails this site to themselves every month'),
  },
};
const withPaused = (words: string, { paused }: { paused: boolean }) => (paused ? `${words} · ${t('paused')}` : words);

type Shown = { report: Report; sites: Site[]; count: number };

/** The reports of several people that show the site. `count`: how many people and webhooks each has, without those that are gone. */
async function reportsWith({ directory }: Parts, { site }: Asked): Promise<Shown[]> {
  const all = await listReports(directory, { accountId: site.account_id, siteId: site.id });
  const people = new Set((await listMembers(directory, site.account_id)).map(({ userId }) => userId));
  const hooks = await listWebhooks(directory, site.account_id);
  const shown = all.map(async (report): Promise<Shown[]> => {
    const sites = (await sitesOf(directory, report)) ?? [];
    if (!sites.some(({ id }) => id === site.id)) return [];
    const recipients = await recipientsOf(directory.db, [report.id]);
    const still = recipients.filter(({ user_id }) => user_id === null || people.has(user_id));
    return [{ report, sites, count: still.length + liveOf(report.webhooks, hooks).length }];
  });
  return (await Promise.all(shown)).flat();
}

const liveOf = (ids: readonly string[], all: readonly { id: string }[]) =>
  ids.filter((one) => all.some(({ id }) => id === one));

function reportWords(report: Report, sites: readonly Site[]): string {
  const often = HOW_OFTEN[report.frequency];
  const name = named(report.name);
  return withPaused(report.site_id === null ? often.getsSites(name, sites.length) : often.gets(name), report);
}

const LAST = {
  report: () => t('Nobody else gets this report, so it is deleted.'),
  alert: () => t('Nobody else gets this alert, so it is deleted.'),
};

/** Ending the last one who gets something deletes it. */
const endOf = ({ by }: Asked, what: keyof typeof LAST, count: number) => ({
  may_end: by !== undefined,
  note: by && count === 1 ? LAST[what]() : null,
});

export const reports: Reader = async (parts, asked) => {
  const { db } = parts.directory;
  const found = (await reportsWith(parts, asked)).map(async ({ report, sites, count }): Promise<Found[]> => {
    const readers = await readersOf(parts, report, sites);
    if (readers.length === 0) return [];
    const sentAt = await lastSent(db, `report ${report.id} `);
    return readers.map(({ email, audience }) => ({
      id: email,
      of: report.id,
      who: whoOf(email),
      how: [reportWords(report, sites), ...(audience === 'guest' ? [t('without small numbers')] : [])].join(' · '),
      last_used_at: sentAt.get(email) ?? null,
      ...endOf(asked, 'report', count),
    }));
  });
  return (await Promise.all(found)).flat();
};

/** Only their authors see what these show, and end them. */
export const ownReports: Reader = async (parts, { site, by }) => {
  const { db } = parts.directory;
  const rows = db.selectFrom('reports').selectAll().where('account_id', '=', site.account_id);
  const own = await rows.where('site_id', '=', site.id).where('personal', '=', 1).orderBy('created_at').execute();
  const found = own.map(readReport).map(async (report): Promise<Found[]> => {
    const sentAt = await lastSent(db, `report ${report.id} `);
    const isOwn = report.created_by === by?.userId;
    return (await readersOf(parts, report, [site])).map(({ email }) => ({
      id: report.id,
      who: whoOf(email),
      how: withPaused(HOW_OFTEN[report.frequency].own(), report),
      last_used_at: sentAt.get(email) ?? null,
      may_end: isOwn,
      note: by && !isOwn ? t('Only they can stop it. It ends when they no longer see this site.') : null,
    }));
  });
  return (await Promise.all(found)).flat();
};

/** Each shows what its owner sees, and only they know its address. */
export const feeds: Reader = async ({ directory }, { site, by }) => {
  const [all, members] = await Promise.all([feedsOfSite(directory, site.id), listMembers(directory, site.account_id)]);
  const emails = new Map(members.map(({ userId, email }) => [userId, email]));
  return all.flatMap(({ id, kind, user_id, last_used_at }): Found[] => {
    const email = emails.get(user_id);
    if (email === undefined) return [];
    const isOwn = user_id === by?.userId;
    const how = FEEDS[kind].reads;
    const note = by && !isOwn ? t('Only they can end it. It ends when they no longer see this site.') : null;
    return [{ id, of: kind, who: whoOf(email), how, last_used_at, may_end: isOwn, note }];
  });
};

async function alertsOf({ directory }: Parts, { site }: Asked) {
  const [all, known, hooks] = await Promise.all([
    listAlerts(directory, { siteId: site.id }),
    goals.list(directory, { siteId: site.id }),
    listWebhooks(directory, site.account_id),
  ]);
  const told = all.map((alert) => toldBy(directory.db, { alert, site }));
  return (await Promise.all(told)).map((people, index) => {
    const alert = all[index] as Alert;
    const goal = known.find(({ id }) => id === alert.goal_id);
    const { label } = ALERTS[alert.kind];
    const shown = goal ? t('{alert}: {goal}', { alert: label, goal: named(goal.name) }) : label;
    const count = people.length + liveOf(alert.webhooks, hooks).length;
    return { alert, people, count, words: withPaused(t('Is told of “{alert}”', { alert: shown }), alert) };
  });
}

export const alerts: Reader = async (parts, asked) => {
  const { directory, mail } = parts;
  const { site } = asked;
  const toldAt = await lastTold(directory, site);
  const found = (await alertsOf(parts, asked)).map(async ({ alert, people, count, words }) => {
    const told = people.map(async ({ id, email }): Promise<Found[]> => {
      const list = `alert:${listOfAlert(site.account_id, alert)}` as const;
      if (await mail.hasRefused(directory.db, email, list)) return [];
      const at = toldAt(alert.id, email);
      const end = endOf(asked, 'alert', count);
      return [{ id, of: alert.id, who: whoOf(email), how: words, last_used_at: at, ...end }];
    });
    return (await Promise.all(told)).flat();
  });
  return (await Promise.all(found)).flat();
};

export const webhooks: Reader = async (parts, asked) => {
  const { directory } = parts;
  const { site } = asked;
  const all = await listWebhooks(directory, site.account_id);
  const rowsOf = (ids: readonly string[], row: (id: string) => Omit<Found, 'id' | 'who'>): Found[] =>
    all
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name, host, disabled_at }) => {
        const { how, ...rest } = row(id);
        const off = disabled_at === null ? [] : [t('switched off, because its receiver is gone')];
        return { id, who: t('{name} at {host}', { name: named(name), host }), how: [how, ...off].join(' · '), ...rest };
      });
  const ofReports = (await reportsWith(parts, asked)).map(async ({ report, sites, count }) => {
    const of = { webhookIds: report.webhooks, prefix: `report ${report.id} ` };
    const deliveredAt = await lastDelivered(directory, of);
    return rowsOf(report.webhooks, (id) => ({
      of: report.id,
      how: reportWords(report, sites),
      last_used_at: deliveredAt.get(id) ?? null,
      ...endOf(asked, 'report', count),
    }));
  });
  const toldAt = await lastTold(directory, site);
  const ofAlerts = (await alertsOf(parts, asked)).map(({ alert, count, words }) =>
    rowsOf(alert.webhooks, (id) => ({
      of: alert.id,
      how: words,
      last_used_at: toldAt(alert.id, id),
      ...endOf(asked, 'alert', count),
    })),
  );
  return [...(await Promise.all(ofReports)), ...ofAlerts].flat();
};
