/** @module-tag fault */
// A process that sends reports and alerts is killed in the middle of it, at each of a list of points. With real receivers of mails and webhooks,
// nobody gets a report or an alert twice, and nobody misses one.
import { expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { createReport, reportContent } from '../../server/notifications/reports/definitions.ts';
import { createGroup, groupContent } from '../../server/sites/groups.ts';
import { createSite } from '../../server/sites/sites.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD } from '../setup/app.ts';
import { FORMS, type TestDirectory, testDirectory } from '../setup/directory.ts';
import { shareOf, showsSurvived } from '../setup/run/harness.ts';
import { openReceivers } from '../setup/internet/receiver.ts';
import { openSending, type Targets } from '../setup/processes/sending.ts';
import { startSmtp } from '../setup/internet/smtp.ts';
import { type Point, startStopped } from '../setup/processes/stopping.ts';

/** How long a delivery belongs to the process that tries it. */
const CLAIMED_MS = 135_000;

type Points = Record<string, { point: Point; isTaken?: true }>;

const MAILED_TO = ['ada@example.org', 'eve@example.org'];
const OWNER = 'owner@example.com';

/** What is sent of each kind of report, and where its process is killed. */
const REPORTS = {
  'of a site': { of: 'site', readers: MAILED_TO, isPersonal: false },
  'of a group': { of: 'group', readers: MAILED_TO, isPersonal: false },
  'to its author': { of: 'site', readers: [OWNER], isPersonal: true },
} as const;
type Kind = keyof typeof REPORTS;

/** `isTaken`: a receiver may have taken a message before the kill. It gets the same one again, under the same id. */
function pointsOf(kind: Kind): Points {
  const { readers, isPersonal } = REPORTS[kind];
  const mails = readers.length + MAILED_TO.length;
  const ofReport: Points = isPersonal
    ? { 'before the mail of a report': { point: ['insert', 'mails', 1] } }
    : {
        'between two mails of a report': { point: ['insert', 'mails', 2] },
        'between the mails and the message of a report': { point: ['insert', 'webhook_deliveries', 1] },
      };
  return {
    'before a report is noted': { point: ['insert', 'report_runs', 1] },
    ...ofReport,
    'before a payment is noted': { point: ['update', 'alerts', 1] },
    'between a payment and its incident': { point: ['insert', 'incidents', 1] },
    'between the report and the alert': { point: ['update', 'incidents', 1] },
    'between the mails and the message of an alert': { point: ['insert', 'webhook_deliveries', isPersonal ? 1 : 2] },
    'before a mail is claimed': { point: ['update', 'mails', 1] },
    'after mails were taken': { point: ['update', 'mails', mails + 1], isTaken: true },
    'before a message is claimed': { point: ['update', 'webhook_deliveries', 1] },
    'after a message was taken': { point: ['update', 'webhook_deliveries', 2], isTaken: true },
  };
}

const FRIDAY = Date.UTC(2026, 10, 20, 12);

type World = { kind: Kind; targets: Targets; clock: { now: number } };

async function worldIn(directory: TestDirectory, { kind, targets, clock }: World) {
  const sending = await openSending(directory, targets, () => clock.now);
  const { mail, webhooks } = sending;
  const { of, readers, isPersonal } = REPORTS[kind];
  const { account, user } = await createAccount(directory, { email: OWNER, password: PASSWORD }, FRIDAY);
  const accountId = account.id;
  const addSite = (domain: string) => createSite(directory, { accountId, domain }, FRIDAY);
  const [{ id: siteId }, other] = [await addSite('example.com'), await addSite('other.example')];
  await directory.db.updateTable('sites').set({ currency: 'EUR' }).execute();
  const member = { account, role: 'owner', siteIds: null } as const;
  const group = groupContent.parse({ name: 'Both', site_ids: [siteId, other.id] });
  const made = of === 'group' ? { group: (await createGroup(directory, { member, content: group }, FRIDAY)).id } : {};
  const hook = { name: 'Team', format: 'standard', url: 'https://ok.hooks.example/' } as const;
  const { id: webhook } = await webhooks.create({ accountId, ...hook });
  const report = { name: 'Board', frequency: 'daily', hour: 8, timezone: 'UTC', of, ...made };
  const content = reportContent.parse({ ...report, recipients: readers, webhooks: isPersonal ? [] : [webhook] });
  await createReport({ directory, mail }, { accountId, siteId, userId: user.id, content, isPersonal }, FRIDAY);
  const told = alertContent.parse({ kind: 'payment', timezone: 'UTC', emails: MAILED_TO, webhooks: [webhook] });
  await createAlert(directory, { siteId, accountId, content: told, mail }, FRIDAY);
  return sending;
}

const CASES = FORMS.flatMap((form) => Object.keys(REPORTS).map((kind) => [kind as Kind, form] as const));

// The short form: each kind in one of the two, and each of the two.
test.each(shareOf(CASES, { of: 2, turn: 0 }))(
  'a kill while a report %s and an alert are sent sends none twice and loses none, in %s',
  async (kind, form) => {
    showsSurvived('kill -9 while reports and alerts are sent');
    await using smtp = await startSmtp();
    await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
    await using directory = await testDirectory(form);
    const targets = { smtp: smtp.url, port: receivers.port, certificate: receivers.certificate };
    const clock = { now: FRIDAY };
    const world = await worldIn(directory, { kind, targets, clock });
    const points = Object.entries(pointsOf(kind));
    for (const [index, [name, { point, isTaken }]] of points.entries()) {
      clock.now = Date.UTC(2026, 10, 21 + index, 8);
      const [mailed, posted] = [smtp.mails.length, receivers.received.length];
      const { path, databaseUrl } = directory.place;
      const input = { place: { path, databaseUrl }, targets, now: clock.now, point };
      await using other = await startStopped('sending.ts', input);
      expect([name, other.isStopped]).toEqual([name, true]);
      // SQLite lets one process write at a time, and this thread would wait for the other one.
      const meanwhile = form === 'postgres' ? world.turn() : undefined;
      await other.kill();
      await meanwhile;
      for (const after of [0, MINUTE_MS, CLAIMED_MS + MINUTE_MS, 2 * CLAIMED_MS + 2 * MINUTE_MS]) {
        clock.now = Date.UTC(2026, 10, 21 + index, 8) + after;
        await world.turn();
      }
      const mails = smtp.mails.slice(mailed).map(({ to, headers }) => ({
        id: headers.get('message-id') ?? '',
        what: `${headers.get('subject')?.includes('payment') ? 'alert' : 'report'} to ${to[0]}`,
      }));
      const messages = receivers.received.slice(posted).map(({ headers, body }) => ({
        id: String(headers['webhook-id']),
        what: (JSON.parse(body) as { type: string }).type,
      }));
      const all = [...mails, ...messages];
      const once = [...new Map(all.map((one) => [one.id, one.what])).values()].sort();
      const { readers, isPersonal } = REPORTS[kind];
      const expected = [...MAILED_TO.map((to) => `alert to ${to}`), ...readers.map((to) => `report to ${to}`)];
      expect([name, once]).toEqual([name, [...expected, 'alert.started', ...(isPersonal ? [] : ['report'])].sort()]);
      if (!isTaken) expect([name, all.length]).toEqual([name, once.length]);
    }
    expect(clock.now - FRIDAY).toBeGreaterThan((points.length - 1) * DAY_MS);
    world.mail.close();
    world.webhooks.close();
  },
);
