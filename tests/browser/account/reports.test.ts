// Reports by mail: an owner makes one, previews it, sends it and sees who got it; a reader unsubscribes by the mail's link. A viewer mails the
// numbers to themselves.
import { expect, test } from 'vitest';
import { createAccount } from '../../../server/accounts/accounts.ts';
import { addMember } from '../../../server/accounts/people/people.ts';
import { UNSUBSCRIBE_PATH } from '../../../server/messages/mail/unsubscribe.ts';
import { listOf } from '../../../server/notifications/reports/definitions.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { PASSWORD } from '../../setup/app.ts';
import { makeEvent } from '../../setup/event.ts';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('a report is made, previewed, sent, logged and unsubscribed from, and a viewer subscribes themselves', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ env, traffic: false, isBlank: true });
  const { page, server, site, context } = dashboard;
  const { directory } = server.app.services;
  const time = server.clock.now - DAY_MS;
  const visits = openVisits(server.app.store);
  const events = ['ada', 'eve', 'bob'].flatMap(
    (visitor) => visits.assign(makeEvent({ site_id: site.id, visitor, time, page: '/pricing' }), time) ?? [],
  );
  await server.app.store.insert({ events, ai_visits: [] }, 'yesterday');

  await page.goto(`${server.url}/example.com/settings/reports`);
  const reports = page.locator('[data-reports]');
  await reports.getByText('No reports yet.').waitFor();
  await reports.getByRole('button', { name: 'Add a report' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Board');
  await dialog.getByLabel('How often').selectOption({ label: 'Every day' });
  await dialog.getByLabel('At', { exact: true }).selectOption({ label: '00:00' }); // yesterday is due at any time of day
  await dialog.getByLabel('Time zone').fill('nowhere');
  await dialog.getByText('There is no such time zone.').waitFor();
  await dialog.getByLabel('Time zone').fill('UTC');
  await dialog.getByLabel('E-mail addresses').fill('guest@example.org');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const row = reports.locator('[data-report]');
  await row.getByText('To guest@example.org').waitFor();

  await row.getByRole('button', { name: 'Preview' }).click();
  const mail = dialog.frameLocator('iframe');
  await mail.getByText('Unique visitors: 3').waitFor();
  await mail.getByRole('img', { name: /^Chart of unique visitors/ }).waitFor();
  await page.keyboard.press('Escape');

  await row.getByRole('button', { name: 'Send to all now' }).click();
  await reports.getByText('“Board” is on its way.').waitFor();
  await server.app.runJob('send-mail');
  await row.getByRole('button', { name: 'Log' }).click();
  await dialog.getByText('sent to guest@example.org').waitFor();
  await page.keyboard.press('Escape');

  const [received] = smtp.mails;
  const link = /^<(.+)>$/.exec(received?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
  await page.goto(`${server.url}${new URL(link).pathname}`);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
  await page.goto(`${server.url}/example.com/settings/reports`);
  await row.getByText('To guest@example.org (unsubscribed)').waitFor();

  const { user } = await createAccount(directory, { email: 'viewer@example.com', password: PASSWORD }, time);
  const place = { role: 'viewer' as const, siteIds: [site.id] };
  await directory.db.deleteFrom('members').where('user_id', '=', user.id).execute(); // of their own account
  await addMember(directory.db, { accountId: site.account_id, userId: user.id, place }, time);
  await context.clearCookies();
  await page.goto(`${server.url}/login?to=/example.com`);
  await page.fill('[name=email]', 'viewer@example.com');
  await page.fill('[name=password]', PASSWORD);
  await page.click('button[type=submit]');
  await page.waitForURL(`${server.url}/example.com`);
  await page.goto(`${server.url}/example.com?period=7d`);
  await ready(page, 'pages');
  const openView = async () => {
    await page.keyboard.press('/');
    await page.locator('dialog [role=combobox]').fill('E-mail this view');
    await page.getByRole('option', { name: 'E-mail this view' }).click();
  };
  await openView();
  await dialog.getByText('Mails this view to viewer@example.com').waitFor();
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await dialog.getByText('“example.com” will be mailed to you.').waitFor();
  // They end it by the link in its mail, become an admin, and still find it beside what they can now send to everybody.
  const rows = directory.db.selectFrom('reports').selectAll().where('personal', '=', 1);
  const subscription = `reports:${listOf(await rows.executeTakeFirstOrThrow())}` as const;
  const path = server.app.services.mail.unsubscribePath('viewer@example.com', subscription);
  await server.app.services.mail.unsubscribe(path.slice(UNSUBSCRIBE_PATH.length));
  await directory.db
    .updateTable('members')
    .set({ role: 'admin', named_sites: 0 })
    .where('user_id', '=', user.id)
    .execute();
  await page.goto(`${server.url}/example.com?period=7d`);
  await ready(page, 'pages');
  await openView();
  await dialog.getByLabel('E-mail addresses').waitFor();
  await dialog.getByText('Ended by the link in its mail').waitFor();
  await dialog.getByRole('button', { name: 'Subscribe again to example.com' }).click();
  await dialog.getByText('“example.com” is mailed to you again.').waitFor();
  await dialog.getByText('Next on').waitFor();
  await dialog.getByRole('button', { name: 'Unsubscribe from example.com' }).click();
  await dialog.getByText('“example.com” is no longer mailed to you.').waitFor();
  expect(await directory.db.selectFrom('reports').select('name').execute()).toEqual([{ name: 'Board' }]);
  expect(dashboard.troubles).toEqual([]);
});
