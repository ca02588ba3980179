// Runs before all tests: installs the Debian packages they need, bundles the server that they start if it has changed, and opens a small server that
// makes what all of them share when a test first asks.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installMissing } from './apt-packages.mjs';
import { startCluster, type Cluster } from '../stores/postgres.ts';
import { tempFolder } from '../folder.ts';
import { COMPILED } from '../processes/manage.ts';
import { type Shared, shareOn } from './made-once.ts';

export default async function setup(): Promise<() => Promise<void>> {
  await installMissing();
  execFileSync(process.execPath, ['setup.mjs', '--bundle'], { stdio: 'inherit' });
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED.NODE_COMPILE_CACHE; // the workers inherit it, too
  const folder = await tempFolder();
  let cluster: Promise<Cluster> | undefined;
  let stores: Promise<string> | undefined;
  const answers: Record<Shared, () => Promise<string>> = {
    postgres: async () => String((await (cluster ??= startCluster())).port),
    stores: () => (stores ??= makeStores(folder.path)),
  };
  const server = createServer((request, response) => {
    answers[request.url?.slice(1) as Shared]().then(
      (answer) => response.end(answer),
      (cause: unknown) => response.writeHead(500).end(String(cause)),
    );
  });
  const socketPath = join(folder.path, 'shared.sock');
  server.listen(socketPath);
  await once(server, 'listening');
  shareOn(socketPath);
  return async () => {
    server.close();
    server.closeAllConnections();
    const started = await cluster?.catch(() => undefined);
    await started?.[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
}

/** In a process of its own, as the stores that people have are made by one that has ended. */
async function makeStores(folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../stores/migrated-stores.ts'), folder]);
  return folder;
}
