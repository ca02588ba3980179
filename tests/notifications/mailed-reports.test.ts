// Reports by mail, from the schedule to the mail server: each period once, with the numbers of the dashboard that the mail links to.
import { parse } from 'devalue';
import { describe, expect, test } from 'vitest';
import type { Event } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import {
  changeReport,
  deleteReport,
  findReport,
  listReports,
  pauseReport,
} from '../../server/notifications/reports/definitions.ts';
import { openReports } from '../../server/notifications/reports/reports.ts';
import { endReport } from '../../server/notifications/reports/trouble.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { createSite, deleteSite } from '../../server/sites/sites.ts';
import type { Summary } from '../../server/stats/answers/summary.ts';
import type { Breakdown } from '../../server/stats/answers/breakdown.ts';
import { roundedFor } from '../../server/vocabulary/settings/privacy.ts';
import { WEBHOOK_FORMATS } from '../../server/vocabulary/settings/webhooks.ts';
import { deleteWebhook } from '../../server/messages/webhooks/stored.ts';
import { REPORT_SAMPLE } from '../../server/api/pages/webhook-guide.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { openReceivers } from '../setup/internet/receiver.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { about } from '../setup/stats/about.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { hexId, makeEvent } from '../setup/event.ts';
import { outcome } from '../setup/outcome.ts';
import { content, FRIDAY, FROM, NOTHING, openDesk } from '../setup/notifications/reports.ts';
import { type Received, startSmtp } from '../setup/internet/smtp.ts';

/** 8:00 in Berlin. */
const MONDAY = Date.UTC(2026, 10, 23, 7);
const HOSTILE = '/</td><img src=x onerror=alert(1)>http://evil.example/\u202e';

/** Ten weeks. In the last one Hacker News sends its first visitors. */
function drawVisits(): Partial<Event>[] {
  return Array.from({ length: 70 }, (_, day) =>
    Array.from({ length: 9 + ((day * 7) % 5) }, (__, visitor) => ({
      time: Date.UTC(2026, 10, 22) - day * DAY_MS + visitor * HOUR_MS,
      source: day < 6 && visitor % 5 === 0 ? 'Hacker News' : (['Google', '', 'Bing'][visitor % 3] ?? ''),
      page: ['/', '/pricing', HOSTILE][visitor % 3] ?? '/',
      country: ['DE', 'FR'][visitor % 2] ?? 'DE',
    })),
  )
    .flat()
    .sort((one, other) => one.time - other.time);
}

async function store(server: TestApp, siteId: Event['site_id']): Promise<void> {
  const visits = openVisits(server.app.store);
  const events = drawVisits().flatMap((given, index) => {
    const day = new Date(given.time ?? 0).toISOString().slice(0, 10);
    const event = makeEvent({ ...given, day, site_id: siteId, visitor_id: hexId(index + 1) as Event['visitor_id'] });
    return visits.assign(event, event.time) ?? [];
  });
  await server.app.store.insert({ events, ai_visits: [] }, 'all');
}

type Told = (typeof REPORT_SAMPLE)['data'];
/** The fields of an object and of the first entry of each of its lists. */
const keysOf = (told: Told) =>
  Object.entries(told).map(([key, value]) => [key, Array.isArray(value) ? Object.keys(value[0] ?? {}) : []]);

const linksIn = ({ html }: Received) => [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);

test('a report has the numbers of the view that it links to, loads nothing, and ends by one click', async () => {
  await using smtp = await startSmtp();
  await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
  const { network } = receivers;
  await using server = await testApp({ now: FRIDAY, network, env: { SMTP_URL: smtp.url, ...FROM } });
  const site = await server.addSite('example.com');
  const cookie = await server.logIn('owner@example.com');
  const ask = makeAsk(server);
  const call = async <Answer>(
    name: string,
    input: object,
    caller: Record<string, string> = { cookie },
  ): Promise<Answer> => {
    const { status, body } = await ask(name, { site_id: site.id, ...input }, caller);
    if (status !== 200) throw new Error(body);
    return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Answer;
  };
  await store(server, site.id);
  const filters = [{ dimension: 'country', operator: 'is', values: ['DE'] }];
  const viewed = { filters, metric: 'pageviews' };
  const accountId = site.account_id;
  await goals.create(
    server.app.services.directory,
    { siteId: site.id, name: 'Pricing', definition: { kind: 'page', page: '/pricing' } },
    FRIDAY,
  );
  const webhooks: string[] = [];
  for (const format of WEBHOOK_FORMATS) {
    const made = { name: format, format, url: `https://ok.hooks.example/${format}` };
    webhooks.push((await server.app.services.webhooks.create({ accountId, ...made })).id);
  }
  const others = { content: content({ webhooks: [`wh_${'0'.repeat(26)}`] }) };
  await expect(call('reports.create', others)).rejects.toThrow(/no such webhook in this account/);
  const { id } = await call<{ id: string }>('reports.create', { content: content({ viewed, webhooks }) });

  const turn = async (now: number) => {
    server.clock.now = now;
    await server.app.runJob('send-reports');
    await server.app.runJob('send-mail');
    await server.app.runJob('send-webhooks');
  };
  await turn(MONDAY - 1);
  expect(smtp.mails).toEqual([]);
  await turn(MONDAY);
  await turn(MONDAY + MINUTE_MS);
  expect(smtp.mails.map(({ to }) => to[0]).sort()).toEqual(['guest@example.org', 'owner@example.com']);

  const mail = smtp.mails.find(({ to }) => to[0] === 'owner@example.com') as Received;
  const query = /\/example\.com\?(\S+)/.exec(mail.text)?.[1] ?? '';
  expect([...new URLSearchParams(query)]).toEqual([
    ['period', 'custom'],
    ['date_from', '2026-11-16'],
    ['date_to', '2026-11-22'],
    ['f', 'is:country:DE'],
    ['metric', 'pageviews'],
  ]); // compared with the previous period, as every view is by default
  const asked = { period: 'custom', date_from: '2026-11-16', date_to: '2026-11-22', compare: 'previous', filters };
  const summary = await call<Summary>('stats.summary', asked);
  const valueOf = (name: string) => summary.metrics.find((one) => one.name === name);
  expect(valueOf('pageviews')?.value).toBeGreaterThan(20);
  expect(mail.text).toContain(`Page views: ${valueOf('pageviews')?.value} in the week of 16 – 22 Nov 2026,`);
  for (const [name, label] of [
    ['visits', 'Visits'],
    ['unique_visitors', 'Unique visitors'],
  ] as const)
    expect(mail.text).toContain(`  ${label}: ${valueOf(name)?.value} (`);
  for (const dimension of ['page', 'source']) {
    const { rows } = await call<Breakdown>('stats.breakdown', { ...asked, dimension, metrics: ['unique_visitors'] });
    for (const { name, values } of rows.filter((row) => row.name !== HOSTILE))
      expect(mail.text).toContain(`  ${name || 'Direct'}: ${values.unique_visitors}`);
  }
  const fresh = drawVisits().filter(
    ({ source, country, time = 0 }) => source === 'Hacker News' && country === 'DE' && time >= Date.UTC(2026, 10, 16),
  );
  expect(mail.text).toContain(`New sources, not seen in the 8 weeks before\n  Hacker News: ${fresh.length}\n`);
  expect(mail.text).toContain('Filter: Country is Germany.');
  const guest = smtp.mails.find(({ to }) => to[0] === 'guest@example.org');
  expect([mail.text.includes(roundedFor()), guest?.text.includes(roundedFor())]).toEqual([false, true]);

  // The webhooks got what a share link shows of it, each in its format and once.
  expect(receivers.received.map(({ url }) => url).sort()).toEqual(['/discord', '/slack', '/standard']);
  const bodyOf = (format: string) => receivers.received.find(({ url }) => url === `/${format}`)?.body ?? '';
  const { type, data } = JSON.parse(bodyOf('standard')) as { type: string; data: Told };
  expect([type, keysOf(data)]).toEqual(['report', keysOf(REPORT_SAMPLE.data)]);
  expect(data).toMatchObject({
    report_id: id,
    name: 'Board',
    frequency: 'weekly',
    date_from: asked.date_from,
    date_to: asked.date_to,
    domain: 'example.com',
    segment: null,
    filters,
    metric: 'pageviews',
  });
  const link = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link' },
    server.clock.now,
  );
  const viewer = { 'x-share-token': link.token };
  const shared = await call<Summary>('stats.summary', asked, viewer);
  const sharedOf = (name: string) => shared.metrics.find((one) => one.name === name);
  for (const { name, value, previous } of data.metrics) {
    expect(sharedOf(name)).toMatchObject({ value, previous });
    if (name === 'unique_visitors') expect(value).toEqual(about(valueOf(name)?.value ?? 0));
  }
  const listed = { ...asked, dimension: 'page', metrics: ['unique_visitors'] };
  const pages = await call<Breakdown>('stats.breakdown', listed, viewer);
  expect(data.pages).toEqual(
    pages.rows.map(({ name, values, previous }) => ({
      name,
      unique_visitors: values.unique_visitors,
      previous: previous?.unique_visitors,
    })),
  );
  expect(data.new_sources).toEqual([{ name: 'Hacker News', unique_visitors: about(fresh.length) }]);
  const own = await call<Breakdown>('stats.breakdown', listed);
  const reached = own.rows.find(({ name }) => name === '/pricing')?.values.unique_visitors ?? 0;
  expect(data.goals).toEqual([
    expect.objectContaining({
      name: 'Pricing',
      conversions: about(reached),
    }),
  ]);
  const headline = `${sharedOf('pageviews')?.value} in the week of 16 – 22 Nov 2026`;
  for (const format of ['slack', 'discord']) expect(bodyOf(format)).toContain(headline);
  for (const format of ['slack', 'discord'])
    expect(bodyOf(format)).toContain(`http://localhost/example.com?${query.split('&')[0]}`);

  // Nothing is loaded, and no link but the one to unsubscribe tells the readers apart.
  expect(mail.html).not.toMatch(/<img src=x|evil\.example|\u202e/);
  const links = smtp.mails.map((one) => linksIn(one).filter((link) => !link.includes('/unsubscribe/')));
  expect(links[0]).toEqual(links[1]);
  expect(links[0]?.filter((link) => !link.startsWith('http://localhost/'))).toEqual(['cid:picture-0']);
  for (const header of ['Content-ID: <picture-0>', 'Content-Type: image/png', 'Content-Disposition: inline'])
    expect(mail.raw).toContain(header);

  const preview = await fetch(`${server.url}/report-preview/${site.id}/${id}`, { headers: { cookie } });
  expect(await preview.text()).toContain('src="data:image/png;base64,iVBOR');
  expect(preview.headers.get('content-security-policy')).toContain('sandbox');
  expect((await fetch(`${server.url}/report-preview/${site.id}/${id}`)).status).toBe(401);

  const ended = /^<(.+)>$/.exec(
    smtp.mails.find(({ to }) => to[0] === 'guest@example.org')?.headers.get('list-unsubscribe') ?? '',
  )?.[1];
  const click = (method: string) => fetch(`${server.url}${new URL(ended ?? '').pathname}`, { method });
  expect((await click('POST')).status).toBe(200);
  expect(await call('reports.sendNow', { id, to: 'all' })).toEqual({ mails: 1, messages: 3 });
  const again = { content: content({ name: 'Another', recipients: ['guest@example.org'] }) };
  await expect(call('reports.create', again)).rejects.toThrow(/guest@example\.org has unsubscribed/);
  const { reports } = await call<{ reports: { recipients: object[] }[] }>('reports.list', {});
  expect(reports[0]?.recipients).toContainEqual({ email: 'guest@example.org', unsubscribed: true });
  expect((await click('DELETE')).status).toBe(200);
  const slack = webhooks[WEBHOOK_FORMATS.indexOf('slack')] ?? '';
  await deleteWebhook(server.app.services.directory, { accountId, id: slack });
  expect(await call('reports.sendNow', { id, to: 'all' })).toEqual({ mails: 2, messages: 2 });
  for (let n = 2; n < 10; n += 1)
    expect(await call('reports.sendNow', { id, to: 'me' })).toEqual({ mails: 1, messages: 0 });
  await expect(call('reports.sendNow', { id, to: 'me' })).rejects.toThrow(/wait an hour/);

  const log = await call<{ state: string; mails: { state: string }[] }[]>('reports.log', { id });
  expect(log.at(-1)).toMatchObject({
    state: 'queued',
    mails: [{ state: 'sent' }, { state: 'sent' }],
    deliveries: ['discord', 'standard'].map((name) => ({ name, state: 'delivered' })),
  });
  await call('reports.pause', { id, paused: true });
  const before = smtp.mails.length;
  await turn(MONDAY + 7 * DAY_MS);
  const later = smtp.mails.slice(before).map(({ text }) => text);
  expect(later.filter((text) => text.includes('23 – 29 Nov'))).toEqual([]);
  await call('reports.pause', { id, paused: false });
  await turn(MONDAY + 14 * DAY_MS);
  expect(smtp.mails.at(-1)?.text).toContain('30 Nov – 6 Dec 2026');
});

describe.each(FORMS)('the schedule of reports in %s', (form) => {
  const at = (day: number, hour = 7) => Date.UTC(2026, 10, day, hour);

  test('sends each period once, the last one after downtime, and nothing twice when the clock jumps', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    await desk.make({ recipients: ['guest@example.org'] });
    for (const now of [at(21, 6), at(21), at(21), at(21, 20)]) {
      clock.now = now;
      await Promise.all([desk.sendDue(), openReports(desk.options).sendDue()]); // two processes
    }
    expect(await desk.sent()).toEqual(['20 Nov 2026 to guest']);
    clock.now = at(25);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to guest', '24 Nov 2026 to guest']);
    expect(await desk.runs()).toEqual([
      '2026-11-20 queued',
      '2026-11-21 skipped',
      '2026-11-22 skipped',
      '2026-11-23 skipped',
      '2026-11-24 queued',
    ]);
    clock.now = at(25) + 7 * DAY_MS; // and back
    await desk.sendDue();
    clock.now = at(26);
    for (let turn = 0; turn < 3; turn += 1) await desk.sendDue();
    clock.now = at(27);
    await desk.sendDue();
    await desk.sendDue();
    const all = await desk.sent();
    expect(new Set(all).size).toBe(all.length);
    // what the jump left out was not lost
    expect(all).toEqual(expect.arrayContaining(['25 Nov 2026 to guest', '26 Nov 2026 to guest']));
    desk.mail.close();
  });

  test('a report that fails or hangs holds up no other, says why, and is tried again until it succeeds', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const hangs = await desk.make({ name: 'hangs', recipients: ['slow@example.org'] });
    const fine = await desk.make({ name: 'fine', recipients: ['fine@example.org'] });
    clock.now = at(21);
    let asked = 0;
    desk.numbers.ask = (signal) => {
      asked += 1;
      if (asked > 1) return Promise.resolve(NOTHING);
      queueMicrotask(() => desk.giveUp(signal));
      return new Promise(() => undefined);
    };
    await desk.sendDue();
    expect(await desk.sent()).toHaveLength(1);
    const of = async (id: string) => findReport(directory, { accountId: desk.account.id, siteId: desk.site.id, id });
    const waiting = (await desk.sent())[0]?.includes('fine') ? hangs : fine;
    expect(await of(waiting.id)).toMatchObject({
      attempts: 1,
      due_at: at(21) + MINUTE_MS,
      next_from: '2026-11-20',
      trouble: 'The numbers could not be read. Footfall tries again by itself.',
    });
    clock.now += MINUTE_MS;
    await desk.sendDue();
    expect((await desk.sent()).sort()).toEqual(['20 Nov 2026 to fine', '20 Nov 2026 to slow']);
    expect(await of(waiting.id)).toMatchObject({ attempts: 0, trouble: null });
    desk.mail.close();
  });

  test('a kill between computing and queuing sends nothing, and the next turn everything', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    await desk.make();
    clock.now = at(21);
    const dying = openReports({
      ...desk.options,
      mail: {
        ...desk.mail,
        send: async (db, mail) => {
          await desk.mail.send(db, mail);
          throw new Error('killed'); // what was written in the transaction is undone
        },
      },
    });
    await dying.sendDue();
    expect(await desk.sent()).toEqual([]);
    clock.now += MINUTE_MS;
    await desk.sendDue();
    expect((await desk.sent()).sort()).toEqual(['20 Nov 2026 to guest', '20 Nov 2026 to owner']);
    desk.mail.close();
  });

  test('a report that is paused or changed while others are written is sent as it is then, or not at all', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const made = [];
    for (const name of ['one', 'two', 'three', 'four'])
      made.push(await desk.make({ name, recipients: [`${name}@example.org`] }));
    clock.now = at(21);
    const paused = made.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1) as (typeof made)[number];
    desk.numbers.ask = async () => {
      await directory.db.updateTable('reports').set({ paused: 1 }).where('id', '=', paused.id).execute();
      // computed for its hour of before, so it is not sent as due at another one
      await directory.db.updateTable('reports').set({ hour: 9 }).where('name', '!=', paused.name).execute();
      return NOTHING;
    };
    await desk.sendDue();
    expect(await desk.sent()).not.toContain(`20 Nov 2026 to ${paused.name}`);
    const sent = await desk.sent();
    await directory.db.updateTable('reports').set({ due_at: clock.now }).where('paused', '=', 0).execute();
    clock.now = at(21, 8); // 9:00 in Berlin
    for (let turn = 0; turn < 2; turn += 1) await desk.sendDue();
    expect(sent.length).toBeLessThan(3);
    expect(await desk.sent()).toHaveLength(3);
    desk.mail.close();
  });

  test('a report goes neither to a webhook nor to a recipient that is removed while it is written', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const { account, site, user } = desk;
    const of = { accountId: account.id, siteId: site.id, userId: user.id };
    const { id } = await desk.webhooks.create({
      accountId: account.id,
      name: 'Team',
      format: 'standard',
      url: 'https://hooks.example/',
    });
    const given = { frequency: 'daily', recipients: ['guest@example.org', 'gone@example.org'] } as const;
    const report = await desk.make({ ...given, webhooks: [id] });
    const during = [
      () => changeReport({ directory, mail: desk.mail }, { ...of, report, content: content(given) }, clock.now),
      () => directory.db.deleteFrom('report_recipients').where('email', '=', 'gone@example.org').execute(),
    ];
    desk.numbers.ask = async () => {
      await during.shift()?.();
      return NOTHING;
    };
    clock.now = at(21);
    await desk.sendDue();
    expect(await desk.sent()).toEqual([]);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['20 Nov 2026 to guest']);
    expect(await directory.db.selectFrom('webhook_deliveries').select('id').execute()).toEqual([]);
    desk.mail.close();
  });

  test('recipients without an account are not told that nothing was counted where few visitors are withheld', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const viewed = { filters: [{ dimension: 'country', operator: 'is', values: ['DE'] }], metric: 'visits' };
    await desk.make({ viewed });
    clock.now = at(21);
    await desk.sendDue();
    const rows = await directory.db.selectFrom('mails').select(['recipient', 'data']).orderBy('recipient').execute();
    expect(rows.map(({ data }) => (JSON.parse(data ?? '{}') as { sentences: string[] }).sentences[0])).toEqual([
      expect.stringMatching(/^Fewer than three visitors were counted on example\W*com on 20 Nov 2026\.$/),
      expect.stringMatching(/^Nothing was counted on example\W*com on 20 Nov 2026\.$/),
    ]);
    desk.mail.close();
  });

  test('a deleted segment is told to the owner instead of wrong numbers, and a deleted site ends the report', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const viewed = { filters: [], metric: 'visits', segment: `segment_${'0'.repeat(26)}` };
    const report = await desk.make({ viewed, recipients: ['guest@example.org'] });
    clock.now = at(21);
    await desk.sendDue(AbortSignal.abort()); // the server stops
    expect(await desk.sent()).toEqual([]);
    await desk.sendDue();
    clock.now += MINUTE_MS;
    await desk.sendDue();
    const deleted = 'A segment that the report is filtered by was deleted: choose another one.';
    expect(await desk.sent()).toEqual([`${deleted} to owner (report_stopped)`]);
    await pauseReport(directory, { report, paused: true }, clock.now);
    await deleteSite(directory, { siteId: desk.site.id }, clock.now);
    await desk.sendDue();
    expect(await desk.sent()).toEqual(['Its site was deleted, so the report has ended. to owner (report_stopped)']);
    expect(await listReports(directory, { accountId: desk.account.id, siteId: desk.site.id })).toEqual([]);
    desk.mail.close();
  });

  test('a report that gets another site while it is ended or deleted stays', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    const { account, options, site, user } = desk;
    const of = { accountId: account.id, siteId: site.id };
    const left = async () => (await listReports(directory, of)).map(({ name, site_id }) => [name, site_id]);
    const whole = { of: 'account', name: 'All', frequency: 'daily', recipients: ['guest@example.org'] };
    const [ofSite, ofAll] = [await desk.make(), await desk.make(whole)];
    await deleteSite(directory, { siteId: site.id }, clock.now);
    const another = { accountId: account.id, domain: 'another.example' };
    await createSite(directory, another, clock.now); // while the report of all sites is ended
    await endReport(options, ofAll);
    const given = { ...of, userId: user.id, report: ofSite, content: content(whole) };
    await changeReport(options, given, clock.now);
    await endReport(options, ofSite);
    expect(await deleteReport(directory, ofSite)).toBe(false);
    await pauseReport(directory, { report: ofSite, paused: true }, clock.now);
    expect(await outcome(changeReport(options, given, clock.now))).toBe('not_found: There is no such report.');
    expect([await left(), await desk.sent()]).toEqual([
      [
        ['All', null],
        ['All', null],
      ],
      [],
    ]);
    expect((await listReports(directory, of)).map(({ paused }) => paused)).toEqual([false, false]);
    const stranger = { ...ofAll, account_id: 'account_other' };
    await endReport(options, stranger);
    expect([await deleteReport(directory, stranger), await left()]).toEqual([
      false,
      [
        ['All', null],
        ['All', null],
      ],
    ]);
    desk.mail.close();
  });
});
