// ClickHouse over HTTP for a test: clickhouse-server.ts says what it is.
import { freePort, type Running, startProgram } from './process.ts';
import { tempFolder } from './folder.ts';

export type ClickHouse = AsyncDisposable &
  Pick<Running, 'kill' | 'restart' | 'pause' | 'resume'> & {
    url: string;
    /** The next requests are refused before the work, or the connection is reset after it. */
    fail(...faults: ('refuse' | 'reset')[]): Promise<void>;
  };

export async function startClickHouse(): Promise<ClickHouse> {
  const folder = await tempFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = await startProgram({
    path: process.execPath,
    args: [new URL('./clickhouse-server.ts', import.meta.url).pathname, folder.path, String(port)],
    env: { UV_THREADPOOL_SIZE: '24' },
    isReady: () =>
      fetch(`${url}/ping`).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return {
    ...running,
    url,
    fail: async (...faults) => void (await fetch(`${url}/faults?next=${faults.join(',')}`)),
    [Symbol.asyncDispose]: async () => {
      await running.stop('SIGTERM');
      await folder[Symbol.asyncDispose]();
    },
  };
}
