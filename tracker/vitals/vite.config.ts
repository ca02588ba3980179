// Builds foot-vitals.js, which is served as `foot.js?vitals`, and what loads it: each is one file without exports and global names. Then joins
// the latter to foot.js as foot-measuring.js, and compresses all of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';
import { type Plugin, defineConfig } from 'vite';
import { compressFolder } from '../../compress.ts';

/**
 * What this script never asks the library for, as constants, so that the build leaves out what depends on it. The pages that a router shows
 * count for the page that was loaded; without what measures them apart, the script is a fifth smaller.
 */
const NEVER: readonly [asked: string, answer: string][] = [
  ['checkSoftNavsEnabled(opts)', 'false'],
  ["entry.entryType === 'soft-navigation'", 'false'],
  ["entry.entryType === 'interaction-contentful-paint'", 'false'],
  ['opts.reportAllChanges', 'false'],
];
const LIBRARY = fileURLToPath(new URL('../../node_modules/web-vitals/dist/modules/', import.meta.url));
const withoutTheRest: Plugin = {
  name: 'without-the-rest',
  enforce: 'pre',
  transform: (code, id) =>
    id.startsWith(LIBRARY) ? NEVER.reduce((all, [asked, answer]) => all.replaceAll(asked, answer), code) : undefined,
};

const terse: Plugin = {
  name: 'terse',
  generateBundle: async (_options, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const compress = { passes: 8, toplevel: true, unsafe_arrows: true, keep_fargs: false, pure_getters: true };
      // the fields of the library's own classes begin with `_`
      const mangle = { toplevel: true, properties: { regex: /^_[a-z]/ } };
      const { code = '' } = await minify(chunk.code, { ecma: 2021, toplevel: true, compress, mangle });
      // a block scopes its names, as a function would
      chunk.code = `{${code.replaceAll('const ', 'let ').replaceAll(/var (?=\w+=class)/g, 'let ')}}`;
    }
  },
};

const OUT = fileURLToPath(new URL('../../build/tracker', import.meta.url));
/** Foot.js is there: it is built before. */
const together: Plugin = {
  name: 'together',
  writeBundle: () => {
    const both = ['foot.js', 'vitals-loader.js'].map((name) => readFileSync(join(OUT, name), 'utf8'));
    writeFileSync(join(OUT, 'foot-measuring.js'), both.join('\n'));
    return compressFolder(OUT);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  plugins: [withoutTheRest, terse, together],
  // modules, of which a build leaves out what nothing asks for
  resolve: { alias: { 'web-vitals': `${LIBRARY}index.js` } },
  build: {
    target: 'es2022',
    minify: false,
    outDir: OUT,
    emptyOutDir: false,
    lib: {
      entry: { 'foot-vitals': 'main.ts', 'vitals-loader': 'loader.ts' },
      formats: ['es'],
      fileName: (_format, name) => `${name}.js`,
    },
    rolldownOptions: { output: { topLevelVar: false } },
  },
});
