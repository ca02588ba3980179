// A site with everything that goes out and comes in: reports, alerts, webhooks, search terms and mentions; and a group of sites.
import { accountOfEmail } from '../../server/accounts/accounts.ts';
import { addIncident } from '../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { addMentions } from '../../server/integrations/mentions/stored.ts';
import { saveRules } from '../../server/integrations/mentions/rules.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { createReport, listReports, reportContent } from '../../server/notifications/reports/definitions.ts';
import { seedEvents } from '../../server/jobs/demo/events.ts';
import { makeFeed } from '../../server/sites/sharing/feeds.ts';
import { createSite } from '../../server/sites/sites.ts';
import type { MentionPlace } from '../../server/vocabulary/settings/mentions.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import type { TestApp } from '../setup/app.ts';
import { addImports } from './imports.ts';

export const GROUP = 'group_0123456789ABCDEFGHJKMNPQRS';
/** Domains of the group's sites. */
const GROUPED = ['demo.example', 'letters.example', 'meadow.example', 'empty.example'];
export const OUTGOING = 'letters.example';
const SEARCH = 'search_0123456789ABCDEFGHJKMNPQRS';
/** Mail is set up, though nobody takes it, and so is a client of Google. */
export const OUTGOING_ENV = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'Footfall <footfall@stats.example>',
  GOOGLE_CLIENT_ID: 'footfall.apps.googleusercontent.com',
  GOOGLE_CLIENT_SECRET: 'GOCSPX-local',
};

const TERMS: [term: string, clicks: number, impressions: number, position: number][] = [
  ['web analytics without cookies', 34, 410, 2.1],
  ['privacy friendly analytics', 21, 530, 4.4],
  ['footfall analytics', 18, 40, 1],
  ['self hosted analytics', 9, 380, 8.2],
  ['cookie banner needed for analytics? what the regulators of each country say about it', 6, 610, 11.3],
  ['analytics gdpr', 5, 290, 9.6],
  ['شركة تحليلات', 2, 30, 5],
  ['', 27, 420, 6],
];

const THREADS: [place: MentionPlace, title: string, daysAgo: number, scores: [points: number, comments: number][]][] = [
  [
    'hacker_news',
    'Show HN: Letters, a newsletter that counts no one',
    5,
    [
      [12, 3],
      [148, 61],
      [212, 96],
      [231, 104],
    ],
  ],
  [
    'reddit',
    'What do you use instead of the usual analytics? I am looking for something that my lawyer lets me run without a banner',
    9,
    [
      [4, 2],
      [31, 18],
    ],
  ],
  ['lobsters', 'Counting visitors without cookies', 12, [[9, 1]]],
  ['mastodon', 'letters.example is a nice read', 1, [[3, 0]]],
];

export async function addOutgoing(server: TestApp, { email, now }: { email: string; now: number }) {
  const { directory, mail, webhooks, reports } = server.app.services;
  const { store } = server.app;
  const { db } = directory;
  const account = await accountOfEmail(directory, email);
  const accountId = account?.id ?? '';
  const { user_id: userId } = await db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const { id: siteId } = await createSite(directory, { accountId, domain: OUTGOING }, now - 1);
  const visits = openVisits(store);
  const seeded = [...seedEvents({ siteId, domain: OUTGOING, days: 29, visitsPerDay: 60, now, seed: 11 })];
  const events = seeded.flatMap((entry) => (entry.kind === 'event' ? (visits.assign(entry, entry.time) ?? []) : []));
  await store.insert({ events, ai_visits: [] }, OUTGOING);
  await addImports(server, siteId);

  const sites = await db.selectFrom('sites').select(['id', 'domain']).where('domain', 'in', GROUPED).execute();
  await db
    .insertInto('site_groups')
    .values({ id: GROUP, account_id: accountId, name: 'Everything we publish', created_at: now })
    .execute();
  for (const [position, domain] of GROUPED.entries()) {
    const site_id = sites.find((site) => site.domain === domain)?.id;
    if (site_id) await db.insertInto('group_sites').values({ group_id: GROUP, site_id, position }).execute();
  }

  const hook = (name: string, format: 'standard' | 'slack' | 'discord', url: string) =>
    webhooks.create({ accountId, name, format, url });
  const { id: team } = await hook('Team channel', 'slack', 'https://hooks.slack.com/services/T/B/x');
  const { id: ops } = await hook(
    'Status page of the operations team in Rotterdam',
    'standard',
    'https://status.operations.letters.example/hooks/footfall',
  );
  await db
    .updateTable('webhooks')
    .set({ disabled_at: now - DAY_MS })
    .where('id', '=', ops)
    .execute();

  // One after the other, since the lists of reports and of alerts are in this order.
  let createdAt = now - 20 * DAY_MS;
  const report = (content: object) =>
    createReport(
      { directory, mail },
      {
        accountId,
        siteId,
        userId,
        content: reportContent.parse({
          frequency: 'weekly',
          hour: 8,
          timezone: 'Europe/Berlin',
          recipients: [],
          ...content,
        }),
      },
      (createdAt += 1),
    );
  await report({ name: 'Monday numbers', recipients: [email, 'editors@letters.example'], webhooks: [team] });
  await report({
    name: 'Everything we publish',
    of: 'group',
    group: GROUP,
    frequency: 'monthly',
    recipients: ['board@letters.example'],
  });
  const france = await report({
    name: 'Readers from France',
    viewed: { filters: [{ dimension: 'country', operator: 'is', values: ['FR'] }] },
    recipients: ['paris@letters.example'],
  });
  await db
    .updateTable('reports')
    .set({ trouble: 'Its segment was deleted: choose another one.', paused: 1 })
    .where('id', '=', france.id)
    .execute();

  const alert = (content: object) =>
    createAlert(
      directory,
      {
        siteId,
        accountId,
        mail,
        content: alertContent.parse({ timezone: 'Europe/Berlin', members: [userId], ...content }),
      },
      (createdAt += 1),
    );
  const spike = await alert({ kind: 'spike', webhooks: [team], quiet: { from: 22, to: 7 } });
  const drop = await alert({ kind: 'drop', sensitivity: 'large' });
  await alert({ kind: 'new_agent', paused: true });
  const noticed = [
    {
      one: spike,
      from: 5 * DAY_MS,
      to: 5 * DAY_MS - 4 * HOUR_MS,
      facts: { value: 612, expected: 40, cause: { dimension: 'source', name: 'Hacker News' } },
    },
    { one: drop, from: 2 * HOUR_MS, to: null, facts: { value: 0, expected: 24 } },
  ] as const;
  for (const { one, from, to, facts } of noticed) {
    const times = { started_at: now - from, ended_at: to === null ? null : now - to };
    await addIncident(
      db,
      {
        alert_id: one.id,
        site_id: siteId,
        key: String(from),
        ...times,
        facts: { metric: 'unique_visitors', ...facts },
      },
      now - from,
    );
  }

  await makeFeed(directory, { siteId, userId, kind: 'news' }, now - 9 * DAY_MS);
  await db
    .updateTable('feeds')
    .set({ prefix: 'Kq3xV', last_used_at: now - 12 * MINUTE_MS })
    .execute();

  await saveRules(
    directory,
    {
      siteId,
      rules: {
        places: ['hacker_news', 'reddit', 'lobsters', 'mastodon'],
        words: ['Letters newsletter'],
        feeds: ['https://blog.example/feed.xml'],
      },
    },
    now - 20 * DAY_MS,
  );
  await db
    .updateTable('mention_searches')
    .set({ asked_at: now - 12 * MINUTE_MS, outcome: 'found' })
    .execute();
  await db
    .updateTable('mention_searches')
    .set({ outcome: 'refused', failures: 3 })
    .where('place', '=', 'reddit')
    .execute();
  for (const [place, title, daysAgo, scores] of THREADS)
    for (const [step, [points, comments]] of scores.entries()) {
      const found = [
        {
          thread: title,
          title,
          url: 'https://threads.example/1',
          postedAt: now - daysAgo * DAY_MS,
          points,
          comments,
          said: '',
        },
      ];
      await addMentions(
        db,
        { siteId, place, found },
        now - daysAgo * DAY_MS + (step * daysAgo * DAY_MS) / scores.length,
      );
    }

  const latest = now - 3 * DAY_MS;
  const unread = { pass_from: null, pass_to: null, next_day: null, failure: null, failed_at: null };
  await db
    .insertInto('search_connections')
    .values({
      site_id: siteId,
      id: SEARCH,
      connected_by: userId,
      token: 'none',
      grant_id: 'none',
      google_account: null,
      property: `sc-domain:${OUTGOING}`,
      created_at: now - 60 * DAY_MS,
      next_at: now + 9 * HOUR_MS,
      ...unread,
      oldest_day: dayOf(now - 480 * DAY_MS),
      latest_day: dayOf(latest),
      read_at: now - 3 * HOUR_MS,
      read_days: 6,
      read_rows: 812,
    })
    .execute();
  for (let days = 0; days < 60; days += 1) {
    const rows = TERMS.map(([term, clicks, impressions, position], index) => {
      const seen = Math.max(1, Math.round((impressions * (60 - days) + 40 * ((days * 7 + index * 11) % 13)) / 900));
      return {
        term,
        page: '/',
        hostname: OUTGOING,
        country: 'DE',
        device: 'mobile',
        clicks: Math.min(seen, Math.round((clicks * (60 - days)) / 300)),
        impressions: seen,
        positions: Math.round(seen * position),
      };
    });
    await store.saveSearchDay({
      site_id: siteId,
      connection: SEARCH,
      day: dayOf(latest - days * DAY_MS),
      rows,
      version: 1,
      isStored: false,
    });
  }
  /** The reports as they are mailed. */
  return async () => {
    const all = await listReports(directory, { accountId, siteId });
    return Promise.all(all.filter(({ paused }) => !paused).map((one) => reports.preview(one, email)));
  };
}
