/** @module-tag long */
// `foot.js?vitals` in Firefox, on pages with known delays. Firefox is large, so it is looked for rather than installed: without one, or in the short
// form, nothing is tried.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Measured } from '../../../tracker/vitals/measured.ts';
import { VITAL_NAMES } from '../../../server/vocabulary/numbers/vitals.ts';
import { type Firefox, firefoxPath, openFirefox } from '../../setup/browser/firefox.ts';
import { DELAYS, openLate, putScripts, REFERENCE, tagOf } from './delays.ts';
import { builtVitals } from './script.ts';
import { openSite, type Site } from './site.ts';

const path = process.env['HARNESS'] ? firefoxPath() : undefined;

describe.runIf(path)('a page in Firefox', () => {
  let firefox: Firefox;
  let script: string;
  beforeAll(async () => {
    [{ script }, firefox] = await Promise.all([builtVitals(), openFirefox(path ?? '')]);
  });
  afterAll(() => firefox[Symbol.asyncDispose]());

  /** Compares what was sent with what the library has seen, and returns it. Firefox tells of no layout shifts. */
  async function expectSame(site: Site): Promise<Measured | undefined> {
    const seen = await firefox.evaluate<Measured>('seen');
    await firefox.goto('about:blank');
    const [post] = await site.posted((all) => all.length === 1);
    const { vitals } = post?.event as unknown as { vitals?: Measured };
    for (const name of VITAL_NAMES) expect([name, vitals?.[name]]).toEqual([name, seen[name]]);
    expect(vitals).not.toHaveProperty('cls');
    return vitals;
  }
  /** The script listens once the browser is idle. */
  const idle = () =>
    firefox.evaluate('new Promise((resolve) => requestIdleCallback(() => setTimeout(() => resolve(true), 500)))');

  test.each(DELAYS)('has the values of the library with a delay of $where', async ({ held, says }) => {
    await using site = await openSite();
    await putScripts(site, script);
    await openLate(site, held, { go: (url) => firefox.goto(url), isDrawn: () => firefox.until('seen.lcp > 0') });
    await firefox.until(`seen.lcp > 0 && ${says}`);
    await idle();
    await expectSame(site);
  });

  test('has them with a slow handler', async () => {
    await using site = await openSite();
    await putScripts(site, script);
    const slow = 'const end = performance.now() + 120; while (performance.now() < end);';
    site.page('/', `<button onclick="${slow}">buy</button>`, { bare: true, head: REFERENCE + tagOf(site) });
    await firefox.goto(site.url('/'));
    await idle();
    await firefox.click('button');
    await firefox.until('seen.inp >= 120');
    await idle();
    expect(await expectSame(site)).toMatchObject({ inp_element: 'button null', navigation: 'navigate' });
  });
});
