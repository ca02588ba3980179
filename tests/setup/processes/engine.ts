// Finds the engine's process.
import { readdir, readFile } from 'node:fs/promises';

/** The process of the engine whose folder is given. */
export async function engineOf(events: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.endsWith(`engine/process.ts\0${events}\0`)) return Number(pid);
  }
  throw new Error('the engine does not run');
}
