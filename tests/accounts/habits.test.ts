// How dates and numbers are written for each reader: kept in the profile, followed by mails, pictures and pieces, and by no file and no API.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../server/accounts/accounts.ts';
import { exportUser } from '../../server/accounts/people/user-export.ts';
import { chosenBy, keepHabits } from '../../server/directory/habits.ts';
import { followReaders } from '../../server/process/habits.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { followHabits, habitsOf, NOTHING_CHOSEN } from '../../server/vocabulary/habits/habits.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { keyFor, readingPaths, restOf } from '../setup/api/rest.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeEvent } from '../setup/event.ts';
import { FRIDAY, openDesk } from '../setup/notifications/reports.ts';

const GERMAN = { language: null, locale: 'de-DE', hours: 12, first_day: 7 } as const;
const AMERICAN = { ...NOTHING_CHOSEN, locale: 'en-US' };

describe.each(FORMS)('the choice of a person in %s', (form) => {
  test('is kept with their login, goes with their data, and ends with nothing chosen', async () => {
    await using directory = await testDirectory(form);
    const { db } = directory;
    const { user } = await createAccount(directory, { email: 'eve@example.com', password: PASSWORD }, FRIDAY);
    const [byId, byAddress] = [{ userId: user.id }, { email: 'eve@example.com' }];
    expect(await chosenBy(db, byId)).toEqual(NOTHING_CHOSEN);
    await keepHabits(db, byId, GERMAN);
    expect([await chosenBy(db, byId), await chosenBy(db, byAddress)]).toEqual([GERMAN, GERMAN]);
    expect((await exportUser(directory, user.id)).profile).toMatchObject({ dates_and_numbers: GERMAN });
    await db.updateTable('users').set({ habits: '{"calendar":"later"}' }).execute();
    expect(await chosenBy(db, byId)).toEqual(NOTHING_CHOSEN);
    await keepHabits(db, byId, NOTHING_CHOSEN);
    expect(await db.selectFrom('users').select('habits').execute()).toEqual([{ habits: null }]);
    expect(await chosenBy(db, { email: 'nobody@example.com' })).toEqual(NOTHING_CHOSEN);
  });

  test('is that of each recipient of a report', async () => {
    await using directory = await testDirectory(form);
    const clock = { now: FRIDAY };
    const desk = await openDesk(directory, clock);
    await desk.make();
    await keepHabits(directory.db, { userId: desk.user.id }, AMERICAN);
    clock.now = Date.UTC(2026, 10, 21, 7);
    await desk.sendDue();
    expect((await desk.sent()).toSorted()).toEqual(['20 Nov 2026 to guest', 'Nov 20, 2026 to owner']);
    desk.mail.close();
  });
});

describe('a server', () => {
  let server: TestApp;
  let site: Site;
  beforeAll(async () => {
    server = await testApp();
    site = await server.addSite('own.example');
    const events = Array.from({ length: 1234 }, (_, index) =>
      makeEvent({ site_id: site.id, visitor: `v${index % 700}`, time: server.clock.now - DAY_MS + index, page: '/' }),
    );
    await server.app.collector.record(events, server.clock.now);
    await server.settle();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  afterEach(followReaders);

  test('writes pictures and pieces of a link as its address says, and refuses what is no language', async () => {
    const named = { siteId: site.id, name: 'l' };
    const { token } = await createShareLink(server.app.services.directory, named, server.clock.now);
    const read = async (path: string) => (await fetch(`${server.url}/share/${token}${path}`)).text();
    expect(await read('/badge.svg?metric=pageviews&lang=de')).toMatch(/ lang="de" .*>1\.234<\/text>/s);
    expect(await read('/badge.svg?metric=pageviews&lang=en-US')).toContain('1,234 page views');
    expect(await read('/badge.svg?metric=pageviews')).toContain('1,234 page views');
    const piece = await read('?piece=figure&metric=pageviews&lang=de-DE');
    expect(piece).toContain('1.234');
    expect(piece).toContain('&#34;lang&#34;:&#34;de-DE&#34;');
    expect(await read('?piece=wall&lang=de')).toBeDefined();
    for (const path of ['/badge.svg?lang=nowhere', '/badge.svg?lang=', `/badge.svg?lang=${'x'.repeat(36)}`])
      expect((await fetch(`${server.url}/share/${token}${path}`)).status).toBe(400);
  });

  test('has the same API and the same files for everybody', async () => {
    const rest = await restOf(server, await keyFor(server, site));
    const cookie = await server.logIn(`owner@${site.domain}`);
    const days = 'date_from=2026-11-18&date_to=2026-11-20';
    const paths = readingPaths({ siteId: site.id, funnelId: 'none', groupId: 'none' });
    const answers = async () => [
      await (await fetch(`${server.url}/export/${site.id}.csv?${days}`, { headers: { cookie } })).text(),
      ...(await Promise.all(paths.map(async (path) => (await rest.ask(path)).text))),
    ];
    const usual = await answers();
    followHabits(() => habitsOf('de-DE'));
    expect(await answers()).toEqual(usual);
  });
});
