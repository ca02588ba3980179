// `footfall/astro`: an integration that loads the script on every page.
import type { PageSettings } from '../module.ts';

/** What the integration needs of Astro, version 4 or later. */
type Setup = { injectScript: (stage: 'page', content: string) => void };
type Integration = { name: string; hooks: { 'astro:config:setup': (setup: Setup) => void } };

/** `integrations: [footfall({ site, source })]` in astro.config. The script itself counts navigations of `<ClientRouter />`. */
export default function footfall(settings: PageSettings): Integration {
  const content = `import { start } from 'footfall'; start(${JSON.stringify(settings)});`;
  return { name: 'footfall', hooks: { 'astro:config:setup': ({ injectScript }) => injectScript('page', content) } };
}
