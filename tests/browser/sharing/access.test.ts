// Who can see a site, on one screen: every kind of access is ended there by key or pointer, and is refused from then on.
import { expect, test } from 'vitest';
import { findReport, NO_SUCH_REPORT } from '../../../server/notifications/reports/definitions.ts';
import { ACCESS, ACCESS_KINDS, type AccessKind, MAX_SHOWN_ACCESS } from '../../../server/vocabulary/settings/access.ts';
import { giveAccess, VIEWER } from '../../setup/accounts/access.ts';
import { makeAsk } from '../../setup/accounts/callers.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { outcome } from '../../setup/outcome.ts';

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;
/** Those without an end are set by the operator. */
type Ended = Exclude<AccessKind, 'single_sign_on' | 'demo'>;
const ENDED = ACCESS_KINDS.filter((kind) => ACCESS[kind].end !== null) as Ended[];
const PEOPLE = 60;

/** Tells of each kind whether it still opens something. */
async function doorsOf({ server, site }: Dashboard, given: Awaited<ReturnType<typeof giveAccess>>) {
  const ask = makeAsk(server);
  const { directory, reports } = server.app.services;
  const owner = { cookie: await server.logIn('owner@example.com') };
  const viewer = { cookie: await server.logIn(VIEWER) };
  const opens = async (name: string, input: object, headers: Record<string, string>) =>
    (await ask(name, input, headers)).status === 200;
  const fetches = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(server.url + path, { headers })).status === 200;
  const summary = (siteId: string) => opens('stats.summary', { site_id: siteId, period: 'today' }, viewer);
  const sent = async () => {
    const which = { accountId: site.account_id, siteId: site.id, id: given.report.id };
    const report = await findReport(directory, which).catch(() => undefined);
    return report ? reports.sendNow(report, 'all') : { mails: 0, messages: 0 };
  };
  const countOf = async (table: 'alerts' | 'reports', id: string) =>
    (await directory.db.selectFrom(table).select('id').where('id', '=', id).execute()).length > 0;
  await server.app.runJob('make-exports');
  const isOpen: Record<Ended, () => Promise<boolean>> = {
    person: () => summary(site.id),
    invitation: () => opens('people.invitation', { token: given.invitation.token }, {}),
    link: () => opens('shares.site', {}, { 'x-share-token': given.link.token }),
    page: () => fetches('/share/example.com/privacy'),
    report: async () => (await sent()).mails > 0,
    own_report: () => countOf('reports', given.own.id),
    feed: () => fetches(given.feed.path),
    alert: () => countOf('alerts', given.alert.id),
    webhook: async () => (await sent()).messages > 0,
    key: () => fetches('/v1/sites', { authorization: `Bearer ${given.key.key}` }),
    export: () => fetches(`/export/${given.file.id}.zip`, owner),
    transfer: () => opens('transfers.offered', { token: given.offer.token }, {}),
  };
  return { isOpen, seesSecond: () => summary(given.second.id) };
}

/** Viewers without a password. */
async function addViewers({ server, site }: Dashboard): Promise<void> {
  const { db } = server.app.services.directory;
  const names = Array.from({ length: PEOPLE }, (_, n) => `viewer${String(n).padStart(2, '0')}`);
  const stamps = { created_at: server.clock.now, updated_at: server.clock.now };
  const user = { email_verified: 1 as const, image: null, ...stamps };
  await db
    .insertInto('users')
    .values(names.map((name) => ({ id: `user_${name}`, name, email: `${name}@guest.example`, ...user })))
    .execute();
  const member = { account_id: site.account_id, role: 'viewer' as const, created_at: server.clock.now + 1 };
  await db
    .insertInto('members')
    .values(names.map((name) => ({ ...member, user_id: `user_${name}` })))
    .execute();
}

test('each way to see a site is ended where it is listed, and refused from then on', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ env, traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const given = await giveAccess(server, site);
  await addViewers(dashboard);
  const { isOpen, seesSecond } = await doorsOf(dashboard, given);
  for (const kind of ENDED) expect([kind, await isOpen[kind]()]).toEqual([kind, true]);

  await page.goto(`${server.url}/${site.domain}/settings/people`);
  await page.getByRole('link', { name: 'Who can see this site' }).click();
  await page.getByRole('heading', { name: 'Who can see this site' }).waitFor();
  const people = page.locator('[data-section="People of the account"]');
  await people.getByText(`${PEOPLE + 2 - MAX_SHOWN_ACCESS} more. Type to find them.`).waitFor();
  expect(await people.locator('li').count()).toBe(MAX_SHOWN_ACCESS);
  await page.getByLabel('Find somebody').fill('VIEWER07');
  await page.getByText('1 found').waitFor({ state: 'attached' });
  expect(await page.locator('[data-access]').allInnerTexts()).toEqual([
    expect.stringContaining('viewer07@guest.example') as string,
  ]);
  await page.getByLabel('Find somebody').fill('nobody');
  await page.getByText('Nobody like this can see the site.').waitFor();
  await page.getByLabel('Find somebody').fill('');
  await people.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
  await page.evaluate(() => (document.title = 'the same page'));

  for (const kind of ENDED) {
    const rows = page.locator(`[data-access="${kind}"]`);
    const row = kind === 'person' ? rows.filter({ hasText: VIEWER }) : rows;
    const end = row.getByRole('button').first();
    const isByKey = kind === 'link';
    const press = () => (isByKey ? end.press('Enter') : end.click());
    await press();
    await row.getByText('Press again to confirm.').waitFor();
    await row.getByRole('button', { name: /^Keep/ }).click();
    expect([kind, await row.getByText('Press again to confirm.').count(), await isOpen[kind]()]).toEqual([
      kind,
      0,
      true,
    ]);
    await press();
    await press();
    await row.waitFor({ state: 'detached' });
    server.clock.now += 1_000; // the API looks up a key once a second
    expect([kind, await isOpen[kind]()]).toEqual([kind, false]);
    if (!isByKey) continue;
    // The focus is where the answer is read out, not at the top of the page.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('For ACME: revoked.');
  }
  expect(await seesSecond()).toBe(true);
  const gone = await outcome(
    findReport(server.app.services.directory, {
      accountId: site.account_id,
      siteId: site.id,
      id: given.report.id,
    }),
  );
  expect(gone).toBe(`not_found: ${NO_SUCH_REPORT}`);
  await page.getByText('This site has no open invitations, people who join').waitFor();
  expect(await page.title()).toBe('the same page');
  expect(dashboard.troubles).toEqual([]);
});

test('the share dialog leads there, and whoever leaves the account is led away', async () => {
  await using dashboard = await openDashboard({ traffic: false });
  const { page, server, site } = dashboard;
  await addViewers(dashboard);
  const { db } = server.app.services.directory;
  await db.updateTable('members').set({ role: 'owner' }).where('user_id', '=', 'user_viewer00').execute();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Who else can see this site' }).click();
  await page.waitForURL(`${server.url}/${site.domain}/settings/access`);
  const leave = page.getByRole('button', { name: 'Leave owner@example.com' });
  await leave.click();
  await page.getByText('You leave the account, with all of its sites.').waitFor();
  await leave.click();
  await page.waitForURL(/\/no-account/);
  expect(dashboard.troubles).toEqual([]);
});
