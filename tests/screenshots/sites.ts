// The server behind the screenshots: a busy site, an empty one, one whose names are hostile, those with a
// story, and one that sends and finds things, at a clock that stands still.
import { accountOfEmail } from '../../server/accounts/accounts.ts';
import { restoreWindows } from '../../server/live/restore.ts';
import { seedSite } from '../../server/operator/seed/demo.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { configureSite, createSite, touchLastEvents } from '../../server/sites/sites.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { addExports } from './exports.ts';
import { addOutgoing, OUTGOING_ENV } from './outgoing.ts';
import { addReached } from './reached.ts';
import { STORIES, writeStory } from './stories.ts';

/** A Wednesday afternoon: yesterday, the week and the month have data. */
export const NOW = Date.UTC(2026, 2, 18, 15, 42, 10);
/** Pictures show the server's address, so it is always the same. */
const PORT = 40404;
export const OWNER = { email: 'owner@example.com', password: PASSWORD };

/** Anybody can sign up and pay, though nobody takes the money. */
const SELLING_ENV = {
  SIGNUP: 'open',
  STRIPE_SECRET_KEY: 'sk_test_local',
  STRIPE_WEBHOOK_SECRET: 'whsec_local',
  STRIPE_PRICE_STARTER: 'price_starter',
  STRIPE_PRICE_PRO: 'price_pro',
};

const HOSTILE_PATHS = [
  '/<script>alert(1)</script>',
  `/${'very-long-word'.repeat(30)}`,
  '/%D7%A9%D7%9C%D7%95%D7%9D-%E2%80%AErtl',
  '/%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%E2%80%8D%F0%9F%91%A6-family',
  '/{{constructor.constructor("x")()}}',
  '/"onmouseover="x',
  "/';DROP TABLE events;--",
  '/Z%CC%A8%CC%80a%CC%9B%CC%B6lgo',
  '/a b\tc',
  '/',
];

/** A site after its first visits, of another account: others are not beside it in any list. */
const NEW_SITE = 'new.example';

export async function openSites() {
  const stack = new AsyncDisposableStack();
  const server = stack.use(
    await testApp({
      now: NOW,
      port: PORT,
      start: true,
      env: { FAVICONS: 'off', DEMO: 'on', DIRECTORY: 'on', ...OUTGOING_ENV, ...SELLING_ENV },
    }),
  );
  const { directory, windows, mail, config } = server.app.services;
  const { store } = server.app;
  const wish = { domain: 'demo.example', days: 120, visits: 240, account: OWNER.email, password: OWNER.password };
  const run = { now: NOW, onProgress: () => undefined, signal: new AbortController().signal };
  const { site_id } = await seedSite({ directory, store, windows, mail, config }, wish, run);
  const account = await accountOfEmail(directory, OWNER.email);
  // One after the other, since the list of sites is in this order.
  let createdAt = NOW - 1000;
  const addSite = (domain: string) => createSite(directory, { accountId: account?.id ?? '', domain }, (createdAt += 1));
  await addSite('empty.example');
  for (const [name, { domain, currency }] of Object.entries(STORIES)) {
    const { id: siteId } = await addSite(domain);
    if (currency) await configureSite(directory, { siteId, currency }, NOW);
    await writeStory(store, name, { siteId, now: NOW });
    for (const at of [0, NOW]) await touchLastEvents(directory, new Map([[siteId, at]]));
  }
  const writeReports = await addOutgoing(server, { email: OWNER.email, now: NOW });
  await addExports(server, { accountId: account?.id ?? '', now: NOW });
  await restoreWindows({ store, windows }, NOW);
  const hostile = await addSite('hostile.example');
  await touchLastEvents(directory, new Map([[hostile.id, 0]]));

  const site = { siteId: site_id as SiteId };
  const transparency = { shown: true, contact: 'privacy@demo.example', opt_out_page: '/privacy' };
  await configureSite(directory, { ...site, respects_gpc: true, settings: { transparency } }, NOW);
  const open = { name: 'Open numbers', public: true, indexed: true };
  await createShareLink(directory, { ...site, ...open, shows: { fewest: 1 } }, NOW);
  for (const [n, path] of HOSTILE_PATHS.entries()) {
    const url = `https://hostile.example${path}?utm_source=${encodeURIComponent(HOSTILE_PATHS.at(-n) ?? '')}`;
    for (let visitor = 0; visitor <= n; visitor += 1)
      await server.foot(
        { site: 'hostile.example', name: visitor % 2 ? `<b>${'x'.repeat(59)}</b>`.slice(0, 64) : 'pageview', url },
        { 'user-agent': `${CHROME} Edg/${n}.${visitor}` },
      );
  }
  await server.addSite(NEW_SITE);
  for (const path of ['/', '/', '/pricing', '/about'])
    await server.foot({ site: NEW_SITE, name: 'pageview', url: `https://${NEW_SITE}${path}` });
  await server.settle();
  await addReached(server, NOW);
  return {
    url: server.url,
    writeReports,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
