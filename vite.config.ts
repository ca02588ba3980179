import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import globalData from '@csstools/postcss-global-data';
import { sveltekit } from '@sveltejs/kit/vite';
import customMedia from 'postcss-custom-media';
import { defineConfig, type Plugin } from 'vite';
import { MARK_NAMES } from './src/lib/ui/icons/marks.ts';

/** The modules that the dashboard needs before it shows anything: its route, and all that it imports with a plain `import`. */
const firstLoad = new Set<string>();

function noteFirstLoad(): Plugin {
  const begins =
    /src\/routes\/(\+layout|\(app\)\/(\+layout|\[domain\]\/\+(layout|page)))\.(svelte|ts)$|client\/entry\.js$|client-optimized\/app\.js$/;
  return {
    name: 'note-first-load',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    buildEnd() {
      const add = (id: string) => {
        if (firstLoad.has(id)) return;
        firstLoad.add(id);
        this.getModuleInfo(id)?.importedIds.forEach(add);
      };
      [...this.getModuleIds()].filter((id) => begins.test(id)).forEach(add);
    },
  };
}

// Code that several pages need goes into one file, instead of forty files of a few hundred bytes.
const groups = [
  { name: 'page', test: (id: string) => firstLoad.has(id), minShareCount: 2, priority: 2 },
  // The panels load beside the numbers.
  {
    name: 'panels',
    test: /src\/lib\/(panels\/[^/]+$|ui\/(lists\/Bar|icons\/RowIcon|layout\/Tabs)\.svelte)/,
    minShareCount: 2,
    priority: 1,
  },
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

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [sveltekit(), noteFirstLoad(), addMarks(), noteBundled(), shortenHashes()],
  worker: { format: 'es' },
  css: { postcss: { plugins: [globalData({ files: ['src/breakpoints.css'] }), customMedia()] } },
  build: {
    target: 'es2022',
    ...(!isSsrBuild && { rolldownOptions: { treeshake, output: { codeSplitting: { groups } } } }),
  },
}));
