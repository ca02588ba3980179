// Icons before the rows: the browser gets all of them from the server, and a letter stands in where there is none.
import { expect, test } from 'vitest';
import { makeAiVisit } from '../../setup/event.ts';
import { eventually } from '../../setup/eventually.ts';
import { GREEN, pngOf } from '../../setup/browser/images.ts';
import { openInternet } from '../../setup/internet/internet.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('a source shows the icon of its host, a letter where there is none, and no other server is asked', async () => {
  await using internet = await openInternet(({ headers: { host } }, response) => {
    if (host === 'example.net') response.writeHead(404).end();
    else response.end(pngOf(64, 64, GREEN));
  });
  await using dashboard = await openDashboard({ network: internet.network, isBlank: true });
  const { page, server, site, view } = dashboard;
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== server.url && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  for (const [index, host] of ['blog.example.org', 'example.net'].entries())
    await view(
      '/',
      { referrer: `https://${host}/post` },
      `Mozilla/5.0 (Windows NT 10.0; rv:1${index}) Firefox/14${index}.0`,
    );
  const agent = { site_id: site.id, time: server.clock.now };
  await server.app.collector.record([makeAiVisit(agent)], server.clock.now);
  await server.settle();
  await page.goto(`${server.url}/example.com?sources=source&devices=os`);
  await ready(page, 'sources');

  /** What is shown in front of a row's name: the widths of its images, the letter, and whether an icon covers that. */
  const before = (row: string) =>
    page.$eval(`[data-panel="sources"] [data-row="${row}"]`, (item) => ({
      widths: [...item.querySelectorAll('img')].map((image) => image.naturalWidth),
      letter: item.querySelector('[data-letter]')?.getAttribute('data-letter'),
      isCovered: item.querySelector('[data-letter].shown') !== null,
      text: item.querySelector('.name')?.textContent.trim(),
    }));
  // The first time, the server asks the hosts. Their icons are shown from the next page load on.
  const isLoaded = (image: Element) => (image as HTMLImageElement).naturalWidth > 0;
  for (const place of ['header', '[data-row="blog.example.org"]', '[data-row="example.net"]'])
    await eventually(async () => expect(await page.$eval(`${place} [data-letter] img`, isLoaded)).toBe(true));
  await server.app.services.favicons.settled();
  await page.reload();
  await ready(page, 'sources');
  await eventually(async () =>
    expect(await before('blog.example.org')).toMatchObject({ widths: [32], isCovered: true }),
  );
  await eventually(async () => expect((await before('example.net')).widths).toEqual([1]));
  expect(await before('example.net')).toMatchObject({ letter: 'E', isCovered: false, text: 'example.net' });
  await eventually(async () => expect((await before('Google')).widths[0]).toBeGreaterThan(2));
  // The site's own icon, beside its name.
  await page.waitForSelector('header [data-letter="E"].shown');
  await page.waitForSelector('[data-panel="devices"] [data-row="Windows"] img');
  // Hosts of the site, AI agents and their providers have icons too.
  await page.getByRole('tab', { name: 'Hostnames' }).click();
  await page.waitForSelector('[data-panel="pages"] [data-row="example.com"] [data-letter="E"].shown');
  await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
  await page.waitForSelector('[data-providers] [data-row="OpenAI"] img');
  const letter = page.locator('[data-panel="ai_agents"] [data-row="GPTBot"] [data-letter="G"]');
  await letter.locator('img').waitFor({ state: 'attached' });
  expect(await letter.locator('img').getAttribute('src')).toMatch(/^\/icons\/chatgpt\.com\//);

  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
  expect(internet.requests.every(({ headers }) => headers.referer === undefined && headers.cookie === undefined)).toBe(
    true,
  );
});
