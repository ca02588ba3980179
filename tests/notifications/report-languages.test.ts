// Reports speak the language of each of their readers; webhooks, which have no reader, speak English. So does what is kept.
import { expect, test } from 'vitest';
import { keepHabits } from '../../server/directory/habits.ts';
import { kindOf } from '../../server/messages/mail/kinds.ts';
import { createReport } from '../../server/notifications/reports/definitions.ts';
import { troubleOf } from '../../server/notifications/reports/trouble.ts';
import { inHabits } from '../../server/process/habits.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { memberOf } from '../../server/sites/access.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createGroup, groupContent } from '../../server/sites/groups.ts';
import { configureSite, createSite, type Site } from '../../server/sites/sites.ts';
import type { VisitedVitals } from '../../server/vocabulary/event.ts';
import { habitsOf, NOTHING_CHOSEN } from '../../server/vocabulary/habits/habits.ts';
import { MAX_REPORT_MAILS_A_DAY, TOO_MANY_REPORT_MAILS } from '../../server/vocabulary/settings/reports.ts';
import { DAY_MS, HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { testDirectory } from '../setup/directory.ts';
import { hexId, makeError, makeEvent, makeVitals } from '../setup/event.ts';
import { readHtml, speakForeign, wordsLeft } from '../setup/notifications/foreign.ts';
import { openReceivers } from '../setup/internet/receiver.ts';
import { startSmtp } from '../setup/internet/smtp.ts';
import { content, FRIDAY, FROM, openDesk } from '../setup/notifications/reports.ts';

const MONDAY = Date.UTC(2026, 10, 23, 7);
const GERMAN = { ...NOTHING_CHOSEN, language: 'de' } as const;
/** What visitors and people have named, and what German readers see in dates and countries. */
const NAMES =
  'Footfall localhost example.com other.example Board Google Bing Hacker News pricing Checkout Boom Nov Deutschland LCP INP CLS';

/** Ten weeks. In the last one Hacker News sends its first visitors, and others send more or fewer. */
async function store(server: TestApp, { id }: Site, first: number): Promise<void> {
  const visits = openVisits(server.app.store);
  const drawn = Array.from({ length: 70 }, (_, ago) =>
    Array.from({ length: 12 }, (__, visitor) => ({
      time: Date.UTC(2026, 10, 22) - ago * DAY_MS + visitor * HOUR_MS,
      source:
        ago < 6 && visitor % 5 === 0
          ? 'Hacker News'
          : (['Google', '', 'Bing'][(visitor * (ago < 7 ? 2 : 1)) % 3] ?? ''),
      page: ['/', '/pricing'][(visitor + (ago < 7 ? 0 : visitor % 4)) % 2] ?? '/',
    })),
  ).flat();
  const days = drawn
    .toSorted((one, other) => one.time - other.time)
    .map((one, index) => ({
      ...one,
      country: 'DE',
      site_id: id,
      day: new Date(one.time).toISOString().slice(0, 10),
      visitor_id: hexId(first + index),
    }));
  const [vitals, errors] = [days.slice(-60), days.slice(-20)];
  await server.app.store.insert(
    {
      events: days.flatMap((one) => {
        const event = makeEvent(one as never);
        return visits.assign(event, event.time) ?? [];
      }),
      ai_visits: [],
      vitals: vitals.map(
        (one) => ({ ...makeVitals({ ...one, lcp: 2200 } as never), visit_id: 1n, entry_page: '/' }) as VisitedVitals,
      ),
      errors: errors.map(({ time, day, site_id }, index) => ({
        ...makeError({ site_id, visitor: `e${index}`, time, error_message: 'Boom' }),
        day,
        error_shape: 'a1b2c3d4e5f6',
        visit_id: BigInt(index),
        entry_page: '/',
        import_id: '',
      })),
    },
    `visits of ${id}`,
  );
}

test('reports of a site, of all sites and of a group have no word that is not translated', async () => {
  using _ = speakForeign();
  await using smtp = await startSmtp();
  await using receivers = await openReceivers((_received, response) => response.writeHead(204).end());
  const { network } = receivers;
  await using server = await testApp({ now: FRIDAY, network, env: { SMTP_URL: smtp.url, ...FROM } });
  const site = await server.addSite('example.com');
  const { directory, mail, webhooks } = server.app.services;
  const accountId = site.account_id;
  const other = await createSite(directory, { accountId, domain: 'other.example' }, FRIDAY);
  await store(server, site, 1);
  await store(server, other, 10_000);
  await configureSite(directory, { siteId: site.id, settings: { vitals: true, errors: true } }, FRIDAY);
  const definition = { kind: 'page', page: '/pricing' } as const;
  await goals.create(directory, { siteId: site.id, name: 'Checkout', definition }, FRIDAY);
  const { id: userId } = await directory.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  await keepHabits(directory.db, { userId }, GERMAN);
  const member = await memberOf(directory, { kind: 'user', userId }, accountId);
  if (!member) throw new Error('is no member');
  const sites = { name: 'Board', site_ids: [site.id, other.id] };
  const group = await createGroup(directory, { member, content: groupContent.parse(sites) }, FRIDAY);
  const url = 'https://ok.hooks.example/slack';
  const hook = await webhooks.create({ accountId, name: 'ops', format: 'slack', url });
  const filters = [{ dimension: 'country', operator: 'is', values: ['DE'] }];
  for (const of of [{ viewed: { filters }, webhooks: [hook.id] }, { of: 'account' }, { of: 'group', group: group.id }])
    await createReport(
      { directory, mail },
      { accountId, siteId: site.id, userId, content: content({ timezone: 'UTC', hour: 7, ...of }) },
      FRIDAY,
    );
  server.clock.now = MONDAY;
  for (const job of ['send-reports', 'send-mail', 'send-webhooks']) await server.app.runJob(job);

  const to = (address: string) => smtp.mails.filter((one) => one.to[0] === address);
  const read = ({ text, html }: (typeof smtp.mails)[number]) => [text, readHtml(html)];
  expect(to('owner@example.com')).toHaveLength(3);
  expect(
    to('owner@example.com')
      .flatMap(read)
      .map((text) => wordsLeft(text, NAMES)),
  ).toEqual([[], [], [], [], [], []]);
  expect(to('guest@example.org')).toHaveLength(3);
  for (const text of to('guest@example.org').flatMap(read)) expect(text).not.toContain('ø');
  expect(receivers.received[0]?.body).toContain('Weekly report of example');
  expect(receivers.received[0]?.body).not.toContain('ø');
});

test('why a report was not sent is kept in English, and said to its owner and in the dashboard in their language', async () => {
  using _ = speakForeign();
  await using directory = await testDirectory('sqlite');
  const clock = { now: FRIDAY };
  const desk = await openDesk(directory, clock);
  await keepHabits(directory.db, { userId: desk.user.id }, GERMAN);
  await desk.make({ viewed: { filters: [], metric: 'visits', segment: `segment_${'0'.repeat(26)}` } });
  clock.now = Date.UTC(2026, 10, 21, 7);
  await desk.sendDue();
  const trouble = 'A segment that the report is filtered by was deleted: choose another one.';
  const [report] = await directory.db.selectFrom('reports').select('trouble').execute();
  expect(report).toEqual({ trouble });
  const german = habitsOf('de', { language: 'de' });
  const foreign = 'ø øøøøøøø øøøø øøø øøøøøø øø øøøøøøøø øø øøø øøøøøøø: øøøøøø øøøøøøø øøø.';
  expect(inHabits(german, () => troubleOf({ trouble }))).toBe(foreign);
  expect(await desk.sent()).toEqual([`${trouble} to owner (report_stopped)`]);
  const data = { name: 'Board', why: trouble, site: null };
  expect(inHabits(german, () => kindOf('report_stopped')?.write(data).paragraphs)).toContain(foreign);
  expect(TOO_MANY_REPORT_MAILS).toContain(` ${MAX_REPORT_MAILS_A_DAY} `);
  desk.mail.close();
});
