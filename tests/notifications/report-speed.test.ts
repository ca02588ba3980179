// The sections on speed and errors in reports: the numbers of the dashboard, to members by mail, and to webhooks as a share link shows them.
import { expect, test } from 'vitest';
import type { VisitedVitals } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { configureSite } from '../../server/sites/sites.ts';
import { createReport } from '../../server/notifications/reports/definitions.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { hexId, makeError, makeEvent, makeVitals } from '../setup/event.ts';
import { openReceivers } from '../setup/internet/receiver.ts';
import { startSmtp } from '../setup/internet/smtp.ts';
import { content, FRIDAY, FROM } from '../setup/notifications/reports.ts';

const MONDAY = Date.UTC(2026, 10, 23, 7);
const HOSTILE = '/</td><img src=x>http://evil.example/';

test('a report says how fast the pages were, compared with the period before, where the site measures it', async () => {
  await using smtp = await startSmtp();
  await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
  const { network } = receivers;
  await using server = await testApp({ now: FRIDAY, network, env: { SMTP_URL: smtp.url, ...FROM } });
  const site = await server.addSite('example.com');
  const { directory, mail } = server.app.services;
  const visits = openVisits(server.app.store);
  let serial = 0;
  const views = (count: number, time: number, given: Partial<VisitedVitals>) =>
    Array.from({ length: count }, () => {
      const about = { site_id: site.id, visitor_id: hexId((serial += 1)), page: given.page ?? '/' };
      const event = makeEvent({ ...about, time, day: new Date(time).toISOString().slice(0, 10) } as never);
      const measured = {
        ...makeVitals({ ...about, time, day: event.day, ...given } as never),
        visit_id: 1n,
        entry_page: '/',
      };
      return { event: visits.assign(event, event.time) ?? [], measured: measured as VisitedVitals };
    });
  const failures = (count: number, time: number, error_message: string) =>
    Array.from({ length: count }, () => ({
      ...makeError({ site_id: site.id, visitor: `e${(serial += 1)}`, time, error_message }),
      day: new Date(time).toISOString().slice(0, 10),
      error_shape: Buffer.from(error_message.slice(-6)).toString('hex'),
      visit_id: BigInt(serial),
      entry_page: '/',
      import_id: '',
    }));
  const [before, now] = [Date.UTC(2026, 10, 10, 12), Date.UTC(2026, 10, 17, 12)];
  const all = [
    ...views(100, before, { page: '/', lcp: 2000, inp: 100, cls: 0.05 }),
    ...views(60, now, { page: '/', lcp: 2200, inp: 100, cls: 0.3 }),
    ...views(40, now, { page: HOSTILE, lcp: 4400, inp: 100, cls: null }),
    ...views(10, now, { page: '/rare', lcp: 9000, inp: null, cls: null }),
  ];
  await server.app.store.insert(
    {
      events: all.flatMap(({ event }) => event),
      ai_visits: [],
      vitals: all.map(({ measured }) => measured),
      errors: [
        ...failures(3, before, 'TypeError: old'),
        ...failures(6, now, 'TypeError: http://evil.example/'),
        ...failures(3, now, 'other'),
      ],
    },
    'all',
  );
  const webhook = await server.app.services.webhooks.create({
    accountId: site.account_id,
    name: 'ops',
    format: 'standard',
    url: 'https://ok.hooks.example/standard',
  });
  const owner = await directory.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  await createReport(
    { directory, mail },
    { accountId: site.account_id, siteId: site.id, userId: owner.id, content: content({ webhooks: [webhook.id] }) },
    FRIDAY,
  );
  const turn = async (time: number) => {
    server.clock.now = time;
    for (const job of ['send-reports', 'send-mail', 'send-webhooks']) await server.app.runJob(job);
    const { data } = JSON.parse(receivers.received.at(-1)?.body ?? '{}') as {
      data: { speed: unknown; errors: unknown };
    };
    return {
      text: smtp.mails.find(({ to }) => to[0] === 'owner@example.com')?.text ?? '',
      speed: data.speed,
      errors: data.errors,
    };
  };
  await configureSite(directory, { siteId: site.id, settings: { vitals: true, errors: true } }, FRIDAY);
  const { text, speed, errors } = await turn(MONDAY);
  expect(text.slice(text.indexOf('Speed (')).split('\n').slice(0, 7)).toEqual([
    'Speed (75th percentile of 110 page views)',
    '  Largest Contentful Paint (LCP): poor: 4,400 ms (+120%)',
    '  Interaction to Next Paint (INP): good: 100 ms (0%)',
    '  Cumulative Layout Shift (CLS): poor: 0.3 (+500%)',
    '',
    'Slowest page, by LCP',
    expect.stringMatching(/^ {2}\/<\/td><img src=x>.*: 4,400 ms$/),
  ]);
  expect(text.slice(text.indexOf('\nErrors, ')).split('\n').slice(1, 6)).toEqual([
    'Errors, in 9 visits',
    '  Share of visits: 8.2% (+5.2 pt)',
    '',
    'Error of most visits',
    expect.stringMatching(/^ {2}TypeError: .*evil.*: 6$/),
  ]);
  expect(errors).toMatchObject({ previous: 3, most: { message: 'TypeError: http://evil.example/', file: '/app.js' } });
  expect(text).not.toContain('http://evil');
  expect(speed).toMatchObject({
    vitals: [
      { name: 'lcp', value: 4400, previous: 2000, rating: 'poor' },
      { name: 'inp', value: 100, previous: 100, rating: 'good' },
      { name: 'cls', value: 0.3, previous: 0.05, rating: 'poor' },
    ],
    slowest_page: { name: HOSTILE, lcp: 4400 },
  });

  // The slowest page is also found behind a hundred that are viewed more.
  const week = 7 * DAY_MS;
  const many = Array.from({ length: 100 }, (_, index) => views(21, now + week, { page: `/many/${index}`, lcp: 1000 }));
  const next = [...many.flat(), ...views(20, now + week, { page: '/slow', lcp: 5000 })];
  await server.app.store.insert(
    {
      events: next.flatMap(({ event }) => event),
      ai_visits: [],
      vitals: next.map(({ measured }) => measured),
    },
    'next',
  );
  smtp.mails.length = 0;
  expect((await turn(MONDAY + week)).text).toMatch(/Slowest page, by LCP\n {2}\/slow: 5,000 ms\n/);

  smtp.mails.length = 0;
  await configureSite(directory, { siteId: site.id, settings: {} }, MONDAY);
  await server.app.store.insert(
    { events: views(9, now + 2 * week, {}).flatMap(({ event }) => event), ai_visits: [] },
    'more',
  );
  const off = await turn(MONDAY + 2 * week);
  expect([
    off.text.includes('Unique visitors'),
    off.text.includes('Speed ('),
    off.text.includes('\nErrors'),
    off.speed,
    off.errors,
  ]).toEqual([true, false, false, null, null]);
});
