// Builds foot-vitals.js, which is served as `foot.js?vitals`, and what loads it: each is one file without exports and global names.
import { fileURLToPath } from 'node:url';
import { type Plugin, defineConfig } from 'vite';
import { terse } from '../terse.ts';

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

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  plugins: [withoutTheRest, terse],
  // modules, of which a build leaves out what nothing asks for
  resolve: { alias: { 'web-vitals': `${LIBRARY}index.js` } },
  build: {
    target: 'es2022',
    minify: false,
    outDir: fileURLToPath(new URL('../../build/tracker', import.meta.url)),
    emptyOutDir: false,
    lib: {
      entry: { 'foot-vitals': 'main.ts', 'vitals-loader': 'loader.ts' },
      formats: ['es'],
      fileName: (_format, name) => `${name}.js`,
    },
    rolldownOptions: { output: { topLevelVar: false } },
  },
});
