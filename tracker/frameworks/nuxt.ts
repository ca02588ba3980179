// `footfall/nuxt`: a module that writes the script element into the head of every page, and imports `useFootfall` where it is used.
import { attributesOf } from '../attributes.ts';
import type { PageSettings } from '../module.ts';

type Import = { name: string; from: string };

/** What the module needs of Nuxt, version 3 or later. */
type Nuxt = {
  options: { app: { head: { script?: object[] } }; footfall?: Partial<PageSettings> };
  hook(name: 'imports:extend', change: (imports: Import[]) => void): void;
};

function install(inline: Partial<PageSettings>, nuxt: Nuxt): void {
  const { app, footfall } = nuxt.options;
  const { site, source, ...others } = { ...footfall, ...inline };
  if (!site || !source) throw new Error('footfall/nuxt needs `footfall: { site, source }` in nuxt.config.ts.');
  (app.head.script ??= []).push({ async: true, ...attributesOf({ site, source, ...others }), src: source });
  nuxt.hook('imports:extend', (imports) => void imports.push({ name: 'useFootfall', from: 'footfall/vue' }));
}

/** `modules: ['footfall/nuxt'], footfall: { site, source }` in nuxt.config.ts. The script itself counts navigations of the router. */
export default Object.assign(install, {
  getMeta: () => Promise.resolve({ name: 'footfall', configKey: 'footfall' } as const),
});
