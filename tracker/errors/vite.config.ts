// Builds foot-errors.js, which is served as `foot.js?errors`: one file without exports and global names. Then joins what a site asks for to foot.js.
// The other scripts are there: they are built before.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, defineConfig } from 'vite';
import { terse } from '../terse.ts';

const OUT = fileURLToPath(new URL('../../build/tracker', import.meta.url));
/** Errors come first, as they may happen at once. */
const TOGETHER = {
  'foot-measuring.js': ['foot.js', 'vitals-loader.js'],
  'foot-reporting.js': ['foot.js', 'foot-errors.js'],
  'foot-measuring-reporting.js': ['foot.js', 'foot-errors.js', 'vitals-loader.js'],
};
const together: Plugin = {
  name: 'together',
  writeBundle: () => {
    for (const [file, parts] of Object.entries(TOGETHER))
      writeFileSync(join(OUT, file), parts.map((part) => readFileSync(join(OUT, part), 'utf8')).join('\n'));
  },
};

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  plugins: [terse, together],
  build: {
    target: 'es2022',
    minify: false,
    outDir: OUT,
    emptyOutDir: false,
    lib: { entry: { 'foot-errors': 'main.ts' }, formats: ['es'], fileName: (_format, name) => `${name}.js` },
    // without the rest of foot.js, parts of which are imported
    rolldownOptions: { output: { topLevelVar: false }, treeshake: { propertyReadSideEffects: false } },
  },
});
