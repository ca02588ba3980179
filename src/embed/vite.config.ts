// Builds what pages of others load: embed.js, and the script of the pieces in their frames. Both go among the dashboard's files, after it was built.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  logLevel: 'warn',
  build: {
    target: 'es2022',
    outDir: '../../build/app',
    emptyOutDir: false,
    rolldownOptions: {
      input: { embed: 'src/embed/frame.ts', piece: 'src/embed/piece.ts' },
      output: {
        entryFileNames: ({ name }) => (name === 'embed' ? 'embed.js' : '_app/immutable/embed/[name].[hash:7].js'),
      },
    },
  },
});
