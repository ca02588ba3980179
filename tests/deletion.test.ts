/** @module-tag promise */
// A deleted site is gone: its rows, what waits for the store, and what another process still writes.
import { describe, expect, test } from 'vitest';
import type { SiteId } from '../server/event.ts';
import { MINUTE_MS } from '../server/time.ts';
import { testApp } from './setup/app.ts';
import { makeEvent } from './setup/event.ts';
import { showsKept } from './setup/harness.ts';

const rowsOf = async (it: Awaited<ReturnType<typeof testApp>>, siteId: SiteId) => {
  const [row] = await it.app.store.query<{ rows: number }>(
    'SELECT count() AS rows FROM events WHERE site_id = {id:String}',
    { id: siteId },
  );
  return Number(row?.rows);
};

describe('a deleted site', () => {
  test('leaves no rows, neither stored nor on their way, and counts nothing more', async () => {
    showsKept('a deleted site leaves data, queue, dead letters and caches within a minute');
    await using it = await testApp();
    const site = await it.addSite('gone.example');
    const kept = await it.addSite('kept.example');
    const view = (domain: string, path: string) => ({
      site: domain,
      name: 'pageview',
      url: `https://${domain}${path}`,
    });
    await it.foot(view('gone.example', '/1'));
    await it.foot(view('kept.example', '/1'));
    await it.settle();
    await it.foot(view('gone.example', '/2'));
    await it.app.services.deleteSite(site.id);
    it.clock.now += 1000;
    expect((await it.foot(view('gone.example', '/3'))).status).toBe(202);
    await it.settle();
    expect([await rowsOf(it, site.id), await rowsOf(it, kept.id)]).toEqual([0, 1]);
  });

  test('takes along what another process wrote after it was deleted', async () => {
    await using it = await testApp();
    const site = await it.addSite('gone.example');
    await it.app.services.deleteSite(site.id);
    await it.app.collector.record([makeEvent({ site_id: site.id, time: it.clock.now })], it.clock.now);
    await it.settle();
    expect(await rowsOf(it, site.id)).toBe(1);
    await it.app.runJob('finish-deletions');
    expect(await rowsOf(it, site.id)).toBe(1); // something may still be on its way
    it.clock.now += 5 * MINUTE_MS + 1;
    await it.app.runJob('finish-deletions');
    expect(await rowsOf(it, site.id)).toBe(0);
  });
});

test('a batch that is asked for twice at once is written once, and its visits counted once', async () => {
  await using it = await testApp();
  const site = await it.addSite();
  const first = makeEvent({ site_id: site.id, visitor: 'x', time: it.clock.now });
  await it.app.collector.record([first], it.clock.now);
  await Promise.all([it.app.writer.writeOnce(), it.app.writer.writeOnce(), it.app.writer.drain()]);
  await it.app.collector.record(
    [makeEvent({ site_id: site.id, visitor: 'x', time: it.clock.now + MINUTE_MS })],
    it.clock.now,
  );
  await it.settle();
  const rows = await it.app.store.query(
    'SELECT count() AS rows, sum(bounces) AS bounces, sum(visit_ms) AS ms FROM events',
    {},
  );
  expect(rows).toEqual([{ rows: 2, bounces: 0, ms: MINUTE_MS }]);
});
