/** @module-tag attack */
// Stored scripts that try to run in the owner's browser, in everything that a visitor, a server or a member may name.
import { expect, test } from 'vitest';
import { createKey } from '../../../server/accounts/keys.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { showsRefused } from '../../setup/run/harness.ts';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

const RUN = 'window.ran=(window.ran||0)+1';
const SCRIPTS = [
  `<script>${RUN}</script>`,
  `"><script>${RUN}</script>`,
  `'><script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><img src=x onerror=${RUN}>`,
  `<svg onload="${RUN}">`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>">`,
  `<iframe src="javascript:parent.${RUN}">`,
  `<body onload="${RUN}">`,
  `<details open ontoggle="${RUN}">`,
  `<video><source onerror="${RUN}">`,
  `<audio src=x onerror="${RUN}">`,
  `<input autofocus onfocus="${RUN}">`,
  `<select autofocus onfocus="${RUN}">`,
  `<marquee onstart="${RUN}">`,
  `<object data="javascript:${RUN}">`,
  `<embed src="javascript:${RUN}">`,
  `<a href="javascript:${RUN}">x</a>`,
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}//`,
  `data:text/html,<script>${RUN}</script>`,
  `" onmouseover="${RUN}" x="`,
  `' onmouseover='${RUN}' x='`,
  '` onmouseover=`' + RUN + '` x=`',
  `" autofocus onfocus="${RUN}" x="`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `{@html '<img src=x onerror=${RUN}>'}`,
  `<style>@import 'javascript:${RUN}';</style>`,
  `<link rel=stylesheet href="javascript:${RUN}">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<math><mtext><img src=x onerror="${RUN}"></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `\u2028<script>${RUN}</script>\u2029`,
];
const FIELDS = [
  'page',
  'referrer',
  'source',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'hostname',
  'channel',
  'language',
  'region',
  'city',
  'browser',
  'os',
  'screen',
  'name',
  'props',
] as const;

test('no script that is stored in any field runs, wherever the dashboard shows it', async () => {
  expect([SCRIPTS.length, FIELDS.length]).toEqual([40, 18]);
  showsRefused('stored scripts', SCRIPTS.length * FIELDS.length);
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { server, site, page } = dashboard;
  const { now } = server.clock;
  const texts = Object.fromEntries(
    FIELDS.filter((field) => field !== 'name' && field !== 'props').map((field) => [field, '']),
  );
  await server.app.collector.record(
    SCRIPTS.flatMap((text, index) => {
      const everywhere = Object.fromEntries(Object.keys(texts).map((field) => [field, text]));
      const common = { ...everywhere, site_id: site.id, visitor: `s${index}`, time: now - 1000 + index };
      return [
        makeEvent(common),
        makeEvent({ ...common, name: text.slice(0, 64), props: { [text.slice(0, 64)]: text, kind: text } }),
      ];
    }),
    now,
  );
  await server.settle();
  const { directory } = server.app.services;
  for (const text of SCRIPTS.slice(0, 5)) {
    await createKey(directory, { accountId: site.account_id, name: text }, now);
    await createShareLink(directory, { siteId: site.id, name: text }, now);
  }

  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const ran = () => page.evaluate(() => (window as { ran?: number }).ran ?? 0);
  await page.goto(`${server.url}/example.com?period=today`);
  await ready(page, 'pages');
  // Panels that are loaded meanwhile add theirs.
  const tabs = page.locator('[data-panel] [role=tab]');
  for (let index = 0; index < (await tabs.count()); index += 1) {
    await tabs.nth(index).click();
    await page.waitForLoadState('networkidle');
    expect(await ran()).toBe(0);
  }
  for (const row of await page.$$('[data-row]')) await row.hover({ force: true, timeout: 2000 }).catch(() => undefined);
  expect(await ran()).toBe(0);
  for (const address of [
    '/example.com/live',
    '/example.com/settings',
    '/example.com/settings/goals',
    '/settings',
    '/settings/keys',
    '/',
  ]) {
    await page.goto(server.url + address);
    await page.waitForLoadState('networkidle');
    expect([address, await ran()]).toEqual([address, 0]);
  }
  expect([dialogs, dashboard.troubles]).toEqual([[], []]);
});
