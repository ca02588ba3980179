// The headline figure: its sentence names the change and its driver, and the figures beside it can be ordered.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { date } from '../../../server/vocabulary/numbers/format.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, startOfDay } from '../../../server/vocabulary/time/time.ts';
import { sampleEvent } from '../../setup/event.ts';
import { follow, holdSocket, openDashboard, ready } from '../../setup/browser/dashboard.ts';

/** Page views of as many visitors, some days ago. */
const visitorsOf =
  ({ server, site }: Awaited<ReturnType<typeof openDashboard>>) =>
  (count: number, daysAgo: number, source: string) =>
    Array.from({ length: count }, (_, number) => {
      const time = server.clock.now - daysAgo * DAY_MS - HOUR_MS;
      return sampleEvent(daysAgo * 1000 + source.length * 100 + number, { site_id: site.id, time, source });
    });

it('says what moved and why, filters by the reason, and lets the reader order the other figures', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server } = dashboard;
  const { now } = server.clock;
  const visitors = visitorsOf(dashboard);
  const events = [...visitors(10, 9, 'Google'), ...visitors(10, 9, 'Bing')];
  await server.app.collector.record([...events, ...visitors(10, 2, 'Google'), ...visitors(4, 2, 'Bing')], now);
  await server.settle();

  // How many parts of the page still wait when the reason is asked for. What fills the room of short lists comes after it.
  await page.addInitScript(() => {
    const send = window.fetch.bind(window);
    window.fetch = (input, init) => {
      const waiting = document.querySelectorAll(
        '.chapter > .panel[data-state="loading"], .stale:not([data-room])',
      ).length;
      if (String(input instanceof Request ? input.url : input).includes('stats.driver'))
        Object.assign(window, { waiting });
      return send(input, init);
    };
  });
  await holdSocket(page); // what is announced is asked for again, in any order
  await page.goto(`${server.url}/example.com?period=7d`);
  const sentence = page.locator('[data-sentence]');
  await page.waitForSelector('[data-driver="source"]');
  const read = async () => (await sentence.innerText()).replace(/\s+/g, ' ').trim();
  expect(await read()).toBe('in the last 7 days, 30% fewer than the 7 days before; mostly fewer from Bing');

  await page.waitForSelector('[data-panel="ai"]:not([data-state="loading"])'); // it asks a moment after the others
  await page.click('[data-driver]');
  const bing = page.locator('[data-mover="source"]').getByRole('button', { name: 'Bing' });
  await bing.waitFor();
  const asked: string[][] = [];
  page.on('request', (request) => {
    const [, names = ''] = /\/trpc\/(stats\.[^?]*)/.exec(request.url()) ?? [];
    if (names) asked.push(names.split(','));
  });
  await bing.click();
  await page.waitForURL(/f=|Bing/);
  await page.waitForSelector('[data-metric="visits"][data-value="4"]');
  await expect.poll(read).toBe('in the last 7 days, 60% fewer than the 7 days before');
  // The figures are asked for first, and the reason of the change once every part is there.
  await expect.poll(() => asked.flat()).toContain('stats.driver');
  expect(asked[0]?.[0]).toBe('stats.summary');
  expect(asked[0]).not.toContain('stats.driver');
  expect(await page.evaluate(() => (window as unknown as { waiting: number }).waiting)).toBe(0);

  // Averages have no driver, and without a comparison there is nothing to say.
  await page.click('[data-metric="bounce_rate"]');
  await expect.poll(read).toBe('in the last 7 days, the same as the 7 days before');
  await page.keyboard.press('x');
  await expect.poll(read).toBe('in the last 7 days');

  const names = () =>
    page.$$eval('.tiles [data-metric]', (tiles) => tiles.map((tile) => tile.getAttribute('data-metric')));
  expect(await names()).toEqual([
    'unique_visitors',
    'visits',
    'pageviews',
    'bounce_rate',
    'visit_duration',
    'views_per_visit',
  ]);
  await page.getByRole('button', { name: 'More figures' }).click();
  await page.getByRole('button', { name: 'Choose and order…' }).click();
  await page.getByRole('button', { name: 'Move Visits up' }).click();
  await expect.poll(async () => (await names())[0]).toBe('visits');
  await page.reload();
  await ready(page, 'pages');
  expect((await names()).slice(0, 2)).toEqual(['visits', 'unique_visitors']);
  await page.getByRole('button', { name: 'Choose and order…' }).click();
  await page.getByRole('button', { name: 'Usual order' }).click();
  await expect.poll(async () => (await names())[0]).toBe('unique_visitors');
  expect(dashboard.troubles).toEqual([]);
});

/** The sentence, the shortened names in it and the clipped boxes around it that show less than they hold. */
const cutOff = (page: Page) =>
  page.$eval('[data-sentence]', (sentence) => {
    const around: Element[] = [];
    for (let box: Element | null = sentence; box?.matches('.card *'); box = box.parentElement) around.push(box);
    const outer = around.at(-1)?.getBoundingClientRect();
    const { top, bottom, right } = sentence.getBoundingClientRect();
    const isOutside = !outer || top < outer.top || bottom > outer.bottom || right > outer.right;
    const isCut = (box: Element) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    const clipped = around.filter((box) => box === sentence || getComputedStyle(box).overflow !== 'visible');
    return [...clipped, ...sentence.querySelectorAll('.truncate')]
      .flatMap((box) => (isCut(box) ? box.className : []))
      .concat(isOutside ? 'outside its box' : []);
  });

it('shows the whole sentence at every width, and of a segment’s long name what fits', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { now } = server.clock;
  const visitors = visitorsOf(dashboard);
  const source = 'news.ycombinator.com';
  const events = [...visitors(20, 465, source), ...visitors(10, 465, 'Bing'), ...visitors(12, 100, 'Bing')];
  await server.app.collector.record([...events, ...visitors(6, 100, source)], now);
  const name = 'Readers of the newsletter who came back within a month and read the prices';
  const filters = [{ dimension: 'source' as const, operator: 'is' as const, values: [source] }];
  const segment = await createSegment(
    server.app.services.directory,
    { siteId: site.id, owner: null, name, filters },
    now,
  );
  await server.settle();
  await holdSocket(page);

  const sentence = page.locator('[data-sentence]');
  const read = async () => (await sentence.textContent())?.replace(/\s+/g, ' ').trim();
  const found: Record<string, string[]> = {};
  await page.goto(`${server.url}/example.com?period=12mo&compare=year`);
  await page.waitForSelector('[data-driver]');
  expect(await read()).toBe(
    `in the last 12 months, 40% fewer than the same period last year; mostly fewer from ${source}`,
  );
  for (const width of [1280, 1024, 900, 768, 700, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    found[width] = await cutOff(page);
  }
  await page.goto(`${server.url}/example.com?period=12mo&compare=${segment.id}`);
  await page.waitForSelector('[data-driver]');
  expect(await read()).toBe(`in the last 12 months, 200% more than “${name}”; mostly more from Bing`);
  expect(await sentence.getByTitle(name).count()).toBe(1);
  for (const width of [1280, 1024, 900, 768, 700, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    found[`${width}, against a segment`] = (await cutOff(page)).filter((part) => !part.startsWith('truncate'));
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((at) => [at, []])));
  expect(dashboard.troubles).toEqual([]);
});

it('says when nothing came, and when most of a change came, in the hours of the chart', async () => {
  await using dashboard = await openDashboard({ traffic: false, timezone: 'Asia/Kolkata', isBlank: true });
  const { page, server, site } = dashboard;
  const { now } = server.clock;
  const hours = [2, 2, 2, 3, 4, 7, 11, 15, 18, 20, 20, 19, 18, 20, 20, 18, 16, 15, 13, 11, 9, 7, 5, 3];
  const dayAgo = (days: number) => startOfDay(now) - days * DAY_MS;
  /** A usual day, without the visitors of some hours. */
  const day = (daysAgo: number, [from, to]: [number, number] = [0, 0]) =>
    hours.flatMap((count, hour) =>
      Array.from({ length: hour >= from && hour < to ? 0 : count }, (_, number) => {
        const time = dayAgo(daysAgo) + hour * HOUR_MS + number * MINUTE_MS;
        return sampleEvent(daysAgo * 1000 + hour * 30 + number, { site_id: site.id, time });
      }),
    );
  await server.app.collector.record([...day(8), ...day(7, [10, 13]), ...day(6), ...day(5), ...day(4, [21, 24])], now);
  await server.settle();
  await holdSocket(page);

  const sentence = page.locator('[data-sentence]');
  const read = async () => (await sentence.textContent())?.replace(/\s+/g, ' ').trim();
  const addressOf = (from: number, to = from) =>
    `${server.url}/example.com?period=custom&date_from=${dayOf(dayAgo(from))}&date_to=${dayOf(dayAgo(to))}`;
  const show = async (address: string) => {
    await follow(page, address);
    await page.waitForSelector('[data-panel="ai"]:not([data-state="loading"])');
  };
  const on = (daysAgo: number) => date(dayAgo(daysAgo));

  // 10 to 13 o'clock in UTC. The chart has the reader's hours, and so has the sentence.
  await page.goto(addressOf(7)); // without its socket
  await expect.poll(read).toBe(`on ${on(7)}, 21% fewer than the day before; no visitors from 15:30 to 18:30`);
  expect(await page.locator('[data-driver]').count()).toBe(0);
  const row = page.locator('.sr-only tbody tr', { hasText: '15:30–16:30' });
  expect(await row.locator('td').allTextContents()).toEqual(['0', '20']);
  for (const width of [1280, 1024, 900, 768, 700, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await cutOff(page), String(width)).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await show(addressOf(6));
  await expect.poll(read).toBe(`on ${on(6)}, 26% more than the day before; mostly more from 15:30 to 17:30`);
  await show(addressOf(5));
  await expect.poll(read).toBe(`on ${on(5)}, the same as the day before`);
  // Whether it went on the next day is not part of the period.
  await show(addressOf(4));
  await expect.poll(read).toBe(`on ${on(4)}, 5.4% fewer than the day before; no visitors from 02:30 on`);

  // Hours of several days have their day.
  await show(`${addressOf(6, 5)}&interval=hour`);
  const day5 = on(5).replace(/ \d+$/, '');
  await expect
    .poll(read)
    .toBe(`in this period, 11% more than the period before; mostly more on ${day5} from 15:30 to 17:30`);
  await page.keyboard.press('x');
  await expect.poll(read).toBe('in this period');
  expect(dashboard.troubles).toEqual([]);
});
