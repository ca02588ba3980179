// What the tests of alerts share: a site with usual traffic, and the jobs that notice and tell what is unusual on it.
import { createAccount } from '../../../server/accounts/accounts.ts';
import { countForAlerts } from '../../../server/notifications/alerts/counting.ts';
import { noticeMentions } from '../../../server/notifications/alerts/mentions.ts';
import { alertContent, createAlert } from '../../../server/notifications/alerts/rules.ts';
import { watchLimits } from '../../../server/notifications/alerts/limits.ts';
import { noticeErrors } from '../../../server/notifications/alerts/new-errors.ts';
import { tellIncidents } from '../../../server/notifications/alerts/telling.ts';
import { openTrafficWatch } from '../../../server/notifications/alerts/traffic.ts';
import type { Directory } from '../../../server/directory/open.ts';
import type { AiVisit, Event, SiteId } from '../../../server/vocabulary/event.ts';
import { kindOf } from '../../../server/messages/mail/kinds.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { openStats } from '../../../server/stats/run.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import type { Message } from '../../../server/messages/webhooks/messages.ts';
import type { Webhooks } from '../../../server/messages/webhooks/webhooks.ts';
import { PASSWORD } from '../app.ts';
import { makeEvent } from '../event.ts';
import { queuedMail } from './queued-mail.ts';
import type { TestStore } from '../store.ts';

/** A Friday. */
export const DAY = Date.UTC(2026, 10, 20);
export const at = (hours: number, minutes = 0) => DAY + hours * HOUR_MS + minutes * MINUTE_MS;
const WEEKS = 4;

const EMPTY_QUEUE = { waiting: 0, buried: 0, oldestAt: undefined };

let serial = 0;
const visit = (given: Partial<Event>) => makeEvent({ visitor: `visitor ${(serial += 1)}`, source: '', ...given });

/** 40 visitors in each of four hours of every day of four weeks. */
export const usualDays = (siteId: SiteId): Event[] =>
  Array.from({ length: WEEKS * 7 + 2 }, (_, day) =>
    [10, 11, 12, 13].flatMap((hour) =>
      Array.from({ length: 40 }, (_, minute) =>
        visit({ site_id: siteId, time: DAY - (day + 1) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS }),
      ),
    ),
  ).flat();

type Rows = Parameters<TestStore['insert']>[0];

type AlertWorld = Awaited<ReturnType<typeof alertWorld>>;

/** An account with a site, and the jobs about its alerts. `mails`: what they queue. */
export async function alertWorld(directory: Directory, store: TestStore) {
  const { db } = directory;
  const clock = { now: at(8) };
  const mail = await queuedMail(directory, () => clock.now);
  const { account, user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, clock.now);
  const { id: siteId } = await createSite(directory, { accountId: account.id, domain: 'example.com' }, clock.now);
  const queue = { oldestAt: undefined as number | undefined };
  const reading = {
    directory,
    mail,
    billing: 'off' as const,
    stats: openStats(store, () => undefined),
    queue: { status: () => Promise.resolve({ ...EMPTY_QUEUE, oldestAt: queue.oldestAt }) },
  };
  let ran = clock.now;
  const visits = openVisits(store);
  const sent: { key: string; message: Message }[] = [];
  const webhooks: Pick<Webhooks, 'send'> = {
    send: (_db, delivery) => Promise.resolve(sent.push(delivery)),
  };
  const parts = { ...reading, webhooks };
  let watch = openTrafficWatch(parts);
  return {
    directory,
    account,
    user,
    siteId,
    clock,
    queue,
    parts,
    mail,
    sent,
    restart: () => (watch = openTrafficWatch(parts)),
    /** Runs both jobs as two processes would: each twice at the same time. */
    run: async (now: number) => {
      clock.now = now;
      await watch.run({ now, period: { from: ran, to: now } });
      for (const job of [countForAlerts, noticeMentions, watchLimits, noticeErrors, tellIncidents])
        await Promise.all([job(parts, now), job(parts, now)]);
      ran = now;
    },
    store: (events: Event[], ai_visits: AiVisit[] = [], beacons: Pick<Rows, 'vitals' | 'errors'> = {}) =>
      store.insert(
        {
          events: events.toSorted((a, b) => a.time - b.time).flatMap((event) => visits.assign(event, event.time) ?? []),
          ai_visits,
          ...beacons,
        },
        `batch ${(serial += 1)}`,
      ),
    make: (content: object, made = clock.now) =>
      createAlert(
        directory,
        {
          siteId,
          accountId: account.id,
          mail,
          content: alertContent.parse({ timezone: 'UTC', members: [user.id], ...content }),
        },
        made,
      ),
    /** The subjects of the queued mails with their recipients, oldest first. */
    mails: async () => {
      const rows = await db.selectFrom('mails').selectAll().orderBy('created_at').orderBy('key').execute();
      return rows.map(({ kind, data, recipient }) => {
        if (data === null) return 'sent';
        const content = kindOf(kind)?.write(JSON.parse(data ?? '{}'));
        return `${content?.subject.replaceAll('\u2060', '')} | ${content?.paragraphs.join(' ').replaceAll('\u2060', '')} | ${recipient}`;
      });
    },
  };
}
export const crowd = ({ siteId }: AlertWorld, count: number, time: number, given: Partial<Event> = {}) =>
  Array.from({ length: count }, (_, index) => visit({ site_id: siteId, time: time + index * 1000, ...given }));
