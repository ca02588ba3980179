// The entrance of the server process: its own port, or that of workers, which reach it over a Unix socket.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Log } from '../../process/log.ts';
import { isAnswered, socketPath } from '../../process/unix-socket.ts';
import { type Crew, startCrew } from './crew.ts';

/** As short as the operator's socket: workers allow the same paths of DATA_DIR as one process. `workers-…` are of earlier versions. */
const SOCKET_FILE = /^(w|workers)-[0-9a-f]+\.sock$/;

type Options = { server: Server; config: Config; workers: number; log: Log };

/** Opens the port. Throws if it cannot be opened. */
export async function openEntrance({ server, config, workers, log }: Options): Promise<Crew> {
  if (workers === 1) {
    server.listen(config.PORT, config.HOST);
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, stop: () => Promise.resolve() };
  }
  return startCrew({ count: workers, path: await listenForWorkers(server, config.DATA_DIR), log });
}

/** Listens on a Unix socket in DATA_DIR, and returns its path. Several processes may share the folder if its stores are elsewhere. */
export async function listenForWorkers(server: Server, dataDir: string): Promise<string> {
  for (const name of await readdir(dataDir)) {
    const left = SOCKET_FILE.test(name) ? socketPath(dataDir, name) : undefined;
    if (left !== undefined && !(await isAnswered(left))) await rm(join(dataDir, name), { force: true });
  }
  const path = socketPath(dataDir, `w-${randomBytes(3).toString('hex').slice(1)}.sock`);
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return path;
}
