// The page of a share link: live like the owner's, counts only, and without what the link does not allow.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/share.ts';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard, ready } from './setup.ts';

it('is live, counts events by page, and hides small numbers of visitors and properties', async () => {
  await using opened = await openDashboard({});
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
  await ready(page, 'pages');
  await page.goto(`${home}/live`);
  await page.locator('[data-connection][data-state="online"]').waitFor();
  for (const visitor of ['ada', 'bob', 'cy']) await view(visitor, '/pricing');
  await view('ada', '/signup');
  const seen = page.locator('[data-panel="live_activity"] li');
  await seen.filter({ hasText: '/signup' }).waitFor();
  await page.locator('[data-panel="live_sources"] [data-row="Google"][data-value="4"]').waitFor();
  expect(await page.locator('[data-panel="live_activity"]').innerText()).not.toMatch(/Google|Germany|\bDE\b/);
  await page.goto(`${home}?f=is:country:DE`);
  await page.getByText('hides numbers that come from fewer than three visitors').waitFor();
  expect(await page.locator('[data-panel="events"]').getByText('Properties').count()).toBe(0);
});
