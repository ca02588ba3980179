// `npm run bundle`: the server and its command line in build/server, with all that they import. A start reads a hundred files instead of 1,700, which
// halves its CPU. Data stays where it is: what a module finds by its own place in the sources, it finds there from the bundle, too.
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build/server');
const PROGRAMS = { main: 'server/main.ts', manage: 'server/operator/manage.ts' };
/** They find files of their own beside their code, or are for development. */
const APART = ['chdb', 'swagger-ui-dist', 'vite'];

/** A file that a module starts as a thread or a process, which becomes a program of the bundle; or the module's own place. */
const PLACES = /new URL\('(\.[^']*\.ts)', import\.meta\.url\)|\bimport\.meta\.(url|filename|dirname)\b/g;

const places: Plugin = {
  name: 'places',
  transform: {
    filter: { id: /\/(server|src)\/.*\.ts$/, code: /\bimport\.meta\b/ },
    handler(code, module) {
      const fromBundle = (path: string) => `new URL(${JSON.stringify(relative(folder, path))}, import.meta.url)`;
      // Not the path of a URL, in which a space would be written as %20.
      const pathTo = (path: string) => `(import.meta.dirname + ${JSON.stringify(`/${relative(folder, path)}`)})`;
      return code.replace(PLACES, (_, started: string | undefined, kind: string) => {
        if (started !== undefined) {
          const id = join(module, '..', started);
          const fileName = `${relative(join(root, 'server'), id).replace(/\.ts$/, '').replaceAll('/', '-')}.js`;
          this.emitFile({ type: 'chunk', id, fileName });
          return fromBundle(join(folder, fileName));
        }
        if (kind === 'url') return `${fromBundle(module)}.href`;
        return pathTo(kind === 'dirname' ? join(module, '..') : module);
      });
    },
  },
};

const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: PROGRAMS,
  external: APART,
  tsconfig: false, // it needs what the build of the dashboard makes
  plugins: [places],
  onLog: (level, log) => {
    if (level === 'warn' && log.code !== 'EVAL') console.warn(log.message);
  },
});
rmSync(folder, { recursive: true, force: true });
await bundle.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
