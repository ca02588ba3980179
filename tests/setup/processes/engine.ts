// Finds the engine's process.
import { readdir, readFile } from 'node:fs/promises';

/** Of the bundle, or of the sources. */
const ENGINE = /engine(-process\.js|\/process\.ts)$/;

/** The process of the engine whose folder is given. */
export async function engineOf(events: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const [program = '', folder] = command.split('\0').slice(-3);
    if (ENGINE.test(program) && folder === events) return Number(pid);
  }
  throw new Error('the engine does not run');
}
