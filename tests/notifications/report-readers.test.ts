// Who gets a report: accounts that have paid, within the limit of a day, and people who mail a site's numbers to themselves.
import { describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { addMember, changeMember, removeMember } from '../../server/accounts/people/people.ts';
import { forgetUsers } from '../../server/accounts/people/user-deletion.ts';
import { UNSUBSCRIBE_PATH } from '../../server/messages/mail/unsubscribe.ts';
import { listOf, listReports } from '../../server/notifications/reports/definitions.ts';
import {
  listStates,
  personalContent,
  resubscribe,
  subscribe,
  unsubscribe,
} from '../../server/notifications/reports/personal.ts';
import { createSite } from '../../server/sites/sites.ts';
import { MAX_PERSONAL_REPORTS, MAX_REPORT_MAILS_A_DAY } from '../../server/vocabulary/settings/reports.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD } from '../setup/app.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { FRIDAY, openDesk } from '../setup/notifications/reports.ts';

const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_PRICE_STARTER: 'price_1',
  STRIPE_PRICE_PRO: 'price_2',
};
/** 8:00 in Berlin. */
const at = (day: number, hour = 7) => Date.UTC(2026, 10, day, hour);

describe.each(FORMS)('the readers of reports in %s', (form) => {
  test('of an account that has expired get nothing, and the next period once it has paid', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock, STRIPE);
    const webhook = await desk.webhooks.create({
      accountId: desk.account.id,
      name: 'Team',
      format: 'standard',
      url: 'https://hooks.example/',
    });
    await desk.make({ recipients: ['guest@example.org'], webhooks: [webhook.id] });
    const plan = (status: 'expired' | 'active') =>
      directory.db.updateTable('accounts').set({ status }).where('id', '=', desk.account.id).execute();
    const deliveries = async () =>
      (await directory.db.selectFrom('webhook_deliveries').select('key').orderBy('key').execute()).map(({ key }) =>
        key.split(' ').at(-1),
      );
    await plan('expired');
    clock.now = at(21);
    await desk.sendDue();
    expect([await desk.sent(), await deliveries(), await desk.runs()]).toEqual([[], [], ['2026-11-20 skipped']]);
    await plan('active');
    clock.now = at(22);
    await desk.sendDue();
    await desk.sendDue();
    expect([await desk.sent(), await deliveries()]).toEqual([['21 Nov 2026 to guest'], ['2026-11-21']]);
    desk.mail.close();
  });

  test('get at most the mails of a day, and what is over the limit is tried again and sent the next day', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const report = await desk.make({ recipients: ['guest@example.org', 'other@example.org'] });
    const run = { report_id: report.id, account_id: desk.account.id, date_from: '', date_to: '' };
    const old = { ...run, id: 'run_1', key: 'run_1', state: 'on request', mails: MAX_REPORT_MAILS_A_DAY - 1 } as const;
    await directory.db
      .insertInto('report_runs')
      .values({ ...old, created_at: at(20, 20) })
      .execute();
    clock.now = at(21);
    await expect(desk.sendNow(report, 'all')).rejects.toThrow(`${MAX_REPORT_MAILS_A_DAY} reports mailed a day`);
    await desk.sendDue();
    expect(await desk.sent()).toEqual([
      `An account can have ${MAX_REPORT_MAILS_A_DAY} reports mailed a day: wait until tomorrow. to owner (report_stopped)`,
    ]);
    for (let hour = 1; hour <= 14; hour += 1) {
      clock.now = at(21) + hour * HOUR_MS;
      await desk.sendDue();
    }
    expect((await desk.sent()).filter((mail) => !mail.includes('report_stopped')).sort()).toEqual([
      '20 Nov 2026 to guest',
      '20 Nov 2026 to other',
    ]);
    desk.mail.close();
  });

  test('have no personal reports once they have left the account or deleted their login', async () => {
    await using directory = await testDirectory(form);
    const desk = await openDesk(directory, { now: FRIDAY });
    const { account, site, user, mail } = desk;
    const content = personalContent.parse({ name: 'Mine', frequency: 'daily', hour: 8, timezone: 'UTC' });
    const join = async (email: string) => {
      const made = await createAccount(directory, { email, password: PASSWORD }, FRIDAY);
      const [of, place] = [
        { accountId: account.id, userId: made.user.id },
        { role: 'viewer' as const, siteIds: null },
      ];
      await addMember(directory.db, { ...of, place }, FRIDAY);
      await subscribe({ directory, mail }, { ...of, siteId: site.id, content }, FRIDAY);
      return { ...of, email };
    };
    const [ada, eve] = [await join('ada@example.com'), await join('eve@example.com')];
    const shared = await desk.make();
    const left = async () => (await directory.db.selectFrom('reports').select('id').execute()).length;
    expect(await left()).toBe(3);
    await removeMember(directory, { accountId: account.id, by: user.id, userId: ada.userId });
    expect(await left()).toBe(2);
    await forgetUsers(directory.db, [eve], mail.forget);
    expect(await directory.db.selectFrom('reports').select('id').execute()).toEqual([{ id: shared.id }]);
    mail.close();
  });

  test('can mail the numbers to themselves, see only their own reports, and lose them with the site', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const { account, site } = desk;
    const parts = { directory, mail: desk.mail };
    const join = async (email: string) => {
      const { user } = await createAccount(directory, { email, password: PASSWORD }, FRIDAY);
      const place = { role: 'viewer' as const, siteIds: [site.id] };
      await addMember(directory.db, { accountId: account.id, userId: user.id, place }, FRIDAY);
      return { accountId: account.id, siteId: site.id, userId: user.id };
    };
    const [ada, eve] = [await join('ada@example.com'), await join('eve@example.com')];
    const own = personalContent.parse({ name: 'Mine', frequency: 'daily', hour: 8, timezone: 'Europe/Berlin' });
    const made = await subscribe(parts, { ...ada, content: own }, clock.now);
    expect((await listStates(parts, ada)).map(({ id }) => id)).toEqual([made.id]);
    expect(await listStates(parts, eve)).toEqual([]);
    expect(await listReports(directory, ada)).toEqual([]);
    await expect(unsubscribe(directory, { ...eve, id: made.id })).rejects.toThrow('There is no such report.');
    clock.now = at(21);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to ada']);

    // Ended by the link in its mail, and taken back by the person alone.
    const states = async () => (await listStates(parts, ada)).map(({ unsubscribed }) => unsubscribed);
    const path = desk.mail.unsubscribePath('ada@example.com', `reports:${listOf(made)}`);
    await desk.mail.unsubscribe(path.slice(UNSUBSCRIBE_PATH.length));
    expect(await states()).toEqual([true]);
    clock.now = at(22);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to ada']);
    await expect(resubscribe(parts, { ...eve, id: made.id })).rejects.toThrow('There is no such report.');
    await resubscribe(parts, { ...ada, id: made.id });
    expect(await states()).toEqual([false]);
    clock.now = at(23);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to ada', '22 Nov 2026 to ada']);

    for (let count = 1; count < MAX_PERSONAL_REPORTS; count += 1)
      await subscribe(parts, { ...ada, content: { ...own, frequency: 'monthly' } }, clock.now);
    await expect(subscribe(parts, { ...ada, content: own }, clock.now)).rejects.toThrow('You can have 10 reports');
    const hers = await subscribe(parts, { ...eve, content: own }, clock.now);
    await unsubscribe(directory, { ...eve, id: hers.id });

    const other = await createSite(directory, { accountId: account.id, domain: 'other.example' }, FRIDAY);
    const place = { role: 'viewer' as const, siteIds: [other.id] };
    await changeMember(directory, { accountId: account.id, by: desk.user.id, userId: ada.userId, place });
    clock.now = at(24);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to ada', '22 Nov 2026 to ada']);
    expect((await listStates(parts, ada)).map(({ frequency }) => frequency)).not.toContain('daily');
    clock.now = at(24) + 40 * DAY_MS;
    await desk.sendDue();
    expect(await listStates(parts, ada)).toEqual([]);
    desk.mail.close();
  });
});
