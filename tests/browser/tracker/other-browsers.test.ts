/** @module-tag long */
// `foot.js?vitals` in Firefox and WebKit, on pages with known delays: each tells of some of the vitals only.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Measured } from '../../../tracker/vitals/measured.ts';
import { VITAL_NAMES } from '../../../server/vocabulary/numbers/vitals.ts';
import type { OtherBrowser } from '../../setup/browser/other-browser.ts';
import { OTHERS } from '../../setup/browser/others.ts';
import { DELAYS, openLate, putScripts, REFERENCE, tagOf } from './delays.ts';
import { builtVitals } from './script.ts';
import { openSite, type Site } from './site.ts';

describe.each(OTHERS)('in $name', ({ path, open }) => {
  describe.runIf(path)('a page', () => {
    let browser: OtherBrowser;
    let script: string;
    let told: readonly string[];
    beforeAll(async () => {
      [{ script }, browser] = await Promise.all([builtVitals(), open(path ?? '')]);
      told = await browser.evaluate('PerformanceObserver.supportedEntryTypes');
      expect(told).not.toContain('layout-shift');
    });
    afterAll(() => browser[Symbol.asyncDispose]());

    /** Compares what was sent with what the library has seen, and returns it. */
    async function expectSame(site: Site): Promise<Measured | undefined> {
      const seen = await browser.evaluate<Measured>('seen');
      await browser.goto('about:blank');
      const [post] = await site.posted((all) => all.length === 1);
      const { vitals } = post?.event as unknown as { vitals?: Measured };
      for (const name of VITAL_NAMES) expect([name, vitals?.[name]]).toEqual([name, seen[name]]);
      expect(vitals).not.toHaveProperty('cls');
      return vitals;
    }
    /** The script listens once the browser is idle. */
    const idle = () =>
      browser.evaluate(
        'new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(() => setTimeout(() => resolve(true), 500)))',
      );

    test.each(DELAYS)('has the values of the library with a delay of $where', async ({ held, says, ofLargest }) => {
      await using site = await openSite();
      await putScripts(site, script);
      await openLate(site, held, { go: (url) => browser.goto(url), isDrawn: () => browser.until('seen.fcp > 0') });
      await browser.until(says);
      if (told.includes('largest-contentful-paint')) await browser.until(ofLargest);
      await idle();
      const vitals = await expectSame(site);
      expect(vitals).toHaveProperty('fcp');
      expect(vitals?.lcp !== undefined).toBe(told.includes('largest-contentful-paint'));
    });

    test('has them with a slow handler', async () => {
      await using site = await openSite();
      await putScripts(site, script);
      const slow = 'const end = performance.now() + 120; while (performance.now() < end);';
      site.page('/', `<button onclick="${slow}">buy</button>`, { bare: true, head: REFERENCE + tagOf(site) });
      await browser.goto(site.url('/'));
      await idle();
      await browser.click('button');
      const tells = told.includes('event');
      if (tells) await browser.until('seen.inp >= 120');
      await idle();
      const vitals = await expectSame(site);
      expect(vitals).toMatchObject({ navigation: 'navigate', ...(tells && { inp_element: 'button null' }) });
      expect(vitals?.inp !== undefined).toBe(tells);
    });
  });
});
