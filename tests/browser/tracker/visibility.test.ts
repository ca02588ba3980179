// When a page is first visible: in background tabs, after prerendering, and back from the back-forward cache.
import { expect, test } from 'vitest';
import { openBrowser } from '../../setup/browser/chromium.ts';
import { openSite } from './site.ts';
import { openUnattended } from './undebugged-chromium.ts';

test('a page in a background tab counts when it is first visible, once, and earlier calls are sent after that', async () => {
  await using site = await openSite();
  await using chromium = await openUnattended();
  const stub = 'window.footfall=window.footfall||function(){(footfall.q=footfall.q||[]).push(arguments)}';
  const early = `<script>${stub};footfall('early')</script>`;
  const shown = `let times=0;document.onvisibilitychange=()=>document.hidden||fetch('/shown'+ ++times)`;
  const attributes = `onload="fetch('/ready')"`; // shows that the script has run although the page is hidden
  site.page('/background', `<script>${shown}</script>`, { head: early, attributes });
  const tab = await chromium.openTab(site.url('/background'), { background: true });
  await site.asked('/ready');
  const never = await chromium.openTab(site.url('/background?never'), { background: true });
  await site.asked('/background');
  expect(site.posts).toEqual([]);
  await chromium.showTab(tab);
  expect((await site.names(2)).sort()).toEqual(['early', 'pageview']);
  await chromium.closeTab(never);
  const other = await chromium.openTab('about:blank'); // hides it
  const [, , engagement] = await site.posted((posts) => posts.length === 3);
  expect(engagement?.event.name).toBe('engagement');
  await chromium.showTab(tab);
  await site.asked('/shown2');
  await chromium.showTab(other);
  const posts = await site.posted((all) => all.length === 4);
  expect(posts.slice(2).map(({ event }) => event.name)).toEqual(['engagement', 'engagement']);
  expect(posts.some(({ event }) => event.url.includes('never'))).toBe(false);
});

test('a prerendered page counts when it is shown, and not before', async () => {
  await using site = await openSite();
  await using chromium = await openUnattended();
  const rules = '{"prerender":[{"urls":["/next"],"eagerness":"immediate"}]}';
  site.hold('/go');
  site.page('/start', `<script>fetch('/go').then(() => location.assign('/next'))</script>`, {
    head: `<script type="speculationrules">${rules}</script>`,
  });
  site.page('/next', '', { attributes: `onload="fetch('/ready?prerendering='+document.prerendering)"` });
  await chromium.openTab(site.url('/start'));
  await site.asked('/ready?prerendering=true');
  await site.names(1);
  expect(site.posts.map(({ event }) => event.url)).toEqual([site.url('/start')]);
  site.held.get('/go')?.end();
  const posts = await site.posted((all) => all.some(({ event }) => event.url === site.url('/next')));
  const shown = posts.find(({ event }) => event.url === site.url('/next'));
  expect(shown?.event).toMatchObject({ name: 'pageview', referrer: site.url('/start') });
  expect(shown?.headers['sec-purpose']).toBeUndefined(); // the server would drop it as a preview
  expect(posts.filter(({ event }) => event.name === 'pageview')).toHaveLength(2);
});

test('a page that comes back from the back-forward cache counts again, and its absence is not engagement', async () => {
  await using site = await openSite();
  await using chromium = await openBrowser({ backForwardCache: true });
  site.page('/first', '<a href="/second">on</a>');
  site.page('/second');
  const page = await site.newPage(chromium);
  await page.goto(site.url('/first'));
  await page.evaluate(() =>
    addEventListener('pageshow', ({ persisted }) => void fetch(`/back?persisted=${persisted}`)),
  );
  await page.click('a');
  const seconds = () => site.posts.filter(({ event }) => event.url === site.url('/second'));
  await site.posted(() => seconds().length);
  await page.evaluate(() => history.back());
  await site.asked('/back?persisted=true');
  const names = () => site.posts.filter(({ event }) => event.name === 'pageview').map(({ event }) => event.url);
  await site.posted(() => names().length === 3);
  expect(names()).toEqual([site.url('/first'), site.url('/second'), site.url('/first')]);
  expect(new Set(site.posts.map(({ event }) => event.id)).size).toBe(site.posts.length);
  const posts = await site.postsUntilNow(page);
  const engagements = posts.filter(({ event }) => event.name === 'engagement').map(({ event }) => event.url);
  expect(engagements.filter((url) => url === site.url('/first'))).toHaveLength(1);
});
