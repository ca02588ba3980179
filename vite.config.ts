import { mkdirSync, writeFileSync } from 'node:fs';
import globalData from '@csstools/postcss-global-data';
import { sveltekit } from '@sveltejs/kit/vite';
import customMedia from 'postcss-custom-media';
import { defineConfig, type Plugin } from 'vite';

// Code that several pages need goes into one file, instead of forty files of a few hundred bytes. The chart, the socket and the map stay
// apart, and so does code for the live view, the settings and the other pages around the dashboard.
const groups = [
  {
    name: 'page',
    test: /node_modules\/(svelte|@sveltejs|@trpc|devalue|esm-env|clsx)|src\/lib\/(?!.*(Live(View|List|Now)|Minutes|ShareLinks|CopyButton|Field|Section|TopBar|snippet|settings))/,
    minShareCount: 2,
  },
];

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
      writeFileSync('build/bundled.json', `${JSON.stringify([...new Set(packages)].sort())}\n`);
    },
  };
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [sveltekit(), noteBundled()],
  css: { postcss: { plugins: [globalData({ files: ['src/breakpoints.css'] }), customMedia()] } },
  build: { target: 'es2022', ...(!isSsrBuild && { rolldownOptions: { output: { codeSplitting: { groups } } } }) },
}));
