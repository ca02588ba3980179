// When people and programs last got numbers, as both databases say it.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { lastSeen } from '../../server/accounts/sign-in/own-sessions.ts';
import { addMail, lastSent } from '../../server/messages/mail/queue.ts';
import { addDeliveries, lastDelivered } from '../../server/messages/webhooks/queue.ts';
import { openWebhooks } from '../../server/messages/webhooks/webhooks.ts';
import { lastTold } from '../../server/notifications/alerts/telling.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { addIncident } from '../../server/notifications/alerts/incidents.ts';
import { readConfig } from '../../server/config.ts';
import { openLog } from '../../server/process/log.ts';
import { createSite } from '../../server/sites/sites.ts';
import { PASSWORD } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { queuedMail } from '../setup/notifications/queued-mail.ts';

const [ADA, BOB] = ['ada@example.com', 'bob@example.com'];

describe.each(FORMS)('in %s', (form) => {
  test('the last mail, delivery, alert and log-in are found, each of its own report, alert and person', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const { account, user } = await createAccount(directory, { email: ADA, password: PASSWORD }, NOON);
    const site = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const of = { siteId: site.id, accountId: account.id, mail: await queuedMail(directory, () => NOON) };
    const noticed = async () => {
      const alert = await createAlert(
        directory,
        { ...of, content: alertContent.parse({ kind: 'spike', timezone: 'UTC' }) },
        NOON,
      );
      const incident = { alert_id: alert.id, site_id: site.id, started_at: NOON, ended_at: null, facts: {} };
      await addIncident(db, { ...incident, key: 'one' }, NOON);
      const { id } = await db
        .selectFrom('incidents')
        .select('id')
        .where('alert_id', '=', alert.id)
        .executeTakeFirstOrThrow();
      return { alert: alert.id, incident: id };
    };
    const [first, other] = [await noticed(), await noticed()];
    const told = ({ incident }: typeof first, phase: string) =>
      `alert ${account.id} ${site.id} ${incident} ${phase} ${ADA}`;

    const sent: [key: string, to: string, at: number | null][] = [
      ['report report_1 weekly 2026-11-09 r1', ADA, NOON + 1],
      ['report report_1 weekly 2026-11-16 r1', ADA, NOON + 2],
      ['report report_1 weekly 2026-11-16 r2', BOB, null],
      ['report report_12 weekly 2026-11-16 r1', BOB, NOON + 3],
      [told(first, 'started'), ADA, NOON + 4],
      [told(first, 'ended'), ADA, NOON + 5],
      [told(other, 'started'), ADA, NOON + 6],
    ];
    for (const [key, recipient, at] of sent) {
      await addMail(db, { key, kind: 'report', recipient, data: {} }, NOON);
      if (at !== null)
        await db.updateTable('mails').set({ state: 'sent', ended_at: at }).where('key', '=', key).execute();
    }
    expect([...(await lastSent(db, 'report report_1 '))]).toEqual([[ADA, NOON + 2]]);

    const log = openLog('silent');
    const webhooks = await openWebhooks({ directory, config: readConfig({}), now: () => NOON, log });
    const wish = { accountId: account.id, name: 'Team', format: 'standard', url: 'https://hooks.example/' } as const;
    const hook = await webhooks.create(wish);
    const message = { type: 'report' as const, title: '', lines: [], path: '/', data: {} };
    const delivered: [key: string, at: number | null][] = [
      ['report report_1 weekly 2026-11-09', NOON + 7],
      ['report report_1 weekly 2026-11-16', null],
      ['report report_12 weekly 2026-11-16', NOON + 8],
      [`alert ${first.incident} started`, NOON + 9],
    ];
    for (const [key, at] of delivered) {
      const added = { accountId: account.id, webhookIds: [hook.id], key, siteId: site.id, message };
      const [id = ''] = await addDeliveries(db, added, NOON);
      const row = db.updateTable('webhook_deliveries').where('id', '=', id);
      if (at !== null) await row.set({ state: 'delivered', ended_at: at }).execute();
    }
    const asked = { webhookIds: [hook.id], prefix: 'report report_1 ' };
    expect([...(await lastDelivered(directory, asked))]).toEqual([[hook.id, NOON + 7]]);
    expect([...(await lastDelivered(directory, { ...asked, webhookIds: [] }))]).toEqual([]);

    const toldAt = await lastTold(directory, site);
    const whom = [ADA, BOB, hook.id];
    expect(whom.map((who) => toldAt(first.alert, who))).toEqual([NOON + 5, null, NOON + 9]);
    expect(whom.map((who) => toldAt(other.alert, who))).toEqual([NOON + 6, null, null]);

    for (const n of [2, 1]) {
      const times = { created_at: NOON, updated_at: NOON + n, expires_at: NOON + 9 };
      const session = { id: `session${n}`, agent: null, token: `${n}`, user_id: user.id, issuer_proved_at: null };
      await db
        .insertInto('sessions')
        .values({ ...session, ...times })
        .execute();
    }
    expect([...(await lastSeen(directory, account.id))]).toEqual([[user.id, NOON + 2]]);
    expect([...(await lastSeen(directory, 'acct_0'))]).toEqual([]);
  });
});
