// The source of a visit, from the first request to the live view and the stored numbers: its own source, not that of the last click.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { makeEvent, sampleEvent } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';

const VISITORS = 7;
const GOOGLE = [{ source: 'Google', visitors: VISITORS }];

async function view(server: TestApp, visitor: number, { path, referrer }: { path: string; referrer: string }) {
  const answer = await server.foot(
    { site: 'own.example', name: 'pageview', url: `https://own.example${path}`, referrer },
    { 'user-agent': CHROME.replace('142', String(100 + visitor)) },
  );
  expect(answer.status).toBe(202);
}

async function clickOn(server: TestApp, path: string) {
  server.clock.now += 60_000;
  for (let visitor = 0; visitor < VISITORS; visitor++)
    await view(server, visitor, { path, referrer: 'https://own.example/' });
}

test('seven visitors from Google are "Google 7" in the live view after each click, and after a restart', async () => {
  await using folder = await tempFolder();
  let siteId;
  let now;
  {
    await using server = await testApp({ folder: folder.path });
    const site = await server.addSite('own.example');
    siteId = site.id;
    const sources = async () => (await server.app.services.windows.snapshot(site.id, server.clock.now)).sources;
    for (let visitor = 0; visitor < VISITORS; visitor++)
      await view(server, visitor, { path: '/', referrer: 'https://www.google.com/' });
    expect(await sources()).toEqual(GOOGLE);
    await clickOn(server, '/pricing');
    expect(await sources()).toEqual(GOOGLE);
    await server.settle();
    server.clock.now += 20 * 60_000; // long enough to be no longer current
    now = server.clock.now;
  }
  await using server = await testApp({ folder: folder.path, now });
  const sources = async () => (await server.app.services.windows.snapshot(siteId, server.clock.now)).sources;
  expect(await sources()).toEqual([]);
  await clickOn(server, '/signup');
  expect(await sources()).toEqual(GOOGLE);
  await server.settle();
  const stored = await server.app.store.query<object>(
    'SELECT source, entry_page, sum(visit_started) AS visits, count() AS views FROM events GROUP BY ALL',
    {},
  );
  expect(stored.map((row) => Object.values(row).map(String))).toEqual([['Google', '/', '7', '21']]);
});

test('events of a visit that come to the queue in the wrong order are stored under the source and page of the first', async () => {
  await using server = await testApp();
  const site = await server.addSite('own.example');
  const at = (secondsAgo: number, page: string, source: string) =>
    makeEvent({ site_id: site.id, visitor: 'ada', time: server.clock.now - secondsAgo * 1000, page, source });
  await server.app.collector.record(
    [at(1, '/third', ''), at(9, '/first', 'Google'), at(5, '/second', '')],
    server.clock.now,
  );
  await server.settle();
  const stored = await server.app.store.query<object>('SELECT page, source, entry_page FROM events ORDER BY page', {});
  expect(stored.map((row) => Object.values(row))).toEqual([
    ['/first', 'Google', '/first'],
    ['/second', 'Google', '/first'],
    ['/third', 'Google', '/first'],
  ]);
  const { sources } = await server.app.services.windows.snapshot(site.id, server.clock.now);
  expect(sources).toEqual([{ source: 'Google', visitors: 1 }]);
});

test('events that waited in the queue when the server started are in the live view once they are stored, however late', async () => {
  await using folder = await tempFolder();
  const now = Date.UTC(2026, 10, 20, 12);
  const waiting = [1, 2, 3].map((number) => sampleEvent(number, { time: now - number }));
  const queue = await openSqliteQueue({ path: join(folder.path, 'queue.sqlite') });
  await queue.append(waiting, now);
  await queue.close();
  await using server = await testApp({ folder: folder.path, now });
  server.clock.now += 2 * 60_000;
  await server.settle();
  const siteId = waiting[0]?.site_id as SiteId;
  const { current_visitors } = await server.app.services.windows.snapshot(siteId, server.clock.now);
  expect(current_visitors).toBe(3);
});
