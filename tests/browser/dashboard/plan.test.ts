// The notice of a month whose events are used up: where there is a plan, or where what comes after is dropped.
import { expect, it } from 'vitest';
import { MONTHLY_EVENTS } from '../../../server/api/accounts.ts';
import { sampleEvent } from '../../setup/sample.ts';
import { openDashboard, ready } from './setup.ts';

const CASES = [
  { env: {}, notice: /^All of this month’s 10,000 events are used\./, settings: 'nothing is lost' },
  { env: { BILLING: 'off' }, notice: undefined, settings: undefined },
  {
    env: { BILLING: 'off', QUOTA: 'drop' },
    notice: /^All of this month’s 10,000 events are used\./,
    settings: 'not counted until the next month',
  },
] as const;

for (const { env, notice, settings } of CASES)
  it(`${notice ? 'says' : 'does not say'} that a month is used up with ${JSON.stringify(env)}`, async () => {
    await using it = await openDashboard({ env });
    const { page, server, site } = it;
    const now = server.clock.now;
    const visit = { visit_id: 1n, visit_started: 1, bounces: 1, visit_ms: 0, entry_page: '/' } as const;
    const events = Array.from({ length: MONTHLY_EVENTS }, (_, number) => ({
      ...sampleEvent(number, { site_id: site.id, time: now }),
      ...visit,
    }));
    await server.app.store.insert({ events, ai_visits: [] }, 'a month');
    await page.goto(`${server.url}/example.com`);
    await ready(page, 'pages');
    const said = await page.locator('a[href="/settings"]:has-text("What this means")').count();
    expect(said).toBe(notice ? 1 : 0);
    if (notice) expect(await page.locator('p:has(> a[href="/settings"])').first().innerText()).toMatch(notice);
    await page.goto(`${server.url}/settings`);
    await page.getByText(/^10,00\d/).waitFor();
    expect(await page.getByText('of 10,000').count()).toBe(notice ? 1 : 0);
    if (settings) await page.getByText(settings).waitFor();
  });
