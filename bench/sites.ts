// Measures the page that lists the sites of an account in Chromium: until the first numbers are on the screen, its DOM nodes, what it asked
// the server, and how long a scroll to the end takes. The directory has this many sites, and each of the last 500 has one visitor.
// node bench/sites.ts [sites] [loads]
import { createAccount } from '../server/accounts/accounts.ts';
import { DIRECTORY_FILE, openDirectory } from '../server/directory/open.ts';
import { createSite } from '../server/sites/sites.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { CHROME } from '../tests/setup/browser/user-agent.ts';
import { openOwner } from './arrivals.ts';
import { OWNER, print, startServer, usageOf } from './server.ts';

const [count = 5000, loads = 3] = process.argv.slice(2).map(Number);
const VISITED = 500;
const domainOf = (number: number) => `site-${number}.example.com`;

await using folder = await tempFolder();
const directory = await openDirectory({ path: `${folder.path}/${DIRECTORY_FILE}` });
const now = Date.now();
const { account } = await createAccount(directory, { ...OWNER, status: 'active' }, now);
for (let number = 0; number < count; number += 1)
  await createSite(directory, { accountId: account.id, domain: domainOf(number) }, now + number);
await directory.close();

const server = await startServer(folder.path);
for (let number = Math.max(0, count - VISITED); number < count; number += 1)
  await fetch(`${server.url}/foot`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain',
      'user-agent': CHROME,
      'x-forwarded-for': `31.7.${number >> 8}.${number & 255}`,
    },
    body: JSON.stringify({ site: domainOf(number), name: 'pageview', url: `https://${domainOf(number)}/` }),
  });

const { browser, page } = await openOwner(server.url);
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable');
let [requests, bytes] = [0, 0];
await devtools.send('Network.enable');
devtools.on('Network.requestWillBeSent', () => (requests += 1));
devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));

const NUMBERS = 'main li svg[role="img"]';
await page.addInitScript((selector) => {
  const look = () => {
    if (!document.querySelector(selector)) return requestAnimationFrame(look);
    Object.assign(globalThis, { shownAt: performance.now() });
  };
  requestAnimationFrame(look);
}, NUMBERS);
for (let load = 1; load <= loads; load += 1) {
  [requests, bytes] = [0, 0];
  const before = await usageOf(server.pid);
  await page.goto(server.url);
  await page.waitForSelector(NUMBERS);
  const shownMs = await page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
  await page.waitForLoadState('networkidle');
  const after = await usageOf(server.pid);
  const asked = { requests, kb: Math.round(bytes / 1000) };

  const endAt = performance.now();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForSelector(`[data-site="${domainOf(count - 1)}"] svg[role="img"]`);
  const endMs = performance.now() - endAt;
  const { metrics } = await devtools.send('Performance.getMetrics');
  print({
    load,
    sites: count,
    shown_ms: Math.round(shownMs),
    nodes: await page.evaluate(() => document.querySelectorAll('*').length),
    nodes_with_text: metrics.find(({ name }) => name === 'Nodes')?.value,
    end_ms: Math.round(endMs),
    ...asked,
    server_cpu_ms: Math.round((after.cpuSeconds - before.cpuSeconds) * 1000),
  });
}
await browser.close();
await server.stop();
