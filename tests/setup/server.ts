// The server as a separate process, as an operator runs it: `await using server = await startServer({ DATA_DIR })`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { NO_FLOOD_LIMITS } from './app.ts';
import { COMPILED } from './processes/manage.ts';

const root = new URL('../../', import.meta.url).pathname;

type Ended = { code: number | null; signal: NodeJS.Signals | null };

export type ServerProcess = AsyncDisposable & {
  url: string;
  pid: number;
  /** What it has written to stderr and stdout. */
  output(): string;
  end(signal: NodeJS.Signals): Promise<Ended>;
};

type Environment = Record<string, string> & { DATA_DIR: string };
/** `root`: of another version, which is not bundled: see setup/stores/later-version.ts. */
type Options = { user?: { uid: number; gid: number }; root?: string };

/** As in `npm start` and deploy/: see server/process/v8-heap.ts. */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

function launch(env: Environment, options: Options = {}) {
  const program = options.root === undefined ? 'build/server/main.js' : 'server/main.ts';
  const child = spawn(process.execPath, [...NODE_FLAGS, program], {
    cwd: options.root ?? root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'warn',
      TRUST_PROXY: 'loopback',
      ...COMPILED,
      WORKERS: '1', // on every machine
      ...NO_FLOOD_LIMITS,
      ...env,
    },
    ...options.user,
  });
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, exited, output: () => output };
}

export async function startServer(env: Environment, options: Options = {}): Promise<ServerProcess> {
  const { child, exited, output } = launch(env, options);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code, endedBy] = await exited;
    return { code, signal: endedBy };
  };
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /Footfall is at (https?:\/\/[^/\s]+)/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(`The server did not start: ${output()}`)));
  });
  return { url, pid: child.pid ?? 0, output, end, [Symbol.asyncDispose]: async () => void (await end('SIGKILL')) };
}

/** Runs a server that should refuse to start, and returns how it ended and what it said. */
export async function failToStart(
  env: Environment,
  options: Options = {},
): Promise<{ code: number | null; said: string }> {
  const { child, exited, output } = launch(env, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
  const [code] = await exited;
  clearTimeout(timer);
  return { code, said: output() };
}
