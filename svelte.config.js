import adapter from '@sveltejs/adapter-static';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { hashOfSources } from './sources.mjs';

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
  kit: {
    // One page for every address. server/process/http/static.ts serves it with a strict content security policy.
    adapter: adapter({ pages: 'build/app', assets: 'build/app', fallback: 'index.html' }),
    files: { assets: 'static' },
    output: { bundleStrategy: 'split' },
    // The same on every host that builds the same sources: an open dashboard reloads when its server runs another version.
    version: { name: hashOfSources().slice(0, 16), pollInterval: 0 },
  },
};
