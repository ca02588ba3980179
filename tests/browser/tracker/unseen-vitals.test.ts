// `foot.js?vitals` in pages that are not on the screen from the start, or only part of it: prerendered, in background tabs, in frames. `web-vitals`
// on the same page is the reference. The page itself tells what the library saw, since no debugger may be on it.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VITAL_NAMES } from '../../../server/vocabulary/numbers/vitals.ts';
import type { Measured } from '../../../tracker/vitals/measured.ts';
import { openBrowser } from '../../setup/browser/chromium.ts';
import { putScripts, REFERENCE, tagOf } from './delays.ts';
import { builtVitals } from './script.ts';
import { openSite, type Site } from './site.ts';
import { openUnattended } from './undebugged-chromium.ts';

let script: string;
let site: Site;
beforeAll(async () => {
  ({ script } = await builtVitals());
});
beforeEach(async () => {
  site = await openSite();
  await putScripts(site, script);
  return () => site[Symbol.asyncDispose]();
});

/** The values of the library, and instants of the browser's clock, which starts when the page is asked for. */
type Told = { page: string; seen: Measured; activatedAt: number; answeredAt: number; drawnAt?: number };

/**
 * A page asks for `/idle/PATH` once the script listens, for `/shown/PATH` once it has been drawn after it became visible, and tells what the library
 * saw when library and script have heard that it is hidden.
 */
const TELLING = `<script>
  const say = (what) => fetch(what + location.pathname);
  addEventListener('load', () => requestIdleCallback(() => setTimeout(() => say('/idle'), 60)));
  const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => say('/shown'), 200)));
  document.addEventListener('prerenderingchange', drawn);
  addEventListener('visibilitychange', () => {
    if (!document.hidden) return document.prerendering || drawn();
    const [{ activationStart: activatedAt, responseStart: answeredAt }] = performance.getEntriesByType('navigation');
    const drawnAt = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
    navigator.sendBeacon('/told', JSON.stringify({ page: location.href, seen, activatedAt, answeredAt, drawnAt }));
  });
</script>`;

const tellingPage = (path: string, body = '<h1>Hello</h1>', tag = tagOf(site)) =>
  site.page(path, body, { bare: true, head: REFERENCE + tag + TELLING });

/** Expects one message, of this page and with what the library saw there, once this many pages have told it. */
async function expectSame(url: string, pages = 1): Promise<Told & { vitals: Measured }> {
  const posts = await site.posted((all) => all.length === pages + 1);
  const told = posts.map(({ event }) => event as unknown as Told).find(({ page }) => page === url);
  const sent = posts.map(({ event }) => event).filter(({ name }) => name === 'vitals');
  expect(sent.map((event) => event.url)).toEqual([url]);
  const { vitals } = sent[0] as unknown as { vitals: Measured };
  for (const name of VITAL_NAMES) expect([name, vitals[name]]).toEqual([name, told?.seen[name]]);
  return { ...(told as Told), vitals };
}

test('a prerendered page has times from when it was shown, and one that is never shown sends nothing', async () => {
  await using chromium = await openUnattended();
  const rules = '{"prerender":[{"urls":["/next","/never"],"eagerness":"immediate"}]}';
  site.hold('/go');
  const go = `<script>fetch('/go').then(() => location.assign('/next'))</script>`;
  site.page('/start', go, { bare: true, head: `<script type="speculationrules">${rules}</script>` });
  tellingPage('/next');
  tellingPage('/never');
  await chromium.openTab(site.url('/start'));
  await Promise.all([site.asked('/idle/next'), site.asked('/idle/never')]);
  expect(site.posts).toEqual([]);
  site.release('/go');
  await site.asked('/shown/next');
  await chromium.openTab('about:blank'); // hides it
  const { vitals, activatedAt, answeredAt, drawnAt = 0 } = await expectSame(site.url('/next'));
  expect(answeredAt).toBeGreaterThan(0);
  expect(activatedAt).toBeGreaterThan(answeredAt);
  expect(drawnAt).toBeGreaterThan(activatedAt);
  const shownAfter = drawnAt - activatedAt;
  expect(vitals).toMatchObject({ navigation: 'prerender', ttfb: 0, fcp: shownAfter, lcp: shownAfter, cls: 0 });
  expect(vitals.lcp_element).toBe('h1 null');
});

test('a page that was opened in the background has no times of drawing, and one that is never shown sends nothing', async () => {
  await using chromium = await openUnattended();
  tellingPage('/later');
  tellingPage('/never');
  const tab = await chromium.openTab(site.url('/later'), { background: true });
  const never = await chromium.openTab(site.url('/never'), { background: true });
  await Promise.all([site.asked('/idle/later'), site.asked('/idle/never')]);
  expect(site.posts).toEqual([]);
  await chromium.closeTab(never);
  await chromium.showTab(tab);
  await site.asked('/shown/later');
  await chromium.openTab('about:blank');
  const { vitals, answeredAt, drawnAt } = await expectSame(site.url('/later'));
  expect(drawnAt).toBeGreaterThan(0); // a time that tells of the person, not of the page
  expect(vitals).toEqual({ navigation: 'navigate', connection: '4g', ttfb: answeredAt });
});

describe('a page in a frame', () => {
  const MOVING = `<button onclick="const end = performance.now() + 120; while (performance.now() < end);">buy</button>
    <script>setTimeout(() => document.body.prepend(Object.assign(document.createElement('p'), { style: 'height: 300px' })), 50)</script>`;

  test.each([
    ['of another site is measured, and has nothing of that page', 'other.test', '/framed'],
    ['of the same site is part of that page, which has nothing of the frame', 'site.test', '/around'],
  ])('of a page %s', async (_, host, measured) => {
    await using chromium = await openBrowser();
    const frame = `<iframe src="${site.url('/framed')}"></iframe>`;
    const still = '<h1>Hello</h1>';
    tellingPage('/around', (measured === '/around' ? still : MOVING) + frame, host === 'site.test' ? tagOf(site) : '');
    tellingPage('/framed', measured === '/framed' ? still : MOVING);
    const page = await site.newPage(chromium);
    await page.goto(`${site.origin(host)}/around`);
    const moving = page.frames().find((one) => !one.url().endsWith(measured));
    await moving?.waitForFunction('seen.cls > 0');
    await moving?.click('button');
    await moving?.waitForFunction('seen.inp >= 120');
    await Promise.all([site.asked('/idle/around'), site.asked('/idle/framed')]);
    await page.goto('about:blank');
    const { vitals } = await expectSame(site.url(measured), 2);
    expect(vitals).toMatchObject({ cls: 0, lcp_element: 'h1 null' });
    expect(vitals).not.toHaveProperty('inp');
  });
});
