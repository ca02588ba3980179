// Runs a benchmark as a process of its own.
import { spawn } from 'node:child_process';

/** A line of JSON that a benchmark prints. */
export type Line = Record<string, unknown>;

const root = new URL('..', import.meta.url).pathname;

/** Runs a benchmark with its output on the screen, and returns its lines of JSON. */
export async function runBench(script: string, args: readonly string[]): Promise<Line[]> {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${script} failed.`);
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));
}
