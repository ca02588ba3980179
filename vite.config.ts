import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import globalData from '@csstools/postcss-global-data';
import { sveltekit } from '@sveltejs/kit/vite';
import customMedia from 'postcss-custom-media';
import { defineConfig, type Plugin } from 'vite';
import { messages } from './languages/compiler/plugin.ts';
import manifest from './package.json' with { type: 'json' };
import { hashOfSources } from './sources.mjs';
import { MARK_NAMES } from './src/lib/ui/icons/marks.ts';

/** The modules that the dashboard needs before it shows anything: its route, and all that it imports with a plain `import`. */
const firstLoad = new Set<string>();
/** What pages need that are not the dashboard, and what every page loads once it can be read. */
const everywhere = new Set<string>();
/** What the parts need that the dashboard loads by themselves. */
const later = new Set<string>();

const FIRST_LOAD =
  /src\/routes\/(\+layout|\(app\)\/(\+layout|\[domain\]\/\+(layout|page)))\.(svelte|ts)$|client\/entry\.js$|client-optimized\/app\.js$/;
const EVERYWHERE =
  /src\/(routes\/\(signed-out\)\/|lib\/(browser\/later|account\/notices\/Notices|ui\/overlays\/open-tooltip)\.)/;
/** What every dashboard loads once it can be read, except the chart, which is more than all of it. */
const PARTS =
  /src\/lib\/(dashboard\/(Chapters|Dialogs|Footer|PrintHeading|SiteNotices|figures\/Sentence)|controls\/filters\/FilterBar|charts\/ChartMenu|goals\/GoalStrip|panels\/Goals)\.svelte$/;

function noteLoads(): Plugin {
  return {
    name: 'note-loads',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    buildEnd() {
      const add = (to: Set<string>) => (id: string) => {
        if (firstLoad.has(id) || to.has(id)) return;
        to.add(id);
        this.getModuleInfo(id)?.importedIds.forEach(add(to));
      };
      const ids = [...this.getModuleIds()];
      ids.filter((id) => FIRST_LOAD.test(id)).forEach(add(firstLoad));
      ids.filter((id) => EVERYWHERE.test(id)).forEach(add(everywhere));
      const lazy = [...firstLoad].filter((id) => id.includes('/src/lib/'));
      lazy.flatMap((id) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []).forEach(add(later));
    },
  };
}

/** Below the root, whose styles index.html links: SvelteKit finds them in what it builds for the server. */
const PAGES = /src\/routes\/(?=.*\/).*\.(svelte|ts)$/;

/** SvelteKit builds every page for the server, too. Ours are never rendered there (`ssr` in src/routes/+layout.ts), so that half stays empty. */
function skipServerPages(): Plugin {
  return {
    name: 'skip-server-pages',
    enforce: 'pre',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'ssr',
    load: (id) => (PAGES.test(id) ? '' : undefined),
  };
}

// A file takes 3 ms of the browser's CPU, however small it is: code that several parts need goes into a few files, instead of a hundred.
const groups = [
  { name: 'uplot', test: /node_modules\/uplot/, priority: 5 }, // others would take it along with what uses it
  { name: 'page', test: (id: string) => firstLoad.has(id), minShareCount: 2, priority: 4 },
  { name: 'everywhere', test: (id: string) => everywhere.has(id), minShareCount: 2, priority: 3 },
  { name: 'shared', test: (id: string) => later.has(id), minShareCount: 2, priority: 2 },
  { name: 'parts', test: PARTS, priority: 1 },
  { name: 'ui', test: /src\/lib\/ui\//, minShareCount: 2, priority: 0 },
];

/** The package does not say that its modules only define things. Without this, its WebSocket link is sent to every browser. */
const treeshake = { moduleSideEffects: [{ test: /node_modules\/@trpc\/client/, sideEffects: false }] };

const FLAGS = 'node_modules/country-flag-icons/3x2';
const LOGOS = 'node_modules/@iconify-json/logos';
const FONT = 'node_modules/@fontsource-variable/geist';

/** Flags and marks as files of their own, which the browser loads when a row shows one. */
function readMarks(): Map<string, string> {
  const flags = readdirSync(FLAGS).filter((name) => /^[A-Z]{2}\.svg$/.test(name));
  const files = new Map(flags.map((name) => [`flags/${name}`, readFileSync(join(FLAGS, name), 'utf8')]));
  const { icons, ...usual } = JSON.parse(readFileSync(join(LOGOS, 'icons.json'), 'utf8')) as Logos;
  for (const name of MARK_NAMES) {
    const icon = icons[name];
    if (!icon) throw new Error(`${LOGOS} has no icon named ${name}.`);
    const { width = usual.width ?? 256, height = usual.height ?? 256, body } = icon;
    const box = `viewBox="0 0 ${width} ${height}"`;
    files.set(`marks/${name}.svg`, `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${body}</svg>`);
  }
  return files;
}

type Size = { width?: number; height?: number };
type Logos = Size & { icons: Record<string, Size & { body: string }> };

function addMarks(): Plugin {
  const files = readMarks();
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 8);
  const folder = `_app/immutable/marks-${hash}`;
  return {
    name: 'add-marks',
    config: () => ({ define: { MARKS_FOLDER: JSON.stringify(`/${folder}`) } }),
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle() {
      for (const [path, source] of files) this.emitFile({ type: 'asset', fileName: `${folder}/${path}`, source });
    },
    configureServer({ middlewares }) {
      middlewares.use(`/${folder}/`, (request, response, next) => {
        const source = files.get((request.url ?? '').slice(1));
        if (source === undefined) next();
        else response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(source);
      });
    },
  };
}

/**
 * The first load names all files that later ones need, and each character of a hash counts there: it cannot be compressed. Seven keep four
 * trillion versions of a file apart. SvelteKit sets these names itself, so only a plugin after it can.
 */
function shortenHashes(): Plugin {
  const output = {
    chunkFileNames: '_app/immutable/chunks/[hash:7].js',
    assetFileNames: '_app/immutable/assets/[name].[hash:7][extname]',
  };
  return {
    name: 'shorten-hashes',
    apply: 'build',
    enforce: 'post',
    config: (_config, { isSsrBuild }) => (isSsrBuild ? {} : { build: { rolldownOptions: { output } } }),
  };
}

/** Records which packages are in the dashboard's files, for notices.ts. */
function noteBundled(): Plugin {
  return {
    name: 'note-bundled',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle: (_options, bundle) => {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const packages = modules.flatMap(
        (id) =>
          /^.*?\/(node_modules\/.*node_modules\/|node_modules\/)((@[^/]+\/)?[^/]+)/.exec(id)?.slice(1, 3).join('') ??
          [],
      );
      mkdirSync('build', { recursive: true });
      writeFileSync('build/bundled.json', `${JSON.stringify([...new Set([...packages, LOGOS, FONT])].sort())}\n`);
    },
  };
}

/** Which file has the messages of a module. */
const groupOf = (id: string) => {
  if (firstLoad.has(id)) return 'first';
  return everywhere.has(id) || later.has(id) ? 'dashboard' : 'rest';
};

export default defineConfig(({ isSsrBuild }) => ({
  define: { FOOTFALL_VERSION: JSON.stringify(manifest.version) },
  plugins: [
    messages({ version: hashOfSources().slice(0, 16), groupOf }),
    skipServerPages(),
    sveltekit(),
    noteLoads(),
    addMarks(),
    noteBundled(),
    shortenHashes(),
  ],
  worker: { format: 'es' },
  css: { postcss: { plugins: [globalData({ files: ['src/breakpoints.css'] }), customMedia()] } },
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    ...(!isSsrBuild && { rolldownOptions: { treeshake, output: { codeSplitting: { groups } } } }),
  },
}));
