/** @module-tag long */
// The pieces of a shared dashboard in Firefox and WebKit, within pages of another website.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createShareLink, revokeShareLink } from '../../../server/sites/sharing/share.ts';
import { heightOfPiece } from '../../../server/vocabulary/settings/pieces.ts';
import { codeFor } from '../../../src/lib/settings/sharing/piece-code.ts';
import { testApp, type TestApp } from '../../setup/app.ts';
import type { OtherBrowser } from '../../setup/browser/other-browser.ts';
import { OTHERS } from '../../setup/browser/others.ts';
import { openWebsite } from './website.ts';

const PERIOD = 'today' as const;
const ASKED = [
  { piece: 'figure', metric: 'pageviews', period: PERIOD },
  { piece: 'list', rows: 3, period: PERIOD, dimension: 'page' },
  { piece: 'live' },
] as const;
const TOTAL = 'document.querySelector(".total b")?.innerText';
const ROWS = 'document.querySelectorAll("li").length';

describe.each(OTHERS)('in $name', ({ path, open }) => {
  describe.runIf(path)('a page of another website', () => {
    let browser: OtherBrowser;
    let server: TestApp;
    beforeAll(async () => {
      [browser, server] = await Promise.all([open(path ?? ''), testApp({ now: Date.now(), start: true })]);
    });
    afterAll(async () => {
      await browser[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    test.each([
      ['without a policy', () => ''],
      ['with a strict one', (url: string) => `default-src 'none'; script-src ${url}; frame-src ${url}`],
    ])('%s shows live pieces in its theme, until their link ends', async (_, policy) => {
      await using website = await openWebsite(() => policy(server.url));
      const site = await server.newSite();
      const view = (page: string) =>
        server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}${page}` });
      await view('/');
      await view('/pricing');
      await server.settle();
      const { directory } = server.app.services;
      const shows = { fewest: 1, embedded_on: [website.host] };
      const { token, id: linkId } = await createShareLink(
        directory,
        { siteId: site.id, name: 'blog', shows },
        server.clock.now,
      );
      const address = `${server.url}/share/${token}`;
      const codes = ASKED.map((asked) => codeFor('html', { address, asked, theme: 'auto', steps: 2 }));
      website.pages['/blog'] = codes.join('\n').replaceAll(' loading="lazy"', '');
      await browser.goto(`${website.origin}/blog`);
      const [figure, list, live] = ASKED.map((_, number) => browser.within(number));

      await figure?.until(`${TOTAL} === '2'`);
      await live?.until(`${TOTAL} === '1'`);
      await list?.until(`${ROWS} === 2`);
      const isHigh = (px: number) => `Math.abs(document.querySelectorAll('iframe')[1].offsetHeight - ${px}) <= 1`; // Firefox rounds down
      const whole = heightOfPiece(ASKED[1], 2);
      await browser.until(isHigh(whole - 34)); // a row less than room was left for
      for (const piece of [figure, list, live])
        await piece?.until(`document.documentElement.dataset.theme === 'light'`);
      await browser.evaluate(`void (document.body.style.background = '#123')`);
      for (const piece of [figure, list, live]) await piece?.until(`document.documentElement.dataset.theme === 'dark'`);

      await view('/features');
      await figure?.until(`${TOTAL} === '3'`);
      await list?.until(`${ROWS} === 3`);
      await browser.until(isHigh(whole));
      expect(await figure?.evaluate('document.cookie')).toBe('');

      await revokeShareLink(directory, { siteId: site.id, linkId }, server.clock.now);
      for (const piece of [figure, list, live])
        await piece?.until(`document.body.innerText.includes('There is no such shared dashboard.')`);
    });

    test('shows no link that does not name it', async () => {
      await using website = await openWebsite();
      const site = await server.newSite();
      const frames = ['blog.example', website.host].map(async (host) => {
        const asked = { siteId: site.id, name: host, shows: { embedded_on: [host] } };
        const { token } = await createShareLink(server.app.services.directory, asked, server.clock.now);
        return `<iframe src="${server.url}/share/${token}?piece=live"></iframe>`;
      });
      website.pages['/blog'] = (await Promise.all(frames)).join('');
      await browser.goto(`${website.origin}/blog`).catch(() => undefined); // Firefox fails if a frame does
      const [closed, open] = [browser.within(0), browser.within(1)];
      await open.until(`${TOTAL} !== undefined`);
      expect(await closed.evaluate(`${TOTAL} ?? ''`).catch(() => '')).toBe('');
    });
  });
});
