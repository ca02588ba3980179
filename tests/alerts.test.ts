// Alerts from end to end: stored events become incidents, and incidents become mails, each once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../server/accounts/accounts.ts';
import { countForAlerts } from '../server/alerts/counting.ts';
import { listIncidents } from '../server/alerts/incidents.ts';
import { noticeMentions } from '../server/alerts/mentions.ts';
import {
  type AlertContent,
  alertContent,
  createAlert,
  deleteAlert,
  listAlerts,
  listOf,
  updateAlert,
} from '../server/alerts/rules.ts';
import { MAX_MAILS_PER_DAY, tellIncidents } from '../server/alerts/telling.ts';
import { openTrafficWatch } from '../server/alerts/traffic.ts';
import type { Directory } from '../server/directory/open.ts';
import type { AiVisit, Event, SiteId } from '../server/event.ts';
import { type JobParts, jobsOf } from '../server/jobs/table.ts';
import { layOut } from '../server/mail/layout.ts';
import { kindOf } from '../server/mail/kinds.ts';
import { addMentions } from '../server/mentions/stored.ts';
import { openVisits } from '../server/queue/visits.ts';
import { goals } from '../server/sites/goals.ts';
import { proposeCurrency } from '../server/sites/currency.ts';
import { configureSite, createSite, deleteSite } from '../server/sites/sites.ts';
import { openStats } from '../server/stats/run.ts';
import { MAX_ALERT_EMAILS, MAX_ALERTS, MAX_TOLD_PER_HOUR } from '../server/vocabulary/alerts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../server/vocabulary/time.ts';
import type { Message } from '../server/webhooks/messages.ts';
import type { Webhooks } from '../server/webhooks/webhooks.ts';
import { PASSWORD } from './setup/app.ts';
import { FORMS, testDirectory } from './setup/directory.ts';
import { makeAiVisit, makeEvent } from './setup/event.ts';
import { queuedMail } from './setup/queued-mail.ts';
import { type TestStore, testStore } from './setup/store.ts';

/** A Friday. */
const DAY = Date.UTC(2026, 10, 20);
const at = (hours: number, minutes = 0) => DAY + hours * HOUR_MS + minutes * MINUTE_MS;
const WEEKS = 4;

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

let serial = 0;
const visit = (given: Partial<Event>) => makeEvent({ visitor: `visitor ${(serial += 1)}`, source: '', ...given });

/** 40 visitors in each of four hours of every day of four weeks. */
const usualDays = (siteId: SiteId): Event[] =>
  Array.from({ length: WEEKS * 7 + 2 }, (_, day) =>
    [10, 11, 12, 13].flatMap((hour) =>
      Array.from({ length: 40 }, (_, minute) =>
        visit({ site_id: siteId, time: DAY - (day + 1) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS }),
      ),
    ),
  ).flat();

type World = Awaited<ReturnType<typeof world>>;

async function world(directory: Directory) {
  const { db } = directory;
  const clock = { now: at(8) };
  const mail = await queuedMail(directory, () => clock.now);
  const { account, user } = await createAccount(directory, { email: 'ada@example.com', password: PASSWORD }, clock.now);
  const { id: siteId } = await createSite(directory, { accountId: account.id, domain: 'example.com' }, clock.now);
  const queue = { oldestAt: undefined as number | undefined };
  const reading = {
    ...{ directory, mail, billing: 'off' as const, stats: openStats(store, () => undefined) },
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
    ...{ directory, account, user, siteId, clock, queue, parts, mail, sent },
    restart: () => (watch = openTrafficWatch(parts)),
    /** Runs both jobs as two processes would: each twice at the same time. */
    run: async (now: number) => {
      clock.now = now;
      await watch.run({ now, period: { from: ran, to: now } });
      for (const job of [countForAlerts, noticeMentions, tellIncidents])
        await Promise.all([job(parts, now), job(parts, now)]);
      ran = now;
    },
    store: (events: Event[], ai_visits: AiVisit[] = []) =>
      store.insert(
        {
          events: events.toSorted((a, b) => a.time - b.time).flatMap((event) => visits.assign(event, event.time) ?? []),
          ai_visits,
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
const EMPTY_QUEUE = { waiting: 0, buried: 0, oldestAt: undefined };

const crowd = ({ siteId }: World, count: number, time: number, given: Partial<Event> = {}) =>
  Array.from({ length: count }, (_, index) => visit({ site_id: siteId, time: time + index * 1000, ...given }));

describe.each(FORMS)('alerts in %s', (form) => {
  test('a spike is told within the hour, once, with its cause, and then its end', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const id = 'wh_0';
    const webhook = {
      id,
      account_id: own.account.id,
      name: 'ops',
      format: 'slack',
      host: 'x.example',
      url: '',
    } as const;
    const never = { secret: null, previous_secret: null, rotated_at: null, disabled_at: null };
    await directory.db
      .insertInto('webhooks')
      .values({ ...webhook, ...never, next_at: 0, created_at: at(8) })
      .execute();
    await own.make({ kind: 'spike', emails: ['Bob@Example.com', 'ada@example.com'], webhooks: [id] });
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    for (let hour = 8; hour < 12; hour++) {
      if (hour >= 10) await own.store(crowd(own, 40, at(hour)));
      for (const minutes of [0, 10, 20, 30, 40, 50]) await own.run(at(hour, minutes));
    }
    for (const minutes of [0, 6]) await own.run(at(12, minutes));
    expect(await own.mails()).toEqual([]);
    await own.store(crowd(own, 150, at(12, 7), { source: 'Hacker News', channel: 'Organic Social' }));
    await own.run(at(12, 11));
    const told = [
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. Mostly more from Hacker News. | ada@example.com',
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. Mostly more from Hacker News. | bob@example.com',
    ];
    expect((await own.mails()).toSorted()).toEqual(told);
    own.restart();
    await own.store(crowd(own, 160, at(13)));
    for (const hour of [12.3, 13.2, 14.2, 15.2]) await own.run(at(hour));
    expect(await own.mails()).toHaveLength(2);
    for (const hour of [16.2, 16.3, 17.2]) await own.run(at(hour));
    const over =
      'The traffic spike on example.com is over | Over since 14:00 on 20 Nov 2026. It lasted 2 hours: 310 visitors instead of about 80. Somebody who stays for several hours counts in each of them. Mostly more from Hacker News.';
    expect((await own.mails()).slice(2).toSorted()).toEqual([`${over} | ada@example.com`, `${over} | bob@example.com`]);
    expect(own.sent).toMatchObject([
      {
        webhookIds: [id],
        message: { type: 'alert.started', title: 'Traffic spike on example.com', path: '/example.com' },
      },
      {
        ...{ webhookIds: [id], siteId: own.siteId },
        message: {
          type: 'alert.ended',
          data: { kind: 'spike', incidents: [{ value: 310, ended_at: '2026-11-20T14:00:00.000Z' }] },
        },
      },
    ]);
    expect(await listIncidents(directory, own)).toMatchObject([
      { kind: 'spike', started_at: at(12), ended_at: at(14), facts: { value: 310, expected: 80 } },
    ]);
  });

  test('a spike after a larger one a week before is told without that week’s source', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'spike' });
    await own.store([
      ...usualDays(own.siteId),
      ...crowd(own, 400, at(12) - 7 * DAY_MS, { source: 'Reddit', channel: 'Organic Social' }),
    ]);
    for (let hour = 8; hour < 12; hour++) {
      if (hour >= 10) await own.store(crowd(own, 40, at(hour)));
      for (const minutes of [0, 10, 20, 30, 40, 50]) await own.run(at(hour, minutes));
    }
    for (const minutes of [0, 6]) await own.run(at(12, minutes));
    await own.store(crowd(own, 150, at(12, 7)));
    await own.run(at(12, 11));
    expect(await own.mails()).toEqual([
      'Traffic spike on example.com | Since 12:00 on 20 Nov 2026: 150 visitors instead of about 40. | ada@example.com',
    ]);
  });

  test('an outage is a drop, unless the server was down, the queue is behind, or the site is paused', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    for (let hour = 8; hour < 11; hour += 0.2) await own.run(at(hour));
    own.queue.oldestAt = at(10, 30);
    await own.run(at(11, 10));
    expect(await own.mails()).toEqual([]);
    own.queue.oldestAt = undefined;
    await own.run(at(11, 15));
    expect(await own.mails()).toEqual([
      'Traffic drop on example.com | Since 10:00 on 20 Nov 2026: no visitors instead of about 40. | ada@example.com',
    ]);

    for (const cause of ['down', 'paused']) {
      await db.deleteFrom('mails').execute();
      await db.deleteFrom('incidents').execute();
      await db
        .updateTable('alerts')
        .set({ watched_since: at(8) })
        .execute();
      own.restart();
      if (cause === 'paused') await db.updateTable('sites').set({ paused: 1 }).execute();
      await own.run(cause === 'down' ? at(11, 45) : at(12, 20)); // more than 15 minutes after the last run, and less
      await db.updateTable('sites').set({ paused: 0 }).execute();
      for (const minutes of [50, 55]) await own.run(at(cause === 'down' ? 11 : 12, minutes));
      if (cause === 'paused') await own.run(at(13, 6));
      expect(await own.mails(), cause).toEqual([]);
    }
  });

  test('a goal and payments are told with their number, late ones included, and too many as one sum', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, own.clock.now);
    await own.make({ kind: 'goal', goal_id: goal.id });
    await own.make({ kind: 'goal', goal_id: goal.id, telling: 'first_of_day' });
    await own.make({ kind: 'payment' });
    await directory.db.updateTable('sites').set({ currency: 'EUR' }).execute();
    const signups = (count: number, time: number) => crowd(own, count, time, { name: 'signup' });
    await own.store([...signups(5, at(7)), ...crowd(own, 3, at(8, 1))]); // from before the alert, and of another kind
    await own.run(at(8, 2));
    expect(await own.mails()).toEqual([]);
    await own.store([
      ...signups(1, at(8, 2)),
      ...crowd(own, 1, at(8, 2), { name: 'buy', amount: '42.5', currency: 'EUR' }),
    ]);
    await own.run(at(8, 3));
    expect((await own.mails()).toSorted()).toEqual([
      'A payment of €42.50 on example.com | Recorded between 08:00 on 20 Nov 2026 and 08:03 on 20 Nov 2026. | ada@example.com',
      'The goal “Signed up” was reached on example.com | Recorded 08:03 on 20 Nov 2026. | ada@example.com',
      'The goal “Signed up” was reached on example.com | Recorded between 08:00 on 20 Nov 2026 and 08:03 on 20 Nov 2026. | ada@example.com',
    ]);
    await own.store(signups(2, at(8, 1))); // late
    await own.store(crowd(own, 2, at(8, 4), { name: 'buy', amount: '10', currency: 'EUR' }));
    await own.run(at(8, 5));
    await own.run(at(8, 6));
    expect(
      (await own.mails())
        .slice(3)
        .map((mail) => mail.split(' | ')[0])
        .toSorted(),
    ).toEqual(['2 payments on example.com, €20 in all', 'The goal “Signed up” was reached 2 times on example.com']);

    for (let minute = 10; minute < 40; minute++) {
      await own.store(signups(1, at(8, minute)));
      await own.run(at(8, minute + 1));
    }
    const ofGoal = async () =>
      (await own.mails()).filter((mail) => mail.includes('goal')).map((mail) => mail.split(' | ')[0]);
    const one = 'The goal “Signed up” was reached on example.com';
    expect((await ofGoal()).slice(3)).toEqual(new Array(MAX_TOLD_PER_HOUR - 2).fill(one));
    await own.run(at(9, 30));
    expect((await ofGoal()).slice(1 + MAX_TOLD_PER_HOUR)).toEqual([
      'The goal “Signed up” was reached 22 times on example.com',
    ]);
    // Two days later the window has moved on, and a week later too: nothing is told twice, and the next day has its first.
    await own.run(at(9 + 49));
    await own.run(at(9 + 24 * 7));
    await own.store(signups(1, at(9 + 24 * 7)));
    await own.run(at(9 + 24 * 7, 1));
    expect((await ofGoal()).slice(2 + MAX_TOLD_PER_HOUR)).toEqual([one, one]);
  });

  test('payments wait for the currency that the first one proposes, and lose nothing when the owner accepts it', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    await own.make({ kind: 'payment' });
    const paid = (amount: string, time: number) => crowd(own, 1, time, { name: 'buy', amount, currency: 'EUR' });
    await own.store(paid('42.5', at(8, 1)));
    await own.run(at(8, 2)); // its proposal is still on its way
    expect(await own.mails()).toEqual([]);
    await proposeCurrency(directory, { site_id: siteId, currency: 'EUR' });
    await own.run(at(8, 3));
    await own.store(paid('10', at(8, 3)));
    await configureSite(directory, { siteId, currency: 'EUR' }, at(8, 3) + 1);
    await own.run(at(8, 4));
    const titles = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
    expect(await titles()).toEqual(['A payment of €42.50 on example.com', 'A payment of €10 on example.com']);
    await configureSite(directory, { siteId, currency: 'USD' }, at(8, 5)); // other payments from now on
    await own.run(at(8, 6));
    expect(await titles()).toHaveLength(2);
  });

  test('a goal or a limit of payments that changes counts from then on', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    const event = (name: string) => ({ kind: 'event', event: name, props: {} }) as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: event('signup') }, at(8));
    await own.make({ kind: 'goal', goal_id: goal.id });
    await own.make({ kind: 'payment' });
    await configureSite(directory, { siteId, currency: 'EUR', maxAmount: 100 }, at(8));
    const paid = (amount: string, time: number) => crowd(own, 1, time, { name: 'buy', amount, currency: 'EUR' });
    await own.store([...crowd(own, 5, at(8, 1), { name: 'login' }), ...paid('500', at(8, 1))]);
    await own.run(at(8, 2));
    expect(await own.mails()).toEqual([]);
    await goals.update(directory, { siteId, id: goal.id, name: 'Logged in', definition: event('login') }, at(8, 3));
    await configureSite(directory, { siteId, maxAmount: 1000 }, at(8, 3));
    await own.run(at(8, 4));
    expect(await own.mails()).toEqual([]);
    await own.store([...crowd(own, 1, at(8, 5), { name: 'login' }), ...paid('600', at(8, 5))]);
    // A new name alone loses nothing.
    await goals.update(directory, { siteId, id: goal.id, name: 'Came', definition: event('login') }, at(8, 6));
    await own.run(at(8, 7));
    expect((await own.mails()).map((mail) => mail.split(' | ')[0]).toSorted()).toEqual([
      'A payment of €600 on example.com',
      'The goal “Came” was reached on example.com',
    ]);
  });

  test('incidents are told without their cause, and while counting fails; a job that failed is no outage', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const broken = () => Promise.reject(new Error('the store is slow'));
    const { stats } = own.parts;
    const parts = { ...own.parts, stats: { ...stats, driverBetween: broken, counts: broken } };
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const { id: goal_id } = await goals.create(directory, { siteId: own.siteId, name: 'a', definition: signup }, at(8));
    await own.make({ kind: 'goal', goal_id });
    await own.make({ kind: 'drop' });
    await own.store(usualDays(own.siteId));
    const watch = openTrafficWatch(parts);
    // Each run but the first failed, as far as the directory knows.
    for (let hour = 8; hour < 11.3; hour += 0.1)
      await watch.run({ now: at(hour), period: { from: at(8), to: at(hour) } });
    const jobs = jobsOf(parts as unknown as JobParts);
    const run = (job: string) => jobs.find(({ name }) => name === job)?.run({ ...turn, db: directory.db, signal });
    const turn = { now: at(11.3), period: { from: at(11.2), to: at(11.3) } };
    const { signal } = new AbortController();
    await expect(run('count-alerts')).rejects.toThrow('the store is slow');
    await run('tell-alerts');
    expect(await own.mails()).toEqual([
      'Traffic drop on example.com | Since 10:00 on 20 Nov 2026: no visitors instead of about 40. | ada@example.com',
    ]);
  });

  test('silence and a new AI agent are told once', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId } = own;
    for (const kind of ['silent', 'new_agent']) await own.make({ kind }, at(8) - DAY_MS);
    await own.store(usualDays(siteId), [
      makeAiVisit({ site_id: siteId, ai_agent: 'ClaudeBot', time: DAY - 9 * DAY_MS }),
    ]);
    const seen = (last_event_at: number) => directory.db.updateTable('sites').set({ last_event_at }).execute();
    await seen(at(-11));
    await own.run(at(8, 6));
    expect(await own.mails()).toEqual([]);
    const agents = ['GPTBot', 'ClaudeBot', 'GPTBot'].map((ai_agent, index) =>
      makeAiVisit({ site_id: siteId, ai_agent, ai_provider: 'OpenAI', time: at(8, 10 + index) }),
    );
    await own.store([], agents);
    for (let hour = 8.2; hour < 14; hour += 0.2) await own.run(at(hour));
    await own.run(at(14, 1));
    expect(await own.mails()).toEqual([
      'A new AI agent on example.com: GPTBot | GPTBot of OpenAI visited for the first time 08:10 on 20 Nov 2026. | ada@example.com',
      'No data from example.com for 24 hours | The last event arrived 13:00 on 19 Nov 2026. Check that the site is reachable and that its pages still contain the snippet. | ada@example.com',
    ]);
    await seen(at(15));
    for (const minutes of [5, 10]) await own.run(at(15, minutes));
    expect((await own.mails()).slice(2)).toEqual([
      'example.com sends data again | Data arrives again since 15:00 on 20 Nov 2026. Nothing was recorded for 26 hours. | ada@example.com',
    ]);
  });

  test('a first mention is told once, without old threads, and at most ten an hour', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    await own.make({ kind: 'mention' });
    const find = (threads: Record<string, number>, found: number) =>
      addMentions(
        directory.db,
        {
          ...{ siteId: own.siteId, place: 'hacker_news' },
          found: Object.entries(threads).map(([title, postedAt]) => ({
            ...{ thread: title, title, postedAt, points: 1, comments: 0, said: '' },
            url: 'https://news.ycombinator.com/item?id=1',
          })),
        },
        found,
      );
    await find({ 'Show HN: Example': at(7), 'Years ago': at(8) - 3 * DAY_MS }, at(8, 1));
    for (const minutes of [1, 2, 32]) await own.run(at(8, minutes));
    expect(await own.mails()).toEqual([
      'example.com is mentioned: “Show HN: Example” | Hacker News, posted 07:00 on 20 Nov 2026. The dashboard has the link. | ada@example.com',
    ]);
    await find(Object.fromEntries(Array.from({ length: 15 }, (_, id) => [`Thread ${id}`, at(8)])), at(8, 40));
    for (const minutes of [41, 42]) await own.run(at(8, minutes));
    const subjects = async () => (await own.mails()).map((mail) => mail.split(' | ')[0]);
    expect((await subjects()).slice(1)).toEqual([`${MAX_TOLD_PER_HOUR - 1} alerts on example.com`]);
    await own.run(at(9, 50));
    expect((await subjects()).slice(2)).toEqual([`${15 - (MAX_TOLD_PER_HOUR - 1)} alerts on example.com`]);
    const [latest] = await listIncidents(directory, own);
    expect(latest).toMatchObject({ kind: 'mention', facts: { place: 'hacker_news' } });
  });

  test('quiet hours end in one mail; people who left, unsubscribed or may not see the site get none', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    const { account, siteId } = own;
    const eve = await createAccount(directory, { email: 'eve@example.com', password: PASSWORD }, at(8));
    const join = { account_id: account.id, user_id: eve.user.id, role: 'viewer', created_at: at(8) } as const;
    await db
      .insertInto('members')
      .values({ ...join, named_sites: 0 })
      .execute();
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, at(8));
    const people = { members: [own.user.id, eve.user.id], emails: ['bob@example.com'] };
    // 9 to 11 in Berlin is 8 to 10 in UTC.
    const alert = await own.make({
      kind: 'goal',
      goal_id: goal.id,
      ...people,
      quiet: { from: 9, to: 11 },
      timezone: 'Europe/Berlin',
    });
    await own.store(crowd(own, 3, at(8, 30), { name: 'signup' }));
    for (const minutes of [31, 59]) await own.run(at(8, minutes));
    await own.run(at(9, 59));
    expect(await own.mails()).toEqual([]);
    const token = own.mail
      .unsubscribePath('bob@example.com', `alert:${listOf(account.id, alert)}`)
      .slice('/unsubscribe/'.length);
    await own.mail.unsubscribe(token);
    await db.updateTable('members').set({ named_sites: 1 }).where('user_id', '=', eve.user.id).execute();
    await own.run(at(10));
    expect((await own.mails()).map((mail) => mail.split(' | ').at(-1))).toEqual(['ada@example.com']);
    expect((await own.mails())[0]).toContain('reached 3 times');
    const { key } = await db.selectFrom('mails').select('key').executeTakeFirstOrThrow();
    expect(key.startsWith(`alert ${account.id} ${siteId} `)).toBe(true); // so that it is forgotten with either
    await expect(own.make({ kind: 'spike', emails: ['bob@example.com'] })).rejects.toThrow(
      'bob@example.com has unsubscribed from an alert of this account.',
    );
    const { id, created_at: _, ...content } = alert;
    const same = { siteId, accountId: account.id, id, content, mail: own.mail };
    await updateAlert(directory, same, at(10)); // it has the address already
    await db.updateTable('members').set({ named_sites: 0 }).where('user_id', '=', eve.user.id).execute();
    await db.deleteFrom('members').where('user_id', '=', own.user.id).execute();
    await own.store(crowd(own, 1, at(10, 1), { name: 'signup' }));
    await own.run(at(10, 2));
    expect((await own.mails()).map((mail) => mail.split(' | ').at(-1))).toEqual(['ada@example.com', 'eve@example.com']);
  });

  test('what several incidents of one alert told at the same time say is one mail, and an account has a limit', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    const alert = await own.make({ kind: 'spike' });
    const spike = (from: number, to: number | null) =>
      db
        .insertInto('incidents')
        .values({
          ...{
            id: `inc_${from}`,
            alert_id: alert.id,
            site_id: own.siteId,
            key: `spike ${from}`,
            told: 'nothing',
            created_at: at(8),
          },
          ...{ started_at: at(from), ended_at: to === null ? null : at(to), facts: '{"value":90,"expected":9}' },
        })
        .execute();
    await spike(1, 2);
    await spike(3, null);
    await own.run(at(8, 1));
    expect(await own.mails()).toEqual([
      '2 alerts on example.com | The traffic spike on example.com is over. Over since 02:00 on 20 Nov 2026. It lasted 1 hour: 90 visitors instead of about 9. Traffic spike on example.com. Since 03:00 on 20 Nov 2026: 90 visitors instead of about 9. | ada@example.com',
    ]);
    const row = {
      kind: 'alert',
      recipient: 'x@example.com',
      data: null,
      state: 'sent',
      due_at: 0,
      attempts: 1,
    } as const;
    const full = Array.from({ length: MAX_MAILS_PER_DAY }, (_, index) => ({
      ...{
        ...row,
        id: `mail_${index}`,
        key: `alert ${own.account.id} ${index}`,
        created_at: at(8),
        answer: null,
        ended_at: at(8),
      },
    }));
    await db.insertInto('mails').values(full).execute();
    await spike(5, 6);
    await own.run(at(8, 2));
    expect(await own.mails()).toHaveLength(1 + MAX_MAILS_PER_DAY);
    await own.run(at(8 + 25));
    expect((await own.mails()).filter((mail) => mail.includes('Over since 06:00'))).toHaveLength(1);
  });

  test('alerts are listed, changed, deleted, limited, and go with their site', async () => {
    await using directory = await testDirectory(form);
    const own = await world(directory);
    const { siteId, account, mail } = own;
    const wrong = (content: object, problem: string) => expect(own.make(content)).rejects.toThrow(problem);
    await wrong({ kind: 'goal', goal_id: 'goal_0' }, 'There is no such goal');
    await wrong({ kind: 'spike', members: ['user_0'] }, 'does not belong to this account');
    await wrong({ kind: 'spike', emails: ['not an address'] }, 'malformed');
    for (const content of [
      { kind: 'goal' },
      { kind: 'other' },
      { kind: 'spike', timezone: '+02:00' },
      { kind: 'spike', quiet: { from: 1, to: 24 } },
      { kind: 'spike', emails: new Array(MAX_ALERT_EMAILS + 1).fill('a@b.example') },
    ])
      expect(alertContent.safeParse({ timezone: 'UTC', ...content }).success).toBe(false);

    const made = await own.make({ kind: 'spike', emails: [' Ada@Example.com ', 'ada@example.com'] });
    expect(made).toMatchObject({ emails: ['ada@example.com'], sensitivity: 'usual', quiet: null, paused: false });
    const { id, created_at: _, ...content } = made;
    const changed: AlertContent = { ...content, sensitivity: 'small', paused: true };
    await updateAlert(directory, { siteId, accountId: account.id, id, content: changed, mail }, at(9));
    expect(await listAlerts(directory, { siteId })).toEqual([{ ...made, ...changed }]);
    const { id: otherId } = await createSite(directory, { accountId: account.id, domain: 'other.example' }, at(8));
    for (const [of, alertId] of [
      [otherId, id],
      [siteId, 'alert_0'],
      [siteId, "' OR 1=1"],
    ] as const) {
      const missing = (act: Promise<unknown>) => expect(act).rejects.toThrow('There is no such alert on this site.');
      await missing(
        updateAlert(directory, { siteId: of, accountId: account.id, id: alertId, content: changed, mail }, at(9)),
      );
      await missing(deleteAlert(directory, { siteId: of, id: alertId }));
    }
    await deleteAlert(directory, { siteId, id });
    expect(await listAlerts(directory, { siteId })).toEqual([]);
    for (let number = 0; number < MAX_ALERTS; number++) await own.make({ kind: 'spike' });
    await wrong({ kind: 'spike' }, `${MAX_ALERTS} alerts`);
    await deleteSite(directory, { siteId }, at(9));
    expect(await directory.db.selectFrom('alerts').selectAll().execute()).toEqual([]);
  });
});

test('names from strangers in a mail of an alert become neither links nor markup', () => {
  const hostile = '<img src=x onerror=alert(1)> https://evil.example/ \u202e \ud800 @everyone';
  const incidents = [
    {
      kind: 'spike',
      started_at: 0,
      ended_at: null,
      facts: { value: 9, cause: { dimension: 'source', name: hostile } },
    },
    { kind: 'goal', started_at: 0, ended_at: 0, facts: { name: hostile } },
    { kind: 'new_agent', started_at: 0, ended_at: 0, facts: { name: hostile, provider: hostile } },
    { kind: 'mention', started_at: 0, ended_at: 0, facts: { name: hostile, place: 'feed', url: hostile } },
  ];
  for (const some of [incidents, ...incidents.map((one) => [one])]) {
    const content = kindOf('alert')?.write({ list: 'alert_1', domain: 'example.com', zone: hostile, incidents: some });
    const { subject, text, html } = layOut(content ?? { subject: '', paragraphs: [] }, {
      origin: 'https://stats.example',
    });
    expect(html).not.toContain('<img');
    expect((subject + text + html).isWellFormed()).toBe(true);
    expect(subject + text + html).not.toMatch(/\u202e|:\/\/evil/);
    expect(text).not.toContain('evil.example');
  }
});
