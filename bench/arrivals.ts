// Shared by the benchmarks of live numbers: a browser that is logged in, and page views of new visitors at a steady rate.
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../tests/setup/browser/chromium.ts';
import { CHROME } from '../tests/setup/browser/user-agent.ts';
import { OWNER } from './server.ts';

const TICK_MS = 20;
/** The first bytes of addresses in different countries. */
const NETWORKS = [41, 78, 81, 88, 101, 126, 177, 189, 201, 212];

export async function openOwner(url: string, owner = OWNER): Promise<{ browser: Browser; page: Page }> {
  const { browser } = await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${url}/login`);
  await page.fill('[name=email]', owner.email);
  await page.fill('[name=password]', owner.password);
  await page.click('button[type=submit]');
  await page.waitForURL((now) => !now.pathname.startsWith('/login'));
  return { browser, page };
}

let sent = 0;

/** Each event has a new visitor. Resolves to the times at which the events were accepted. */
export async function sendArrivals(
  to: { url: string; domain: string },
  rate: number,
  seconds: number,
): Promise<number[]> {
  const acceptedAt: number[] = [];
  const send = async (number: number) => {
    const network = NETWORKS[number % NETWORKS.length];
    const answer = await fetch(`${to.url}/foot`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain',
        'user-agent': CHROME,
        'x-forwarded-for': `${network}.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
      },
      body: JSON.stringify({
        site: to.domain,
        name: 'pageview',
        url: `https://${to.domain}/p/${number % 50}`,
        width: 1200,
      }),
    });
    if (answer.status === 202) acceptedAt.push(Date.now());
  };
  const startedAt = Date.now();
  const sending: Promise<void>[] = [];
  let own = 0;
  while (Date.now() - startedAt < seconds * 1000) {
    const due = ((Date.now() - startedAt) / 1000) * rate;
    while (own < due) {
      own += 1;
      sending.push(send((sent += 1)));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(sending);
  return acceptedAt;
}
