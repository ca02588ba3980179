// Runs before all tests: installs the Debian packages they need, bundles the server that they start if it has changed, and opens a small server that
// starts the run's one PostgreSQL when a test first asks.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { installMissing } from './apt-packages.mjs';
import { startCluster, STORES_SOCKET, type Cluster } from '../stores/postgres.ts';
import { tempFolder } from '../folder.ts';
import { COMPILED } from '../processes/manage.ts';

export default async function setup(): Promise<() => Promise<void>> {
  await installMissing();
  execFileSync(process.execPath, ['setup.mjs', '--bundle'], { stdio: 'inherit' });
  process.env['NODE_COMPILE_CACHE'] ??= COMPILED.NODE_COMPILE_CACHE; // the workers inherit it, too
  const folder = await tempFolder();
  let cluster: Promise<Cluster> | undefined;
  const server = createServer((_request, response) => {
    cluster ??= startCluster();
    cluster.then(
      ({ port }) => response.end(String(port)),
      (cause: unknown) => response.writeHead(500).end(String(cause)),
    );
  });
  const socketPath = join(folder.path, 'stores.sock');
  server.listen(socketPath);
  await once(server, 'listening');
  process.env[STORES_SOCKET] = socketPath; // the workers inherit it
  return async () => {
    server.close();
    server.closeAllConnections();
    const started = await cluster?.catch(() => undefined);
    await started?.[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
}
