// Builds the documentation as a static site in build/docs: one page for each guide, a script, a style, and the texts to search.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import globalData from '@csstools/postcss-global-data';
import customMedia from 'postcss-custom-media';
import { defineConfig, type Plugin } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import { framePage } from './frame.ts';
import { API, type Copy, listPages, type Section, type Written, writePage } from './pages.ts';
import { writeReference } from './reference.ts';

const root = join(import.meta.dirname, '../..');
const OUT = join(root, 'build/docs');
/** Where the server has the site. The page for unknown addresses is also shown below folders that do not exist. */
const SERVED_AT = '/docs/';

const NOT_FOUND = `# There is no such page

The [list of all guides](README.md) may have it, and the search finds every word of every page.`;

function writePages(): Plugin {
  return {
    name: 'write-pages',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const emit = (name: string, source: string | Uint8Array) =>
        this.getFileName(this.emitFile({ type: 'asset', name, source }));
      const built = (pattern: RegExp) => Object.keys(bundle).find((name) => pattern.test(name)) ?? '';
      const copy: Copy = (file, bytes) => emit(file, bytes);
      const groups = listPages();
      const pages = groups.flatMap((group) => group.pages);
      const written = pages.map((page) => ({
        page,
        written: writePage(
          page,
          page.name === API ? writeReference() : readFileSync(join(root, page.file ?? ''), 'utf8'),
          {
            file: page.file ?? 'docs/README.md',
            copy,
          },
        ),
      }));
      const sections = written.flatMap(({ written: one }): Section[] => one.sections);
      const read = (file: string) => readFileSync(join(root, file));
      const site = {
        groups,
        version: manifest.version,
        assets: {
          script: built(/^assets\/site\..+\.js$/),
          style: built(/^assets\/style\..+\.css$/),
          index: emit('search.json', JSON.stringify(sections)),
          theme: emit('theme.js', read('static/theme.js')),
          mark: emit('favicon.svg', read('static/favicon.svg')),
        },
      };
      const add = (name: string, source: string) => this.emitFile({ type: 'asset', fileName: `${name}.html`, source });
      for (const { page, written: one } of written)
        add(page.name, framePage(site, page, page.name === API ? tried(one) : one));
      const unknown = { name: '404', title: 'There is no such page' };
      const missing = writePage(unknown, NOT_FOUND, { file: 'docs/README.md', copy });
      const html = missing.html.replaceAll('href="index.html', `href="${SERVED_AT}index.html`);
      add(unknown.name, framePage(site, unknown, { ...missing, html }, SERVED_AT));
    },
  };
}

/** The server shows the API at /docs, beside the site. */
const tried = (one: Written): Written => ({
  ...one,
  html: one.html.replace('<code>/docs</code>', '<a href="../docs"><code>/docs</code></a>'),
});

/** Readers without scripts get the dark theme from their system. */
const darkWithoutScripts = {
  postcssPlugin: 'dark-without-scripts',
  OnceExit: (sheet: Sheet, { AtRule }: { AtRule: new (options: { name: string; params: string }) => Box }) => {
    sheet.walkRules(":root[data-theme='dark']", (rule) => {
      const media = new AtRule({ name: 'media', params: '(prefers-color-scheme: dark)' });
      media.append(rule.clone({ selector: ':root:not([data-theme])' }));
      rule.after(media);
    });
  },
};
type Box = { append(node: unknown): void };
type Rule = { clone(changes: object): unknown; after(node: unknown): void };
type Sheet = { walkRules(selector: string, work: (rule: Rule) => void): void };

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [writePages()],
  css: {
    postcss: {
      plugins: [globalData({ files: [join(root, 'src/breakpoints.css')] }), customMedia(), darkWithoutScripts],
    },
  },
  build: {
    target: 'es2022',
    outDir: OUT,
    emptyOutDir: true,
    modulePreload: false,
    rolldownOptions: {
      input: { site: join(import.meta.dirname, 'site.ts'), style: join(import.meta.dirname, 'site.css') },
      output: {
        entryFileNames: 'assets/[name].[hash:7].js',
        assetFileNames: 'assets/[name].[hash:7][extname]',
      },
    },
  },
});
