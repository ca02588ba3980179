// ClickHouse over HTTP for a test: clickhouse-server.ts says what it is.
import { spawn } from 'node:child_process';
import { tempFolder } from './folder.ts';

export type ClickHouse = AsyncDisposable & {
  url: string;
  /** The next requests are refused before the work, or the connection is reset after it. */
  fail(...faults: ('refuse' | 'reset')[]): Promise<void>;
  /** SIGSTOP: the port accepts, and nothing answers. */
  pause(): void;
  resume(): void;
};

export async function startClickHouse(): Promise<ClickHouse> {
  const folder = await tempFolder();
  const script = new URL('./clickhouse-server.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: '24' },
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', (code) => reject(new Error(`The ClickHouse of the tests ended with ${code}.`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    fail: async (...faults) => void (await fetch(`${url}/faults?next=${faults.join(',')}`)),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGCONT');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}
