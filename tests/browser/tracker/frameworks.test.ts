// `footfall/react`, `footfall/vue` and `footfall/svelte` of the package as it is built, each in an application that Vite bundles: one view,
// one event, and one more view after a navigation by script.
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { firstChunk } from './script.ts';
import { openSite } from './site.ts';

const root = new URL('../../..', import.meta.url).pathname;
/** Below the project, so that the frameworks are found as in a customer's project. */
const folder = join(root, 'node_modules/.cache/footfall-frameworks');

/** Each has a button that sends `signup`. `SETTINGS` stands for the settings. */
const APPS: Record<string, Record<string, string>> = {
  react: {
    'main.ts': `
      import { createElement as h, StrictMode } from 'react';
      import { createRoot } from 'react-dom/client';
      import { Footfall, useFootfall } from 'footfall/react';
      function Button() {
        const footfall = useFootfall();
        return h('button', { onClick: () => footfall('signup', { props: { plan: 'pro' } }) }, 'Sign up');
      }
      createRoot(document.querySelector('main')).render(h(StrictMode, null, h(Footfall, SETTINGS), h(Button)));`,
  },
  vue: {
    'main.ts': `
      import { createApp, h } from '@vue/runtime-dom';
      import { footfallPlugin, useFootfall } from 'footfall/vue';
      const Button = {
        setup() {
          const footfall = useFootfall();
          return () => h('button', { onClick: () => footfall('signup', { props: { plan: 'pro' } }) }, 'Sign up');
        },
      };
      createApp(Button).use(footfallPlugin, SETTINGS).mount('main');`,
  },
  svelte: {
    'Layout.svelte': `
      <script>
        import { useFootfall } from 'footfall/svelte';
        const footfall = useFootfall(SETTINGS);
      </script>
      <button onclick={() => footfall('signup', { props: { plan: 'pro' } })}>Sign up</button>`,
    'main.ts': `
      import { mount, unmount } from 'svelte';
      import Layout from './Layout.svelte';
      const target = document.querySelector('main');
      await unmount(mount(Layout, { target }));
      mount(Layout, { target });`,
  },
};

let chromium: OpenBrowser;
beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(join(root, 'build/package'), join(folder, 'node_modules/footfall'));
  chromium = await openBrowser();
});
afterAll(async () => {
  await chromium[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** In development, where React mounts each component twice. */
async function bundled(name: string, settings: string): Promise<string> {
  const place = join(folder, name);
  await mkdir(place);
  for (const [file, text] of Object.entries(APPS[name] ?? {}))
    await writeFile(join(place, file), text.replace('SETTINGS', settings));
  return firstChunk({
    configFile: false,
    root: place,
    logLevel: 'error', // these are builds for development on purpose
    publicDir: false,
    plugins: [svelte({ configFile: false })],
    define: { 'process.env.NODE_ENV': '"development"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
    build: { write: false, minify: false, rolldownOptions: { input: join(place, 'main.ts') } },
  });
}

test.each(Object.keys(APPS))('%s', async (name) => {
  await using site = await openSite();
  const settings = { site: 'site.test', source: `${site.origin('stats.test')}/foot.js`, off: ['engagement'] };
  site.text('/app.js', await bundled(name, JSON.stringify(settings)));
  site.page('/', '<main></main><script type="module" src="/app.js"></script>', { bare: true });
  const page = await site.newPage(chromium);
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(site.url('/'));
  await site.names(1);
  await page.click('button');
  await site.names(2);
  await page.evaluate(() => history.pushState(null, '', '/next'));
  await site.names(3);
  const posts = await site.postsUntilNow(page);
  expect(posts.map(({ event }) => [event.name, event.url, event.props])).toEqual([
    ['pageview', site.url('/'), {}],
    ['signup', site.url('/'), { plan: 'pro' }],
    ['pageview', site.url('/next'), {}],
  ]);
  expect(errors).toEqual([]);
});
