import adapter from '@sveltejs/adapter-static';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { compressFolder } from './compress.ts';
import { hashOfSources } from './sources.mjs';

const FOLDER = 'build/app';

// One page for every address. server/process/http/static.ts serves it with a strict content security policy.
const pages = adapter({ pages: FOLDER, assets: FOLDER, fallback: 'index.html' });

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
  kit: {
    adapter: { ...pages, adapt: (builder) => pages.adapt(builder).then(() => compressFolder(FOLDER)) },
    files: { assets: 'static' },
    output: { bundleStrategy: 'split' },
    // The same on every host that builds the same sources: an open dashboard reloads when its server runs another version.
    version: { name: hashOfSources().slice(0, 16), pollInterval: 0 },
  },
};
