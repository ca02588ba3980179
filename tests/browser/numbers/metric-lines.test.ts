// Other metrics as further lines of the chart: their numbers, the axis at the right, and what a link keeps.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { configureSite } from '../../../server/sites/sites.ts';
import { type Metric, metricRow, metricsOf } from '../../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { follow, holdSocket, inputsOf, openDashboard } from '../../setup/browser/dashboard.ts';

const NOW = Date.UTC(2026, 10, 24, 12, 30);
const TODAY = Date.UTC(2026, 10, 24);
const WEEK = 'period=custom&date_from=2026-11-18&date_to=2026-11-24&compare=none&numbers=table';

/** Today's value of each metric that can be a line, as the data below make it. */
const VALUES: Partial<Record<Metric, string>> = {
  unique_visitors: '2',
  visits: '2',
  pageviews: '3',
  views_per_visit: '1.5',
  bounce_rate: '50%',
  visit_duration: '1m 00s',
  time_on_page: '30s',
  scroll_depth: '80%',
  events: '1',
  conversions: '2',
  conversion_rate: '100%',
  revenue: '€20.50',
  orders: '1',
  average_order: '€20.50',
};
const OF_FEW: readonly Metric[] = ['conversions', 'orders'];

/** One visitor reads, looks at prices and pays; another one leaves at once. An AI agent comes yesterday. */
async function openWeek(options: { currency?: string } = { currency: 'EUR' }) {
  const dashboard = await openDashboard({ now: NOW, traffic: false, timezone: 'UTC', isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  if (options.currency) await configureSite(directory, { siteId: site.id, currency: options.currency }, NOW);
  const at = (minutes: number) => ({ site_id: site.id, time: TODAY + 10 * 60 * MINUTE_MS + minutes * MINUTE_MS });
  const buyer = [
    makeEvent({ ...at(0), visitor: 'buyer' }),
    makeEvent({
      ...at(0.5),
      visitor: 'buyer',
      name: 'engagement',
      interactive: false,
      engaged_ms: 30_000,
      scroll: 80,
    }),
    makeEvent({ ...at(1), visitor: 'buyer', page: '/pricing' }),
    makeEvent({
      ...at(2),
      visitor: 'buyer',
      page: '/pricing',
      name: 'purchase',
      ...(options.currency ? { amount: '20.5', currency: options.currency } : {}),
    }),
  ];
  const agent = makeAiVisit({ site_id: site.id, ai_provider: 'OpenAI', time: NOW - DAY_MS });
  await server.app.collector.record([...buyer, makeEvent({ ...at(60), visitor: 'other' }), agent], NOW);
  await server.settle();
  await page.clock.setFixedTime(NOW);
  return dashboard;
}

function readLines(page: Page) {
  const legend = page.getByRole('group', { name: 'Lines of the chart' });
  const menu = page.locator('[popover]:popover-open');
  return {
    legend,
    /** The texts of the open menu. */
    entries: () => menu.locator('p, button').allInnerTexts(),
    heads: () => page.locator('[data-chart-table] thead th').allTextContents(),
    today: () => page.locator('[data-chart-table] tbody tr').last().locator('td').allTextContents(),
    remarks: async () => (await legend.locator('> p').allTextContents()).join(),
    address: () => new URL(page.url()).searchParams.get('lines'),
    switchLine: (name: string) => legend.getByRole('button', { name, exact: true }).click(),
    choose: async (name: string) => {
      await legend.getByRole('button', { name: 'Add a line' }).click();
      await menu.getByRole('button', { name, exact: true }).click();
      await page.keyboard.press('Escape');
    },
  };
}

it('draws every metric that the chart can show as a further line, and names those on the right axis', async () => {
  await using dashboard = await openWeek();
  const { page, server, site } = dashboard;
  const definition = { kind: 'page' as const, page: '/' };
  const { directory } = server.app.services;
  const goal = await goals.create(directory, { siteId: site.id, name: 'Came', definition }, NOW);
  const { heads, today, remarks } = readLines(page);
  await page.goto(`${server.url}/example.com`);
  for (const metric of metricsOf('events')) {
    const { label, unit, isOfGoals, isOfReading, shownIfAny } = metricRow(metric);
    const filter = (isOfGoals ? `&f=is:goal:${goal.id}` : '') + (isOfReading ? '&f=is:page:/' : '');
    const own = metric === 'unique_visitors' ? 'visits' : 'unique_visitors';
    const address = `${server.url}/example.com?${WEEK}${filter}&metric=${own}&lines=metric_${metric}`;
    const ownLabel = metricRow(own).label;
    // Figures beside others are no figures of the dashboard, and no lines either.
    const isLine = shownIfAny !== 'beside';
    // Without a line, only a page that is loaded anew shows that none comes.
    if (isLine) await follow(page, address);
    else await page.goto(address);
    await expect.poll(heads, { message: metric }).toEqual(['Date', ownLabel, ...(isLine ? [label] : [])]);
    await expect.poll(today, { message: metric }).toEqual(['2', ...(isLine ? [VALUES[metric]] : [])]);
    const isOnRight = isLine && (unit !== 'count' || OF_FEW.includes(metric));
    await expect.poll(remarks, { message: metric }).toBe(isOnRight ? `On the right axis: ${label.toLowerCase()}.` : '');
  }
  expect(dashboard.troubles).toEqual([]);
});

it('is chosen in a menu, is live, and is in the tooltip, in the keyboard’s words, in the copies and in a link', async () => {
  await using dashboard = await openWeek();
  const { context, page, server, view } = dashboard;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { legend, entries, heads, today, address, choose } = readLines(page);
  await page.goto(`${server.url}/example.com?${WEEK}`);
  await legend.getByRole('button', { name: 'Add a line' }).click();
  await expect.poll(async () => (await entries()).slice(0, 3)).toEqual(['Another metric', 'Visits', 'Page views']);
  expect(await entries()).not.toContain('Unique visitors');
  await page.keyboard.press('Escape');
  for (const name of ['Bounce rate', 'Page views']) await choose(name);
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Bounce rate', 'Page views']);
  await expect.poll(today).toEqual(['2', '50%', '3']);
  expect(address()).toBe('metric_bounce_rate,metric_pageviews');

  await page.getByRole('slider').focus();
  const last = 'Tue, 24 Nov 2026';
  await expect
    .poll(() => page.getByRole('slider').getAttribute('aria-valuetext'))
    .toBe(`${last}, so far; Unique visitors: 2; Bounce rate: 50%; Page views: 3`);
  expect(await page.locator('.tip .line').allInnerTexts()).toEqual([
    `${last}, so far\n2`,
    'Bounce rate\n50%',
    'Page views\n3',
  ]);
  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await page.getByText('Copied 7 rows').waitFor();
  const csv = (await page.evaluate(() => navigator.clipboard.readText())).split('\r\n');
  expect([csv[0], csv[1], csv[7]]).toEqual([
    'time,unique_visitors,bounce_rate,pageviews',
    '2026-11-18,0,0,0',
    '2026-11-24,2,50,3',
  ]);

  // A request for each line.
  await page.getByRole('button', { name: 'Copy as API request' }).click();
  await page.getByText('Copied the request').waitFor();
  const lines = await page.evaluate(() => navigator.clipboard.readText());
  expect(lines.match(/&metrics=\w+/g)).toEqual([
    '&metrics=unique_visitors',
    '&metrics=bounce_rate',
    '&metrics=pageviews',
  ]);
  await page.keyboard.press('Escape');

  await page.locator('[data-connection][data-state="online"]').waitFor();
  await view('/');
  await server.settle();
  await expect.poll(today).toEqual(['3', '67%', '4']);
  await page.reload();
  await expect.poll(today).toEqual(['3', '67%', '4']);

  // As the chart's own metric it is no second line, but keeps its place.
  await page.click('[data-metric="pageviews"]');
  await expect.poll(heads).toEqual(['Date', 'Page views', 'Bounce rate']);
  await page.click('[data-metric="visits"]');
  await expect.poll(heads).toEqual(['Date', 'Visits', 'Bounce rate', 'Page views']);
  expect(dashboard.troubles).toEqual([]);
});

it('gives the right axis to one unit: the first of a link, and the last that is switched on', async () => {
  await using dashboard = await openWeek();
  const { page, server } = dashboard;
  const { legend, entries, heads, remarks, address, choose, switchLine } = readLines(page);
  const isOn = async (name: string) =>
    (await legend.getByRole('button', { name, exact: true }).getAttribute('aria-pressed')) === 'true';
  const both = 'lines=metric_bounce_rate,metric_revenue,metric_visits&ai_visits=shown';
  await holdSocket(page); // only what a reader does asks again
  const asked = new Set<unknown>();
  page.on('request', (request) =>
    inputsOf(request.url(), 'stats.timeseries').forEach((input) => asked.add((input as { metric: Metric }).metric)),
  );
  await page.goto(`${server.url}/example.com?${WEEK}&${both}`);
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Bounce rate', 'Visits']);
  expect(await Promise.all(['Bounce rate', 'Revenue', 'Visits', 'AI visits'].map(isOn))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([...asked].toSorted()).toEqual(['bounce_rate', 'unique_visitors', 'visits']);
  await switchLine('Revenue');
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Revenue', 'Visits']);
  expect(address()).toBe('-metric_bounce_rate,metric_revenue,metric_visits');
  await expect.poll(remarks).toBe('On the right axis: revenue.');

  // AI visits are counts.
  await switchLine('AI visits');
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Visits', 'AI visits: OpenAI']);
  await choose('Orders');
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Visits', 'Orders', 'AI visits: OpenAI']);
  await expect.poll(remarks).toBe('On the right axis: orders and AI visits.');
  await legend.getByRole('button', { name: 'Add a line' }).click();
  await expect.poll(async () => (await entries()).at(-1)).toMatch(/^A chart has at most 4 further lines\./);
  await page.keyboard.press('Escape');
  await switchLine('Bounce rate');
  await expect.poll(heads).toEqual(['Date', 'Unique visitors', 'Bounce rate', 'Visits']);
  expect(new URL(page.url()).searchParams.has('ai_visits')).toBe(false);
  expect(address()).toBe('metric_bounce_rate,-metric_revenue,metric_visits,-metric_orders');
  expect(dashboard.troubles).toEqual([]);
});

it('says that there is nothing only where no line has anything, and that AI visits are at the right only beside other lines', async () => {
  await using dashboard = await openWeek();
  const { page, server } = dashboard;
  const { heads, remarks, switchLine } = readLines(page);
  const nothing = page.getByText('No unique visitors in this period yet.');
  const before = 'period=custom&date_from=2026-11-22&date_to=2026-11-22&compare=none&numbers=table';
  await page.goto(`${server.url}/example.com?${before}`);
  await nothing.waitFor();
  await page.goto(`${server.url}/example.com?${before}&lines=metric_bounce_rate`);
  await expect.poll(heads).toEqual(['Time (your time zone)', 'Unique visitors', 'Bounce rate']);
  expect(await nothing.count()).toBe(0);

  await page.goto(`${server.url}/example.com?${WEEK}&ai_visits=shown`);
  await expect.poll(remarks).toBe('On the right axis: AI visits.');
  await switchLine('Unique visitors');
  await expect.poll(heads).toEqual(['Date', 'AI visits: OpenAI']);
  expect(await remarks()).toBe('');
  expect(dashboard.troubles).toEqual([]);
});

it('is there for readers of a share link, without money on a site that has none, and can be loaded again', async () => {
  await using dashboard = await openWeek({});
  const { page, server, site } = dashboard;
  const link = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link', shows: { fewest: 1 } },
    NOW,
  );
  const { legend, entries, heads, today, remarks, choose } = readLines(page);
  await page.goto(`${server.url}/share/${link.token}?${WEEK}&lines=metric_revenue,metric_nothing`);
  await expect.poll(heads).toEqual(['Date', 'Unique visitors']);
  await legend.getByRole('button', { name: 'Add a line' }).click();
  await expect
    .poll(entries)
    .toEqual(['Another metric', 'Visits', 'Page views', 'Bounce rate', 'Visit duration', 'Views per visit', 'Events']);
  await page.keyboard.press('Escape');

  await choose('Visit duration');
  await expect.poll(today).toEqual(['2', '1m 00s']);
  await holdSocket(page);
  const fails = ({ pathname, search }: URL) => pathname.startsWith('/trpc/') && search.includes('visit_duration');
  await page.route(fails, (route) => route.abort());
  await page.reload();
  await expect.poll(remarks).toMatch(/^Some lines could not be loaded\./);
  expect(await today()).toEqual(['2']);
  await page.unroute(fails);
  await legend.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(today).toEqual(['2', '1m 00s']);
  expect(dashboard.troubles).toEqual([]);
});
