// Segments: filters are saved under a name, two segments are compared, and an address whose segment is gone shows no numbers.
import { expect, it } from 'vitest';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

it('saves filters as a segment, compares two, shares one, and says when one is gone', async () => {
  await using dashboard = await openDashboard();
  const { page, server } = dashboard;
  await dashboard.view('/pricing', { referrer: 'https://www.bing.com/' }, CHROME);
  await server.settle();
  await ready(page, 'pages');
  const params = () => new URL(page.url()).searchParams;
  const tile = (name: string, value: number) => page.waitForSelector(`[data-metric="${name}"][data-value="${value}"]`);
  /** The exact values, in the card of the figure. */
  const explained = async (text: string) => {
    await page.focus('[data-metric="unique_visitors"]');
    await page.keyboard.press('i');
    await page.locator('[data-compared]').filter({ hasText: text }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-card]', { state: 'detached' });
  };
  const save = async (name: string, isForAll: boolean) => {
    await page.click('button:has-text("Save as segment")');
    await page.fill('dialog input[maxlength="100"]', name);
    if (isForAll) await page.click('dialog [role=switch]');
    await page.click('dialog button:has-text("Save")');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.waitForSelector(`[data-segments] [role=tab][aria-selected=true]:has-text("${name}")`);
  };

  // Two of three visitors read the prices, and one of these came from Google.
  await page.click('[data-panel="pages"] [data-row="/pricing"] button');
  await tile('pageviews', 2);
  const hostile = '<b>“Prices” & more</b>';
  await save(hostile, true);
  expect([params().has('f'), params().get('segment')]).toEqual([false, expect.stringMatching(/^segment_/)]);
  await tile('pageviews', 2);
  await page.click('[data-segments] [role=tab]:has-text("All visitors")');
  await tile('pageviews', 4);
  expect(params().has('segment')).toBe(false);
  await page.click('[data-panel="sources"] [data-row="Google"] button');
  await tile('unique_visitors', 1);
  await save('From Google', false);

  // Compared with the other one: tiles, the chart's two lines and the address.
  await page.click('[aria-label^="vs previous"]');
  await page.click(`[popover]:popover-open button:has-text("${hostile}")`);
  await page.waitForSelector('[data-versus]');
  await expect.poll(() => page.textContent('[data-own]')).toBe('From Google');
  await expect.poll(() => page.textContent('[data-versus]')).toBe(hostile);
  await page.waitForSelector('[data-metric="unique_visitors"] .change:has-text("50%")');
  await explained('2, <b>“Prices” & more</b>');
  await page.waitForSelector(`.chart th:has-text("${hostile}")`, { state: 'attached' });
  await page.waitForURL((url) => url.searchParams.get('compare')?.startsWith('segment_') === true);
  const compared = page.url();

  // A filter by segment: visits from Google that are not in the other segment. There are none.
  await page.click('[data-filter]');
  await page.selectOption('dialog select[aria-label="Dimension"]', 'segment');
  await page.selectOption('dialog select[aria-label="Comparison"]', 'is_not');
  await page.check(`dialog label:has-text("${hostile}") input`);
  await page.click('dialog button:has-text("Apply")');
  await page.waitForSelector('[aria-label="Filters"] .chip:has-text("Segment is not")');
  await tile('unique_visitors', 0);
  await page.goto(compared);
  await tile('unique_visitors', 1);
  await explained('2, <b>“Prices” & more</b>');

  // The other one is chosen: it is not compared with itself.
  const search = page.locator('dialog [role=combobox]');
  await page.keyboard.press('/');
  await search.fill(hostile);
  await page.getByRole('option', { name: `${hostile} Segments` }).click();
  await tile('unique_visitors', 2);
  expect(params().has('compare')).toBe(false);
  await page.click('[aria-label^="vs previous"]');
  await page.click('[popover]:popover-open button:has-text("All visitors")');
  await page.waitForSelector('[data-versus]');
  expect(params().get('compare')).toBe('all');
  await page.click('[data-segments] [role=tab]:has-text("All visitors")');
  await tile('unique_visitors', 3);
  expect(params().has('compare')).toBe(false);

  // A share link has the site's segment, and not that of the owner alone.
  const site_id = dashboard.site.id;
  const { token } = await page.evaluate(async (id) => {
    const answer = await fetch('/trpc/shares.create', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(`[{"site_id":1,"name":2,"shows":3},"${id}","link",{"properties":4,"fewest":5},true,1]`),
    });
    const { result } = (await answer.json()) as { result: { data: string } };
    return { token: /"([A-Za-z0-9]{32})"/.exec(result.data)?.[1] ?? '' };
  }, site_id);
  const ofSite = new URL(compared).searchParams.get('compare') ?? '';
  const own = new URL(compared).searchParams.get('segment') ?? '';
  await page.goto(`${server.url}/share/${token}?segment=${ofSite}`);
  await tile('pageviews', 2);
  await expect
    .poll(() => page.locator('[data-segments] [role=tab]').allTextContents())
    .toEqual(['All visitors', hostile]);
  await page.goto(`${server.url}/share/${token}?segment=${own}`);
  await page.waitForSelector('[data-missing-segment]');
  expect(await page.locator('[data-metric]').count()).toBe(0);
  await page.press('[data-missing-segment] button', 'Enter');
  await tile('pageviews', 4);
  await page.waitForSelector('[data-filter]:focus');

  // Deleted: the old address says so, and shows no numbers.
  await page.goto(compared);
  await page.click('[aria-label="Edit segment From Google"]');
  await page.click('dialog button:has-text("Delete")');
  await page.click('dialog button:has-text("Delete for good")');
  await page.waitForSelector('[data-segments] [role=tab][aria-selected=true]:has-text("All visitors")');
  await page.goto(compared);
  await page.waitForSelector('[data-missing-segment]');
  expect(await page.locator('[data-panel]').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
