// The page of a share link: live in steps of three visitors, counts only, rounded where it is narrowed, and without what the link does not allow.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('moves by three visitors at a time, counts events by page, and hides small numbers of visitors and properties', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, site } = opened;
  const { directory } = server.app.services;
  const link = await createShareLink(directory, { siteId: site.id, name: 'link' }, server.clock.now);
  const view = (visitor: string, path: string) =>
    server.app.collector.record(
      [makeEvent({ site_id: site.id, visitor, page: path, source: 'Google', time: server.clock.now })],
      server.clock.now,
    );
  const home = `${server.url}/share/${link.token}`;
  await page.goto(home);
  await page.locator('[data-live="current_visitors"]').filter({ hasText: 'fewer than 3' }).waitFor();
  await page.locator('[data-panel="pages"][data-state="empty"]').waitFor();
  await page.goto(`${home}/live`);
  await page.locator('[data-connection][data-state="online"]').waitFor();
  await page.getByText('Page views appear here together, once at least 3 visitors have come or moved on.').waitFor();
  for (const visitor of ['ada', 'bob', 'cy']) await view(visitor, '/pricing');
  await server.settle();
  server.clock.now += 20_000; // the last ten seconds are left out
  await page.locator('[data-panel="live_activity"] li').filter({ hasText: '/pricing' }).waitFor();
  await page.locator('[data-panel="live_sources"] [data-row="Google"][data-value="4"]').waitFor();
  expect(await page.locator('[data-panel="live_activity"]').innerText()).not.toMatch(/Google|Germany|\bDE\b/);
  await page.goto(home);
  await page.locator('[data-panel="pages"] [data-row="/pricing"][data-value="4"]').waitFor();
  await page.locator('[data-live="current_visitors"][data-value="5"]').waitFor();
  await page.goto(`${home}?f=is:source:Google`);
  await page.locator('[data-privacy="rounded"]').filter({ hasText: 'off by at most 2 visitors' }).waitFor();
  await page.goto(`${home}?f=is:country:NG`);
  await page.locator('[data-privacy="withheld"]').filter({ hasText: 'Fewer than 3 visitors match' }).waitFor();
  await page.locator('[data-panel="pages"]').filter({ hasText: 'Nothing that can be shown.' }).waitFor();
  expect(await page.locator('[data-panel="events"]').getByText('Properties').count()).toBe(0);
});

it('loads at most 230 kB of code, styles and font, and the map only once it is near', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, site } = opened;
  const { directory } = server.app.services;
  const link = await createShareLink(directory, { siteId: site.id, name: 'link' }, server.clock.now);
  const seen = ['ada', 'bob', 'cy'].map((visitor) =>
    makeEvent({ site_id: site.id, visitor, country: 'DE', time: server.clock.now }),
  );
  await server.app.collector.record(seen, server.clock.now);
  await server.settle();
  server.clock.now += 20_000;
  await page.setViewportSize({ width: 390, height: 600 });
  await page.goto(`${server.url}/share/${link.token}`);
  await page.locator('[data-panel="places"][data-state="ready"]').waitFor({ state: 'attached' });
  await page.locator('[data-connection][data-state="online"]').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  const bytes = () =>
    page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => /\.(js|css|woff2)$/.test(name))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    );
  const before = await bytes();
  expect(before).toBeLessThan(230_000);
  expect(before).toBeGreaterThan(100_000);
  await page.locator('[data-panel="places"]').scrollIntoViewIfNeeded();
  await page.locator('[data-panel="places"] [data-place="DE"]').waitFor({ state: 'attached' });
  expect(await bytes()).toBeGreaterThan(before + 15_000);
});
