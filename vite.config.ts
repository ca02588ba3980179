import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

// What several pages need is one file, not forty of a few hundred bytes; the chart, the socket and the map stay apart.
const groups = [
  {
    name: 'page',
    test: /node_modules\/(svelte|@sveltejs|@trpc|devalue|esm-env|clsx)|src\/lib\/(?!.*(LiveView|Minutes|ShareLinks|Copy|snippet))/,
    minShareCount: 2,
  },
];

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [sveltekit()],
  build: { target: 'es2022', ...(!isSsrBuild && { rolldownOptions: { output: { codeSplitting: { groups } } } }) },
}));
