import adapter from '@sveltejs/adapter-static';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
  kit: {
    // One page for every address. server/http/static.ts serves it with a strict content security policy.
    adapter: adapter({ pages: 'build/app', assets: 'build/app', fallback: 'index.html', precompress: true }),
    files: { assets: 'static' },
    csp: { mode: 'hash', directives: { 'script-src': ['self'] } },
    output: { bundleStrategy: 'split' },
    version: { pollInterval: 0 },
  },
};
