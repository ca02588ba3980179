import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import adapter from '@sveltejs/adapter-static';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { hashOfSources } from './sources.mjs';

const FOLDER = 'build/app';
const TEXTS = /\.(html|js|json|css|svg|wasm|txt)$/;
const { BROTLI_PARAM_MODE, BROTLI_MODE_TEXT, Z_BEST_COMPRESSION } = constants;

/** Writes each text as gzip and brotli, too. The adapter's `precompress` opens all files at once, more than a machine that allows 1,024 has. */
async function compress() {
  const files = readdirSync(FOLDER, { recursive: true }).filter((name) => TEXTS.test(name));
  const left = files.map((name) => join(FOLDER, name)).values();
  const work = async () => {
    for (const file of left) {
      const text = readFileSync(file);
      writeFileSync(
        `${file}.br`,
        await promisify(brotliCompress)(text, { params: { [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT } }),
      );
      writeFileSync(`${file}.gz`, await promisify(gzip)(text, { level: Z_BEST_COMPRESSION }));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

// One page for every address. server/process/http/static.ts serves it with a strict content security policy.
const pages = adapter({ pages: FOLDER, assets: FOLDER, fallback: 'index.html' });

/** @type {import('@sveltejs/kit').Config} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
  kit: {
    adapter: { ...pages, adapt: (builder) => pages.adapt(builder).then(compress) },
    files: { assets: 'static' },
    output: { bundleStrategy: 'split' },
    // The same on every host that builds the same sources: an open dashboard reloads when its server runs another version.
    version: { name: hashOfSources().slice(0, 16), pollInterval: 0 },
  },
};
