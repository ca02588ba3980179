// Whom alerts tell, and when: quiet hours, recipients, limits; and how alerts are kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import {
  type AlertContent,
  alertContent,
  deleteAlert,
  listAlerts,
  listOf,
  updateAlert,
} from '../../server/notifications/alerts/rules.ts';
import { recipientsOf } from '../../server/notifications/alerts/telling.ts';
import { openTrafficWatch } from '../../server/notifications/alerts/traffic.ts';
import type { Directory } from '../../server/directory/open.ts';
import { jobsOf } from '../../server/jobs/table.ts';
import { layOut } from '../../server/messages/mail/layout.ts';
import { kindOf } from '../../server/messages/mail/kinds.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import { ALERT_KINDS, MAX_ALERT_EMAILS, MAX_ALERTS } from '../../server/vocabulary/settings/alerts.ts';
import { PASSWORD } from '../setup/app.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { type TestStore, testStore } from '../setup/store.ts';
import { alertWorld, at, crowd, usualDays } from '../setup/notifications/alerts.ts';

let store: TestStore;
beforeAll(async () => {
  store = await testStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const world = (directory: Directory) => alertWorld(directory, store);

/** Adds Eve, who may only look, and a goal that the event `signup` reaches. */
async function withViewerAndGoal(directory: Directory, { account, siteId }: Awaited<ReturnType<typeof world>>) {
  const eve = await createAccount(directory, { email: 'eve@example.com', password: PASSWORD }, at(8));
  const joined = { account_id: account.id, user_id: eve.user.id, role: 'viewer', created_at: at(8) } as const;
  await directory.db
    .insertInto('members')
    .values({ ...joined, named_sites: 0 })
    .execute();
  const signup = { kind: 'event', event: 'signup', props: {} } as const;
  const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, at(8));
  return { eve, goal };
}

describe.each(FORMS)('alerts in %s', (form) => {
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
    const jobs = jobsOf(parts as never);
    const run = (job: string) => jobs.find(({ name }) => name === job)?.run({ ...turn, db: directory.db, signal });
    const turn = { now: at(11.3), period: { from: at(11.2), to: at(11.3) } };
    const { signal } = new AbortController();
    await expect(run('count-alerts')).rejects.toThrow('the store is slow');
    await run('tell-alerts');
    expect(await own.mails()).toEqual([
      'Traffic drop on example.com | Since 10:00 on 20 Nov 2026: no visitors instead of about 40. | ada@example.com',
    ]);
  });

  test('quiet hours end in one mail; people who left, unsubscribed or may not see the site get none', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    const { account, siteId } = own;
    const { eve, goal } = await withViewerAndGoal(directory, own);
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

  test('members who see no small numbers are told of AI agents and mentions alone', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const own = await world(directory);
    const { account, siteId } = own;
    const { eve, goal } = await withViewerAndGoal(directory, own);
    const people = { members: [own.user.id, eve.user.id], emails: [] };
    await own.make({ kind: 'goal', goal_id: goal.id, telling: 'each', ...people });
    const tell = async (minutes: number) => {
      await own.store(crowd(own, 1, at(8, minutes), { name: 'signup' }));
      await own.run(at(8, minutes + 1));
      return (await own.mails()).map((mail) => mail.split(' | ').at(-1)).sort();
    };
    expect(await tell(1)).toEqual(['ada@example.com', 'eve@example.com']);
    const settings = { limits_members: true };
    await db
      .updateTable('sites')
      .set({ settings: JSON.stringify(settings) })
      .where('id', '=', siteId)
      .execute();
    expect(await tell(3)).toEqual(['ada@example.com', 'ada@example.com', 'eve@example.com']);
    const site = { id: siteId, account_id: account.id, settings };
    const told = ALERT_KINDS.map(async (kind) => {
      const emails = (await recipientsOf(db, { alert: { kind, ...people }, site })).map(({ email }) => email);
      return emails.includes('eve@example.com') ? [kind] : [];
    });
    expect((await Promise.all(told)).flat()).toEqual(['new_agent', 'mention']);
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
          id: `inc_${from}`,
          alert_id: alert.id,
          site_id: own.siteId,
          key: `spike ${from}`,
          told: 'nothing',
          created_at: at(8),
          started_at: at(from),
          ended_at: to === null ? null : at(to),
          facts: '{"value":90,"expected":9}',
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
    const full = Array.from({ length: 500 }, (_, index) => ({
      ...row,
      id: `mail_${index}`,
      key: `alert ${own.account.id} ${index}`,
      created_at: at(8),
      answer: null,
      ended_at: at(8),
    }));
    await db.insertInto('mails').values(full).execute();
    await spike(5, 6);
    await own.run(at(8, 2));
    expect(await own.mails()).toHaveLength(501);
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
    // Whoever has left is left out, so that the alert can still be paused.
    const leaver = await createAccount(directory, { email: 'leaver@example.com', password: PASSWORD }, at(8));
    const member = { account_id: account.id, user_id: leaver.user.id, role: 'admin', created_at: at(8) } as const;
    await directory.db.insertInto('members').values(member).execute();
    const change = (members: string[]) =>
      updateAlert(directory, { siteId, accountId: account.id, id, content: { ...changed, members }, mail }, at(9));
    await change([leaver.user.id]);
    await directory.db
      .deleteFrom('members')
      .where('account_id', '=', account.id)
      .where('user_id', '=', leaver.user.id)
      .execute();
    await expect(change([leaver.user.id, 'user_0'])).rejects.toThrow('does not belong to this account');
    await change([leaver.user.id]);
    expect(await listAlerts(directory, { siteId })).toEqual([{ ...made, ...changed, members: [] }]);
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
    { kind: 'speed', started_at: 0, ended_at: null, facts: { page: hostile } },
    { kind: 'new_error', started_at: 0, ended_at: 0, facts: { name: hostile, file: hostile, note: hostile } },
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
