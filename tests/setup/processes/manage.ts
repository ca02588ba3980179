// The operator's command line as a process of its own: `await runManage(['list'], { DATA_DIR })`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = new URL('../../../', import.meta.url).pathname;

/** As `npm start` and `npm run manage` do: a fifth of a start's CPU. */
export const COMPILED = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node') };

export async function runManage(
  args: string[],
  env: { DATA_DIR: string } & Record<string, string | undefined>,
  { stdin = '', cwd = root } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = cwd === root ? 'build/server/manage.js' : 'server/operator/manage.ts';
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...COMPILED, ...env },
  });
  child.stdin.end(stdin);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stdout, stderr };
}
