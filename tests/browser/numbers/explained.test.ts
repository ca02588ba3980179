// Every number explains itself: what it counts, what it is made of, what is left out, and what changed it.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { addDrops } from '../../../server/sites/drops.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { METRIC_EXPLANATIONS } from '../../../server/vocabulary/numbers/explanations.ts';
import { roundedFor } from '../../../server/vocabulary/settings/privacy.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, startOfDay } from '../../../server/vocabulary/time/time.ts';
import { violations } from '../../setup/browser/axe.ts';
import { ready, shareDashboard } from '../../setup/browser/dashboard.ts';
import { makeEvent } from '../../setup/event.ts';

const shared = shareDashboard({ traffic: false });
let address: string;
let token: string;

/** Ten visits with 14 page views, six of which are bounces and four last a minute. Eight visitors in the week before. */
beforeAll(async () => {
  await using dashboard = await shared();
  const { server, site } = dashboard;
  const { collector, services } = server.app;
  const { now } = server.clock;
  const viewsOf = (visitors: number, daysAgo: number, source: string, pages = ['/']) =>
    Array.from({ length: visitors }, (_, number) =>
      pages.map((page, index) => {
        const time = startOfDay(now) - daysAgo * DAY_MS + 10 * HOUR_MS + index * MINUTE_MS;
        return makeEvent({ site_id: site.id, visitor: `${daysAgo}${source[0]}${number}`, time, source, page });
      }),
    ).flat();
  const events = [...viewsOf(8, 9, 'Google'), ...viewsOf(6, 1, 'Google'), ...viewsOf(4, 2, '<b>Bing', ['/', '/b'])];
  await collector.record(events, now);
  await server.settle();
  const bots = { site_id: site.id, reason: 'bot_user_agent', count: 1 };
  const dropped = [1, 2, 8].map((ago) => ({ ...bots, day: dayOf(now - ago * DAY_MS) })); // the last one is before the period
  await addDrops(services.directory, dropped);
  address = `${server.url}/example.com?period=7d`;
  token = (await createShareLink(services.directory, { siteId: site.id, name: 'link' }, now)).token;
});

const card = (page: Page) => page.locator('[data-card][data-state="ready"]');
async function partsOf(page: Page): Promise<string> {
  await card(page).waitFor();
  return (await card(page).locator('[data-parts] p').allInnerTexts()).join('; ');
}

describe('a number explains itself', () => {
  it('by its definition, the numbers that it is made of, its comparison and what is left out', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page } = dashboard;
    await dashboard.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(address);
    await ready(page, 'sources');
    for (const [metric, parts] of [
      ['unique_visitors', 'The sum of 7 days, in 10 visits'],
      ['visits', 'By 10 unique visitors'],
      ['pageviews', 'In 10 visits'],
      ['bounce_rate', '6 of 10 visits'],
      ['visit_duration', '240 seconds in total over 10 visits'],
      ['views_per_visit', '14 page views in 10 visits'],
    ] as const) {
      const tile = page.locator(`[data-metric="${metric}"]`);
      await tile.focus();
      await page.keyboard.press('i');
      await page.locator(`[data-card="${metric}"]`).getByText(METRIC_EXPLANATIONS[metric]).waitFor();
      expect([metric, await partsOf(page)]).toEqual([metric, parts]);
      if (metric === 'bounce_rate') {
        expect(await card(page).locator('[data-compared]').innerText()).toMatch(/^100%, the 7 days before: /);
        await card(page).locator('[data-dropped] [data-row="bot_user_agent"][data-value="2"]').waitFor();
        await card(page).getByRole('button', { name: 'Copy as API request' }).click();
        await card(page).getByText('Copied the request').waitFor();
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        expect(copied).toContain('/v1/stats/timeseries?');
        expect(copied).toContain('metrics=bounce_rate');
        expect(await violations(page)).toEqual([]);
      }
      await page.keyboard.press('Escape');
      await card(page).waitFor({ state: 'detached' });
      expect(await tile.evaluate((one) => one === document.activeElement)).toBe(true);
    }

    // A row, by its button; the name of its source is text of visitors.
    const row = page.locator('[data-panel="sources"] [data-row="<b>Bing"]');
    await row.hover();
    await row.getByRole('button', { name: 'Explain' }).click();
    expect(await partsOf(page)).toBe('4 of 10 unique visitors, 40%; The sum of 7 days, in 4 visits');
    expect(await card(page).locator('.name').innerText()).toBe('<b>Bing');
    await page.keyboard.press('Escape');

    // A point of the chart, by its key; the sixth of seven days is the day before yesterday.
    await page.getByRole('slider').focus();
    for (const key of ['Home', ...Array<string>(5).fill('ArrowRight')]) await page.keyboard.press(key);
    await page.keyboard.press('i');
    await page.locator('[data-card="unique_visitors"][data-kind="point"] [data-value="4"]').waitFor();
    expect(await partsOf(page)).toBe('In 4 visits');
    expect(dashboard.troubles).toEqual([]);
  });

  it('and leads to what changed it most, from the reason in the headline', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page } = dashboard;
    await page.goto(address);
    await page.locator('[data-driver="source"]').click();
    const movers = card(page).locator('[data-mover="source"]');
    await expect
      .poll(() => movers.allInnerTexts())
      .toEqual([expect.stringMatching(/<b>Bing\s+0 → 4/), expect.stringMatching(/Google\s+8 → 6/)]);
    await movers.getByRole('button', { name: 'Bing' }).click();
    await page.waitForSelector('[data-metric="visits"][data-value="4"]');
    expect(await page.locator('[data-card]').count()).toBe(0);
    expect(dashboard.troubles).toEqual([]);
  });

  it('to the viewers of a share link as far as the link does', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/share/${token}?period=7d&f=is:source:Google`);
    await page.waitForSelector('[data-metric="bounce_rate"]:not([data-value=""])');
    await page.locator('[data-metric="bounce_rate"]').focus();
    await page.keyboard.press('i');
    await card(page).getByText(METRIC_EXPLANATIONS.bounce_rate).waitFor();
    expect(await partsOf(page)).toMatch(/^Of \d+ visits$/); // its share would be computed from rounded numbers
    await card(page).locator('[data-exact]').getByText(roundedFor()).waitFor();
    expect(await card(page).locator('[data-dropped]').count()).toBe(0);
    expect(await card(page).getByText('API').count()).toBe(0);
    expect(dashboard.troubles).toEqual([]);
  });
});
