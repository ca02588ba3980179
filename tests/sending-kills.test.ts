/** @module-tag fault */
// A process that sends reports and alerts is killed in the middle of it, at each of a list of points. With real receivers of mails and webhooks,
// nobody gets a report or an alert twice, and nobody misses one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createAccount } from '../server/accounts/accounts.ts';
import { addIncident } from '../server/alerts/incidents.ts';
import { alertContent, createAlert } from '../server/alerts/rules.ts';
import { createReport, reportContent } from '../server/reports/definitions.ts';
import { createSite } from '../server/sites/sites.ts';
import { DAY_MS, MINUTE_MS } from '../server/vocabulary/time.ts';
import { CLAIM_MS } from '../server/webhooks/queue.ts';
import { PASSWORD } from './setup/app.ts';
import { FORMS, type TestDirectory, testDirectory } from './setup/directory.ts';
import { showsSurvived } from './setup/harness.ts';
import { openReceivers } from './setup/receiver.ts';
import { openSending, type Point, type Targets } from './setup/sending.ts';
import { startSmtp } from './setup/smtp.ts';

/** `isTaken`: a receiver may have taken a message before the kill. It gets the same one again, under the same id. */
const POINTS: Record<string, { point: Point; isTaken?: true }> = {
  'before a report is noted': { point: ['insert', 'report_runs', 1] },
  'between two mails of a report': { point: ['insert', 'mails', 2] },
  'between the mails and the message of a report': { point: ['insert', 'webhook_deliveries', 1] },
  'between the report and the alert': { point: ['update', 'incidents', 1] },
  'between the mails and the message of an alert': { point: ['insert', 'webhook_deliveries', 2] },
  'before a mail is claimed': { point: ['update', 'mails', 1] },
  'after mails were taken': { point: ['update', 'mails', 5], isTaken: true },
  'after a message was taken': { point: ['update', 'webhook_deliveries', 2], isTaken: true },
};

const FRIDAY = Date.UTC(2026, 10, 20, 12);
const MAILED_TO = ['ada@example.org', 'eve@example.org'];

async function worldIn(directory: TestDirectory, targets: Targets, clock: { now: number }) {
  const sending = await openSending(directory, targets, () => clock.now);
  const { mail, webhooks } = sending;
  const owner = { email: 'owner@example.com', password: PASSWORD };
  const { account, user } = await createAccount(directory, owner, FRIDAY);
  const accountId = account.id;
  const { id: siteId } = await createSite(directory, { accountId, domain: 'example.com' }, FRIDAY);
  const made = { name: 'Team', format: 'standard', url: 'https://ok.hooks.example/' } as const;
  const { id: webhook } = await webhooks.create({ accountId, ...made });
  const report = { name: 'Board', frequency: 'daily', hour: 8, timezone: 'UTC' };
  const content = reportContent.parse({ ...report, recipients: MAILED_TO, webhooks: [webhook] });
  await createReport({ directory, mail }, { accountId, siteId, userId: user.id, content }, FRIDAY);
  const told = alertContent.parse({ kind: 'payment', timezone: 'UTC', emails: MAILED_TO, webhooks: [webhook] });
  const alert = await createAlert(directory, { siteId, accountId, content: told, mail }, FRIDAY);
  const notice = (now: number) => {
    const incident = { alert_id: alert.id, site_id: siteId, key: String(now), started_at: now, ended_at: now };
    return addIncident(directory.db, { ...incident, facts: { count: 1, amount: 5, currency: 'EUR' } }, now);
  };
  return { ...sending, notice };
}

/** A second process, stopped in the middle of its turn. */
async function stoppedAt(point: Point, directory: TestDirectory, { targets, now }: { targets: Targets; now: number }) {
  const { path, databaseUrl } = directory.place;
  const input = JSON.stringify({ place: { path, databaseUrl }, targets, now, point });
  const child: ChildProcess = spawn(process.execPath, [new URL('setup/sending.ts', import.meta.url).pathname, input], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const said = await Promise.race([once(child.stdout ?? child, 'data'), exited]);
  return { kill, isStopped: String(said[0]) === 'stopped\n', [Symbol.asyncDispose]: kill };
}

test.each(FORMS)('a kill while reports and alerts are sent sends none twice and loses none, in %s', async (form) => {
  showsSurvived('kill -9 while reports and alerts are sent');
  await using smtp = await startSmtp();
  await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
  await using directory = await testDirectory(form);
  const targets = { smtp: smtp.url, port: receivers.port, certificate: receivers.certificate };
  const clock = { now: FRIDAY };
  const world = await worldIn(directory, targets, clock);
  for (const [index, [name, { point, isTaken }]] of Object.entries(POINTS).entries()) {
    clock.now = Date.UTC(2026, 10, 21 + index, 8);
    await world.notice(clock.now);
    const [mailed, posted] = [smtp.mails.length, receivers.received.length];
    await using other = await stoppedAt(point, directory, { targets, now: clock.now });
    expect([name, other.isStopped]).toEqual([name, true]);
    // SQLite lets one process write at a time, and this thread would wait for the other one.
    const meanwhile = form === 'postgres' ? world.turn() : undefined;
    await other.kill();
    await meanwhile;
    for (const after of [0, MINUTE_MS, CLAIM_MS + MINUTE_MS, 2 * CLAIM_MS + 2 * MINUTE_MS]) {
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
    const expected = MAILED_TO.flatMap((to) => [`alert to ${to}`, `report to ${to}`]);
    expect([name, once]).toEqual([name, [...expected, 'alert.started', 'report'].sort()]);
    if (!isTaken) expect([name, all.length]).toEqual([name, once.length]);
  }
  expect(clock.now - FRIDAY).toBeGreaterThan((Object.keys(POINTS).length - 1) * DAY_MS);
  world.mail.close();
  world.webhooks.close();
});
