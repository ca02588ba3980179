// ClickHouse over HTTP for a test: clickhouse-server.ts says what it is.
import { freePort, type Running, startProgram } from '../processes/process.ts';
import { tempFolder } from '../folder.ts';

export type ClickHouse = AsyncDisposable &
  Pick<Running, 'pid' | 'kill' | 'restart' | 'pause' | 'resume'> & {
    url: string;
    /** The next requests are refused before the work, or the connection is reset after it. */
    fail(...faults: ('refuse' | 'reset')[]): Promise<void>;
    /** Returns the statements that were sent, without the rows of inserts. */
    statements(): Promise<string[]>;
  };

/** `localShard`: with the clusters of clickhouse-cluster.ts, in the second of which the server is this shard. */
export async function startClickHouse(localShard?: 0 | 1): Promise<ClickHouse> {
  const folder = await tempFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = await startProgram({
    path: process.execPath,
    args: [
      new URL('./clickhouse-server.ts', import.meta.url).pathname,
      folder.path,
      String(port),
      ...(localShard === undefined ? [] : [String(localShard)]),
    ],
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
    statements: async () => (await (await fetch(`${url}/statements`)).json()) as string[],
    fail: async (...faults) => void (await fetch(`${url}/faults?next=${faults.join(',')}`)),
    [Symbol.asyncDispose]: async () => {
      await running.kill(); // closing the engine sometimes never ends, and its folder goes anyway
      await folder[Symbol.asyncDispose]();
    },
  };
}
